//! The partners of each row, ascending, in lists that can be edited.
//!
//! Rows are divided into segments of [`SEGMENT_ROWS`], each with its lists in one vector. An edit
//! moves the lists of its segment, half a kilobyte.

use crate::contacts::changes::segments::{SEGMENT_ROWS, Segment, SortedEdits, edit_segments};
use crate::contacts::changes::sorted_edit::{insert_sorted, release_spare, remove_sorted, reserve_spare};
use crate::memory::buffers::buffers;
use crate::pair::row_and_partner;
use crate::parallel;
use crate::prefetch::prefetch;
use std::ops::Range;

/// A list for each row.
#[derive(Debug, Default)]
pub(crate) struct RowLists {
    segments: Vec<ListSegment>,
}

/// The lists of the rows of a segment.
#[derive(Debug, Default)]
struct ListSegment {
    /// The end of the list of each row, which is the start of the next.
    ends: Vec<u32>,
    partners: Vec<u32>,
}

buffers!(RowLists { leveled: ; own: segments; plain: ; });
buffers!(ListSegment { leveled: ends, partners; own: ; plain: ; });

impl RowLists {
    /// Replaces all lists.
    pub(super) fn fill<'l>(&mut self, parallel: bool, row_count: usize, list: impl Fn(u32) -> &'l [u32] + Sync + Send) {
        self.segments.resize_with(row_count.div_ceil(SEGMENT_ROWS), ListSegment::default);
        parallel::for_each_mut(parallel, &mut self.segments, |number, ListSegment { ends, partners }| {
            ends.clear();
            partners.clear();
            let rows = number * SEGMENT_ROWS..(number + 1) * SEGMENT_ROWS;
            let lists = rows.clone().map(|row| if row < row_count { list(row as u32) } else { &[] });
            let len: usize = lists.clone().map(<[u32]>::len).sum();
            ends.reserve_exact(SEGMENT_ROWS);
            reserve_spare(partners, len);
            for list in lists {
                partners.extend_from_slice(list);
                ends.push(partners.len() as u32);
            }
            release_spare(partners);
        });
    }

    /// The list of a row; empty if there is no such row.
    #[inline]
    pub(crate) fn of(&self, row: u32) -> &[u32] {
        let Some(segment) = self.segments.get(row as usize / SEGMENT_ROWS) else { return &[] };
        &segment.partners[segment.range(row)]
    }

    /// Applies edits, all of which must be possible. There are `row_count` rows afterwards.
    pub(super) fn edit(&mut self, parallel: bool, row_count: usize, edits: SortedEdits<'_>) {
        let segment_count = row_count.div_ceil(SEGMENT_ROWS);
        let empty = || ListSegment { ends: vec![0; SEGMENT_ROWS], partners: Vec::new() };
        self.segments.resize_with(self.segments.len().max(segment_count), empty);
        edit_segments(parallel, &mut self.segments, 0, edits);
        self.segments.truncate(segment_count);
    }
}

impl ListSegment {
    #[inline]
    fn range(&self, row: u32) -> Range<usize> {
        range(&self.ends, row)
    }
}

/// Where the list of a row is, given the ends of all lists.
#[inline]
fn range(ends: &[u32], row: u32) -> Range<usize> {
    let at = row as usize % SEGMENT_ROWS;
    let start = if at == 0 { 0 } else { ends[at - 1] };
    start as usize..ends[at] as usize
}

/// Where an entry is, or belongs. Lists of other rows may have been moved.
fn place(ends: &[u32], partners: &[u32], entry: u64) -> usize {
    let [row, partner] = row_and_partner(entry);
    let range = range(ends, row);
    range.start + partners[range].partition_point(|&other| other < partner)
}

/// Moves the ends of lists by the number of entries up to each row.
fn move_ends(ends: &mut [u32], entries: &[u64], by: impl Fn(u32, u32) -> u32) {
    let (mut count, mut from) = (0, 0);
    let rows = entries.iter().map(|&entry| row_and_partner(entry)[0] as usize % SEGMENT_ROWS);
    for row in rows.chain([SEGMENT_ROWS]) {
        ends[from..row].iter_mut().for_each(|end| *end = by(*end, count));
        (count, from) = (count + 1, row);
    }
}

impl Segment for ListSegment {
    fn edit(&mut self, removed: &[u64], added: &[u64]) {
        let Self { ends, partners } = self;
        if !removed.is_empty() {
            remove_sorted(partners, removed, |partners, _, entry| place(ends, partners, entry));
            move_ends(ends, removed, u32::wrapping_sub);
        }
        if !added.is_empty() {
            let partner = |entry: u64| row_and_partner(entry)[1];
            insert_sorted(partners, added, |partners, _, entry| place(ends, partners, entry), partner);
            move_ends(ends, added, u32::wrapping_add);
        }
        release_spare(partners);
    }

    fn prefetch(&self) {
        prefetch(&self.ends);
        prefetch(&self.partners);
    }
}
