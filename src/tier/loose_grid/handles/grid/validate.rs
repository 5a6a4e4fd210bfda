//! What must hold after every call.

use crate::geometry::Aabb;
use crate::tier::loose_grid::handles::grid::{CELLS_MIN, LooseGrid};
use crate::tier::loose_grid::{EntityIndex, union};

impl LooseGrid {
    /// Panics where T1 to T5 or H1 to H3 do not hold.
    pub(in crate::tier::loose_grid) fn assert_well_formed(&self) {
        let mut met = vec![0; self.slots.len()];
        for (k, cell) in self.cells.iter().enumerate() {
            let (mut before, mut at) = (EntityIndex::NONE, cell.head);
            while let Some(index) = at.some() {
                let slot = self.slot(index);
                met[index.at()] += 1;
                assert!(met[index.at()] == 1 && slot.generation & 1 == 1, "H1: {index:?} in cell {k}");
                assert_eq!(slot.prev, before, "H2");
                assert_eq!(self.map.cell_of_center(&slot.bounds), k, "T1: {index:?}");
                assert_eq!(union(&cell.bounds, &slot.bounds), cell.bounds, "T2: {index:?} in cell {k}");
                (before, at) = (index, slot.next);
            }
        }
        let mut at = self.free;
        while let Some(index) = at.some() {
            met[index.at()] += 1;
            assert!(met[index.at()] == 1 && self.slot(index).generation & 1 == 0, "H1: {index:?} is free");
            at = self.slot(index).next;
        }
        assert!(met.iter().zip(&self.slots).all(|(&met, slot)| met == 1 || slot.generation == 0), "H2: a slot is lost");
        assert_eq!(self.len, self.slots.iter().filter(|slot| slot.generation & 1 == 1).count());
        assert!(self.len <= self.planned, "H3");
        assert!(self.cells.len() <= CELLS_MIN.max(2 * self.slots.len()), "H3: {} cells", self.cells.len());
        self.tight.assert_well_formed(&self.cells, self.entries_max());
    }
}

#[test]
fn a_slot_retires_before_its_generations_repeat() {
    let b = Aabb::new([0.0, 0.0], [1.0, 1.0]).expect("a box");
    let mut grid = LooseGrid::new(b, 1.0).expect("a grid");
    let first = grid.insert(b);
    grid.remove(first);
    grid.slots[0].generation = u32::MAX - 1;
    let last = grid.insert(b);
    assert_eq!((last.index, last.generation), (0, u32::MAX));
    grid.remove(last);
    let next = grid.insert(b);
    assert_eq!(next.index, 1, "slot 0 is not used again");
    grid.clear();
    grid.shrink_to_fit();
    grid.assert_well_formed();
    assert!(grid.insert(b).index != 0 && grid.get(first).is_none() && grid.get(last).is_none());
}
