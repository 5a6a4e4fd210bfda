//! Pairs of a [`LooseGrid`].

use crate::geometry::overlaps;
use crate::tier::loose_grid::cell::LooseCell;
use crate::tier::loose_grid::handles::grid::LooseGrid;
use crate::tier::loose_grid::handles::slots::LooseHandle;
use crate::tier::loose_grid::indices::{EntityIndex, LooseIndex};

impl LooseGrid {
    /// Replaces the contents of `pairs` with all pairs of boxes that overlap, each once. Touching
    /// is overlap.
    ///
    /// # Determinism
    ///
    /// The order depends only on the calls made before.
    ///
    /// # Cost
    ///
    /// O(boxes + pairs) if no loose cell is crowded and few boxes are as long as the area. All
    /// boxes in one loose cell are tested against each other. Boxes outside of the area are filed
    /// in the cells at its edge, so many of them make these cells crowded. Allocates only if
    /// `pairs` has too little capacity.
    ///
    /// # Example
    ///
    /// ```
    /// use triphase::{Aabb, tier::loose_grid::LooseGrid};
    ///
    /// let mut grid = LooseGrid::new(Aabb::new([0.0, 0.0], [100.0, 100.0])?, 5.0)?;
    /// let a = grid.insert(Aabb::new([0.0, 0.0], [4.0, 4.0])?);
    /// let b = grid.insert(Aabb::new([4.0, 0.0], [8.0, 4.0])?);
    /// let mut pairs = Vec::new();
    /// grid.find_pairs(&mut pairs);
    /// assert!(pairs == [(a, b)] || pairs == [(b, a)]);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn find_pairs(&self, pairs: &mut Vec<(LooseHandle, LooseHandle)>) {
        pairs.clear();
        let is_held = |cell: &LooseIndex| self.cells[cell.get()].head.some().is_some();
        let held = || (0..self.cells.len()).map(LooseIndex::new).filter(is_held);
        for cell in held() {
            let LooseCell { bounds, head } = self.cells[cell.get()];
            for a in self.members(head) {
                self.pair_with_list(a, self.slots[a].next, pairs);
            }
            if self.tight.is_unlisted(cell) {
                // With all others; for two unlisted cells, from the first one.
                let others = held().filter(|&other| other > cell || !self.tight.is_unlisted(other));
                others.for_each(|other| self.pair_cells(cell, other, pairs));
            } else {
                let others = self.cells_in(bounds).filter(|&other| other > cell);
                others.for_each(|other| self.pair_cells(cell, other, pairs));
            }
        }
    }

    fn pair_cells(&self, cell: LooseIndex, other: LooseIndex, pairs: &mut Vec<(LooseHandle, LooseHandle)>) {
        let (cell, other) = (&self.cells[cell.get()], &self.cells[other.get()]);
        if overlaps(&cell.bounds, &other.bounds) {
            let nearby = self.members(cell.head).filter(|&a| overlaps(&self.slots[a].bounds, &other.bounds));
            nearby.for_each(|a| self.pair_with_list(a, other.head, pairs));
        }
    }

    /// Adds the pairs of an entity with those of a list that begins with `head`.
    fn pair_with_list(&self, a: EntityIndex, head: EntityIndex, pairs: &mut Vec<(LooseHandle, LooseHandle)>) {
        let bounds = &self.slots[a].bounds;
        let hits = self.members(head).filter(|&b| overlaps(bounds, &self.slots[b].bounds));
        pairs.extend(hits.map(|b| (self.slots.handle(a), self.slots.handle(b))));
    }
}
