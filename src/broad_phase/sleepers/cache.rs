//! The cache of sleepers: steps that use it, and how it is rebuilt.
//!
//! The pairs of a step are those of awake bodies with each other, those of awake with cached
//! bodies, and the cached pairs: the ones found when the cache was built, without those of stale
//! bodies. Boxes and filters of cached bodies are unchanged since then, so these are the pairs of
//! all rows.
//!
//! Bands and pairs that a frame or the contacts refer to are never changed: the cache is rebuilt,
//! and pairs are dropped, in other memory. A step that fails leaves stale bodies (SLEEP-2) or an
//! empty cache.
//!
//! CACHE-1: when the statics or the rules for pairs change, the cache is dropped.
//!
//! Oversized bodies are always awake: they are few, and caching them would save little.
//!
//! Cost: a comparison for each row and step (1.5 to 2 ns), four to seven times the usual cost for
//! each awake body that is alone among cached ones, and a step over all sleepers for a rebuild.

use crate::broad_phase::context::{PassContext, StepContext};
use crate::broad_phase::find_pairs::{PairFinder, StepOutput};
use crate::broad_phase::sleepers::cached_pairs::PairCache;
use crate::broad_phase::sleepers::cached_rows::{CompareRows, ROW_CHUNK_LEN, RowChunk, list_records};
use crate::broad_phase::sleepers::cross::{AwakeVsCached, CrossTask, list_tasks};
use crate::broad_phase::sleepers::policy::{RowCounts, SleepPlan, SleepPolicy};
use crate::config::InvalidRows;
use crate::error::{Error, InvalidRow};
use crate::frame::frame::Frame;
use crate::frame::phases::Clock;
use crate::frame::statics_version::StaticsVersion;
use crate::input::chunks::Chunks;
use crate::input::rows::BoxSource;
use crate::memory::body_record::{BodyRecord, RecordRows};
use crate::memory::buffers::{Buffers, plain_buffers};
use crate::memory::listener::{PageListener, PairKind};
use crate::memory::page::{Page, PagePool, PairBudget};
use crate::memory::step_bits::StepBits;
use crate::parallel;
use crate::tier::point_grid::bands::Bands;
use crate::trace::span;
use std::sync::Arc;

/// Spare bands that are kept: those of the last successful step, while the next cache is built.
const SPARES_MAX: usize = 1;

/// The sleepers of a world.
#[derive(Default)]
pub(crate) struct SleeperCache {
    /// By row, [`ROW_CHUNK_LEN`] rows each.
    chunks: Vec<RowChunk>,
    /// Number of rows filed in `bands`, stale ones included. If 0, there is no cache.
    filed: usize,
    bands: Arc<Bands>,
    /// Replaced bands, to be reused once no frame has them.
    spares: Vec<Arc<Bands>>,
    pairs: PairCache,
    /// Number of cached rows when stale pairs were last dropped.
    pairs_of: usize,
    built_for: BuiltFor,
    policy: SleepPolicy,
    /// The rows that the last steps marked as asleep.
    pub(crate) marks: MarkedRows,
    /// Buffers.
    records: Vec<BodyRecord>,
    tasks: Vec<CrossTask>,
    /// Set while a step runs: after a panic the cache may contain anything.
    poisoned: bool,
}

plain_buffers!(CrossTask);

/// Of this many marked rows, more than one moves: then hints cost more than they save.
const MOVING_SHARE: usize = 10;

/// The rows that are marked as asleep, in the last steps that compared rows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MarkedRows {
    /// In the last of these steps.
    pub(crate) count: usize,
    /// Those that were not as in the step before.
    pub(crate) moved: usize,
    /// Steps in which many of them moved.
    pub(crate) many_moved: StepBits,
}

impl MarkedRows {
    fn count_step(&mut self, count: usize, moved: usize) {
        (self.count, self.moved) = (count, moved);
        self.many_moved.push(moved * MOVING_SHARE > count);
    }
}

/// What the pairs of a cache depend on besides its bodies (CACHE-1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct BuiltFor {
    statics_version: StaticsVersion,
    are_circles: bool,
}

impl SleeperCache {
    /// Builds the frame from awake and cached bodies if this is expected to save time. Returns
    /// whether it did.
    pub(crate) fn try_step(
        &mut self,
        finder: &mut PairFinder,
        step: StepContext<'_>,
        rows: &Chunks<'_, '_>,
        out: &mut StepOutput<'_>,
    ) -> Result<bool, Error> {
        if std::mem::replace(&mut self.poisoned, true) {
            *self = Self { poisoned: true, ..Self::default() };
        }
        let outcome = self.step(finder, step, rows, out);
        self.poisoned = false;
        outcome
    }

