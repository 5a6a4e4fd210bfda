//! Whether wide and tall boxes of about one size get a grid each.
//!
//! Cells are as wide as the widest box of their grid, and as high as the highest. In a mix of wide
//! and tall boxes, each box is therefore tested against many that it cannot touch. So a size class
//! may be divided: boxes that are short on one axis get a grid of their own, and the others search
//! it, as larger bodies do. Boxes that are only searched for others are divided where these then
//! search fewer of them.
//!
//! Which is faster is estimated from a sample: pairs of its rows tell how many boxes are near one.
//!
//! Cost: O(s) for a sample of s rows, and a few microseconds.

use crate::geometry::RawAabb;
use crate::memory::buffers::part_start;
use crate::tier::point_grid::extremes::Extremes;
use crate::tier::point_grid::sampled_strips::Strips;
use crate::tier::point_grid::size_classes::{GHOSTS_MAX, limit_between};
use smallvec::SmallVec;

/// A box is short on an axis if its side is at most that of the longest box divided by this.
const SHORTER: f32 = 4.0;

/// Each class has more than one row of the sample in this many.
const CLASS_ONE_IN: usize = 16;

/// At most one row in this many may be oversized because it would have too many ghosts.
const OVERSIZED_ONE_IN: usize = 64;

/// Rows of the sample that are compared with others, and how many others.
const COMPARED: usize = 32;
const OTHERS: usize = 256;

/// Boxes of a sample whose distances tell how dense boxes are.
const NEAREST: usize = 8;

/// Fewest bodies of a class that is divided: with fewer, the estimate takes longer than it saves.
const POPULATION_MIN: usize = 8192;

// Measured costs, in nanoseconds.

/// A box test among the bodies of one grid.
const OWN_TEST_NS: f64 = 0.6;
/// A box test in a search of another grid.
const CROSS_TEST_NS: f64 = 0.8;
/// What the partition takes longer for a row that has ghosts, besides these.
const ROUTE_NS: f64 = 35.0;
/// A ghost in the partition.
const GHOST_NS: f64 = 10.0;
/// The search for a ghost in a band of another grid, if any box is near it.
const CROSS_SEARCH_NS: f64 = 25.0;
/// The search of a second class of boxes for another box.
const SECOND_SEARCH_NS: f64 = 50.0;
/// A ghost in a band of its own grid, with its search.
const OWN_GHOST_NS: f64 = 50.0;
/// Two classes must save at least this for a body: about what it takes in a crowded band, which is
/// swept or packed into a tree.
const SAVED_NS_MIN: f64 = 150.0;

/// Cells of another grid that a box is tested against.
const CELLS_SEARCHED: f64 = 2.0;

/// Two classes must lower the estimate to this fraction. Where they leave more to test, cells are
/// crowded for other reasons too, and one class, swept or packed into a tree, is mostly faster.
const DIVIDED_COST_MAX: f64 = 0.37;

/// The boxes of a class that are short on an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ShortBoxes {
    pub(super) axis: usize,
    /// Their longest side on it.
    pub(super) side_max: f32,
}

impl ShortBoxes {
    pub(super) fn contains(&self, aabb: &RawAabb) -> bool {
        side(aabb, self.axis) <= self.side_max
    }
}

fn side(aabb: &RawAabb, axis: usize) -> f32 {
    aabb[axis + 2] - aabb[axis]
}

/// The sampled rows of a size class, and what it is part of.
#[derive(Clone, Copy)]
pub(super) struct ClassSample<'a> {
    pub(super) members: &'a [RawAabb],
    /// The rows of larger classes, and oversized ones.
    pub(super) larger: &'a [RawAabb],
    /// Bodies of the class.
    pub(super) population: usize,
    /// Number of smaller classes.
    pub(super) smaller: usize,
}

