//! The tracked contacts of one kind, span by span.

use crate::broad_phase::pairs::PageChain;
use crate::contacts::by_row::{PairSides, RowSort, SPAN_ROWS, span_count};
use crate::contacts::events::compare::ComparePool;
use crate::contacts::events::contact_slots::{Contact, Insertion};
use crate::contacts::events::edit::{ContactEdits, ToldPairs};
use crate::contacts::events::margin::MarginTest;
use crate::contacts::events::row_map::PairMap;
use crate::contacts::events::span::ContactSpan;
use crate::memory::buffers::Buffers;
use crate::pair::row_and_partner;
use crate::parallel;
use std::ops::Range;

/// Spans whose edits are loaded together on one thread.
const SPANS_TOGETHER: usize = 8;

/// All contacts of two bodies, or all of a body and a static.
#[derive(Default)]
pub(super) struct ContactSet {
    spans: Vec<ContactSpan>,
    /// Number of leading spans that may have contacts or events.
    live: usize,
    sort: RowSort,
    moved: Vec<Contact>,
    edits: ContactEdits,
}

/// The pairs of a step, and the new rows of the bodies of the last step.
pub(super) struct StepPairs<'s> {
    pub(super) pages: PageChain<'s>,
    pub(super) row_count: usize,
    pub(super) map: PairMap<'s>,
    pub(super) parallel: bool,
}

impl ContactSet {
    /// Replaces the contacts by those of a step.
    ///
    /// `last_ids` returns the ids of the rows of a contact of the last step.
    pub(super) fn advance(
        &mut self,
        step: StepPairs<'_>,
        last_ids: impl Fn([u32; 2]) -> [u64; 2] + Sync,
        margin: Option<MarginTest<'_>>,
        workers: &mut ComparePool,
    ) {
        let StepPairs { pages, row_count, map, parallel } = step;
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
        let most = spans.iter().enumerate().map(|(k, span)| span.contacts.count() + sort.entry_count(k));
        workers.reserve(most.max().unwrap_or(0), parallel);
        let workers = &*workers;
        parallel::for_each_mut(parallel, spans, |k, span| {
            workers.lock(parallel).run(span, sort.runs(k), margin.as_ref());
        });
        self.live = if map.is_identity() { count } else { live };
    }

    /// Edits the contacts in a step that was told what changed (TOLD-2).
    ///
    /// `last_ids` returns the ids of the rows of a contact of the last step.
    pub(super) fn edit(&mut self, step: &ToldPairs<'_>, last_ids: impl Fn([u32; 2]) -> [u64; 2]) {
        let live = self.live.max(span_count(step.row_count));
        if self.spans.len() < live {
            self.spans.resize_with(live, ContactSpan::default);
        }
        self.live = live;
        let Self { spans, edits, .. } = self;
        let spans = &mut spans[..live];
        spans.iter_mut().for_each(ContactSpan::clear_events);
        edits.plan(step);
        let ContactEdits { taken, moved, .. } = edits;
        taken.iter().for_each(|&entry| spans[span_of(entry)].contacts.prefetch_block(entry));
        for taken in taken.chunk_by(|&a, &b| span_of(a) == span_of(b)) {
            let span = &mut spans[span_of(taken[0])];
            taken.iter().for_each(|&entry| span.contacts.prefetch_slots(entry));
            span.take_reassigned(taken, &step.map, moved, &last_ids);
        }
        edits.resolve_moved(step);
        let edits = &*edits;
        for entry in edited(&edits.ended, &edits.inserted) {
            spans[span_of(entry)].contacts.prefetch_block(entry);
        }
        let parallel = step.parallel && !edits.leaves_spans();
        // On several threads, each span has enough edits.
        let together = if parallel { 1 } else { SPANS_TOGETHER };
        parallel::for_each_chunk(parallel, spans, together, |chunk, spans| {
            edit_spans(spans, chunk * together, edits);
        });
    }

