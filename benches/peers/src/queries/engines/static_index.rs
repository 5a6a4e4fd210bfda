//! static_aabb2d_index: a packed Hilbert R-tree; its stack and its queue are reused.
//!
//! It has no rays: all boxes that overlap the bounds of the ray are tested.

use crate::boxes::Box4;
use crate::queries::engine::{Engine, Way};
use crate::queries::exact;
use crate::queries::lists::{List, Nearest, Queries, Ray};
use crate::queries::subject::Subject;
use static_aabb2d_index::{Control, NeighborPriorityQueue, StaticAABB2DIndex, StaticAABB2DIndexBuilder};

/// Children per node.
///
/// Nanoseconds per query of `crowd`, 100,000 bodies, for 4, 8 and 16, which is its default: small
/// boxes 961, 929, 936; boxes of 15 hits 1262, 1253, 1269; eight nearest, fastest runs, 2648, 2560,
/// 2840.
const NODE_SIZE: usize = 8;

/// An index of all boxes.
pub(super) struct StaticIndex {
    index: StaticAABB2DIndex<f32>,
    boxes: Vec<Box4>,
    stack: Vec<usize>,
    queue: NeighborPriorityQueue<f32>,
    rows: Vec<usize>,
    near: Vec<(usize, f32)>,
}

impl StaticIndex {
    pub(super) fn new(subject: &Subject) -> Self {
        let mut builder = StaticAABB2DIndexBuilder::new_with_node_size(subject.boxes.len(), NODE_SIZE);
        for &[min_x, min_y, max_x, max_y] in &subject.boxes {
            builder.add(min_x, min_y, max_x, max_y);
        }
        Self {
            index: builder.build().expect("as many boxes as were announced"),
            boxes: subject.boxes.clone(),
            stack: Vec::new(),
            queue: NeighborPriorityQueue::new(),
            rows: Vec::new(),
            near: Vec::new(),
        }
    }
}

impl Engine for StaticIndex {
    fn name(&self) -> &'static str {
        "static_aabb2d_index"
    }

    fn way(&self, list: &List) -> Way {
        match list.queries {
            Queries::Boxes(_) | Queries::Nearest(_) => Way::Own,
            Queries::Rays(_) => Way::Composed("bounds of the ray, each box tested"),
        }
    }

    fn boxes(&mut self, &[min_x, min_y, max_x, max_y]: &Box4) -> usize {
        let Self { index, rows, stack, .. } = self;
        rows.clear();
        index.visit_query_with_stack(min_x, min_y, max_x, max_y, &mut |row: usize| rows.push(row), stack);
        rows.len()
    }

    fn nearest(&mut self, &Nearest { point: [x, y], count }: &Nearest) -> usize {
        let Self { index, near, queue, .. } = self;
        near.clear();
        let mut visit = |row: usize, distance: f32| {
            near.push((row, distance));
            if near.len() < count { Control::Continue } else { Control::Break(()) }
        };
        index.visit_neighbors_with_queue(x, y, &mut visit, queue);
        near.len()
    }

    fn ray(&mut self, ray: &Ray) -> Option<(u32, f64)> {
        let ([min_x, min_y, max_x, max_y], mut first) = (exact::ray_box(ray), None::<(u32, f64)>);
        let Self { index, boxes, stack, .. } = self;
        let mut visit = |row: usize| {
            if let Some(distance) = exact::entry(ray, &boxes[row]) {
                let new = (row as u32, distance);
                first = first.filter(|first| !is_sooner(&new, first)).or(Some(new));
            }
        };
        index.visit_query_with_stack(min_x, min_y, max_x, max_y, &mut visit, stack);
        first
    }

    fn rows(&self) -> Vec<u32> {
        self.rows.iter().map(|&row| row as u32).collect()
    }

    fn near(&self) -> Vec<(u32, f64)> {
        self.near.iter().map(|&(row, distance)| (row as u32, f64::from(distance).sqrt())).collect()
    }
}

/// Whether a hit comes before another one.
pub(super) fn is_sooner(a: &(u32, f64), b: &(u32, f64)) -> bool {
    a.1 < b.1 || (a.1 == b.1 && a.0 < b.0)
}
