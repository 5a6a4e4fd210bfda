//! The tight grid of a [`LooseGrid`](crate::tier::loose_grid::LooseGrid): lists in one array with a free list.

use crate::geometry::RawAabb;
use crate::memory::bit_set::BitSet;
use crate::tier::loose_grid::index::EntryIndex;
use crate::tier::loose_grid::map::{CellRange, GridMap};
use crate::tier::loose_grid::{LooseCell, LooseIndex, NOTHING};

/// A growing loose cell is listed in so many tight cells at most, so that growing costs O(1). A box 12 loose cells wide
/// and high still fits. Clean-up lists without this limit.
const LISTED_MAX: usize = 64;

/// An entry of a tight cell's list, or of the free list.
#[derive(Clone, Copy, Debug)]
struct Entry {
    cell: LooseIndex,
    next: EntryIndex,
}

/// Which loose cells each tight cell lists, and which are in no list because every search visits them.
#[derive(Clone, Debug)]
pub(in crate::tier::loose_grid) struct TightLists {
    map: GridMap,
    heads: Vec<EntryIndex>,
    entries: Vec<Entry>,
    free: EntryIndex,
    /// Entries in the lists of tight cells.
    listed_count: usize,
    everywhere: Vec<LooseIndex>,
    is_everywhere: BitSet,
}

impl TightLists {
    pub(in crate::tier::loose_grid) fn new() -> Self {
        Self {
            map: GridMap::single(),
            heads: vec![EntryIndex::NONE],
            entries: Vec::new(),
            free: EntryIndex::NONE,
            listed_count: 0,
            everywhere: Vec::new(),
            is_everywhere: BitSet::default(),
        }
    }

    /// Lists all of `cells` again, in tight cells at least as large as those of `map`, so large that `entries_max`
    /// suffice (T5).
    pub(in crate::tier::loose_grid) fn rebuild(&mut self, map: GridMap, cells: &[LooseCell], entries_max: usize) {
        self.map = map.coarsened(cells, entries_max);
        self.heads.clear();
        self.heads.resize(self.map.cell_count(), EntryIndex::NONE);
        self.entries.clear();
        self.free = EntryIndex::NONE;
        self.listed_count = 0;
        while let Some(cell) = self.everywhere.pop() {
            self.is_everywhere.remove(cell.0);
        }
        self.is_everywhere.grow_to(cells.len());
        for (k, cell) in cells.iter().enumerate().filter(|(_, cell)| cell.bounds != NOTHING) {
            self.map.range(&cell.bounds).cells().for_each(|(x, y)| self.push(x, y, LooseIndex::new(k)));
        }
    }

    /// T3: the box of `cell` grew from `old` to `new`. It goes to the tight cells it newly touches or, when those are
    /// too many, to the cells that every search visits.
    pub(in crate::tier::loose_grid) fn grow(
        &mut self,
        cell: LooseIndex,
        old: &RawAabb,
        new: &RawAabb,
        entries_max: usize,
    ) {
        if self.is_everywhere.contains(cell.0) {
            return;
        }
        let range = self.map.range(new);
        let before = (*old != NOTHING).then(|| self.map.range(old));
        if before == Some(range) {
            return;
        }
        let entry_count = self.listed_count + range.count() - before.map_or(0, |before| before.count());
        if range.count() > LISTED_MAX || entry_count > entries_max {
            if let Some(before) = before {
                before.cells().for_each(|(x, y)| self.unlist(x, y, cell));
            }
            self.everywhere.push(cell);
            self.is_everywhere.insert(cell.0);
            return;
        }
        let is_new = |&(x, y): &(u32, u32)| before.is_none_or(|before| !before.contains(x, y));
        range.cells().filter(is_new).for_each(|(x, y)| self.push(x, y, cell));
    }

    fn push(&mut self, x: u32, y: u32, cell: LooseIndex) {
        let head = &mut self.heads[self.map.number(x, y)];
        let entry = Entry { cell, next: *head };
        *head = match self.free.some() {
            Some(free) => {
                self.free = self.entries[free.at()].next;
                self.entries[free.at()] = entry;
                free
            }
            None => {
                self.entries.push(entry);
                EntryIndex::new(self.entries.len() - 1)
            }
        };
        self.listed_count += 1;
    }

