//! The one interface between queries and the structures that they search.

use crate::geometry::{Impact, RawAabb};
use crate::input::filter::Filter;
use crate::query::cast_hit::CastHits;
use crate::query::neighbor::NearestHits;
use crate::tier::box_test::BoxTest;
use crate::tier::loose_grid::handles::query::HandleAreaQuery;
use crate::tier::loose_grid::rebuilt::query::LooseAreaQuery;
use crate::tier::point_grid::box_query::GridAreaQuery;
use crate::tier::static_tree::box_query::TreeAreaQuery;
use crate::tier::static_tree::tree::StaticTree;
use smallvec::SmallVec;

/// The most hits that a box query finds before the first of them is returned.
pub(crate) const BATCH_LEN: usize = 16;

/// Hits that were found and are still to be returned.
pub(crate) type HitBatch<H> = SmallVec<[H; BATCH_LEN]>;

/// Passes the hits of a box query on, in batches.
pub(crate) struct HitSink<'f, H: Copy> {
    hits: HitBatch<H>,
    take: &'f mut dyn FnMut(&[H]),
}

impl<'f, H: Copy> HitSink<'f, H> {
    pub(crate) fn new(take: &'f mut dyn FnMut(&[H])) -> Self {
        Self { hits: HitBatch::new(), take }
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, hit: H) {
        if self.hits.len() == BATCH_LEN {
            self.flush();
        }
        self.hits.push(hit);
    }

    /// Passes on what is left.
    pub(crate) fn flush(&mut self) {
        (self.take)(&self.hits);
        self.hits.clear();
    }
}

/// The scope of a query: what it searches, and which hits it leaves out.
///
/// Tiers that are used alone use only the predicate.
pub(crate) struct Scope<'q, H> {
    pub(crate) common: bool,
    pub(crate) oversized: bool,
    /// The statics to search, if any.
    pub(crate) statics: Option<&'q StaticTree>,
    /// Whether the fields below exclude nothing.
    pub(crate) is_unrestricted: bool,
    pub(crate) filter: Option<Filter>,
    pub(crate) excluded_bodies: &'q [u32],
    pub(crate) excluded_statics: &'q [u32],
    pub(crate) predicate: Option<&'q (dyn Fn(H) -> bool + Sync)>,
}

impl<H> Clone for Scope<'_, H> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<H> Copy for Scope<'_, H> {}

impl<'q, H: Copy> Scope<'q, H> {
    /// Everything, with these statics.
    pub(crate) fn new(statics: Option<&'q StaticTree>) -> Self {
        Self {
            common: true,
            oversized: true,
            statics,
            is_unrestricted: true,
            filter: None,
            excluded_bodies: &[],
            excluded_statics: &[],
            predicate: None,
        }
    }

    /// The hit, unless the predicate rejects it.
    #[inline(always)]
    pub(crate) fn filter_hit(&self, hit: H) -> Option<H> {
        self.predicate.is_none_or(|predicate| predicate(hit)).then_some(hit)
    }
}

