//! The tracked contacts of one kind, span by span.

use crate::broad_phase::changes::pair_edits::PairEdits;
use crate::broad_phase::pairs::PageChain;
use crate::contacts::by_row::{PairSides, RowSort, SPAN_ROWS, span_count};
use crate::contacts::events::compare::ComparePool;
use crate::contacts::events::span::{ContactSpan, MovedContact, PairMap};
use crate::memory::buffers::Buffers;
use crate::parallel;
use crate::simd::DetectedSimd;

/// All contacts of two bodies, or all of a body and a static.
#[derive(Default)]
pub(super) struct ContactSet {
    spans: Vec<ContactSpan>,
    /// Number of leading spans that may have contacts or events.
    live: usize,
    sort: RowSort,
    moved: Vec<MovedContact>,
}

/// The pairs of a step, and the new rows of the bodies of the last step.
pub(super) struct StepPairs<'s> {
    pub(super) pages: PageChain<'s>,
    pub(super) row_count: usize,
    pub(super) map: PairMap<'s>,
    pub(super) level: DetectedSimd,
    pub(super) parallel: bool,
}

impl ContactSet {
    /// Replaces the contacts by those of a step.
    ///
    /// `last_ids` returns the ids of the rows of a contact of the last step. `keeps`, if there is a
    /// margin, decides whether a contact that the step did not find persists.
    pub(super) fn advance(
        &mut self,
        step: StepPairs<'_>,
        last_ids: impl Fn([u32; 2]) -> [u64; 2] + Sync,
        keeps: Option<impl Fn([u32; 2]) -> bool + Sync>,
        workers: &mut ComparePool,
    ) {
        let StepPairs { pages, row_count, map, level, parallel } = step;
        let count = span_count(row_count);
        if pages.len() == 0 && self.live().iter().all(ContactSpan::is_silent) {
            self.live = 0;
            return;
        }
        if self.spans.len() < count {
            self.spans.resize_with(count, ContactSpan::default);
        }
        let live = self.live.max(count);
        let spans = &mut self.spans[..live];
        if map.is_identity() {
            spans.iter_mut().for_each(ContactSpan::clear_events);
        } else {
            move_contacts(spans, &map, last_ids, &mut self.moved, parallel);
        }
        self.sort.fill(pages, row_count, PairSides::First, parallel);
        let sort = &self.sort;
        let spans = &mut self.spans[..count];
        let most = spans.iter().enumerate().map(|(k, span)| span.values().len() + sort.entry_count(k));
        workers.reserve(most.max().unwrap_or(0), parallel);
        let workers = &*workers;
        parallel::for_each_mut(parallel, spans, |k, span| {
            workers.lock(parallel).run(level, span, sort.runs(k), keeps.as_ref());
        });
        self.live = if map.is_identity() { count } else { live };
    }

    /// Ends the removed contacts and begins the added ones; all others persist.
    pub(super) fn edit(&mut self, edits: &PairEdits, row_count: usize, parallel: bool) {
        let live = self.live.max(span_count(row_count));
        if self.spans.len() < live {
            self.spans.resize_with(live, ContactSpan::default);
        }
        self.live = live;
        parallel::for_each_mut(parallel && !edits.is_empty(), self.live_mut(), |k, span| {
            span.clear_events();
            let (ended, began) = (part_of_entries(&edits.removed, k), part_of_entries(&edits.added, k));
            if !(ended.is_empty() && began.is_empty()) {
                span.edit(ended, began);
            }
        });
    }

    /// The spans that may have contacts or events.
    pub(super) fn live(&self) -> &[ContactSpan] {
        &self.spans[..self.live]
    }

    pub(super) fn live_mut(&mut self) -> &mut [ContactSpan] {
        &mut self.spans[..self.live]
    }

    /// Inserts contacts in ascending order into an empty set.
    #[cfg(feature = "serde")]
    pub(super) fn fill(&mut self, contacts: &[MovedContact]) {
        let rows = contacts.last().map_or(0, |&(entry, _)| (entry >> 32) as usize + 1);
        self.live = span_count(rows);
        self.spans.resize_with(self.live, ContactSpan::default);
        for (k, span) in self.spans.iter_mut().enumerate() {
            span.insert_moved(part_of_span(contacts, k));
        }
    }
}

impl Buffers for ContactSet {
    fn bytes(&self) -> usize {
        self.spans.bytes() + self.sort.bytes() + self.moved.capacity() * size_of::<MovedContact>()
    }

    fn reserve_like(&mut self, _: &Self) {}

    fn shrink_to_fit(&mut self) {
        (self.sort, self.moved) = Default::default();
        self.spans.truncate(self.live);
        Buffers::shrink_to_fit(&mut self.spans);
    }
}

/// Moves contacts to the spans of the present rows of their bodies (SPAN-3).
fn move_contacts(
    spans: &mut [ContactSpan],
    map: &PairMap<'_>,
    last_ids: impl Fn([u32; 2]) -> [u64; 2] + Sync,
    moved: &mut Vec<MovedContact>,
    parallel: bool,
) {
    parallel::for_each_mut(parallel, spans, |_, span| {
        span.clear_events();
        span.take_moved(map, &last_ids);
    });
    moved.clear();
    spans.iter().for_each(|span| moved.extend_from_slice(&span.moved));
    parallel::sort_unstable(parallel, moved);
    let moved = &*moved;
    parallel::for_each_mut(parallel, spans, |k, span| span.insert_moved(part_of_span(moved, k)));
}

/// The entries of one span, from entries in ascending order.
fn part_of_entries(entries: &[u64], span: usize) -> &[u64] {
    let first_of_row = |row: usize| entries.partition_point(|&entry| ((entry >> 32) as usize) < row);
    &entries[first_of_row(span * SPAN_ROWS)..first_of_row((span + 1) * SPAN_ROWS)]
}

/// The contacts of one span, from contacts in ascending order.
fn part_of_span(contacts: &[MovedContact], span: usize) -> &[MovedContact] {
    let first_of_row = |row: usize| contacts.partition_point(|&(entry, _)| ((entry >> 32) as usize) < row);
    &contacts[first_of_row(span * SPAN_ROWS)..first_of_row((span + 1) * SPAN_ROWS)]
}
