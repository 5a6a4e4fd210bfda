//! The pairs of oversized bodies with each other, by a sweep, and with statics.
//!
//! The sweep is divided into blocks of equally many bodies, each of which is a task. It reports the
//! pairs of its bodies with those that are later in the order of the sweep, and the pairs of its
//! share of the oversized bodies with statics (TASK-1).

use crate::broad_phase::context::PassContext;
use crate::broad_phase::scratch_pool::SearchScratch;
use crate::broad_phase::static_pass;
use crate::broad_phase::task::TaskOutput;
use crate::frame::oversized::Oversized;
use crate::frame::phases::Clock;
use crate::memory::buffers::buffers;
use crate::memory::listener::PairKind;
use crate::memory::record::BodyRecord;
use crate::tier::sweep::axis_sample::sparse_axis;
use crate::tier::sweep::sorted_columns::{SortScratch, SortedColumns};

/// Bodies of a block: some tens of microseconds, long compared with the overhead of a task, and
/// short enough to distribute evenly.
const BLOCK_LEN: usize = 1024;

/// The oversized bodies of a step, for their tasks.
#[derive(Default)]
pub(crate) struct OversizedSweep {
    axis: usize,
    /// In the order of the sweep.
    sorted: SortedColumns,
    /// In the order of the double grid's cells.
    records: Vec<BodyRecord>,
    sort: SortScratch,
}

buffers!(OversizedSweep { leveled: sorted, records, sort; own: ; plain: axis; });

impl OversizedSweep {
    /// Sorts the bodies of a pass along the axis on which few of them are beside each other.
    pub(crate) fn prepare(&mut self, pass: &PassContext<'_>) {
        let Self { axis, sorted, records, sort } = self;
        records.clear();
        records.extend(pass.oversized.into_iter().flat_map(Oversized::records_in_cell_order));
        (*axis, _) = sparse_axis(records);
        let filter_of = pass.filters_by_row.map(|filters| |row: u32| filters[row as usize]);
        sorted.sort(records, *axis, (filter_of, pass.step.are_circles), sort);
    }

    /// Number of blocks.
    pub(crate) fn block_count(&self) -> usize {
        self.records.len().div_ceil(BLOCK_LEN)
    }

    /// Runs the task of a block. `task` is its number in the step.
    pub(crate) fn run_block(
        &self,
        pass: &PassContext<'_>,
        block: usize,
        task: usize,
        scratch: &mut SearchScratch,
        output: &mut TaskOutput,
    ) {
        output.begin();
        let mut clock = Clock::now();
        let own = block * BLOCK_LEN..self.records.len().min((block + 1) * BLOCK_LEN);
        let mut sink = pass.sink(PairKind::Body, task, &mut output.body_pages);
        // Both end early once the pair limit is exceeded, which the step sees from the budget.
        let _ = pass.step.level.scan_sorted(&self.sorted.columns(), own.clone(), self.axis, &mut sink);
        drop(sink);
        output.times.oversized = clock.lap();
        let mut sink = pass.sink(PairKind::Static, task, &mut output.static_pages);
        let _ = static_pass::find_oversized_pairs(pass, &self.records[own], scratch, &mut sink);
        drop(sink);
        output.times.statics = clock.lap();
    }
}
