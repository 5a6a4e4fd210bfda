//! Queries to a [`PointGrid`], and what a grid is made of.

use crate::geometry::band_box::BandBox;
use crate::geometry::{Impact, PreparedCast, RawAabb};
use crate::query::{Part, QueryBuilder, Search};
use crate::tier::point_grid::PointGrid;
use crate::tier::point_grid::bands::Bands;
use crate::tier::point_grid::box_query::{Filed, Overlapping, Tested};

impl PointGrid {
    /// Queries to the boxes filed last: what lies in an area, what is near, what a ray meets. Hits are rows.
    ///
    /// ```
    /// use triphase::tier::point_grid::PointGrid;
    /// use triphase::{Point, Ray};
    /// let mut grid = PointGrid::new();
    /// grid.rebuild(&[[0.0f32, 0.0, 1.0, 1.0], [8.0, 0.0, 9.0, 1.0]], &mut Vec::new())?;
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
        self.bands.visit_debug_shapes(&mut visitor);
        self.larger.visit_debug_shapes(&mut visitor);
    }
}

impl Search for &PointGrid {
    type Hit = u32;

    fn search<T: Fn(&RawAabb) -> bool + Copy>(self, area: RawAabb, test: T) -> impl Iterator<Item = u32> {
        let test = Tested(test);
        self.bands.search(area, test).chain(self.larger.search(area, test))
    }

    fn overlapping(self, area: RawAabb) -> impl Iterator<Item = u32> {
        self.bands.search(area, Overlapping).chain(self.larger.search(area, Overlapping))
    }

    fn filed_near(self, area: RawAabb) -> impl Iterator<Item = u32> {
        self.bands.search(area, Filed).chain(self.larger.search(area, Filed))
    }

    fn visit_near(self, point: [f32; 2], count: usize, within: f64, visit: &mut impl FnMut(u32, f64) -> f64) -> f64 {
        let within = self.bands.visit_near(point, count, within, visit);
        self.larger.visit_near(point, count, within, visit)
    }

    fn visit_met(self, cast: &PreparedCast, until: f64, visit: &mut impl FnMut(u32, Impact) -> f64) -> f64 {
        let until = self.bands.visit_met(cast, until, visit);
        self.larger.visit_met(cast, until, visit)
    }

    fn place(self, point: [f32; 2]) -> u64 {
        self.bands.place(point)
    }
}

impl Bands {
    /// Where the table of cells has the one in which a body that begins at a point is or would be filed.
    pub(crate) fn place(&self, point: [f32; 2]) -> u64 {
        let mut classes = self.directory.classes().iter();
        let Some(class) = classes.find(|class| class.bounds.is_some()) else { return 0 };
        let [x, y] = class.axes.point_to_band(point);
        let home = self.directory.home(class, y);
        let slot = &self.slots[home];
        let cell = match slot.population() {
            0 => 0,
            _ => slot.band.cell(self.words_of(slot), [x, y]),
        };
        (slot.words.start + cell) as u64
    }

    pub(crate) fn visit_debug_shapes(&self, visitor: &mut impl FnMut(Part)) {
        for slot in self.slots.iter().filter(|slot| slot.population() > 0) {
            let (band, words, cells) = (&slot.band, self.words_of(slot), self.cells(slot));
            let aabb = slot.bounds();
            visitor(Part::Band { aabb, population: slot.population(), cells: [band.columns(), band.rows()] });
            for (row, column) in (0..band.rows()).flat_map(|row| (0..band.columns()).map(move |column| (row, column))) {
                let population = cells.run(row, &(column..column + 1)).len();
                if population > 0 {
                    let [low, high] = [[column, row], [column + 1, row + 1]].map(|cell| band.corner(words, cell));
                    let aabb = [low[0], low[1], high[0], high[1]].map(|edge| edge as f32);
                    visitor(Part::Cell { aabb: slot.axes.box_to_world(BandBox::from_edges(aabb)), population });
                }
            }
        }
    }
}