    /// The rows that the last step left out, ascending. It must have used the cache.
    pub(crate) fn invalid_rows(&self) -> impl Iterator<Item = InvalidRow> + '_ {
        self.chunks.iter().flat_map(|chunk| &chunk.invalid).copied()
    }

    /// Drops the cache.
    pub(crate) fn clear(&mut self) {
        self.chunks.iter_mut().for_each(RowChunk::clear);
        self.pairs.clear();
        self.filed = 0;
        self.policy.clear();
    }

    /// All bands held; frames may share them.
    pub(crate) fn all_bands(&self) -> impl Iterator<Item = &Arc<Bands>> {
        self.spares.iter().chain([&self.bands])
    }

    /// Number of pages held.
    pub(crate) fn page_count(&self) -> usize {
        self.pairs.page_count()
    }

    /// Bytes of heap memory held, without bands and pages.
    pub(crate) fn bytes(&self) -> usize {
        self.chunks.bytes() + self.records.bytes() + self.tasks.bytes()
    }

    /// Releases the memory that the last successful step, with the frame `front`, does not need.
    pub(crate) fn shrink_to_fit(&mut self, front: &Frame, pool: &PagePool) {
        if front.cached.bands().is_none() {
            *self = Self::default();
            return;
        }
        self.pairs.shrink_to_fit(pool);
        (self.spares, self.records, self.tasks) = Default::default();
        // Frames release the bands that this replaces when the next steps reuse them (CACHE-2).
        if let Some(bands) = self.bands.compacted() {
            self.bands = Arc::new(bands);
        }
        self.chunks.truncate(front.row_count.div_ceil(ROW_CHUNK_LEN));
        self.chunks.iter_mut().for_each(RowChunk::free_unused);
    }

    fn step(
        &mut self,
        finder: &mut PairFinder,
        step: StepContext<'_>,
        rows: &Chunks<'_, '_>,
        out: &mut StepOutput<'_>,
    ) -> Result<bool, Error> {
        let marked = rows.asleep_count();
        if !self.policy.may_pay(rows.len(), marked) {
            return Ok(false);
        }
        let mut clock = Clock::now();
        rows.copy_filters(&mut out.frame.filters);
        self.pairs.reclaim(step.pool);
        let built_for = BuiltFor { statics_version: step.statics.version, are_circles: step.are_circles };
        if self.filed > 0 && self.built_for != built_for {
            self.clear();
        }
        self.compare_rows(step, rows, out.frame)?;
        let counts = RowCounts {
            rows: rows.len(),
            filed: self.filed,
            cached: self.cached_count(),
            unchanged: self.chunks.iter().map(|chunk| chunk.unchanged_count).sum(),
        };
        self.marks.count_step(marked, marked.saturating_sub(counts.cached + counts.unchanged));
        let plan = self.policy.decide(counts, step.statics.version);
        out.phases.partition += clock.lap();
        match plan {
            SleepPlan::Ignore => return Ok(false),
            SleepPlan::Use => {}
            SleepPlan::Rebuild => self.rebuild(finder, step.silent(), built_for, out)?,
        }
        self.use_cache(finder, step, rows.len(), out)?;
        Ok(true)
    }

    /// Compares all rows with the cached ones. The first invalid row is an error, unless such rows
    /// are skipped.
    fn compare_rows(&mut self, step: StepContext<'_>, rows: &Chunks<'_, '_>, frame: &Frame) -> Result<(), Error> {
        let _span = span!("compare_sleepers", bodies = rows.len());
        let count = rows.len().div_ceil(ROW_CHUNK_LEN);
        if self.chunks.len() < count {
            self.chunks.resize_with(count, RowChunk::default);
        }
        let (present, gone) = self.chunks.split_at_mut(count);
        gone.iter_mut().for_each(RowChunk::clear);
        let filters = frame.filters_by_row();
        let skip_invalid = step.config.invalid_rows == InvalidRows::Skip;
        parallel::for_each_mut(step.parallel, present, |number, chunk| {
            let level = step.level;
            level.run(CompareRows { input: rows, filters, level, number, chunk, skip_invalid });
        });
        match self.invalid_rows().next() {
            Some(first) if !skip_invalid => Err(Error::InvalidBody(first)),
            _ => Ok(()),
        }
    }

    /// Caches all rows that are cached or unchanged, except oversized ones.
    fn rebuild(
        &mut self,
        finder: &mut PairFinder,
        step: StepContext<'_>,
        built_for: BuiltFor,
        out: &mut StepOutput<'_>,
    ) -> Result<(), Error> {
        let _span = span!("cache_sleepers", bodies = self.cached_count());
        let free = self.spares.iter_mut().position(|spare| Arc::get_mut(spare).is_some());
        let mut bands = free.map(|at| self.spares.swap_remove(at)).unwrap_or_default();
        let to_build = Arc::make_mut(&mut bands);
        // The frame will file few rows, and its bands often have memory for all of them that was
        // written before.
        if out.frame.bands.bytes() > to_build.bytes() {
            std::mem::swap(to_build, &mut out.frame.bands);
        }
        let outcome = self.build(finder, step, to_build, out);
        if outcome.is_err() {
            self.spares.push(bands);
            self.clear();
            return outcome;
        }
        self.spares.push(std::mem::replace(&mut self.bands, bands));
        let surplus = self.spares.len().saturating_sub(SPARES_MAX);
        self.spares.drain(..surplus);
        self.pairs.set(out.found);
        self.filed = self.cached_count();
        (self.pairs_of, self.built_for) = (self.filed, built_for);
        parallel::for_each_mut(step.parallel, &mut self.chunks, |_, chunk| chunk.finish_rebuild());
        Ok(())
    }

    /// Files all rows that are to be cached in `bands` and finds their pairs.
    fn build(
        &mut self,
        finder: &mut PairFinder,
        step: StepContext<'_>,
        bands: &mut Bands,
        out: &mut StepOutput<'_>,
    ) -> Result<(), Error> {
        let count = |chunk: &RowChunk| chunk.cached_count + chunk.unchanged_count;
        list_records(step.parallel, &mut self.chunks, &mut self.records, count, RowChunk::cache_unchanged);
        finder.file(step, &RecordRows(&self.records), InvalidRows::Reject, bands, out.phases)?;
        let oversized = finder.oversized(bands);
        self.policy.count_rebuild(self.records.len() - oversized.len(), oversized.len());
        for record in oversized {
            self.chunks[record.row as usize / ROW_CHUNK_LEN].wake(*record);
        }
        let budget = PairBudget::new(step.config.pair_limit);
        let filters_by_row = out.frame.filters_by_row();
        let pass = PassContext { step, filters_by_row, oversized: None, common_sizes: None, budget: &budget };
        finder.find_pairs(&pass, bands, out.found, out.phases)
    }

    /// Steps the awake rows, and adds their pairs with cached bodies and the cached pairs.
    fn use_cache(
        &mut self,
        finder: &mut PairFinder,
        step: StepContext<'_>,
        row_count: usize,
        out: &mut StepOutput<'_>,
    ) -> Result<(), Error> {
        let mut clock = Clock::now();
        let cached_count = self.cached_count();
        let has_stale_pairs = cached_count < self.pairs_of;
        self.policy.count_use(row_count, cached_count, has_stale_pairs);
        let words = || self.chunks.iter().flat_map(|chunk| chunk.cached);
        out.frame.cached.set(&self.bands, cached_count, (cached_count < self.filed).then(words));
        if has_stale_pairs {
            self.pairs.drop_stale(step.parallel, step.pool, &out.frame.cached);
            self.pairs_of = cached_count;
        }
        list_records(
            step.parallel,
            &mut self.chunks,
            &mut self.records,
            |chunk| chunk.awake.len(),
            |chunk, _, records| records.copy_from_slice(&chunk.awake),
        );
        out.phases.layout += clock.lap();

        finder.file(step, &RecordRows(&self.records), InvalidRows::Reject, &mut out.frame.bands, out.phases)?;
        let (limit, cached_pairs) = (step.config.pair_limit, self.pairs.pair_count());
        if cached_pairs > limit {
            return Err(Error::TooManyPairs { limit });
        }
        let budget = PairBudget::new(limit - cached_pairs);
        finder.find_frame_pairs(step, &budget, out)?;
        let pass = PassContext::new(step, &out.frame.filters, &out.frame.oversized, &budget);
        let cross = AwakeVsCached { pass: &pass, frame: out.frame, cached: &self.bands };
        list_tasks(out.frame, &self.bands, &mut self.tasks);
        let run = |task: &_, number, scratch: &mut _, output: &mut _| cross.run(task, number, scratch, output);
        let task_count = finder.find_cached_pairs(&pass, &self.tasks, out.found, out.phases, run)?;
        if let Some(on_page) = step.listener {
            for (kind, pairs) in [(PairKind::Body, &self.pairs.bodies), (PairKind::Static, &self.pairs.statics)] {
                PageListener::new(on_page, kind, task_count).notify(0, pairs.pages().iter().map(Page::pairs));
            }
        }
        out.found.set_reused(&self.pairs.bodies, &self.pairs.statics);
        Ok(())
    }

    fn cached_count(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.cached_count).sum()
    }
}
