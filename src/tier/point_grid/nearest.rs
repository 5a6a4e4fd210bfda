//! Finds the bodies nearest to a point, by growing circles around it.
//!
//! Bodies are looked up in the box of a circle (see [`ball_box`]). What does not overlap it is
//! farther away than the radius. So once all wanted bodies are nearer than that, the search is
//! over.
//!
//! - NEAREST-1: a body is visited with the first box that it overlaps. Boxes contain each other, so
//!   this is the box that it overlaps although it does not overlap the one before.

use crate::geometry::band_box::BandBox;
use crate::geometry::{ROOT, ball_box, distance_squared};
use crate::tier::point_grid::bands::Bands;
use crate::tier::point_grid::box_query::visit_overlapping;

/// Bodies that the first box should contain for each wanted one: with fewer, a second box is needed
/// too often; with more, the first one is needlessly large.
const FIRST_AREA: f64 = 0.84;

/// The same for the next boxes, by the population of the one before.
const NEXT_AREA: f64 = 1.7;

/// If a box contains this many times the wanted number, and the search is not done, then the query
/// rejects most bodies: those of other layers, for example. So the next box is much larger.
const REJECTED_FACTOR: usize = 4;

/// Distances with a smaller relative difference are hardly distinct in f64. So from far away, the
/// world is searched in few circles instead of many that all end where it begins.
const DISTINCT_MIN: f64 = 1.0 / (1u64 << 50) as f64;

/// Bodies in an ordinary cell, for points whose surrounding cells are empty.
const CELL_POPULATION: f64 = 2.1;

impl Bands {
    /// Visits the bodies whose squared distance from `point` is at most `within`, each once,
    /// roughly nearest first.
    ///
    /// `visit` takes a row and its squared distance, and returns the new `within`. Returns the last
    /// one. `count` is about how many bodies are wanted.
    pub(crate) fn visit_nearest(
        &self,
        point: [f32; 2],
        count: usize,
        mut within: f64,
        visit: &mut impl FnMut(u32, f64) -> f64,
    ) -> f64 {
        let directory = &self.directory;
        for class in directory.classes().iter().filter(|class| class.bounds.is_some()) {
            let point = class.axes.point_to_band(point);
            let [_, y] = point;
            // From the band at the point to both sides, the nearer one first (DIRECTORY-1).
            let home = directory.home(class, y);
            let (mut below, mut above) = (home + 1, home + 1);
            loop {
                let down = (below > class.slots.start).then(|| directory.below(below - 1, y));
                let up = (above < class.slots.end).then(|| directory.above(above, y));
                // A band may be at infinity and still be within an infinite distance.
                let (distance, is_down) = match (down, up) {
                    (Some(down), Some(up)) if down <= up => (down, true),
                    (_, Some(up)) => (up, false),
                    (Some(down), None) => (down, true),
                    (None, None) => break,
                };
                if distance * distance > within {
                    break;
                }
                let slot = if is_down {
                    below -= 1;
                    below
                } else {
                    above += 1;
                    above - 1
                };
                within = self.visit_nearest_in_band(slot, point, count, within, visit);
            }
        }
        within
    }

    /// Visits the bodies of a band. The point is in the band's axes.
    fn visit_nearest_in_band(
        &self,
        slot: usize,
        point: [f32; 2],
        count: usize,
        mut within: f64,
        visit: &mut impl FnMut(u32, f64) -> f64,
    ) -> f64 {
        let slot = &self.slots[slot];
        let to_band = distance_squared(slot.band.bounds().edges(), point);
        if slot.population() == 0 || to_band > within {
            return within;
        }
        let (band, tables, cells) = (&slot.band, self.tables_of(slot), self.cells(slot));
        let lookup = band.lookup(tables);
        // Nothing in the band is nearer than its bounds.
        let least = to_band.sqrt();
        let mut reach = {
            // The mean population of the cell at the point, of the three before it (missing ones
            // count as empty), and of an ordinary one.
            let [column, row, ..] = lookup.of_edges(&BandBox::from_edges([point[0], point[1], point[0], point[1]]));
            let columns = column.saturating_sub(1)..column + 1;
            let nearby: usize = (row.saturating_sub(1)..row + 1).map(|y| cells.run(y, &columns).len()).sum();
            let [width, height] = band.cell_size_at(tables, point);
            let per_cell = (nearby as f64 + CELL_POPULATION) / 5.0;
            let share = width * height / per_cell * count.min(band.population()) as f64 * FIRST_AREA;
            let [left, top, right, bottom] = band.bounds().edges().map(f64::from);
            // Above zero unless all boxes are one point, however far away they are.
            let extent = (right - left) + (bottom - top);
            (share.sqrt() * 0.5).max(extent * 1e-6).max(least * DISTINCT_MIN)
        };
        let (mut inside, mut least_growth) = (0, 1.25);
        let mut before: Option<BandBox> = None;
        loop {
            let far_enough = within.sqrt() * ROOT;
            let radius = far_enough.min(least + reach);
            let area = BandBox::from_edges(ball_box(point, radius, band.bounds().edges()));
            let rect = lookup.rect(&area);
            visit_overlapping(self.level, &cells, &rect, &area, before.as_ref(), |at| {
                inside += 1;
                let distance = distance_squared(&cells.blocks.aabb(at), point);
                if distance <= within {
                    within = visit(cells.blocks.row(at), distance);
                }
            });
            let is_all = rect.x.len() == band.column_count() && rect.y.len() == band.row_count();
            // Then no body is left (NEAREST-1). It is not enough that all cells were searched: the
            // lookup of a box's corners may yield too few.
            if inside == band.population() || radius == far_enough || within < radius * radius {
                return within;
            }
            before = Some(area);
            // Once all cells are searched, the next box may contain everything filed there.
            let growth = (count as f64 / (inside as f64 + 1.0) * NEXT_AREA).sqrt().max(least_growth);
            // Where nothing is found, bodies are not where cells are.
            let is_fruitless = inside == 0 || inside / REJECTED_FACTOR >= count;
            least_growth = if is_fruitless { 2.0 * least_growth } else { 1.25 };
            reach = if is_all { f64::INFINITY } else { reach * growth.min(8.0) };
        }
    }
}
