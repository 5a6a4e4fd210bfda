//! What the pairs of a band cost, counted in a sample of its bodies and ghosts.
//!
//! Cost: O(s) for a sample of s bodies and ghosts.

use crate::geometry::RawAabb;
use crate::tier::point_grid::axis::Extent;
use crate::tier::point_grid::band::equal_cells::cell_height;
use crate::tier::point_grid::band::one_row::column_width;
use crate::tier::point_grid::size_classes::row_cost::{LANES, RUN_NS, SEARCH_NS, VECTOR_NS};
use crate::tier::sweep::packed_tree;
use smallvec::SmallVec;

/// Most boxes of a sample.
const SAMPLED: usize = 256;

/// Most boxes that are compared with all others of a sample.
const COMPARED: usize = 16;

/// A band is not evenly populated if so many times as many bodies as in an even distribution are
/// nearer to each other than this part of its extents.
const UNEVEN: f64 = 3.0;
const PART: f32 = 1.0 / 16.0;

/// Lengths up to which ghosts are swept, as shares of the extent of the band.
const SWEPT_SHARES: [f32; 3] = [f32::INFINITY, 1.0 / 16.0, 1.0 / 256.0];

// Measured costs, in nanoseconds.

/// Finding the cells of a band that is not evenly populated, for each body.
const UNEVEN_CELLS_NS: f64 = 40.0;
/// A ghost that overlaps no body of its band, as the bounds of these tell.
const GHOST_ASIDE_NS: f64 = 15.0;
/// A body of a band whose ghosts are swept.
const SWEPT_BODY_NS: f64 = 10.0;
/// A ghost that is swept.
const SWEPT_GHOST_NS: f64 = 50.0;

/// A sample of boxes, in columns, so that loops over them are vectorized.
pub(super) struct SampledBoxes {
    /// The lower and the upper edges, by axis.
    lows: [[f32; SAMPLED]; 2],
    highs: [[f32; SAMPLED]; 2],
    len: usize,
    /// How many boxes there are for each of the sample.
    each: f64,
}

impl SampledBoxes {
    /// A sample of `len` boxes, each of which stands for `weight` boxes.
    pub(super) fn new(len: usize, boxes: impl Iterator<Item = RawAabb>, weight: f64) -> Self {
        let mut sample = Self { lows: [[0.0; SAMPLED]; 2], highs: [[0.0; SAMPLED]; 2], len: 0, each: 0.0 };
        for aabb in boxes.step_by(len.div_ceil(SAMPLED).max(1)) {
            for axis in [0, 1] {
                sample.lows[axis][sample.len] = aabb[axis];
                sample.highs[axis][sample.len] = aabb[axis + 2];
            }
            sample.len += 1;
        }
        sample.each = len as f64 * weight / sample.len.max(1) as f64;
        sample
    }

    /// How many boxes it stands for.
    fn population(&self) -> f64 {
        self.len as f64 * self.each
    }

    /// The longest side on an axis that is not above a limit.
    fn longest_side_up_to(&self, axis: usize, limit: f32) -> f32 {
        let edges = self.lows[axis].iter().zip(&self.highs[axis]).take(self.len);
        edges.map(|(low, high)| high - low).filter(|&side| side <= limit).fold(0.0, f32::max)
    }

    /// The extents of the boxes, of which some have sides of the given lengths.
    pub(super) fn extents(&self, sides: [f32; 2]) -> [Extent; 2] {
        [0, 1].map(|axis| {
            let lows = || self.lows[axis][..self.len].iter().copied();
            let (min, max) = (lows().fold(f32::INFINITY, f32::min), lows().fold(f32::NEG_INFINITY, f32::max));
            Extent { min, max, side: sides[axis].max(self.longest_side_up_to(axis, f32::INFINITY)) }
        })
    }

