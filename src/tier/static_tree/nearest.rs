//! Nearest queries: visits statics around a point, roughly nearest first.
//!
//! TNEAREST-1: For a static, let `c` be the point of its box that is nearest to the query point: on
//! each axis the query point clamped to the box, which needs no rounding. The static is visited in
//! the leaf of its root that `c` belongs to. That leaf lists the static (CUT-2, with `c` as the
//! area), and the cells of leaves partition the plane (TREE-2), so each static is visited once
//! without a visited set.
//!
//! TNEAREST-2: A box that belongs to a leaf has its minima at or below the upper edges of the
//! leaf's cell and its maxima above the lower edges (CUT-1). So `c` is above the lower edge of an
//! axis if the minimum or the query point is, and at or below the upper edge if the maximum or the
//! query point is.
//!
//! TNEAREST-3: On each axis, a child is as far from the query point as its parent, or as far as a
//! cut between them if that is farther. The sum of the squares equals [`distance_squared`] of the
//! child's cell without outer edges, bit for bit. That cell contains `c` of every static visited
//! below the child, so these are no nearer, rounding included, and a child that is too far is
//! skipped.
//!
//! The traversal first descends to the leaf that the query point belongs to. It measures the other
//! children on its way back, when something near is already known. So the stack has one frame for
//! each level.
//!
//! Cost: O(depth + entries of the leaves nearer than the result), and of a few more leaves.

use crate::geometry::{RawAabb, distance_squared};
use crate::tier::static_tree::node::{Node, SiblingsIndex};
use crate::tier::static_tree::split::{CHILD_COUNT, Split, SplitKind, without_outer_edges};
use crate::tier::static_tree::subtree::DEPTH_MAX;
use crate::tier::static_tree::tree::{Root, StaticTree, TreePart};
use smallvec::SmallVec;

impl StaticTree {
    /// Visits the enabled statics whose squared distance from `point` is at most `within`, each
    /// once, roughly nearest first.
    ///
    /// `visit` takes a row and its squared distance, and returns the new `within`. Returns the last
    /// one.
    pub(crate) fn visit_nearest(
        &self,
        point: [f32; 2],
        mut within: f64,
        visit: &mut impl FnMut(u32, f64) -> f64,
    ) -> f64 {
        for (distance, part, root) in self.sorted_roots(|root| Some(distance_squared(&root.bounds, point))) {
            if distance <= within {
                within = TreeNearest { part, root, point, stack: SmallVec::new() }.visit(within, visit);
            }
        }
        within
    }
}

/// A nearest query below one root.
struct TreeNearest<'t> {
    part: TreePart<'t>,
    root: &'t Root,
    point: [f32; 2],
    stack: SmallVec<[NearestFrame; DEPTH_MAX]>,
}

/// An inner node with children that have not been visited yet.
#[derive(Clone, Copy, Debug)]
struct NearestFrame {
    cell: RawAabb,
    /// Distance from the query point to the cell on each axis (TNEAREST-3).
    distances: [f64; 2],
    children: SiblingsIndex,
    kind: SplitKind,
    /// Children visited so far, nearest first.
    visited: u8,
}

/// A node to visit.
#[derive(Clone, Copy, Debug)]
struct NearestSite {
    node: Node,
    cell: RawAabb,
    distances: [f64; 2],
}

impl TreeNearest<'_> {
    fn visit(mut self, mut within: f64, visit: &mut impl FnMut(u32, f64) -> f64) -> f64 {
        let mut next = Some(NearestSite { node: self.root.node, cell: self.root.cell, distances: [0.0; 2] });
        while let Some(site) = next {
            let (leaf, cell) = self.descend(site);
            within = self.visit_leaf(leaf, &cell, within, visit);
            next = self.ascend(within);
        }
        within
    }

    /// Goes down to the leaf that the query point belongs to.
    #[inline(always)]
    fn descend(&mut self, NearestSite { mut node, mut cell, distances }: NearestSite) -> (Node, RawAabb) {
        while let Some((kind, children)) = node.children() {
            debug_assert!(self.stack.len() < DEPTH_MAX);
            self.stack.push(NearestFrame { cell, distances, children, kind, visited: 1 });
            let split = Split::new(kind, &cell);
            let k = split.child_of_point(self.point);
            (node, cell) = (self.part.data.siblings[children.get()].0[k], split.child_cell(&cell, k));
        }
        (node, cell)
    }

    /// Returns to the next child that is near enough.
    #[inline(always)]
    fn ascend(&mut self, within: f64) -> Option<NearestSite> {
        loop {
            let frame = self.stack.last_mut()?;
            let split = Split::new(frame.kind, &frame.cell);
            let (k, distances) = split.children_by_distance(self.point, frame.distances)[frame.visited as usize & 3];
            // False if `within` is NaN.
            let is_near = sum_of_squares(distances) <= within;
            let (node, cell) = (self.part.data.siblings[frame.children.get()].0[k & 3], frame.cell);
            frame.visited += 1;
            if !is_near || frame.visited as usize == CHILD_COUNT {
                self.stack.pop();
            }
            if is_near && !node.is_empty() {
                return Some(NearestSite { node, cell: split.child_cell(&cell, k & 3), distances });
            }
        }
    }

    #[inline(always)]
    fn visit_leaf(&self, leaf: Node, cell: &RawAabb, mut within: f64, visit: &mut impl FnMut(u32, f64) -> f64) -> f64 {
        let owner = LeafOwner::new(cell, &self.root.cell, self.point);
        let (data, mut left) = (self.part.data, leaf.entries());
        while let Some(batch) =
            data.run_bounds.next_batch(&mut left, |bounds| distance_squared(bounds, self.point) <= within)
        {
            for (&row, aabb) in data.entries[batch.clone()].iter().zip(&data.entry_boxes[batch]) {
                let distance = distance_squared(aabb, self.point);
                if (distance <= within) & owner.owns(aabb) && !self.part.hidden.contains(row) {
                    within = visit(row, distance);
                }
            }
        }
        within
    }
}

