//! The walk along a ray, or along the way of a box.
//!
//! A node is walked for a part of the ray, `[first, last]`. Let `e` be the distance at which a static is met, the largest of
//! 0 and of where its intervals on both axes begin.
//!
//! L1: of each static that is met, `e` is in the part of some leaf that lists it. It is in that of the root, which is the
//!     span of a cover (C1). At a cut, a static of the lower side alone ends at or before the cut, one of the upper side
//!     alone begins after it, so `e` is in that side's part ([`PreparedCast::split_interval`], C1); for one of both sides, the lower part ends
//!     no earlier than the upper begins, so `e` is in one of them. On an axis without motion one of the sides that the
//!     start goes to is the static's (T2). No cell's own edges come into it: statics may lie outside of it.
//! L2: so a part that is empty, or begins after what is asked for, is skipped together with all below it: whoever is met
//!     there, and early enough, is met in another.
//! L3: whoever is met in a part overlaps its cover ([`PreparedCast::swept_bounds`]). Where the cover goes to one child alone, so does the
//!     static (T2), and the part stays as it is. In a leaf, who does not overlap the cover is met elsewhere, if at all.
//! L4: of four siblings one is walked and at most three wait: at most three a level.
//!
//! A static of several leaves may be visited in several.
//!
//! Cost: O(depth + entries of the leaves along the ray up to what is found).

use crate::geometry::{Impact, PreparedCast, RawAabb, overlaps};
use crate::tier::static_tree::StaticTree;
use crate::tier::static_tree::box_query::TESTED_MAX;
use crate::tier::static_tree::node::{CHILD_COUNT, Group, Node};
use crate::tier::static_tree::split::{Kind, Split};
use crate::tier::static_tree::subtree::DEPTH_MAX;
use crate::tier::static_tree::territory::ROOT_COUNT_MAX;
use smallvec::SmallVec;

/// L4
const WAITING_MAX: usize = (CHILD_COUNT - 1) * DEPTH_MAX;

/// A node to be walked, and the part of the ray.
#[derive(Clone, Copy, Debug)]
struct Site {
    node: Node,
    cell: RawAabb,
    part: [f64; 2],
}

/// Four children, what is met last first, and their parts.
type Order = [(usize, [f64; 2]); CHILD_COUNT];

impl Split {
    /// L1
    #[inline(always)]
    fn parts(&self, cast: &PreparedCast, part: [f64; 2]) -> Order {
        match self.kind {
            Kind::Quad => self.parts_quad(cast, part),
            Kind::SlabsX => self.parts_slabs(0, cast, part),
            Kind::SlabsY => self.parts_slabs(1, cast, part),
        }
    }

    #[inline(always)]
    fn parts_quad(&self, cast: &PreparedCast, part: [f64; 2]) -> Order {
        let (x, y) = (cast.split_interval(0, self.at[0], part), cast.split_interval(1, self.at[1], part));
        let child = |k: usize| {
            let (x, y) = (x[k & 1], y[k >> 1 & 1]);
            (k, [x[0].max(y[0]), x[1].min(y[1])])
        };
        let home = usize::from(x[1][0] < x[0][0]) | usize::from(y[1][0] < y[0][0]) << 1;
        let (x, y) = (child(home ^ 1), child(home ^ 2));
        let (second, third) = if x.1[0] <= y.1[0] { (x, y) } else { (y, x) };
        [child(home ^ 3), third, second, child(home)]
    }

    fn parts_slabs(&self, axis: usize, cast: &PreparedCast, part: [f64; 2]) -> Order {
        let [first, second, third] = self.at;
        let [low, high] = cast.split_interval(axis, second, part);
        let ([a, b], [c, d]) = (cast.split_interval(axis, first, low), cast.split_interval(axis, third, high));
        let mut order = [(3, d), (2, c), (1, b), (0, a)];
        if d[0] < a[0] {
            order.reverse();
        }
        order
    }
}

/// The walk below one root.
struct Along<'t, 'c> {
    tree: &'t StaticTree,
    cast: &'c PreparedCast,
    /// Where the ray leaves the root's bounds.
    end: f64,
    waiting: SmallVec<[Site; WAITING_MAX]>,
}