    /// Some of the boxes, by axis the lower and the upper edge.
    fn compared(&self) -> impl ExactSizeIterator<Item = [[f32; 2]; 2]> {
        let edges = |k: usize| [0, 1].map(|axis| [self.lows[axis][k], self.highs[axis][k]]);
        (0..self.len).step_by(self.len.div_ceil(COMPARED).max(1)).map(edges)
    }

    /// How many begin in a range of an axis.
    fn beginning_in(&self, axis: usize, [low, high]: [f32; 2]) -> f64 {
        let is_within = |&edge: &f32| u32::from((low <= edge) & (edge <= high));
        f64::from(self.lows[axis][..self.len].iter().map(is_within).sum::<u32>()) * self.each
    }

    /// How many begin in a rectangle.
    fn beginning_around(&self, ranges: [[f32; 2]; 2]) -> f64 {
        self.both_within([&self.lows[0], &self.lows[1]], ranges)
    }

    /// How many begin before the upper end of a range of an axis, and end after its lower end.
    fn beside(&self, axis: usize, [low, high]: [f32; 2]) -> f64 {
        let ranges = [[f32::NEG_INFINITY, high], [low, f32::INFINITY]];
        self.both_within([&self.lows[axis], &self.highs[axis]], ranges)
    }

    fn both_within(&self, [a, b]: [&[f32; SAMPLED]; 2], [[a0, a1], [b0, b1]]: [[f32; 2]; 2]) -> f64 {
        let is_within = |(&a, &b): (&f32, &f32)| u32::from((a0 <= a) & (a <= a1) & (b0 <= b) & (b <= b1));
        f64::from(a[..self.len].iter().zip(&b[..self.len]).map(is_within).sum::<u32>()) * self.each
    }
}

/// How the bodies of a band are filed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Filed {
    InCells,
    /// In one row of columns of a width that divide an axis.
    InRow {
        axis: usize,
        column: f32,
    },
}

/// A sample of the bodies of a band and of its ghosts.
pub(super) struct SampledBand {
    pub(super) bodies: SampledBoxes,
    pub(super) ghosts: SampledBoxes,
    /// Those of the bodies.
    pub(super) extents: [Extent; 2],
}

impl SampledBand {
    fn population(&self) -> usize {
        self.bodies.population() as usize
    }

    /// Nanoseconds for all pairs, if bodies are filed as is faster for their own pairs.
    pub(super) fn ns(&self) -> f64 {
        if self.population() == 0 {
            return 0.0;
        }
        let (own, filed) = self.own_ns();
        own + self.ghosts_ns(filed)
    }

    /// Nanoseconds for the pairs of bodies with each other, and how these are filed.
    fn own_ns(&self) -> (f64, Filed) {
        let Self { bodies, extents, .. } = self;
        let columns = [0, 1].map(|axis| column_width(self.population(), *extents, axis));
        let (mut near, mut in_part, mut in_row) = (0.0, 0.0, [0.0; 2]);
        for body in bodies.compared() {
            let nearer_than = |sides: [f32; 2]| {
                let range = |axis: usize| [body[axis][0] - sides[axis], body[axis][0] + sides[axis]];
                bodies.beginning_around([0, 1].map(range)) - bodies.each
            };
            near += nearer_than(extents.map(|extent| extent.side));
            in_part += nearer_than(extents.map(|Extent { min, max, .. }| (max - min) * PART));
            for axis in [0, 1] {
                let [low, high] = body[axis];
                in_row[axis] += bodies.beginning_in(axis, [low, high + columns[axis]]) - bodies.each;
            }
        }
        let compared = bodies.compared().len() as f64;
        let vectors = |tests: f64| tests / compared / LANES;
        let if_even = 4.0 * f64::from(PART * PART) * compared * bodies.population();
        let found = if in_part > UNEVEN * if_even { UNEVEN_CELLS_NS } else { 0.0 };
        // Four cells were counted.
        let in_cell = vectors(near) / 4.0;
        let cells = found + VECTOR_NS * ((1.5 * in_cell).max(1.0) + (3.0 * in_cell).max(1.0));
        let rows = in_row.map(|tests| VECTOR_NS * (2.0 + vectors(tests)));
        let axis = usize::from(rows[1] < rows[0]);
        let filed = if rows[axis] < cells { Filed::InRow { axis, column: columns[axis] } } else { Filed::InCells };
        (bodies.population() * rows[axis].min(cells).min(packed_tree::BUILD_NS + packed_tree::OWN_SEARCH_NS), filed)
    }

