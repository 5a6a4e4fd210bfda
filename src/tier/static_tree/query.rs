//! The walk down the tree, and the two ways to read it.
//!
//! Q1: the leaf of a static's root that holds the corner `p`, the larger of both minima on each axis, is reached by
//!     every area that overlaps the static, and lists it (T2); so all are found.
//! Q2: the walk's stack has one frame a level, of those children that are still to be seen, never none; so at most
//!     `DEPTH_MAX` frames, and it stays off the heap.
//!
//! Cost: O(depth + entries of the leaves that the area reaches).

use super::grow::DEPTH_MAX;
use super::node::{GroupIndex, Node};
use super::split::{Kind, Split};
use super::{Built, Root, StaticTree};
use crate::geometry::{RawBox, overlaps};
use crate::storage::bitset::BitSet;
use smallvec::SmallVec;
use std::iter::FusedIterator;

/// Leaf entries that are tested at once.
const BATCH: usize = 256;

/// An inner node on the way down.
#[derive(Clone, Copy, Debug)]
struct Frame {
    cell: RawBox,
    group: GroupIndex,
    kind: Kind,
    /// Q2: children still to be seen, a bit each.
    left: u8,
}

const _: () = assert!(size_of::<Frame>() == 24);

/// The leaves that an area reaches, one by one.
#[derive(Clone, Debug)]
struct Walk {
    area: RawBox,
    stack: SmallVec<[Frame; DEPTH_MAX]>,
}

impl Walk {
    #[inline(always)]
    fn new(area: RawBox) -> Self {
        Self { area, stack: SmallVec::new() }
    }

    /// From `node` down to the next leaf, or from where the walk stopped last.
    #[inline(always)]
    fn next_leaf(&mut self, tree: &Built, start: Option<(Node, RawBox)>) -> Option<(Node, RawBox)> {
        let (mut node, mut cell) = match start {
            Some(start) => start,
            None => self.next_child(tree)?,
        };
        while let Some((kind, group)) = node.children() {
            let reach = Split::new(kind, &cell).reach(&self.area);
            let left = reach & tree.groups[group.get()].occupied();
            if left != 0 {
                debug_assert!(self.stack.len() < DEPTH_MAX, "Q2");
                self.stack.push(Frame { cell, group, kind, left: left as u8 });
            }
            (node, cell) = self.next_child(tree)?;
        }
        Some((node, cell))
    }

    #[inline(always)]
    fn next_child(&mut self, tree: &Built) -> Option<(Node, RawBox)> {
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

/// Iterates the rows of enabled statics that overlap an area, each once. Made by
/// [`StaticTree::query_aabb`].
///
/// Q3: a static is reported in the one leaf whose cell holds the corner of Q1. The cells of a root's leaves are
/// half-open, `low < p <= high`, without a limit on the root's outer sides, so they part the plane; and a static is
/// below one root only.
#[derive(Clone, Debug)]
pub struct QueryAabb<'t> {
    tree: &'t Built,
    disabled: &'t BitSet,
    walk: Walk,
    roots: std::slice::Iter<'t, Root>,
    /// The root that is walked.
    root_cell: RawBox,
    /// What is left of the leaf, and the leaf's cell.
    entries: std::slice::Iter<'t, u32>,
    cell: RawBox,
}

impl<'t> QueryAabb<'t> {
    pub(super) fn new(tree: &'t StaticTree, area: RawBox) -> Self {
        let StaticTree { built: tree, disabled } = tree;
        let (roots, entries) = (tree.roots.iter(), [].iter());
        Self { tree, disabled, walk: Walk::new(area), roots, root_cell: [0.0; 4], entries, cell: [0.0; 4] }
    }

    /// The next leaf below this root or the next one that the area meets; whether there is one.
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
            self.entries = self.tree.entries[node.entries()].iter();
            self.cell = unbounded(cell, &self.root_cell);
        }
        true
    }
}

impl Iterator for QueryAabb<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let area = self.walk.area;
        loop {
            for &row in self.entries.by_ref() {
                let aabb = &self.tree.boxes[row as usize];
                if overlaps(aabb, &area) && owns_corner(&self.cell, aabb, &area) && !self.disabled.contains(row) {
                    return Some(row);
                }
            }
            if !self.next_leaf() {
                return None;
            }
        }
    }
}

impl FusedIterator for QueryAabb<'_> {}

/// Q3: the cell without its outer edges. By T3 an edge equals the root's only where it is one.
fn unbounded(cell: RawBox, root: &RawBox) -> RawBox {
    let open = [f32::NEG_INFINITY, f32::NEG_INFINITY, f32::INFINITY, f32::INFINITY];
    std::array::from_fn(|edge| if cell[edge] == root[edge] { open[edge] } else { cell[edge] })
}

/// Q3: whether the corner of Q1 is in the half-open cell.
#[inline(always)]
fn owns_corner(cell: &RawBox, a: &RawBox, b: &RawBox) -> bool {
    let (x, y) = (a[0].max(b[0]), a[1].max(b[1]));
    (cell[0] < x) & (x <= cell[2]) & (cell[1] < y) & (y <= cell[3])
}

impl StaticTree {
    /// Appends every enabled static that overlaps `area` to `found`, each once, in the order of the leaves. `seen` has
    /// room for [`len`](Self::len) rows; it is all clear before and after. Allocates only what `found` grows by.
    pub(crate) fn collect(&self, area: &RawBox, seen: &mut BitSet, found: &mut Vec<u32>) {
        self.collect_up_to(usize::MAX, area, seen, found);
    }

    /// Like [`collect`](Self::collect), unless there are more than `limit`: then it gives up, with nothing appended, and
    /// says so by `false`.
    pub(crate) fn collect_up_to(&self, limit: usize, area: &RawBox, seen: &mut BitSet, found: &mut Vec<u32>) -> bool {
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
    fn test(&self, area: &RawBox, from: usize, seen: &mut BitSet, found: &mut Vec<u32>) -> usize {
        let (boxes, disabled) = (&self.built.boxes[..], &self.disabled);
        let mut count = from;
        for k in from..found.len() {
            let row = found[k];
            let hit = overlaps(&boxes[row as usize], area) & !disabled.contains(row);
            found[count] = row;
            count += usize::from(seen.insert_if(hit, row));
        }
        found.truncate(count);
        count
    }
}
