//! Which grid suits the boxes: told from a sample.
//!
//! Only speed hangs on it. The sample is chosen by a hash of its number, so that rows which alternate between sizes, or
//! any other regular order, do not deceive it.

use crate::geometry::RawAabb;
use crate::memory::buffers::reserve_like;
use crate::tier::loose_grid::map::{GridMap, Knots, PART_COUNT};
use crate::tier::loose_grid::{TIGHT_SHIFT, center};

/// Boxes looked at to plan a grid. Its quantiles are then good to some percent; more would show in steps with few
/// hundreds of boxes.
pub(super) const PLAN_SAMPLE: usize = 1024;

/// Boxes looked at to choose the axis of a crowded cell.
pub(super) const CELL_SAMPLE: usize = 64;

/// Entities a loose cell, on average. With one, cells are many and their boxes overlap more; with four, more is tested
/// in vain.
const POPULATION: f64 = 2.0;

/// This part of the sample may lie outside of the area at either end, where it is filed at the border.
const OUTLIER_PART: usize = 16;

/// What a sample says of an axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Profile {
    /// Where most centres are.
    origin: f64,
    side: f64,
    /// The mean extent, each counted as `side` at most.
    extent: f64,
    /// Between each two of these are equally many centres.
    knots: Knots,
}

impl Profile {
    /// Of nothing.
    const NONE: Self = Self { origin: 0.0, side: 0.0, extent: 0.0, knots: [0.0; PART_COUNT + 1] };

    /// The part of the others that a box overlaps on this axis, about.
    pub(super) fn overlap(&self) -> f64 {
        if self.side > 0.0 { self.extent / self.side } else { 1.0 }
    }

    /// As if centres lay everywhere as they do where they are neither dense nor sparse: what holds along a warped axis.
    pub(super) fn evened(mut self) -> Self {
        let mut parts = [0.0; PART_COUNT];
        for (part, ends) in parts.iter_mut().zip(self.knots.windows(2)) {
            *part = f64::from(ends[1]) - f64::from(ends[0]);
        }
        parts.sort_unstable_by(f64::total_cmp);
        let side = parts[PART_COUNT / 2] * PART_COUNT as f64;
        if side > 0.0 {
            (self.side, self.extent) = (side, self.extent.min(side));
        }
        self
    }

    /// Whether a sweep along this axis tests less than one along the other.
    pub(super) fn sweeps_better_than(&self, other: &Self) -> bool {
        (self.overlap(), other.side) < (other.overlap(), self.side)
    }
}

/// Coordinates of a sample, kept for its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Sample {
    centers: Vec<f32>,
    extents: Vec<f64>,
}

impl Sample {
    pub(super) fn bytes(&self) -> usize {
        self.centers.capacity() * size_of::<f32>() + self.extents.capacity() * size_of::<f64>()
    }

    pub(super) fn reserve_like(&mut self, other: &Self) {
        reserve_like(&mut self.centers, &other.centers);
        reserve_like(&mut self.extents, &other.extents);
    }

    /// Looks at `sample_max` boxes, of all that `bounds` gives for `0..len`.
    pub(super) fn profile(
        &mut self,
        len: usize,
        sample_max: usize,
        axis: usize,
        bounds: impl Fn(usize) -> RawAabb,
    ) -> Profile {
        self.centers.clear();
        self.extents.clear();
        let stride = len.div_ceil(sample_max).max(1);
        for (k, first) in (0..len).step_by(stride).enumerate() {
            let here = bounds(first + hash(k) % stride.min(len - first));
            let middle = center(&here, axis);
            self.extents.push(f64::from(here[axis + 2]) - f64::from(here[axis]));
            if middle.is_finite() {
                self.centers.push(middle);
            }
        }
        let Some(last) = self.centers.len().checked_sub(1) else { return Profile::NONE };
        self.centers.sort_unstable_by(f32::total_cmp);
        let at = |k: usize| f64::from(self.centers[k]);
        let outliers = self.centers.len() / OUTLIER_PART;
        let (low, high) = (at(outliers), at(last - outliers));
        // As far again as evenly spread centres would reach beyond the quantiles, and not beyond what there is.
        let reach = (high - low) / (OUTLIER_PART - 2) as f64 * 1.5;
        let (low, high) = ((low - reach).max(at(0)), (high + reach).min(at(last)));
        let side = high - low;
        // The smaller of a number and NaN is the number.
        let extent = self.extents.iter().map(|&extent| extent.min(side)).sum::<f64>() / self.extents.len() as f64;
        let knots = std::array::from_fn(|k| self.centers[k * last / PART_COUNT]);
        Profile { origin: low, side, extent, knots }
    }
}

/// The loose grid for `len` boxes. A search meets cells over (side of a cell + extent of a box) on each axis; for a
/// given area of a cell that is least when its sides are to each other as the extents are. So beams as long as the
/// world get a grid of one column.
pub(super) fn loose_map(len: usize, profiles: [Profile; 2]) -> GridMap {
    let cell_count = (len as f64 / POPULATION).clamp(1.0, f64::from(1 << 30));
    let [x, y] = profiles;
    // How many boxes fit side by side. Points: as many as there are cells.
    let fit = |p: &Profile| p.side / p.extent.max(p.side / cell_count);
    let count_x = match (x.side > 0.0, y.side > 0.0) {
        (true, true) => (cell_count * fit(&x) / fit(&y)).sqrt().clamp(1.0, cell_count),
        (true, false) => cell_count,
        (false, _) => 1.0,
    };
    let count_y = if y.side > 0.0 { (cell_count / count_x).max(1.0) } else { 1.0 };
    // A saturating cast of what is at least 1.
    GridMap::new([x.origin, y.origin], [x.side, y.side], [count_x as u32, count_y as u32])
}

/// The loose grid for boxes in clusters, of which [`loose_map`] would put many in one cell. Both axes are warped so
/// that columns hold equally many boxes, and rows too; it takes twice as long to file by it.
pub(super) fn warped_map(len: usize, profiles: [Profile; 2]) -> GridMap {
    let [x, y] = &profiles;
    loose_map(len, profiles).warped([&x.knots, &y.knots])
}

/// The tight grid over a loose one, before it is known what is filed: cells of some loose cells, and no smaller than a
/// usual loose cell's box.
pub(super) fn tight_map(loose: &GridMap, profiles: [Profile; 2]) -> GridMap {
    let shift = |axis: usize| {
        let Profile { side, extent, .. } = profiles[axis];
        let loose_side = side / f64::from(loose.counts()[axis]);
        // Saturating casts; NaN, of no side, gives the least.
        ((1.0 + extent / loose_side).log2().ceil() as u32).max(TIGHT_SHIFT)
    };
    loose.joined([shift(0), shift(1)])
}

/// SplitMix64's finisher: scattered, and the same everywhere.
fn hash(k: usize) -> usize {
    let mut z = (k as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (z ^ (z >> 31)) as usize & 0x7FFF_FFFF
}
