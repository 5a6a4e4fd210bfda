//! The plan of a step: its size classes, and the bands of each, from a sample of its own rows.
//!
//! A plan is a pure function of the rows and the settings. It changes what a step costs and the
//! order of its pairs, never which pairs there are.
//!
//! Cost: O(s log s) for a sample of s rows, s at most [`SAMPLE_MAX`].

use crate::geometry::RawAabb;
use crate::geometry::band_box::BandAxes;
use crate::input::rows::BoxSource;
use crate::memory::buffers::{buffers, part_start, plain_buffers};
use crate::memory::radix::{FloatSort, by_value, number_of, sort_by_values};
use crate::simd::DetectedSimd;
use crate::tier::point_grid::band::equal_cells::CellSize;
use crate::tier::point_grid::band_borders::BandBorders;
use crate::tier::point_grid::band_count::bands_for;
use crate::tier::point_grid::orientation::ClassSample;
use crate::tier::point_grid::sampled_strips::divides_better_by_x;
use crate::tier::point_grid::size_classes::single_class::single_class;
use crate::tier::point_grid::size_classes::size_sample::{SizeSample, longest_side};
use crate::tier::point_grid::size_classes::{ClassOptions, SideLimits, choose_classes};
use std::ops::Range;

/// Most rows in a sample: enough for sixty bands of even population, at about a percent of a step.
const SAMPLE_MAX: usize = 4096;
/// Fewest rows in a sample, if there are as many.
const SAMPLE_MIN: usize = 256;
/// One row in this many is sampled, between both limits.
const SAMPLE_RATE: usize = 128;

/// Adjacent rows that are sampled together: they share cache lines, and a sample costs its misses.
const GROUP: usize = 8;

/// A strip with this many times its share of the bodies is divided across.
const HEAVY: usize = 2;

/// Least distance of borders, of strips and of the bands across a strip, as a multiple of the mean
/// side of bodies: many bodies of other bands would reach into a thinner one.
const SIDES_APART: f32 = 12.0;

/// If borders that are so far apart leave fewer bands than this share of those that are wanted,
/// they may be at any distance.
const BANDS_KEPT: f64 = 0.75;

/// A size class: a point grid for bodies up to a size.
///
/// Borders divide one axis into strips. A strip is a band, unless so many bodies begin at about one
/// coordinate that borders cannot part them: then it is divided into bands across the other axis.
#[derive(Debug, Default)]
pub(super) struct SizeClass {
    /// The longest sides of a box that it takes, along x and y, in world units.
    pub(super) sides_max: [f32; 2],
    /// Exchanged if its strips divide x instead of y.
    pub(super) axes: BandAxes,
    /// The borders of the strips.
    pub(super) borders: BandBorders,
    /// By strip; empty if each strip is a band.
    strips: Vec<Strip>,
    /// The borders of the divided strips; there may be unused ones after them.
    across: Vec<BandBorders>,
    /// Index of its first band among the bands of all classes.
    pub(super) first_band: usize,
    band_count: usize,
}

/// The bands of a strip.
#[derive(Clone, Copy, Debug, Default)]
struct Strip {
    /// Its first band, among those of the class.
    first: u32,
    /// The position of its borders in `across`, or [`UNDIVIDED`].
    across: u32,
}

const UNDIVIDED: u32 = u32::MAX;

plain_buffers!(Strip);
buffers!(SizeClass {
    leveled: borders, strips, across;
    own: ;
    plain: sides_max, axes, first_band, band_count;
});

impl SizeClass {
    /// Whether neither side of a box is too long for it.
    #[inline(always)]
    pub(super) fn takes(&self, [x0, y0, x1, y1]: &RawAabb) -> bool {
        let [width, height] = self.sides_max;
        (x1 - x0 <= width) & (y1 - y0 <= height)
    }

    /// The axis that its strips divide: 0 for x, 1 for y.
    #[inline(always)]
    pub(super) fn axis(&self) -> usize {
        if self.axes.is_exchanged() { 0 } else { 1 }
    }

    /// Indices of its bands.
    pub(super) fn bands(&self) -> Range<usize> {
        self.first_band..self.first_band + self.band_count
    }

