//! What must hold after every rebuild.

use super::{CHUNK_LEN, RebuiltGrid};
use crate::geometry::RawBox;
use crate::tier::loose_grid::{ENTRIES_PER_ENTITY, ENTRIES_SLACK, NOTHING, narrow, union};

impl RebuiltGrid {
    /// Panics where T1 to T5 or R2, R3 do not hold of what was made from `boxes`.
    pub(crate) fn assert_well_formed(&self, boxes: &[RawBox]) {
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
        for cell in 0..self.loose_cell_count() {
            self.assert_cell(cell);
        }
        assert!(self.tight.listed.len() <= ENTRIES_PER_ENTITY * boxes.len() + ENTRIES_SLACK, "T5");
        assert_eq!(self.tight.starts[self.tight.map.cell_count()] as usize, self.tight.listed.len());
        for (k, chunk) in self.filed.chunks(CHUNK_LEN).enumerate().take(self.chunks.len()) {
            let covered = chunk.iter().fold(NOTHING, |all, filed| union(&all, &filed.bounds));
            assert_eq!(covered, self.chunks[k], "R3: a chunk covers its entities");
        }
    }

    fn assert_cell(&self, cell: usize) {
        let run = self.run(cell);
        assert!(!run.is_empty(), "R2: cell {cell} is empty");
        let covered = self.filed[run.clone()].iter().fold(NOTHING, |all, filed| union(&all, &filed.bounds));
        assert_eq!(covered, self.cells[cell].bounds, "T2: cell {cell}");
        let range = self.tight.map.range(&self.cells[cell].bounds);
        for y in 0..self.tight.map.counts()[1] {
            for x in 0..self.tight.map.counts()[0] {
                let listed = self.tight.row(y, x, x).iter().filter(|k| k.at() == cell).count();
                assert_eq!(listed, usize::from(range.contains(x, y)), "T3: cell {cell} in tight cell ({x}, {y})");
            }
        }
        if run.len() > CHUNK_LEN {
            assert!(!self.chunks.is_empty(), "R3: crowded, but no chunks");
            let axis = usize::from(self.upright.contains(narrow(cell)));
            let mins = self.filed[run].iter().map(|filed| filed.bounds[axis]);
            assert!(mins.is_sorted(), "R3: cell {cell} is not in order");
        }
    }
}
