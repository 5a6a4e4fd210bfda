//! The walk down the tree to the leaves that an area reaches, and the ways to read it.
//!
//! Q1: the leaf of a static's root that holds the corner `p`, the larger of both minima on each axis, is reached by
//!     every area that overlaps the static, and lists it (T2); so all are found.
//! Q2: the walk's stack has one frame a level, of those children that are still to be seen, never none; so at most
//!     `DEPTH_MAX` frames, and it stays off the heap.
//! Q3: the cells of a root's leaves are half-open, `low < p <= high`, without a limit on the root's outer sides, so they
//!     part the plane, and a static is below one root only: each corner is in one leaf.
//! Q4: a static is reported in the leaf whose cell holds its corner, if that leaf is reached and lists it. One that
//!     overlaps the area is reported exactly once (Q1, Q3), any other at most once (Q3). Whoever got to a leaf has its
//!     minima at or below the upper edges of the leaf's cell (T1), statics and area alike, and so has the corner: only the
//!     lower edges are left to be compared.
//!
//! Cost: O(depth + entries of the leaves that the area reaches).

use crate::geometry::{RawAabb, overlaps};
use crate::memory::bit_set::BitSet;
use crate::tier::box_test::BoxTest;
use crate::tier::static_tree::node::{GroupIndex, Node};
use crate::tier::static_tree::split::{Kind, Split};
use crate::tier::static_tree::subtree::DEPTH_MAX;
use crate::tier::static_tree::{Built, Root, StaticTree};
use smallvec::SmallVec;
use std::iter::FusedIterator;

/// Leaf entries that are tested at once.
const BATCH: usize = 256;

/// Leaf entries that are tested at once where hits are drawn or visited one by one: bits of a word. More than most leaves
/// have.
pub(crate) const TESTED_MAX: usize = u32::BITS as usize;

/// An inner node on the way down.
#[derive(Clone, Copy, Debug)]
struct Frame {
    cell: RawAabb,
    group: GroupIndex,
    kind: Kind,
    /// Q2: children still to be seen, a bit each.
    left: u8,
}

const _: () = assert!(size_of::<Frame>() == 24);

/// The leaves that an area reaches, one by one.
#[derive(Clone, Debug)]
struct Walk {
    area: RawAabb,
    stack: SmallVec<[Frame; DEPTH_MAX]>,
}

impl Walk {
    #[inline(always)]
    fn new(area: RawAabb) -> Self {
        Self { area, stack: SmallVec::new() }
    }

    /// From `node` down to the next leaf, or from where the walk stopped last.
    #[inline(always)]
    fn next_leaf(&mut self, tree: &Built, start: Option<(Node, RawAabb)>) -> Option<(Node, RawAabb)> {
        let (mut node, mut cell) = match start {
            Some(start) => start,
            None => self.next_child(tree)?,
        };
        while let Some((kind, group)) = node.children() {
            let split = Split::new(kind, &cell);
            let reach = split.reach(&self.area);
            let nodes = &tree.groups[group.get()];
            let reached = reach & nodes.occupied();
            if reached == 0 {
                (node, cell) = self.next_child(tree)?;
                continue;
            }
            let left = reached & (reached - 1);
            if left != 0 {
                debug_assert!(self.stack.len() < DEPTH_MAX, "Q2");
                self.stack.push(Frame { cell, group, kind, left: left as u8 });
            }
            let k = reached.trailing_zeros();
            (node, cell) = (nodes.0[k as usize & 3], split.child(&cell, k));
        }
        Some((node, cell))
    }

    #[inline(always)]
    fn next_child(&mut self, tree: &Built) -> Option<(Node, RawAabb)> {
        let frame = self.stack.last_mut()?;
        let k = u32::from(frame.left).trailing_zeros();
        frame.left &= frame.left - 1;
        let Frame { cell, group, kind, left } = *frame;
        if left == 0 {
            self.stack.pop();
        }
        let node = tree.groups[group.get()].0[k as usize & 3];
        Some((node, Split::new(kind, &cell).child(&cell, k)))
    }
}

/// The rows of enabled statics that an area's leaves list and that pass a test, each from one leaf (Q4), as they are drawn.
#[derive(Clone, Debug)]
pub(crate) struct Found<'t> {
    tree: &'t Built,
    disabled: &'t BitSet,
    test: BoxTest,
    walk: Walk,
    roots: std::slice::Iter<'t, Root>,
    /// The root that is walked.
    root_cell: RawAabb,
    /// What is left of the leaf, its boxes, and what a lower corner has to lie above for it to be reported there (Q4).
    entries: &'t [u32],
    boxes: &'t [RawAabb],
    above: [f32; 2],
    /// Entries that were tested, their boxes, and which of them are still to be reported, a bit each.
    batch: &'t [u32],
    batch_boxes: &'t [RawAabb],
    hits: u32,
}

impl<'t> Found<'t> {
    fn new(tree: &'t StaticTree, area: RawAabb, test: BoxTest) -> Self {
        let StaticTree { built: tree, disabled } = tree;
        let (walk, roots) = (Walk::new(area), tree.roots.iter());
        Self {
            tree,
            disabled,
            test,
            walk,
            roots,
            root_cell: [0.0; 4],
            entries: &[],
            boxes: &[],
            above: [0.0; 2],
            batch: &[],
            batch_boxes: &[],
            hits: 0,
        }
    }

    /// Entries of the present leaf that were not tested yet.
    #[cfg(test)]
    pub(crate) fn untested_in_leaf(&self) -> usize {
        self.entries.len()
    }

