//! Boxes in lists that follow each other, in columns (structure of arrays).
//!
//! - LISTCOLUMNS-1: a list is a range of entries. If there are few entries, all lists share the
//!   columns of SOA-1, so that lists beside each other have cache lines in common. If there are
//!   more than [`APART_FROM`], each list has columns of its own, in the order of SOA-1: one that is
//!   in no cache is a few adjacent lines then, not a few for each column.
//! - LISTCOLUMNS-2: memory is as long as SOA-2 asks for, so that a full vector can be read at any
//!   entry of a list, and at its end, in every column: if lists are apart, `5 * end` words and a
//!   vector are at most `5 * (len + SOA_PAD)`. What is read beyond a column never matters.
//! - LISTCOLUMNS-3: filters, if there are any, are in a slice of their own, laid out likewise.

use crate::geometry::RawAabb;
use crate::input::filter::Filter;
use crate::memory::body_record::BodyRecord;
use crate::memory::buffers::Buffers;
use crate::memory::columns::{SOA_PAD, column_words, filter_words};
use crate::prefetch::prefetch;
use std::ops::Range;

/// Lists with more entries than this, 20 MB, are apart. With a lower limit, `castles` with 200,000
/// bodies takes 4 to 8 % longer.
const APART_FROM: usize = 1_000_000;

/// Words that are loaded ahead of a list that is apart: those of a list of 19 entries.
const AHEAD_WORDS: usize = 96;

/// Columns of a box and its row, and of a filter.
const COLUMNS: usize = 5;
const FILTER_COLUMNS: usize = 2;

/// Boxes, rows and filters of lists.
pub(crate) struct ListColumns {
    len: usize,
    are_apart: bool,
    words: Vec<u32>,
    /// Empty if there are no filters (LISTCOLUMNS-3).
    filters: Vec<u32>,
}

/// Where the columns of a list are: the first one, and how far each is from the one before it, in
/// words.
#[derive(Clone, Copy)]
pub(crate) struct ListPlace {
    pub(crate) first: usize,
    pub(crate) stride: usize,
}

impl ListPlace {
    /// The word of an entry in a column.
    #[inline(always)]
    fn word(self, column: usize, at: usize) -> usize {
        self.first + column * self.stride + at
    }
}

impl ListColumns {
    /// Lists with so many entries, to be set.
    pub(crate) fn new(len: usize) -> Self {
        Self::laid_out(len, len > APART_FROM)
    }

    /// Lists that are apart, or not.
    pub(crate) fn laid_out(len: usize, are_apart: bool) -> Self {
        Self { len, are_apart, words: vec![0; column_words(len)], filters: Vec::new() }
    }

    /// Number of entries of all lists.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether each list has columns of its own.
    #[inline(always)]
    pub(crate) fn are_apart(&self) -> bool {
        self.are_apart
    }

    /// All boxes and rows (LISTCOLUMNS-1).
    pub(crate) fn words(&self) -> &[u32] {
        &self.words
    }

    /// All layers and masks (LISTCOLUMNS-3).
    pub(crate) fn filters(&self) -> Option<&[u32]> {
        (!self.filters.is_empty()).then_some(&*self.filters)
    }

    /// Where a list is in the words.
    #[inline(always)]
    pub(crate) fn place(&self, list: &Range<usize>) -> ListPlace {
        self.place_among(COLUMNS, list)
    }

    /// Where it is in the filters.
    #[inline(always)]
    pub(crate) fn filter_place(&self, list: &Range<usize>) -> ListPlace {
        self.place_among(FILTER_COLUMNS, list)
    }

    #[inline(always)]
    fn place_among(&self, columns: usize, list: &Range<usize>) -> ListPlace {
        match self.are_apart {
            true => ListPlace { first: columns * list.start, stride: list.len() },
            false => ListPlace { first: list.start, stride: self.len + SOA_PAD },
        }
    }

    /// The rows of a list.
    pub(crate) fn rows(&self, list: &Range<usize>) -> &[u32] {
        let first = self.place(list).word(4, 0);
        &self.words[first..first + list.len()]
    }

    /// The box of an entry of a list.
    #[cfg(test)]
    pub(crate) fn aabb(&self, list: &Range<usize>, at: usize) -> RawAabb {
        let place = self.place(list);
        [0, 1, 2, 3].map(|column| f32::from_bits(self.words[place.word(column, at)]))
    }

    /// Sets an entry of a list.
    #[inline]
    pub(crate) fn set(&mut self, list: &Range<usize>, at: usize, record: &BodyRecord) {
        self.set_box(list, at, &record.aabb);
        let row = self.place(list).word(4, at);
        self.words[row] = record.row;
    }

    /// Replaces the box of an entry of a list.
    #[inline]
    pub(crate) fn set_box(&mut self, list: &Range<usize>, at: usize, aabb: &RawAabb) {
        let place = self.place(list);
        for (column, edge) in aabb.iter().enumerate() {
            self.words[place.word(column, at)] = edge.to_bits();
        }
    }

    /// Gives the entries of some lists, which are all of them, the filters of their rows.
    pub(crate) fn set_filters(&mut self, lists: impl Iterator<Item = Range<usize>>, filter_of: impl Fn(u32) -> Filter) {
        let mut filters = vec![0; filter_words(self.len)];
        for list in lists {
            let place = self.filter_place(&list);
            for (at, &row) in self.rows(&list).iter().enumerate() {
                let filter = filter_of(row);
                (filters[place.word(0, at)], filters[place.word(1, at)]) = (filter.layers, filter.mask);
            }
        }
        self.filters = filters;
    }

    /// Loads a list that is apart, and will be read soon. A long one is loaded in part.
    #[inline(always)]
    pub(crate) fn prefetch(&self, start: usize) {
        if let Some(words) = self.words.get(COLUMNS * start..COLUMNS * start + AHEAD_WORDS) {
            prefetch(words);
        }
    }

    /// Bytes of heap memory held.
    pub(crate) fn bytes(&self) -> usize {
        self.words.bytes() + self.filters.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_keep_what_was_set() {
        for are_apart in [false, true] {
            let lists = [0..3, 3..3, 3..20, 20..21];
            let record = |entry: usize| BodyRecord {
                aabb: [0.0, -0.0, 2.5, 3.0].map(|v| v - entry as f32),
                row: !(entry as u32),
            };
            let filter_of = |row: u32| Filter::new(row, !row);
            let mut columns = ListColumns::laid_out(21, are_apart);
            for list in &lists {
                list.clone().enumerate().for_each(|(at, entry)| columns.set(list, at, &record(entry)));
            }
            assert!(columns.filters().is_none());
            columns.set_filters(lists.iter().cloned(), filter_of);
            columns.set_box(&lists[2], 1, &[9.0; 4]);
            for list in &lists {
                let place = columns.filter_place(list);
                for (at, entry) in list.clone().enumerate() {
                    let record = record(entry);
                    let aabb = if entry == 4 { [9.0; 4] } else { record.aabb };
                    assert_eq!(columns.aabb(list, at).map(f32::to_bits), aabb.map(f32::to_bits));
                    assert_eq!(columns.rows(list)[at], record.row);
                    let words = columns.filters().expect("they were set");
                    let filter = Filter { layers: words[place.word(0, at)], mask: words[place.word(1, at)] };
                    assert_eq!(filter, filter_of(record.row));
                }
            }
        }
    }
}