    /// Nanoseconds for the pairs of bodies with ghosts, which search the cells or a tree, or are
    /// swept.
    fn ghosts_ns(&self, filed: Filed) -> f64 {
        let Self { bodies, ghosts, extents } = self;
        let is_aside = |ghost: [[f32; 2]; 2]| {
            let mut axes = ghost.iter().zip(extents);
            axes.any(|(&[low, high], Extent { min, max, side })| low > max + side || high < *min)
        };
        let beside = ghosts.compared().filter(|&ghost| !is_aside(ghost));
        let searches: SmallVec<[_; COMPARED]> = beside.map(|ghost| (ghost, self.search_ns(ghost, filed))).collect();
        let by_search: f64 = searches.iter().map(|(_, ns)| ns).sum();
        let mut by_sweep = f64::INFINITY;
        for (axis, share) in [0, 1].into_iter().flat_map(|axis| SWEPT_SHARES.map(|share| (axis, share))) {
            let Extent { min, max, .. } = extents[axis];
            let longest = ghosts.longest_side_up_to(axis, share * (max - min).max(f32::MIN_POSITIVE));
            let ns = |&(ghost, search): &([[f32; 2]; 2], f64)| {
                let [low, high] = ghost[axis];
                // A body is tested with all ghosts since the first that reaches it.
                let swept = || SWEPT_GHOST_NS + VECTOR_NS / LANES * bodies.beside(axis, [low, low + longest]);
                if high - low > longest { search } else { swept() }
            };
            by_sweep = by_sweep.min(searches.iter().map(ns).sum());
        }
        let compared = ghosts.compared().len();
        let per_ghost = ghosts.population() / compared.max(1) as f64;
        let aside = (compared - searches.len()) as f64 * GHOST_ASIDE_NS;
        let by_sweep = bodies.population() * SWEPT_BODY_NS + per_ghost * by_sweep;
        let by_tree =
            bodies.population() * packed_tree::BUILD_NS + per_ghost * searches.len() as f64 * packed_tree::SEARCH_NS;
        per_ghost * aside + by_sweep.min(per_ghost * by_search).min(by_tree)
    }

