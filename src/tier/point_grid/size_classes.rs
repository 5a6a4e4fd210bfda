//! Chooses which sizes of bodies share a point grid.
//!
//! One grid suits sizes within a factor of a few: its cells must be as wide as its largest box, and
//! a small body is tested against everything in such a cell. A second grid costs a search of the
//! first grid for each of its bodies. The cheaper choice is estimated in nanoseconds from a sample:
//! size classes are added one by one, at the best border, while the estimate falls.

#[cfg(test)]
mod tests;

use crate::geometry::RawAabb;
use crate::memory::buffers::{buffers, plain_buffers};
use crate::memory::radix::{by_value, number_of};
use crate::tier::point_grid::axis::SLACK;
use smallvec::SmallVec;

/// The longest side that each size class takes, ascending.
pub(super) type SideLimits = SmallVec<[f32; 8]>;

/// Rows of the sample that the estimate is computed from. Larger boxes that are rarer than one in
/// this many become oversized.
const THINNED: usize = 256;

/// Most classes that are chosen: more than four did not pay in any scene.
const CLASSES_MAX: usize = 4;

/// Borders that are tried, evenly over the sample from its largest boxes down.
const BORDERS_TRIED: usize = 24;

/// Sizes up to this many times the median are one class, without an estimate.
const ALIKE: f32 = 3.0;

/// Up to this many bodies of other sizes are oversized without an estimate, which would take longer
/// than searching for them.
const FEW_OVERSIZED: usize = 64;

/// A size is an outlier if it is more than this many times the largest of all but a few sizes.
const OUTLIER: f32 = 8.0;

// Measured costs, in nanoseconds.

/// A vector of box tests.
const VECTOR_NS: f64 = 2.5;
/// A search of a grid.
const SEARCH_NS: f64 = 40.0;
/// A run of cells in a search.
const RUN_NS: f64 = 4.0;
/// An oversized body.
const OVERSIZED_NS: f64 = 110.0;
/// A box test of an oversized body.
const OVERSIZED_TEST_NS: f64 = 1.5;
/// A class, besides its bodies.
pub(super) const CLASS_NS: f64 = 20_000.0;

/// Box tests in a vector.
const LANES: f64 = 8.0;

/// The largest class contains at least one body in this many; a smaller one does not repay its
/// grid.
const CLASS_ONE_IN: usize = 64;

/// A further class, or a tier for oversized bodies, must lower the estimate to this fraction.
const FURTHER_COST_MAX: f64 = 0.95;

/// Most ghosts of a body; one that would have more is oversized. This bounds the copies that a
/// partition makes.
pub(super) const GHOSTS_MAX: usize = 8;

/// Requirements on the size classes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClassOptions<'a> {
    /// Largest half-extent of each class; empty to derive the classes from the sample.
    pub(crate) bounds: &'a [f32],
    /// Whether there is a tier for oversized boxes. Without one, the classes take all but about a
    /// percent of the sample.
    pub(crate) has_oversized_tier: bool,
    /// Whether the boxes are only searched for others, not for pairs among themselves.
    pub(crate) only_searched: bool,
}

/// The longer side of a box; infinite if an edge is.
#[inline(always)]
pub(super) fn longest_side(aabb: &RawAabb) -> f32 {
    (aabb[2] - aabb[0]).max(aabb[3] - aabb[1])
}

/// The limit of the one class that suits all sizes of a sample, or all but a few that may be
/// oversized; `None` if they differ too much.
///
/// `sides` is a reused buffer.
pub(super) fn single_class(
    sample: &[RawAabb],
    population: usize,
    options: ClassOptions<'_>,
    sides: &mut Vec<f32>,
) -> Option<SingleClass> {
    sides.clear();
    sides.extend(sample.iter().map(longest_side));
    let middle = sides.len() / 2;
    let (_, &mut median, _) = (!sides.is_empty()).then(|| sides.select_nth_unstable_by(middle, f32::total_cmp))?;
    let (mut inside, mut outside, mut others) = (0.0f32, f32::INFINITY, 0);
    for &side in &*sides {
        if side <= ALIKE * median {
            inside = inside.max(side);
        } else {
            (outside, others) = (outside.min(side), others + 1);
        }
    }
    let few = if options.has_oversized_tier { FEW_OVERSIZED * sample.len() / population.max(1) } else { 0 };
    let limit = if others == 0 { with_headroom(inside) } else { limit_between(inside, outside) };
    (others <= few).then_some(SingleClass { limit, all_alike: others == 0 })
}

