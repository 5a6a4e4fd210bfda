//! What becomes of contacts from step to step: which began, which go on, which ended, and a value that follows each.
//!
//! Contacts are known by the ids of their bodies (`ids.rs`). They are kept by the rows of the last step, in order (`span.rs`):
//! where bodies moved to other rows, their contacts are brought there first. Then the pairs of the step are looked up among them
//! (`compare.rs`).
//!
//! E1: what is compared are the pairs of two good steps, so for each contact a beginning is followed by one end, whatever lies
//!     between.
//! E2: the margin decides about ends only: a contact begins when its pair is reported, and ends when it is not and the boxes,
//!     grown by the margin on each side, do not overlap either (or one of them is gone, or filters or a switch forbid it).
//!     Where bodies are discs, the discs of the grown boxes have to touch too.
//! E3: nothing changes before a step is sure to be good.
//!
//! Contacts sorted by their bodies, of this step against the last, are what Box2D's pair buffer had (Catto); here only what began is
//! sorted, and each span of rows for itself, in the cache.
//!
//! Cost: pairs brought together by rows, a look-up a pair, a pass over the contacts, all in parallel. About 50 bytes a contact,
//! and 30 a row with ids.

pub(crate) mod advance;
pub(crate) mod compare;
pub(crate) mod ids;
#[cfg(feature = "serde")]
pub(crate) mod saved;
pub(crate) mod span;
pub(crate) mod view;
pub(crate) use crate::contacts::events::advance::IdsNow;
#[cfg(feature = "serde")]
pub(crate) use crate::contacts::events::saved::SavedTracked;
pub use crate::contacts::events::view::{EndedPair, EndedStaticPair, Tracked};

use crate::contacts::by_row::{BySpan, Pages, SPAN, Sides, span_count};
use crate::contacts::events::compare::Comparison;
use crate::contacts::events::ids::{Identities, Ids, NONE, Side, first_duplicate};
use crate::contacts::events::span::{Moved, Moves, Span};
use crate::error::Error;
use crate::memory::page::PAGE_LEN;
use crate::parallel;
use crate::simd::DetectedSimd;
use crate::tier::static_tree::tree::StaticTree;
use crossbeam::utils::CachePadded;
use parking_lot::{Mutex, MutexGuard};
use std::ops::Range;

/// The contacts of the last good step, and what began and ended in it.
#[derive(Default)]
pub(crate) struct Tracker {
    identities: Identities,
    /// Rows that the step left out; ascending.
    absent: Vec<u32>,
    bodies: Touching,
    statics: Touching,
    /// The number of the static set of the last good step, and its ids, if it had any.
    static_set: u64,
    static_ids: Option<Vec<u64>>,
    workers: Workers,
}

/// Buffers for every worker. A lock is taken once a span, by its worker alone.
#[derive(Default)]
struct Workers(Vec<CachePadded<Mutex<Comparison>>>);

impl Workers {
    /// Room for spans of at most so many contacts and pairs together, whichever worker meets them.
    fn provide(&mut self, most: usize, parallel: bool) {
        let count = parallel::worker_count(parallel);
        if self.0.len() < count {
            self.0.resize_with(count, CachePadded::default);
        }
        self.0.iter_mut().for_each(|worker| worker.get_mut().provide(most));
    }

    fn mine(&self, parallel: bool) -> MutexGuard<'_, Comparison> {
        self.0[parallel::worker_index(parallel)].lock()
    }

    fn bytes(&self) -> usize {
        let bytes = |worker: &CachePadded<Mutex<Comparison>>| size_of_val(worker) + worker.lock().bytes();
        self.0.iter().map(bytes).sum()
    }
}

/// What a step tells of its statics.
#[derive(Clone, Copy)]
pub(crate) struct StaticSet<'s> {
    pub(crate) tree: &'s StaticTree,
    /// Changes when the set is replaced.
    pub(crate) number: u64,
}

