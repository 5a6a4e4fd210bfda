//! From coordinates to cells.
//!
//! M1 (T4): a map is a subtraction, a multiplication by a number that is not negative, a saturating cast and a clamp.
//! Each is monotone in f32, infinities included, so `a <= b` implies `cell(a) <= cell(b)`. A NaN goes to cell 0. That is
//! all that exactness asks of it: rounding may move a coordinate to the next cell, but never past another one.

use super::{LooseCell, NOTHING, center};
use crate::geometry::RawBox;

/// So many cells tell how far to coarsen before all of them are asked. Of less, a few long boxes would be missed.
const COARSEN_SAMPLE: usize = 1024;

/// One axis of a grid.
#[derive(Clone, Copy, Debug)]
struct Axis {
    origin: f32,
    inverse: f32,
    last: u32,
}

impl Axis {
    #[inline(always)]
    fn cell(&self, v: f32) -> u32 {
        // M1
        (((v - self.origin) * self.inverse) as u32).min(self.last)
    }
}

/// A grid: which cell a point is in. Cells are numbered row by row.
#[derive(Clone, Copy, Debug)]
pub(super) struct GridMap {
    axes: [Axis; 2],
}

/// A rectangle of cells, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CellRange {
    pub(super) min: [u32; 2],
    pub(super) max: [u32; 2],
}

impl Default for GridMap {
    fn default() -> Self {
        Self::single()
    }
}

impl GridMap {
    /// A grid of one cell.
    pub(super) fn single() -> Self {
        Self { axes: [Axis { origin: 0.0, inverse: 0.0, last: 0 }; 2] }
    }

    /// `counts` cells that divide the sides of an area. Sides that no f32 holds, or of no length, do no harm (M1).
    pub(super) fn new(origin: [f64; 2], sides: [f64; 2], counts: [u32; 2]) -> Self {
        let axis = |k: usize| {
            let inverse = (f64::from(counts[k]) / sides[k]) as f32;
            let inverse = if inverse >= 0.0 { inverse } else { 0.0 };
            Axis { origin: origin[k] as f32, inverse, last: counts[k].saturating_sub(1) }
        };
        Self { axes: [axis(0), axis(1)] }
    }

    /// How many cells there are on each axis.
    pub(super) fn counts(&self) -> [u32; 2] {
        self.axes.map(|axis| axis.last + 1)
    }

    /// How many cells there are.
    pub(super) fn cell_count(&self) -> usize {
        self.counts().iter().map(|&count| count as usize).product()
    }

    /// The number of the cell at column and row.
    #[inline(always)]
    pub(super) fn number(&self, x: u32, y: u32) -> usize {
        y as usize * (self.axes[0].last as usize + 1) + x as usize
    }

    /// The number of the cell that holds the centre of a box.
    #[inline(always)]
    pub(super) fn cell_of_center(&self, bounds: &RawBox) -> usize {
        self.number(self.axes[0].cell(center(bounds, 0)), self.axes[1].cell(center(bounds, 1)))
    }

    /// The cell of a box's lower corner.
    #[inline(always)]
    pub(super) fn min_cell(&self, bounds: &RawBox) -> [u32; 2] {
        [self.axes[0].cell(bounds[0]), self.axes[1].cell(bounds[1])]
    }

    /// The cells that a box touches; never none, not even of [`NOTHING`].
    #[inline(always)]
    pub(super) fn range(&self, bounds: &RawBox) -> CellRange {
        let min = self.min_cell(bounds);
        let max = [self.axes[0].cell(bounds[2]).max(min[0]), self.axes[1].cell(bounds[3]).max(min[1])];
        CellRange { min, max }
    }

    /// The grid with cells twice as long on an axis.
    fn halved(mut self, axis: usize) -> Self {
        self.axes[axis].inverse *= 0.5;
        self.axes[axis].last /= 2;
        self
    }

    /// The grid with `ratio` times larger cells.
    pub(super) fn coarser(mut self, ratio: u32) -> Self {
        for axis in &mut self.axes {
            axis.inverse /= ratio as f32;
            axis.last /= ratio;
        }
        self
    }

    /// T5: the grid, coarsened until `cells` have no more than `entries_max` entries in it: each time on the axis that
    /// helps most. A grid of one cell has an entry a cell, so it ends.
    pub(super) fn coarsened(mut self, cells: &[LooseCell], entries_max: usize) -> Self {
        // A sample says how far to go, so that no more than a few passes are made over all cells.
        for step in [cells.len() / COARSEN_SAMPLE + 1, 1] {
            let entries_max = entries_max / step;
            while self.cell_count() > 1 && self.entry_count(cells, step) > entries_max {
                let [x, y] = [self.halved(0), self.halved(1)];
                let narrower = self.counts()[0] > 1;
                let lower = self.counts()[1] > 1;
                let x_first = narrower && (!lower || x.entry_count(cells, step) <= y.entry_count(cells, step));
                self = if x_first { x } else { y };
            }
        }
        self
    }

    fn entry_count(&self, cells: &[LooseCell], step: usize) -> usize {
        let held = cells.iter().step_by(step).filter(|cell| cell.bounds != NOTHING);
        held.map(|cell| self.range(&cell.bounds).count()).sum()
    }
}

impl CellRange {
    /// How many cells.
    #[inline(always)]
    pub(super) fn count(&self) -> usize {
        (self.max[0] - self.min[0] + 1) as usize * (self.max[1] - self.min[1] + 1) as usize
    }

    pub(super) fn contains(&self, x: u32, y: u32) -> bool {
        (self.min[0]..=self.max[0]).contains(&x) & (self.min[1]..=self.max[1]).contains(&y)
    }

    /// Columns and rows, row by row.
    pub(super) fn cells(self) -> impl Iterator<Item = (u32, u32)> + Clone {
        let [x0, x1] = [self.min[0], self.max[0]];
        (self.min[1]..=self.max[1]).flat_map(move |y| (x0..=x1).map(move |x| (x, y)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_monotone_over_all_coordinates() {
        let mut values =
            vec![f32::NEG_INFINITY, f32::MIN, -1e30, -1.0, -0.0, 0.0, 1e-45, 0.1, 1.0, 1e7, 1e30, f32::MAX];
        values.extend((0..100).map(|k| k as f32 * 0.37 - 5.0));
        values.push(f32::INFINITY);
        values.sort_by(f32::total_cmp);
        for side in [0.0, 1e-45, 1e-30, 1.0, 13.7, 1e30, 6e38, f64::INFINITY] {
            for origin in [-3e38, -1.0, 0.0, 0.1, 3e38] {
                let map = GridMap::new([origin, 0.0], [side, 1.0], [1000, 7]);
                let cells = values.iter().map(|&v| map.axes[0].cell(v));
                assert!(cells.clone().is_sorted(), "side {side}, origin {origin}");
                assert!(cells.max() <= Some(999));
                assert_eq!(map.axes[0].cell(f32::NAN), 0);
            }
        }
    }

    #[test]
    fn coarsening_ends_within_the_bound() {
        let cells: Vec<_> = (0..5000)
            .map(|k| LooseCell { bounds: [0.0, k as f32, 5000.0, k as f32 + 0.5], ..LooseCell::EMPTY })
            .collect();
        let map = GridMap::new([0.0; 2], [5000.0; 2], [70, 70]).coarsened(&cells, 10_000);
        assert!(map.entry_count(&cells, 1) <= 10_000);
        assert_eq!(map.counts()[1], 70, "rows keep beams apart, columns do not");
    }
}