    /// Whether a strip is divided.
    #[inline(always)]
    pub(super) fn is_divided(&self) -> bool {
        !self.strips.is_empty()
    }

    /// The bands of a strip that contain coordinates from `low` to `high` across it.
    #[inline(always)]
    pub(super) fn bands_across(&self, strip: usize, [low, high]: [f32; 2]) -> Range<usize> {
        let Some(&Strip { first, across }) = self.strips.get(strip) else {
            return self.first_band + strip..self.first_band + strip + 1;
        };
        let first = self.first_band + first as usize;
        let Some(borders) = self.across.get(across as usize) else { return first..first + 1 };
        first + borders.band(low)..first + borders.band(high) + 1
    }

    /// Calls `visit` with the bands of some strips that contain the coordinates `across` these.
    #[inline(always)]
    pub(super) fn visit_bands(
        &self,
        strips: Range<usize>,
        across: impl FnOnce() -> [f32; 2],
        visit: &mut impl FnMut(Range<usize>),
    ) {
        if self.is_divided() {
            let across = across();
            strips.for_each(|strip| visit(self.bands_across(strip, across)));
        } else if !strips.is_empty() {
            visit(self.first_band + strips.start..self.first_band + strips.end);
        }
    }

    /// Divides the class into about `bands` bands of equal population.
    fn divide(&mut self, members: &[RawAabb], bands: usize, buffers: &mut DivisionBuffers) {
        let axis = self.axis();
        let side = |aabb: &RawAabb, axis: usize| aabb[axis + 2] - aabb[axis];
        let mean = |axis: usize| members.iter().map(|aabb| side(aabb, axis)).sum::<f32>() / members.len() as f32;
        let least = if bands < 2 { [0.0; 2] } else { [axis, 1 - axis].map(|axis| SIDES_APART * mean(axis)) };
        self.divide_apart(members, bands, least, buffers);
        if (self.band_count as f64) < BANDS_KEPT * bands.min(members.len()) as f64 {
            self.divide_apart(members, bands, [0.0; 2], buffers);
        }
    }

    /// As [`divide`](Self::divide), with borders at least so far apart: those of strips, and those
    /// across a strip.
    fn divide_apart(
        &mut self,
        members: &[RawAabb],
        bands: usize,
        [least, least_across]: [f32; 2],
        DivisionBuffers { edges, sort, counts }: &mut DivisionBuffers,
    ) {
        let axis = self.axis();
        edges.clear();
        if bands > 1 {
            edges.extend(members.iter().map(|aabb| aabb[axis]));
            sort.sort(edges);
        }
        self.borders.rebuild(edges, bands, least);
        self.band_count = self.borders.band_count();
        self.strips.clear();
        if bands < 2 || self.band_count + 1 >= bands {
            return;
        }
        // Bodies at about one coordinate left fewer strips than bands. Counts the members of each.
        counts.clear();
        counts.resize(self.band_count, 0);
        members.iter().for_each(|aabb| counts[self.borders.band(aabb[axis])] += 1);
        let is_heavy = |count: u32| count as usize * bands >= HEAVY * members.len();
        if !counts.iter().any(|&count| is_heavy(count)) {
            return;
        }
        let (mut next, mut divided) = (0, 0);
        for (strip, &count) in counts.iter().enumerate() {
            let parts = (count as usize * bands + members.len() / 2) / members.len();
            let mut across = UNDIVIDED;
            let first = next;
            next += 1;
            if is_heavy(count) {
                edges.clear();
                let inside = members.iter().filter(|aabb| self.borders.band(aabb[axis]) == strip);
                edges.extend(inside.map(|aabb| aabb[1 - axis]));
                sort.sort(edges);
                if self.across.len() == divided {
                    self.across.push(BandBorders::default());
                }
                self.across[divided].rebuild(edges, parts, least_across);
                across = divided as u32;
                next += self.across[divided].band_count() as u32 - 1;
                divided += 1;
            }
            self.strips.push(Strip { first, across });
        }
        self.band_count = next as usize;
    }
}

/// Buffers of the division of a class.
#[derive(Debug, Default)]
struct DivisionBuffers {
    /// Lower edges of the members.
    edges: Vec<f32>,
    sort: FloatSort,
    /// Members in each strip.
    counts: Vec<u32>,
}

