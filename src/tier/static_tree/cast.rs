//! The walk along a ray, or along the way of a box.
//!
//! A node is walked for a part of the ray, `[first, last]`. Let `e` be the distance at which a static is met, the largest of
//! 0 and of where its intervals on both axes begin.
//!
//! L1: of each static that is met, `e` is in the part of some leaf that lists it. It is in that of the root, which is the
//!     span of a cover (C1). At a cut, a static of the lower side alone ends at or before the cut, one of the upper side
//!     alone begins after it, so `e` is in that side's part ([`Cast::cut`], C1); for one of both sides, the lower part ends
//!     no earlier than the upper begins, so `e` is in one of them. On an axis without motion one of the sides that the
//!     start goes to is the static's (T2). No cell's own edges come into it: statics may lie outside of it.
//! L2: so a part that is empty, or begins after what is asked for, is skipped together with all below it: whoever is met
//!     there, and early enough, is met in another.
//! L3: of four siblings one is walked and at most three wait: at most three a level.
//!
//! A static of several leaves may be visited in several.
//!
//! Cost: O(depth + entries of the leaves along the ray up to what is found).

use super::StaticTree;
use super::grow::DEPTH_MAX;
use super::node::{CHILD_COUNT, Group, Node};
use super::split::{Kind, Split};
use super::territory::ROOT_COUNT_MAX;
use crate::geometry::{Cast, Entry, RawBox};
use smallvec::SmallVec;

/// L3
const WAITING_MAX: usize = (CHILD_COUNT - 1) * DEPTH_MAX;

/// A node to be walked, and the part of the ray.
#[derive(Clone, Copy, Debug)]
struct Site {
    node: Node,
    cell: RawBox,
    part: [f64; 2],
}

/// The walk below one root.
struct Along<'t, 'c> {
    tree: &'t StaticTree,
    cast: &'c Cast,
    waiting: SmallVec<[Site; WAITING_MAX]>,
}

impl Along<'_, '_> {
    fn root(&mut self, start: Site, mut until: f64, visit: &mut impl FnMut(u32, Entry) -> f64) -> f64 {
        let mut next = Some(start);
        while let Some(mut site) = next {
            while let Some((kind, group)) = site.node.children() {
                match self.descend(&site, kind, &self.tree.built.groups[group.get()], until) {
                    Some(child) => site = child,
                    None => site.node = Node::EMPTY,
                }
            }
            for &row in &self.tree.built.entries[site.node.entries()] {
                let entry = self.cast.entry(&self.tree.built.boxes[row as usize], until);
                if let Some(entry) = entry.filter(|_| !self.tree.disabled.contains(row)) {
                    until = visit(row, entry);
                }
            }
            next = self.next_until(until);
        }
        until
    }

    #[inline(always)]
    fn next_until(&mut self, until: f64) -> Option<Site> {
        loop {
            let site = self.waiting.pop()?;
            if site.part[0] <= until {
                return Some(site);
            }
        }
    }

    /// The child that the ray meets first, if it meets any. The others wait, the first of them on top.
    #[inline(always)]
    fn descend(&mut self, site: &Site, kind: Kind, nodes: &Group, until: f64) -> Option<Site> {
        let split = Split::new(kind, &site.cell);
        let (order, parts) = match kind {
            Kind::Quad => quad(&split, self.cast, site.part),
            Kind::SlabsX => slabs(&split, 0, self.cast, site.part),
            Kind::SlabsY => slabs(&split, 1, self.cast, site.part),
        };
        let mut child = None;
        for k in order {
            let [first, last] = parts[k & 3];
            if !nodes.0[k & 3].is_empty() & (first <= last) & (first <= until) {
                if let Some(waits) = child {
                    debug_assert!(self.waiting.len() < WAITING_MAX, "L3");
                    self.waiting.push(waits);
                }
                child = Some(Site {
                    node: nodes.0[k & 3],
                    cell: split.child(&site.cell, (k & 3) as u32),
                    part: parts[k & 3],
                });
            }
        }
        child
    }
}

/// The four of a quad, what is met last first, and their parts.
#[inline(always)]
fn quad(split: &Split, cast: &Cast, part: [f64; 2]) -> ([usize; CHILD_COUNT], [[f64; 2]; CHILD_COUNT]) {
    let (x, y) = (cast.cut(0, split.at[0], part), cast.cut(1, split.at[1], part));
    let all = std::array::from_fn(|k| {
        let (x, y) = (x[k & 1], y[k >> 1]);
        [x[0].max(y[0]), x[1].min(y[1])]
    });
    let near = usize::from(x[1][0] < x[0][0]) | usize::from(y[1][0] < y[0][0]) << 1;
    let second = if all[near ^ 1][0] <= all[near ^ 2][0] { 1 } else { 2 };
    ([near ^ 3, near ^ second ^ 3, near ^ second, near], all)
}

/// The four slabs along an axis, what is met last first, and their parts.
#[inline(always)]
fn slabs(split: &Split, axis: usize, cast: &Cast, part: [f64; 2]) -> ([usize; CHILD_COUNT], [[f64; 2]; CHILD_COUNT]) {
    let [first, second, third] = split.at;
    let [low, high] = cast.cut(axis, second, part);
    let ([a, b], [c, d]) = (cast.cut(axis, first, low), cast.cut(axis, third, high));
    let all = [a, b, c, d];
    let order = if d[0] < a[0] { [0, 1, 2, 3] } else { [3, 2, 1, 0] };
    (order, all)
}

impl StaticTree {
    /// [`Search::visit_met`](crate::query::Search::visit_met).
    pub(super) fn walk_met(&self, cast: &Cast, mut until: f64, visit: &mut impl FnMut(u32, Entry) -> f64) -> f64 {
        let mut roots: SmallVec<[Site; ROOT_COUNT_MAX]> = SmallVec::new();
        for root in &self.built.roots {
            if let Some(part) = cast.span(&root.bounds, until) {
                roots.push(Site { node: root.node, cell: root.cell, part });
            }
        }
        roots.sort_unstable_by(|a, b| a.part[0].total_cmp(&b.part[0]));
        let mut along = Along { tree: self, cast, waiting: SmallVec::new() };
        for root in roots {
            if root.part[0] <= until {
                until = along.root(root, until, visit);
            }
        }
        until
    }
}
