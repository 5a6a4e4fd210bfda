//! What the estimates of classes know about the bodies: a sample of their sizes, by region.

use crate::geometry::RawAabb;
use crate::memory::buffers::{buffers, plain_buffers};
use crate::memory::radix::{by_value, number_of};
use crate::tier::point_grid::band::equal_cells::CellSize;

/// The longer side of a box; infinite if an edge is.
#[inline(always)]
pub(in crate::tier::point_grid) fn longest_side(aabb: &RawAabb) -> f32 {
    (aabb[2] - aabb[0]).max(aabb[3] - aabb[1])
}

/// Rows of the sample that the estimate is computed from. Larger boxes that are rarer than one in
/// this many become oversized.
pub(super) const THINNED: usize = 256;

/// Borders that are tried, evenly over the sample from its largest boxes down.
const BORDERS_TRIED: usize = 24;

/// A row of the thinned sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct SampleRow {
    pub(super) side: f32,
    /// The width and the height.
    pub(super) sides: [f32; 2],
    /// The region of the world that it lies in.
    pub(super) region: u8,
}

/// Regions along an axis.
pub(super) const REGIONS: usize = 4;

/// No region is smaller, so that densities are finite.
const EXTENT_MIN: f64 = 1e-100;

/// A value for each region of the world.
pub(super) type PerRegion<T> = [T; REGIONS * REGIONS];

/// The rows before a border, by region.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RowsBefore {
    pub(super) counts: PerRegion<f64>,
    /// The largest of their widths, and of their heights.
    pub(super) largest: [PerRegion<f64>; 2],
}

/// The rows from a border on, by region.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RowsAfter {
    pub(super) counts: PerRegion<f64>,
    /// The sums of their widths, and of their heights.
    pub(super) sides: [PerRegion<f64>; 2],
    /// The sum of their areas.
    pub(super) areas: PerRegion<f64>,
    /// The sum of the squares of their longer sides.
    pub(super) squares: PerRegion<f64>,
}

/// Most borders that rows are counted at: those that are tried, and both ends.
pub(super) const COUNTED: usize = BORDERS_TRIED + 2;

/// What the estimate of costs knows about the bodies.
#[derive(Debug, Default)]
pub(in crate::tier::point_grid) struct SizeSample {
    /// The boxes of the rows.
    pub(super) thinned: Vec<RawAabb>,
    /// By ascending side.
    pub(super) rows: Vec<SampleRow>,
    /// While the rows are sorted by place.
    keys: Vec<u64>,
    /// The borders that are tried, from the largest rows down.
    pub(super) tried: Vec<usize>,
    /// By border: its place in `before` and `after`.
    counted: Vec<u8>,
    before: Vec<RowsBefore>,
    after: Vec<RowsAfter>,
    /// Bodies per row.
    pub(super) weight: f64,
    /// For each row in a region, its bodies per area; and for rows anywhere.
    densities: PerRegion<f64>,
    mean_density: f64,
    /// By region: how wide and how high the world is if all regions are like it. A cell that is
    /// larger has no more bodies.
    pub(super) world_sides: [PerRegion<f64>; 2],
    /// See [`CellSize::may_have_fine_columns`].
    pub(super) may_have_fine_columns: bool,
}

plain_buffers!(SampleRow, RowsBefore, RowsAfter);
buffers!(SizeSample {
    leveled: thinned, rows, keys, tried, counted, before, after;
    own: ;
    plain: weight, densities, mean_density, world_sides, may_have_fine_columns;
});

impl SizeSample {
    /// Thins the sorted sample, and divides the world into regions of equal population: strips by
    /// y, each divided by x. The regions show how dense the world is, and which sizes occur
    /// together.
    pub(super) fn rebuild(&mut self, sorted: &[RawAabb], population: usize, cell_size: CellSize) {
        let Self { thinned, rows, keys, .. } = self;
        let count = sorted.len().min(THINNED);
        thinned.clear();
        thinned.extend((0..count).map(|k| sorted[(2 * k + 1) * sorted.len() / (2 * count)]));
        rows.clear();
        let row = |aabb: &RawAabb| {
            let sides = [aabb[2] - aabb[0], aabb[3] - aabb[1]];
            SampleRow { side: longest_side(aabb), sides, region: 0 }
        };
        rows.extend(thinned.iter().map(row));
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
        self.may_have_fine_columns = cell_size.may_have_fine_columns();
        self.densities = areas.map(|area| weight / area);
        self.mean_density = weight / areas.iter().sum::<f64>();
        self.world_sides = extents.map(|extents| extents.map(|extent| extent * REGIONS as f64));
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
                let region = usize::from(row.region);
                rows_before.counts[region] += 1.0;
                for (largest, side) in rows_before.largest.iter_mut().zip(row.sides) {
                    largest[region] = largest[region].max(f64::from(side));
                }
            }
            (before[place + 1], counted[border], from) = (rows_before, place as u8 + 1, border);
        }
        let mut to = len;
        let mut rows_after = RowsAfter::default();
        for &border in tried.iter().chain(&[0]) {
            for row in &rows[border..to] {
                let (region, side) = (usize::from(row.region), f64::from(row.side));
                rows_after.counts[region] += 1.0;
                let [width, height] = row.sides.map(f64::from);
                rows_after.sides[0][region] += width;
                rows_after.sides[1][region] += height;
                rows_after.areas[region] += width * height;
                rows_after.squares[region] += side * side;
            }
            (after[usize::from(counted[border])], to) = (rows_after, border);
        }
    }

    /// The place of a counted border among these, ascending.
    pub(super) fn place(&self, border: usize) -> usize {
        usize::from(self.counted[border])
    }

    pub(super) fn rows_before(&self, border: usize) -> &RowsBefore {
        &self.before[self.place(border)]
    }

    pub(super) fn rows_after(&self, border: usize) -> &RowsAfter {
        &self.after[self.place(border)]
    }

    /// For the rows from one border to another, by region: how many there are, and bodies per area.
    pub(super) fn by_region(&self, from: usize, to: usize) -> [PerRegion<f64>; 2] {
        let [before, through] = [from, to].map(|border| self.rows_before(border));
        let members = std::array::from_fn(|region| through.counts[region] - before.counts[region]);
        // Too few rows say nothing about single regions.
        if to - from < REGIONS * REGIONS {
            return [members, [(to - from) as f64 * self.mean_density; REGIONS * REGIONS]];
        }
        [members, std::array::from_fn(|region| members[region] * self.densities[region])]
    }
}