/// The one class of most bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SingleClass {
    pub(super) limit: f32,
    /// Whether no row of the sample is larger.
    pub(super) all_alike: bool,
}

/// A limit between neighboring sizes of a sample, for rows that were not sampled.
pub(super) fn limit_between(inside: f32, outside: f32) -> f32 {
    (inside * 1.25).min(inside + (outside - inside) * 0.5).min(f32::MAX)
}

/// A limit above the largest size of a sample, for rows that were not sampled.
///
/// Finite, so that infinite boxes are oversized.
fn with_headroom(largest: f32) -> f32 {
    (largest * 1.5).min(f32::MAX)
}

/// The classes for a sample sorted by longest side. Boxes above the last limit are oversized.
pub(super) fn choose_classes(
    sorted: &[RawAabb],
    population: usize,
    options: ClassOptions<'_>,
    sample: &mut SizeSample,
) -> SideLimits {
    let ClassOptions { bounds, has_oversized_tier, .. } = options;
    if !bounds.is_empty() {
        return given_classes(sorted, bounds);
    }
    if sorted.is_empty() {
        return SideLimits::from_slice(&[f32::MAX]);
    }
    sample.rebuild(sorted, population);
    let mut known = KnownCosts::new();
    let mut borders = Borders::new();
    borders.push(sample.rows.len());
    let mut cost = sample.cost(&borders, &mut known);
    while borders.len() < CLASSES_MAX
        && let most = cost * FURTHER_COST_MAX
        && let Some((less, better)) = sample.best_extension(&borders, has_oversized_tier, most, &mut known)
    {
        (cost, borders) = (less, better);
    }
    limits_at(&sample.rows, &borders)
}

/// Classes with the caller's bounds: twice the half-extent, and what rounding may add to a box at
/// the coordinates of the sample.
fn given_classes(sorted: &[RawAabb], bounds: &[f32]) -> SideLimits {
    let far = sorted.iter().flatten().fold(0.0f32, |far, edge| far.max(edge.abs()));
    bounds.iter().map(|bound| (2.0 * bound + far * f32::EPSILON * 2.0).min(f32::MAX)).collect()
}

/// The end of each class in the sorted sample. Rows after the last are oversized.
type Borders = SmallVec<[usize; CLASSES_MAX]>;

fn limits_at(rows: &[SampleRow], borders: &Borders) -> SideLimits {
    let limit = |&border: &usize| {
        let inside = rows[border - 1].side;
        match rows.get(border) {
            Some(outside) => limit_between(inside, outside.side),
            None => with_headroom(inside),
        }
    };
    borders.iter().map(limit).collect()
}

/// A row of the thinned sample.
#[derive(Clone, Copy, Debug)]
struct SampleRow {
    side: f32,
    /// The region of the world that it lies in.
    region: u8,
}

/// Some rows of the sample: a class, or those from a border on that are oversized.
#[derive(Clone, Copy)]
enum Part {
    Class { from: usize, to: usize },
    Oversized { from: usize },
}

/// The parts that borders divide the sample into.
fn parts(borders: &Borders) -> impl Iterator<Item = Part> + Clone {
    let starts = [0].into_iter().chain(borders.iter().copied());
    let classes = starts.zip(borders).map(|(from, &to)| Part::Class { from, to });
    classes.chain(borders.last().map(|&from| Part::Oversized { from }))
}

/// The costs of parts that were estimated: most candidates have all but one or two in common.
struct KnownCosts {
    /// By the places of both ends in [`SizeSample::counted`].
    classes: [[Option<f64>; COUNTED]; COUNTED],
    /// By that of the first border.
    oversized: [Option<f64>; COUNTED],
}

impl KnownCosts {
    fn new() -> Self {
        Self { classes: [[None; COUNTED]; COUNTED], oversized: [None; COUNTED] }
    }

