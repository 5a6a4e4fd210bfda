//! Casts: visits statics along a ray, or along the path of a moving box, roughly earliest first.
//!
//! A node is visited for a part of the ray, the times of impact from `first` to `last`. Let `e` be
//! the time at which the ray enters a static: the largest of 0 and the times at which the ray
//! enters the static's interval on each axis.
//!
//! TCAST-1: For every static that the ray hits, `e` is in the part of some leaf that lists the
//! static. It is in the part of the root, which is the span of the bounds of its statics (CAST-1).
//! At a cut, a static of the lower side alone ends at or before the cut and one of the upper side
//! alone begins after it, so `e` is in the part of that side ([`PreparedCast::split_interval`]).
//! For a static of both sides, the lower part ends no earlier than the upper part begins, so `e` is
//! in one of them. On an axis without motion, the static belongs to one of the sides that the start
//! belongs to (CUT-2). The edges of cells are not used: statics may extend beyond the cells.
//!
//! TCAST-2: So a node is skipped if its part is empty or begins too late: any static below it that
//! the ray hits early enough is found through another node.
//!
//! TCAST-3: A static that the ray enters within a part overlaps the swept bounds of that part
//! ([`PreparedCast::swept_bounds`]). If these belong to one child alone, so does the static
//! (CUT-2), and the part stays as it is. In a leaf, a static that does not overlap them is not
//! entered within this part.
//!
//! A static of several leaves may be visited several times.
//!
//! Cost: O(depth + entries of the leaves along the ray up to the result).

use crate::geometry::{Impact, PreparedCast, RawAabb, overlaps};
use crate::memory::bits::set_bits;
use crate::tier::static_tree::node::{Node, Siblings};
use crate::tier::static_tree::split::{CHILD_COUNT, Split, SplitKind};
use crate::tier::static_tree::subtree::DEPTH_MAX;
use crate::tier::static_tree::tree::{StaticTree, TreePart};
use smallvec::SmallVec;

/// Most nodes that wait to be visited: of four siblings one is visited and three wait.
const WAITING_MAX: usize = (CHILD_COUNT - 1) * DEPTH_MAX;

impl StaticTree {
    /// Visits the enabled statics that `cast` hits at times of impact up to `t_max`, roughly
    /// earliest first, some perhaps more than once.
    ///
    /// `visit` takes a row and its impact, and returns the new `t_max`; a negative one ends the
    /// search. Returns the last one.
    pub(crate) fn visit_cast(
        &self,
        cast: &PreparedCast,
        mut t_max: f64,
        visit: &mut impl FnMut(u32, Impact) -> f64,
    ) -> f64 {
        for (_, tree, root) in self.sorted_roots(move |root| Some(cast.interval(&root.bounds, t_max)?[0])) {
            if let Some(part) = cast.interval(&root.bounds, t_max) {
                let tree_cast = TreeCast { tree, cast, end: part[1], waiting: SmallVec::new() };
                t_max = tree_cast.visit(CastSite { node: root.node, cell: root.cell, part }, t_max, visit);
            }
        }
        t_max
    }
}

/// A cast below one root.
struct TreeCast<'t, 'c> {
    tree: TreePart<'t>,
    cast: &'c PreparedCast,
    /// Where the ray leaves the bounds of the root.
    end: f64,
    waiting: SmallVec<[CastSite; WAITING_MAX]>,
}

/// A node to visit, and the part of the ray to visit it for.
#[derive(Clone, Copy, Debug)]
struct CastSite {
    node: Node,
    cell: RawAabb,
    part: [f64; 2],
}

impl TreeCast<'_, '_> {
    fn visit(mut self, root: CastSite, mut t_max: f64, visit: &mut impl FnMut(u32, Impact) -> f64) -> f64 {
        let mut next = Some(root);
        while let Some(site) = next {
            let (leaf, cover) = self.descend(site, t_max);
            t_max = self.visit_leaf(leaf, &cover, t_max, visit);
            next = self.next_waiting(t_max);
        }
        t_max
    }

    fn cover(&self, [first, last]: [f64; 2], t_max: f64) -> RawAabb {
        self.cast.swept_bounds(first, last.min(t_max), self.end)
    }

    /// Descends to the first leaf along the ray, and returns it and the swept bounds of its part.
    ///
    /// Other children along the ray wait, the next one on top.
    #[inline(always)]
    fn descend(&mut self, CastSite { mut node, mut cell, mut part }: CastSite, t_max: f64) -> (Node, RawAabb) {
        let mut cover = self.cover(part, t_max);
        while let Some((kind, children)) = node.children() {
            let siblings = &self.tree.data.siblings[children.get()];
            let split = Split::new(kind, &cell);
            let touched = split.touched_children(&cover) & siblings.occupied();
            if touched & touched.wrapping_sub(1) == 0 {
                // One child or none (TCAST-3).
                let k = touched.trailing_zeros() as usize & 3;
                node = if touched == 0 { Node::EMPTY } else { siblings.0[k] };
                cell = split.child_cell(&cell, k);
                continue;
            }
            let Some(first) = self.first_child(&split, siblings, &cell, part, t_max) else {
                return (Node::EMPTY, cover);
            };
            if first.part != part {
                cover = self.cover(first.part, t_max);
            }
            CastSite { node, cell, part } = first;
        }
        (node, cover)
    }

