//! The pairs of oversized bodies with each other, and with statics.
//!
//! They are found by a sweep, or, if that would test many more pairs than overlap, by a search of
//! the double grid for each body. Either is divided into blocks of [`BLOCK_LEN`] bodies. The task
//! of a block takes the bodies at the same places in two orders: that of the sweep for their pairs
//! with each other, and that of the grid's cells for pairs with statics.
//!
//! Cost: a sort of the bodies, before the tasks; a vector of tests for each eight bodies that begin
//! beside one, or a search of the grid.

use crate::broad_phase::context::PassContext;
use crate::broad_phase::scratch_pool::SearchScratch;
use crate::broad_phase::static_pass;
use crate::broad_phase::task::TaskOutput;
use crate::frame::oversized::Oversized;
use crate::frame::phases::Clock;
use crate::memory::body_record::BodyRecord;
use crate::memory::buffers::buffers;
use crate::memory::listener::PairKind;
use crate::memory::pair_sink::PairSink;
use crate::tier::sweep::axis_sample::{overlapping, sparse_axis};
use crate::tier::sweep::sorted_columns::{BoxTraits, SortScratch, SortedColumns};

/// Bodies of a block: enough that a task takes long compared with its overhead, and few enough that
/// tasks distribute evenly.
const BLOCK_LEN: usize = 1024;

/// With up to this many bodies beside a body, a sweep is faster than a search of the grid for each,
/// which takes 200 to 250 ns.
const BESIDE_MAX: f64 = 1536.0;

/// As many more may be beside a body for each that overlaps it, which a search tests too.
const BESIDE_PER_OVERLAP: f64 = 64.0;

/// The oversized bodies of a step, prepared for the tasks.
#[derive(Default)]
pub(crate) struct OversizedSearch {
    /// The axis of the sweep; `None` if the grid is searched instead.
    axis: Option<usize>,
    /// In the order of the sweep.
    sorted: SortedColumns,
    sort: SortScratch,
}

buffers!(OversizedSearch { leveled: sorted, sort; own: ; plain: axis; });

/// Number of blocks of the oversized bodies of a pass.
pub(crate) fn block_count(pass: &PassContext<'_>) -> usize {
    pass.oversized.map_or(0, |oversized| oversized.records().len().div_ceil(BLOCK_LEN))
}

impl OversizedSearch {
    /// Replaces the contents by the bodies of a pass.
    pub(crate) fn prepare(&mut self, pass: &PassContext<'_>, oversized: &Oversized) {
        let Self { axis, sorted, sort } = self;
        let records = oversized.records_in_cell_order();
        let (sparse, beside) = sparse_axis(records);
        // The second estimate takes longer and is seldom needed.
        let is_sparse = beside <= BESIDE_MAX || beside <= BESIDE_MAX + BESIDE_PER_OVERLAP * overlapping(records);
        *axis = is_sparse.then_some(sparse);
        if let Some(axis) = *axis {
            let filter_of = pass.filters_by_row.map(|filters| |row: u32| filters[row as usize]);
            sorted.sort(records, axis, BoxTraits { filter_of, are_circles: pass.step.are_circles }, sort);
        }
    }

    /// Runs the task of a block. `task` is its number in the step.
    pub(crate) fn run_block(
        &self,
        (pass, oversized): (&PassContext<'_>, &Oversized),
        block: usize,
        task: usize,
        scratch: &mut SearchScratch,
        output: &mut TaskOutput,
    ) {
        output.begin();
        let mut clock = Clock::now();
        let records = oversized.records_in_cell_order();
        let own = block * BLOCK_LEN..records.len().min((block + 1) * BLOCK_LEN);
        let mut sink = pass.sink(PairKind::Body, task, &mut output.body_pages);
        // Both end early once the pair limit is exceeded, which the step sees from the budget.
        let _ = match self.axis {
            Some(axis) => pass.step.level.scan_sorted(&self.sorted.columns(), own.clone(), axis, &mut sink),
            None => search_grid(pass, oversized, &records[own.clone()], scratch, &mut sink),
        };
        drop(sink);
        output.times.oversized = clock.lap();
        let mut sink = pass.sink(PairKind::Static, task, &mut output.static_pages);
        let _ = static_pass::find_oversized_pairs(pass, &records[own], scratch, &mut sink);
        drop(sink);
        output.times.statics = clock.lap();
    }
}

/// Finds the pairs of some oversized bodies with those of higher rows, by a search of the grid for
/// each. `None` once the pair limit is exceeded.
fn search_grid(
    pass: &PassContext<'_>,
    oversized: &Oversized,
    own: &[BodyRecord],
    SearchScratch { found, .. }: &mut SearchScratch,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    let rules = pass.rules();
    for &BodyRecord { aabb, row } in own {
        found.clear();
        oversized.grid().collect(&aabb, found);
        let partners = found.iter().filter(|other| {
            other.row > row && rules.accept([row, other.row]) && rules.bodies_touch(&aabb, &other.aabb)
        });
        partners.map(|other| [row, other.row]).try_for_each(|pair| sink.push(pair))?;
    }
    Some(())
}
