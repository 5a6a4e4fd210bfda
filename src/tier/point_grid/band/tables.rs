//! The tables of all bands.

use crate::memory::buffers::{buffers, with_spare};
use std::ops::Range;

/// The tables of all bands that are built, in the order in which these are.
///
/// They are made in the scratch of a thread, as only then their length is known.
#[derive(Debug, Default)]
pub(in crate::tier::point_grid) struct BandTables {
    words: Vec<u32>,
}

impl Clone for BandTables {
    fn clone(&self) -> Self {
        Self { words: self.words.clone() }
    }

    /// In its own memory.
    fn clone_from(&mut self, other: &Self) {
        self.words.clone_from(&other.words);
    }
}

buffers!(BandTables { leveled: words; own: ; plain: ; });

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
