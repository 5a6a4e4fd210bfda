//! The tiers that are used alone as sources of queries.

use crate::geometry::{Aabb, RawAabb};
use crate::query::builder::QueryBuilder;
use crate::query::cast_hit::CastHits;
use crate::query::hits::Hits;
use crate::query::neighbor::NearestHits;
use crate::query::source::{HitSink, Scope, Source, TierSearch, add_cast_hits, add_nearest};
use crate::tier::box_test::BoxTest;
use crate::tier::loose_grid::handles::grid::LooseGrid;
use crate::tier::loose_grid::handles::slots::LooseHandle;
use crate::tier::point_grid::point_grid::PointGrid;
use crate::tier::static_tree::tree::StaticTree;

impl StaticTree {
    /// Returns a builder of queries whose hits are rows. Disabled statics are not found.
    ///
    /// ```
    /// use triphase::{Circle, Point, Ray, tier::static_tree::StaticTree};
    /// let walls = [[0.0f32, 0.0, 10.0, 1.0], [9.0, 0.0, 10.0, 8.0], [40.0, 40.0, 41.0, 48.0]];
    /// let mut tree = StaticTree::new(&walls)?;
    /// assert!(tree.query().query_circle(Circle::new([5.0, 5.0], 4.0)?).eq([0, 1]));
    /// assert_eq!(tree.query().nearest(Point::new([38.0, 44.0])?).unwrap().target, 2);
    ///
    /// let ray = Ray::new([5.0, 5.0], [1.0, 0.0], 100.0)?;
    /// let hit = tree.query().cast_ray(ray).unwrap();
    /// assert_eq!((hit.target, hit.time_of_impact), (1, 4.0));
    /// tree.set_enabled(1, false)?;
    /// assert!(!tree.query().cast_ray_any(ray));
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn query(&self) -> QueryBuilder<'_, u32> {
        QueryBuilder::new(self, Scope::new(None), true)
    }

    /// Finds the rows of enabled statics that overlap `area`; touching is overlap.
    ///
    /// See [`QueryBuilder::query_aabb`].
    pub fn query_aabb(&self, area: Aabb) -> Hits<'_, u32> {
        self.query().query_aabb(area)
    }
}

impl Source<u32> for StaticTree {
    fn box_search<'s>(
        &'s self,
        _: &Scope<'s, u32>,
        part: &mut usize,
        area: &RawAabb,
        test: BoxTest,
    ) -> Option<TierSearch<'s>> {
        (*part == 0).then(|| TierSearch::Tree(self.box_query(*area, test)))
    }

    #[inline(always)]
    fn hit(&self, scope: &Scope<'_, u32>, _: usize, row: u32) -> Option<u32> {
        scope.filter_hit(row)
    }

    fn find_hits(&self, scope: &Scope<'_, u32>, area: &RawAabb, test: BoxTest, found: &mut HitSink<'_, u32>) {
        let hits = self.box_query(*area, test).filter_map(|row| self.hit(scope, 0, row));
        hits.for_each(|hit| found.push(hit));
    }

    fn find_first(&self, scope: &Scope<'_, u32>, area: &RawAabb, test: BoxTest) -> Option<u32> {
        self.box_query(*area, test).find_map(|row| self.hit(scope, 0, row))
    }

    fn find_nearest(&self, scope: &Scope<'_, u32>, point: [f32; 2], nearest: &mut NearestHits<'_, u32>) {
        let within = nearest.within();
        self.visit_nearest(point, within, &mut add_nearest(self, scope, 0, nearest));
    }

    fn find_cast_hits(&self, scope: &Scope<'_, u32>, hits: &mut CastHits<'_, u32>) {
        let (cast, t_max) = (hits.cast(), hits.t_max());
        self.visit_cast(&cast, t_max, &mut add_cast_hits(self, scope, 0, hits));
    }

    fn sort_key(&self, _: &Scope<'_, u32>, point: [f32; 2]) -> u64 {
        self.sort_key(point)
    }
}

impl PointGrid {
    /// Returns a builder of queries about the boxes of the last rebuild. Hits are rows.
    ///
    /// ```
    /// use triphase::tier::point_grid::PointGrid;
    /// use triphase::{Point, Ray};
    /// let mut grid = PointGrid::new();
    /// grid.rebuild(&[[0.0f32, 0.0, 1.0, 1.0], [8.0, 0.0, 9.0, 1.0]], &mut Vec::new())?;
    /// assert_eq!(grid.query().nearest(Point::new([6.0, 0.5])?).unwrap().target, 1);
    /// let ray = Ray::new([2.0, 0.5], [1.0, 0.0], f32::INFINITY)?;
    /// assert_eq!(grid.query().cast_ray(ray).unwrap().time_of_impact, 6.0);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn query(&self) -> QueryBuilder<'_, u32> {
        QueryBuilder::new(self, Scope::new(None), true)
    }

    /// Finds the rows of boxes that overlap `area`; touching is overlap.
    ///
    /// See [`QueryBuilder::query_aabb`].
    ///
    /// # Determinism
    ///
    /// The order depends only on the boxes: those of the size classes in cell order, then boxes too
    /// large for any size class.
    pub fn query_aabb(&self, area: Aabb) -> Hits<'_, u32> {
        self.query().query_aabb(area)
    }
}