    fn of(&mut self, part: Part, sample: &SizeSample) -> &mut Option<f64> {
        let place = |border: usize| usize::from(sample.counted[border]);
        match part {
            Part::Class { from, to } => &mut self.classes[place(from)][place(to)],
            Part::Oversized { from } => &mut self.oversized[place(from)],
        }
    }
}

/// Regions along an axis.
const REGIONS: usize = 4;

/// No region is smaller, so that densities are finite.
const EXTENT_MIN: f64 = 1e-100;

/// A value for each region of the world.
type PerRegion<T> = [T; REGIONS * REGIONS];

/// The rows before a border, by region.
#[derive(Clone, Copy, Debug, Default)]
struct RowsBefore {
    counts: PerRegion<f64>,
    /// The sides of the last rows, which are the largest.
    largest: PerRegion<f64>,
}

/// The rows from a border on, by region.
#[derive(Clone, Copy, Debug, Default)]
struct RowsAfter {
    counts: PerRegion<f64>,
    /// The sums of their sides, and of the squares of these.
    sides: PerRegion<f64>,
    squares: PerRegion<f64>,
}

/// Most borders that rows are counted at: those that are tried, and both ends.
const COUNTED: usize = BORDERS_TRIED + 2;

/// What the estimate of costs knows about the bodies.
#[derive(Debug, Default)]
pub(super) struct SizeSample {
    /// The boxes of the rows.
    thinned: Vec<RawAabb>,
    /// By ascending side.
    rows: Vec<SampleRow>,
    /// While the rows are sorted by place.
    keys: Vec<u64>,
    /// The borders that are tried, from the largest rows down.
    tried: Vec<usize>,
    /// By border: where it is in `before` and `after`.
    counted: Vec<u8>,
    before: Vec<RowsBefore>,
    after: Vec<RowsAfter>,
    /// Bodies per row.
    weight: f64,
    /// For each row in a region, its bodies per area; and for rows anywhere.
    densities: PerRegion<f64>,
    mean_density: f64,
    /// By region: how wide and how high the world is if all regions are like it. A cell that is
    /// larger has no more bodies.
    cells_max: [PerRegion<f64>; 2],
}

plain_buffers!(SampleRow, RowsBefore, RowsAfter);
buffers!(SizeSample {
    leveled: thinned, rows, keys, tried, counted, before, after;
    own: ;
    plain: weight, densities, mean_density, cells_max;
});

impl SizeSample {
    /// Thins the sorted sample, and divides the world into regions of equal population: strips by
    /// y, each divided by x. The regions show how dense the world is, and which sizes occur
    /// together.
    fn rebuild(&mut self, sorted: &[RawAabb], population: usize) {
        let Self { thinned, rows, keys, .. } = self;
        let count = sorted.len().min(THINNED);
        thinned.clear();
        thinned.extend((0..count).map(|k| sorted[(2 * k + 1) * sorted.len() / (2 * count)]));
        rows.clear();
        rows.extend(thinned.iter().map(|aabb| SampleRow { side: longest_side(aabb), region: 0 }));
        let mut extents = [[EXTENT_MIN; REGIONS * REGIONS]; 2];
        // Lower edges would put large boxes and small ones in one place into different regions.
        let center = |k: usize, axis: usize| 0.5 * thinned[k][axis] + 0.5 * thinned[k][axis + 2];
        let of_key = |key: u64, axis: usize| center(number_of(key) as usize, axis);
        // From the first to the last of some sorted rows.
        let spread = |keys: &[u64], axis: usize| {
            let extent = f64::from(of_key(keys[keys.len() - 1], axis)) - f64::from(of_key(keys[0], axis));
            extent.max(EXTENT_MIN)
        };
        keys.clear();
        keys.extend((0..count).map(|k| by_value(center(k, 1), k as u32)));
        keys.sort_unstable();
        for (i, strip) in keys.chunks_mut(count.div_ceil(REGIONS)).enumerate() {
            let height = spread(strip, 1);
            strip.iter_mut().for_each(|key| *key = by_value(of_key(*key, 0), number_of(*key)));
            strip.sort_unstable();
            for (j, members) in strip.chunks(strip.len().div_ceil(REGIONS)).enumerate() {
                let region = i * REGIONS + j;
                (extents[0][region], extents[1][region]) = (spread(members, 0), height);
                members.iter().for_each(|&key| rows[number_of(key) as usize].region = region as u8);
            }
        }
        let weight = population as f64 / count as f64;
        let areas: PerRegion<f64> = std::array::from_fn(|region| extents[0][region] * extents[1][region]);
        self.weight = weight;
        self.densities = areas.map(|area| weight / area);
        self.mean_density = weight / areas.iter().sum::<f64>();
        self.cells_max = extents.map(|extents| extents.map(|extent| extent * REGIONS as f64));
        self.count_rows();
    }

