//! The task of one block of oversized bodies.
//!
//! It reports the pairs of oversized bodies that the loose grid assigns to the block (each to one
//! block), and the pairs with statics of an equal share of the oversized bodies (TASK-1).

use crate::broad_phase::context::PassContext;
use crate::broad_phase::scratch_pool::SearchScratch;
use crate::broad_phase::static_pass;
use crate::broad_phase::task::TaskOutput;
use crate::frame::oversized::Oversized;
use crate::frame::phases::Clock;
use crate::geometry::{BodyCircle, RawAabb};
use crate::memory::buffers::part_start;
use crate::memory::listener::PairKind;

/// Runs the task of a block of loose cells. `task` is its number in the step.
pub(crate) fn run_block(
    pass: &PassContext<'_>,
    oversized: &Oversized,
    block: usize,
    task: usize,
    scratch: &mut SearchScratch,
    output: &mut TaskOutput,
) {
    output.begin();
    let mut clock = Clock::now();
    let (grid, boxes, rows) = (oversized.grid(), oversized.boxes(), oversized.rows());
    let mut sink = pass.sink(PairKind::Body, task, &mut output.body_pages);
    grid.find_block_pairs(block, &mut scratch.seen_cells, &mut |a, b| {
        if pass.step.are_circles && !circles_overlap(&boxes[a as usize], &boxes[b as usize]) {
            return Some(());
        }
        let (a, b) = (rows[a as usize], rows[b as usize]);
        if pass.filters_by_row.is_some() && !pass.filter(a).interacts_with(pass.filter(b)) {
            return Some(());
        }
        sink.push([a.min(b), a.max(b)])
    });
    drop(sink);
    output.times.oversized = clock.lap();
    let blocks = grid.block_count();
    let share = part_start(block, rows.len(), blocks)..part_start(block + 1, rows.len(), blocks);
    let mut sink = pass.sink(PairKind::Static, task, &mut output.static_pages);
    // Ends early once the pair limit is exceeded, which the step sees from the budget.
    let _ = static_pass::find_oversized_pairs(pass, oversized, share, scratch, &mut sink);
    drop(sink);
    output.times.statics = clock.lap();
}

fn circles_overlap(a: &RawAabb, b: &RawAabb) -> bool {
    BodyCircle::of_box(a).overlaps(&BodyCircle::of_box(b))
}
