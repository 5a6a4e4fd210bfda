//! Plans a step from a sample of its rows.
//!
//! A plan is a pure function of the rows and the settings. It changes what a step costs and the
//! order of its pairs, never which pairs there are.
//!
//! Cost: O(s log s) for a sample of s rows, s at most [`SAMPLE_MAX`].

use crate::geometry::RawAabb;
use crate::geometry::band_box::BandAxes;
use crate::memory::buffers::{buffers, part_start};
use crate::memory::radix::{by_value, number_of, sort_by_values};
use crate::simd::{DetectedSimd, SimdRows};
use crate::tier::point_grid::band::equal_cells::CellSize;
use crate::tier::point_grid::band_count::bands_for;
use crate::tier::point_grid::orientation::ClassSample;
use crate::tier::point_grid::plan::{DivisionBuffers, GridPlan};
use crate::tier::point_grid::rooms::NO_BAND;
use crate::tier::point_grid::sampled_strips::divides_better_by_x;
use crate::tier::point_grid::size_classes::single_class::single_class;
use crate::tier::point_grid::size_classes::size_sample::{SizeSample, longest_side};
use crate::tier::point_grid::size_classes::{ClassOptions, SideLimits, choose_classes};
use std::ops::Range;

// Borders are values of the sample, along and across, and each band has two destinations: so the
// numbers of bands and of destinations are below `NO_BAND`.
const _: () = assert!(4 * SAMPLE_MAX < NO_BAND as usize);

/// Most rows in a sample: enough for sixty bands of even population, at about a percent of a step.
const SAMPLE_MAX: usize = 4096;
/// Fewest rows in a sample, if there are as many.
const SAMPLE_MIN: usize = 256;
/// One row in this many is sampled, between both limits.
const SAMPLE_RATE: usize = 128;

/// Adjacent rows that are sampled together: they share cache lines, and a sample costs its misses.
const GROUP: usize = 8;

/// Makes plans, in buffers that are reused.
#[derive(Debug, Default)]
pub(super) struct Planner {
    plan: GridPlan,
    sample: Vec<RawAabb>,
    /// While the sample is sorted.
    sorted: Vec<RawAabb>,
    keys: Vec<u64>,
    spare_keys: Vec<u64>,
    sides: Vec<f32>,
    size_sample: SizeSample,
    division: DivisionBuffers,
}

buffers!(Planner {
    leveled: plan, sample, sorted, keys, spare_keys, sides, size_sample, division;
    own: ;
    plain: ;
});

impl Planner {
    /// The last plan.
    pub(super) fn plan(&self) -> &GridPlan {
        &self.plan
    }

    /// Plans the filing of these rows.
    pub(super) fn rebuild(&mut self, rows: &dyn SimdRows, options: ClassOptions<'_>, level: DetectedSimd) {
        let groups = (rows.len() / SAMPLE_RATE).clamp(SAMPLE_MIN, SAMPLE_MAX).min(rows.len()).div_ceil(GROUP);
        take_sample(rows, level, groups, &mut self.sample);
        let single = if options.bounds.is_empty() {
            single_class(&self.sample, rows.len(), options, &mut self.sides)
        } else {
            None
        };
        if single.is_none_or(|single| !single.all_alike) {
            self.sort_sample();
        }
        let side_limits = match single {
            Some(single) => SideLimits::from_slice(&[single.limit]),
            None => choose_classes(&self.sample, rows.len(), options, &mut self.size_sample),
        };
        self.lay_out(&side_limits, rows.len(), options);
    }

