//! Queries to a step's bodies and to statics: of a world, which asks of its present statics, and of what readers hold.
//!
//! All three tiers one after the other: common bodies, oversized ones, statics. What is near or met in one tells the next
//! how near it has to be.

use crate::frame::frame::Index;
use crate::geometry::{Impact, PreparedCast, RawAabb, overlaps};
use crate::input::filter::Filter;
use crate::pair::Hit;
use crate::query::{Accept, Part, QueryBuilder, Search};
use crate::tier::point_grid::bands::Bands;
use crate::tier::point_grid::box_query::{Filed, InArea, Overlapping, Tested, Wanted};
use crate::tier::static_tree::tree::StaticTree;

/// A tier of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Bodies of common size.
    Common,
    /// Bodies above every bound.
    Oversized,
    /// What never moves.
    Static,
}

/// What questions to a [`World`](crate::World) or to a [`Snapshot`](crate::Snapshot) are asked of: the bodies of a step and
/// statics, or some of them.
#[derive(Clone, Copy)]
pub struct Searched<'w> {
    pub(crate) index: &'w Index,
    pub(crate) statics: &'w StaticTree,
    /// By [`Tier`].
    tiers: [bool; 3],
    exclude_bodies: &'w [u32],
    exclude_statics: &'w [u32],
    filter: Option<Filter>,
    /// Whether all rows are asked of, whatever their filters.
    is_whole: bool,
    sequential: bool,
}

impl<'w> Searched<'w> {
    /// All bodies of a step, and all of these statics. If `sequential`, batches use no other thread.
    pub(crate) fn new(index: &'w Index, statics: &'w StaticTree, sequential: bool) -> Self {
        Self {
            index,
            statics,
            tiers: [true; 3],
            exclude_bodies: &[],
            exclude_statics: &[],
            filter: None,
            is_whole: true,
            sequential,
        }
    }

    fn has(&self, tier: Tier) -> bool {
        self.tiers[tier as usize]
    }

    /// Whether it is worth while to look at tier 3.
    fn has_statics(&self) -> bool {
        self.has(Tier::Static) && !self.statics.is_empty()
    }

    #[inline(always)]
    fn wants_body(&self, row: u32) -> bool {
        self.is_whole || self.lets_body_pass(row)
    }

    #[inline(always)]
    fn wants_static(&self, row: u32) -> bool {
        self.is_whole || self.lets_static_pass(row)
    }

    fn lets_body_pass(&self, row: u32) -> bool {
        self.filter.is_none_or(|filter| filter.interacts_with(self.index.filter(row)))
            && !self.exclude_bodies.contains(&row)
    }

    fn lets_static_pass(&self, row: u32) -> bool {
        self.filter.is_none_or(|filter| filter.interacts_with(self.statics.filter_of(row)))
            && !self.exclude_statics.contains(&row)
    }

    #[inline]
    fn body(&self, row: u32) -> Hit {
        Hit::Body { row, id: self.index.ids.get(row as usize).copied() }
    }

    #[inline]
    fn static_row(&self, row: u32) -> Hit {
        Hit::Static { row, id: self.statics.id(row) }
    }

    /// Whether a row that is filed among the sleepers is where it is filed.
    #[inline(always)]
    fn stands(&self, row: u32) -> bool {
        self.index.cached.is_cached(row)
    }

    /// As [`visit_body`](Self::visit_body), of those filed among the sleepers.
    #[inline]
    fn visit_sleeper<T>(self, limit: f64, visit: &mut impl FnMut(Hit, T) -> f64) -> impl FnMut(u32, T) -> f64 {
        let mut limit = limit;
        move |row, at| {
            if self.stands(row) && self.wants_body(row) {
                limit = visit(self.body(row), at);
            }
            limit
        }
    }