    /// Nanoseconds of the search for a ghost.
    fn search_ns(&self, ghost: [[f32; 2]; 2], filed: Filed) -> f64 {
        let Self { bodies, extents, .. } = self;
        let (runs, tests) = match filed {
            Filed::InRow { axis, column } => {
                let ([low, high], side) = (ghost[axis], extents[axis].side);
                (1.0, bodies.beginning_in(axis, [low - side - column, high + column]))
            }
            Filed::InCells => {
                let across = ghost[1][1].min(extents[1].max) - ghost[1][0].max(extents[1].min);
                let rows = (across / cell_height(self.population(), *extents)).max(0.0);
                let range = |axis: usize| {
                    let ([low, high], side) = (ghost[axis], extents[axis].side);
                    [low - 1.5 * side, high + 0.5 * side]
                };
                (2.0 + f64::from(rows), bodies.beginning_around([0, 1].map(range)))
            }
        };
        SEARCH_NS + RUN_NS * runs + VECTOR_NS / LANES * tests
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use triphase_scenes::SplitMix64;

    /// Boxes that begin in an area, as wide and high as `sides` says.
    fn boxes(count: usize, area: RawAabb, sides: impl Fn(usize) -> [f32; 2]) -> Vec<RawAabb> {
        let mut random = SplitMix64::new(15);
        let mut aabb = |k: usize| {
            let ([width, height], x, y) = (sides(k), random.range(area[0], area[2]), random.range(area[1], area[3]));
            [x, y, x + width, y + height]
        };
        (0..count).map(&mut aabb).collect()
    }

    fn sample(boxes: &[RawAabb]) -> SampledBoxes {
        SampledBoxes::new(boxes.len(), boxes.iter().copied(), 1.0)
    }

    fn band(bodies: &[RawAabb], ghosts: &[RawAabb]) -> SampledBand {
        let (bodies, ghosts) = (sample(bodies), sample(ghosts));
        let extents = bodies.extents([0.0; 2]);
        SampledBand { bodies, ghosts, extents }
    }

    const SQUARE: RawAabb = [0.0, 0.0, 1000.0, 1000.0];

    #[test]
    fn counts_are_those_of_all_boxes() {
        let few = boxes(SAMPLED, SQUARE, |k| [k as f32, 9.0]);
        let many = boxes(20 * SAMPLED + 7, SQUARE, |k| [(k % 100) as f32, 9.0]);
        for (boxes, tolerance) in [(few, 0.0), (many, 0.3)] {
            let (sample, total) = (sample(&boxes), boxes.len() as f64);
            assert!((sample.population() - total).abs() < 1e-9 * total);
            let count = |test: &dyn Fn(&RawAabb) -> bool| boxes.iter().filter(|aabb| test(aabb)).count() as f64;
            let (x, y) = ([200.0, 600.0], [100.0, 900.0]);
            let within = |[low, high]: [f32; 2], edge: f32| (low..=high).contains(&edge);
            for (counted, truth) in [
                (sample.beginning_in(0, x), count(&|aabb| within(x, aabb[0]))),
                (sample.beginning_in(1, y), count(&|aabb| within(y, aabb[1]))),
                (sample.beginning_around([x, y]), count(&|aabb| within(x, aabb[0]) && within(y, aabb[1]))),
                (sample.beside(0, x), count(&|aabb| aabb[0] <= x[1] && aabb[2] >= x[0])),
            ] {
                assert!((counted - truth).abs() <= tolerance * truth, "{counted} {truth}");
            }
        }
    }

    #[test]
    fn extents_include_sides_that_were_not_sampled() {
        let sample = sample(&[[1.0, 7.0, 4.0, 8.0], [-3.0, 9.0, -2.5, 11.0]]);
        let extents = sample.extents([0.5, 6.0]).map(|Extent { min, max, side }| [min, max, side]);
        assert_eq!(extents, [[-3.0, 1.0, 3.0], [7.0, 9.0, 6.0]]);
    }

    #[test]
    fn bodies_are_filed_as_is_faster() {
        let filed = |bodies: &[RawAabb]| band(bodies, &[]).own_ns().1;
        assert_eq!(filed(&boxes(5000, SQUARE, |_| [20.0; 2])), Filed::InCells, "alike ones");
        let lines = |k: usize| if k.is_multiple_of(3) { [300.0, 0.1] } else { [0.1, 90.0] };
        let Filed::InRow { axis: 1, .. } = filed(&boxes(5000, SQUARE, lines)) else { panic!("lines") };
        // Equal cells would be crowded where most bodies are.
        let mut street = boxes(5000, [0.0, 0.0, 1000.0, 1.0], |_| [0.001; 2]);
        street.extend(boxes(500, SQUARE, |_| [0.001; 2]));
        let Filed::InRow { axis: 0, .. } = filed(&street) else { panic!("a street") };
    }

    #[test]
    fn crowded_bodies_are_found_in_a_tree() {
        let ns = |area: RawAabb| band(&boxes(5000, area, |_| [1.0; 2]), &[]).own_ns().0;
        let by_tree = 5000.0 * (packed_tree::BUILD_NS + packed_tree::OWN_SEARCH_NS);
        assert_eq!(ns([0.0; 4]), by_tree);
        assert!(ns(SQUARE) < 0.5 * by_tree);
    }

    #[test]
    fn ghosts_search_cells_or_a_tree_or_are_swept() {
        let bodies = boxes(5000, [0.0, 0.0, 1000.0, 100.0], |_| [1.0; 2]);
        let ns = |ghosts: &[RawAabb], filed: Filed| band(&bodies, ghosts).ghosts_ns(filed);
        let row = Filed::InRow { axis: 1, column: 0.1 };
        let above = vec![[0.0, 200.0, 1000.0, 300.0]; 100];
        assert_eq!((ns(&[], row), ns(&above, row)), (0.0, 100.0 * GHOST_ASIDE_NS));
        // As high as the band: each searches all of a row that divides y, and only cells beside it.
        let tall = |count: usize| boxes(count, [0.0, -1.0, 1000.0, 0.0], |_| [0.1, 200.0]);
        let all = SEARCH_NS + RUN_NS + VECTOR_NS / LANES * 5000.0;
        assert_eq!(ns(&tall(10), row), 10.0 * all);
        assert!(ns(&tall(10), Filed::InCells) < 10.0 * 0.2 * all);
        // A sweep pays for many of them.
        let swept = 5000.0 * SWEPT_BODY_NS + 1000.0 * SWEPT_GHOST_NS;
        assert!((swept..1.2 * swept).contains(&ns(&tall(1000), row)), "{} {swept}", ns(&tall(1000), row));
        // One that is as wide as the band searches, and fifteen are swept.
        let mut mixed = tall(15);
        mixed.push([0.0, 0.0, 1000.0, 100.0]);
        let ghosts = SampledBoxes::new(mixed.len(), mixed.iter().copied(), 60.0);
        let ns = SampledBand { ghosts, ..band(&bodies, &[]) }.ghosts_ns(row);
        let expected = 5000.0 * SWEPT_BODY_NS + 60.0 * (15.0 * SWEPT_GHOST_NS + all);
        assert!((expected..1.2 * expected).contains(&ns), "{ns} {expected}");
        // Many that are as high as the band and half as wide search a tree.
        let large = boxes(2000, [0.0, -1.0, 500.0, 0.0], |_| [500.0, 200.0]);
        let expected = 5000.0 * packed_tree::BUILD_NS + 2000.0 * packed_tree::SEARCH_NS;
        assert_eq!(band(&bodies, &large).ghosts_ns(row), expected);
    }

    #[test]
    fn a_ghost_is_tested_with_bodies_that_may_reach_it() {
        let bodies = boxes(200, [0.0, 0.0, 1000.0, 100.0], |_| [30.0, 5.0]);
        let band = band(&bodies, &[]);
        let tests = |[x, y]: [[f32; 2]; 2]| {
            let is_within = |aabb: &&RawAabb| (x[0]..=x[1]).contains(&aabb[0]) && (y[0]..=y[1]).contains(&aabb[1]);
            bodies.iter().filter(is_within).count() as f64
        };
        let (ghost, anywhere) = ([[400.0, 500.0], [40.0, 50.0]], [f32::NEG_INFINITY, f32::INFINITY]);
        // In a row from the columns that one before it reaches from, to the end of the last.
        let in_row = tests([[400.0 - 30.0 - 2.0, 502.0], anywhere]);
        let search = band.search_ns(ghost, Filed::InRow { axis: 0, column: 2.0 });
        assert_eq!(search, SEARCH_NS + RUN_NS + VECTOR_NS / LANES * in_row);
        // In cells, half a cell further.
        let in_cells = tests([[400.0 - 45.0, 515.0], [40.0 - 7.5, 52.5]]);
        let search = band.search_ns(ghost, Filed::InCells) - VECTOR_NS / LANES * in_cells - SEARCH_NS;
        assert!((2.0 * RUN_NS..8.0 * RUN_NS).contains(&search), "{search}");
    }
}
