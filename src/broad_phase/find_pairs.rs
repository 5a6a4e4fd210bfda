//! Files rows and finds their pairs: all passes of a step, in the order of tasks.
//!
//! Tasks are numbered by the input: the bands first, then the blocks of oversized bodies. The order
//! of pairs is that of the tasks, so it does not depend on threads.

use crate::broad_phase::context::{PassContext, StepContext};
use crate::broad_phase::oversized_pass::OversizedSearch;
use crate::broad_phase::pairs::FoundPairs;
use crate::broad_phase::scratch_pool::{ScratchPool, SearchScratch};
use crate::broad_phase::task::TaskOutput;
use crate::broad_phase::{band_pass, oversized_pass};
use crate::config::InvalidRows;
use crate::error::{Error, InvalidRow};
use crate::frame::frame::Frame;
use crate::frame::phases::Clock;
use crate::frame::phases::PhaseTimes;
use crate::frame::stored_boxes::StoredBoxes;
use crate::input::filter::PairRules;
use crate::memory::body_record::{BodyRecord, RecordRows};
use crate::memory::buffers::Buffers;
use crate::memory::page::PairBudget;
use crate::parallel;
use crate::simd::SimdRows;
use crate::tier::point_grid::band::equal_cells::CellSize;
use crate::tier::point_grid::bands::Bands;
use crate::tier::point_grid::filing::Filing;
use crate::trace::{span, task_span};
use std::time::Duration;

/// Bodies up to which a single band is filed faster than bands are planned.
pub(crate) const FEW_BODIES: usize = 64;

/// The passes of a step, with the buffers that they reuse.
#[derive(Default)]
pub(crate) struct PairFinder {
    filing: Filing,
    oversized: OversizedSearch,
    tasks: Vec<TaskOutput>,
    scratch: ScratchPool,
    /// Set while tasks run: after a panic in one of them, buffers may contain anything.
    poisoned: bool,
}

/// The output of a step.
pub(crate) struct StepOutput<'a> {
    pub(crate) frame: &'a mut Frame,
    pub(crate) found: &'a mut FoundPairs,
    pub(crate) phases: &'a mut PhaseTimes,
}

impl PairFinder {
    /// Plans bands for the rows and distributes the rows to them.
    pub(crate) fn file(
        &mut self,
        step: StepContext<'_>,
        rows: &dyn SimdRows,
        invalid_rows: InvalidRows,
        bands: &mut Bands,
        phases: &mut PhaseTimes,
    ) -> Result<(), Error> {
        let mut clock = Clock::now();
        let span = span!("plan");
        parallel::run_before_parallel(step.parallel, || self.filing.plan(rows, step.class_options(), step.level));
        drop(span);
        phases.plan += clock.lap();
        let _span = span!("partition", bodies = rows.len());
        self.filing.file(rows, step.file_options(invalid_rows), bands).map_err(Error::InvalidBody)?;
        phases.partition += clock.lap();
        Ok(())
    }