    fn unlist(&mut self, x: u32, y: u32, cell: LooseIndex) {
        let head = self.map.number(x, y);
        let (mut before, mut at) = (None::<EntryIndex>, self.heads[head]);
        while let Some(entry) = at.some() {
            let Entry { cell: listed, next } = self.entries[entry.at()];
            if listed == cell {
                match before {
                    Some(before) => self.entries[before.at()].next = next,
                    None => self.heads[head] = next,
                }
                self.entries[entry.at()].next = self.free;
                self.free = entry;
                self.listed_count -= 1;
                return;
            }
            (before, at) = (Some(entry), next);
        }
    }

    /// Which tight cells there are.
    pub(in crate::tier::loose_grid) fn map(&self) -> &GridMap {
        &self.map
    }

    /// The tight cells that a box touches.
    pub(in crate::tier::loose_grid) fn range(&self, bounds: &RawAabb) -> CellRange {
        self.map.range(bounds)
    }

    /// Whether (x, y) is the tight cell where a search of `range` has to report a loose cell with this box: the lower
    /// corner of what both touch, so just one of all those where they meet. No search has to remember what it has seen.
    pub(in crate::tier::loose_grid) fn meets_first(&self, range: &CellRange, bounds: &RawAabb, x: u32, y: u32) -> bool {
        self.map.is_nearest(range.min, bounds, x, y)
    }

    /// The loose cells that a tight cell lists.
    pub(in crate::tier::loose_grid) fn listed(&self, x: u32, y: u32) -> impl Iterator<Item = LooseIndex> + Clone {
        let mut cursor = self.first_listed(x, y);
        std::iter::from_fn(move || self.next_listed(&mut cursor))
    }

    /// Where the list of a tight cell begins.
    #[inline]
    pub(in crate::tier::loose_grid) fn first_listed(&self, x: u32, y: u32) -> EntryIndex {
        self.heads[self.map.number(x, y)]
    }

    /// The loose cell of a list at `cursor`, which moves on.
    #[inline]
    pub(in crate::tier::loose_grid) fn next_listed(&self, cursor: &mut EntryIndex) -> Option<LooseIndex> {
        let Entry { cell, next } = self.entries[cursor.some()?.at()];
        *cursor = next;
        Some(cell)
    }

    /// The loose cells that every search visits.
    pub(in crate::tier::loose_grid) fn everywhere(&self) -> &[LooseIndex] {
        &self.everywhere
    }

    pub(in crate::tier::loose_grid) fn is_everywhere(&self, cell: LooseIndex) -> bool {
        self.is_everywhere.contains(cell.0)
    }

    pub(in crate::tier::loose_grid) fn bytes(&self) -> usize {
        self.heads.capacity() * size_of::<EntryIndex>()
            + self.entries.capacity() * size_of::<Entry>()
            + self.everywhere.capacity() * size_of::<LooseIndex>()
            + self.is_everywhere.bytes()
    }

    /// For as many loose cells as there are now.
    pub(in crate::tier::loose_grid) fn shrink_to_fit(&mut self, cell_count: usize) {
        self.heads.shrink_to_fit();
        self.entries.shrink_to_fit();
        self.everywhere.shrink_to_fit();
        self.is_everywhere = BitSet::default();
        self.is_everywhere.grow_to(cell_count);
        for cell in &self.everywhere {
            self.is_everywhere.insert(cell.0);
        }
    }

    /// Panics where T3 or T5 do not hold, or an entry is lost.
    #[cfg(test)]
    pub(in crate::tier::loose_grid) fn assert_well_formed(&self, cells: &[LooseCell], entries_max: usize) {
        let mut free_count = 0;
        let mut free = self.free;
        while let Some(entry) = free.some() {
            free_count += 1;
            free = self.entries[entry.at()].next;
        }
        assert_eq!(self.entries.len(), self.listed_count + free_count, "an entry is lost");
        assert!(self.listed_count <= entries_max, "T5: {} entries", self.listed_count);
        let mut met = vec![0; cells.len()];
        for (x, y) in self.map.range(&crate::tier::loose_grid::ANYWHERE).cells() {
            for cell in self.listed(x, y) {
                met[cell.at()] += 1;
                assert!(self.range(&cells[cell.at()].bounds).contains(x, y), "T3: {cell:?} is not at ({x}, {y})");
            }
        }
        for (k, cell) in cells.iter().enumerate() {
            let everywhere = self.everywhere.iter().filter(|other| other.at() == k).count();
            assert_eq!(everywhere, usize::from(self.is_everywhere(LooseIndex::new(k))), "T3");
            let due = if cell.bounds == NOTHING || everywhere == 1 { 0 } else { self.range(&cell.bounds).count() };
            assert_eq!(met[k], due, "T3: loose cell {k}");
        }
    }
}
