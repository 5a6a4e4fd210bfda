//! What a tree must be, whatever it was built from. For tests.

use crate::geometry::RawAabb;
use crate::tier::static_tree::StaticTree;
use crate::tier::static_tree::node::{CHILD_COUNT, Node};
use crate::tier::static_tree::split::{Kind, Split};
use crate::tier::static_tree::subtree::{DEPTH_MAX, ENTRIES_A_STATIC, GROUPS_FREE, STATICS_A_GROUP};
use crate::tier::static_tree::territory::ROOT_COUNT_MAX;

/// What has been counted on the way down.
struct Seen {
    groups: Vec<bool>,
    entries: usize,
}

impl StaticTree {
    /// Panics where an invariant of the tree does not hold.
    pub(super) fn assert_well_formed(&self) {
        let mut seen = Seen { groups: vec![false; self.built.groups.len()], entries: 0 };
        let mut owned: Vec<u32> = Vec::new();
        for root in &self.built.roots {
            let mut rows = self.rows_below(root.node);
            rows.sort_unstable();
            rows.dedup();
            for &row in &rows {
                let b = &self.built.boxes[row as usize];
                let inside = (0..2).all(|k| root.bounds[k] <= b[k] && b[k + 2] <= root.bounds[k + 2]);
                assert!(inside, "row {row} reaches out of its root's bounds");
            }
            self.assert_subtree(root.node, &root.cell, &rows, 0, &mut seen);
            owned.extend(rows);
        }
        owned.sort_unstable();
        assert!(owned.iter().copied().eq(0..self.len() as u32), "R1: each row below exactly one root");
        assert!(seen.groups.iter().all(|&seen| seen), "a group that no node refers to");
        assert_eq!(seen.entries, self.built.entries.len(), "entries that no leaf lists");
        let boxes = self.built.entries.iter().map(|&row| self.built.boxes[row as usize]);
        assert!(self.built.listed.iter().copied().eq(boxes), "the boxes of entries are those of their rows");
        let rows = self.len() as u64;
        assert!(self.built.roots.len() <= ROOT_COUNT_MAX);
        assert!(self.built.entries.len() as u64 <= rows * ENTRIES_A_STATIC, "W2: entries");
        assert!(self.built.groups.len() as u64 <= rows / STATICS_A_GROUP + GROUPS_FREE, "W2: groups");
    }

    /// W1, T3: `rows` is exactly what goes to `node` by the rule, in ascending order.
    fn assert_subtree(&self, node: Node, cell: &RawAabb, rows: &[u32], depth: usize, seen: &mut Seen) {
        let Some((kind, group)) = node.children() else {
            assert_eq!(&self.built.entries[node.entries()], rows, "W1: the list of a leaf at depth {depth}");
            seen.entries += rows.len();
            return;
        };
        assert!(depth < DEPTH_MAX);
        assert!(!std::mem::replace(&mut seen.groups[group.get()], true), "a group of two parents");
        let split = Split::new(kind, cell);
        for k in 0..CHILD_COUNT {
            let goes = |row: &u32| split.reach(&self.built.boxes[*row as usize]) >> k & 1 == 1;
            let list: Vec<u32> = rows.iter().copied().filter(goes).collect();
            let (child, below) = (self.built.groups[group.get()].0[k], split.child(cell, k as u32));
            for (axis, is_cut) in [kind != Kind::SlabsY, kind != Kind::SlabsX].into_iter().enumerate() {
                let (low, high) = (below[axis], below[axis + 2]);
                let inside = cell[axis] <= low && high <= cell[axis + 2];
                assert!(inside && (low < high || !is_cut), "T3: {kind:?} of {cell:?} made {below:?}");
            }
            self.assert_subtree(child, &below, &list, depth + 1, seen);
        }
    }

    fn rows_below(&self, node: Node) -> Vec<u32> {
        match node.children() {
            None => self.built.entries[node.entries()].to_vec(),
            Some((_, group)) => {
                self.built.groups[group.get()].0.iter().flat_map(|&child| self.rows_below(child)).collect()
            }
        }
    }
}
