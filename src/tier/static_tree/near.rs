//! The walk to what is nearest to a point.
//!
//! D1: a static is visited in the leaf of its root whose cell (half-open and without outer edges, Q3) holds `c`, the point
//!     of the static's box that is nearest to the point asked for: on each axis the latter, clamped to the box, which no
//!     rounding touches. The leaf that `c` descends to lists the box (T2, with `c` for the area); so each static is visited
//!     once, without a memory of what was.
//! D2: of who got to a leaf the minimum is at or below the upper edge of the leaf's cell, and the maximum above the lower
//!     one (T1). So `c` is above the lower edge where the minimum or the point asked for is, and not above the upper one
//!     where the maximum or the point asked for is not.
//! D3: on each axis a child lies as far from the point as its parent, or as far as the cut between both if that is
//!     farther: the squares' sum is G3 of the child's cell without its outer edges, bit for bit. That cell covers `c`, so
//!     no static that is visited below is nearer, roundings included (G3 is monotone); what is skipped is farther than
//!     what is asked for, never as far.
//! D4: of four siblings one is walked and at most three wait, and their parent waits no more: at most three a level.
//!
//! Cost: O(depth + entries of the leaves that are as near as what is found), a few leaves more at most.

use super::StaticTree;
use super::grow::DEPTH_MAX;
use super::node::{CHILD_COUNT, Group, Node};
use super::query::unbounded;
use super::split::{Kind, Split};
use super::territory::ROOT_COUNT_MAX;
use crate::geometry::{RawBox, distance_squared};
use smallvec::SmallVec;

/// D4
const WAITING_MAX: usize = (CHILD_COUNT - 1) * DEPTH_MAX;

/// A node to be walked, and how far its cell lies from the point on each axis (D3).
#[derive(Clone, Copy, Debug)]
struct Site {
    node: Node,
    cell: RawBox,
    apart: [f64; 2],
}

impl Site {
    #[inline(always)]
    fn distance(&self) -> f64 {
        square_sum(self.apart)
    }
}

#[inline(always)]
fn square_sum([x, y]: [f64; 2]) -> f64 {
    x * x + y * y
}

/// Numbers from a half-open interval that others have to lie in, or all numbers.
#[derive(Clone, Copy, Debug)]
struct Owner {
    /// What minima have to be above, and maxima not above (D2).
    above: [f32; 2],
    up_to: [f32; 2],
}

impl Owner {
    /// D2: which statics of a leaf are visited there.
    fn new(cell: &RawBox, root: &RawBox, point: [f32; 2]) -> Self {
        let cell = unbounded(cell, root);
        let above = |k: usize| if point[k] > cell[k] { f32::NEG_INFINITY } else { cell[k] };
        let up_to = |k: usize| if point[k] <= cell[k + 2] { f32::INFINITY } else { cell[k + 2] };
        Self { above: [above(0), above(1)], up_to: [up_to(0), up_to(1)] }
    }

    #[inline(always)]
    fn owns(&self, b: &RawBox) -> bool {
        (b[0] > self.above[0]) & (b[1] > self.above[1]) & (b[2] <= self.up_to[0]) & (b[3] <= self.up_to[1])
    }
}

/// The walk below one root.
struct Near<'t> {
    tree: &'t StaticTree,
    point: [f32; 2],
    waiting: SmallVec<[Site; WAITING_MAX]>,
}

