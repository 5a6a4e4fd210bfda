//! Queries of a [`LooseGrid`].

use crate::geometry::{Aabb, Impact, PreparedCast, RawAabb, overlaps};
use crate::query::{Part, QueryBuilder, Search};
use crate::tier::loose_grid::handles::grid::LooseGrid;
use crate::tier::loose_grid::handles::slots::LooseHandle;
use crate::tier::loose_grid::indices::{EntityIndex, LooseIndex};
use crate::tier::loose_grid::map::CellMap;
use crate::tier::loose_grid::walk::double_grid::{BoxVisitor, DoubleGrid};
use crate::tier::loose_grid::walk::nearest::NearestVisitor;
use crate::tier::loose_grid::walk::ray::CastVisitor;

impl LooseGrid {
    /// Returns the handles of all boxes that overlap `area`, each once. Touching is overlap.
    ///
    /// The search advances with the iterator and allocates nothing.
    ///
    /// # Determinism
    ///
    /// The order is a pure function of the calls made before.
    ///
    /// # Cost
    ///
    /// O(tight cells that `area` touches + boxes in the loose cells that it overlaps).
    ///
    /// # Example
    ///
    /// ```
    /// use triphase::{Aabb, tier::loose_grid::LooseGrid};
    ///
    /// let mut grid = LooseGrid::new(Aabb::new([0.0, 0.0], [100.0, 100.0])?, 5.0)?;
    /// let trigger = grid.insert(Aabb::new([10.0, 10.0], [14.0, 14.0])?);
    /// let player = Aabb::new([13.0, 13.0], [13.5, 13.5])?;
    /// assert_eq!(grid.query_aabb(player).collect::<Vec<_>>(), [trigger]);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn query_aabb(&self, area: Aabb) -> impl Iterator<Item = LooseHandle> + Clone {
        let area = area.to_array();
        self.query_if(area, move |aabb| overlaps(&area, aabb))
    }

    /// Returns the handles of all boxes that overlap `area` and pass `test`, each once, and perhaps
    /// some that pass `test` without an overlap.
    pub(crate) fn query_if<T: Fn(&RawAabb) -> bool + Copy>(
        &self,
        area: RawAabb,
        test: T,
    ) -> impl Iterator<Item = LooseHandle> + Clone + use<'_, T> {
        self.cells_in(area)
            .chain(self.tight.unlisted().iter().copied())
            .filter(move |cell| overlaps(&area, &self.cells[cell.get()].bounds))
            .flat_map(|cell| self.members(self.cells[cell.get()].head))
            .filter(move |&index| test(&self.slots[index].bounds))
            .map(|index| self.slots.handle(index))
    }

    /// Visits the boxes whose squared distance from `point` is at most `within`, each once, roughly
    /// nearest first.
    ///
    /// `visit` takes a handle and its squared distance, and returns the new `within`. Returns the
    /// last one.
    pub(crate) fn visit_nearest(
        &self,
        point: [f32; 2],
        within: f64,
        visit: &mut impl FnMut(LooseHandle, f64) -> f64,
    ) -> f64 {
        let mut visitor = NearestVisitor::new(point, within, visit);
        if !self.is_empty() {
            visitor.search(self);
        }
        visitor.within
    }

    /// Visits the boxes that `cast` hits up to the distance `t_max`, each once, roughly first hit
    /// first.
    ///
    /// `visit` takes a handle and where its box is hit, and returns the new `t_max`. Returns the last
    /// one.
    pub(crate) fn visit_cast(
        &self,
        cast: &PreparedCast,
        t_max: f64,
        visit: &mut impl FnMut(LooseHandle, Impact) -> f64,
    ) -> f64 {
        let mut visitor = CastVisitor::new(cast, t_max, visit);
        if !self.is_empty() {
            visitor.search(self);
        }
        visitor.t_max
    }

    /// Returns a number that sorts points so that searches near them touch memory close together.
    pub(crate) fn sort_key(&self, point: [f32; 2]) -> u64 {
        self.tight_cell_number(point)
    }

    /// Returns the loose cells listed in the tight cells that `area` touches, each once. Some may not
    /// overlap it.
    pub(super) fn cells_in(&self, area: RawAabb) -> impl Iterator<Item = LooseIndex> + Clone {
        let map = self.tight.map();
        let range = map.touched(&area);
        range.cells().flat_map(move |(x, y)| {
            let listed = self.tight.listed(x, y);
            listed.filter(move |cell| map.is_nearest(range.min, &self.cells[cell.get()].bounds, x, y))
        })
    }

    /// Returns the entities of a list (SLOT-2).
    pub(super) fn members(&self, head: EntityIndex) -> impl Iterator<Item = EntityIndex> + Clone {
        std::iter::successors(head.some(), |&index| self.slots[index].next.some())
    }

    /// Queries: what lies in an area, what is nearest, what a ray meets.
    ///
    /// # Cost
    ///
    /// O(tight cells where the answer is looked for + boxes in the loose cells that they list and the question meets).
    /// Boxes that have moved far since the last [`refit`](Self::refit) make loose cells large, and more of them met.
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
    /// include those whose boxes have left since the last [`refit`](Self::refit).
    pub fn visit_debug_shapes(&self, mut visitor: impl FnMut(Part)) {
        for cell in &self.cells {
            let population = self.members(cell.head).count();
            if population > 0 {
                visitor(Part::LooseCell { aabb: cell.bounds, population });
            }
        }
        self.visit_tight_cells(visitor);
    }
}

impl DoubleGrid for &LooseGrid {
    type Hit = LooseHandle;

    #[inline]
    fn tight_map(&self) -> &CellMap {
        self.tight.map()
    }

    #[inline]
    fn bounds(&self, cell: LooseIndex) -> &RawAabb {
        &self.cells[cell.get()].bounds
    }

    #[inline]
    fn listed(&self, x: u32, y: u32) -> impl Iterator<Item = LooseIndex> {
        self.tight.listed(x, y)
    }

    #[inline]
    fn unlisted(&self) -> &[LooseIndex] {
        self.tight.unlisted()
    }

    #[inline]
    fn visit_cell(&self, cell: LooseIndex, visitor: &mut impl BoxVisitor<LooseHandle>) {
        for index in self.members(self.cells[cell.get()].head) {
            visitor.visit(&self.slots[index].bounds, self.slots.handle(index));
        }
    }
}

impl Search for &LooseGrid {
    type Hit = LooseHandle;

    fn search<T: Fn(&RawAabb) -> bool + Copy>(self, area: RawAabb, test: T) -> impl Iterator<Item = LooseHandle> {
        self.query_if(area, test)
    }

    fn visit_near(
        self,
        point: [f32; 2],
        _: usize,
        within: f64,
        visit: &mut impl FnMut(LooseHandle, f64) -> f64,
    ) -> f64 {
        self.visit_nearest(point, within, visit)
    }

    fn visit_met(self, cast: &PreparedCast, until: f64, visit: &mut impl FnMut(LooseHandle, Impact) -> f64) -> f64 {
        self.visit_cast(cast, until, visit)
    }

    fn place(self, point: [f32; 2]) -> u64 {
        self.sort_key(point)
    }
}
