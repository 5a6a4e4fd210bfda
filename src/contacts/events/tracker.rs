//! Tracks contacts between steps: finds those that began, persisted and ended, and keeps a value
//! for each.
//!
//! Contacts are identified by the ids of their bodies (`ids.rs`). They are stored by the rows of
//! the last step, in order (`span.rs`): if bodies are in other rows now, their contacts are moved
//! there first. Then the pairs of the step are looked up among them (`compare.rs`).
//!
//! - TRACK-1: the pairs of two successful steps are compared, so each contact that begins ends
//!   once, even if steps fail in between.
//! - TRACK-2: the margin affects only ends. A contact begins when its pair is reported. It ends
//!   when its pair is not reported and the boxes, each grown by the margin, do not overlap; or when
//!   a body is gone, filters reject the pair, or the static is disabled. In a world of circles, the
//!   circles of the grown boxes must touch too.
//! - TRACK-3: nothing changes until the step can no longer fail.
//!
//! Comparing the sorted pairs of this step with those of the last one is the idea of Box2D's pair
//! buffer (Catto). Here only contacts that begin are sorted, separately for each span of rows, in
//! the cache.
//!
//! A step that was told what changed edits the contacts instead (`edit.rs`).
//!
//! Cost: the pairs sorted by spans, a lookup per pair and a pass over the contacts, all in
//! parallel. Memory: about 50 bytes per contact, and 30 per row with ids.

use crate::broad_phase::changes::changed_bodies::ChangedBody;
use crate::broad_phase::pairs::FoundPairs;
use crate::contacts::changes::kept_pairs::KeptPairs;
use crate::contacts::events::compare::ComparePool;
use crate::contacts::events::contact_set::{ContactSet, StepPairs};
use crate::contacts::events::edit::ToldPairs;
use crate::contacts::events::id_table::NO_ROW;
use crate::contacts::events::ids::{IdentityMap, StepIds};
use crate::contacts::events::margin::{MarginTest, TrackedStep};
use crate::contacts::events::row_map::{PairMap, RowMap};
use crate::error::{Error, InvalidRow};
use crate::frame::frame::Frame;
use crate::frame::statics::StaticSet;
use crate::frame::statics_version::StaticsVersion;
use crate::input::rows::BoxSource;
use crate::memory::bit_set::BitSet;
use crate::memory::buffers::buffers;
use crate::memory::listener::PairKind;
use crate::memory::shared_column::SharedColumn;
use std::ops::Range;

/// The contacts of the last successful step, and which of them began and ended in it.
#[derive(Default)]
pub(crate) struct ContactTracker {
    pub(super) identities: IdentityMap,
    /// Rows that the running step skipped, ascending.
    skipped: Vec<u32>,
    pub(super) bodies: ContactSet,
    pub(super) statics: ContactSet,
    /// The state of the statics in the last successful step, and their ids if they had any.
    pub(super) statics_version: StaticsVersion,
    /// Usually shared with the frame of that step.
    pub(super) static_ids: Option<SharedColumn<u64>>,
    moved_statics: MovedStatics,
    workers: ComparePool,
}

/// The rows in which other statics are than in the last step, or none any more.
#[derive(Default)]
struct MovedStatics {
    /// Ascending.
    rows: Vec<u32>,
    /// Where the statics of these rows are now, or [`NO_ROW`].
    to: Vec<u32>,
    /// The statics that are in these rows now, by id.
    by_id: Vec<(u64, u32)>,
}