    /// Visits the bodies that are asked of, by their rows; until the first of them the limit is as it was.
    #[inline]
    fn visit_body<T>(self, limit: f64, visit: &mut impl FnMut(Hit, T) -> f64) -> impl FnMut(u32, T) -> f64 {
        let mut limit = limit;
        move |row, at| {
            if self.wants_body(row) {
                limit = visit(self.body(row), at);
            }
            limit
        }
    }

    /// As [`visit_body`](Self::visit_body), statics.
    #[inline]
    fn visit_static<T>(self, limit: f64, visit: &mut impl FnMut(Hit, T) -> f64) -> impl FnMut(u32, T) -> f64 {
        let mut limit = limit;
        move |row, at| {
            if self.wants_static(row) {
                limit = visit(self.static_row(row), at);
            }
            limit
        }
    }

    /// What all that is searched is made of.
    pub(crate) fn visit_debug_shapes(self, mut visitor: impl FnMut(Part)) {
        self.index.bands.visit_debug_shapes(&mut visitor);
        self.index.cached.bands().into_iter().for_each(|sleepers| sleepers.visit_debug_shapes(&mut visitor));
        self.index.oversized.grid().visit_debug_shapes(&mut visitor);
        self.statics.visit_debug_shapes(visitor);
    }

    /// What lies in an area, as each tier has it.
    #[inline]
    fn in_all_tiers<W: Wanted, O: Iterator<Item = u32>, F: Iterator<Item = u32>>(
        self,
        area: RawAabb,
        wanted: W,
        oversized: impl FnOnce() -> O,
        static_row: impl FnOnce() -> F,
    ) -> impl Iterator<Item = Hit> {
        const NOWHERE: RawAabb = [f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY];
        let area = if self.has(Tier::Common) { area } else { NOWHERE };
        InAllTiers {
            searched: self,
            common: self.index.bands.search(area, wanted),
            sleepers: self.index.cached.bands().map(|grid| (grid, area, wanted)),
            among_sleepers: false,
            other_tiers: Some((oversized, static_row)),
            oversized: None,
            static_row: None,
        }
    }
}

/// What lies in an area: one tier after the other, each looked into when the one before is used up.
///
/// The searches of tiers 2 and 3 are large values and often not needed: they are made where they stay.
struct InAllTiers<'w, W, L, S, O, F> {
    searched: Searched<'w>,
    common: InArea<'w, W>,
    /// Where to search when the common bodies of the step are used up; nowhere once that is what `common` does.
    sleepers: Option<(&'w Bands, RawAabb, W)>,
    among_sleepers: bool,
    /// Makes the searches of the other tiers; none once it did.
    other_tiers: Option<(L, S)>,
    oversized: Option<O>,
    static_row: Option<F>,
}

impl<'w, W, L, S, O, F> Iterator for InAllTiers<'w, W, L, S, O, F>
where
    W: Wanted,
    L: FnOnce() -> O,
    S: FnOnce() -> F,
    O: Iterator<Item = u32>,
    F: Iterator<Item = u32>,
{
    type Item = Hit;

    #[inline]
    fn next(&mut self) -> Option<Hit> {
        loop {
            for row in self.common.by_ref() {
                if self.searched.wants_body(row) && (!self.among_sleepers || self.searched.stands(row)) {
                    return Some(self.searched.body(row));
                }
            }
            let Some((sleepers, area, wanted)) = self.sleepers.take() else { return self.next_of_others() };
            (self.common, self.among_sleepers) = (sleepers.search(area, wanted), true);
        }
    }

    fn fold<B, G: FnMut(B, Hit) -> B>(self, init: B, mut fold: G) -> B {
        let Self { searched, common, sleepers, among_sleepers, other_tiers, oversized, static_row } = self;
        let mut body = |folded, row| {
            if searched.wants_body(row) { fold(folded, searched.body(row)) } else { folded }
        };
        let is_there = |row| !among_sleepers || searched.stands(row);
        let mut folded = common.fold(init, |folded, row| if is_there(row) { body(folded, row) } else { folded });
        if let Some((grid, area, wanted)) = sleepers {
            let sleepers = grid.search(area, wanted);
            folded = sleepers.fold(folded, |folded, row| if searched.stands(row) { body(folded, row) } else { folded });
        }
        let oversized_body = |folded, row| body(folded, row);
        let fixed_one = |fold: &mut G, folded, row| {
            if searched.wants_static(row) { fold(folded, searched.static_row(row)) } else { folded }
        };
        // The searches are made where they are used up.
        let Some((make_oversized, make_fixed)) = other_tiers else {
            folded = oversized.into_iter().flatten().fold(folded, oversized_body);
            return static_row.into_iter().flatten().fold(folded, |folded, row| fixed_one(&mut fold, folded, row));
        };
        if searched.has(Tier::Oversized) {
            folded = make_oversized().fold(folded, oversized_body);
        }
        if searched.has_statics() {
            folded = make_fixed().fold(folded, |folded, row| fixed_one(&mut fold, folded, row));
        }
        folded
    }
}

