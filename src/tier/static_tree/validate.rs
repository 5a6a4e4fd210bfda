//! Checks the invariants of a tree, for tests.

use crate::geometry::{RawAabb, contains, is_no_box};
use crate::tier::static_tree::node::Node;
use crate::tier::static_tree::roots::ROOT_COUNT_MAX;
use crate::tier::static_tree::split::{Split, SplitKind};
use crate::tier::static_tree::subtree::{DEPTH_MAX, ENTRIES_PER_STATIC, SIBLINGS_FREE, STATICS_PER_SIBLINGS};
use crate::tier::static_tree::tree::{StaticTree, TreeData};

/// Counts of the traversal.
struct Counted {
    is_siblings_seen: Vec<bool>,
    entry_count: usize,
}

impl StaticTree {
    /// Panics if an invariant of the tree does not hold.
    pub(super) fn assert_well_formed(&self) {
        let changed: Vec<u32> = self.changed.iter().map(|changed| changed.row).collect();
        assert!(changed.is_sorted_by(|a, b| a < b), "changed rows ascend");
        let is_changed = |row: u32| changed.binary_search(&row).is_ok();
        let vacant_count = (0..self.len() as u32).filter(|&row| self.rows.is_vacant(row)).count();
        assert_eq!(self.removed_count(), vacant_count, "removed rows are counted");
        let mut boxes: Vec<RawAabb> = self.raw_boxes().copied().collect();
        self.recent.assert_well_formed(&boxes, |row| is_changed(row) && !self.rows.is_vacant(row));
        self.changed.iter().for_each(|changed| boxes[changed.row as usize] = changed.built_box);
        self.built.assert_well_formed(&boxes, |row| !is_no_box(&boxes[row as usize]));
        for row in 0..self.len() as u32 {
            assert_eq!(self.hidden.contains(row), self.disabled.contains(row) || is_changed(row), "EDIT-1: row {row}");
        }
    }
}

impl TreeData {
    /// Panics if this is not a tree of the rows that are `listed`.
    fn assert_well_formed(&self, boxes: &[RawAabb], listed: impl Fn(u32) -> bool) {
        let data = self;
        let mut counted = Counted { is_siblings_seen: vec![false; data.siblings.len()], entry_count: 0 };
        let mut all_rows: Vec<u32> = Vec::new();
        for root in &data.roots {
            let mut rows = self.rows_below(root.node);
            rows.sort_unstable();
            rows.dedup();
            for &row in &rows {
                let is_inside = contains(&root.bounds, &boxes[row as usize]);
                assert!(is_inside, "row {row} is not within the bounds of its root");
            }
            self.assert_subtree(root.node, (&root.cell, boxes), &rows, 0, &mut counted);
            all_rows.extend(rows);
        }
        all_rows.sort_unstable();
        let wanted = (0..boxes.len() as u32).filter(|&row| listed(row));
        assert!(all_rows.iter().copied().eq(wanted), "ROOT-1: each row is below exactly one root");
        assert!(counted.is_siblings_seen.iter().all(|&seen| seen), "no node refers to some siblings");
        assert_eq!(counted.entry_count, data.entries.len(), "no leaf lists some entries");
        let boxes = data.entries.iter().map(|&row| boxes[row as usize]);
        assert!(data.entry_boxes.iter().copied().eq(boxes), "the boxes of entries are those of their rows");
        let rows = all_rows.len() as u64;
        assert!(data.roots.len() <= ROOT_COUNT_MAX);
        assert!(data.entries.len() as u64 <= rows * ENTRIES_PER_STATIC, "SUBTREE-2: entries");
        assert!(data.siblings.len() as u64 <= rows / STATICS_PER_SIBLINGS + SIBLINGS_FREE, "SUBTREE-2: siblings");
    }

    /// Asserts CUT-3, and that `rows` is exactly what belongs to `node`, ascending (SUBTREE-1).
    fn assert_subtree(
        &self,
        node: Node,
        (cell, boxes): (&RawAabb, &[RawAabb]),
        rows: &[u32],
        depth: usize,
        counted: &mut Counted,
    ) {
        let data = self;
        let Some((kind, children)) = node.children() else {
            let mut list = data.entries[node.entries()].to_vec();
            list.sort_unstable();
            assert_eq!(list, rows, "SUBTREE-1: the list of a leaf at depth {depth}");
            counted.entry_count += rows.len();
            return;
        };
        assert!(depth < DEPTH_MAX);
        let was_seen = std::mem::replace(&mut counted.is_siblings_seen[children.get()], true);
        assert!(!was_seen, "siblings of two parents");
        let split = Split::new(kind, cell);
        for (k, &child) in data.siblings[children.get()].0.iter().enumerate() {
            let belongs = |row: &u32| split.touched_children(&boxes[*row as usize]) >> k & 1 == 1;
            let list: Vec<u32> = rows.iter().copied().filter(belongs).collect();
            let below = split.child_cell(cell, k);
            for (axis, is_cut) in [kind != SplitKind::SlabsY, kind != SplitKind::SlabsX].into_iter().enumerate() {
                let (low, high) = (below[axis], below[axis + 2]);
                let is_inside = cell[axis] <= low && high <= cell[axis + 2];
                assert!(is_inside && (low < high || !is_cut), "CUT-3: {kind:?} of {cell:?} made {below:?}");
            }
            self.assert_subtree(child, (&below, boxes), &list, depth + 1, counted);
        }
    }

    fn rows_below(&self, node: Node) -> Vec<u32> {
        match node.children() {
            None => self.entries[node.entries()].to_vec(),
            Some((_, children)) => {
                self.siblings[children.get()].0.iter().flat_map(|&child| self.rows_below(child)).collect()
            }
        }
    }
}
