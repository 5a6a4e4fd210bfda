//! static_aabb2d_index: a packed Hilbert R-tree, rebuilt each frame and queried once per body.
//!
//! Queries come in the order of its leaves, so that queries close in time are close in space; in
//! the order of rows they would leave the cache. With more than one thread the queries run in
//! parallel, the build does not.

use crate::boxes::{Box4, body_boxes};
use crate::engine::{Engine, Found, Frame};
use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};
use static_aabb2d_index::{StaticAABB2DIndex, StaticAABB2DIndexBuilder};

/// Children per node.
///
/// Processor time of 20 frames of `crowd`, 100,000 bodies, in seconds, for 3, 4, 5, 8 and 16, which
/// is its default: 0.70, 0.72, 0.74, 0.78, 0.84; of 16 frames of `castles` for 3, 4, 5, 16: 1.16,
/// 1.17, 1.22, 1.41.
const NODE_SIZE: usize = 4;

/// Number of leaves that a task queries for.
const PART: usize = 4096;

/// An index per frame, and one of all statics.
#[derive(Default)]
pub struct StaticIndex {
    parallel: bool,
    statics: Option<StaticAABB2DIndex<f32>>,
    stack: Vec<usize>,
    parts: Vec<Part>,
}

/// The pairs that a task found, and its stack.
#[derive(Default)]
struct Part {
    found: Found,
    stack: Vec<usize>,
}

impl StaticIndex {
    /// Creates the engine for this many threads.
    pub fn new(threads: usize) -> Self {
        Self { parallel: threads > 1, ..Self::default() }
    }

    fn step_in_parts(&mut self, bodies: &StaticAABB2DIndex<f32>, found: &mut Found) {
        let statics = self.statics.as_ref();
        let count = bodies.count();
        self.parts.resize_with(count.div_ceil(PART), Part::default);
        self.parts.par_iter_mut().enumerate().for_each(|(k, part)| {
            part.found.clear();
            ask(bodies, statics, k * PART..count.min((k + 1) * PART), &mut part.stack, &mut part.found);
        });
        for part in &self.parts {
            found.bodies.extend_from_slice(&part.found.bodies);
            found.statics.extend_from_slice(&part.found.statics);
        }
    }
}

impl Engine for StaticIndex {
    fn name(&self) -> &'static str {
        "static_aabb2d_index"
    }

    fn set_statics(&mut self, statics: &[[f32; 4]]) {
        self.statics = (!statics.is_empty()).then(|| built(statics.iter().copied()));
    }

    fn step(&mut self, frame: Frame<'_>, found: &mut Found) {
        found.clear();
        let bodies = built(body_boxes(frame));
        if self.parallel {
            self.step_in_parts(&bodies, found);
        } else {
            ask(&bodies, self.statics.as_ref(), 0..bodies.count(), &mut self.stack, found);
        }
    }

    fn bytes_of_pairs(&self) -> usize {
        self.parts.iter().map(|part| part.found.bytes()).sum()
    }
}

/// Finds the partners of the boxes in some leaves.
fn ask(
    bodies: &StaticAABB2DIndex<f32>,
    statics: Option<&StaticAABB2DIndex<f32>>,
    leaves: std::ops::Range<usize>,
    stack: &mut Vec<usize>,
    found: &mut Found,
) {
    let rows = &bodies.item_indices()[leaves.clone()];
    for (aabb, &row) in bodies.item_boxes()[leaves].iter().zip(rows) {
        let mut visit = |other: usize| {
            if other > row {
                found.bodies.push([row as u32, other as u32]);
            }
        };
        bodies.visit_query_with_stack(aabb.min_x, aabb.min_y, aabb.max_x, aabb.max_y, &mut visit, stack);
        if let Some(statics) = statics {
            let mut visit = |fixed: usize| found.statics.push([row as u32, fixed as u32]);
            statics.visit_query_with_stack(aabb.min_x, aabb.min_y, aabb.max_x, aabb.max_y, &mut visit, stack);
        }
    }
}

fn built(boxes: impl ExactSizeIterator<Item = Box4>) -> StaticAABB2DIndex<f32> {
    let mut builder = StaticAABB2DIndexBuilder::new_with_node_size(boxes.len(), NODE_SIZE);
    for [min_x, min_y, max_x, max_y] in boxes {
        builder.add(min_x, min_y, max_x, max_y);
    }
    builder.build().expect("as many boxes as were announced")
}
