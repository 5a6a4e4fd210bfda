//! Maps boxes to cells of a grid.

use crate::geometry::{EMPTY_AABB, RawAabb};
use crate::tier::loose_grid::axis::{Knots, LooseAxis};
use crate::tier::loose_grid::cell::{LooseCell, center};
use std::cmp::Ordering;
use std::ops::Range;

/// Loose cells in the sample that estimates how far to coarsen before all cells are counted. A
/// smaller sample would miss a few long boxes.
const COARSEN_SAMPLE: usize = 1024;

/// The map of a grid. Cells are numbered row by row. By default, there is one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CellMap {
    axes: [LooseAxis; 2],
}

/// A rectangle of cells, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CellRange {
    pub(super) min: [u32; 2],
    pub(super) max: [u32; 2],
}

impl CellMap {
    /// Divides the sides of an area into `counts` cells. Sides may be 0 or infinite.
    pub(super) fn new(origin: [f64; 2], sides: [f64; 2], counts: [u32; 2]) -> Self {
        Self { axes: [0, 1].map(|k| LooseAxis::new(origin[k], sides[k], counts[k])) }
    }

    /// Divides both axes at knots instead; see [`LooseAxis::warped`].
    pub(super) fn warped(self, knots: [&Knots; 2]) -> Self {
        Self { axes: [0, 1].map(|k| self.axes[k].warped(knots[k])) }
    }

    /// Joins 2^shift cells into one on each axis.
    pub(super) fn joined(self, shifts: [u32; 2]) -> Self {
        Self { axes: [0, 1].map(|k| self.axes[k].joined(shifts[k])) }
    }

    /// Joins cells until `cells` have at most `entry_count_max` entries in them (LOOSE-5), each
    /// time on the axis that helps most.
    pub(super) fn coarsened(mut self, cells: &[LooseCell], entry_count_max: usize) -> Self {
        // A sample first, so that all cells are counted only a few times. This ends: a grid of one
        // cell has one entry for each loose cell.
        for step in [cells.len() / COARSEN_SAMPLE + 1, 1] {
            let entry_count_max = (entry_count_max / step) as u64;
            while self.cell_count() > 1 && self.entry_count(cells, step) > entry_count_max {
                let [x, y] = [self.joined([1, 0]), self.joined([0, 1])];
                let [columns, rows] = self.counts();
                let joins_x = rows == 1 || x.entry_count(cells, step) <= y.entry_count(cells, step);
                self = if columns > 1 && joins_x { x } else { y };
            }
        }
        self
    }

    fn entry_count(&self, cells: &[LooseCell], step: usize) -> u64 {
        let held = cells.iter().step_by(step).filter(|cell| cell.bounds != EMPTY_AABB);
        held.map(|cell| self.touched(&cell.bounds).count() as u64).sum()
    }

    /// Returns the number of columns and of rows.
    pub(super) fn counts(&self) -> [u32; 2] {
        [self.axes[0].count(), self.axes[1].count()]
    }

    pub(super) fn cell_count(&self) -> usize {
        self.counts().iter().map(|&count| count as usize).product()
    }

    /// Returns the number of the cell at a column and a row.
    #[inline(always)]
    pub(super) fn number(&self, x: u32, y: u32) -> usize {
        y as usize * self.axes[0].count() as usize + x as usize
    }

    /// Returns the number of the cell that contains the center of a box.
    #[inline(always)]
    pub(super) fn cell_of_center(&self, bounds: &RawAabb) -> usize {
        self.number(self.axes[0].cell(center(bounds, 0)), self.axes[1].cell(center(bounds, 1)))
    }

    /// Returns the column and the row of a point.
    #[inline(always)]
    pub(super) fn cell_of_point(&self, [x, y]: [f32; 2]) -> [u32; 2] {
        [self.axes[0].cell(x), self.axes[1].cell(y)]
    }

    /// Returns the cells that a box touches: at least one, even for an inverted box.
    #[inline(always)]
    pub(super) fn touched(&self, &[min_x, min_y, max_x, max_y]: &RawAabb) -> CellRange {
        let (min, max) = (self.cell_of_point([min_x, min_y]), self.cell_of_point([max_x, max_y]));
        CellRange { min, max: [max[0].max(min[0]), max[1].max(min[1])] }
    }

    /// Returns whether (x, y), which is a cell that a box touches, is the one nearest to `from`.
    ///
    /// A search may find a box in several cells. With one `from`, it reports the box in one of
    /// them.
    #[inline(always)]
    pub(super) fn is_nearest(&self, from: [u32; 2], bounds: &RawAabb, x: u32, y: u32) -> bool {
        let is_nearest_on = |axis: usize, at: u32| match at.cmp(&from[axis]) {
            Ordering::Less => self.axes[axis].cell(bounds[axis + 2]) == at,
            Ordering::Equal => true,
            Ordering::Greater => self.axes[axis].cell(bounds[axis]) == at,
        };
        is_nearest_on(0, x) && is_nearest_on(1, y)
    }

