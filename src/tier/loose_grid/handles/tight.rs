//! The tight grid of a [`LooseGrid`](crate::tier::loose_grid::LooseGrid): linked lists in one
//! array.

use crate::geometry::{EMPTY_AABB, RawAabb};
use crate::memory::bit_set::BitSet;
use crate::memory::buffers::{buffers, plain_buffers};
use crate::tier::loose_grid::cell::LooseCell;
use crate::tier::loose_grid::indices::{EntryIndex, LooseIndex};
use crate::tier::loose_grid::map::CellMap;

/// Most tight cells that list a loose cell while it grows, so that growing costs O(1). A box 12
/// loose cells wide and high still fits. A rebuild lists without this limit.
const LISTED_MAX: usize = 64;

/// An entry of the list of a tight cell, or of the free list.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListEntry {
    cell: LooseIndex,
    next: EntryIndex,
}

/// The loose cells that each tight cell lists, and the unlisted ones (LOOSE-3).
#[derive(Clone, Debug)]
pub(in crate::tier::loose_grid) struct TightLists {
    map: CellMap,
    /// The first entry of each tight cell.
    heads: Vec<EntryIndex>,
    entries: Vec<ListEntry>,
    /// The first free entry.
    free: EntryIndex,
    /// Entries in the lists of tight cells.
    listed_count: usize,
    unlisted: Vec<LooseIndex>,
    is_unlisted: BitSet,
}

plain_buffers!(ListEntry);
buffers!(TightLists {
    leveled: ;
    own: heads, entries, unlisted, is_unlisted;
    plain: map, free, listed_count;
});

impl TightLists {
    pub(super) fn new() -> Self {
        Self {
            map: CellMap::default(),
            heads: vec![EntryIndex::NONE],
            entries: Vec::new(),
            free: EntryIndex::NONE,
            listed_count: 0,
            unlisted: Vec::new(),
            is_unlisted: BitSet::default(),
        }
    }

    /// Lists all of `cells` anew, in the tight cells of `map` or in larger ones if these need more
    /// than `entry_count_max` entries (LOOSE-5).
    pub(super) fn rebuild(&mut self, map: CellMap, cells: &[LooseCell], entry_count_max: usize) {
        self.map = map.coarsened(cells, entry_count_max);
        self.heads.clear();
        self.heads.resize(self.map.cell_count(), EntryIndex::NONE);
        self.entries.clear();
        self.free = EntryIndex::NONE;
        self.listed_count = 0;
        self.unlisted.clear();
        self.is_unlisted.set_words(std::iter::repeat_n(0, cells.len().div_ceil(64)));
        for (k, cell) in cells.iter().enumerate().filter(|(_, cell)| cell.bounds != EMPTY_AABB) {
            self.map.touched(&cell.bounds).cells().for_each(|(x, y)| self.push(x, y, LooseIndex::new(k)));
        }
    }

    /// Updates the lists after the bounds of `cell` grew from `old` to `new` (LOOSE-3).
    ///
    /// If it touches too many tight cells, it becomes unlisted.
    pub(super) fn grow(&mut self, cell: LooseIndex, old: &RawAabb, new: &RawAabb, entry_count_max: usize) {
        if self.is_unlisted.contains(cell.0) {
            return;
        }
        let touched = self.map.touched(new);
        let before = (*old != EMPTY_AABB).then(|| self.map.touched(old));
        if before == Some(touched) {
            return;
        }
        let entry_count = self.listed_count + touched.count() - before.map_or(0, |before| before.count());
        if touched.count() > LISTED_MAX || entry_count > entry_count_max {
            if let Some(before) = before {
                before.cells().for_each(|(x, y)| self.remove(x, y, cell));
            }
            self.unlisted.push(cell);
            self.is_unlisted.insert(cell.0);
            return;
        }
        let is_new = |&(x, y): &(u32, u32)| before.is_none_or(|before| !before.contains(x, y));
        touched.cells().filter(is_new).for_each(|(x, y)| self.push(x, y, cell));
    }

