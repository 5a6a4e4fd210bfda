//! Queries to a [`LooseGrid`].

use crate::geometry::{Impact, PreparedCast, RawAabb};
use crate::query::{Part, QueryBuilder, Search};
use crate::tier::loose_grid::map::GridMap;
use crate::tier::loose_grid::walk::{DoubleGrid, Met, Near};
use crate::tier::loose_grid::{LooseGrid, LooseHandle, LooseIndex};

impl LooseGrid {
    /// QueryBuilder: what lies in an area, what is nearest, what a ray meets.
    ///
    /// # Cost
    ///
    /// O(tight cells where the answer is looked for + boxes in the loose cells that they list and the question meets).
    /// Boxes that have moved far since the last [`clean_up`](Self::refit) make loose cells large, and more of them met.
    ///
    /// # Determinism
    ///
    /// The order of areas is a pure function of the calls made before. Of equally near ones, and of those that a ray meets
    /// at once, the lower handle is first.
    ///
    /// ```
    /// use triphase::{Aabb, Point, Ray};
    /// use triphase::tier::loose_grid::LooseGrid;
    /// let mut grid = LooseGrid::new(Aabb::new([0.0, 0.0], [1000.0, 1000.0])?, 20.0)?;
    /// let dragon = grid.insert(Aabb::from_half_extents([100.0, 100.0], [25.0, 10.0])?);
    /// let trap = grid.insert(Aabb::from_half_extents([200.0, 100.0], [5.0, 5.0])?);
    ///
    /// assert_eq!(grid.query().query_containing(Point::new([80.0, 95.0])?).first(), Some(dragon));
    /// assert_eq!(grid.query().nearest(Point::new([180.0, 100.0])?).unwrap().hit, trap);
    ///
    /// let ray = Ray::new([0.0, 100.0], [1.0, 0.0], f32::INFINITY)?;
    /// let hit = grid.query().with_predicate(|handle| handle != dragon).cast_ray(ray).unwrap();
    /// assert_eq!((hit.hit, hit.distance), (trap, 195.0));
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn query(&self) -> QueryBuilder<&Self> {
        QueryBuilder::new(self)
    }

    /// Visits what the grid is made of: every loose cell with boxes in it, and every tight cell that lists some, which
    /// include those whose boxes have left since the last [`clean_up`](Self::refit).
    pub fn visit_debug_shapes(&self, mut visitor: impl FnMut(Part)) {
        for cell in &self.cells {
            let population = self.members(cell.head).count();
            if population > 0 {
                visitor(Part::LooseCell { aabb: cell.bounds, population });
            }
        }
        self.visit_tight_parts(visitor);
    }
}

impl DoubleGrid for &LooseGrid {
    type Hit = LooseHandle;

    #[inline]
    fn tight(&self) -> &GridMap {
        self.tight.map()
    }

    #[inline]
    fn bounds(&self, cell: LooseIndex) -> &RawAabb {
        &self.cells[cell.at()].bounds
    }

    #[inline]
    fn listed(&self, x: u32, y: u32) -> impl Iterator<Item = LooseIndex> {
        self.tight.listed(x, y)
    }

    #[inline]
    fn everywhere(&self) -> &[LooseIndex] {
        self.tight.everywhere()
    }

    #[inline]
    fn visit_filed(
        &self,
        cell: LooseIndex,
        _: impl Fn(&RawAabb) -> bool,
        mut visit: impl FnMut(&RawAabb, LooseHandle),
    ) {
        self.members(self.cells[cell.at()].head).for_each(|index| visit(&self.slot(index).bounds, self.handle(index)));
    }
}

impl Search for &LooseGrid {
    type Hit = LooseHandle;

    fn search<T: Fn(&RawAabb) -> bool + Copy>(self, area: RawAabb, test: T) -> impl Iterator<Item = LooseHandle> {
        self.filed_near(area, test)
    }

    fn visit_near(
        self,
        point: [f32; 2],
        _: usize,
        within: f64,
        visit: &mut impl FnMut(LooseHandle, f64) -> f64,
    ) -> f64 {
        let mut near = Near::new(self, point, within, visit);
        if !self.is_empty() {
            near.walk();
        }
        near.within
    }

    fn visit_met(self, cast: &PreparedCast, until: f64, visit: &mut impl FnMut(LooseHandle, Impact) -> f64) -> f64 {
        let mut met = Met::new(self, cast, until, visit);
        if !self.is_empty() {
            met.walk();
        }
        met.until
    }

    fn place(self, point: [f32; 2]) -> u64 {
        self.place_of(point)
    }
}