    /// The next leaf below this root or the next one that the area meets; whether there is one.
    #[inline]
    fn next_leaf(&mut self) -> bool {
        let mut leaf = self.walk.next_leaf(self.tree, None);
        while leaf.is_none() {
            let Some(root) = self.roots.next() else {
                return false;
            };
            if overlaps(&root.bounds, &self.walk.area) {
                self.root_cell = root.cell;
                leaf = self.walk.next_leaf(self.tree, Some((root.node, root.cell)));
            }
        }
        if let Some((node, cell)) = leaf {
            self.entries = &self.tree.entries[node.entries()];
            self.boxes = &self.tree.listed[node.entries()];
            self.above = corners_above(&cell, &self.root_cell, &self.walk.area);
        }
        true
    }

    /// Tests some more entries; whether there were any.
    ///
    /// Without a branch an entry: the processor waits for many boxes at once, and mispredicts none of them.
    #[inline]
    fn next_batch(&mut self) -> bool {
        while self.entries.is_empty() {
            if !self.next_leaf() {
                return false;
            }
        }
        let count = self.entries.len().min(TESTED_MAX);
        (self.batch, self.entries) = self.entries.split_at(count);
        (self.batch_boxes, self.boxes) = self.boxes.split_at(count);
        self.hits = 0;
        let (area, untested) = (&self.walk.area, !self.test.needs_overlap());
        for (k, aabb) in self.batch_boxes.iter().enumerate() {
            let is_hit = (aabb[0] > self.above[0]) & (aabb[1] > self.above[1]) & (overlaps(aabb, area) | untested);
            self.hits |= u32::from(is_hit) << k;
        }
        true
    }
}

impl Iterator for Found<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        loop {
            while self.hits != 0 {
                let k = self.hits.trailing_zeros() as usize;
                self.hits &= self.hits - 1;
                let row = self.batch[k];
                if self.test.accepts(|| self.batch_boxes[k]) && !self.disabled.contains(row) {
                    return Some(row);
                }
            }
            if !self.next_batch() {
                return None;
            }
        }
    }
}

impl FusedIterator for Found<'_> {}

/// Q3: the cell without its outer edges. By T3 an edge equals the root's only where it is one.
#[inline]
pub(crate) fn unbounded(cell: &RawAabb, root: &RawAabb) -> RawAabb {
    let open = [f32::NEG_INFINITY, f32::NEG_INFINITY, f32::INFINITY, f32::INFINITY];
    std::array::from_fn(|edge| if cell[edge] == root[edge] { open[edge] } else { cell[edge] })
}

/// Q4: what a static's minima have to be above for its corner to be in the cell: the cell's lower edges, or nothing where
/// the area's own minima are above them.
#[inline]
fn corners_above(cell: &RawAabb, root: &RawAabb, area: &RawAabb) -> [f32; 2] {
    let low = unbounded(cell, root);
    std::array::from_fn(|axis| if area[axis] > low[axis] { f32::NEG_INFINITY } else { low[axis] })
}

impl StaticTree {
    /// The enabled statics that pass `test`, of those that lie near `area`, each once. Edges of the area may be infinite.
    pub(crate) fn search(&self, area: RawAabb, test: BoxTest) -> Found<'_> {
        Found::new(self, area, test)
    }

    /// Appends every enabled static that overlaps `area` to `found`, each once, in the order of the leaves. `seen` has
    /// room for [`len`](Self::len) rows; it is all clear before and after. Allocates only what `found` grows by.
    pub(crate) fn collect(&self, area: &RawAabb, seen: &mut BitSet, found: &mut Vec<u32>) {
        self.collect_up_to(usize::MAX, area, seen, found);
    }

    /// Like [`collect`](Self::collect), unless there are more than `limit`: then it gives up, with nothing appended, and
    /// says so by `false`.
    pub(crate) fn collect_up_to(&self, limit: usize, area: &RawAabb, seen: &mut BitSet, found: &mut Vec<u32>) -> bool {
        let tree: &Built = &self.built;
        let first = found.len();
        // Up to here they were tested.
        let mut tested = first;
        let mut walk = Walk::new(*area);
        'roots: for root in tree.roots.iter().filter(|root| overlaps(&root.bounds, area)) {
            let mut leaf = walk.next_leaf(tree, Some((root.node, root.cell)));
            while let Some((node, _)) = leaf {
                found.extend_from_slice(&tree.entries[node.entries()]);
                if found.len() - tested >= BATCH {
                    tested = self.test(area, tested, seen, found);
                    if tested - first > limit {
                        break 'roots;
                    }
                }
                leaf = walk.next_leaf(tree, None);
            }
        }
        self.test(area, tested, seen, found);
        for &row in &found[first..] {
            seen.remove(row);
        }
        let within = found.len() - first <= limit;
        if !within {
            found.truncate(first);
        }
        within
    }

    /// Keeps those of the rows from `from` on that overlap the area, are enabled and not yet `seen`; returns the end.
    ///
    /// Apart from the walk, and without a branch a row: the processor then waits for many boxes at once.
    fn test(&self, area: &RawAabb, from: usize, seen: &mut BitSet, found: &mut Vec<u32>) -> usize {
        let mut count = from;
        for k in from..found.len() {
            let row = found[k];
            let hit = overlaps(&self.built.boxes[row as usize], area) & !self.disabled.contains(row);
            found[count] = row;
            count += usize::from(seen.insert_if(hit, row));
        }
        found.truncate(count);
        count
    }
}
