//! The frame of a world as a source of queries: all three tiers, one after the other.
//!
//! The hits of one tier limit the distance at which the next is searched.

use crate::frame::frame::Frame;
use crate::geometry::RawAabb;
use crate::pair::Hit;
use crate::query::builder::QueryBuilder;
use crate::query::cast_hit::CastHits;
use crate::query::neighbor::NearestHits;
use crate::query::source::{HitSink, Scope, Source, TierSearch, add_cast_hits, add_nearest};
use crate::tier::DebugShape;
use crate::tier::box_test::BoxTest;
use crate::tier::point_grid::bands::Bands;
use crate::tier::static_tree::tree::StaticTree;

/// The parts of a frame, in the order in which they are searched.
const COMMON: usize = 0;
const CHANGED: usize = 1;
const SETTLED: usize = 2;
const SLEEPERS: usize = 3;
const OVERSIZED: usize = 4;
const STATICS: usize = 5;

impl<'w> QueryBuilder<'w> {
    /// Queries about the bodies of a frame and about `statics`, which may be newer. `parallel` is
    /// whether batches may use other threads.
    pub(crate) fn of_frame(frame: &'w Frame, statics: &'w StaticTree, parallel: bool) -> Self {
        let statics = Some(statics).filter(|statics| !statics.is_empty());
        Self::new(frame, Scope::new(statics), parallel)
    }
}

impl Source<Hit> for Frame {
    fn box_search<'s>(
        &'s self,
        scope: &Scope<'s, Hit>,
        part: &mut usize,
        area: &RawAabb,
        test: BoxTest,
    ) -> Option<TierSearch<'s>> {
        let points = |bands: &'s Bands| TierSearch::Points(bands.box_query(*area, test));
        while *part <= STATICS {
            let search = match *part {
                COMMON => scope.common.then(|| points(&self.bands)),
                CHANGED => self.moved.changed_bands().filter(|_| scope.common).map(points),
                SETTLED => self.moved.settled_bands().filter(|_| scope.common).map(points),
                SLEEPERS => self.cached.bands().filter(|_| scope.common).map(points),
                OVERSIZED if self.oversized.is_empty() => None,
                OVERSIZED => scope.oversized.then(|| TierSearch::Loose(self.oversized.grid().box_query(*area, test))),
                _ => scope.statics.map(|statics| TierSearch::Tree(statics.box_query(*area, test))),
            };
            if search.is_some() {
                return search;
            }
            *part += 1;
        }
        None
    }

    #[inline(always)]
    fn hit(&self, scope: &Scope<'_, Hit>, part: usize, row: u32) -> Option<Hit> {
        match part {
            COMMON if self.moved.is_outdated(row) => None,
            COMMON | CHANGED | SETTLED | OVERSIZED => self.body(scope, row),
            SLEEPERS if self.cached.is_cached(row) => self.body(scope, row),
            SLEEPERS => None,
            _ => {
                let statics = scope.statics?;
                let hit = Hit::Static { row, id: statics.id(row) };
                if scope.is_unrestricted { Some(hit) } else { filter_static(scope, statics, row, hit) }
            }
        }
    }

    fn find_hits(&self, scope: &Scope<'_, Hit>, area: &RawAabb, test: BoxTest, found: &mut HitSink<'_, Hit>) {
        if scope.common {
            if self.moved.is_in_use() {
                let rows = self.bands.box_query(*area, test).filter(|row| !self.moved.is_outdated(*row));
                self.find_bodies(scope, rows, found);
                self.moved.bands().for_each(|moved| self.find_bodies(scope, moved.box_query(*area, test), found));
            } else {
                self.find_bodies(scope, self.bands.box_query(*area, test), found);
            }
            if let Some(sleepers) = self.cached.bands() {
                let rows = sleepers.box_query(*area, test).filter(|row| self.cached.is_cached(*row));
                self.find_bodies(scope, rows, found);
            }
        }
        if scope.oversized {
            let oversized = self.oversized.grid().box_query(*area, test);
            self.find_bodies(scope, oversized.map(|body| body.row), found);
        }
        if let Some(statics) = scope.statics {
            let hits = statics.box_query(*area, test).filter_map(|row| self.hit(scope, STATICS, row));
            hits.for_each(|hit| found.push(hit));
        }
    }

    fn find_first(&self, scope: &Scope<'_, Hit>, area: &RawAabb, test: BoxTest) -> Option<Hit> {
        let common = || self.bands.box_query(*area, test).find_map(|row| self.hit(scope, COMMON, row));
        let moved = || {
            let mut rows = self.moved.bands().flat_map(|moved| moved.box_query(*area, test));
            rows.find_map(|row| self.hit(scope, CHANGED, row))
        };
        let sleeper = || self.cached.bands()?.box_query(*area, test).find_map(|row| self.hit(scope, SLEEPERS, row));
        let oversized =
            || self.oversized.grid().box_query(*area, test).find_map(|body| self.hit(scope, OVERSIZED, body.row));
        let static_hit = || scope.statics?.box_query(*area, test).find_map(|row| self.hit(scope, STATICS, row));
        (scope.common.then(|| common().or_else(moved).or_else(sleeper)).flatten())
            .or_else(|| scope.oversized.then(oversized).flatten())
            .or_else(static_hit)
    }

    fn find_nearest(&self, scope: &Scope<'_, Hit>, point: [f32; 2], nearest: &mut NearestHits<'_, Hit>) {
        let count = nearest.count();
        if scope.common {
            let within = nearest.within();
            self.bands.visit_nearest(point, count, within, &mut add_nearest(self, scope, COMMON, nearest));
            for moved in self.moved.bands() {
                let within = nearest.within();
                moved.visit_nearest(point, count, within, &mut add_nearest(self, scope, CHANGED, nearest));
            }
            if let Some(sleepers) = self.cached.bands() {
                let within = nearest.within();
                sleepers.visit_nearest(point, count, within, &mut add_nearest(self, scope, SLEEPERS, nearest));
            }
        }
        if scope.oversized {
            let within = nearest.within();
            let level = self.bands.level();
            self.oversized.visit_nearest(level, point, within, &mut add_nearest(self, scope, OVERSIZED, nearest));
        }
        if let Some(statics) = scope.statics {
            let within = nearest.within();
            statics.visit_nearest(point, within, &mut add_nearest(self, scope, STATICS, nearest));
        }
    }

    fn find_cast_hits(&self, scope: &Scope<'_, Hit>, hits: &mut CastHits<'_, Hit>) {
        let cast = hits.cast();
        if scope.common {
            let t_max = hits.t_max();
            self.bands.visit_cast(&cast, t_max, &mut add_cast_hits(self, scope, COMMON, hits));
            for moved in self.moved.bands() {
                let t_max = hits.t_max();
                moved.visit_cast(&cast, t_max, &mut add_cast_hits(self, scope, CHANGED, hits));
            }
            if let Some(sleepers) = self.cached.bands() {
                let t_max = hits.t_max();
                sleepers.visit_cast(&cast, t_max, &mut add_cast_hits(self, scope, SLEEPERS, hits));
            }
        }
        if scope.oversized {
            let t_max = hits.t_max();
            let level = self.bands.level();
            self.oversized.visit_cast(level, &cast, t_max, &mut add_cast_hits(self, scope, OVERSIZED, hits));
        }
        if let Some(statics) = scope.statics {
            let t_max = hits.t_max();
            statics.visit_cast(&cast, t_max, &mut add_cast_hits(self, scope, STATICS, hits));
        }
    }

    /// That of the grid with the most bodies, or of the statics if there are no bodies.
    fn sort_key(&self, scope: &Scope<'_, Hit>, point: [f32; 2]) -> u64 {
        match self.cached.bands() {
            Some(sleepers) if !sleepers.is_empty() => sleepers.place(point),
            _ if self.bands.is_empty() => scope.statics.map_or(0, |statics| statics.sort_key(point)),
            _ => self.bands.place(point),
        }
    }
}