/// Whether a contact of two rows goes on that was not found.
pub(crate) trait Keeps: Fn([u32; 2]) -> bool + Sync {}

impl<F: Fn([u32; 2]) -> bool + Sync> Keeps for F {}

impl Tracker {
    /// Whether all rows of a step are there and have the ids that they had in the last one, or no ids, as then; if so, there is
    /// nothing to identify. `equal` says whether rows of the step have these ids.
    pub(crate) fn is_as_before(
        &mut self,
        rows: usize,
        equal: impl Fn(Range<usize>, &[u64]) -> bool + Sync,
        parallel: bool,
    ) -> bool {
        self.absent.clear();
        self.identities.is_as_before(rows, equal, parallel)
    }

    /// Finds out which bodies are which, before anything is changed (E3).
    ///
    /// # Errors
    ///
    /// When two rows that were not skipped have one id.
    pub(crate) fn identify(
        &mut self,
        column: Option<&[u64]>,
        rows: usize,
        absent: impl Iterator<Item = u32>,
        parallel: bool,
    ) -> Result<(), Error> {
        self.absent.clear();
        self.absent.extend(absent);
        self.identities.compare(Ids { column, rows, absent: &self.absent }, parallel)
    }

    /// Compares what a good step found with what the last one had. `keeps` says whether a contact that was not found goes on
    /// (E2), where there is a margin: of bodies, and of a body and a static.
    pub(crate) fn advance(
        &mut self,
        (body_pairs, static_pairs): (&impl Pages, &impl Pages),
        (column, rows): (Option<&[u64]>, usize),
        set: StaticSet<'_>,
        (keeps_bodies, keeps_static): (Option<impl Keeps>, Option<impl Keeps>),
        (level, parallel): (DetectedSimd, bool),
    ) {
        let same_set = self.static_set == set.number;
        let static_rows = if same_set { None } else { self.static_rows(set) };
        let static_side = match &static_rows {
            _ if same_set => Side::Same,
            Some(rows) => Side::To(rows),
            None => Side::Gone,
        };
        let Self { identities, absent, bodies, statics, static_ids, workers, .. } = self;
        let moved = identities.moved();
        let before = |row: u32| identities.id_before(row);
        bodies.advance(
            (body_pairs, rows),
            Moves { sides: [moved; 2], ascending: true },
            |rows: [u32; 2]| rows.map(before),
            keeps_bodies,
            workers,
            (level, parallel),
        );
        let static_before = |row: u32| static_ids.as_ref().map_or(u64::from(row), |ids| ids[row as usize]);
        statics.advance(
            (static_pairs, rows),
            Moves { sides: [moved, static_side], ascending: false },
            |[body, static_row]: [u32; 2]| [before(body), static_before(static_row)],
            keeps_static,
            workers,
            (level, parallel),
        );
        if !identities.is_unchanged() {
            identities.commit(Ids { column, rows, absent });
        }
        if !same_set {
            self.static_set = set.number;
            self.static_ids = set.tree.ids().map(<[u64]>::to_vec);
        }
    }

    /// Where each static of the last set is in this one, if both have ids.
    fn static_rows(&self, set: StaticSet<'_>) -> Option<Vec<u32>> {
        let (before, now) = (self.static_ids.as_ref()?, set.tree.ids()?);
        let mut by_id: Vec<(u64, u32)> = now.iter().zip(0..).map(|(&id, row)| (id, row)).collect();
        by_id.sort_unstable();
        let row_of = |id: &u64| by_id.binary_search_by_key(id, |&(id, _)| id).map_or(NONE, |at| by_id[at].1);
        Some(before.iter().map(row_of).collect())
    }

