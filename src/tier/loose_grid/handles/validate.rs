//! Checks the invariants of a grid with handles, for tests.

use crate::geometry::{Aabb, union};
use crate::tier::loose_grid::handles::grid::{CELLS_MIN, LooseGrid};
use crate::tier::loose_grid::indices::EntityIndex;

impl LooseGrid {
    /// Panics if an invariant does not hold.
    pub(in crate::tier::loose_grid) fn assert_well_formed(&self) {
        let mut occupied_count = 0;
        for (k, cell) in self.cells.iter().enumerate() {
            let mut prev = EntityIndex::NONE;
            for index in self.members(cell.head) {
                let slot = &self.slots[index];
                occupied_count += 1;
                assert!(slot.is_occupied(), "SLOT-1: {index:?} in cell {k}");
                assert_eq!(slot.prev, prev, "SLOT-2");
                assert_eq!(self.map.cell_of_center(&slot.bounds), k, "LOOSE-1: {index:?}");
                assert_eq!(union(&cell.bounds, &slot.bounds), cell.bounds, "LOOSE-2: {index:?} in cell {k}");
                prev = index;
            }
        }
        assert_eq!(occupied_count, self.len(), "LOOSE-1: each entity is in one list");
        self.slots.assert_well_formed();
        assert!(self.len() <= self.planned_len, "HANDLES-1");
        assert!(
            self.cells.len() <= CELLS_MIN.max(2 * self.slots.slot_count()),
            "HANDLES-1: {} cells",
            self.cells.len()
        );
        self.tight.assert_well_formed(&self.cells, self.entry_count_max());
    }
}

#[test]
fn slot_is_retired_before_its_generations_repeat() {
    let b = Aabb::new([0.0, 0.0], [1.0, 1.0]).expect("a box");
    let mut grid = LooseGrid::new(b, 1.0).expect("a grid");
    let first = grid.insert(b);
    grid.remove(first);
    grid.slots[EntityIndex(0)].generation = u32::MAX - 1;
    let last = grid.insert(b);
    assert_eq!((last.index, last.generation), (0, u32::MAX));
    grid.remove(last);
    let next = grid.insert(b);
    assert_eq!(next.index, 1, "slot 0 is not used again");
    grid.clear();
    grid.shrink_to_fit();
    grid.assert_well_formed();
    assert!(grid.insert(b).index != 0 && grid.aabb(first).is_none() && grid.aabb(last).is_none());
}