    /// Chooses the borders to be tried, and counts the rows on both sides of each.
    fn count_rows(&mut self) {
        let Self { rows, tried, counted, before, after, .. } = self;
        let len = rows.len();
        tried.clear();
        // Dense near the largest: 1, 2, 3, 5, .. rows from the end.
        let factor = libm::pow(len as f64, 1.0 / (BORDERS_TRIED + 1) as f64);
        let mut from_end = 1.0;
        for _ in 0..BORDERS_TRIED {
            from_end *= factor;
            let border = len - (from_end as usize).clamp(1, len);
            if border > 0 && tried.last() != Some(&border) {
                tried.push(border);
            }
        }
        counted.clear();
        counted.resize(len + 1, 0);
        before.clear();
        before.resize(tried.len() + 2, RowsBefore::default());
        after.clear();
        after.resize(tried.len() + 2, RowsAfter::default());
        let mut from = 0;
        let mut rows_before = RowsBefore::default();
        for (place, &border) in [len].iter().chain(&*tried).rev().enumerate() {
            for row in &rows[from..border] {
                rows_before.counts[usize::from(row.region)] += 1.0;
                rows_before.largest[usize::from(row.region)] = f64::from(row.side);
            }
            (before[place + 1], counted[border], from) = (rows_before, place as u8 + 1, border);
        }
        let mut to = len;
        let mut rows_after = RowsAfter::default();
        for &border in tried.iter().chain(&[0]) {
            for row in &rows[border..to] {
                let (region, side) = (usize::from(row.region), f64::from(row.side));
                rows_after.counts[region] += 1.0;
                rows_after.sides[region] += side;
                rows_after.squares[region] += side * side;
            }
            (after[usize::from(counted[border])], to) = (rows_after, border);
        }
    }

    /// The cheapest way to add one border, if it costs less than `most`: with a class above it, or
    /// with everything above it oversized. Without a tier for oversized boxes, only few may become
    /// oversized.
    fn best_extension(
        &self,
        borders: &Borders,
        has_oversized_tier: bool,
        most: f64,
        known: &mut KnownCosts,
    ) -> Option<(f64, Borders)> {
        let len = self.rows.len();
        let mut best: Option<(f64, Borders)> = None;
        for &border in self.tried.iter().filter(|border| !borders.contains(border)) {
            let mut with_class = borders.clone();
            with_class.push(border);
            with_class.sort_unstable();
            let with_oversized: Borders = with_class.iter().copied().filter(|&end| end <= border).collect();
            let last_start = with_class.len().checked_sub(2).map_or(0, |before| with_class[before]);
            let last_is_rare = (with_class[with_class.len() - 1] - last_start) * CLASS_ONE_IN < len;
            let may_be_oversized = has_oversized_tier || (len - border) * CLASS_ONE_IN < len;
            let with_class = Some(with_class).filter(|_| !last_is_rare || !may_be_oversized);
            let with_oversized = Some(with_oversized).filter(|_| may_be_oversized);
            for candidate in [with_class, with_oversized].into_iter().flatten() {
                let most = best.as_ref().map_or(most, |(least, _)| *least);
                // Where a class costs much per body, as in small worlds, this saves most estimates.
                if self.least_cost(&candidate, known) > most {
                    continue;
                }
                let cost = self.cost(&candidate, known);
                if cost < most {
                    best = Some((cost, candidate));
                }
            }
        }
        best
    }

