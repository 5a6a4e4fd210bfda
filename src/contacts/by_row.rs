//! Pairs brought together by row: which partners does each row have?
//!
//! Rows are cut into *spans* of [`SPAN`]. Chunks of pages are sorted by span, each into a place of its own that stays in the
//! cache; then each span gathers its runs from all chunks.
//!
//! G1: chunks are cut by the pages, spans by the rows, so what comes of it does not depend on threads.
//! G2: an entry is the row in its upper half and the partner in its lower one, so entries in order are pairs in order.
//!
//! Cost: two passes over the pairs, each chunk in the cache; 8 bytes a pair for what chunks write.

use crate::memory::buffers::grow;
use crate::parallel;

/// Rows of a span: its counters (16 KiB) and its entries, of a few pairs a row, lie in the first caches.
pub(crate) const SPAN: usize = 4096;

/// Chunks there are at most, so that their tables stay small in large worlds.
const CHUNKS_MAX: usize = 256;

/// Pages of a chunk: few enough to share out, and for what a chunk writes to stay in the cache; more where there are many
/// spans, so that a span's run of a chunk is worth going there.
const CHUNK_PAGES: [usize; 2] = [4, 32];
const SPANS_A_PAGE: usize = 32;

/// A row and its partner (G2).
#[inline(always)]
pub(crate) fn entry(row: u32, partner: u32) -> u64 {
    u64::from(row) << 32 | u64::from(partner)
}

/// The row and its partner.
#[inline(always)]
pub(crate) fn row_and_partner(entry: u64) -> [u32; 2] {
    [(entry >> 32) as u32, entry as u32]
}

/// How many spans so many rows have.
pub(crate) fn span_count(rows: usize) -> usize {
    rows.div_ceil(SPAN)
}

/// Pages of pairs, by their number.
pub(crate) trait Pages: Sync {
    fn count(&self) -> usize;
    fn page(&self, number: usize) -> &[[u32; 2]];
}

/// Which entries a pair makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sides {
    /// The first row with the second.
    First,
    /// And the second with the first.
    Both,
}

/// Pairs sorted by span, chunk by chunk. Buffers are kept.
#[derive(Debug, Default)]
pub(crate) struct BySpan {
    /// `slot` entries for each chunk.
    entries: Vec<u64>,
    slot: usize,
    /// Of each chunk.
    ends: Vec<Vec<u32>>,
    chunks: usize,
}

impl BySpan {
    /// Sorts all pairs; their rows are below `rows`.
    pub(crate) fn fill(&mut self, pages: &impl Pages, page_len: usize, rows: usize, sides: Sides, parallel: bool) {
        let spans = span_count(rows);
        let least = (spans / SPANS_A_PAGE).clamp(CHUNK_PAGES[0], CHUNK_PAGES[1]);
        let chunk_pages = pages.count().div_ceil(CHUNKS_MAX).max(least);
        let copies = if sides == Sides::Both { 2 } else { 1 };
        self.chunks = pages.count().div_ceil(chunk_pages);
        self.slot = (chunk_pages * page_len * copies).max(1);
        let len = self.chunks * self.slot;
        grow(&mut self.entries, len);
        if self.ends.len() < self.chunks {
            self.ends.resize_with(self.chunks, Vec::new);
        }
        let ends = &mut self.ends[..self.chunks];
        parallel::for_each_chunk_and(parallel, &mut self.entries[..len], self.slot, ends, |chunk, entries, ends| {
            let pages = (chunk * chunk_pages..pages.count().min((chunk + 1) * chunk_pages)).map(|k| pages.page(k));
            match sides {
                Sides::First => sort_chunk::<false>(pages, spans, entries, ends),
                Sides::Both => sort_chunk::<true>(pages, spans, entries, ends),
            }
        });
    }

    /// The entries of a span: a run of each chunk, in the order of chunks.
    pub(crate) fn runs(&self, span: usize) -> impl Iterator<Item = &[u64]> + Clone {
        self.ends[..self.chunks].iter().enumerate().map(move |(chunk, ends)| {
            let start = if span == 0 { 0 } else { ends[span - 1] };
            &self.entries[chunk * self.slot..][start as usize..ends[span] as usize]
        })
    }

    /// How many entries a span has.
    pub(crate) fn len(&self, span: usize) -> usize {
        self.runs(span).map(<[u64]>::len).sum()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<u64>()
            + self.ends.iter().map(|ends| size_of::<Vec<u32>>() + ends.capacity() * size_of::<u32>()).sum::<usize>()
    }
}

/// Counts, then places. `ends` becomes where each span ends.
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
            ends[a as usize / SPAN] += 1;
            if BOTH {
                ends[b as usize / SPAN] += 1;
            }
        }
    }
    let mut next = 0;
    for end in ends.iter_mut() {
        // Where the span starts: placing moves it on to where it ends.
        next += std::mem::replace(end, next);
    }
    let mut place = |row: u32, partner: u32| {
        let at = &mut ends[row as usize / SPAN];
        entries[*at as usize] = entry(row, partner);
        *at += 1;
    };
    for page in pages {
        for &[a, b] in page {
            place(a, b);
            if BOTH {
                place(b, a);
            }
        }
    }
}