    /// The bodies of the last filing that are oversized.
    pub(crate) fn oversized<'b>(&self, bands: &'b Bands) -> &'b [BodyRecord] {
        self.filing.oversized(bands)
    }

    /// Builds tier 2 and the bands of a frame that was filed, and replaces the found pairs by all
    /// pairs of its bodies.
    pub(crate) fn find_frame_pairs(
        &mut self,
        step: StepContext<'_>,
        budget: &PairBudget,
        out: &mut StepOutput<'_>,
    ) -> Result<(), Error> {
        let mut clock = Clock::now();
        let span = span!("layout", oversized = self.filing.oversized(&out.frame.bands).len());
        out.frame.file_oversized(&self.filing);
        drop(span);
        out.phases.layout += clock.lap();
        let Frame { bands, filters, oversized, .. } = &mut *out.frame;
        let common_sizes = bands.common_sizes();
        let pass = PassContext { common_sizes, ..PassContext::new(step, filters, oversized, budget) };
        self.find_pairs(&pass, bands, out.found, out.phases)
    }

    /// The rows that the last filing left out, ascending.
    pub(crate) fn invalid_rows(&self) -> impl Iterator<Item = InvalidRow> + '_ {
        self.filing.invalid_rows()
    }

    /// Files bodies again from their stored boxes, without searching for pairs.
    pub(crate) fn file_again(&mut self, step: StepContext<'_>, boxes: &StoredBoxes, frame: &mut Frame) {
        frame.begin(boxes.0.len());
        let filed = self.file(step, boxes, InvalidRows::Skip, &mut frame.bands, &mut PhaseTimes::default());
        debug_assert!(filed.is_ok(), "invalid rows are skipped");
        frame.file_oversized(&self.filing);
        self.build_bands(step, &mut frame.bands);
    }

    /// Files bodies, whose boxes are valid, without searching for pairs. Those that are too large
    /// for every class are added to `oversized` instead.
    pub(crate) fn file_bodies(
        &mut self,
        step: StepContext<'_>,
        bodies: &[BodyRecord],
        bands: &mut Bands,
        oversized: &mut Vec<BodyRecord>,
    ) {
        if bodies.len() <= FEW_BODIES {
            bands.file_in_one_band(bodies, step.level);
        } else {
            let filed = self.file(step, &RecordRows(bodies), InvalidRows::Reject, bands, &mut PhaseTimes::default());
            debug_assert!(filed.is_ok(), "the boxes of records are valid");
            oversized.extend_from_slice(self.oversized(bands));
        }
        if !bodies.is_empty() {
            self.build_bands(step, bands);
        }
    }

    /// Builds bands that were filed, without searching for pairs.
    pub(crate) fn build_bands(&mut self, step: StepContext<'_>, bands: &mut Bands) {
        self.begin(step);
        let (scratch, cell_size) = (&self.scratch, CellSize::for_bodies(step.config.cell_size));
        bands.build_each(step.parallel, &mut vec![(); bands.band_count()], |_, band, ()| {
            if band.population() == 0 {
                return;
            }
            let mut scratch = scratch.for_band(step.parallel, band.population());
            band.build(cell_size, PairRules::default(), &mut scratch.band).keep();
        });
        self.poisoned = false;
    }

    /// Builds the bands that were filed, and replaces `found` by all pairs.
    pub(crate) fn find_pairs(
        &mut self,
        pass: &PassContext<'_>,
        bands: &mut Bands,
        found: &mut FoundPairs,
        phases: &mut PhaseTimes,
    ) -> Result<(), Error> {
        let mut clock = Clock::now();
        let PassContext { step, oversized, .. } = *pass;
        found.clear(step.pool);
        let pages_before = step.pool.free_count();
        self.begin(step);
        let band_count = bands.band_count();
        let task_count = band_count + oversized_pass::block_count(pass);
        self.grow_tasks(task_count);
        phases.layout += clock.lap();

        let Self { oversized: oversized_search, tasks, scratch, .. } = self;
        let scratch = &*scratch;
        let span = span!("find_pairs", bands = band_count, oversized_blocks = task_count - band_count);
        let handle = span.handle();
        let (band_tasks, block_tasks) = tasks[..task_count].split_at_mut(band_count);
        let search_bands = || {
            bands.build_each(step.parallel, band_tasks, |number, band, output| {
                let _span = task_span!(handle, "band", number = number, bodies = band.population());
                band_pass::run_band(pass, number, band, scratch, output);
            });
        };
        let mut preparing = Duration::ZERO;
        let search_oversized = || {
            let Some(oversized) = oversized else { return };
            let mut clock = Clock::now();
            oversized_search.prepare(pass, oversized);
            preparing = clock.lap();
            let search = &*oversized_search;
            parallel::for_each_mut(step.parallel, block_tasks, |block, output| {
                let _span = task_span!(handle, "oversized_block", number = block);
                let scratch = &mut scratch.own(step.parallel).search;
                search.run_block((pass, oversized), block, band_count + block, scratch, output);
            });
        };
        parallel::join(step.parallel, search_bands, search_oversized);
        self.poisoned = false;
        drop(span);
        phases.passes.oversized += preparing;
        phases.find_pairs += clock.lap();

        let span = span!("gather", tasks = task_count; body_pairs, static_pairs);
        for output in &mut self.tasks[..task_count] {
            found.push_task(&mut output.body_pages, output.own_pairs, &mut output.static_pages);
            phases.passes += output.times;
        }
        check_budget(pass, found, pages_before)?;
        span.record(|| [("body_pairs", found.body_pair_count()), ("static_pairs", found.static_pair_count())]);
        phases.gather += clock.lap();
        Ok(())
    }

    /// Runs a task for each item after the last [`find_pairs`](Self::find_pairs), and appends the
    /// pairs of bodies to `found`.
    ///
    /// `run` is given the number of the task in the step. Returns the number of all tasks so far.
    pub(crate) fn find_cached_pairs<I: Sync>(
        &mut self,
        pass: &PassContext<'_>,
        items: &[I],
        found: &mut FoundPairs,
        phases: &mut PhaseTimes,
        run: impl Fn(&I, usize, &mut SearchScratch, &mut TaskOutput) + Send + Sync,
    ) -> Result<usize, Error> {
        let mut clock = Clock::now();
        let step = pass.step;
        let pages_before = step.pool.free_count();
        let tasks_before = found.tasks().len();
        self.grow_tasks(items.len());
        let _span = span!("find_cached_pairs", tasks = items.len());
        self.poisoned = true;
        let Self { tasks, scratch, .. } = self;
        let scratch = &*scratch;
        parallel::for_each_mut(step.parallel, &mut tasks[..items.len()], |k, output| {
            let search = &mut scratch.own(step.parallel).search;
            run(&items[k], tasks_before + k, search, output);
        });
        self.poisoned = false;
        phases.find_pairs += clock.lap();
        for output in &mut self.tasks[..items.len()] {
            found.push_mixed(&mut output.body_pages);
        }
        check_budget(pass, found, pages_before)?;
        phases.gather += clock.lap();
        Ok(tasks_before + items.len())
    }

    /// Runs a search for each task, with its number.
    pub(crate) fn run_searches<T: Send>(
        &mut self,
        step: StepContext<'_>,
        tasks: &mut [T],
        run: impl Fn(usize, &mut T, &mut SearchScratch) + Send + Sync,
    ) {
        self.begin(step);
        let scratch = &self.scratch;
        parallel::for_each_mut(step.parallel, tasks, |number, task| {
            run(number, task, &mut scratch.own(step.parallel).search);
        });
        self.poisoned = false;
    }

    /// Pages that a step may need besides those that it keeps: each thread may have an open one
    /// that stays empty, and the last ones of the parts of a scan, until these are put together.
    pub(crate) fn spare_pages(&self) -> usize {
        self.scratch.thread_count() * (1 + self.most_parts())
    }

    /// The most parts that a scan of the last step was divided into.
    fn most_parts(&self) -> usize {
        self.tasks.iter().map(|task| task.parts.most).max().unwrap_or(0)
    }

    /// Gives the scratch of all threads the same capacity, as after each step (SCRATCH-1).
    pub(crate) fn match_capacity(&mut self) {
        self.scratch.match_capacity(self.most_parts() > 0);
    }

    /// Bytes of heap memory held.
    pub(crate) fn bytes(&self) -> usize {
        self.filing.bytes() + self.oversized.bytes() + self.tasks.bytes() + self.scratch.bytes()
    }

    /// Prepares the buffers for the tasks of a step, and replaces them after a panic.
    fn begin(&mut self, step: StepContext<'_>) {
        if std::mem::replace(&mut self.poisoned, true) {
            (self.scratch, self.tasks) = Default::default();
        }
        self.scratch.prepare(step.parallel);
        self.tasks.iter_mut().for_each(|task| task.parts.most = 0);
    }

    fn grow_tasks(&mut self, count: usize) {
        if self.tasks.len() < count {
            self.tasks.resize_with(count, TaskOutput::default);
        }
    }
}

/// If there are more pairs than allowed, returns an error and drops them.
fn check_budget(pass: &PassContext<'_>, found: &mut FoundPairs, pages_before: usize) -> Result<(), Error> {
    if !pass.budget.is_exceeded() {
        return Ok(());
    }
    found.clear(pass.step.pool);
    // Keeps the pages that successful steps use.
    pass.step.pool.truncate(pages_before);
    Err(Error::TooManyPairs { limit: pass.step.config.pair_limit })
}
