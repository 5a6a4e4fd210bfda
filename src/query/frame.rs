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
use crate::tier::static_tree::tree::StaticTree;

/// The parts of a frame, in the order in which they are searched: the point grids come first.
const OVERSIZED: usize = Frame::POINT_PARTS_MAX;
const STATICS: usize = OVERSIZED + 1;

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
        while *part <= STATICS {
            let search = match *part {
                number @ ..OVERSIZED => self
                    .point_part(number)
                    .filter(|_| scope.common)
                    .map(|points| TierSearch::Points(points.bands.box_query(*area, test))),
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
            number @ ..OVERSIZED if !self.point_part(number)?.has(row) => None,
            ..=OVERSIZED => self.body(scope, row),
            _ => {
                let statics = scope.statics?;
                let hit = Hit::Static { row, id: statics.id(row) };
                if scope.is_unrestricted { Some(hit) } else { filter_static(scope, statics, row, hit) }
            }
        }
    }

    fn find_hits(&self, scope: &Scope<'_, Hit>, area: &RawAabb, test: BoxTest, found: &mut HitSink<'_, Hit>) {
        if scope.common {
            for points in self.point_parts() {
                let rows = points.bands.box_query(*area, test);
                if points.has_all() {
                    self.find_bodies(scope, rows, found);
                } else {
                    self.find_bodies(scope, rows.filter(|&row| points.has(row)), found);
                }
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
        let common = || {
            self.point_parts().find_map(|points| {
                let mut rows = points.bands.box_query(*area, test).filter(|&row| points.has(row));
                rows.find_map(|row| self.body(scope, row))
            })
        };
        let oversized = || self.oversized.grid().box_query(*area, test).find_map(|body| self.body(scope, body.row));
        let static_hit = || scope.statics?.box_query(*area, test).find_map(|row| self.hit(scope, STATICS, row));
        (scope.common.then(common).flatten()).or_else(|| scope.oversized.then(oversized).flatten()).or_else(static_hit)
    }

    fn find_nearest(&self, scope: &Scope<'_, Hit>, point: [f32; 2], nearest: &mut NearestHits<'_, Hit>) {
        let (count, mut within) = (nearest.count(), nearest.within());
        if scope.common {
            for number in 0..OVERSIZED {
                let Some(points) = self.point_part(number) else { continue };
                let visit = &mut add_nearest(self, scope, number, nearest);
                within = points.bands.visit_nearest(point, count, within, visit);
            }
        }
        if scope.oversized {
            let visit = &mut add_nearest(self, scope, OVERSIZED, nearest);
            within = self.oversized.visit_nearest(self.bands.level(), point, within, visit);
        }
        if let Some(statics) = scope.statics {
            statics.visit_nearest(point, within, &mut add_nearest(self, scope, STATICS, nearest));
        }
    }

    fn find_cast_hits(&self, scope: &Scope<'_, Hit>, hits: &mut CastHits<'_, Hit>) {
        let (cast, mut t_max) = (hits.cast(), hits.t_max());
        if scope.common {
            for number in 0..OVERSIZED {
                let Some(points) = self.point_part(number) else { continue };
                t_max = points.bands.visit_cast(&cast, t_max, &mut add_cast_hits(self, scope, number, hits));
            }
        }
        if scope.oversized {
            let visit = &mut add_cast_hits(self, scope, OVERSIZED, hits);
            t_max = self.oversized.visit_cast(self.bands.level(), &cast, t_max, visit);
        }
        if let Some(statics) = scope.statics {
            statics.visit_cast(&cast, t_max, &mut add_cast_hits(self, scope, STATICS, hits));
        }
    }

    /// That of the grid with the most bodies, or of the statics if there are no bodies.
    fn sort_key(&self, scope: &Scope<'_, Hit>, point: [f32; 2]) -> u64 {
        match self.cached.bands() {
            Some(sleepers) if !sleepers.is_empty() => sleepers.cell_sort_key(point),
            _ if self.bands.is_empty() => scope.statics.map_or(0, |statics| statics.sort_key(point)),
            _ => self.bands.cell_sort_key(point),
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
        self.point_parts().for_each(|points| points.bands.visit_debug_shapes(&mut visitor));
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
