//! Checks the invariants of a rebuilt grid, for tests.

use crate::geometry::{EMPTY_AABB, RawAabb, overlaps, union};
use crate::tier::loose_grid::cell::entry_count_max;
use crate::tier::loose_grid::rebuilt::grid::{GROUP_LEN, RebuiltGrid, next_group_part};
use std::ops::Range;

impl RebuiltGrid {
    /// Panics if an invariant does not hold for a grid rebuilt from bodies with these boxes, in
    /// rows from 0 on.
    pub(in crate::tier::loose_grid) fn assert_well_formed(&self, boxes: &[RawAabb]) {
        assert_eq!(self.filed.len(), boxes.len());
        let mut is_filed = vec![false; boxes.len()];
        for filed in &self.filed {
            assert_eq!(filed.aabb.map(f32::to_bits), boxes[filed.row as usize].map(f32::to_bits));
            assert!(!std::mem::replace(&mut is_filed[filed.row as usize], true), "LOOSE-1: filed twice");
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
        for (k, group) in self.filed.chunks(GROUP_LEN).enumerate().take(self.body_groups.len()) {
            let bounds = group.iter().fold(EMPTY_AABB, |all, filed| union(&all, &filed.aabb));
            assert_eq!(bounds, self.body_groups[k], "REBUILT-2: group {k}");
        }
    }

    fn assert_cell(&self, cell: usize) {
        let run = self.bodies_of(cell);
        assert!(!run.is_empty(), "REBUILT-1: cell {cell} is empty");
        let bounds = self.filed[run.clone()].iter().fold(EMPTY_AABB, |all, filed| union(&all, &filed.aabb));
        assert_eq!(bounds, self.cells[cell].bounds, "LOOSE-2: cell {cell}");
        if run.len() > GROUP_LEN {
            assert!(!self.body_groups.is_empty(), "REBUILT-2: a crowded cell without groups");
            let is_sorted = |axis: usize| self.filed[run.clone()].iter().map(|filed| filed.aabb[axis]).is_sorted();
            assert!(is_sorted(0) || is_sorted(1), "REBUILT-2: cell {cell}");
        }
    }

    /// Returns the number of entries in tight cells.
    pub(in crate::tier::loose_grid) fn entry_count(&self) -> usize {
        self.tight.listed.len()
    }

    /// Returns the number of loose cells, groups and bodies that a search of an area tests.
    pub(in crate::tier::loose_grid) fn test_count(&self, area: &RawAabb) -> usize {
        let range = self.tight.map.touched(area);
        let ([x0, y0], [x1, y1]) = (range.min, range.max);
        let listed: usize = (y0..=y1).map(|y| self.tight.row(y, x0, x1).len()).sum();
        let in_groups = (0..self.cell_groups.len()).filter(|&group| overlaps(&self.cell_groups[group], area));
        let by_group = self.cell_groups.len() + in_groups.map(|group| self.cells_of_group(group).len()).sum::<usize>();
        let is_by_group = listed > self.listed_max();
        let in_cell = |cell: usize| {
            let mut run = self.bodies_of(cell);
            if run.len() <= GROUP_LEN {
                return run.len();
            }
            let groups = std::iter::from_fn(|| next_group_part(&mut run));
            let is_tested = |part: &Range<usize>| overlaps(&self.body_groups[part.start / GROUP_LEN], area);
            groups.map(|part| 1 + if is_tested(&part) { part.len() } else { 0 }).sum()
        };
        let visited = (0..self.loose_cell_count()).filter(|&cell| overlaps(&self.cells[cell].bounds, area));
        (if is_by_group { by_group } else { listed }) + visited.map(in_cell).sum::<usize>()
    }
}
