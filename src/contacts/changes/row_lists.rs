//! The partners of each row, ascending, in lists that can be edited.
//!
//! Rows are divided into spans of [`PAGE_ROWS`], each with its lists in one vector. An edit moves
//! the lists of its span, half a kilobyte.

use crate::contacts::changes::sorted_edit::{insert_sorted, release_spare, remove_sorted};
use crate::contacts::changes::spans::{PAGE_ROWS, SortedEdits, Span, edit_spans};
use crate::memory::buffers::buffers;
use crate::pair::row_and_partner;
use crate::parallel;
use crate::prefetch::prefetch;

/// A list for each row.
#[derive(Debug, Default)]
pub(crate) struct RowLists {
    spans: Vec<ListSpan>,
}

/// The lists of the rows of a span.
#[derive(Debug, Default)]
struct ListSpan {
    /// The end of the list of each row, which is the start of the next.
    ends: Vec<u32>,
    partners: Vec<u32>,
}

buffers!(RowLists { leveled: ; own: spans; plain: ; });
buffers!(ListSpan { leveled: ends, partners; own: ; plain: ; });

impl RowLists {
    /// Replaces all lists.
    pub(super) fn fill<'l>(&mut self, parallel: bool, row_count: usize, list: impl Fn(u32) -> &'l [u32] + Sync + Send) {
        self.spans.resize_with(row_count.div_ceil(PAGE_ROWS), ListSpan::default);
        parallel::for_each_mut(parallel, &mut self.spans, |number, ListSpan { ends, partners }| {
            ends.clear();
            partners.clear();
            let rows = number * PAGE_ROWS..(number + 1) * PAGE_ROWS;
            let lists = rows.clone().map(|row| if row < row_count { list(row as u32) } else { &[] });
            let len: usize = lists.clone().map(<[u32]>::len).sum();
            ends.reserve_exact(PAGE_ROWS);
            if partners.capacity() < len {
                partners.reserve_exact(len + len / 4 + 8);
            }
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
        let Some(span) = self.spans.get(row as usize / PAGE_ROWS) else { return &[] };
        &span.partners[span.range(row)]
    }

    /// Applies edits, all of which must be possible. There are `row_count` rows afterwards.
    pub(super) fn edit(&mut self, parallel: bool, row_count: usize, edits: SortedEdits<'_>) {
        let span_count = row_count.div_ceil(PAGE_ROWS);
        let empty = || ListSpan { ends: vec![0; PAGE_ROWS], partners: Vec::new() };
        self.spans.resize_with(self.spans.len().max(span_count), empty);
        edit_spans(parallel, &mut self.spans, 0, edits);
        self.spans.truncate(span_count);
    }
}

impl ListSpan {
    #[inline]
    fn range(&self, row: u32) -> std::ops::Range<usize> {
        let at = row as usize % PAGE_ROWS;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        start as usize..self.ends[at] as usize
    }

    /// Where an entry is, or belongs. Lists of other rows may have been moved.
    fn place(&self, partners: &[u32], entry: u64) -> usize {
        let [row, partner] = row_and_partner(entry);
        let range = self.range(row);
        range.start + partners[range].partition_point(|&other| other < partner)
    }

    /// Moves the ends of lists by the number of entries up to each row.
    fn move_ends(&mut self, entries: &[u64], by: impl Fn(u32, u32) -> u32) {
        let (mut count, mut from) = (0, 0);
        let rows = entries.iter().map(|&entry| row_and_partner(entry)[0] as usize % PAGE_ROWS);
        for row in rows.chain([PAGE_ROWS]) {
            self.ends[from..row].iter_mut().for_each(|end| *end = by(*end, count));
            (count, from) = (count + 1, row);
        }
    }
}

impl Span for ListSpan {
    fn edit(&mut self, removed: &[u64], added: &[u64]) {
        if !removed.is_empty() {
            let mut partners = std::mem::take(&mut self.partners);
            remove_sorted(&mut partners, removed, |partners, _, &entry| self.place(partners, entry));
            self.partners = partners;
            self.move_ends(removed, u32::wrapping_sub);
        }
        if !added.is_empty() {
            let mut partners = std::mem::take(&mut self.partners);
            let partner = |&entry: &u64| row_and_partner(entry)[1];
            insert_sorted(&mut partners, added.iter(), |partners, _, &entry| self.place(partners, entry), partner);
            self.partners = partners;
            self.move_ends(added, u32::wrapping_add);
        }
        release_spare(&mut self.partners);
    }

    fn prefetch(&self) {
        prefetch(&self.ends);
        prefetch(&self.partners);
    }
}
