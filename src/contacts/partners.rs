//! Partners by row: for each body those that it touches, one behind the other.
//!
//! Pairs are brought together by spans of rows (`by_row.rs`), each span is sorted by row by counting, and the few partners of
//! each row by a sorting network: compressed rows, a span at a time.
//!
//! Cost: of bodies two entries a pair, of 4 bytes, and as many on the way; 4 bytes a row.

use crate::contacts::by_row::{BySpan, Pages, SPAN, Sides, row_and_partner, span_count};
use crate::memory::page::PAGE_LEN;
use crate::parallel;
use std::ops::Range;

/// Partners of a row that are put in order by a sorting network; more are sorted.
const FEW: usize = 4;

/// Partners of a row that are put in order by insertion.
const INSERTED_MAX: usize = 24;

/// For each count up to [`FEW`], what puts those beyond it behind all rows.
const BEYOND: [[u32; FEW]; FEW + 1] = {
    const MAX: u32 = u32::MAX;
    [[MAX; 4], [0, MAX, MAX, MAX], [0, 0, MAX, MAX], [0, 0, 0, MAX], [0; 4]]
};

/// Compares that put four in order (Knuth, The Art of Computer Programming 3, section 5.3.4).
const NETWORK: [(usize, usize); 5] = [(0, 1), (2, 3), (0, 2), (1, 3), (1, 2)];

/// The lists of the last good step.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    pub(crate) bodies: Compressed,
    pub(crate) statics: Compressed,
}

impl Lists {
    /// Makes the lists of a step of so many rows.
    pub(crate) fn rebuild(&mut self, (bodies, statics): (&impl Pages, &impl Pages), rows: usize, parallel: bool) {
        self.bodies.rebuild(bodies, rows, Sides::Both, parallel);
        self.statics.rebuild(statics, rows, Sides::First, parallel);
    }

    /// The statics are others: no row touches them yet.
    pub(crate) fn clear_statics(&mut self) {
        self.statics.spans.clear();
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bodies.bytes() + self.statics.bytes()
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.bodies.shrink_to_fit();
        self.statics.shrink_to_fit();
    }
}

/// Compressed rows.
#[derive(Debug, Default)]
pub(crate) struct Compressed {
    by_span: BySpan,
    spans: Vec<Span>,
}

/// The rows of a span.
#[derive(Debug, Default)]
struct Span {
    /// Where the partners of each row end; those of the next one begin there.
    ends: Vec<u32>,
    /// And [`FEW`] that are none.
    partners: Vec<u32>,
    /// The same before they are put in order.
    unordered: Vec<u32>,
}

impl Compressed {
    /// The partners of a row, ascending; none of a row that there is not.
    pub(crate) fn of(&self, row: u32) -> &[u32] {
        let (span, row) = (row as usize / SPAN, row as usize % SPAN);
        let Some(Span { ends, partners, .. }) = self.spans.get(span) else { return &[] };
        let start = if row == 0 { 0 } else { ends[row - 1] };
        &partners[start as usize..ends[row] as usize]
    }

    fn rebuild(&mut self, pages: &impl Pages, rows: usize, sides: Sides, parallel: bool) {
        self.by_span.fill(pages, PAGE_LEN, rows, sides, parallel);
        self.spans.resize_with(span_count(rows), Span::default);
        let by_span = &self.by_span;
        parallel::for_each_mut(parallel, &mut self.spans, |number, span| span.rebuild(by_span.runs(number)));
    }

    fn bytes(&self) -> usize {
        let words = |span: &Span| span.ends.capacity() + span.partners.capacity() + span.unordered.capacity();
        self.by_span.bytes() + self.spans.iter().map(words).sum::<usize>() * size_of::<u32>()
    }

    fn shrink_to_fit(&mut self) {
        self.by_span = BySpan::default();
        self.spans.shrink_to_fit();
        for span in &mut self.spans {
            span.unordered = Vec::new();
            span.partners.shrink_to_fit();
        }
    }
}

impl Span {
    fn rebuild<'r>(&mut self, runs: impl Iterator<Item = &'r [u64]> + Clone) {
        let Self { ends, partners, unordered } = self;
        let local = |entry: u64| row_and_partner(entry)[0] as usize % SPAN;
        ends.clear();
        ends.resize(SPAN, 0);
        for run in runs.clone() {
            run.iter().for_each(|&entry| ends[local(entry)] += 1);
        }
        let mut next = 0;
        for end in ends.iter_mut() {
            // Where the row starts: placing moves it on to where it ends.
            next += std::mem::replace(end, next);
        }
        for items in [&mut *partners, &mut *unordered] {
            items.clear();
            if items.capacity() < next as usize + FEW {
                items.reserve_exact(next as usize + next as usize / 8 + FEW);
            }
            items.resize(next as usize + FEW, u32::MAX);
        }
        for run in runs {
            for &entry in run {
                let at = &mut ends[local(entry)];
                unordered[*at as usize] = row_and_partner(entry)[1];
                *at += 1;
            }
        }
        let mut start = 0;
        for &end in ends.iter() {
            put_in_order(unordered, partners, start..end as usize);
            start = end as usize;
        }
    }
}

/// Puts the partners of a row in order. `to` may be written behind them, up to [`FEW`] in all: what belongs there comes later.
#[inline(always)]
fn put_in_order(from: &[u32], to: &mut [u32], row: Range<usize>) {
    let count = row.len();
    if count > FEW {
        let to = &mut to[row.clone()];
        to.copy_from_slice(&from[row]);
        return sort_more(to);
    }
    // Always as many, without a branch on how many there are: that is as good as random.
    let mut few = BEYOND[count];
    few.iter_mut().zip(&from[row.start..row.start + FEW]).for_each(|(slot, partner)| *slot |= partner);
    for (a, b) in NETWORK {
        (few[a], few[b]) = (few[a].min(few[b]), few[a].max(few[b]));
    }
    to[row.start..row.start + FEW].copy_from_slice(&few);
}

/// By insertion, unless they are many.
fn sort_more(partners: &mut [u32]) {
    if partners.len() > INSERTED_MAX {
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
