//! What the tasks of a step share.

use crate::config::WorldConfig;
use crate::frame::frame::FrameParts;
use crate::frame::oversized::Oversized;
use crate::frame::static_grid::{LazyStaticGrid, PackedStatics, StaticBands, StaticLists};
use crate::frame::statics::StaticSet;
use crate::frame::statics_version::StaticsVersion;
use crate::input::filter::Filter;
use crate::memory::listener::{OnPage, PageListener, PairKind};
use crate::memory::page::{Page, PagePool, PairBudget};
use crate::memory::pair_sink::PairSink;
use crate::simd::DetectedSimd;
use crate::tier::point_grid::band::equal_cells::CellSize;
use crate::tier::point_grid::filing::FileOptions;
use crate::tier::point_grid::size_classes::ClassOptions;
use crate::tier::static_tree::StaticTree;
use std::sync::Arc;

/// Statics are listed if there are at most this many for each body of the most common size.
/// Otherwise, to make lists could take longer than the next thousand steps gain by them.
const LISTED_STATICS_PER_BODY: usize = 50;

/// The constants of a step.
#[derive(Clone, Copy)]
pub(crate) struct StepContext<'s> {
    pub(crate) config: &'s WorldConfig,
    pub(crate) level: DetectedSimd,
    pub(crate) parallel: bool,
    pub(crate) statics: &'s StaticTree,
    pub(crate) statics_version: StaticsVersion,
    /// `None` in a step that is told which rows changed: it searches for few bodies.
    pub(crate) static_grid: Option<&'s LazyStaticGrid>,
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
    /// The longest side of the most common bodies and how many these are, once they are filed.
    pub(crate) common_side: Option<(f32, usize)>,
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
        let (statics, statics_version) = (&statics.tree, statics.version);
        Self { config, level, parallel, statics, statics_version, static_grid: None, are_circles, listener: None, pool }
    }

    pub(crate) fn class_options(&self) -> ClassOptions<'s> {
        let cell_size = CellSize::for_bodies(self.config.cell_size);
        ClassOptions { bounds: &self.config.bounds, has_oversized_tier: true, cell_size }
    }

    pub(crate) fn file_options(&self, skip_invalid: bool) -> FileOptions {
        FileOptions { skip_invalid, level: self.level, parallel: self.parallel }
    }

    /// The statics in a point grid, which is made if there is none yet; `None` if cells do not suit
    /// them, or in a step that is told which rows changed.
    pub(crate) fn static_bands(&self) -> Option<&'s StaticBands> {
        self.static_grid.and_then(|grid| grid.bands(self.statics, self.statics_version, self.level))
    }

    /// The statics in a packed tree, which is made if there is none yet; `None` in a step that is
    /// told which rows changed.
    pub(crate) fn packed_statics(&self) -> Option<&'s PackedStatics> {
        self.static_grid.and_then(|grid| grid.packed(self.statics, self.statics_version))
    }

    /// The same step without a listener.
    pub(crate) fn silent(self) -> Self {
        Self { listener: None, ..self }
    }
}

impl<'s> PassContext<'s> {
    /// A pass over all bands of a frame; `frame` contains its other parts.
    pub(crate) fn new(step: StepContext<'s>, frame: FrameParts<'s>, budget: &'s PairBudget) -> Self {
        Self { step, filters_by_row: frame.filters_by_row, oversized: frame.oversized, common_side: None, budget }
    }

    /// The statics in lists for bodies of the most common size, which are made if there are none
    /// yet; `None` if lists do not suit them or would not pay, or in a step that is told which rows
    /// changed.
    pub(crate) fn static_lists(&self) -> Option<Arc<StaticLists>> {
        let StepContext { statics, statics_version, static_grid, .. } = self.step;
        let (grid, (side, bodies)) = static_grid.zip(self.common_side)?;
        let pay = statics.len() <= LISTED_STATICS_PER_BODY * bodies;
        if pay { grid.lists(statics, statics_version, side) } else { None }
    }

    /// The sink for a task's pairs of one kind; `task` is its number in the step.
    pub(crate) fn sink<'p>(&'p self, kind: PairKind, task: usize, pages: &'p mut Vec<Page>) -> PairSink<'p> {
        let listener = self.step.listener.map(|on_page| PageListener::new(on_page, kind, task));
        PairSink::new(self.step.pool, self.budget, pages).with_listener(listener)
    }

    /// The filter of a row.
    #[inline]
    pub(crate) fn filter(&self, row: u32) -> Filter {
        self.filters_by_row.map_or(Filter::ALL, |filters| filters[row as usize])
    }
}