impl Near<'_> {
    fn root(&mut self, index: usize, mut within: f64, visit: &mut impl FnMut(u32, f64) -> f64) -> f64 {
        let root = &self.tree.built.roots[index];
        let mut next = Some(Site { node: root.node, cell: root.cell, apart: [0.0; 2] });
        while let Some(mut site) = next {
            while let Some((kind, group)) = site.node.children() {
                site = self.descend(&site, kind, &self.tree.built.groups[group.get()], within);
            }
            let owner = Owner::new(&site.cell, &root.cell, self.point);
            for &row in &self.tree.built.entries[site.node.entries()] {
                let aabb = &self.tree.built.boxes[row as usize];
                let distance = distance_squared(aabb, self.point);
                if (distance <= within) & owner.owns(aabb) && !self.tree.disabled.contains(row) {
                    within = visit(row, distance);
                }
            }
            next = self.next_within(within);
        }
        within
    }

    /// What waits and is near enough, the nearest of the deepest level first.
    #[inline(always)]
    fn next_within(&mut self, within: f64) -> Option<Site> {
        loop {
            let site = self.waiting.pop()?;
            if site.distance() <= within {
                return Some(site);
            }
        }
    }

    /// The nearest child. The others wait, the nearest of them on top.
    #[inline(always)]
    fn descend(&mut self, site: &Site, kind: Kind, nodes: &Group, within: f64) -> Site {
        let split = Split::new(kind, &site.cell);
        let (order, apart) = match kind {
            Kind::Quad => quad(&split, self.point, site.apart),
            Kind::SlabsX => slabs(&split, 0, self.point, site.apart),
            Kind::SlabsY => slabs(&split, 1, self.point, site.apart),
        };
        let child = |k: usize| Site { node: nodes.0[k], cell: split.child(&site.cell, k as u32), apart: apart[k] };
        for k in [order[3], order[2], order[1]] {
            if !nodes.0[k & 3].is_empty() & (square_sum(apart[k & 3]) <= within) {
                debug_assert!(self.waiting.len() < WAITING_MAX, "D4");
                self.waiting.push(child(k & 3));
            }
        }
        child(order[0] & 3)
    }
}

/// D3: the four of a quad, nearest first, and how far each lies.
#[inline(always)]
fn quad(split: &Split, point: [f32; 2], apart: [f64; 2]) -> ([usize; CHILD_COUNT], [[f64; 2]; CHILD_COUNT]) {
    let to_cut: [f64; 2] = std::array::from_fn(|axis| f64::from(split.at[axis]) - f64::from(point[axis]));
    let near = usize::from(to_cut[0] < 0.0) | usize::from(to_cut[1] < 0.0) << 1;
    let beyond: [f64; 2] = std::array::from_fn(|axis| apart[axis].max(to_cut[axis].abs()));
    let mut all = [[0.0; 2]; CHILD_COUNT];
    all[near] = apart;
    all[near ^ 1] = [beyond[0], apart[1]];
    all[near ^ 2] = [apart[0], beyond[1]];
    all[near ^ 3] = beyond;
    let second = if square_sum(all[near ^ 1]) <= square_sum(all[near ^ 2]) { 1 } else { 2 };
    ([near, near ^ second, near ^ second ^ 3, near ^ 3], all)
}

/// D3: the four slabs along an axis, nearest first, and how far each lies.
#[inline(always)]
fn slabs(
    split: &Split,
    axis: usize,
    point: [f32; 2],
    apart: [f64; 2],
) -> ([usize; CHILD_COUNT], [[f64; 2]; CHILD_COUNT]) {
    let [first, second, third] = split.at.map(|cut| f64::from(cut) - f64::from(point[axis]));
    let own = apart[axis];
    // From the cuts on both sides of each.
    let along = [own.max(-first), own.max(first).max(-second), own.max(second).max(-third), own.max(third)];
    let all = along.map(|along| if axis == 0 { [along, apart[1]] } else { [apart[0], along] });
    let mut order = [0, 1, 2, 3];
    order.sort_by(|&a, &b| along[a].total_cmp(&along[b]));
    (order, all)
}

impl StaticTree {
    /// [`Search::visit_near`](crate::query::Search::visit_near).
    pub(super) fn walk_near(&self, point: [f32; 2], mut within: f64, visit: &mut impl FnMut(u32, f64) -> f64) -> f64 {
        let mut roots: SmallVec<[(f64, usize); ROOT_COUNT_MAX]> = SmallVec::new();
        roots.extend(self.built.roots.iter().map(|root| distance_squared(&root.bounds, point)).zip(0..));
        roots.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut near = Near { tree: self, point, waiting: SmallVec::new() };
        for (distance, root) in roots {
            if distance <= within {
                within = near.root(root, within, visit);
            }
        }
        within
    }
}
