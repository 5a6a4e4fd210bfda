//! The tables of all bands.

use crate::memory::buffers::{buffers, clone_in_place, with_spare};
use std::ops::Range;

/// The tables of all built bands, in the order in which bands were built.
///
/// Threads decide that order, and only [`BandSlot::table_range`](super::slot::BandSlot) depends on
/// it. A task makes the tables of a band in its scratch, and appends them once their length is
/// known.
#[derive(Debug, Default)]
pub(in crate::tier::point_grid) struct BandTables {
    words: Vec<u32>,
}

buffers!(BandTables { leveled: words; own: ; plain: ; });
clone_in_place!(BandTables { words });

impl BandTables {
    pub(in crate::tier::point_grid) fn clear(&mut self) {
        self.words.clear();
    }

    /// Bytes of the tables, without what is to spare.
    pub(in crate::tier::point_grid) fn used_bytes(&self) -> usize {
        self.words.len() * size_of::<u32>()
    }

    /// Adds the tables of a band, and returns where they are.
    pub(super) fn append(&mut self, tables: &[u32]) -> Range<usize> {
        let (start, end) = (self.words.len(), self.words.len() + tables.len());
        if end > self.words.capacity() {
            self.words.reserve_exact(with_spare(end) - start);
        }
        self.words.extend_from_slice(tables);
        start..end
    }

    /// The tables of a band.
    #[inline]
    pub(in crate::tier::point_grid) fn of(&self, tables: &Range<usize>) -> &[u32] {
        &self.words[tables.clone()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::buffers::Buffers;

    #[test]
    fn tables_are_where_they_were_appended() {
        let mut all = BandTables::default();
        let tables: Vec<Vec<u32>> = (0..200).map(|band| vec![band; band as usize * 7 % 60]).collect();
        let places: Vec<_> = tables.iter().map(|tables| all.append(tables)).collect();
        assert!(places.iter().map(|place| all.of(place)).eq(&tables));
        assert!(all.bytes() <= all.used_bytes() * 17 / 16, "little is to spare");

        let bytes = all.bytes();
        all.clear();
        let place = all.append(&tables[9]);
        assert_eq!((all.bytes(), all.of(&place)), (bytes, &tables[9][..]));
    }
}