    /// Plans size classes up to the given limits, and their bands.
    fn lay_out(&mut self, side_limits: &[f32], row_count: usize, options: ClassOptions<'_>) {
        self.plan.clear();
        let (mut from, weight) = (0, self.sample.len().max(1));
        for &side_max in side_limits {
            let to = from + self.sample[from..].partition_point(|aabb| longest_side(aabb) <= side_max);
            let population = part_start(to - from, row_count, weight);
            let (members, larger) = self.sample[from..].split_at_mut(to - from);
            let class = ClassSample { members, larger, population, smaller: self.plan.classes().len() };
            let short = match options {
                ClassOptions { bounds: [_, ..], .. } => None,
                ClassOptions { cell_size: CellSize::ForSearches, .. } => class.short_boxes_to_search(),
                _ => class.short_boxes(bands_for),
            };
            let mut sides_max = [side_max; 2];
            let mut axis = None;
            if let Some(short) = short {
                // Neighbors search the same bands of both classes if these divide the same axis.
                let common = || usize::from(!divides_better_by_x(members, larger, bands_for(population)));
                axis = matches!(options.cell_size, CellSize::ForSearches).then(common);
                let middle = from + put_first(members, |aabb| short.contains(aabb));
                sides_max[short.axis] = short.side_max;
                self.add_class(sides_max, from..middle, row_count, axis.or(Some(short.axis)));
                (from, sides_max) = (middle, [side_max; 2]);
            }
            self.add_class(sides_max, from..to, row_count, axis);
            from = to;
        }
    }

    /// Adds a class, whose rows of the sample are those in `members`. Its bands divide the given
    /// axis, or one that is chosen.
    fn add_class(&mut self, sides_max: [f32; 2], members: Range<usize>, row_count: usize, axis: Option<usize>) {
        let bands = bands_for(part_start(members.len(), row_count, self.sample.len().max(1)));
        let by_x = match axis {
            Some(axis) => axis == 0,
            None => {
                let (members, larger) = self.sample[members.start..].split_at(members.len());
                bands > 1 && divides_better_by_x(members, larger, bands)
            }
        };
        let Self { plan, sample, division, .. } = self;
        plan.add_class(sides_max, BandAxes::new(by_x), &sample[members], bands, division);
    }

    /// Sorts the sample by longest side.
    fn sort_sample(&mut self) {
        let Self { sample, sorted, keys, spare_keys, .. } = self;
        keys.clear();
        keys.extend((0..).zip(&*sample).map(|(number, aabb)| by_value(longest_side(aabb), number)));
        sort_by_values(keys, spare_keys);
        sorted.clear();
        sorted.extend(keys.iter().map(|&key| sample[number_of(key) as usize]));
        std::mem::swap(sample, sorted);
    }
}

/// Samples groups of adjacent rows at even distances, each moved by a hash, so that a pattern in
/// the order of rows does not repeat with the groups.
fn take_sample(rows: &dyn SimdRows, level: DetectedSimd, groups: usize, sample: &mut Vec<RawAabb>) {
    sample.clear();
    // A box that was moved beyond all floats has a side that is NaN, which the longest side
    // ignores.
    let is_finite = |[x0, y0, x1, y1]: &RawAabb| (x1 - x0).is_finite() & (y1 - y0).is_finite();
    let mut add = |boxes: &[RawAabb]| sample.extend(boxes.iter().filter(|aabb| is_finite(aabb)));
    for k in 0..groups {
        let (from, to) = (part_start(k, rows.len(), groups), part_start(k + 1, rows.len(), groups));
        let spare = (to - from).saturating_sub(GROUP);
        // Fibonacci hashing (Knuth, The Art of Computer Programming, volume 3, 6.4).
        let jitter = (k as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        let from = from + ((jitter * (spare + 1) as u64) >> 32) as usize;
        let group = from..to.min(from + GROUP);
        let mut boxes = [[0.0; 4]; GROUP];
        let boxes = &mut boxes[..group.len()];
        // Read without a branch, the groups do not wait for each other's cache misses.
        if rows.read_with(level, group.clone(), boxes) {
            add(boxes);
        } else {
            group.filter_map(|row| rows.checked_box(row).ok()).for_each(|aabb| add(&[aabb]));
        }
    }
}

/// Moves the rows that pass a test before the others, and returns how many there are.
fn put_first(rows: &mut [RawAabb], test: impl Fn(&RawAabb) -> bool) -> usize {
    let mut first = 0;
    for k in 0..rows.len() {
        if test(&rows[k]) {
            rows.swap(k, first);
            first += 1;
        }
    }
    first
}
