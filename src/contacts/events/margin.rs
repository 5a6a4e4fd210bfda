//! Which contacts persist without their pair, because of the margin (TRACK-2).

use crate::frame::frame::Frame;
use crate::frame::statics::StaticSet;
use crate::geometry::{NO_BOX, RawAabb, overlaps};
use crate::input::chunks::Chunks;
use crate::input::filter::PairRules;
use crate::input::rows::BoxSource;
use crate::memory::listener::PairKind;
use crate::prefetch::prefetch;

/// The input of the tracker from a step.
#[derive(Clone, Copy)]
pub(crate) struct TrackedStep<'s> {
    pub(crate) rows: &'s Chunks<'s, 's>,
    pub(crate) statics: &'s StaticSet,
    pub(crate) margin: f32,
    /// Whether bodies are circles in this step.
    pub(crate) are_circles: bool,
    pub(crate) parallel: bool,
}

/// Decides which contacts that a step did not find persist (TRACK-2).
///
/// Nearly branchless: the outcome is unpredictable, and the rows are at random places in memory.
#[derive(Clone, Copy)]
pub(super) struct MarginTest<'s> {
    step: TrackedStep<'s>,
    rules: PairRules<'s>,
    kind: PairKind,
}

impl<'s> MarginTest<'s> {
    /// The test of contacts of one kind; `None` without a margin.
    pub(super) fn new(step: TrackedStep<'s>, frame: &'s Frame, kind: PairKind) -> Option<Self> {
        let rules = PairRules { filters_by_row: frame.filters_by_row(), are_circles: step.are_circles };
        (step.margin > 0.0).then_some(Self { step, rules, kind })
    }

    /// Begins to load what [`keeps`](Self::keeps) reads.
    #[inline(always)]
    pub(super) fn prefetch(&self, [row, partner]: [u32; 2]) {
        let TrackedStep { rows, statics, .. } = self.step;
        rows.prefetch(row);
        match self.kind {
            PairKind::Body => rows.prefetch(partner),
            PairKind::Static => prefetch(std::slice::from_ref(statics.tree.raw_box(partner))),
        }
    }

    /// Whether a contact persists.
    #[inline(always)]
    pub(super) fn keeps(&self, [row, partner]: [u32; 2]) -> bool {
        // Without ids, the contacts of rows that do not exist any more are tested too.
        let exists = |row: u32| (row as usize) < self.step.rows.len();
        match self.kind {
            PairKind::Body => exists(row) && exists(partner) && self.keeps_bodies([row, partner]),
            PairKind::Static => exists(row) && self.keeps_static(row, partner),
        }
    }

    fn keeps_bodies(&self, rows: [u32; 2]) -> bool {
        let [a, b] = &rows.map(|row| self.grown_box(row));
        overlaps(a, b) & self.rules.bodies_touch(a, b) & self.rules.accept(rows)
    }

    fn keeps_static(&self, row: u32, static_row: u32) -> bool {
        let tree = &self.step.statics.tree;
        let body = self.grown_box(row);
        let aabb = grow_box(*tree.raw_box(static_row), self.step.margin);
        overlaps(&body, &aabb)
            & self.rules.body_touches_static(&body, &aabb)
            & (tree.is_enabled(static_row) == Some(true))
            & self.rules.filter(row).interacts_with(tree.filter_of(static_row))
    }

    /// The box of a row, grown by the margin; NaN, which overlaps nothing, if the row is invalid.
    fn grown_box(&self, row: u32) -> RawAabb {
        self.step.rows.checked_box(row as usize).map_or(NO_BOX, |aabb| grow_box(aabb, self.step.margin))
    }
}

/// Grows a box on each side.
fn grow_box([min_x, min_y, max_x, max_y]: RawAabb, margin: f32) -> RawAabb {
    [min_x - margin, min_y - margin, max_x + margin, max_y + margin]
}