    /// Returns the approximate middle of a column or row, or `None` if there is no such cell or its
    /// length is unknown.
    pub(super) fn middle(&self, axis: usize, cell: u32) -> Option<f64> {
        let middle = || self.axes[axis].end_of(f64::from(cell) + 0.5);
        (cell < self.axes[axis].count()).then(middle).filter(|middle| middle.is_finite())
    }

    /// Returns the shorter side of a cell (approximate): more than 0, and `f32::MAX` if no side is
    /// known.
    pub(super) fn shorter_side(&self, cell: [u32; 2]) -> f64 {
        let side = |axis: usize| {
            let end = |cell: f64| self.axes[axis].end_of(cell);
            end(f64::from(cell[axis]) + 1.0) - end(f64::from(cell[axis]))
        };
        let known = [side(0), side(1)].into_iter().filter(|side| *side > 0.0 && side.is_finite());
        known.fold(f64::from(f32::MAX), f64::min)
    }

    /// Returns approximately where the cells of an axis begin and end.
    pub(super) fn ends(&self, axis: usize) -> [f64; 2] {
        let axis = &self.axes[axis];
        [axis.end_of(0.0), axis.end_of(f64::from(axis.count()))]
    }

    /// Returns the approximate borders of a cell, which are infinite on the outer sides of the
    /// grid.
    pub(super) fn borders(&self, x: u32, y: u32) -> RawAabb {
        let low = |axis: usize, k: u32| {
            if k == 0 { f32::NEG_INFINITY } else { self.axes[axis].end_of(f64::from(k)) as f32 }
        };
        let high = |axis: usize, k: u32| {
            let is_last = k + 1 >= self.axes[axis].count();
            if is_last { f32::INFINITY } else { self.axes[axis].end_of(f64::from(k) + 1.0) as f32 }
        };
        [low(0, x), low(1, y), high(0, x), high(1, y)]
    }
}

impl CellRange {
    /// Returns the number of cells.
    #[inline(always)]
    pub(super) fn count(&self) -> usize {
        (self.max[0] - self.min[0] + 1) as usize * (self.max[1] - self.min[1] + 1) as usize
    }

    pub(super) fn contains(&self, x: u32, y: u32) -> bool {
        (self.min[0]..=self.max[0]).contains(&x) & (self.min[1]..=self.max[1]).contains(&y)
    }

    /// Returns the column and the row of each cell, row by row.
    pub(super) fn cells(self) -> impl Iterator<Item = (u32, u32)> + Clone {
        let [x0, x1] = [self.min[0], self.max[0]];
        (self.min[1]..=self.max[1]).flat_map(move |y| (x0..=x1).map(move |x| (x, y)))
    }

    /// Returns the column and the row of each cell that is not in `other`, in time that depends on
    /// the number of these cells only.
    pub(super) fn cells_without(self, other: Self) -> impl Iterator<Item = (u32, u32)> {
        let ends = |axis: usize| (self.min[axis]..self.max[axis] + 1, other.min[axis]..other.max[axis] + 1);
        let before = |own: &Range<u32>, other: &Range<u32>| own.start..own.end.min(other.start);
        let after = |own: &Range<u32>, other: &Range<u32>| own.start.max(other.end)..own.end;
        let ((xs, other_xs), (ys, other_ys)) = (ends(0), ends(1));
        let rows = before(&ys, &other_ys).chain(after(&ys, &other_ys));
        let columns = before(&xs, &other_xs).chain(after(&xs, &other_xs));
        let shared_ys = ys.start.max(other_ys.start)..ys.end.min(other_ys.end);
        rows.flat_map(move |y| xs.clone().map(move |x| (x, y)))
            .chain(columns.flat_map(move |x| shared_ys.clone().map(move |y| (x, y))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_one_range_without_another() {
        let ranges = || (0..625u32).map(|k| [k % 5, k / 5 % 5, k / 25 % 5, k / 125]);
        let ranges = || {
            ranges().filter(|[a, b, c, d]| a <= c && b <= d).map(|[a, b, c, d]| CellRange { min: [a, b], max: [c, d] })
        };
        for (one, other) in ranges().flat_map(|one| ranges().map(move |other| (one, other))) {
            let mut found: Vec<_> = one.cells_without(other).collect();
            found.sort_unstable();
            let mut wanted: Vec<_> = one.cells().filter(|&cell| other.cells().all(|other| other != cell)).collect();
            wanted.sort_unstable();
            assert_eq!(found, wanted, "{one:?} without {other:?}");
        }
    }

    #[test]
    fn coarsened_map_is_within_the_limit() {
        let cells: Vec<_> = (0..5000)
            .map(|k| LooseCell { bounds: [0.0, k as f32, 5000.0, k as f32 + 0.5], ..LooseCell::EMPTY })
            .collect();
        let map = CellMap::new([0.0; 2], [5000.0; 2], [70, 70]).coarsened(&cells, 10_000);
        assert!(map.entry_count(&cells, 1) <= 10_000);
        assert_eq!(map.counts()[1], 70, "rows keep beams apart, columns do not");
    }
}