impl Frame {
    /// Adds the bodies of rows that `scope` does not leave out.
    #[inline(always)]
    fn find_bodies(&self, scope: &Scope<'_, Hit>, rows: impl Iterator<Item = u32>, found: &mut HitSink<'_, Hit>) {
        if scope.is_unrestricted {
            rows.for_each(|row| found.push(Hit::Body { row, id: self.ids.get(row as usize).copied() }));
        } else {
            rows.filter_map(|row| self.body(scope, row)).for_each(|hit| found.push(hit));
        }
    }

    #[inline(always)]
    fn body(&self, scope: &Scope<'_, Hit>, row: u32) -> Option<Hit> {
        let hit = Hit::Body { row, id: self.ids.get(row as usize).copied() };
        if scope.is_unrestricted { Some(hit) } else { self.filter_body(scope, row, hit) }
    }

    #[inline(never)]
    fn filter_body(&self, scope: &Scope<'_, Hit>, row: u32, hit: Hit) -> Option<Hit> {
        let is_allowed = scope.filter.is_none_or(|filter| filter.interacts_with(self.filter(row)))
            && !scope.excluded_bodies.contains(&row);
        if is_allowed { scope.filter_hit(hit) } else { None }
    }

    /// Visits the parts of all tiers, for drawing and debugging.
    pub(crate) fn visit_debug_shapes(&self, statics: &StaticTree, mut visitor: impl FnMut(DebugShape)) {
        self.bands.visit_debug_shapes(&mut visitor);
        self.moved.bands().for_each(|moved| moved.visit_debug_shapes(&mut visitor));
        self.cached.bands().into_iter().for_each(|sleepers| sleepers.visit_debug_shapes(&mut visitor));
        self.oversized.grid().visit_debug_shapes(&mut visitor);
        statics.visit_debug_shapes(visitor);
    }
}

#[inline(never)]
fn filter_static(scope: &Scope<'_, Hit>, statics: &StaticTree, row: u32, hit: Hit) -> Option<Hit> {
    let is_allowed = scope.filter.is_none_or(|filter| filter.interacts_with(statics.filter_of(row)))
        && !scope.excluded_statics.contains(&row);
    if is_allowed { scope.filter_hit(hit) } else { None }
}
