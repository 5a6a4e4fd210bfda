//! Chooses which sizes of bodies share a point grid.
//!
//! One grid suits sizes within a factor of a few: its cells must be as wide as its largest box, and
//! a small body is tested against everything in such a cell. A second grid costs a search of the
//! first grid for each of its bodies. The cheaper choice is estimated in nanoseconds from a sample:
//! size classes are added one by one, at the best border, while the estimate falls.

mod rows_beside;
pub(super) mod single_class;
pub(super) mod size_sample;
#[cfg(test)]
mod tests;

use crate::geometry::RawAabb;
use crate::tier::point_grid::axis::SLACK;
use crate::tier::point_grid::band::cell_searches::{LANES, TEST_NS, VECTOR_NS};
use crate::tier::point_grid::band::equal_cells::CellSize;
use crate::tier::point_grid::size_classes::rows_beside::RowsBeside;
use crate::tier::point_grid::size_classes::size_sample::{COUNTED, PerRegion, SampleRow, SizeSample};
use smallvec::SmallVec;

/// The longest side that each size class takes, ascending.
pub(super) type SideLimits = SmallVec<[f32; 8]>;

/// Most classes that are chosen: more than four did not pay in any scene.
const CLASSES_MAX: usize = 4;

/// A size is an outlier if it is more than this many times the largest of all but a few sizes.
const OUTLIER: f32 = 8.0;

// Measured costs, in nanoseconds.

/// A search of a grid.
const SEARCH_NS: f64 = 40.0;
/// A run of cells in a search.
const RUN_NS: f64 = 4.0;

/// A body in a band whose cells would be crowded, without its tests, and a search of that band.
/// Such a band has fine columns, or is swept: bodies of many sizes may share it.
const CROWDED_BODY_NS: f64 = 25.0;
const CROWDED_SEARCH_NS: f64 = 60.0;
/// Most that a body takes there: with more tests, the band is packed into a tree.
const CROWDED_BODY_NS_MAX: f64 = 90.0;

/// An oversized body.
const OVERSIZED_NS: f64 = 110.0;
/// A box test of an oversized body.
const OVERSIZED_TEST_NS: f64 = 1.5;
/// A class, besides its bodies.
const CLASS_NS: f64 = 20_000.0;

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
    /// What the cells of its bands are for.
    pub(crate) cell_size: CellSize,
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
    let ClassOptions { bounds, has_oversized_tier, cell_size } = options;
    if !bounds.is_empty() {
        return given_classes(sorted, bounds);
    }
    if sorted.is_empty() {
        return SideLimits::from_slice(&[f32::MAX]);
    }
    sample.rebuild(sorted, population, cell_size);
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
    /// By the [places](SizeSample::place) of both ends.
    classes: [[Option<f64>; COUNTED]; COUNTED],
    /// By that of the first border.
    oversized: [Option<f64>; COUNTED],
    /// Counted once a class may be crowded.
    beside: Option<RowsBeside>,
}

impl KnownCosts {
    fn new() -> Self {
        Self { classes: [[None; COUNTED]; COUNTED], oversized: [None; COUNTED], beside: None }
    }

    fn of(&mut self, part: Part, sample: &SizeSample) -> &mut Option<f64> {
        match part {
            Part::Class { from, to } => &mut self.classes[sample.place(from)][sample.place(to)],
            Part::Oversized { from } => &mut self.oversized[sample.place(from)],
        }
    }
}

impl SizeSample {
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
        let mut cost = |part: Part| {
            if let Some(cost) = *known.of(part, self) {
                return cost;
            }
            let cost = match part {
                Part::Class { from, to } => self.class_cost(from, to, &mut known.beside),
                Part::Oversized { from } => self.oversized_cost(from),
            };
            *known.of(part, self) = Some(cost);
            cost
        };
        parts(borders).map(&mut cost).sum()
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

    /// Cost of the oversized rows: a search each, and a box test for everything around.
    fn oversized_cost(&self, from: usize) -> f64 {
        let [rows, densities] = self.by_region(from, self.rows.len());
        let squares = &self.rows_after(from).squares;
        let costs: PerRegion<f64> = std::array::from_fn(|region| {
            rows[region] * OVERSIZED_NS + 9.0 * squares[region] * densities[region] * OVERSIZED_TEST_NS
        });
        costs.iter().sum()
    }

    /// Cost of a class: its own pairs, and a search for each larger row of the same region.
    fn class_cost(&self, from: usize, to: usize, beside: &mut Option<RowsBeside>) -> f64 {
        let classed = &self.rows[from..to];
        // A few outliers represent many more that were not sampled, in any region.
        let (largest, usual) = (classed[classed.len() - 1].side, classed[classed.len() - 1 - classed.len() / 64].side);
        let anywhere = if largest > OUTLIER * usual { f64::from(largest) } else { 0.0 };
        let [members, densities] = self.by_region(from, to);
        let [widths, heights] = &self.rows_before(to).largest;
        let larger = self.rows_after(to);
        let mut costs = PerRegion::<f64>::default();
        // Without a branch, so that the loop is vectorized.
        for (region, cost) in costs.iter_mut().enumerate() {
            let (members, density, searches) = (members[region], densities[region], larger.counts[region]);
            // A cell has a few bodies, and is as wide as the widest and as high as the highest.
            let least = (2.8 / density).sqrt();
            let width = (widths[region].max(anywhere) * f64::from(SLACK)).max(least);
            let height = (heights[region].max(anywhere) * f64::from(SLACK)).max(least);
            let taken = width.min(self.world_sides[0][region]) * height.min(self.world_sides[1][region]);
            let vectors = taken * density / LANES;
            let own_pairs = members * VECTOR_NS * ((1.5 * vectors).max(1.0) + (3.0 * vectors).max(1.0));
            // On each axis, a larger row takes as many cells as its side has, and two more. Summed
            // over the rows: all their cells, and the runs of these, in the mean of both axes, as
            // either may be that of runs. Searches are not bounded by the world: if rows as long
            // as the world seemed cheap to search for, there would be many classes, and such rows
            // would be searched for in each.
            let sides = larger.sides[0][region] / width + larger.sides[1][region] / height;
            let runs = 0.5 * sides + 2.0 * searches;
            let cells = larger.areas[region] / (width * height) + 2.0 * sides + 4.0 * searches;
            let vectors_per_cell = width * height * density / LANES;
            let pairs_ns = own_pairs + RUN_NS * runs + VECTOR_NS * vectors_per_cell * cells;
            *cost = searches * SEARCH_NS + if members > 0.0 { pairs_ns } else { 0.0 };
        }
        let in_cells: f64 = costs.iter().sum();
        let if_crowded =
            |body_ns: f64| body_ns * classed.len() as f64 + CROWDED_SEARCH_NS * (self.rows.len() - to) as f64;
        let mut cost = in_cells;
        if self.may_have_fine_columns && if_crowded(CROWDED_BODY_NS) < in_cells {
            // A body is tested with half of those beside it.
            let tests = 0.5 * beside.get_or_insert_with(|| RowsBeside::new(self)).mean(self, from, to);
            cost = cost.min(if_crowded((CROWDED_BODY_NS + tests * TEST_NS).min(CROWDED_BODY_NS_MAX)));
        }
        cost + CLASS_NS / self.weight
    }
}
