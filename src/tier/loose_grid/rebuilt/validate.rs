//! What must hold after every rebuild.

use crate::geometry::RawAabb;
use crate::tier::loose_grid::rebuilt::{CHUNK_LEN, RebuiltGrid};
use crate::tier::loose_grid::{ENTRIES_PER_ENTITY, ENTRIES_SLACK, NOTHING, narrow, union};

impl RebuiltGrid {
    /// Panics where T1 to T5 or R2, R3 do not hold of what was made from `boxes`.
    pub(crate) fn assert_well_formed(&self, boxes: &[RawAabb]) {
        assert_eq!(self.filed.len(), boxes.len());
        let mut filed_once = vec![false; boxes.len()];
        for filed in &self.filed {
            assert_eq!(filed.bounds.map(f32::to_bits), boxes[filed.entity as usize].map(f32::to_bits));
            assert!(!std::mem::replace(&mut filed_once[filed.entity as usize], true), "T1: filed twice");
        }
        if self.cells.is_empty() {
            return assert!(boxes.is_empty());
        }
        assert_eq!(self.cells[0].head.at(), 0, "R2");
        let mut listed = vec![0; self.loose_cell_count()];
        let [columns, rows] = self.tight.map.counts();
        for (x, y) in (0..rows).flat_map(|y| (0..columns).map(move |x| (x, y))) {
            let row = self.tight.row(y, x, x);
            assert!(row.is_sorted_by(|a, b| a < b), "T3: ({x}, {y}) lists one twice");
            for k in row {
                listed[k.at()] += 1;
                assert!(
                    self.tight.map.range(&self.cells[k.at()].bounds).contains(x, y),
                    "T3: {k:?} is not at ({x}, {y})"
                );
            }
        }
        for (cell, listed) in listed.into_iter().enumerate() {
            self.assert_cell(cell);
            assert_eq!(listed, self.tight.map.range(&self.cells[cell].bounds).count(), "T3: cell {cell}");
        }
        assert!(self.tight.listed.len() <= ENTRIES_PER_ENTITY * boxes.len() + ENTRIES_SLACK, "T5");
        assert_eq!(self.tight.starts[self.tight.map.cell_count()] as usize, self.tight.listed.len());
        for (k, chunk) in self.filed.chunks(CHUNK_LEN).enumerate().take(self.chunks.len()) {
            let covered = chunk.iter().fold(NOTHING, |all, filed| union(&all, &filed.bounds));
            assert_eq!(covered, self.chunks[k], "R3: a chunk covers its entities");
        }
    }

    /// Entries in the tight grid.
    pub(crate) fn entry_count(&self) -> usize {
        self.tight.listed.len()
    }

    /// How many tests of two loose cells or two entities the pass over all pairs makes, about.
    pub(crate) fn test_count(&self) -> usize {
        let lists = self.tight.starts.windows(2).take(self.tight.map.cell_count()).map(|ends| ends[1] - ends[0]);
        let covers = self.covers.len() * self.cells.len();
        let cells = lists.map(|len| (len as usize).pow(2)).sum::<usize>().min(covers);
        let own = |cell: usize| {
            let run = &self.filed[self.run(cell)];
            let axis = usize::from(self.upright.contains(narrow(cell)));
            let near = |k: usize| run[k + 1..].iter().take_while(|b| b.bounds[axis] <= run[k].bounds[axis + 2]).count();
            if run.len() <= CHUNK_LEN { run.len().pow(2) / 2 } else { (0..run.len()).map(near).sum() }
        };
        cells + (0..self.loose_cell_count()).map(own).sum::<usize>()
    }

    fn assert_cell(&self, cell: usize) {
        let run = self.run(cell);
        assert!(!run.is_empty(), "R2: cell {cell} is empty");
        let covered = self.filed[run.clone()].iter().fold(NOTHING, |all, filed| union(&all, &filed.bounds));
        assert_eq!(covered, self.cells[cell].bounds, "T2: cell {cell}");
        if run.len() > CHUNK_LEN {
            assert!(!self.chunks.is_empty(), "R3: crowded, but no chunks");
            let axis = usize::from(self.upright.contains(narrow(cell)));
            let mins = self.filed[run].iter().map(|filed| filed.bounds[axis]);
            assert!(mins.is_sorted(), "R3: cell {cell} is not in order");
        }
    }
}
