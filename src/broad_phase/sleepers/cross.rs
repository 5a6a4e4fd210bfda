//! Finds the pairs of awake bodies with cached ones.
//!
//! Each pair of an awake and a cached body is reported once: by the task of the awake body's place
//! in its band, or, if the awake body is oversized, by the task of the band of the cached body
//! (TASK-1).
//!
//! Awake bodies are taken in cell order, so that those of a task search the same parts of the same
//! bands.
//!
//! Cost: a search of a band for each awake body, about 35 ns.

use crate::broad_phase::context::PassContext;
use crate::broad_phase::scratch_pool::SearchScratch;
use crate::broad_phase::task::TaskOutput;
use crate::frame::frame::Frame;
use crate::geometry::union;
use crate::memory::body_record::BodyRecord;
use crate::memory::listener::PairKind;
use crate::memory::pair_sink::PairSink;
use crate::tier::point_grid::bands::Bands;
use crate::tier::point_grid::cross_search::{BandSearch, SEARCH_BOXES_MAX, SearchBuffers};
use smallvec::SmallVec;
use std::ops::Range;

/// Awake bodies of a task: some thirty microseconds of work, near enough to each other to touch one
/// or two bands.
const TASK_BODIES: usize = SEARCH_BOXES_MAX;

/// The awake bodies of a task.
#[derive(Clone, Debug)]
pub(super) enum CrossTask {
    /// The bodies in a range of the cell order of a band.
    Common { band: usize, places: Range<usize> },
    /// All oversized ones, against one band of cached bodies.
    Oversized { cached_band: usize },
}

/// Lists the tasks, which depend on the input alone.
pub(super) fn list_tasks(frame: &Frame, cached: &Bands, tasks: &mut Vec<CrossTask>) {
    tasks.clear();
    for (band, population) in frame.bands.slots().iter().map(|slot| slot.population()).enumerate() {
        let starts = (0..population).step_by(TASK_BODIES);
        let places = starts.map(|from| from..population.min(from + TASK_BODIES));
        tasks.extend(places.map(|places| CrossTask::Common { band, places }));
    }
    if !frame.oversized.is_empty() {
        tasks.extend((0..cached.band_count()).map(|cached_band| CrossTask::Oversized { cached_band }));
    }
}

/// What the tasks share.
pub(super) struct AwakeVsCached<'s> {
    pub(super) pass: &'s PassContext<'s>,
    pub(super) frame: &'s Frame,
    /// The bands of cached bodies.
    pub(super) cached: &'s Bands,
}

impl AwakeVsCached<'_> {
    /// Finds the pairs of a task; `number` is its number in the step.
    pub(super) fn run(&self, task: &CrossTask, number: usize, scratch: &mut SearchScratch, output: &mut TaskOutput) {
        let mut sink = self.pass.sink(PairKind::Body, number, &mut output.body_pages);
        // Ends early once the pair limit is exceeded, which the step sees from the budget.
        let _ = match task {
            CrossTask::Common { band, places } => self.search_for_common(*band, places.clone(), &mut sink),
            CrossTask::Oversized { cached_band } => self.search_for_oversized(*cached_band, scratch, &mut sink),
        };
    }

    fn search_for_common(&self, band: usize, places: Range<usize>, sink: &mut PairSink<'_>) -> Option<()> {
        let mut buffers = SearchBuffers::default();
        let awake: SmallVec<[BodyRecord; TASK_BODIES]> = self.frame.bands.bodies_at(band, places).collect();
        let Some(bounds) = awake.iter().map(|body| body.aabb).reduce(|a, b| union(&a, &b)) else {
            return Some(());
        };
        let mut bands = self.cached.bands_overlapping(bounds);
        bands.try_for_each(|band| self.find_pairs(&self.cached.search_band(band), &awake, &mut buffers, sink))
    }

    fn search_for_oversized(
        &self,
        cached_band: usize,
        SearchScratch { found, .. }: &mut SearchScratch,
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        let Some(oversized) = self.pass.oversized else { return Some(()) };
        let band = self.cached.search_band(cached_band);
        found.clear();
        oversized.grid().collect(&band.bounds(), found);
        let mut buffers = SearchBuffers::default();
        found.chunks(SEARCH_BOXES_MAX).try_for_each(|awake| self.find_pairs(&band, awake, &mut buffers, sink))
    }

    /// Finds the pairs of up to [`SEARCH_BOXES_MAX`] awake bodies with the cached ones of a band.
    fn find_pairs(
        &self,
        band: &BandSearch<'_>,
        awake: &[BodyRecord],
        buffers: &mut SearchBuffers<1>,
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        let (cached, rules) = (&self.frame.cached, self.pass.rules());
        let boxes = awake.iter().map(|body| [body.aabb]);
        band.for_each_overlap(boxes, rules.are_circles, buffers, |number, at, _| {
            let (awake, row) = (awake[number as usize].row, band.row(at));
            // A stale row may not exist any more, so it must be excluded first.
            if !cached.is_cached(row) {
                return Some(());
            }
            if rules.accept([awake, row]) { sink.push([row.min(awake), row.max(awake)]) } else { Some(()) }
        })
    }
}
