//! The partners of each row, contiguous and ascending.
//!
//! Pairs are sorted by spans of rows (`by_row.rs`). Each span is then sorted by row by counting,
//! and the partners of each row by a sorting network: compressed sparse rows, one span at a time.
//!
//! Cost: two entries of 4 bytes per body pair and one per static pair, the same again as scratch,
//! and 4 bytes per row.

use crate::broad_phase::pairs::{FoundPairs, PageChain};
use crate::contacts::by_row::{PairSides, RowSort, SPAN_ROWS, span_count};
use crate::memory::buffers::{Buffers, buffers};
use crate::pair::row_and_partner;
use crate::parallel;
use std::ops::Range;

/// Up to this many partners of a row are sorted by the network.
const NETWORK_LEN: usize = 4;

/// Up to this many partners of a row are sorted by insertion.
const INSERTION_MAX: usize = 24;

/// For each count up to [`NETWORK_LEN`], a mask that makes the slots beyond it larger than every
/// row.
const BEYOND: [[u32; NETWORK_LEN]; NETWORK_LEN + 1] = {
    const MAX: u32 = u32::MAX;
    [[MAX; 4], [0, MAX, MAX, MAX], [0, 0, MAX, MAX], [0, 0, 0, MAX], [0; 4]]
};

/// Comparisons that sort four (Knuth, The Art of Computer Programming 3, section 5.3.4).
const NETWORK: [(usize, usize); 5] = [(0, 1), (2, 3), (0, 2), (1, 3), (1, 2)];

/// The partner lists of the last successful step.
#[derive(Debug, Default)]
pub(crate) struct PartnerLists {
    bodies: CsrLists,
    statics: CsrLists,
}

buffers!(PartnerLists { leveled: ; own: bodies, statics; plain: ; });

impl PartnerLists {
    /// Builds the lists of a step of `rows` rows.
    pub(crate) fn rebuild(&mut self, found: &FoundPairs, rows: usize, parallel: bool) {
        self.bodies.rebuild(found.body_pages(), rows, PairSides::Both, parallel);
        self.statics.rebuild(found.static_pages(), rows, PairSides::First, parallel);
    }

    /// Empties the lists of statics.
    pub(crate) fn clear_statics(&mut self) {
        self.statics.live = 0;
    }

    /// The bodies that `row` is a pair with, ascending.
    pub(crate) fn bodies(&self, row: u32) -> &[u32] {
        self.bodies.list(row)
    }

    /// The statics that `row` is a pair with, ascending.
    pub(crate) fn statics(&self, row: u32) -> &[u32] {
        self.statics.list(row)
    }
}

/// A list for each row.
#[derive(Debug, Default)]
struct CsrLists {
    sort: RowSort,
    spans: Vec<CsrSpan>,
    /// Number of leading spans that are those of the last step; the rest is memory.
    live: usize,
}

impl CsrLists {
    /// The list of a row; empty if there is no such row.
    fn list(&self, row: u32) -> &[u32] {
        let (span, row) = (row as usize / SPAN_ROWS, row as usize % SPAN_ROWS);
        self.spans[..self.live].get(span).map_or(&[], |span| span.list(row))
    }

    fn rebuild(&mut self, pages: PageChain<'_>, rows: usize, sides: PairSides, parallel: bool) {
        self.sort.fill(pages, rows, sides, parallel);
        self.live = span_count(rows);
        if self.spans.len() < self.live {
            self.spans.resize_with(self.live, CsrSpan::default);
        }
        let sort = &self.sort;
        parallel::for_each_mut(parallel, &mut self.spans[..self.live], |k, span| span.rebuild(sort.runs(k)));
    }
}

impl Buffers for CsrLists {
    fn bytes(&self) -> usize {
        self.sort.bytes() + self.spans.bytes()
    }

    fn reserve_like(&mut self, _: &Self) {}

    /// Drops all scratch: it does not belong to the lists.
    fn shrink_to_fit(&mut self) {
        self.sort = RowSort::default();
        self.spans.truncate(self.live);
        self.spans.iter_mut().for_each(|span| span.unsorted = Vec::new());
        self.spans.shrink_to_fit();
    }
}

/// The lists of the rows of one span.
#[derive(Debug, Default)]
pub(super) struct CsrSpan {
    /// End of each row's partners, which is the start of the next row's.
    ends: Vec<u32>,
    /// Followed by [`NETWORK_LEN`] slots that contain no partners.
    partners: Vec<u32>,
    /// The same, before the partners of each row are sorted.
    unsorted: Vec<u32>,
}

buffers!(CsrSpan { leveled: ; own: ends, partners, unsorted; plain: ; });

impl CsrSpan {
    /// The partners of a row, which is numbered in the span.
    #[inline]
    pub(super) fn list(&self, row: usize) -> &[u32] {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.partners[start as usize..self.ends[row] as usize]
    }

    /// Replaces the lists by those of the entries of a span.
    pub(super) fn rebuild<'r>(&mut self, runs: impl Iterator<Item = &'r [u64]> + Clone) {
        let Self { ends, partners, unsorted } = self;
        let row_in_span = |entry: u64| row_and_partner(entry)[0] as usize % SPAN_ROWS;
        ends.clear();
        ends.resize(SPAN_ROWS, 0);
        for run in runs.clone() {
            run.iter().for_each(|&entry| ends[row_in_span(entry)] += 1);
        }
        let mut next = 0;
        for end in ends.iter_mut() {
            // The start of the row; writing its partners advances it to the end.
            next += std::mem::replace(end, next);
        }
        let len = next as usize + NETWORK_LEN;
        for items in [&mut *partners, &mut *unsorted] {
            items.clear();
            if items.capacity() < len {
                items.reserve_exact(len + len / 8);
            }
            items.resize(len, u32::MAX);
        }
        for run in runs {
            for &entry in run {
                let at = &mut ends[row_in_span(entry)];
                unsorted[*at as usize] = row_and_partner(entry)[1];
                *at += 1;
            }
        }
        let mut start = 0;
        for &end in ends.iter() {
            sort_row(unsorted, partners, start..end as usize);
            start = end as usize;
        }
    }
}

/// Sorts the partners of one row from `from` into `to`. Writes [`NETWORK_LEN`] slots of `to` even
/// if the row has fewer; the next row overwrites them.
#[inline(always)]
fn sort_row(from: &[u32], to: &mut [u32], row: Range<usize>) {
    let count = row.len();
    if count > NETWORK_LEN {
        let to = &mut to[row.clone()];
        to.copy_from_slice(&from[row]);
        return sort_long(to);
    }
    // Always sorts four: a branch on the count would mispredict.
    let mut slots = BEYOND[count];
    slots.iter_mut().zip(&from[row.start..row.start + NETWORK_LEN]).for_each(|(slot, partner)| *slot |= partner);
    for (a, b) in NETWORK {
        (slots[a], slots[b]) = (slots[a].min(slots[b]), slots[a].max(slots[b]));
    }
    to[row.start..row.start + NETWORK_LEN].copy_from_slice(&slots);
}

fn sort_long(partners: &mut [u32]) {
    if partners.len() > INSERTION_MAX {
        return partners.sort_unstable();
    }
    for end in 1..partners.len() {
        let (partner, mut at) = (partners[end], end);
        while at > 0 && partners[at - 1] > partner {
            partners[at] = partners[at - 1];
            at -= 1;
        }
        partners[at] = partner;
    }
}
