//! Box queries: descends to the leaves that an area touches and tests their entries.
//!
//! TREE-1: For a static and an area that overlap, let `p` be the lower corner of their overlap, the
//! larger of both minima on each axis. The leaf below the static's root that `p` belongs to is
//! touched by the area and lists the static (CUT-2). So no static is missed.
//!
//! TREE-2: The cells of the leaves below a root partition the plane, as half-open boxes
//! `low < p <= high` without a limit on the outer sides of the root's cell. So each `p` is in the
//! cell of one leaf.
//!
//! TREE-3: A static is reported in the leaf whose cell contains `p`, if the area touches that leaf
//! and the leaf lists the static. So a static that overlaps the area is reported exactly once
//! (TREE-1, TREE-2, ROOT-1), any other at most once. A box that belongs to a leaf has its minima at
//! or below the upper edges of the leaf's cell (CUT-1), and so has `p`: only the lower edges of the
//! cell are compared.
//!
//! Cost: O(depth + entries of the leaves that the area touches).

use crate::geometry::{INFINITE_AABB, RawAabb, overlaps};
use crate::memory::body_record::BodyRecord;
use crate::tier::box_test::BoxTest;
use crate::tier::static_tree::node::{Node, SiblingsIndex};
use crate::tier::static_tree::split::{Split, SplitKind, without_outer_edges};
use crate::tier::static_tree::subtree::DEPTH_MAX;
use crate::tier::static_tree::tree::{Root, StaticTree, TreeData, TreePart};
use glam::Vec4;
use smallvec::SmallVec;
use std::iter::FusedIterator;
use std::ops::Range;

impl StaticTree {
    /// Returns the rows of the enabled statics that pass `test` among those in the leaves that
    /// `area` touches, each once. Edges of the area may be infinite.
    #[inline]
    pub(crate) fn box_query(&self, area: RawAabb, test: BoxTest) -> TreeAreaQuery<'_> {
        TreeAreaQuery::new(self, area, test)
    }

    /// Whether the leaves that `area` touches have at most `limit` entries. A static may have
    /// several, and disabled ones count too.
    pub(crate) fn has_entries_up_to(&self, limit: usize, area: &RawAabb) -> bool {
        self.entries_near(limit, area) <= limit
    }

    /// How many entries the leaves that `area` touches have. If more than `limit`, not all of them
    /// are counted.
    pub(crate) fn entries_near(&self, limit: usize, area: &RawAabb) -> usize {
        let (mut query, mut count) = (self.box_query(*area, BoxTest::Overlap), 0);
        while count <= limit && query.next_leaf() {
            count += query.left.len();
        }
        count
    }

    /// Appends the row and the box of every enabled static that overlaps `area`, each once, in the
    /// order of the leaves. Calls `check` from time to time, and ends if that returns `None`;
    /// `check` may take out what was found.
    #[inline(always)]
    pub(crate) fn collect(
        &self,
        area: &RawAabb,
        found: &mut Vec<BodyRecord>,
        check: impl FnMut(&mut Vec<BodyRecord>) -> Option<()>,
    ) -> Option<()> {
        Self::collect_from(self.box_query(*area, BoxTest::Overlap), area, found, check)
    }

    /// Appends what [`collect`](Self::collect) would, of statics that were inserted or replaced
    /// since the first tree was built.
    pub(crate) fn collect_recent(&self, area: &RawAabb, found: &mut Vec<BodyRecord>) {
        let [_, recent] = self.parts();
        let query = TreeAreaQuery::of_part(recent, *area, BoxTest::Overlap);
        let _ = Self::collect_from(query, area, found, |_| Some(()));
    }

    #[inline(always)]
    fn collect_from(
        mut query: TreeAreaQuery<'_>,
        area: &RawAabb,
        found: &mut Vec<BodyRecord>,
        mut check: impl FnMut(&mut Vec<BodyRecord>) -> Option<()>,
    ) -> Option<()> {
        while query.next_leaf() {
            let TreePart { data, hidden, .. } = query.part;
            let ranges = EdgeRanges::new(query.above, area);
            while let Some(batch) = data.run_bounds.next_batch(&mut query.left, |bounds| overlaps(bounds, area)) {
                let mut len = found.len();
                found.resize(len + batch.len(), BodyRecord::default());
                // Branchless, so that the processor loads many boxes at once.
                for (&row, &aabb) in data.entries[batch.clone()].iter().zip(&data.entry_boxes[batch]) {
                    let is_hit = ranges.contain(&aabb) & !hidden.contains(row);
                    found[len] = BodyRecord { aabb, row };
                    len += usize::from(is_hit);
                }
                found.truncate(len);
                check(found)?;
            }
        }
        Some(())
    }
}

