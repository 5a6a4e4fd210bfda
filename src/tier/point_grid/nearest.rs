//! What is near a point: squares around it that grow until nothing nearer can lie outside.
//!
//! NEAREST-1: what does not overlap the square of half side `r` around the point is at least as far as `r` (see
//!     [`square`](crate::geometry::square)). So once all that counts is nearer than `r`, the search is over.
//! NEAREST-2: a body is visited with the first square that it overlaps. Squares hold each other, so that is one that it overlaps
//!     when it did not overlap the one before.

use crate::geometry::band_box::BandBox;
use crate::geometry::{ROOT, distance_squared, square};
use crate::tier::point_grid::bands::Bands;
use crate::tier::point_grid::box_query::visit_masks;

/// The first square is meant to hold so many bodies for each that is asked for: with fewer, a second one is needed more
/// often than the first one is smaller.
const FIRST: f64 = 0.84;

/// The next one, by what the one before held.
const NEXT: f64 = 1.7;

/// Distances that differ by less, in proportion, are hardly told apart in f64: a world seen from so far away is looked
/// through at once, not in many squares that all end where it begins.
const ALIKE: f64 = 1.0 / (1u64 << 50) as f64;

/// Bodies that an ordinary cell holds, for where those around the point hold none.
const ORDINARY: f64 = 2.1;

impl Bands {
    /// See [`Search::visit_near`](crate::query::Search::visit_near); rows.
    pub(crate) fn visit_near(
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
            // From the band where the point is to both sides, the nearer one first (DIRECTORY-1).
            let home = directory.home(class, y);
            let (mut below, mut above) = (home + 1, home + 1);
            loop {
                let down = (below > class.slots.start).then(|| directory.below(below - 1, y));
                let up = (above < class.slots.end).then(|| directory.above(above, y));
                // A band may lie at infinity and still be within an infinite distance.
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
                within = self.visit_near_in(slot, point, count, within, visit);
            }
        }
        within
    }

    /// The bodies of a band; the point is in its orientation.
    fn visit_near_in(
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
        let (band, words, cells) = (&slot.band, self.words_of(slot), self.cells(slot));
        let lookup = band.lookup(words);
        // Nothing is nearer than the band.
        let least = to_band.sqrt();
        let mut reach = {
            // As many bodies a cell as in the four at the point and an ordinary one.
            let around = lookup.rect(&BandBox::from_edges([point[0], point[1], point[0], point[1]]));
            let held: usize = around.y.clone().map(|y| cells.run(y, &around.x).len()).sum();
            let [width, height] = band.cell_size_at(words, point);
            let a_cell = (held as f64 + ORDINARY) / 5.0;
            let share = width * height / a_cell * count.min(band.population()) as f64 * FIRST;
            let [left, top, right, bottom] = band.bounds().edges().map(f64::from);
            (share.sqrt() * 0.5).max((right - left + bottom - top) * 1e-6).max(least * ALIKE)
        };
        let mut inside = 0;
        let mut before: Option<BandBox> = None;
        loop {
            let far_enough = within.sqrt() * ROOT;
            let radius = far_enough.min(least + reach);
            let area = BandBox::from_edges(square(point, radius));
            let rect = lookup.rect(&area);
            visit_masks(self.level, &cells, &rect, &area, before.as_ref(), |from, mut mask| {
                while mask != 0 {
                    let at = from + mask.trailing_zeros() as usize;
                    mask &= mask - 1;
                    inside += 1;
                    let distance = distance_squared(&cells.blocks.aabb(at), point);
                    if distance <= within {
                        within = visit(cells.blocks.row(at), distance);
                    }
                }
            });
            let is_all = rect.x.len() == band.columns() && rect.y.len() == band.rows();
            // By NEAREST-2 there are no others then. Not whether all cells were looked at: coordinates may lead to fewer than there are.
            if inside == band.population() || radius == far_enough || within < radius * radius {
                return within;
            }
            before = Some(area);
            // Once all cells are looked at, the square might as well hold all that is filed there.
            let growth = (count as f64 / (inside as f64 + 1.0) * NEXT).sqrt().clamp(1.25, 8.0);
            reach = if is_all { f64::INFINITY } else { reach * growth };
        }
    }
}
