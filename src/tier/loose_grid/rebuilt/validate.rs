//! Checks the invariants of a rebuilt grid, for tests.

use crate::geometry::{EMPTY_AABB, RawAabb, union};
use crate::tier::loose_grid::cell::entry_count_max;
use crate::tier::loose_grid::rebuilt::grid::{GROUP_LEN, RebuiltGrid};

impl RebuiltGrid {
    /// Panics if an invariant does not hold for a grid rebuilt from `boxes`.
    pub(in crate::tier::loose_grid) fn assert_well_formed(&self, boxes: &[RawAabb]) {
        assert_eq!(self.filed.len(), boxes.len());
        let mut is_filed = vec![false; boxes.len()];
        for filed in &self.filed {
            assert_eq!(filed.aabb.map(f32::to_bits), boxes[filed.entity as usize].map(f32::to_bits));
            assert!(!std::mem::replace(&mut is_filed[filed.entity as usize], true), "LOOSE-1: filed twice");
        }
        if self.cells.is_empty() {
            return assert!(boxes.is_empty());
        }
        assert_eq!(self.cells[0].head.get(), 0, "REBUILT-1");
        let mut listed_counts = vec![0; self.loose_cell_count()];
        let [columns, rows] = self.tight.map.counts();
        for (x, y) in (0..rows).flat_map(|y| (0..columns).map(move |x| (x, y))) {
            let listed = self.tight.row(y, x, x);
            assert!(listed.is_sorted_by(|a, b| a < b), "LOOSE-3: ({x}, {y}) lists a cell twice");
            for k in listed {
                listed_counts[k.get()] += 1;
                let touched = self.tight.map.touched(&self.cells[k.get()].bounds);
                assert!(touched.contains(x, y), "LOOSE-3: {k:?} does not touch ({x}, {y})");
            }
        }
        for (cell, listed_count) in listed_counts.into_iter().enumerate() {
            self.assert_cell(cell);
            assert_eq!(listed_count, self.tight.map.touched(&self.cells[cell].bounds).count(), "LOOSE-3: cell {cell}");
        }
        assert!(self.tight.listed.len() <= entry_count_max(boxes.len()), "LOOSE-5");
        assert_eq!(self.tight.starts[self.tight.map.cell_count()] as usize, self.tight.listed.len());
        for (k, group) in self.filed.chunks(GROUP_LEN).enumerate().take(self.entity_groups.len()) {
            let bounds = group.iter().fold(EMPTY_AABB, |all, filed| union(&all, &filed.aabb));
            assert_eq!(bounds, self.entity_groups[k], "REBUILT-2: group {k}");
        }
    }

    fn assert_cell(&self, cell: usize) {
        let run = self.entities_of(cell);
        assert!(!run.is_empty(), "REBUILT-1: cell {cell} is empty");
        let bounds = self.filed[run.clone()].iter().fold(EMPTY_AABB, |all, filed| union(&all, &filed.aabb));
        assert_eq!(bounds, self.cells[cell].bounds, "LOOSE-2: cell {cell}");
        if run.len() > GROUP_LEN {
            assert!(!self.entity_groups.is_empty(), "REBUILT-2: a crowded cell without groups");
            let axis = usize::from(self.is_sorted_by_y(cell));
            assert!(self.filed[run].iter().map(|filed| filed.aabb[axis]).is_sorted(), "REBUILT-2: cell {cell}");
        }
    }

    /// Returns the number of entries in tight cells.
    pub(in crate::tier::loose_grid) fn entry_count(&self) -> usize {
        self.tight.listed.len()
    }

    /// Returns about how many tests of loose cells or entities the search for pairs makes.
    pub(in crate::tier::loose_grid) fn test_count(&self) -> usize {
        let lists = self.tight.starts.windows(2).take(self.tight.map.cell_count()).map(|ends| ends[1] - ends[0]);
        let by_group = self.cell_groups.len() * self.cells.len();
        let between_cells = lists.map(|len| (len as usize).pow(2)).sum::<usize>().min(by_group);
        let within_cell = |cell: usize| {
            let run = &self.filed[self.entities_of(cell)];
            if run.len() <= GROUP_LEN {
                return run.len().pow(2) / 2;
            }
            let axis = usize::from(self.is_sorted_by_y(cell));
            let swept = |k: usize| run[k + 1..].iter().take_while(|b| b.aabb[axis] <= run[k].aabb[axis + 2]).count();
            (0..run.len()).map(swept).sum()
        };
        between_cells + (0..self.loose_cell_count()).map(within_cell).sum::<usize>()
    }
}
