//! The broad phase of a world: the passes of a step, with cached sleepers or without.

use crate::broad_phase::context::StepContext;
use crate::broad_phase::find_pairs::{PairFinder, StepOutput};
use crate::broad_phase::sleepers::cache::SleeperCache;
use crate::config::InvalidRows;
use crate::error::Error;
use crate::frame::phases::Clock;
use crate::input::chunks::Chunks;
use crate::memory::buffers::Buffers;
use crate::memory::page::PairBudget;

/// The part of a world that finds pairs.
#[derive(Default)]
pub(crate) struct BroadPhase {
    pub(crate) finder: PairFinder,
    pub(crate) sleepers: SleeperCache,
    /// The first row of each chunk of the input.
    pub(crate) chunk_starts: Vec<usize>,
}

impl BroadPhase {
    /// Files the rows of a step into its frame and finds all pairs.
    pub(crate) fn find_pairs(
        &mut self,
        step: StepContext<'_>,
        rows: &Chunks<'_, '_>,
        out: &mut StepOutput<'_>,
    ) -> Result<(), Error> {
        out.frame.cached.clear();
        self.sleepers.clear_invalid_rows();
        if !(rows.has_asleep() && self.sleepers.try_step(&mut self.finder, step, rows, out)?) {
            self.find_all_pairs(step, rows, out)?;
        }
        out.frame.skipped.clear();
        out.frame.skipped.extend(self.sleepers.invalid_rows().chain(self.finder.invalid_rows()));
        Ok(())
    }

    /// As [`find_pairs`](Self::find_pairs), without cached sleepers.
    fn find_all_pairs(
        &mut self,
        step: StepContext<'_>,
        rows: &Chunks<'_, '_>,
        out: &mut StepOutput<'_>,
    ) -> Result<(), Error> {
        let skip_invalid = step.config.invalid_rows == InvalidRows::Skip;
        self.finder.file(step, rows, skip_invalid, &mut out.frame.bands, out.phases)?;
        let mut clock = Clock::now();
        rows.copy_filters(&mut out.frame.filters);
        out.phases.partition += clock.lap();
        let budget = PairBudget::new(step.config.pair_limit);
        self.finder.find_frame_pairs(step, &budget, out)
    }

    /// Gives the scratch of all threads the same capacity, as after each step.
    pub(crate) fn match_capacity(&mut self) {
        self.finder.match_capacity();
    }

    /// Bytes of heap memory held, without the bands that frames have too.
    pub(crate) fn bytes(&self) -> usize {
        self.finder.bytes() + self.sleepers.bytes() + self.chunk_starts.bytes()
    }

    /// Drops what the next step fills anyway; sleepers stay.
    pub(crate) fn shrink_scratch(&mut self) {
        self.finder = PairFinder::default();
        self.chunk_starts = Vec::new();
    }
}
