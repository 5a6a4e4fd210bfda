//! What the tasks of a step share.

use crate::config::{InvalidRows, WorldConfig};
use crate::frame::oversized::Oversized;
use crate::frame::statics::StaticSet;
use crate::input::filter::{Filter, PairRules};
use crate::memory::listener::{OnPage, PageListener, PairKind};
use crate::memory::page::{Page, PagePool, PairBudget};
use crate::memory::pair_sink::PairSink;
use crate::simd::DetectedSimd;
use crate::tier::point_grid::band::equal_cells::CellSize;
use crate::tier::point_grid::bands::CommonSizes;
use crate::tier::point_grid::partition::FileOptions;
use crate::tier::point_grid::size_classes::ClassOptions;

/// The constants of a step.
#[derive(Clone, Copy)]
pub(crate) struct StepContext<'s> {
    pub(crate) config: &'s WorldConfig,
    pub(crate) level: DetectedSimd,
    pub(crate) parallel: bool,
    pub(crate) statics: &'s StaticSet,
    /// Whether statics may be searched in cells and in a packed tree. Not in a step that is told
    /// which rows changed: it searches for few bodies.
    pub(crate) uses_static_grid: bool,
    /// Whether bodies are circles, which must overlap too.
    pub(crate) are_circles: bool,
    /// Receives the pages of pairs while the step runs.
    pub(crate) listener: Option<&'s OnPage<'s>>,
    pub(crate) pool: &'s PagePool,
}

/// The constants of one pass over bands.
#[derive(Clone, Copy)]
pub(crate) struct PassContext<'s> {
    pub(crate) step: StepContext<'s>,
    /// The filters of all rows, if any row has one.
    pub(crate) filters_by_row: Option<&'s [Filter]>,
    pub(crate) oversized: Option<&'s Oversized>,
    /// The sizes of the most common size class, once bodies are filed.
    pub(crate) common_sizes: Option<CommonSizes>,
    pub(crate) budget: &'s PairBudget,
}

impl<'s> StepContext<'s> {
    /// The constants of a step without a listener.
    pub(crate) fn new(
        config: &'s WorldConfig,
        level: DetectedSimd,
        parallel: bool,
        statics: &'s StaticSet,
        are_circles: bool,
        pool: &'s PagePool,
    ) -> Self {
        Self { config, level, parallel, statics, uses_static_grid: false, are_circles, listener: None, pool }
    }

    pub(crate) fn class_options(&self) -> ClassOptions<'s> {
        let cell_size = CellSize::for_bodies(self.config.cell_size);
        ClassOptions { bounds: &self.config.bounds, has_oversized_tier: true, cell_size }
    }

    pub(crate) fn file_options(&self, invalid_rows: InvalidRows) -> FileOptions {
        FileOptions { skip_invalid: invalid_rows == InvalidRows::Skip, level: self.level, parallel: self.parallel }
    }

    /// The conditions on pairs besides boxes, given the filters of all rows.
    pub(crate) fn rules<'f>(&self, filters_by_row: Option<&'f [Filter]>) -> PairRules<'f> {
        PairRules { filters_by_row, are_circles: self.are_circles }
    }

    /// The same step without a listener.
    pub(crate) fn silent(self) -> Self {
        Self { listener: None, ..self }
    }
}

impl<'s> PassContext<'s> {
    /// A pass over all bands of a frame with these filters and oversized bodies.
    pub(crate) fn new(
        step: StepContext<'s>,
        filters: &'s [Filter],
        oversized: &'s Oversized,
        budget: &'s PairBudget,
    ) -> Self {
        let filters_by_row = (!filters.is_empty()).then_some(filters);
        let oversized = (!oversized.is_empty()).then_some(oversized);
        Self { step, filters_by_row, oversized, common_sizes: None, budget }
    }

    /// The sink for a task's pairs of one kind; `task` is its number in the step.
    pub(crate) fn sink<'p>(&'p self, kind: PairKind, task: usize, pages: &'p mut Vec<Page>) -> PairSink<'p> {
        let listener = self.step.listener.map(|on_page| PageListener::new(on_page, kind, task));
        PairSink::new(self.step.pool, self.budget, pages).with_listener(listener)
    }

    /// The conditions on pairs besides boxes.
    pub(crate) fn rules(&self) -> PairRules<'s> {
        self.step.rules(self.filters_by_row)
    }
}
