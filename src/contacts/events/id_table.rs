//! A hash table from ids to rows: open addressing with linear probing.
//!
//! The ids are in a column of the caller, so an entry takes 4 bytes.

use crate::memory::buffers::buffers;

/// Marks a free place, and a row that no longer exists; no row has this number.
pub(super) const NO_ROW: u32 = u32::MAX;

/// Rows by id. All calls take the same column of ids, unless the table is cleared in between.
#[derive(Default)]
pub(super) struct IdTable {
    /// [`NO_ROW`] marks a free place. The length is a power of two, at least twice the number of
    /// rows, so there is always a free place.
    places: Vec<u32>,
    len: usize,
}

buffers!(IdTable { leveled: places; own: ; plain: len; });

impl IdTable {
    pub(super) fn clear(&mut self) {
        self.places.fill(NO_ROW);
        self.len = 0;
    }

    /// Makes room for a row for each id.
    pub(super) fn reserve(&mut self, ids: &[u64]) {
        let wanted = (2 * ids.len()).next_power_of_two();
        if self.places.len() < wanted {
            let old = std::mem::replace(&mut self.places, vec![NO_ROW; wanted]);
            self.len = 0;
            old.into_iter().filter(|&row| row != NO_ROW).for_each(|row| self.insert(ids, row));
        }
    }

    /// Gives back the memory that a larger column needed before.
    pub(super) fn shrink_to_fit(&mut self, ids: &[u64]) {
        if self.places.len() > (2 * ids.len()).next_power_of_two() {
            let old = std::mem::take(self);
            self.reserve(ids);
            old.places.into_iter().filter(|&row| row != NO_ROW).for_each(|row| self.insert(ids, row));
        }
    }

    pub(super) fn find(&self, ids: &[u64], id: u64) -> Option<u32> {
        if self.len == 0 {
            return None;
        }
        let row = self.places[self.place(ids, id)];
        (row != NO_ROW).then_some(row)
    }

    /// Inserts a row whose id is not in the table.
    pub(super) fn insert(&mut self, ids: &[u64], row: u32) {
        let place = self.place(ids, ids[row as usize]);
        debug_assert_eq!(self.places[place], NO_ROW, "ids are unique");
        self.places[place] = row;
        self.len += 1;
    }

    /// Removes a row if it is in the table.
    pub(super) fn remove(&mut self, ids: &[u64], row: u32) {
        if self.len == 0 {
            return;
        }
        let mut hole = self.place(ids, ids[row as usize]);
        if self.places[hole] != row {
            return;
        }
        self.len -= 1;
        // Rows after the gap move toward their home place, but never before it.
        let mask = self.places.len() - 1;
        let mut place = self.next(hole);
        while self.places[place] != NO_ROW {
            let home = self.home(ids[self.places[place] as usize]);
            if place.wrapping_sub(home) & mask >= place.wrapping_sub(hole) & mask {
                self.places[hole] = self.places[place];
                hole = place;
            }
            place = self.next(place);
        }
        self.places[hole] = NO_ROW;
    }

    /// The place of an id, or the free place where it would be inserted.
    fn place(&self, ids: &[u64], id: u64) -> usize {
        let mut place = self.home(id);
        while self.places[place] != NO_ROW && ids[self.places[place] as usize] != id {
            place = self.next(place);
        }
        place
    }

    /// The place where the search for an id starts.
    fn home(&self, id: u64) -> usize {
        mix(id) as usize & (self.places.len() - 1)
    }

    fn next(&self, place: usize) -> usize {
        (place + 1) & (self.places.len() - 1)
    }
}

/// Spreads all bits of an id over the lower ones (finalizer of SplitMix64, Steele and others,
/// 2014): ids may be consecutive, or differ only in their upper half.
fn mix(id: u64) -> u64 {
    let id = (id ^ (id >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let id = (id ^ (id >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    id ^ (id >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_finds_its_rows_after_any_insertions_and_removals() {
        // Ids that differ in a few bits, the lower or the upper ones: long runs of taken places.
        for shift in [0, 7, 40, 60] {
            let ids: Vec<u64> = (0..300u64).map(|row| row << shift | row >> (64 - shift).min(63)).collect();
            let mut table = IdTable::default();
            table.reserve(&ids);
            let mut is_in = vec![false; ids.len()];
            let mut state = 9u64;
            for _ in 0..4000 {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let row = (state >> 33) as u32 % ids.len() as u32;
                if std::mem::replace(&mut is_in[row as usize], state >> 63 == 0) {
                    table.remove(&ids, row);
                }
                if is_in[row as usize] {
                    table.insert(&ids, row);
                }
                let other = (state >> 20) as usize % ids.len();
                assert_eq!(table.find(&ids, ids[other]), is_in[other].then_some(other as u32));
            }
            assert_eq!(table.len, is_in.iter().filter(|&&is_in| is_in).count());
            table.clear();
            assert!(ids.iter().all(|&id| table.find(&ids, id).is_none()));
        }
    }

    #[test]
    fn shrunk_table_keeps_its_rows() {
        let ids: Vec<u64> = (0..1000).map(|row| row * 77).collect();
        let mut table = IdTable::default();
        table.reserve(&ids);
        (0..50).for_each(|row| table.insert(&ids, row));
        table.shrink_to_fit(&ids[..100]);
        assert_eq!((table.places.len(), table.len), (256, 50));
        assert!((0..1000).all(|row| table.find(&ids, ids[row as usize]) == (row < 50).then_some(row)));
    }
}