impl ClassSample<'_> {
    /// Which of its boxes should be a class of their own, if any. `bands_for` is the number of
    /// bands for a number of bodies.
    pub(super) fn short_boxes(&self, bands_for: impl Fn(usize) -> usize) -> Option<ShortBoxes> {
        let (short, sides_max) = self.shortest_boxes()?;
        let Tests { together, apart, across, searching } = self.tests(short, sides_max);
        let Searches { bodies, bands } = self.searches(short, &bands_for)?;
        let undivided = OWN_TEST_NS * together + OWN_GHOST_NS * self.ghosts(&bands_for);
        let tests = OWN_TEST_NS * apart + CROSS_TEST_NS * across;
        let divided = tests + ROUTE_NS * bodies + (GHOST_NS + CROSS_SEARCH_NS * searching) * bands;
        (divided < DIVIDED_COST_MAX * undivided && divided + SAVED_NS_MIN < undivided).then_some(short)
    }

    /// Which of its boxes should be a class of their own, if any, where these are only searched for
    /// other boxes. The latter are taken to be small, and where boxes of the class are.
    pub(super) fn short_boxes_to_search(&self) -> Option<ShortBoxes> {
        let (short, sides_max) = self.shortest_boxes()?;
        let step = |count: usize| self.members.len().div_ceil(count).max(1);
        let [short_max, others_max] = self.cells(short, sides_max);
        let (mut together, mut apart, mut compared) = (0.0, 0.0, 0);
        // Of all boxes, of the short ones and of the others: how far they are from a place, in
        // units of the longest sides. Beyond 1, none overlaps a small box there.
        let mut distances: [SmallVec<[f32; OTHERS]>; 3] = Default::default();
        for (row, place) in self.members.iter().enumerate().step_by(step(COMPARED)) {
            distances.iter_mut().for_each(SmallVec::clear);
            let [all, shorts, others] = &mut distances;
            let mut len = 0;
            for (other_row, aabb) in self.members.iter().enumerate().step_by(step(OTHERS)) {
                len += 1;
                if other_row != row {
                    let (to, max) =
                        if short.contains(aabb) { (&mut *shorts, short_max) } else { (&mut *others, others_max) };
                    all.push(distance(place, aabb, sides_max));
                    to.push(distance(place, aabb, max));
                }
            }
            together += expected_within(all);
            apart += expected_within(shorts) + expected_within(others);
            compared += len;
        }
        let per_search = self.population as f64 / compared.max(1) as f64;
        ((together - apart) * per_search * OWN_TEST_NS > SECOND_SEARCH_NS).then_some(short)
    }

    /// The boxes that are short on the axis where that leaves the smaller cells, and the longest
    /// sides of all; `None` if boxes are few, or neither axis divides them.
    fn shortest_boxes(&self) -> Option<(ShortBoxes, [f32; 2])> {
        if self.population < POPULATION_MIN {
            return None;
        }
        let extremes = Extremes::of(self.members.iter());
        let sides_max = extremes.longest_side;
        let candidates = [1, 0].into_iter().filter_map(|axis| self.short_on(axis, &extremes));
        let areas = |short: &ShortBoxes| self.cell_areas(*short, sides_max);
        Some((candidates.min_by(|a, b| areas(a).total_cmp(&areas(b)))?, sides_max))
    }

    /// The boxes that are short on an axis, if neither they nor the others are rare.
    fn short_on(&self, axis: usize, extremes: &Extremes) -> Option<ShortBoxes> {
        let limit = extremes.longest_side[axis] / SHORTER;
        if extremes.shortest_side[axis] > limit {
            return None; // as in most classes, no box is short
        }
        let (mut inside, mut outside, mut count) = (0.0f32, f32::INFINITY, 0);
        for aabb in self.members {
            let side = side(aabb, axis);
            if side <= limit {
                (inside, count) = (inside.max(side), count + 1);
            } else {
                outside = outside.min(side);
            }
        }
        let rare = self.members.len() / CLASS_ONE_IN;
        (count > rare && self.members.len() - count > rare)
            .then(|| ShortBoxes { axis, side_max: limit_between(inside, outside) })
    }

    /// Sum of the areas of the cells of all boxes, if the short ones are a class of their own.
    fn cell_areas(&self, short: ShortBoxes, sides_max: [f32; 2]) -> f32 {
        let [short_cell, other_cell] = self.cells(short, sides_max).map(|[width, height]| width * height);
        let count = self.members.iter().filter(|aabb| short.contains(aabb)).count() as f32;
        count * short_cell + (self.members.len() as f32 - count) * other_cell
    }

    /// The longest sides of the short boxes and of the others.
    fn cells(&self, short: ShortBoxes, sides_max: [f32; 2]) -> [[f32; 2]; 2] {
        let mut short_max = sides_max;
        short_max[short.axis] = short.side_max;
        [short_max, Extremes::of(self.members.iter().filter(|aabb| !short.contains(aabb))).longest_side]
    }

    /// Ghosts of a body in the mean, if all are one class: along the axis where there are fewer.
    fn ghosts(&self, bands_for: impl Fn(usize) -> usize) -> f64 {
        let strips = |axis| Strips::new(axis, self.members.iter(), |_| bands_for(self.population));
        let per_axis = [0, 1].map(|axis| strips(axis).ghosts(self.members.iter()));
        per_axis[0].min(per_axis[1]) as f64 / self.members.len() as f64
    }

    /// Searches of the short boxes by others; `None` if too many bodies would have too many ghosts.
    fn searches(&self, short: ShortBoxes, bands_for: impl Fn(usize) -> usize) -> Option<Searches> {
        let Self { members, larger, population, smaller } = *self;
        let bands = |count: usize| bands_for(part_start(count, population, members.len()));
        let part = |is_short: bool| members.iter().filter(move |aabb| short.contains(aabb) == is_short);
        let of_short = Strips::new(short.axis, part(true), bands);
        let of_others = Strips::new(1 - short.axis, part(false), bands);
        let (mut bodies, mut bands, mut too_many) = (0, 0, 0);
        let mut search = |aabb: &RawAabb, has_own_band: bool| {
            let reached = of_short.reached(aabb);
            (bodies, bands) = (bodies + 1, bands + reached);
            let ghosts = reached + of_others.reached(aabb) - usize::from(has_own_band) + smaller;
            too_many += usize::from(ghosts > GHOSTS_MAX);
        };
        part(false).for_each(|aabb| search(aabb, true));
        larger.iter().for_each(|aabb| search(aabb, false));
        let per_body = |count: usize| count as f64 / members.len() as f64;
        (too_many * OVERSIZED_ONE_IN <= members.len())
            .then(|| Searches { bodies: per_body(bodies), bands: per_body(bands) })
    }

    /// Estimates box tests by comparing some rows of the sample with others.
    fn tests(&self, short: ShortBoxes, sides_max: [f32; 2]) -> Tests {
        let step = |count: usize| self.members.len().div_ceil(count).max(1);
        let [short_max, others_max] = self.cells(short, sides_max);
        // In columns, so that the inner loop is vectorized.
        let (mut xs, mut ys, mut are_short) = ([0.0; OTHERS], [0.0; OTHERS], [0u32; OTHERS]);
        let mut len = 0;
        for aabb in self.members.iter().step_by(step(OTHERS)) {
            (xs[len], ys[len], are_short[len]) = (aabb[0], aabb[1], u32::from(short.contains(aabb)));
            len += 1;
        }
        let (mut together, mut apart, mut across, mut compared) = (0.0, 0.0, 0.0, 0);
        let (mut others, mut searching) = (0, 0);
        for (row, aabb) in self.members.iter().enumerate().step_by(step(COMPARED)) {
            let is_short = short.contains(aabb);
            let own_max = if is_short { short_max } else { others_max };
            let [mut all, mut own, mut near_short] = [0; 3];
            for ((&x, &y), &other_is_short) in xs[..len].iter().zip(&ys[..len]).zip(&are_short[..len]) {
                let (dx, dy) = ((x - aabb[0]).abs(), (y - aabb[1]).abs());
                let is_near = u32::from((dx <= sides_max[0]) & (dy <= sides_max[1]));
                let is_near_own = u32::from((dx <= own_max[0]) & (dy <= own_max[1]));
                all += is_near;
                near_short += is_near & other_is_short;
                own += is_near_own & u32::from(other_is_short == u32::from(is_short));
            }
            // It is near itself, if it is among the others.
            let itself = u32::from(row % step(OTHERS) == 0);
            (all, own, compared) = (all - itself, own - itself, compared + len);
            together += f64::from(all) * cells_tested(aabb, sides_max);
            apart += f64::from(own) * cells_tested(aabb, own_max);
            if !is_short {
                across += f64::from(near_short) * CELLS_SEARCHED;
                (others, searching) = (others + 1, searching + u32::from(near_short > 0));
            }
        }
        // Boxes in four cells around each one were counted.
        let per_cell = self.population as f64 / (4 * compared.max(1)) as f64;
        Tests {
            together: together * per_cell,
            apart: apart * per_cell,
            across: across * per_cell,
            searching: f64::from(searching) / f64::from(u32::max(others, 1)),
        }
    }
}

