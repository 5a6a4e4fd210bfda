//! The broad phase of a world: the passes of a step, with cached sleepers or without.

use crate::broad_phase::context::StepContext;
use crate::broad_phase::find_pairs::{PairFinder, StepOutput};
use crate::broad_phase::sleepers::cache::SleeperCache;
use crate::config::InvalidRows;
use crate::error::{Error, InvalidRow};
use crate::frame::frame::Index;
use crate::frame::phases::Clock;
use crate::input::chunks::Chunks;
use crate::memory::page::{PagePool, PairBudget};

/// What a world keeps for finding pairs.
#[derive(Default)]
pub(crate) struct BroadPhase {
    pub(crate) finder: PairFinder,
    pub(crate) sleepers: SleeperCache,
}

impl BroadPhase {
    /// Files the rows of a step into its frame and finds all pairs.
    pub(crate) fn run(
        &mut self,
        step: StepContext<'_>,
        rows: &Chunks<'_, '_>,
        out: &mut StepOutput<'_>,
    ) -> Result<(), Error> {
        out.frame.cached.clear();
        self.sleepers.clear_invalid_rows();
        if rows.has_asleep() && self.sleepers.try_step(&mut self.finder, step, rows, out)? {
            return Ok(());
        }
        let skip_invalid = step.config.invalid_rows == InvalidRows::Skip;
        self.finder.file(step, rows, skip_invalid, &mut out.frame.bands, out.phases)?;
        let mut clock = Clock::now();
        rows.copy_filters(&mut out.frame.filters);
        out.phases.partition += clock.lap();
        let budget = PairBudget::new(step.config.pair_limit);
        self.finder.find_frame_pairs(step, &budget, out)
    }

    /// The rows that the last step left out, ascending.
    pub(crate) fn invalid_rows(&self) -> impl Iterator<Item = InvalidRow> + '_ {
        self.sleepers.invalid_rows().chain(self.finder.invalid_rows())
    }

    /// Gives all workers the same capacity, as after each step.
    pub(crate) fn match_capacity(&mut self) {
        self.finder.match_capacity();
    }

    /// Bytes of heap memory held, without the bands that frames have too.
    pub(crate) fn bytes(&self) -> usize {
        self.finder.bytes() + self.sleepers.bytes()
    }

    /// Gives back what the last successful step, with the frame `front`, does not need.
    pub(crate) fn shrink_to_fit(&mut self, front: &Index, pool: &PagePool) {
        self.finder = PairFinder::default();
        self.sleepers.shrink_to_fit(front, pool);
    }
}
