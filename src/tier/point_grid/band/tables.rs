//! The tables of all bands.

use crate::memory::buffers::{Buffers, grow, with_spare};
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
    /// The tables, and words to spare.
    words: Vec<u32>,
    len: usize,
}

impl Buffers for BandTables {
    fn bytes(&self) -> usize {
        self.words.bytes()
    }

    fn reserve_like(&mut self, other: &Self) {
        self.words.reserve_like(&other.words);
    }

    fn shrink_to_fit(&mut self) {
        self.words.truncate(self.len);
        Buffers::shrink_to_fit(&mut self.words);
    }
}

impl Clone for BandTables {
    fn clone(&self) -> Self {
        Self { words: self.words[..self.len].to_vec(), len: self.len }
    }

    /// Copies into the memory that these have, if it is enough.
    fn clone_from(&mut self, other: &Self) {
        grow(&mut self.words, other.len);
        self.words[..other.len].copy_from_slice(&other.words[..other.len]);
        self.len = other.len;
    }
}

/// Appends the tables of a band, and returns where they will be.
pub(in crate::tier::point_grid) type AppendTables<'a> = dyn Fn(&[u32]) -> Range<usize> + Sync + 'a;

impl BandTables {
    pub(in crate::tier::point_grid) fn clear(&mut self) {
        self.len = 0;
    }

    /// Replaces all tables with those that `fill` appends.
    pub(in crate::tier::point_grid) fn replace(&mut self, fill: impl FnOnce(&AppendTables<'_>)) {
        // Only words that were reserved since the last time are new.
        self.words.resize(self.words.capacity(), 0);
        let free = Mutex::new(Free { words: &mut self.words, end: 0, overflow: Vec::new() });
        fill(&|tables| append(&free, tables));
        let Free { end, overflow, .. } = free.into_inner();
        self.len = end;
        if !overflow.is_empty() {
            self.words.truncate(end - overflow.len());
            self.words.reserve_exact(with_spare(end) - self.words.len());
            self.words.extend_from_slice(&overflow);
        }
    }

    /// Bytes of the tables, without what is to spare.
    pub(in crate::tier::point_grid) fn used_bytes(&self) -> usize {
        self.len * size_of::<u32>()
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
/// not while they are written. Tables that do not fit, such as all of a first step, are copied
/// under the lock.
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
        Buffers::shrink_to_fit(&mut all);
        assert_eq!(all.bytes(), 0);
    }

    #[test]
    fn a_copy_has_the_tables_alone() {
        let (mut all, mut copy) = (BandTables::default(), BandTables::default());
        for tables in [&[vec![1; 100], vec![2; 50]][..], &[vec![3; 7]], &[], &[vec![4; 120], vec![5]]] {
            replace(&mut all, tables);
            copy.clone_from(&all);
            let cloned = all.clone();
            for same in [&copy, &cloned] {
                assert_eq!(same.of(&(0..same.len)), all.of(&(0..all.len)));
            }
            assert_eq!(cloned.bytes(), all.used_bytes());
        }
    }
}
