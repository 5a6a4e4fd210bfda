//! Sorts the pairs of a step by row, in spans of rows, to find the partners of each row.
//!
//! Rows are divided into spans of [`SPAN_ROWS`]. Each chunk of pages is sorted by span into its own
//! part of a buffer, which fits the cache; then each span gathers its runs from all chunks.
//!
//! An [`entry`] contains the row in its upper half and the partner in its lower half, so ascending
//! entries are ascending pairs.
//!
//! The division into chunks depends on pages, that into spans on rows, so the result does not
//! depend on threads.
//!
//! Cost: two passes over the pairs, each chunk in the cache; 8 bytes per entry.

use crate::broad_phase::pairs::PageChain;
use crate::memory::buffers::{buffers, grow};
use crate::memory::page::PAGE_LEN;
use crate::pair::entry;
use crate::parallel;
use crate::prefetch::prefetch_for_writing;

/// Rows of a span: its counters (16 KiB) and its entries, a few per row, stay in the L1 and L2
/// caches.
pub(crate) const SPAN_ROWS: usize = 4096;

/// Largest number of chunks, so that their tables stay small in large worlds.
const CHUNKS_MAX: usize = 256;

/// Smallest and largest number of pages of a chunk, unless [`CHUNKS_MAX`] requires more.
///
/// A chunk should be small enough to distribute over threads and to stay in the cache, but if there
/// are many spans, large enough that its run for a span is worth visiting.
const CHUNK_PAGES: [usize; 2] = [4, 32];

/// Spans per page of a chunk.
const SPANS_PER_PAGE: usize = 32;

/// Entries of a cache line.
const LINE_ENTRIES: usize = 8;

/// Number of spans of `rows` rows.
pub(crate) fn span_count(rows: usize) -> usize {
    rows.div_ceil(SPAN_ROWS)
}

/// Which rows of a pair count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PairSides {
    /// The first alone: the second is a static, or each pair is listed once.
    First,
    Both,
}

impl PairSides {
    /// The rows of a pair that count; if there is one, twice the same.
    #[inline(always)]
    pub(crate) fn of(self, pair: [u32; 2]) -> [u32; 2] {
        if self == Self::Both { pair } else { [pair[0]; 2] }
    }
}

/// Entries sorted by span within each chunk.
#[derive(Debug, Default)]
pub(crate) struct RowSort {
    /// `chunk_room` entries for each chunk.
    entries: Vec<u64>,
    chunk_room: usize,
    /// For each chunk, the ends of the entries of each span.
    span_ends: Vec<Vec<u32>>,
    chunk_count: usize,
}

buffers!(RowSort { leveled: entries, span_ends; own: ; plain: chunk_room, chunk_count; });

impl RowSort {
    /// Sorts all pairs of a step of all rows, whose pages have up to [`PAGE_LEN`] pairs. Their rows
    /// are below `rows`.
    pub(crate) fn fill(&mut self, pages: PageChain<'_>, rows: usize, sides: PairSides, parallel: bool) {
        let spans = span_count(rows);
        let chunk_pages_min = (spans / SPANS_PER_PAGE).clamp(CHUNK_PAGES[0], CHUNK_PAGES[1]);
        let chunk_pages = pages.len().div_ceil(CHUNKS_MAX).max(chunk_pages_min);
        let entries_per_pair = if sides == PairSides::Both { 2 } else { 1 };
        self.chunk_count = pages.len().div_ceil(chunk_pages);
        debug_assert!((0..pages.len()).all(|k| pages.page(k).len() <= PAGE_LEN));
        self.chunk_room = chunk_pages * PAGE_LEN * entries_per_pair;
        let len = self.chunk_count * self.chunk_room;
        grow(&mut self.entries, len);
        if self.span_ends.len() < self.chunk_count {
            self.span_ends.resize_with(self.chunk_count, Vec::new);
        }
        let (entries, span_ends) = (&mut self.entries[..len], &mut self.span_ends[..self.chunk_count]);
        parallel::for_each_chunk_and(parallel, entries, self.chunk_room, span_ends, |chunk, entries, ends| {
            let end = pages.len().min((chunk + 1) * chunk_pages);
            let chunk_pages = (chunk * chunk_pages..end).map(|k| pages.page(k));
            match sides {
                PairSides::First => sort_chunk::<false>(chunk_pages, spans, entries, ends),
                PairSides::Both => sort_chunk::<true>(chunk_pages, spans, entries, ends),
            }
        });
    }

    /// The entries of a span: a run from each chunk, in the order of chunks.
    pub(crate) fn runs(&self, span: usize) -> impl Iterator<Item = &[u64]> + Clone {
        self.span_ends[..self.chunk_count].iter().enumerate().map(move |(chunk, ends)| {
            let start = if span == 0 { 0 } else { ends[span - 1] };
            &self.entries[chunk * self.chunk_room..][start as usize..ends[span] as usize]
        })
    }

    /// Number of entries of a span.
    pub(crate) fn entry_count(&self, span: usize) -> usize {
        self.runs(span).map(<[u64]>::len).sum()
    }
}

/// Sorts the pairs of a chunk by counting. `ends` receives the end of each span.
fn sort_chunk<'p, const BOTH: bool>(
    pages: impl Iterator<Item = &'p [[u32; 2]]> + Clone,
    spans: usize,
    entries: &mut [u64],
    ends: &mut Vec<u32>,
) {
    ends.clear();
    ends.resize(spans, 0);
    for page in pages.clone() {
        for &[a, b] in page {
            ends[a as usize / SPAN_ROWS] += 1;
            if BOTH {
                ends[b as usize / SPAN_ROWS] += 1;
            }
        }
    }
    let mut next = 0;
    for end in ends.iter_mut() {
        // The start of the span; writing its entries advances it to the end.
        next += std::mem::replace(end, next);
    }
    let mut write = |row: u32, partner: u32| {
        let at = &mut ends[row as usize / SPAN_ROWS];
        entries[*at as usize] = entry(row, partner);
        *at += 1;
        prefetch_for_writing(entries.as_ptr().wrapping_add(*at as usize + LINE_ENTRIES));
    };
    for page in pages {
        for &[a, b] in page {
            write(a, b);
            if BOTH {
                write(b, a);
            }
        }
    }
}