impl<'w, W, L, S, O, F> InAllTiers<'w, W, L, S, O, F>
where
    L: FnOnce() -> O,
    S: FnOnce() -> F,
    O: Iterator<Item = u32>,
    F: Iterator<Item = u32>,
{
    fn next_of_others(&mut self) -> Option<Hit> {
        let searched = self.searched;
        if let Some((oversized, static_row)) = self.other_tiers.take() {
            self.oversized = searched.has(Tier::Oversized).then(oversized);
            self.static_row = searched.has_statics().then(static_row);
        }
        let mut oversized = self.oversized.iter_mut().flatten();
        if let Some(row) = oversized.find(|&row| searched.wants_body(row)) {
            return Some(searched.body(row));
        }
        self.oversized = None;
        let mut static_row = self.static_row.iter_mut().flatten();
        static_row.find(|&row| searched.wants_static(row)).map(|row| searched.static_row(row))
    }
}

impl<'w> Search for Searched<'w> {
    type Hit = Hit;

    fn search<T: Fn(&RawAabb) -> bool + Copy>(self, area: RawAabb, test: T) -> impl Iterator<Item = Hit> {
        let Self { index, statics, .. } = self;
        self.in_all_tiers(
            area,
            Tested(test),
            move || index.oversized.query_if(area, test),
            move || statics.search(area, test),
        )
    }

    fn overlapping(self, area: RawAabb) -> impl Iterator<Item = Hit> {
        let Self { index, statics, .. } = self;
        self.in_all_tiers(
            area,
            Overlapping,
            move || index.oversized.query_if(area, move |aabb| overlaps(aabb, &area)),
            move || statics.overlapping(area),
        )
    }

    fn filed_near(self, area: RawAabb) -> impl Iterator<Item = Hit> {
        let Self { index, statics, .. } = self;
        self.in_all_tiers(
            area,
            Filed,
            move || index.oversized.query_if(area, |_| true),
            move || statics.filed_near(area),
        )
    }

    fn visit_near(
        self,
        point: [f32; 2],
        count: usize,
        mut within: f64,
        visit: &mut impl FnMut(Hit, f64) -> f64,
    ) -> f64 {
        let Self { index, statics, .. } = self;
        if self.has(Tier::Common) {
            within = index.bands.visit_near(point, count, within, &mut self.visit_body(within, visit));
            if let Some(sleepers) = index.cached.bands() {
                within = sleepers.visit_near(point, count, within, &mut self.visit_sleeper(within, visit));
            }
        }
        if self.has(Tier::Oversized) {
            let visit = &mut self.visit_body(within, visit);
            within = index.oversized.visit_nearest(index.bands.level(), point, within, visit);
        }
        if self.has_statics() {
            within = statics.visit_near(point, count, within, &mut self.visit_static(within, visit));
        }
        within
    }

