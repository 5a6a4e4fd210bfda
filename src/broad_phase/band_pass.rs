//! The task of one band: builds it, finds the pairs of its bodies, and keeps it for queries.
//!
//! TASK-1: the task that reports a pair is determined by where its bodies are filed, so each pair
//! is reported once. The task of a band reports the pairs of its own bodies with each other, with
//! its ghosts (PARTITION-2), with oversized bodies, and with statics. The pair of two oversized
//! bodies is reported by the block of the one that is first in the sweep or, if the double grid is
//! searched instead, by that of the lower row.

use crate::broad_phase::context::PassContext;
use crate::broad_phase::scratch_pool::{ScratchPool, SearchScratch, WorkerScratch};
use crate::broad_phase::static_pass;
use crate::broad_phase::task::TaskOutput;
use crate::frame::phases::Clock;
use crate::memory::listener::PairKind;
use crate::memory::pair_sink::PairSink;
use crate::tier::point_grid::band::built_band::{BuiltBand, RawBand};
use crate::tier::point_grid::band::equal_cells::CellSize;
use crate::tier::point_grid::band::other_method::Others;

/// Runs the task of a band in the scratch of this thread. `task` is its number in the step.
pub(crate) fn run_band(
    pass: &PassContext<'_>,
    task: usize,
    band: RawBand<'_>,
    scratch: &ScratchPool,
    output: &mut TaskOutput,
) {
    output.begin();
    if band.population() == 0 {
        return;
    }
    let (population, step) = (band.population(), pass.step);
    let mut guard = scratch.for_band(step.parallel, population);
    let may_divide = step.parallel && guard.may_wait();
    if !ScratchPool::is_large(population) {
        return BandTask { pass, number: task, may_divide }.run(band, &mut guard, output);
    }
    // The listener must not run while the shared scratch is locked (LISTENER-1).
    let silent = PassContext { step: step.silent(), ..*pass };
    BandTask { pass: &silent, number: task, may_divide }.run(band, &mut guard, output);
    drop(guard);
    output.notify(pass, task);
}

/// The task of a band that has bodies.
#[derive(Clone, Copy)]
struct BandTask<'p, 's> {
    pass: &'p PassContext<'s>,
    /// Its number in the step.
    number: usize,
    /// Whether its scans may be divided among threads.
    may_divide: bool,
}

impl BandTask<'_, '_> {
    fn run(self, band: RawBand<'_>, scratch: &mut WorkerScratch, output: &mut TaskOutput) {
        let mut clock = Clock::now();
        let WorkerScratch { band: band_scratch, search } = scratch;
        let cell_size = CellSize::for_bodies(self.pass.step.config.cell_size);
        let mut band = band.build(cell_size, self.pass.rules(), band_scratch);
        output.times.sort = clock.lap();
        // Ends early once the pair limit is exceeded, which the step sees from the budget.
        let _ = self.find_pairs(&mut band, search, output, &mut clock);
        band.keep();
        output.times.sort += clock.lap();
    }

    fn find_pairs(
        self,
        band: &mut BuiltBand<'_>,
        search: &mut SearchScratch,
        output: &mut TaskOutput,
        clock: &mut Clock,
    ) -> Option<()> {
        let Self { pass, number, may_divide } = self;
        let times = &mut output.times;
        let sink = pass.sink(PairKind::Body, number, &mut output.body_pages);
        let mut sink = sink.with_division(may_divide, &mut output.parts);
        band.own_pairs(&mut sink)?;
        output.own_pairs = sink.pair_count();
        times.common = clock.lap();
        band.ghost_pairs(&mut sink)?;
        times.ghosts = clock.lap();
        pairs_with_oversized(pass, band, search, &mut sink)?;
        drop(sink);
        times.oversized = clock.lap();
        let mut sink = pass.sink(PairKind::Static, number, &mut output.static_pages);
        static_pass::find_band_pairs(pass, band, search, &mut sink)?;
        drop(sink);
        times.statics = clock.lap();
        Some(())
    }
}

/// Finds the pairs of a band's bodies with oversized ones: each oversized body searches a rectangle
/// of cells.
fn pairs_with_oversized(
    pass: &PassContext<'_>,
    band: &mut BuiltBand<'_>,
    scratch: &mut SearchScratch,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    let Some(oversized) = pass.oversized else { return Some(()) };
    scratch.found.clear();
    oversized.grid().collect(&band.bounds(), &mut scratch.found);
    band.pairs_with(scratch.found.iter().copied(), Others::Bodies, sink)
}