impl MovedStatics {
    /// The present rows of the statics of the last step, given by their ids and their version.
    ///
    /// Only rows that changed are looked at, if these are known.
    fn find(
        &mut self,
        (last, version): (&Option<SharedColumn<u64>>, StaticsVersion),
        statics: &StaticSet,
    ) -> RowMap<'_> {
        if version.is_same_set(statics.version) {
            return RowMap::Same;
        }
        let tree = &statics.tree;
        let (Some(last), Some(now)) = (last, tree.ids()) else { return RowMap::Below(0) };
        let Self { rows, to, by_id } = self;
        rows.clear();
        match statics.changes_since(version) {
            Some(changes) => rows.extend(changes.map(|(row, _)| row)),
            None => rows.extend(0..last.len().max(now.len()) as u32),
        }
        rows.sort_unstable();
        rows.dedup();
        let is_present = |row: u32| (row as usize) < now.len() && !tree.is_vacant(row);
        rows.retain(|&row| last.get(row) != now.get(row) || !is_present(row));
        // Ids are unique, so a static that left its row can only be in a row whose id changed.
        by_id.clear();
        by_id.extend(rows.iter().filter(|&&row| is_present(row)).map(|&row| (now[row], row)));
        by_id.sort_unstable();
        let row_of = |id: u64| by_id.binary_search_by_key(&id, |&(id, _)| id).map_or(NO_ROW, |at| by_id[at].1);
        to.clear();
        to.extend(rows.iter().map(|&row| last.get(row).map_or(NO_ROW, |&id| row_of(id))));
        RowMap::Except { rows, to }
    }
}

/// The state of a step's ids, after contacts were tracked or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IdState {
    /// They are still in the caller's columns.
    Unknown,
    /// They are those of the last successful step, row by row.
    Unchanged,
    /// They were copied to the frame.
    Copied,
}

impl ContactTracker {
    /// Compares the pairs of a step with the contacts of the last successful one (TRACK-1).
    ///
    /// Copies the ids to `frame` if they have changed.
    ///
    /// # Errors
    ///
    /// If two rows that were not skipped share an id. Nothing has changed then (TRACK-3).
    pub(crate) fn advance(
        &mut self,
        step: TrackedStep<'_>,
        found: &FoundPairs,
        frame: &mut Frame,
    ) -> Result<IdState, Error> {
        let Frame { skipped, ids, .. } = frame;
        let state = self.identify(step, skipped, ids)?;
        self.compare(step, found, frame);
        if state == IdState::Copied {
            let column = step.rows.has_ids().then_some(&frame.ids[..]);
            self.identities.commit(StepIds { column, row_count: step.rows.len(), skipped: &self.skipped });
        }
        self.remember_statics(step.statics);
        Ok(state)
    }

    /// Number of tracked contacts.
    pub(crate) fn contact_count(&self) -> usize {
        self.bodies.len() + self.statics.len()
    }

    /// The ids of the last step; empty if it had none.
    pub(crate) fn last_ids(&self) -> &[u64] {
        self.identities.last_ids()
    }

    /// The id that a static had in the last successful step, or its row in a set without ids.
    pub(super) fn static_id(&self, row: u32) -> u64 {
        static_id(&self.static_ids, row)
    }

    /// Finds the present rows of the bodies of the last step, in a step that was told what changed.
    /// Only the ids of `changed` rows are known: those of rows that should have been named count as
    /// unchanged.
    ///
    /// # Errors
    ///
    /// If two rows share an id. Nothing has changed then (TRACK-3).
    pub(crate) fn identify_changed(&mut self, row_count: usize, changed: &[ChangedBody]) -> Result<(), Error> {
        let present = changed.iter().filter(|body| body.exists());
        self.identities.compare_changed(row_count, present.map(|body| (body.row, body.id)))
    }

    /// Edits the contacts in a step that was told what changed, whose bodies were
    /// [identified](Self::identify_changed) and whose pairs were kept.
    pub(crate) fn edit(&mut self, step: TrackedStep<'_>, kept: &KeptPairs, changed: &BitSet, frame: &Frame) {
        let (row_count, parallel) = (step.rows.len(), step.parallel);
        let statics_changed = self.statics_version != step.statics.version;
        let Self { identities, bodies, statics, static_ids, moved_statics, .. } = self;
        let body_map = identities.row_map();
        let static_map = moved_statics.find((&*static_ids, self.statics_version), step.statics);
        let last_id = |row: u32| identities.last_id(row);
        let told = ToldPairs {
            kind: PairKind::Body,
            edits: &kept.bodies.edits,
            present: [&kept.bodies.active, &kept.bodies.newly_changed],
            map: PairMap { sides: [body_map; 2], ascending: true },
            changed,
            statics_changed,
            margin: MarginTest::new(step, frame, PairKind::Body),
            row_count,
            parallel,
        };
        bodies.edit(&told, |rows| rows.map(last_id));
        let told = ToldPairs {
            kind: PairKind::Static,
            edits: &kept.statics.edits,
            present: [&kept.statics.active, &kept.statics.newly_changed],
            map: PairMap { sides: [body_map, static_map], ascending: false },
            margin: MarginTest::new(step, frame, PairKind::Static),
            ..told
        };
        statics.edit(&told, |[body, static_row]| [last_id(body), static_id(static_ids, static_row)]);
        identities.commit_changed(row_count);
        self.remember_statics(step.statics);
    }