buffers!(DivisionBuffers { leveled: edges, sort, counts; own: ; plain: ; });

/// Size classes, smallest first, and the bands of each.
#[derive(Debug, Default)]
pub(super) struct GridPlan {
    classes: Vec<SizeClass>,
    class_count: usize,
    band_count: usize,
    sample: Vec<RawAabb>,
    /// While the sample is sorted.
    sorted: Vec<RawAabb>,
    keys: Vec<u64>,
    spare_keys: Vec<u64>,
    sides: Vec<f32>,
    size_sample: SizeSample,
    division: DivisionBuffers,
}

buffers!(GridPlan {
    leveled: classes, sample, sorted, keys, spare_keys, sides, size_sample, division;
    own: ;
    plain: class_count, band_count;
});

impl GridPlan {
    pub(super) fn classes(&self) -> &[SizeClass] {
        &self.classes[..self.class_count]
    }

    /// The axes of the bands of the smallest class.
    pub(super) fn smallest_axes(&self) -> BandAxes {
        self.classes().first().map_or_else(BandAxes::default, |class| class.axes)
    }

    /// Number of bands of all classes.
    pub(super) fn band_count(&self) -> usize {
        self.band_count
    }

    /// Plans the filing of these rows.
    pub(super) fn rebuild(&mut self, rows: &(impl BoxSource + ?Sized), options: ClassOptions<'_>, level: DetectedSimd) {
        self.take_sample(rows, level);
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
        (self.class_count, self.band_count) = (0, 0);
        let (mut from, weight) = (0, self.sample.len().max(1));
        for side_max in side_limits {
            let to = from + self.sample[from..].partition_point(|aabb| longest_side(aabb) <= side_max);
            let population = part_start(to - from, rows.len(), weight);
            let (members, larger) = self.sample[from..].split_at_mut(to - from);
            let class = ClassSample { members, larger, population, smaller: self.class_count };
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
                self.add_class(sides_max, from..middle, rows.len(), axis.or(Some(short.axis)));
                (from, sides_max) = (middle, [side_max; 2]);
            }
            self.add_class(sides_max, from..to, rows.len(), axis);
            from = to;
        }
    }

    /// Adds a class, whose rows of the sample are those in `members`. Its bands divide the given
    /// axis, or one that is chosen.
    fn add_class(&mut self, sides_max: [f32; 2], members: Range<usize>, row_count: usize, axis: Option<usize>) {
        if self.classes.len() == self.class_count {
            self.classes.push(SizeClass::default());
        }
        let class = &mut self.classes[self.class_count];
        class.sides_max = sides_max;
        class.first_band = self.band_count;
        let bands = bands_for(part_start(members.len(), row_count, self.sample.len().max(1)));
        let by_x = match axis {
            Some(axis) => axis == 0,
            None => {
                let (members, larger) = self.sample[members.start..].split_at(members.len());
                bands > 1 && divides_better_by_x(members, larger, bands)
            }
        };
        class.axes = BandAxes::new(by_x);
        class.divide(&self.sample[members], bands, &mut self.division);
        self.band_count += class.band_count;
        self.class_count += 1;
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

    /// Samples groups of rows at even distances, each moved by a hash, so that a pattern in the
    /// order of rows does not repeat with the groups.
    fn take_sample(&mut self, rows: &(impl BoxSource + ?Sized), level: DetectedSimd) {
        let groups = (rows.len() / SAMPLE_RATE).clamp(SAMPLE_MIN, SAMPLE_MAX).min(rows.len()).div_ceil(GROUP);
        self.sample.clear();
        // A box that was moved beyond all floats has a side that is NaN, which the longest side
        // ignores.
        let is_finite = |[x0, y0, x1, y1]: &RawAabb| (x1 - x0).is_finite() & (y1 - y0).is_finite();
        let mut add = |boxes: &[RawAabb]| self.sample.extend(boxes.iter().filter(|aabb| is_finite(aabb)));
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
            if level.read_rows(rows, group.clone(), boxes) {
                add(boxes);
            } else {
                group.filter_map(|row| rows.check(row).ok()).for_each(|aabb| add(&[aabb]));
            }
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