/// The ranges of the edges of the boxes that a leaf reports, tested as one vector.
pub(super) struct EdgeRanges {
    above: Vec4,
    min: Vec4,
    max: Vec4,
}

impl EdgeRanges {
    /// Of the boxes that begin `above` a corner (TREE-3) and overlap the area.
    #[inline(always)]
    pub(super) fn new(above: [f32; 2], &[min_x, min_y, max_x, max_y]: &RawAabb) -> Self {
        let (low, high) = (f32::NEG_INFINITY, f32::INFINITY);
        Self {
            above: Vec4::new(above[0], above[1], low, low),
            min: Vec4::new(low, low, min_x, min_y),
            max: Vec4::new(max_x, max_y, high, high),
        }
    }

    #[inline(always)]
    pub(super) fn contain(&self, aabb: &RawAabb) -> bool {
        let edges = Vec4::from_array(*aabb);
        (edges.cmpgt(self.above) & edges.cmpge(self.min) & edges.cmple(self.max)).all()
    }
}

/// An iterator over the rows of the enabled statics that pass a test, among those in the leaves
/// that an area touches, each once (TREE-3).
#[derive(Clone, Debug)]
pub(crate) struct TreeAreaQuery<'t> {
    part: TreePart<'t>,
    /// The other part, until it is searched.
    next_part: Option<TreePart<'t>>,
    test: BoxTest,
    walk: LeafWalk,
    /// The roots of the present part that were not searched yet.
    roots: std::slice::Iter<'t, Root>,
    /// The cell of the present root.
    root_cell: RawAabb,
    /// The entries of the leaf that have not been tested yet.
    pub(super) left: Range<usize>,
    /// The minima of a static must exceed these to be reported in this leaf (TREE-3).
    above: [f32; 2],
    /// The last entries tested, their boxes, and a bit for each hit that has not been reported yet.
    batch: &'t [u32],
    batch_boxes: &'t [RawAabb],
    hits: u32,
}

impl<'t> TreeAreaQuery<'t> {
    fn new(tree: &'t StaticTree, area: RawAabb, test: BoxTest) -> Self {
        let [part, other] = tree.parts();
        let next_part = Some(other).filter(|other| !other.data.roots.is_empty());
        Self { next_part, ..Self::of_part(part, area, test) }
    }

    /// A query of one part.
    fn of_part(part: TreePart<'t>, area: RawAabb, test: BoxTest) -> Self {
        Self {
            part,
            next_part: None,
            test,
            walk: LeafWalk::new(area),
            roots: part.data.roots.iter(),
            root_cell: [0.0; 4],
            left: 0..0,
            above: [0.0; 2],
            batch: &[],
            batch_boxes: &[],
            hits: 0,
        }
    }

    /// Tests the next batch of entries. Returns `false` if there are no more.
    #[inline]
    fn test_batch(&mut self) -> bool {
        let batch = loop {
            let (area, is_untested) = (&self.walk.area, !self.test.needs_overlap());
            let may_hit = |bounds: &RawAabb| is_untested || overlaps(bounds, area);
            match self.part.data.run_bounds.next_batch(&mut self.left, may_hit) {
                Some(batch) => break batch,
                None if !self.next_leaf() => return false,
                None => {}
            }
        };
        self.batch = &self.part.data.entries[batch.clone()];
        self.batch_boxes = &self.part.data.entry_boxes[batch];
        self.hits = 0;
        let area = if self.test.needs_overlap() { &self.walk.area } else { &INFINITE_AABB };
        let ranges = EdgeRanges::new(self.above, area);
        // Branchless, so that the processor loads many boxes at once.
        for (k, aabb) in self.batch_boxes.iter().enumerate() {
            self.hits |= u32::from(ranges.contain(aabb)) << k;
        }
        true
    }

