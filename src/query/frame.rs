//! The frame of a world as a source of queries: all three tiers, one after the other.
//!
//! What is found in one tier tells the next how near its hits have to be.

use crate::frame::frame::Index;
use crate::geometry::RawAabb;
use crate::pair::Hit;
use crate::query::builder::QueryBuilder;
use crate::query::cast_hit::CastHits;
use crate::query::neighbor::NearestHits;
use crate::query::source::{Scope, Source, TierSearch, add_cast_hits, add_nearest};
use crate::tier::DebugShape;
use crate::tier::box_test::BoxTest;
use crate::tier::point_grid::bands::GridIndex;
use crate::tier::static_tree::StaticTree;

/// The parts of a frame, in the order in which they are searched.
const COMMON: usize = 0;
const SLEEPERS: usize = 1;
const OVERSIZED: usize = 2;
const STATICS: usize = 3;

impl<'w> QueryBuilder<'w> {
    /// Queries about the bodies of a frame and about `statics`, which may be newer.
    pub(crate) fn of_frame(frame: &'w Index, statics: &'w StaticTree) -> Self {
        let statics = Some(statics).filter(|statics| !statics.is_empty());
        Self::new(frame, Scope::new(statics), !frame.sequential)
    }
}

impl Source<Hit> for Index {
    fn box_search<'s>(
        &'s self,
        scope: &Scope<'s, Hit>,
        part: usize,
        area: &RawAabb,
        test: BoxTest,
    ) -> Option<TierSearch<'s>> {
        let points = |grid: &'s GridIndex| TierSearch::Points(grid.search(*area, test));
        let search = match part {
            COMMON => scope.common.then(|| points(&self.grid)),
            SLEEPERS => self.asleep.grid().filter(|_| scope.common).map(points),
            OVERSIZED => scope.oversized.then(|| TierSearch::Loose(self.loose.search(*area, test))),
            STATICS => scope.statics.map(|statics| TierSearch::Tree(statics.search(*area, test))),
            _ => return None,
        };
        Some(search.unwrap_or(TierSearch::Nothing))
    }

    #[inline(always)]
    fn hit(&self, scope: &Scope<'_, Hit>, part: usize, row: u32) -> Option<Hit> {
        match part {
            COMMON => self.body(scope, row),
            SLEEPERS if self.asleep.stands(row) => self.body(scope, row),
            SLEEPERS => None,
            OVERSIZED => self.body(scope, self.oversized_rows[row as usize]),
            _ => {
                let statics = scope.statics?;
                let hit = Hit::Static { row, id: statics.id(row) };
                if scope.is_unrestricted { Some(hit) } else { filter_static(scope, statics, row, hit) }
            }
        }
    }

    fn append_hits(&self, scope: &Scope<'_, Hit>, area: &RawAabb, test: BoxTest, found: &mut Vec<Hit>) {
        if scope.common {
            let hits = self.grid.search(*area, test).filter_map(|row| self.hit(scope, COMMON, row));
            hits.for_each(|hit| found.push(hit));
            if let Some(sleepers) = self.asleep.grid() {
                let hits = sleepers.search(*area, test).filter_map(|row| self.hit(scope, SLEEPERS, row));
                hits.for_each(|hit| found.push(hit));
            }
        }
        if scope.oversized {
            let hits = self.loose.search(*area, test).filter_map(|row| self.hit(scope, OVERSIZED, row));
            hits.for_each(|hit| found.push(hit));
        }
        if let Some(statics) = scope.statics {
            found.extend(statics.search(*area, test).filter_map(|row| self.hit(scope, STATICS, row)));
        }
    }

    fn find_nearest(&self, scope: &Scope<'_, Hit>, point: [f32; 2], nearest: &mut NearestHits<'_, Hit>) {
        let count = nearest.count();
        if scope.common {
            let within = nearest.within();
            self.grid.visit_near(point, count, within, &mut add_nearest(self, scope, COMMON, nearest));
            if let Some(sleepers) = self.asleep.grid() {
                let within = nearest.within();
                sleepers.visit_near(point, count, within, &mut add_nearest(self, scope, SLEEPERS, nearest));
            }
        }
        if scope.oversized {
            let within = nearest.within();
            self.visit_near_oversized(point, within, &mut add_nearest(self, scope, OVERSIZED, nearest));
        }
        if let Some(statics) = scope.statics {
            let within = nearest.within();
            statics.walk_near(point, within, &mut add_nearest(self, scope, STATICS, nearest));
        }
    }

    fn find_cast_hits(&self, scope: &Scope<'_, Hit>, hits: &mut CastHits<'_, Hit>) {
        let cast = hits.cast();
        if scope.common {
            let until = hits.until();
            self.grid.visit_met(&cast, until, &mut add_cast_hits(self, scope, COMMON, hits));
            if let Some(sleepers) = self.asleep.grid() {
                let until = hits.until();
                sleepers.visit_met(&cast, until, &mut add_cast_hits(self, scope, SLEEPERS, hits));
            }
        }
        if scope.oversized {
            let until = hits.until();
            self.visit_met_oversized(&cast, until, &mut add_cast_hits(self, scope, OVERSIZED, hits));
        }
        if let Some(statics) = scope.statics {
            let until = hits.until();
            statics.walk_met(&cast, until, &mut add_cast_hits(self, scope, STATICS, hits));
        }
    }

    /// That of the grid with the most bodies; without bodies, of the statics.
    fn locality(&self, scope: &Scope<'_, Hit>, point: [f32; 2]) -> u64 {
        match self.asleep.grid() {
            Some(sleepers) if !sleepers.is_empty() => sleepers.place(point),
            _ if self.grid.is_empty() => scope.statics.map_or(0, |statics| statics.place(point)),
            _ => self.grid.place(point),
        }
    }
}

impl Index {
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
        self.grid.visit_debug_shapes(&mut visitor);
        self.asleep.grid().into_iter().for_each(|sleepers| sleepers.visit_debug_shapes(&mut visitor));
        self.loose.visit_debug_shapes(&mut visitor);
        statics.visit_debug_shapes(visitor);
    }
}

#[inline(never)]
fn filter_static(scope: &Scope<'_, Hit>, statics: &StaticTree, row: u32, hit: Hit) -> Option<Hit> {
    let is_allowed = scope.filter.is_none_or(|filter| filter.interacts_with(statics.filter_of(row)))
        && !scope.excluded_statics.contains(&row);
    if is_allowed { scope.filter_hit(hit) } else { None }
}
