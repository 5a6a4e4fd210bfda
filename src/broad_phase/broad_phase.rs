//! The broad phase of a world: the passes of a step, with cached sleepers or without.

use crate::broad_phase::changes::changed_bodies::ChangedBodies;
use crate::broad_phase::changes::changed_pairs::ChangedPairs;
use crate::broad_phase::changes::changed_set::ChangedSet;
use crate::broad_phase::changes::changes::Changes;
use crate::broad_phase::changes::row_index::RowIndex;
use crate::broad_phase::changes::search::ChangedInput;
use crate::broad_phase::context::StepContext;
use crate::broad_phase::find_pairs::{PairFinder, StepOutput};
use crate::broad_phase::sleepers::cache::{MarkedRows, SleeperCache};
use crate::error::Error;
use crate::frame::frame::Frame;
use crate::frame::phases::Clock;
use crate::frame::stored_boxes::StoredBoxes;
use crate::geometry::NO_BOX;
use crate::input::chunks::Chunks;
use crate::memory::buffers::Buffers;
use crate::memory::page::PairBudget;

/// What a step does with the marks of bodies that are asleep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AsleepMarks {
    /// Reuses the pairs of unchanged bodies that are marked.
    Use,
    /// Searches for all pairs.
    Ignore,
}

/// The part of a world that finds pairs.
#[derive(Default)]
pub(crate) struct BroadPhase {
    pub(crate) finder: PairFinder,
    pub(crate) sleepers: SleeperCache,
    /// Where rows are filed, for steps that are told which of them changed.
    pub(crate) row_index: RowIndex,
    /// The changed rows of such a step, exchanged for those of the step before when it succeeds.
    pub(crate) changed: ChangedSet,
    /// The same with their boxes.
    pub(crate) changed_bodies: ChangedBodies,
    /// What was found for them.
    pub(crate) changed_pairs: ChangedPairs,
    pub(crate) stored_boxes: StoredBoxes,
    /// The first row of each chunk of the input.
    pub(crate) chunk_starts: Vec<usize>,
}

impl BroadPhase {
    /// Files the rows of a step into its frame and finds all pairs.
    pub(crate) fn find_pairs(
        &mut self,
        step: StepContext<'_>,
        rows: &Chunks<'_, '_>,
        marks: AsleepMarks,
        out: &mut StepOutput<'_>,
    ) -> Result<(), Error> {
        out.frame.cached.clear();
        let has_asleep = marks == AsleepMarks::Use && rows.has_asleep();
        if !has_asleep {
            self.sleepers.marks = MarkedRows::default();
        }
        if has_asleep && self.sleepers.try_step(&mut self.finder, step, rows, out)? {
            out.frame.skipped.clear();
            out.frame.skipped.extend(self.sleepers.invalid_rows());
        } else {
            self.find_all_pairs(step, rows, out)?;
            out.frame.skipped.clear();
            out.frame.skipped.extend(self.finder.invalid_rows());
        }
        Ok(())
    }

    /// As [`find_pairs`](Self::find_pairs), without cached sleepers.
    fn find_all_pairs(
        &mut self,
        step: StepContext<'_>,
        rows: &Chunks<'_, '_>,
        out: &mut StepOutput<'_>,
    ) -> Result<(), Error> {
        self.finder.file(step, rows, step.config.invalid_rows, &mut out.frame.bands, out.phases)?;
        let mut clock = Clock::now();
        rows.copy_filters(&mut out.frame.filters);
        out.phases.partition += clock.lap();
        let budget = PairBudget::new(step.config.pair_limit);
        self.finder.find_frame_pairs(step, &budget, out)
    }

    /// Finds the pairs of the changed rows. `front` is the frame of the last step, in which the
    /// rows `last` changed; there are `row_count` rows now.
    pub(crate) fn find_changed_pairs(
        &mut self,
        step: StepContext<'_>,
        front: &Frame,
        last: &ChangedSet,
        row_count: usize,
    ) -> Result<(), Error> {
        let Self { finder, row_index: index, changed, changed_bodies, changed_pairs, .. } = self;
        let changes = Changes { bodies: &changed_bodies.by_row, rows: changed, last };
        changed_pairs.find(finder, step, ChangedInput { changes, front, index, row_count })
    }

    /// Moves the changed rows in the frame of the last step, or in a copy of it, after their pairs
    /// were found; files all rows instead if many have been moved since that was done. `last` are
    /// the rows that changed in the last step.
    pub(crate) fn update(&mut self, step: StepContext<'_>, last: &ChangedSet, frame: &mut Frame) {
        let ChangedPairs { filed, neighbor_lists, .. } = &mut self.changed_pairs;
        let row_count = filed.row_count;
        if !self.row_index.is_worn() {
            let changes = Changes { bodies: &self.changed_bodies.by_row, rows: &self.changed, last };
            self.row_index.update(&mut self.finder, step, changes, filed, frame);
            return neighbor_lists.finish(frame.moved.stamp);
        }
        // As stored, not as in the caller's columns: those may have changed without being named,
        // and the pairs are those of the stored boxes.
        let boxes = &mut self.stored_boxes;
        self.row_index.write_boxes(frame, &mut boxes.0);
        boxes.0.resize(boxes.0.len().max(row_count), NO_BOX);
        self.changed_bodies.by_row.iter().for_each(|body| boxes.0[body.row as usize] = body.aabb);
        boxes.0.truncate(row_count);
        self.row_index.clear();
        let all = StepContext { parallel: step.config.is_parallel(row_count), ..step };
        self.finder.file_again(all, boxes, frame);
        self.row_index.begin(frame);
        neighbor_lists.finish(frame.moved.stamp);
    }

    /// Bytes of heap memory held, without the bands that frames have too, and without what was
    /// found for changed rows, which counts as pairs.
    pub(crate) fn bytes(&self) -> usize {
        self.finder.bytes()
            + self.sleepers.bytes()
            + self.row_index.bytes()
            + self.changed.bytes()
            + self.changed_bodies.bytes()
            + self.stored_boxes.0.bytes()
            + self.chunk_starts.bytes()
    }

    /// Drops what the next step fills anyway; sleepers stay, and the index of the frame `front`.
    pub(crate) fn shrink_scratch(&mut self, front: &Frame) {
        self.finder = PairFinder::default();
        if self.row_index.is_of(front) {
            self.row_index.shrink_to_fit();
        } else {
            self.row_index.drop_rows();
        }
        (self.changed, self.changed_bodies, self.changed_pairs, self.stored_boxes) = Default::default();
        self.chunk_starts = Vec::new();
    }
}