/// Determines which statics of a leaf are visited there (TNEAREST-1).
#[derive(Clone, Copy, Debug)]
struct LeafOwner {
    /// What the minima must exceed, and what the maxima must not exceed (TNEAREST-2).
    above: [f32; 2],
    up_to: [f32; 2],
}

impl LeafOwner {
    #[inline(always)]
    fn new(cell: &RawAabb, root_cell: &RawAabb, point: [f32; 2]) -> Self {
        let cell = without_outer_edges(cell, root_cell);
        let above = |k: usize| if point[k] > cell[k] { f32::NEG_INFINITY } else { cell[k] };
        let up_to = |k: usize| if point[k] <= cell[k + 2] { f32::INFINITY } else { cell[k + 2] };
        Self { above: [above(0), above(1)], up_to: [up_to(0), up_to(1)] }
    }

    #[inline(always)]
    fn owns(&self, b: &RawAabb) -> bool {
        (b[0] > self.above[0]) & (b[1] > self.above[1]) & (b[2] <= self.up_to[0]) & (b[3] <= self.up_to[1])
    }
}

/// Four children, nearest first, and the distance to each on each axis.
type ChildrenByDistance = [(usize, [f64; 2]); CHILD_COUNT];

impl Split {
    #[inline(always)]
    fn child_of_point(&self, [x, y]: [f32; 2]) -> usize {
        self.touched_children(&[x, y, x, y]).trailing_zeros() as usize & 3
    }

    /// Sorts the children of a node that is at these `distances` (TNEAREST-3).
    #[inline(always)]
    fn children_by_distance(&self, point: [f32; 2], distances: [f64; 2]) -> ChildrenByDistance {
        match self.kind {
            SplitKind::Quad => self.quadrants_by_distance(point, distances),
            SplitKind::SlabsX => self.slabs_by_distance(point[0], distances[0]).map(|(k, x)| (k, [x, distances[1]])),
            SplitKind::SlabsY => self.slabs_by_distance(point[1], distances[1]).map(|(k, y)| (k, [distances[0], y])),
        }
    }

    #[inline(always)]
    fn quadrants_by_distance(&self, point: [f32; 2], distances: [f64; 2]) -> ChildrenByDistance {
        let first = self.child_of_point(point);
        let past_cut = |axis: usize| distances[axis].max((f64::from(self.cuts[axis]) - f64::from(point[axis])).abs());
        let past_both = [past_cut(0), past_cut(1)];
        let past_x = (first ^ 1, [past_both[0], distances[1]]);
        let past_y = (first ^ 2, [distances[0], past_both[1]]);
        let x_is_nearer = sum_of_squares(past_x.1) <= sum_of_squares(past_y.1);
        let (second, third) = if x_is_nearer { (past_x, past_y) } else { (past_y, past_x) };
        [(first, distances), second, third, (first ^ 3, past_both)]
    }

    fn slabs_by_distance(&self, point: f32, distance: f64) -> [(usize, f64); CHILD_COUNT] {
        let [first, second, third] = self.cuts.map(|cut| f64::from(cut) - f64::from(point));
        let mut slabs = [(0, -first), (1, first.max(-second)), (2, second.max(-third)), (3, third)]
            .map(|(k, apart)| (k, apart.max(distance)));
        // The child of the point must come first, and a neighbor may be as near, at a cut. So it
        // is moved to the front before a stable sort.
        let child_of_point = usize::from(first < 0.0) + usize::from(second < 0.0) + usize::from(third < 0.0);
        slabs[..=child_of_point].reverse();
        slabs.sort_by(|a, b| a.1.total_cmp(&b.1));
        slabs
    }
}

#[inline(always)]
fn sum_of_squares([x, y]: [f64; 2]) -> f64 {
    x * x + y * y
}
