//! The tables of all bands.

use crate::memory::buffers::{buffers, clone_in_place, with_spare};
use parking_lot::Mutex;
use std::mem::take;
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

/// Appends the tables of a band, and returns where they will be.
pub(in crate::tier::point_grid) type AppendTables<'a> = dyn Fn(&[u32]) -> Range<usize> + Sync + 'a;

impl BandTables {
    pub(in crate::tier::point_grid) fn clear(&mut self) {
        self.words.clear();
    }

    /// Replaces all tables with those that `fill` appends.
    pub(in crate::tier::point_grid) fn replace(&mut self, fill: impl FnOnce(&AppendTables<'_>)) {
        // Few words are new, as there were tables before.
        self.words.resize(self.words.capacity(), 0);
        let free = Mutex::new(Free { words: &mut self.words, end: 0, overflow: Vec::new() });
        fill(&|tables| append(&free, tables));
        let Free { end, overflow, .. } = free.into_inner();
        self.words.truncate(end - overflow.len());
        if !overflow.is_empty() {
            self.words.reserve_exact(with_spare(end) - self.words.len());
            self.words.extend_from_slice(&overflow);
        }
    }

    /// Bytes of the tables, without what is to spare.
    pub(in crate::tier::point_grid) fn used_bytes(&self) -> usize {
        self.words.len() * size_of::<u32>()
    }

    /// The tables of a band.
    #[inline]
    pub(in crate::tier::point_grid) fn of(&self, tables: &Range<usize>) -> &[u32] {
        &self.words[tables.clone()]
    }
}

/// The words that are not given out.
struct Free<'a> {
    words: &'a mut [u32],
    /// How many were, with those of `overflow`.
    end: usize,
    /// The tables from the first one on that did not fit.
    overflow: Vec<u32>,
}

/// Appends tables, and returns where they will be. The lock is held while words are given out, and
/// not while they are written.
fn append(free: &Mutex<Free<'_>>, tables: &[u32]) -> Range<usize> {
    let mut free = free.lock();
    let range = free.end..free.end + tables.len();
    free.end = range.end;
    if tables.len() <= free.words.len() {
        let (own, rest) = take(&mut free.words).split_at_mut(tables.len());
        free.words = rest;
        drop(free);
        own.copy_from_slice(tables);
    } else {
        free.words = &mut [];
        free.overflow.extend_from_slice(tables);
    }
    range
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::buffers::Buffers;

    /// Replaces all tables, and checks that each is where it was appended.
    fn replace(all: &mut BandTables, tables: &[Vec<u32>]) {
        let mut ranges = Vec::new();
        all.replace(|append| ranges.extend(tables.iter().map(|tables| append(tables))));
        assert!(ranges.iter().map(|range| all.of(range)).eq(tables));
        assert_eq!(all.used_bytes(), 4 * tables.iter().map(Vec::len).sum::<usize>());
    }

    #[test]
    fn tables_are_where_they_were_appended() {
        let mut all = BandTables::default();
        let tables: Vec<Vec<u32>> = (0..200).map(|band| vec![band; band as usize * 7 % 60]).collect();
        replace(&mut all, &tables);
        let bytes = all.bytes();
        assert!(bytes <= all.used_bytes() * 17 / 16, "little is to spare");
        // Fewer, and as many as there is room for.
        replace(&mut all, &tables[90..120]);
        replace(&mut all, &tables);
        assert_eq!(all.bytes(), bytes);
        // One that does not fit, and then one that would.
        replace(&mut all, &[&tables[..], &[vec![7; 1000], vec![8]]].concat());
        replace(&mut all, &[]);
    }
}