    /// Returns the first child along the ray, and adds the others to the waiting nodes.
    #[inline(always)]
    fn first_child(
        &mut self,
        split: &Split,
        siblings: &Siblings,
        cell: &RawAabb,
        part: [f64; 2],
        t_max: f64,
    ) -> Option<CastSite> {
        let mut child = None;
        for (k, part) in split.children_along(self.cast, part) {
            let (node, [first, last]) = (siblings.0[k & 3], part);
            // Skips parts that are empty or begin too late (TCAST-2).
            if !node.is_empty() & (first <= last) & (first <= t_max) {
                if let Some(later) = child {
                    debug_assert!(self.waiting.len() < WAITING_MAX);
                    self.waiting.push(later);
                }
                child = Some(CastSite { node, cell: split.child_cell(cell, k & 3), part });
            }
        }
        child
    }

    #[inline(always)]
    fn next_waiting(&mut self, t_max: f64) -> Option<CastSite> {
        loop {
            let site = self.waiting.pop()?;
            if site.part[0] <= t_max {
                return Some(site);
            }
        }
    }

    /// Visits the statics of a leaf that overlap the swept bounds of its part (TCAST-3).
    #[inline(always)]
    fn visit_leaf(
        &self,
        leaf: Node,
        cover: &RawAabb,
        mut t_max: f64,
        visit: &mut impl FnMut(u32, Impact) -> f64,
    ) -> f64 {
        let (data, mut left) = (self.tree.data, leaf.entries());
        loop {
            let may_hit = |bounds: &RawAabb| overlaps(bounds, cover) && self.cast.interval(bounds, t_max).is_some();
            let Some(batch) = data.run_bounds.next_batch(&mut left, may_hit) else {
                return t_max;
            };
            let (rows, boxes) = (&data.entries[batch.clone()], &data.entry_boxes[batch]);
            let mut candidates = 0u32;
            for (k, aabb) in boxes.iter().enumerate() {
                candidates |= u32::from(overlaps(aabb, cover)) << k;
            }
            for k in set_bits(candidates) {
                let entry = self.cast.impact(&boxes[k], t_max);
                if let Some(entry) = entry.filter(|_| !self.tree.hidden.contains(rows[k])) {
                    t_max = visit(rows[k], entry);
                }
            }
        }
    }
}

/// Four children, the last one along the ray first, and the part of the ray for each.
type ChildrenAlong = [(usize, [f64; 2]); CHILD_COUNT];

impl Split {
    /// Divides a part of the ray between the children (TCAST-1).
    #[inline(always)]
    fn children_along(&self, cast: &PreparedCast, part: [f64; 2]) -> ChildrenAlong {
        match self.kind {
            SplitKind::Quad => self.quadrants_along(cast, part),
            SplitKind::SlabsX => self.slabs_along(0, cast, part),
            SplitKind::SlabsY => self.slabs_along(1, cast, part),
        }
    }

    #[inline(always)]
    fn quadrants_along(&self, cast: &PreparedCast, part: [f64; 2]) -> ChildrenAlong {
        let (x, y) = (cast.split_interval(0, self.cuts[0], part), cast.split_interval(1, self.cuts[1], part));
        let child = |k: usize| {
            let (x, y) = (x[k & 1], y[k >> 1 & 1]);
            (k, [x[0].max(y[0]), x[1].min(y[1])])
        };
        let first = usize::from(x[1][0] < x[0][0]) | usize::from(y[1][0] < y[0][0]) << 1;
        let (past_x, past_y) = (child(first ^ 1), child(first ^ 2));
        let (second, third) = if past_x.1[0] <= past_y.1[0] { (past_x, past_y) } else { (past_y, past_x) };
        [child(first ^ 3), third, second, child(first)]
    }

    fn slabs_along(&self, axis: usize, cast: &PreparedCast, part: [f64; 2]) -> ChildrenAlong {
        let [first, second, third] = self.cuts;
        let [low, high] = cast.split_interval(axis, second, part);
        let ([a, b], [c, d]) = (cast.split_interval(axis, first, low), cast.split_interval(axis, third, high));
        let mut slabs = [(3, d), (2, c), (1, b), (0, a)];
        if d[0] < a[0] {
            slabs.reverse();
        }
        slabs
    }
}
