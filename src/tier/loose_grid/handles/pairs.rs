//! Pairs of a [`LooseGrid`].

use crate::geometry::{RawAabb, overlaps};
use crate::tier::loose_grid::handles::grid::{LooseGrid, LooseHandle};
use crate::tier::loose_grid::{EntityIndex, LooseIndex};

impl LooseGrid {
    /// Fills `pairs`, which is cleared first, with each two boxes that overlap, once; touching is overlap.
    ///
    /// # Cost
    ///
    /// O(boxes) where no loose cell is crowded and few boxes are as long as the area; boxes in one loose cell are all
    /// tested against each other, and so is whatever lies outside of the area, in the cells at its border.
    ///
    /// # Determinism
    ///
    /// The order is a pure function of the calls made before.
    pub fn find_pairs(&self, pairs: &mut Vec<(LooseHandle, LooseHandle)>) {
        pairs.clear();
        let held =
            || (0..self.cells.len()).map(LooseIndex::new).filter(|&cell| self.cells[cell.at()].head.some().is_some());
        for cell in held() {
            for a in self.members(self.cells[cell.at()].head) {
                self.pair_with_list(a, self.slot(a).next, pairs);
            }
            if self.tight.is_everywhere(cell) {
                // With all the others; of two that are everywhere, the first does it.
                let others = held().filter(|&other| other > cell || !self.tight.is_everywhere(other));
                others.for_each(|other| self.pair_cells(cell, other, pairs));
            } else {
                let others = self.cells_in(self.cells[cell.at()].bounds).filter(|&other| other > cell);
                others.for_each(|other| self.pair_cells(cell, other, pairs));
            }
        }
    }

    /// Loose cells listed in the tight cells that `area` touches, each once. Some of them may not overlap it.
    fn cells_in(&self, area: RawAabb) -> impl Iterator<Item = LooseIndex> + Clone {
        let range = self.tight.range(&area);
        range.cells().flat_map(move |(x, y)| {
            let listed = self.tight.listed(x, y);
            listed.filter(move |cell| self.tight.meets_first(&range, &self.cells[cell.at()].bounds, x, y))
        })
    }

    /// A list of entities.
    pub(in crate::tier::loose_grid) fn members(&self, head: EntityIndex) -> impl Iterator<Item = EntityIndex> + Clone {
        std::iter::successors(head.some(), |&index| self.slot(index).next.some())
    }

    fn pair_cells(&self, cell: LooseIndex, other: LooseIndex, pairs: &mut Vec<(LooseHandle, LooseHandle)>) {
        let (cell, other) = (&self.cells[cell.at()], &self.cells[other.at()]);
        if overlaps(&cell.bounds, &other.bounds) {
            let near = self.members(cell.head).filter(|&a| overlaps(&self.slot(a).bounds, &other.bounds));
            near.for_each(|a| self.pair_with_list(a, other.head, pairs));
        }
    }

    fn pair_with_list(&self, a: EntityIndex, head: EntityIndex, pairs: &mut Vec<(LooseHandle, LooseHandle)>) {
        let bounds = &self.slot(a).bounds;
        let hits = self.members(head).filter(|&b| overlaps(bounds, &self.slot(b).bounds));
        pairs.extend(hits.map(|b| (self.handle(a), self.handle(b))));
    }
}