    /// The step becomes the last one: remembers which static is in which row.
    fn remember_statics(&mut self, statics: &StaticSet) {
        if !self.statics_version.is_same_set(statics.version) {
            self.static_ids = statics.tree.ids().cloned();
        }
        self.statics_version = statics.version;
    }

    /// Prepares for [`edit`](Self::edit) after a step of all rows, whose pairs were kept. All pairs
    /// are on pages, as no row is active.
    pub(crate) fn note_lingering(&mut self, kept: &KeptPairs) {
        self.bodies.note_lingering(kept.bodies.pages.entries());
        self.statics.note_lingering(kept.statics.pages.entries());
    }

    /// Finds the present rows of the bodies of the last step, and copies the ids to `ids` if they
    /// have changed.
    fn identify(
        &mut self,
        step: TrackedStep<'_>,
        skipped: &[InvalidRow],
        ids: &mut Vec<u64>,
    ) -> Result<IdState, Error> {
        let row_count = step.rows.len();
        self.skipped.clear();
        self.skipped.extend(skipped.iter().map(|invalid| invalid.row));
        let equal = |rows: Range<usize>, ids: &[u64]| step.rows.ids_equal(rows, ids);
        if self.skipped.is_empty() && self.identities.is_unchanged(row_count, equal, step.parallel) {
            return Ok(IdState::Unchanged);
        }
        step.rows.copy_ids(ids, step.parallel);
        let column = step.rows.has_ids().then_some(&ids[..]);
        self.identities.compare(StepIds { column, row_count, skipped: &self.skipped }, step.parallel)?;
        Ok(IdState::Copied)
    }

    /// Replaces the contacts by those of the step.
    fn compare(&mut self, step: TrackedStep<'_>, found: &FoundPairs, frame: &Frame) {
        let TrackedStep { rows, statics, parallel, .. } = step;
        let Self { identities, bodies, statics: static_contacts, static_ids, moved_statics, workers, .. } = self;
        let static_map = moved_statics.find((&*static_ids, self.statics_version), statics);
        let body_map = identities.row_map();
        let pairs = |pages, map| StepPairs { pages, row_count: rows.len(), map, parallel };
        let last_id = |row: u32| identities.last_id(row);
        bodies.advance(
            pairs(found.body_pages(), PairMap { sides: [body_map; 2], ascending: true }),
            |rows| rows.map(last_id),
            MarginTest::new(step, frame, PairKind::Body),
            workers,
        );
        static_contacts.advance(
            pairs(found.static_pages(), PairMap { sides: [body_map, static_map], ascending: false }),
            |[body, static_row]| [last_id(body), static_id(static_ids, static_row)],
            MarginTest::new(step, frame, PairKind::Static),
            workers,
        );
    }
}

/// The id of a static in a set with these ids, or its row in a set without ids.
fn static_id(ids: &Option<SharedColumn<u64>>, row: u32) -> u64 {
    ids.as_ref().map_or(u64::from(row), |ids| ids[row])
}

buffers!(MovedStatics { leveled: ; own: rows, to, by_id; plain: ; });

buffers!(ContactTracker {
    leveled: ;
    own: identities, bodies, statics;
    scratch: skipped, moved_statics, workers;
    plain: statics_version, static_ids;
});