    /// Notes which contacts are none of these pairs, all pairs of a step of all rows, ascending.
    pub(super) fn note_lingering(&mut self, pairs: impl Iterator<Item = u64>) {
        let Self { spans, live, edits, .. } = self;
        let contacts = spans[..*live].iter().flat_map(|span| span.contacts.iter());
        edits.note_lingering(contacts.map(|contact| contact.entry), pairs);
    }

    /// Number of contacts.
    pub(super) fn len(&self) -> usize {
        self.live().iter().map(|span| span.contacts.count()).sum()
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
    pub(super) fn fill(&mut self, contacts: &[Contact]) {
        let rows = contacts.last().map_or(0, |last| (last.entry >> 32) as usize + 1);
        self.live = span_count(rows);
        self.spans.resize_with(self.live, ContactSpan::default);
        for (k, span) in self.spans.iter_mut().enumerate() {
            span.contacts.insert_packed(part_of_span(contacts, k, |contact| contact.entry));
        }
    }
}

impl Buffers for ContactSet {
    fn bytes(&self) -> usize {
        self.spans.bytes() + self.sort.bytes() + self.edits.bytes() + self.moved.bytes()
    }

    fn reserve_like(&mut self, _: &Self) {}

    fn shrink_to_fit(&mut self) {
        (self.sort, self.moved) = Default::default();
        self.edits.shrink_to_fit();
        self.spans.truncate(self.live);
        Buffers::shrink_to_fit(&mut self.spans);
    }
}

/// Moves contacts to the spans of the present rows of their bodies (SPAN-3).
fn move_contacts(
    spans: &mut [ContactSpan],
    map: &PairMap<'_>,
    last_ids: impl Fn([u32; 2]) -> [u64; 2] + Sync,
    moved: &mut Vec<Contact>,
    parallel: bool,
) {
    parallel::for_each_mut(parallel, spans, |_, span| {
        span.clear_events();
        span.take_moved(map, &last_ids);
    });
    moved.clear();
    spans.iter_mut().for_each(|span| moved.append(&mut span.moved));
    parallel::sort_unstable(parallel, moved);
    let moved = &*moved;
    parallel::for_each_mut(parallel, spans, |k, span| {
        span.contacts.insert_packed(part_of_span(moved, k, |contact| contact.entry));
    });
}

/// Ends and inserts contacts of neighboring spans, of which the first has the number `first`.
fn edit_spans(spans: &mut [ContactSpan], first: usize, edits: &ContactEdits) {
    let range = first..first + spans.len();
    let ended = part_of_spans(&edits.ended, range.clone(), |&entry| entry);
    let ended_after_move = part_of_spans(&edits.ended_after_move, range.clone(), |contact| contact.entry);
    let inserted = part_of_spans(&edits.inserted, range.clone(), |new| new.entry);
    for entry in edited(ended, inserted) {
        spans[span_of(entry) - first].contacts.prefetch_slots(entry);
    }
    for (k, span) in range.zip(spans) {
        let ended = part_of_span(ended, k, |&entry| entry);
        span.end(ended, part_of_span(ended_after_move, k, |contact| contact.entry));
        span.contacts.insert(part_of_span(inserted, k, |new| new.entry), &mut span.started);
    }
}

/// The contacts that end and that are inserted.
fn edited(ended: &[u64], inserted: &[Insertion]) -> impl Iterator<Item = u64> {
    ended.iter().copied().chain(inserted.iter().map(|new| new.entry))
}

/// The items of one span, from items in ascending order of their entries.
fn part_of_span<T>(items: &[T], span: usize, entry: impl Fn(&T) -> u64) -> &[T] {
    part_of_spans(items, span..span + 1, entry)
}

fn part_of_spans<T>(items: &[T], spans: Range<usize>, entry: impl Fn(&T) -> u64) -> &[T] {
    let start = |span: usize| items.partition_point(|item| span_of(entry(item)) < span);
    &items[start(spans.start)..start(spans.end)]
}

/// The span of a contact.
fn span_of(entry: u64) -> usize {
    row_and_partner(entry)[0] as usize / SPAN_ROWS
}