    fn visit_met(self, cast: &PreparedCast, mut until: f64, visit: &mut impl FnMut(Hit, Impact) -> f64) -> f64 {
        let Self { index, statics, .. } = self;
        if self.has(Tier::Common) {
            until = index.bands.visit_met(cast, until, &mut self.visit_body(until, visit));
            if let Some(sleepers) = index.cached.bands() {
                until = sleepers.visit_met(cast, until, &mut self.visit_sleeper(until, visit));
            }
        }
        if self.has(Tier::Oversized) {
            let visit = &mut self.visit_body(until, visit);
            until = index.oversized.visit_cast(index.bands.level(), cast, until, visit);
        }
        if self.has_statics() {
            until = statics.visit_met(cast, until, &mut self.visit_static(until, visit));
        }
        until
    }

    fn place(self, point: [f32; 2]) -> u64 {
        match self.index.cached.bands() {
            // Most bodies are there.
            Some(sleepers) if !sleepers.is_empty() => sleepers.place(point),
            _ if self.index.bands.is_empty() => self.statics.place(point),
            _ => self.index.bands.place(point),
        }
    }

    fn is_sequential(self) -> bool {
        self.sequential
    }
}

impl<'w, A: Accept<Hit>> QueryBuilder<Searched<'w>, A> {
    /// Bodies only.
    pub fn only_bodies(self) -> Self {
        self.only_tiers(&[Tier::Common, Tier::Oversized])
    }

    /// Statics only.
    pub fn only_statics(self) -> Self {
        self.only_tiers(&[Tier::Static])
    }

    /// These tiers only, of those that were asked of before.
    pub fn only_tiers(mut self, tiers: &[Tier]) -> Self {
        for tier in [Tier::Common, Tier::Oversized, Tier::Static] {
            self.source.tiers[tier as usize] &= tiers.contains(&tier);
        }
        self
    }

    /// Only what has one of these layers, whatever it accepts itself (as long as it accepts anything): a [`Filter`] in all
    /// layers with this mask. Replaces a filter given before.
    ///
    /// ```
    /// use triphase::{Bodies, Filter, Point, World};
    /// const ENEMIES: u32 = 1 << 3;
    /// let mut world = World::default();
    /// let filters = [Filter::ALL, Filter::new(1, 1), Filter::new(ENEMIES, 1)];
    /// world.step(Bodies::uniform(&[[90.0f32, 0.0], [1.0, 0.0], [5.0, 0.0]], [0.5, 0.5]).with_filters(&filters))?;
    /// let nearest = world.query().in_layers(ENEMIES).nearest(Point::new([0.0, 0.0])?);
    /// assert_eq!(nearest.unwrap().distance, 4.5);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn in_layers(self, layers: u32) -> Self {
        self.filtered(Filter::new(u32::MAX, layers))
    }

    /// Only what this filter and its own allow each other, as in a step: bodies by the filters of the step, statics by
    /// theirs. Replaces a filter given before.
    pub fn filtered(mut self, filter: Filter) -> Self {
        self.source.filter = Some(filter);
        self.source.is_whole = false;
        self
    }

    /// Not these rows of bodies, whoever asks among them, say. Replaces those given before; each hit is compared with all
    /// of them, so keep it to a few, or use [`matching`](Self::with_predicate).
    pub fn exclude_bodies(mut self, rows: &'w [u32]) -> Self {
        self.source.exclude_bodies = rows;
        self.source.is_whole = false;
        self
    }

    /// Not these rows of statics; as [`exclude_bodies`](Self::exclude_bodies).
    pub fn exclude_statics(mut self, rows: &'w [u32]) -> Self {
        self.source.exclude_statics = rows;
        self.source.is_whole = false;
        self
    }
}

impl std::fmt::Debug for Searched<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Searched").field("step", &self.index.step).field("tiers", &self.tiers).finish_non_exhaustive()
    }
}