    pub(crate) fn bytes(&self) -> usize {
        let static_ids = self.static_ids.as_ref().map_or(0, Vec::capacity) * size_of::<u64>();
        let absent = self.absent.capacity() * size_of::<u32>();
        self.identities.bytes()
            + self.workers.bytes()
            + self.bodies.bytes()
            + self.statics.bytes()
            + static_ids
            + absent
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.identities.shrink_to_fit();
        self.bodies.shrink_to_fit();
        self.statics.shrink_to_fit();
        self.absent = Vec::new();
        self.workers = Workers::default();
    }
}

/// That no two statics have one id.
pub(crate) fn check_static_ids(tree: &StaticTree) -> Result<(), Error> {
    match tree.ids().and_then(|ids| first_duplicate(ids, &[])) {
        Some((first, second, id)) => Err(Error::DuplicateStaticId { first, second, id }),
        None => Ok(()),
    }
}

/// Contacts of one kind.
#[derive(Default)]
struct Touching {
    spans: Vec<Span>,
    /// Spans that have something to tell.
    live: usize,
    by_span: BySpan,
    moved: Vec<Moved>,
}

impl Touching {
    fn advance(
        &mut self,
        (pages, rows): (&impl Pages, usize),
        moves: Moves<'_>,
        ids_before: impl Fn([u32; 2]) -> [u64; 2] + Sync,
        keeps: Option<impl Keeps>,
        workers: &mut Workers,
        (level, parallel): (DetectedSimd, bool),
    ) {
        let count = span_count(rows);
        if pages.count() == 0 && self.live().iter().all(Span::is_silent) {
            // Nothing was and nothing is: of statics, often.
            self.live = 0;
            return;
        }
        if self.spans.len() < count {
            self.spans.resize_with(count, Span::default);
        }
        let live = self.live.max(count);
        let spans = &mut self.spans[..live];
        if moves.any() {
            bring_home(spans, &moves, ids_before, &mut self.moved, parallel);
        } else {
            spans.iter_mut().for_each(Span::forget);
        }
        self.by_span.fill(pages, PAGE_LEN, rows, Sides::First, parallel);
        let by_span = &self.by_span;
        let spans = &mut self.spans[..count];
        let most = spans.iter().enumerate().map(|(number, span)| span.values().len() + by_span.len(number));
        workers.provide(most.max().unwrap_or(0), parallel);
        parallel::for_each_mut(parallel, spans, |number, span| {
            workers.mine(parallel).run(level, span, by_span.runs(number), keeps.as_ref());
        });
        self.live = if moves.any() { live } else { count };
    }

    fn live(&self) -> &[Span] {
        &self.spans[..self.live]
    }

    fn bytes(&self) -> usize {
        let spans: usize = self.spans.iter().map(Span::bytes).sum();
        spans + self.by_span.bytes() + self.moved.capacity() * size_of::<Moved>()
    }

    fn shrink_to_fit(&mut self) {
        (self.by_span, self.moved) = Default::default();
        self.spans.truncate(self.live);
        self.spans.shrink_to_fit();
        self.spans.iter_mut().for_each(Span::shrink_to_fit);
    }
}

/// Brings contacts to the rows where their bodies are now (T3).
fn bring_home(
    spans: &mut [Span],
    moves: &Moves<'_>,
    ids_before: impl Fn([u32; 2]) -> [u64; 2] + Sync,
    moved: &mut Vec<Moved>,
    parallel: bool,
) {
    parallel::for_each_mut(parallel, spans, |_, span| {
        span.forget();
        span.take_out(moves, &ids_before);
    });
    moved.clear();
    spans.iter().for_each(|span| moved.extend_from_slice(&span.moved));
    parallel::sort_unstable(parallel, moved);
    let moved = &*moved;
    parallel::for_each_mut(parallel, spans, |number, span| span.bring_in(part_of(moved, number)));
}

/// The part of an ascending run that belongs to a span.
fn part_of(moved: &[Moved], span: usize) -> &[Moved] {
    let before = |end: usize| moved.partition_point(|&(entry, _)| ((entry >> 32) as usize) < end);
    &moved[before(span * SPAN)..before((span + 1) * SPAN)]
}