    /// Advances to the next leaf, below this root or another. Returns `false` if there are no more.
    #[inline]
    fn next_leaf(&mut self) -> bool {
        let mut leaf = self.walk.next_leaf(self.part.data);
        while leaf.is_none() {
            let Some(root) = self.roots.next() else {
                let Some(part) = self.next_part.take() else {
                    return false;
                };
                (self.part, self.roots) = (part, part.data.roots.iter());
                continue;
            };
            if overlaps(&root.bounds, &self.walk.area) {
                self.root_cell = root.cell;
                leaf = self.walk.descend(self.part.data, root.node, root.cell);
            }
        }
        if let Some((node, cell)) = leaf {
            self.left = node.entries();
            let low = without_outer_edges(&cell, &self.root_cell);
            let area = &self.walk.area;
            // The minima of the area are `p` where they are larger.
            self.above = [0, 1].map(|axis| if area[axis] > low[axis] { f32::NEG_INFINITY } else { low[axis] });
        }
        true
    }
}

impl Iterator for TreeAreaQuery<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        loop {
            while self.hits != 0 {
                let k = self.hits.trailing_zeros() as usize;
                self.hits &= self.hits - 1;
                let row = self.batch[k];
                if self.test.accepts(|| self.batch_boxes[k]) && !self.part.hidden.contains(row) {
                    return Some(row);
                }
            }
            if !self.test_batch() {
                return None;
            }
        }
    }
}

impl FusedIterator for TreeAreaQuery<'_> {}

/// A traversal of the leaves that an area touches.
#[derive(Clone, Debug)]
struct LeafWalk {
    area: RawAabb,
    /// One frame for each level with children left to visit, so it never leaves the stack.
    stack: SmallVec<[AreaFrame; DEPTH_MAX]>,
}

/// An inner node with touched children that are not visited yet.
#[derive(Clone, Copy, Debug)]
struct AreaFrame {
    cell: RawAabb,
    children: SiblingsIndex,
    kind: SplitKind,
    /// A bit for each child left to visit, never 0.
    remaining: u8,
}

const _: () = assert!(size_of::<AreaFrame>() == 24);

impl LeafWalk {
    #[inline(always)]
    fn new(area: RawAabb) -> Self {
        Self { area, stack: SmallVec::new() }
    }

    /// Returns the next leaf below the same root, and its cell.
    #[inline(always)]
    fn next_leaf(&mut self, data: &TreeData) -> Option<(Node, RawAabb)> {
        let (node, cell) = self.next_child(data)?;
        self.descend(data, node, cell)
    }

    #[inline(always)]
    fn descend(&mut self, data: &TreeData, mut node: Node, mut cell: RawAabb) -> Option<(Node, RawAabb)> {
        while let Some((kind, children)) = node.children() {
            let split = Split::new(kind, &cell);
            let siblings = &data.siblings[children.get()];
            let touched = split.touched_children(&self.area) & siblings.occupied();
            if touched == 0 {
                (node, cell) = self.next_child(data)?;
                continue;
            }
            let remaining = touched & (touched - 1);
            if remaining != 0 {
                debug_assert!(self.stack.len() < DEPTH_MAX);
                self.stack.push(AreaFrame { cell, children, kind, remaining: remaining as u8 });
            }
            let k = touched.trailing_zeros() as usize & 3;
            (node, cell) = (siblings.0[k], split.child_cell(&cell, k));
        }
        Some((node, cell))
    }

    #[inline(always)]
    fn next_child(&mut self, data: &TreeData) -> Option<(Node, RawAabb)> {
        let frame = self.stack.last_mut()?;
        let k = u32::from(frame.remaining).trailing_zeros() as usize & 3;
        frame.remaining &= frame.remaining - 1;
        let AreaFrame { cell, children, kind, remaining } = *frame;
        if remaining == 0 {
            self.stack.pop();
        }
        Some((data.siblings[children.get()].0[k], Split::new(kind, &cell).child_cell(&cell, k)))
    }
}