/// Part 0 is the grids of the size classes, part 1 the boxes larger than every class.
impl Source<u32> for PointGrid {
    fn box_search<'s>(
        &'s self,
        _: &Scope<'s, u32>,
        part: &mut usize,
        area: &RawAabb,
        test: BoxTest,
    ) -> Option<TierSearch<'s>> {
        [&self.bands, &self.larger].get(*part).map(|bands| TierSearch::Points(bands.box_query(*area, test)))
    }

    #[inline(always)]
    fn hit(&self, scope: &Scope<'_, u32>, _: usize, row: u32) -> Option<u32> {
        scope.filter_hit(row)
    }

    fn find_first(&self, scope: &Scope<'_, u32>, area: &RawAabb, test: BoxTest) -> Option<u32> {
        let mut grids = [&self.bands, &self.larger].into_iter();
        grids.find_map(|bands| bands.box_query(*area, test).find_map(|row| self.hit(scope, 0, row)))
    }

    fn find_hits(&self, scope: &Scope<'_, u32>, area: &RawAabb, test: BoxTest, found: &mut HitSink<'_, u32>) {
        for bands in [&self.bands, &self.larger] {
            let hits = bands.box_query(*area, test).filter_map(|row| self.hit(scope, 0, row));
            hits.for_each(|hit| found.push(hit));
        }
    }

    fn find_nearest(&self, scope: &Scope<'_, u32>, point: [f32; 2], nearest: &mut NearestHits<'_, u32>) {
        let count = nearest.count();
        for bands in [&self.bands, &self.larger] {
            let within = nearest.within();
            bands.visit_nearest(point, count, within, &mut add_nearest(self, scope, 0, nearest));
        }
    }

    fn find_cast_hits(&self, scope: &Scope<'_, u32>, hits: &mut CastHits<'_, u32>) {
        let cast = hits.cast();
        for bands in [&self.bands, &self.larger] {
            let t_max = hits.t_max();
            bands.visit_cast(&cast, t_max, &mut add_cast_hits(self, scope, 0, hits));
        }
    }

    fn sort_key(&self, _: &Scope<'_, u32>, point: [f32; 2]) -> u64 {
        self.bands.cell_sort_key(point)
    }
}

impl LooseGrid {
    /// Returns a builder of queries whose hits are handles.
    ///
    /// # Determinism
    ///
    /// The order of hits depends only on the calls made before. Among boxes at the same distance or
    /// time of impact, the lowest handle comes first.
    ///
    /// # Cost
    ///
    /// O(tight cells that the query touches + boxes in the loose cells that it touches). Boxes that
    /// moved far since the last [`refit`](Self::refit) make loose cells large, so that queries
    /// touch more of them.
    ///
    /// ```
    /// use triphase::tier::loose_grid::LooseGrid;
    /// use triphase::{Aabb, Point, Ray};
    /// let mut grid = LooseGrid::new(Aabb::new([0.0, 0.0], [1000.0, 1000.0])?, 20.0)?;
    /// let dragon = grid.insert(Aabb::from_half_extents([100.0, 100.0], [25.0, 10.0])?);
    /// let trap = grid.insert(Aabb::from_half_extents([200.0, 100.0], [5.0, 5.0])?);
    ///
    /// assert_eq!(grid.query().query_point(Point::new([80.0, 95.0])?).first(), Some(dragon));
    /// assert_eq!(grid.query().nearest(Point::new([180.0, 100.0])?).unwrap().target, trap);
    ///
    /// let ray = Ray::new([0.0, 100.0], [1.0, 0.0], f32::INFINITY)?;
    /// let hit = grid.query().with_predicate(&|handle| handle != dragon).cast_ray(ray).unwrap();
    /// assert_eq!((hit.target, hit.time_of_impact), (trap, 195.0));
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn query(&self) -> QueryBuilder<'_, LooseHandle> {
        QueryBuilder::new(self, Scope::new(None), true)
    }

    /// Finds the handles of boxes that overlap `area`; touching is overlap.
    ///
    /// See [`QueryBuilder::query_aabb`].
    pub fn query_aabb(&self, area: Aabb) -> Hits<'_, LooseHandle> {
        self.query().query_aabb(area)
    }
}

impl Source<LooseHandle> for LooseGrid {
    fn box_search<'s>(
        &'s self,
        _: &Scope<'s, LooseHandle>,
        part: &mut usize,
        area: &RawAabb,
        test: BoxTest,
    ) -> Option<TierSearch<'s>> {
        (*part == 0).then(|| TierSearch::Handles(self.box_query(*area, test)))
    }

    #[inline(always)]
    fn hit(&self, scope: &Scope<'_, LooseHandle>, _: usize, slot: u32) -> Option<LooseHandle> {
        scope.filter_hit(self.handle_of(slot))
    }

    fn find_hits(
        &self,
        scope: &Scope<'_, LooseHandle>,
        area: &RawAabb,
        test: BoxTest,
        found: &mut HitSink<'_, LooseHandle>,
    ) {
        let hits = self.box_query(*area, test).filter_map(|slot| self.hit(scope, 0, slot));
        hits.for_each(|hit| found.push(hit));
    }

    fn find_first(&self, scope: &Scope<'_, LooseHandle>, area: &RawAabb, test: BoxTest) -> Option<LooseHandle> {
        self.box_query(*area, test).find_map(|slot| self.hit(scope, 0, slot))
    }

    fn find_nearest(
        &self,
        scope: &Scope<'_, LooseHandle>,
        point: [f32; 2],
        nearest: &mut NearestHits<'_, LooseHandle>,
    ) {
        let within = nearest.within();
        self.visit_nearest(point, within, &mut add_nearest(self, scope, 0, nearest));
    }

    fn find_cast_hits(&self, scope: &Scope<'_, LooseHandle>, hits: &mut CastHits<'_, LooseHandle>) {
        let (cast, t_max) = (hits.cast(), hits.t_max());
        self.visit_cast(&cast, t_max, &mut add_cast_hits(self, scope, 0, hits));
    }

    fn sort_key(&self, _: &Scope<'_, LooseHandle>, point: [f32; 2]) -> u64 {
        self.sort_key(point)
    }
}
