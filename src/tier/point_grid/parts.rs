//! Queries to a [`PointGrid`], and what a grid is made of.

use crate::geometry::{Impact, PreparedCast, RawAabb, oriented};
use crate::query::{Part, QueryBuilder, Search};
use crate::tier::point_grid::PointGrid;
use crate::tier::point_grid::bands::GridIndex;
use crate::tier::point_grid::box_query::{Filed, Overlapping, Tested};

impl PointGrid {
    /// Queries to the boxes filed last: what lies in an area, what is near, what a ray meets. Hits are rows.
    ///
    /// ```
    /// use triphase::tier::point_grid::PointGrid;
    /// use triphase::{Point, Ray};
    /// let mut grid = PointGrid::new();
    /// grid.find_pairs(&[[0.0f32, 0.0, 1.0, 1.0], [8.0, 0.0, 9.0, 1.0]], &mut Vec::new())?;
    /// assert_eq!(grid.query().nearest(Point::new([6.0, 0.5])?).unwrap().hit, 1);
    /// let ray = Ray::new([2.0, 0.5], [1.0, 0.0], f32::INFINITY)?;
    /// assert_eq!(grid.query().cast_ray(ray).unwrap().distance, 6.0);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn query(&self) -> QueryBuilder<&Self> {
        QueryBuilder::new(self)
    }

    /// Visits the bands and their cells, each cell after its band, for drawing and debugging.
    pub fn visit_debug_shapes(&self, mut visitor: impl FnMut(Part)) {
        self.index.visit_debug_shapes(&mut visitor);
        self.rest.visit_debug_shapes(&mut visitor);
    }
}

impl Search for &PointGrid {
    type Hit = u32;

    fn search<T: Fn(&RawAabb) -> bool + Copy>(self, area: RawAabb, test: T) -> impl Iterator<Item = u32> {
        let test = Tested(test);
        self.index.search(area, test).chain(self.rest.search(area, test))
    }

    fn overlapping(self, area: RawAabb) -> impl Iterator<Item = u32> {
        self.index.search(area, Overlapping).chain(self.rest.search(area, Overlapping))
    }

    fn filed_near(self, area: RawAabb) -> impl Iterator<Item = u32> {
        self.index.search(area, Filed).chain(self.rest.search(area, Filed))
    }

    fn visit_near(self, point: [f32; 2], count: usize, within: f64, visit: &mut impl FnMut(u32, f64) -> f64) -> f64 {
        let within = self.index.visit_near(point, count, within, visit);
        self.rest.visit_near(point, count, within, visit)
    }

    fn visit_met(self, cast: &PreparedCast, until: f64, visit: &mut impl FnMut(u32, Impact) -> f64) -> f64 {
        let until = self.index.visit_met(cast, until, visit);
        self.rest.visit_met(cast, until, visit)
    }

    fn place(self, point: [f32; 2]) -> u64 {
        self.index.place(point)
    }
}

impl GridIndex {
    /// Where the table of cells has the one in which a body that begins at a point is or would be filed.
    pub(crate) fn place(&self, [x, y]: [f32; 2]) -> u64 {
        let Some(class) = self.directory.classes().next() else { return 0 };
        let [x, y] = if class.transposed { [y, x] } else { [x, y] };
        let home = self.directory.home(class, y);
        let slot = &self.slots[home];
        let cell = match slot.band.population {
            0 => 0,
            _ => slot.band.cell(self.words_of(slot), [x, y]),
        };
        (slot.words.start + cell) as u64
    }

    /// Whether nothing is filed.
    pub(crate) fn is_empty(&self) -> bool {
        self.directory.classes().next().is_none()
    }

    pub(crate) fn visit_debug_shapes(&self, visitor: &mut impl FnMut(Part)) {
        for slot in self.slots.iter().filter(|slot| slot.band.population > 0) {
            let (band, words, cells) = (&slot.band, self.words_of(slot), self.cells(slot));
            let aabb = oriented(band.bounds, slot.transposed);
            visitor(Part::Band { aabb, population: band.population, cells: [band.columns(), band.rows()] });
            for (row, column) in (0..band.rows()).flat_map(|row| (0..band.columns()).map(move |column| (row, column))) {
                let population = cells.run(row, &(column..column + 1)).len();
                if population > 0 {
                    let [low, high] = [[column, row], [column + 1, row + 1]].map(|cell| band.corner(words, cell));
                    let aabb = [low[0], low[1], high[0], high[1]].map(|edge| edge as f32);
                    visitor(Part::Cell { aabb: oriented(aabb, slot.transposed), population });
                }
            }
        }
    }
}