impl Along<'_, '_> {
    fn walk(mut self, start: Site, mut until: f64, visit: &mut impl FnMut(u32, Impact) -> f64) -> f64 {
        let mut next = Some(start);
        while let Some(site) = next {
            let (leaf, cover) = self.descend(site, until);
            until = self.leaf(leaf, &cover, until, visit);
            next = self.next_until(until);
        }
        until
    }

    fn cover(&self, [first, last]: [f64; 2], until: f64) -> RawAabb {
        self.cast.swept_bounds(first, last.min(until), self.end)
    }

    /// To the leaf that the ray meets first, and the cover of its part. Others that it meets wait, the next on top.
    #[inline(always)]
    fn descend(&mut self, Site { mut node, mut cell, mut part }: Site, until: f64) -> (Node, RawAabb) {
        let mut cover = self.cover(part, until);
        while let Some((kind, group)) = node.children() {
            let nodes = &self.tree.built.groups[group.get()];
            let split = Split::new(kind, &cell);
            let reach = split.reach(&cover) & nodes.occupied();
            if reach & reach.wrapping_sub(1) == 0 {
                // L3: one child, or none.
                let k = reach.trailing_zeros() as usize & 3;
                node = if reach == 0 { Node::EMPTY } else { nodes.0[k] };
                cell = split.child(&cell, k as u32);
                continue;
            }
            let Some(first) = self.part(&split, nodes, &cell, part, until) else {
                return (Node::EMPTY, cover);
            };
            if first.part != part {
                cover = self.cover(first.part, until);
            }
            Site { node, cell, part } = first;
        }
        (node, cover)
    }

    /// The child that the ray meets first, if it meets any.
    #[inline(always)]
    fn part(&mut self, split: &Split, nodes: &Group, cell: &RawAabb, part: [f64; 2], until: f64) -> Option<Site> {
        let mut child = None;
        for (k, part) in split.parts(self.cast, part) {
            let (node, [first, last]) = (nodes.0[k & 3], part);
            // L2
            if !node.is_empty() & (first <= last) & (first <= until) {
                if let Some(waits) = child {
                    debug_assert!(self.waiting.len() < WAITING_MAX, "L4");
                    self.waiting.push(waits);
                }
                child = Some(Site { node, cell: split.child(cell, k as u32 & 3), part });
            }
        }
        child
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

    /// L3: those that overlap the cover, seen through without a branch an entry.
    #[inline(always)]
    fn leaf(&self, leaf: Node, cover: &RawAabb, mut until: f64, visit: &mut impl FnMut(u32, Impact) -> f64) -> f64 {
        let rows = self.tree.built.entries[leaf.entries()].chunks(TESTED_MAX);
        for (rows, boxes) in rows.zip(self.tree.built.listed[leaf.entries()].chunks(TESTED_MAX)) {
            let mut beside = 0u32;
            for (k, aabb) in boxes.iter().enumerate() {
                beside |= u32::from(overlaps(aabb, cover)) << k;
            }
            while beside != 0 {
                let k = beside.trailing_zeros() as usize;
                beside &= beside - 1;
                let entry = self.cast.impact(&boxes[k], until);
                if let Some(entry) = entry.filter(|_| !self.tree.disabled.contains(rows[k])) {
                    until = visit(rows[k], entry);
                }
            }
        }
        until
    }
}

impl StaticTree {
    /// [`Search::visit_met`](crate::query::Search::visit_met).
    pub(crate) fn walk_met(
        &self,
        cast: &PreparedCast,
        mut until: f64,
        visit: &mut impl FnMut(u32, Impact) -> f64,
    ) -> f64 {
        let mut roots: SmallVec<[Site; ROOT_COUNT_MAX]> = SmallVec::new();
        for root in &self.built.roots {
            if let Some(part) = cast.interval(&root.bounds, until) {
                roots.push(Site { node: root.node, cell: root.cell, part });
            }
        }
        roots.sort_unstable_by(|a, b| a.part[0].total_cmp(&b.part[0]));
        for root in roots {
            if root.part[0] <= until {
                let along = Along { tree: self, cast, end: root.part[1], waiting: SmallVec::new() };
                until = along.walk(root, until, visit);
            }
        }
        until
    }
}