/// A structure that queries search: the frame of a world, or a tier that is used alone.
pub(crate) trait Source<H: Copy>: Sync {
    /// Starts the box query in a part of the structure, counted from 0, or advances `part` to the
    /// next one to be searched; `None` after the last part. Edges of the area may be infinite.
    fn box_search<'s>(
        &'s self,
        scope: &Scope<'s, H>,
        part: &mut usize,
        area: &RawAabb,
        test: BoxTest,
    ) -> Option<TierSearch<'s>>;

    /// The hit for a row found in a part, unless `scope` excludes it.
    fn hit(&self, scope: &Scope<'_, H>, part: usize, row: u32) -> Option<H>;

    /// Finds all hits of a box query, part by part.
    fn find_hits(&self, scope: &Scope<'_, H>, area: &RawAabb, test: BoxTest, found: &mut HitSink<'_, H>);

    /// Finds the first hit of a box query.
    fn find_first(&self, scope: &Scope<'_, H>, area: &RawAabb, test: BoxTest) -> Option<H>;

    /// Adds boxes around `point` to `nearest` until no others are wanted, each once, roughly
    /// nearest first.
    fn find_nearest(&self, scope: &Scope<'_, H>, point: [f32; 2], nearest: &mut NearestHits<'_, H>);

    /// Adds boxes that a cast hits to `hits` until no others are wanted, roughly earliest first,
    /// some of them twice.
    fn find_cast_hits(&self, scope: &Scope<'_, H>, hits: &mut CastHits<'_, H>);

    /// A sort key: queries at points with similar keys read nearby memory.
    fn sort_key(&self, scope: &Scope<'_, H>, point: [f32; 2]) -> u64;

    /// Finds up to `limit` more hits of a box query; none only if there are no more.
    fn next_hits<'s>(
        &'s self,
        scope: &Scope<'s, H>,
        search: &mut BoxSearch<'s>,
        limit: usize,
        found: &mut HitBatch<H>,
    ) {
        loop {
            if search.current.is_none() {
                search.current = self.box_search(scope, &mut search.part, &search.area, search.test);
            }
            let Some(current) = &mut search.current else { return };
            let part = search.part;
            current.take_hits(limit, found, |row| self.hit(scope, part, row));
            if found.len() == limit {
                return;
            }
            (search.part, search.current) = (search.part + 1, None);
        }
    }
}

/// A visitor of rows for [`Source::find_nearest`]: takes a squared distance, and returns the one up
/// to which rows are wanted.
#[inline]
pub(crate) fn add_nearest<H: Copy + Ord, S: Source<H>>(
    source: &S,
    scope: &Scope<'_, H>,
    part: usize,
    nearest: &mut NearestHits<'_, H>,
) -> impl FnMut(u32, f64) -> f64 {
    move |row, squared| {
        if let Some(hit) = source.hit(scope, part, row) {
            nearest.add(hit, squared);
        }
        nearest.within()
    }
}

/// A visitor of rows for [`Source::find_cast_hits`]: returns the time of impact up to which rows
/// are wanted.
#[inline]
pub(crate) fn add_cast_hits<H: Copy + Ord, S: Source<H>>(
    source: &S,
    scope: &Scope<'_, H>,
    part: usize,
    hits: &mut CastHits<'_, H>,
) -> impl FnMut(u32, Impact) -> f64 {
    move |row, entry| {
        if let Some(hit) = source.hit(scope, part, row) {
            hits.add(hit, &entry);
        }
        hits.t_max()
    }
}

/// The progress of a box query.
#[derive(Clone)]
pub(crate) struct BoxSearch<'s> {
    pub(crate) area: RawAabb,
    pub(crate) test: BoxTest,
    /// The search of the present part; `None` if it has not begun.
    part: usize,
    current: Option<TierSearch<'s>>,
}

impl BoxSearch<'_> {
    pub(crate) fn new(area: RawAabb, test: BoxTest) -> Self {
        Self { area, test, part: 0, current: None }
    }

    /// Whether nothing has been searched yet.
    pub(crate) fn is_new(&self) -> bool {
        self.part == 0 && self.current.is_none()
    }
}

/// A box query in one part of a structure: an iterator over rows, or over slots of a grid with
/// handles.
#[derive(Clone)]
#[allow(clippy::large_enum_variant)] // a box would be an allocation in each query
pub(crate) enum TierSearch<'s> {
    Points(GridAreaQuery<'s>),
    Loose(LooseAreaQuery<'s>),
    Handles(HandleAreaQuery<'s>),
    Tree(TreeAreaQuery<'s>),
}

impl TierSearch<'_> {
    /// Searches until `found` has `limit` hits, or to the end.
    #[inline(always)]
    fn take_hits<H: Copy>(&mut self, limit: usize, found: &mut HitBatch<H>, hit: impl Fn(u32) -> Option<H>) {
        fn take<H: Copy>(
            mut rows: impl Iterator<Item = u32>,
            limit: usize,
            found: &mut HitBatch<H>,
            hit: impl Fn(u32) -> Option<H>,
        ) {
            while found.len() < limit {
                let Some(row) = rows.next() else { return };
                if let Some(hit) = hit(row) {
                    found.push(hit);
                }
            }
        }
        match self {
            Self::Points(rows) => take(rows, limit, found, hit),
            Self::Loose(bodies) => take(&mut bodies.by_ref().map(|body| body.row), limit, found, hit),
            Self::Handles(rows) => take(rows, limit, found, hit),
            Self::Tree(rows) => take(rows, limit, found, hit),
        }
    }
}