    fn push(&mut self, x: u32, y: u32, cell: LooseIndex) {
        let head = &mut self.heads[self.map.number(x, y)];
        let entry = ListEntry { cell, next: *head };
        *head = match self.free.some() {
            Some(free) => {
                self.free = self.entries[free.get()].next;
                self.entries[free.get()] = entry;
                free
            }
            None => {
                self.entries.push(entry);
                EntryIndex::new(self.entries.len() - 1)
            }
        };
        self.listed_count += 1;
    }

    fn remove(&mut self, x: u32, y: u32, cell: LooseIndex) {
        let head = self.map.number(x, y);
        let (mut before, mut at) = (None::<EntryIndex>, self.heads[head]);
        while let Some(entry) = at.some() {
            let ListEntry { cell: listed, next } = self.entries[entry.get()];
            if listed == cell {
                match before {
                    Some(before) => self.entries[before.get()].next = next,
                    None => self.heads[head] = next,
                }
                self.entries[entry.get()].next = self.free;
                self.free = entry;
                self.listed_count -= 1;
                return;
            }
            (before, at) = (Some(entry), next);
        }
    }

    pub(super) fn map(&self) -> &CellMap {
        &self.map
    }

    /// Returns the loose cells that a tight cell lists.
    pub(super) fn listed(&self, x: u32, y: u32) -> impl Iterator<Item = LooseIndex> + Clone {
        let mut cursor = self.first_listed(x, y);
        std::iter::from_fn(move || self.next_listed(&mut cursor))
    }

    /// Returns a cursor at the start of the list of a tight cell.
    #[inline]
    pub(super) fn first_listed(&self, x: u32, y: u32) -> EntryIndex {
        self.heads[self.map.number(x, y)]
    }

    /// Returns the loose cell at a cursor of a list, and advances the cursor.
    #[inline]
    pub(super) fn next_listed(&self, cursor: &mut EntryIndex) -> Option<LooseIndex> {
        let ListEntry { cell, next } = self.entries[cursor.some()?.get()];
        *cursor = next;
        Some(cell)
    }

    /// Returns the loose cells that every search visits.
    pub(in crate::tier::loose_grid) fn unlisted(&self) -> &[LooseIndex] {
        &self.unlisted
    }

    pub(super) fn is_unlisted(&self, cell: LooseIndex) -> bool {
        self.is_unlisted.contains(cell.0)
    }

    /// Panics if an invariant does not hold or an entry is lost.
    #[cfg(test)]
    pub(super) fn assert_well_formed(&self, cells: &[LooseCell], entry_count_max: usize) {
        let free = std::iter::successors(self.free.some(), |entry| self.entries[entry.get()].next.some());
        assert_eq!(self.entries.len(), self.listed_count + free.count(), "an entry is lost");
        assert!(self.listed_count <= entry_count_max, "LOOSE-5: {} entries", self.listed_count);
        let mut listed_counts = vec![0; cells.len()];
        for (x, y) in self.map.touched(&crate::geometry::INFINITE_AABB).cells() {
            for cell in self.listed(x, y) {
                listed_counts[cell.get()] += 1;
                let touched = self.map.touched(&cells[cell.get()].bounds);
                assert!(touched.contains(x, y), "LOOSE-3: {cell:?} does not touch ({x}, {y})");
            }
        }
        for (k, cell) in cells.iter().enumerate() {
            let unlisted = self.unlisted.iter().filter(|other| other.get() == k).count();
            assert_eq!(unlisted, usize::from(self.is_unlisted(LooseIndex::new(k))), "LOOSE-3");
            let is_listed = cell.bounds != EMPTY_AABB && unlisted == 0;
            let expected = if is_listed { self.map.touched(&cell.bounds).count() } else { 0 };
            assert_eq!(listed_counts[k], expected, "LOOSE-3: loose cell {k}");
        }
    }
}
