//! Chooses the cells for a set of boxes, from a sample.
//!
//! It affects only speed. The sample is chosen by a hash, so that a pattern in the order of rows,
//! such as two alternating sizes, does not distort it.

use crate::geometry::{RawAabb, side};
use crate::memory::buffers::{buffers, clone_in_place};
use crate::memory::radix::{FloatSort, median};
use crate::tier::loose_grid::axis::{Knots, PART_COUNT};
use crate::tier::loose_grid::cell::{TIGHT_SHIFT, center};
use crate::tier::loose_grid::map::CellMap;

/// Boxes sampled to plan a grid. Quantiles are then accurate to a few percent; a larger sample
/// would take a noticeable part of a step with few hundred boxes.
pub(super) const PLAN_SAMPLE: usize = 1024;

/// Boxes sampled to choose the axis of a crowded cell.
pub(super) const CELL_SAMPLE: usize = 64;

/// Entities in a loose cell, on average. With one, there are many cells and their bounds overlap
/// more; with four, more entities are tested without a hit.
const ENTITIES_PER_CELL: f64 = 2.0;

/// One in this many sampled centers may lie beyond each end of the area. Their boxes are filed in
/// the cells at its border.
const OUTLIER_PART: usize = 16;

/// How the sampled boxes are distributed on an axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Profile {
    /// Where the area with most centers begins.
    origin: f64,
    /// The length of that area.
    side: f64,
    /// The mean extent of boxes, each counted as `side` at most.
    extent: f64,
    /// Equally many centers lie between each two of these.
    knots: Knots,
}

impl Profile {
    const EMPTY: Self = Self { origin: 0.0, side: 0.0, extent: 0.0, knots: [0.0; PART_COUNT + 1] };

    /// Returns the profile with the median density everywhere, as along a warped axis.
    pub(super) fn evened(mut self) -> Self {
        let parts = self.knots.windows(2).map(|ends| f64::from(ends[1]) - f64::from(ends[0]));
        let side = median(parts) * PART_COUNT as f64;
        if side > 0.0 {
            (self.side, self.extent) = (side, self.extent.min(side));
        }
        self
    }

    /// Returns whether fewer boxes are beside each other on this axis than on the other.
    pub(super) fn separates_better_than(&self, other: &Self) -> bool {
        (self.overlap_share(), other.side) < (other.overlap_share(), self.side)
    }

    /// Returns the share of the other boxes that a box overlaps on this axis, roughly.
    fn overlap_share(&self) -> f64 {
        if self.side > 0.0 { self.extent / self.side } else { 1.0 }
    }
}

/// Memory for the coordinates of a sample.
#[derive(Debug, Default)]
pub(super) struct BoxSample {
    centers: Vec<f32>,
    extents: Vec<f64>,
    sort: FloatSort,
}

buffers!(BoxSample { leveled: centers, extents, sort; own: ; plain: ; });
clone_in_place!(BoxSample { centers, extents, sort });

impl BoxSample {
    pub(super) fn clear(&mut self) {
        self.centers.clear();
        self.extents.clear();
    }

    /// Samples about `sample_len` of the boxes that `box_at` returns for `0..len`. It is `dyn`, so
    /// that this is compiled once.
    pub(super) fn profile(
        &mut self,
        len: usize,
        sample_len: usize,
        axis: usize,
        box_at: &dyn Fn(usize) -> RawAabb,
    ) -> Profile {
        self.clear();
        let stride = len.div_ceil(sample_len).max(1);
        for (k, first) in (0..len).step_by(stride).enumerate() {
            let aabb = box_at(first + hash(k) % stride.min(len - first));
            let center = center(&aabb, axis);
            self.extents.push(side(&aabb, axis));
            if center.is_finite() {
                self.centers.push(center);
            }
        }
        let Some(last) = self.centers.len().checked_sub(1) else { return Profile::EMPTY };
        self.sort.sort(&mut self.centers);
        let at = |k: usize| f64::from(self.centers[k]);
        let outliers = self.centers.len() / OUTLIER_PART;
        let (low, high) = (at(outliers), at(last - outliers));
        // Half as far again as evenly spread centers would lie beyond the quantiles.
        let reach = (high - low) / (OUTLIER_PART - 2) as f64 * 1.5;
        let (low, high) = ((low - reach).max(at(0)), (high + reach).min(at(last)));
        let side = high - low;
        // `min` of NaN and a number is the number.
        let extent = self.extents.iter().map(|&extent| extent.min(side)).sum::<f64>() / self.extents.len() as f64;
        let knots = std::array::from_fn(|k| self.centers[k * last / PART_COUNT]);
        Profile { origin: low, side, extent, knots }
    }
}

/// Returns the loose grid for `len` boxes.
///
/// A search overlaps the cells within (side of a cell + extent of a box) on each axis. For a given
/// cell area, their number is smallest if the sides of cells have the ratio of the extents of
/// boxes. So beams as long as the world get a grid of one column.
pub(super) fn loose_map(len: usize, profiles: [Profile; 2]) -> CellMap {
    let cell_count = (len as f64 / ENTITIES_PER_CELL).clamp(1.0, f64::from(1 << 30));
    let [x, y] = profiles;
    // The number of boxes that fit side by side: for points, the number of cells.
    let fit = |p: &Profile| p.side / p.extent.max(p.side / cell_count);
    let count_x = match (x.side > 0.0, y.side > 0.0) {
        (true, true) => (cell_count * fit(&x) / fit(&y)).sqrt().clamp(1.0, cell_count),
        (true, false) => cell_count,
        (false, _) => 1.0,
    };
    let count_y = if y.side > 0.0 { (cell_count / count_x).max(1.0) } else { 1.0 };
    CellMap::new([x.origin, y.origin], [x.side, y.side], [count_x as u32, count_y as u32])
}

/// Returns the loose grid for boxes in clusters, many of which [`loose_map`] would put into one
/// cell.
///
/// Columns have equal populations, and so do rows. Filing takes twice as long.
pub(super) fn warped_map(len: usize, profiles: [Profile; 2]) -> CellMap {
    let [x, y] = &profiles;
    loose_map(len, profiles).warped([&x.knots, &y.knots])
}

/// Returns the tight grid over a loose grid: its cells are at least as large as the bounds of an
/// average loose cell.
pub(super) fn tight_map(loose: &CellMap, profiles: [Profile; 2]) -> CellMap {
    let shift = |axis: usize| {
        let Profile { side, extent, .. } = profiles[axis];
        let loose_side = side / f64::from(loose.counts()[axis]);
        // The cast saturates, and maps NaN, for an area without a side, to 0.
        (libm::log2(1.0 + extent / loose_side).ceil() as u32).max(TIGHT_SHIFT)
    };
    loose.joined([shift(0), shift(1)])
}

/// The finalizer of SplitMix64.
fn hash(k: usize) -> usize {
    let mut z = (k as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (z ^ (z >> 31)) as usize & 0x7FFF_FFFF
}
