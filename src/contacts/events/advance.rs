//! Contacts of a step that found its pairs: who is who, and which contacts go on without a pair (E2).

use crate::contacts::events::StaticSet;
use crate::error::Error;
use crate::frame::frame::Index;
use crate::geometry::{BodyCircle, RawAabb, overlaps};
use crate::input::chunks::Chunks;
use crate::input::rows::BoxSource;
use crate::world::World;
use std::ops::Range;

/// Where the ids of a step are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IdsNow {
    /// In the caller's columns.
    Unknown,
    /// They are those of the last good step, row by row.
    AsBefore,
    /// In the index.
    Copied,
}

impl World {
    /// Follows contacts from the last step to this one, where that is asked for. The error is that of ids, before anything
    /// changed.
    pub(crate) fn track_contacts(
        &mut self,
        input: &Chunks<'_, '_>,
        index: &mut Index,
        discs: bool,
        parallel: bool,
    ) -> Result<IdsNow, Error> {
        let Some(tracker) = &mut self.tracker else { return Ok(IdsNow::Unknown) };
        let mut absent = self.broad_phase.invalid_rows().map(|bad| bad.row).peekable();
        let equal = |rows: Range<usize>, ids: &[u64]| input.ids_equal(rows, ids);
        let mut ids = IdsNow::AsBefore;
        if absent.peek().is_some() || !tracker.is_as_before(input.len(), equal, parallel) {
            ids = IdsNow::Copied;
            input.copy_ids(&mut index.ids);
            tracker.identify(input.has_ids().then_some(&index.ids[..]), input.len(), absent, parallel)?;
        }
        let index = &*index;
        let (statics, margin) = (&self.statics, self.config.margin);
        // A contact that was not found goes on while nothing but a margin is between the two.
        let body = |row: u32| input.check(row as usize).ok().map(|aabb| grown(aabb, margin));
        let keeps_bodies = |[a, b]: [u32; 2]| {
            index.filter(a).interacts_with(index.filter(b))
                && body(a).zip(body(b)).is_some_and(|(a, b)| {
                    overlaps(&a, &b) && (!discs || BodyCircle::of_box(&a).overlaps(&BodyCircle::of_box(&b)))
                })
        };
        let keeps_static = |[row, static_row]: [u32; 2]| {
            let aabb = grown(statics.raw_boxes()[static_row as usize], margin);
            statics.is_enabled(static_row) == Some(true)
                && index.filter(row).interacts_with(statics.filter_of(static_row))
                && body(row).is_some_and(|body| {
                    overlaps(&body, &aabb) && (!discs || BodyCircle::of_box(&body).overlaps_box(&aabb))
                })
        };
        let keeps = (margin > 0.0).then_some((keeps_bodies, keeps_static));
        tracker.advance(
            (&self.next_found.all_bodies(), &self.next_found.all_statics()),
            ((input.has_ids() && ids == IdsNow::Copied).then_some(&index.ids[..]), input.len()),
            StaticSet { tree: statics, number: self.static_set },
            keeps.unzip(),
            (self.level, parallel),
        );
        Ok(ids)
    }
}

/// A box that has grown by a margin on each side; computed in f32.
fn grown([min_x, min_y, max_x, max_y]: RawAabb, margin: f32) -> RawAabb {
    [min_x - margin, min_y - margin, max_x + margin, max_y + margin]
}