/// How far the lower corners of two boxes are apart, as a multiple of some sides.
fn distance(a: &RawAabb, b: &RawAabb, sides: [f32; 2]) -> f32 {
    let along = |axis: usize| (a[axis] - b[axis]).abs() / sides[axis].max(f32::MIN_POSITIVE);
    along(0).max(along(1))
}

/// How many of some distances are at most 1, in the mean of all samples like this one: if only a
/// few are, that follows from a larger area.
fn expected_within(distances: &mut [f32]) -> f64 {
    let within = distances.iter().filter(|&&distance| distance <= 1.0).count();
    if within >= NEAREST || distances.len() < NEAREST {
        return within as f64;
    }
    let (_, &mut farthest, _) = distances.select_nth_unstable_by(NEAREST - 1, f32::total_cmp);
    NEAREST as f64 / (f64::from(farthest) * f64::from(farthest))
}

/// Box tests per body.
struct Tests {
    /// In a grid of all.
    together: f64,
    /// In two grids.
    apart: f64,
    /// By searches of the short boxes by the others.
    across: f64,
    /// The share of the others that have short boxes near them.
    searching: f64,
}

/// Searches of the short boxes, for each body of the class.
struct Searches {
    bodies: f64,
    bands: f64,
}

/// Cells that a box is tested against in the grid of its class, in the mean: what is left of its
/// own, and more if it reaches into the next ones.
fn cells_tested(aabb: &RawAabb, sides_max: [f32; 2]) -> f64 {
    let [right, below] = [0, 1].map(|axis| f64::from(side(aabb, axis) / sides_max[axis].max(f32::MIN_POSITIVE)));
    0.5 + right + below * (2.0 + right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use triphase_scenes::SplitMix64;

    /// Boxes of the given widths and heights in turn, anywhere in a square.
    fn boxes(count: usize, square: f32, sides: &[[f32; 2]]) -> Vec<RawAabb> {
        let mut random = SplitMix64::new(4);
        let mut at = |[width, height]: [f32; 2]| {
            let (x, y) = (random.range(0.0, square), random.range(0.0, square));
            [x, y, x + width, y + height]
        };
        (0..count).map(|k| at(sides[k % sides.len()])).collect()
    }

    fn chosen(members: &[RawAabb], population: usize, bands: usize) -> Option<ShortBoxes> {
        ClassSample { members, larger: &[], population, smaller: 0 }.short_boxes(|_| bands)
    }

    #[test]
    fn wide_and_tall_boxes_get_a_class_each() {
        let members = boxes(500, 300.0, &[[30.0, 0.1], [0.2, 30.0]]);
        let short = chosen(&members, 60_000, 8).expect("cells would be crowded");
        let wide = members.iter().filter(|aabb| short.contains(aabb)).count();
        assert_eq!(wide, 250, "{short:?}");
    }

    #[test]
    fn boxes_that_are_alike_or_far_apart_stay_one_class() {
        assert_eq!(chosen(&boxes(500, 300.0, &[[30.0, 30.0]]), 60_000, 8), None, "squares");
        assert_eq!(chosen(&boxes(500, 300.0, &[[30.0, 0.1]]), 60_000, 8), None, "all wide");
        let members = boxes(500, 30_000.0, &[[30.0, 0.1], [0.2, 30.0]]);
        assert_eq!(chosen(&members, 60_000, 8), None, "few are near each other");
        assert_eq!(chosen(&[], 0, 8), None);
    }

    #[test]
    fn boxes_to_search_are_divided_where_many_are_near_a_place() {
        let chosen = |members: &[RawAabb], population: usize| {
            ClassSample { members, larger: &[], population, smaller: 0 }.short_boxes_to_search()
        };
        // So sparse that no two of the sample are near each other, and a million boxes are not.
        let members = boxes(500, 3000.0, &[[16.0, 0.5], [0.5, 16.0]]);
        let short = chosen(&members, 1_000_000).expect("a hundred are near a place");
        assert_eq!(members.iter().filter(|aabb| short.contains(aabb)).count(), 250, "{short:?}");
        assert_eq!(chosen(&members, 100_000), None, "ten are near a place");
        let members = boxes(500, 300.0, &[[16.0, 0.5], [0.5, 16.0]]);
        assert!(chosen(&members, 100_000).is_some(), "a thousand are near a place");
        assert_eq!(chosen(&boxes(500, 3000.0, &[[16.0, 16.0]]), 1_000_000), None, "squares");
        assert_eq!(chosen(&vec![[1.0, 1.0, 1.0, 1.0]; 500], 1_000_000), None, "points in one place");
    }

    #[test]
    fn classes_are_not_divided_if_bodies_would_have_too_many_ghosts() {
        let members = boxes(500, 300.0, &[[30.0, 0.1], [0.2, 30.0]]);
        assert!(chosen(&members, 60_000, 40).is_some(), "five bands each");
        assert_eq!(chosen(&members, 60_000, 100), None, "eleven bands each");
        let larger = boxes(50, 300.0, &[[100.0, 100.0]]);
        let class = ClassSample { members: &members, larger: &larger, population: 60_000, smaller: 1 };
        assert_eq!(class.short_boxes(|_| 16), None, "six bands of either class, and a smaller class");
    }
}