    /// Estimated nanoseconds of a step, divided by the number of bodies that a row of the sample
    /// stands for, without the cost that all choices share.
    fn cost(&self, borders: &Borders, known: &mut KnownCosts) -> f64 {
        let estimate = |part: Part| match part {
            Part::Class { from, to } => self.class_cost(from, to),
            Part::Oversized { from } => self.oversized_cost(from),
        };
        parts(borders).map(|part| *known.of(part, self).get_or_insert_with(|| estimate(part))).sum()
    }

    /// A lower bound of the cost: what is known of it, and what other parts cost at least.
    fn least_cost(&self, borders: &Borders, known: &mut KnownCosts) -> f64 {
        let rows_after = |border: usize| (self.rows.len() - border) as f64;
        let least = |part: Part| match part {
            Part::Class { from, to } => {
                let own = (to - from) as f64 * 2.0 * VECTOR_NS;
                CLASS_NS / self.weight + own + rows_after(to) * SEARCH_NS
            }
            Part::Oversized { from } => rows_after(from) * OVERSIZED_NS,
        };
        parts(borders).map(|part| known.of(part, self).unwrap_or_else(|| least(part))).sum()
    }

    /// For the rows from one border to another, by region: how many there are, and bodies per area.
    fn by_region(&self, from: usize, to: usize) -> [PerRegion<f64>; 2] {
        let [before, through] = [from, to].map(|border| &self.before[usize::from(self.counted[border])]);
        let members = std::array::from_fn(|region| through.counts[region] - before.counts[region]);
        // Too few rows say nothing about single regions.
        if to - from < REGIONS * REGIONS {
            return [members, [(to - from) as f64 * self.mean_density; REGIONS * REGIONS]];
        }
        [members, std::array::from_fn(|region| members[region] * self.densities[region])]
    }

    /// Cost of the oversized rows: a search each, and a box test for everything around.
    fn oversized_cost(&self, from: usize) -> f64 {
        let [rows, densities] = self.by_region(from, self.rows.len());
        let squares = &self.after[usize::from(self.counted[from])].squares;
        let costs: PerRegion<f64> = std::array::from_fn(|region| {
            rows[region] * OVERSIZED_NS + 9.0 * squares[region] * densities[region] * OVERSIZED_TEST_NS
        });
        costs.iter().sum()
    }

    /// Cost of a class: its own pairs, and a search for each larger row of the same region.
    fn class_cost(&self, from: usize, to: usize) -> f64 {
        let classed = &self.rows[from..to];
        // A few outliers represent many more that were not sampled, in any region.
        let (largest, usual) = (classed[classed.len() - 1].side, classed[classed.len() - 1 - classed.len() / 64].side);
        let anywhere = if largest > OUTLIER * usual { f64::from(largest) } else { 0.0 };
        let [members, densities] = self.by_region(from, to);
        let sides = &self.before[usize::from(self.counted[to])].largest;
        let larger = &self.after[usize::from(self.counted[to])];
        let mut costs = PerRegion::<f64>::default();
        // Without a branch, so that the loop is vectorized.
        for (region, cost) in costs.iter_mut().enumerate() {
            let (members, density, searches) = (members[region], densities[region], larger.counts[region]);
            let cell = (sides[region].max(anywhere) * f64::from(SLACK)).max((2.8 / density).sqrt());
            let taken = cell.min(self.cells_max[0][region]) * cell.min(self.cells_max[1][region]);
            let tests = taken * density / LANES;
            let own_pairs = members * VECTOR_NS * ((1.5 * tests).max(1.0) + (3.0 * tests).max(1.0));
            // A larger row takes as many cells across as its side has, and two more. Summed over
            // the rows: these cells, and their squares. Searches are not bounded by the world: if
            // rows as long as the world seemed cheap to search for, there would be many classes,
            // and such rows would be searched for in each.
            let in_cells = 1.0 / cell;
            let sides = larger.sides[region] * in_cells;
            let across = sides + 2.0 * searches;
            let squares = larger.squares[region] * in_cells * in_cells + 4.0 * sides + 4.0 * searches;
            let per_cell = cell * cell * density / LANES;
            let found = own_pairs + RUN_NS * across + VECTOR_NS * per_cell * squares;
            *cost = searches * SEARCH_NS + if members > 0.0 { found } else { 0.0 };
        }
        costs.iter().sum::<f64>() + CLASS_NS / self.weight
    }
}
