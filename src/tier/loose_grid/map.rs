//! From coordinates to cells.
//!
//! M1 (T4): a map is a subtraction, a multiplication by a number that is not negative, a saturating cast, a clamp and a
//! shift. Each is monotone in f32, infinities included, so `a <= b` implies `cell(a) <= cell(b)`. A NaN goes to cell 0.
//! That is all that exactness asks of it: rounding may move a coordinate to the next cell, but never past another one.
//! M2: a warped axis is such a map between each two knots. The knots ascend, and each part has cells of its own.
//! M3: where cells end is computed for speed and for drawing alone: rounding may put it in the next cell.

use crate::geometry::RawAabb;
use crate::tier::loose_grid::{LooseCell, NOTHING, center};
use std::cmp::Ordering;
use std::ops::Range;

/// So many cells tell how far to coarsen before all of them are asked. Of less, a few long boxes would be missed.
const COARSEN_SAMPLE: usize = 1024;

/// Parts of a warped axis. So many clusters can be told apart; all knots are compared at once, in eight vectors.
pub(super) const PART_COUNT: usize = 32;

/// Cells in a part, so that their number is whole in f32: 2^24 in all parts.
const MAX_PART: u32 = (1 << 24) / PART_COUNT as u32;

/// Coordinates that divide an axis in parts.
pub(super) type Knots = [f32; PART_COUNT + 1];

/// One axis of a grid: cells of one size, or of one size in each part.
#[derive(Clone, Copy, Debug)]
struct Axis {
    origin: f32,
    inverse: f32,
    /// The last cell, before they are joined.
    last: u32,
    /// 2^shift cells are joined to one.
    shift: u32,
    warp: Option<Warp>,
}

/// M2.
#[derive(Clone, Copy, Debug)]
struct Warp {
    knots: [f32; PART_COUNT],
    inverses: [f32; PART_COUNT],
    /// Cells in a part.
    part: u32,
}

impl Axis {
    const SINGLE: Self = Self { origin: 0.0, inverse: 0.0, last: 0, shift: 0, warp: None };

    #[inline(always)]
    fn cell(&self, v: f32) -> u32 {
        // M1
        let fine = self.warp.as_ref().map_or((v - self.origin) * self.inverse, |warp| warp.place(v));
        (fine as u32).min(self.last) >> self.shift
    }

    /// M3: about where so many cells end. Infinite or NaN where cells have no length that is known.
    fn end_of(&self, cells: f64) -> f64 {
        let fine = cells * 2f64.powi(self.shift as i32);
        match &self.warp {
            Some(warp) => warp.end_of(fine),
            None => f64::from(self.origin) + fine / f64::from(self.inverse),
        }
    }
}

impl Warp {
    fn place(&self, v: f32) -> f32 {
        let part = self.knots[1..].iter().map(|&knot| usize::from(knot <= v)).sum::<usize>();
        let fine = (v - self.knots[part]) * self.inverses[part];
        // The larger of a number and NaN is the number. Counts of cells this small are whole in f32.
        (part as u32 * self.part) as f32 + fine.max(0.0).min(self.part as f32 - 1.0)
    }

    /// M3
    fn end_of(&self, fine: f64) -> f64 {
        let part = ((fine / f64::from(self.part)) as usize).min(PART_COUNT - 1);
        let beyond = (fine - part as f64 * f64::from(self.part)) / f64::from(self.inverses[part]);
        let end = f64::from(self.knots[part]) + beyond;
        // The smaller of a number and NaN is the number.
        self.knots.get(part + 1).map_or(end, |&knot| end.min(f64::from(knot)))
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
        Self { axes: [Axis::SINGLE; 2] }
    }

    /// `counts` cells that divide the sides of an area. Sides that no f32 holds, or of no length, do no harm (M1).
    pub(super) fn new(origin: [f64; 2], sides: [f64; 2], counts: [u32; 2]) -> Self {
        let axis = |k: usize| {
            let (origin, inverse) = (origin[k] as f32, inverse(counts[k], sides[k]));
            Axis { origin, inverse, last: counts[k].saturating_sub(1), ..Axis::SINGLE }
        };
        Self { axes: [axis(0), axis(1)] }
    }

    /// The grid with about as many cells on each axis, of which each part between two knots has equally many (M2).
    pub(super) fn warped(mut self, knots: [&Knots; 2]) -> Self {
        for (axis, knots) in self.axes.iter_mut().zip(knots) {
            let part = (axis.last + 1) / PART_COUNT as u32;
            if (1..MAX_PART).contains(&part) {
                let side = |k: usize| f64::from(knots[k + 1]) - f64::from(knots[k]);
                let warp = Warp {
                    knots: std::array::from_fn(|k| knots[k]),
                    inverses: std::array::from_fn(|k| inverse(part, side(k))),
                    part,
                };
                *axis = Axis { last: part * PART_COUNT as u32 - 1, warp: Some(warp), ..*axis };
            }
        }
        self
    }

    /// How many cells there are on each axis.
    pub(super) fn counts(&self) -> [u32; 2] {
        self.axes.map(|axis| (axis.last >> axis.shift) + 1)
    }

    /// How many cells there are.
    pub(super) fn cell_count(&self) -> usize {
        self.counts().iter().map(|&count| count as usize).product()
    }

    /// The number of the cell at column and row.
    #[inline(always)]
    pub(super) fn number(&self, x: u32, y: u32) -> usize {
        y as usize * ((self.axes[0].last >> self.axes[0].shift) as usize + 1) + x as usize
    }

    /// The number of the cell that holds the centre of a box.
    #[inline(always)]
    pub(super) fn cell_of_center(&self, bounds: &RawAabb) -> usize {
        self.number(self.axes[0].cell(center(bounds, 0)), self.axes[1].cell(center(bounds, 1)))
    }

    /// The cell of a box's lower corner.
    #[inline(always)]
    pub(super) fn min_cell(&self, bounds: &RawAabb) -> [u32; 2] {
        [self.axes[0].cell(bounds[0]), self.axes[1].cell(bounds[1])]
    }

    /// The cells that a box touches; never none, not even of [`NOTHING`].
    #[inline(always)]
    pub(super) fn range(&self, bounds: &RawAabb) -> CellRange {
        let min = self.min_cell(bounds);
        let max = [self.axes[0].cell(bounds[2]).max(min[0]), self.axes[1].cell(bounds[3]).max(min[1])];
        CellRange { min, max }
    }

    /// Of the cells that a box touches, whether (x, y), which is one of them, is the one nearest to `from`. Whoever comes
    /// upon a box in several cells, and holds to one `from`, has it once.
    #[inline(always)]
    pub(super) fn is_nearest(&self, from: [u32; 2], bounds: &RawAabb, x: u32, y: u32) -> bool {
        let on = |axis: usize, at: u32| match at.cmp(&from[axis]) {
            Ordering::Less => self.axes[axis].cell(bounds[axis + 2]) == at,
            Ordering::Equal => true,
            Ordering::Greater => self.axes[axis].cell(bounds[axis]) == at,
        };
        on(0, x) && on(1, y)
    }

    /// M3: the middle of a cell on an axis; none if there is no such cell.
    pub(super) fn middle(&self, axis: usize, cell: u32) -> Option<f64> {
        let middle = || self.axes[axis].end_of(f64::from(cell) + 0.5);
        (cell < self.counts()[axis]).then(middle).filter(|middle| middle.is_finite())
    }

    /// M3: the shorter side of a cell, more than 0; the largest number if no length is known.
    pub(super) fn side(&self, cell: [u32; 2]) -> f64 {
        let on = |axis: usize| {
            let end = |cell: f64| self.axes[axis].end_of(cell);
            end(f64::from(cell[axis]) + 1.0) - end(f64::from(cell[axis]))
        };
        let known = [on(0), on(1)].into_iter().filter(|side| *side > 0.0 && side.is_finite());
        known.fold(f64::from(f32::MAX), f64::min)
    }

    /// M3: where cells begin and end on an axis.
    pub(super) fn ends(&self, axis: usize) -> [f64; 2] {
        let axis = &self.axes[axis];
        [axis.end_of(0.0), axis.end_of(f64::from(axis.last >> axis.shift) + 1.0)]
    }

    /// M3: the borders of a cell. Cells at the rim have none on that side.
    pub(super) fn borders(&self, x: u32, y: u32) -> RawAabb {
        let [columns, rows] = self.counts();
        let low =
            |axis: usize, k: u32| if k == 0 { f32::NEG_INFINITY } else { self.axes[axis].end_of(k.into()) as f32 };
        let high = |axis: usize, k: u32, count: u32| {
            if k + 1 >= count { f32::INFINITY } else { self.axes[axis].end_of(f64::from(k) + 1.0) as f32 }
        };
        [low(0, x), low(1, y), high(0, x, columns), high(1, y, rows)]
    }

    /// The grid with 2^shift cells joined to one on each axis.
    pub(super) fn joined(mut self, shifts: [u32; 2]) -> Self {
        for (axis, shift) in self.axes.iter_mut().zip(shifts) {
            axis.shift = (axis.shift + shift).min(u32::BITS - 1);
        }
        self
    }

    /// T5: the grid, coarsened until `cells` have no more than `entries_max` entries in it: each time on the axis that
    /// helps most. A grid of one cell has an entry a cell, so it ends.
    pub(super) fn coarsened(mut self, cells: &[LooseCell], entries_max: usize) -> Self {
        // A sample says how far to go, so that no more than a few passes are made over all cells.
        for step in [cells.len() / COARSEN_SAMPLE + 1, 1] {
            let entries_max = entries_max / step;
            while self.cell_count() > 1 && self.entry_count(cells, step) > entries_max as u64 {
                let [x, y] = [self.joined([1, 0]), self.joined([0, 1])];
                let narrower = self.counts()[0] > 1;
                let lower = self.counts()[1] > 1;
                let x_first = narrower && (!lower || x.entry_count(cells, step) <= y.entry_count(cells, step));
                self = if x_first { x } else { y };
            }
        }
        self
    }

    fn entry_count(&self, cells: &[LooseCell], step: usize) -> u64 {
        let held = cells.iter().step_by(step).filter(|cell| cell.bounds != NOTHING);
        held.map(|cell| self.range(&cell.bounds).count() as u64).sum()
    }
}

/// From a length to cells. Sides of no length, or not to be had in f32, give a number that is not negative (M1).
fn inverse(count: u32, side: f64) -> f32 {
    let inverse = (f64::from(count) / side) as f32;
    if inverse >= 0.0 { inverse } else { 0.0 }
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

    /// Columns and rows of the cells that `other` has not, in a time that depends on them alone: rows before and behind the
    /// other, then what is left of columns beside it.
    pub(super) fn cells_without(self, other: Self) -> impl Iterator<Item = (u32, u32)> {
        let ends = |axis: usize| (self.min[axis]..self.max[axis] + 1, other.min[axis]..other.max[axis] + 1);
        let before = |own: &Range<u32>, other: &Range<u32>| own.start..own.end.min(other.start);
        let behind = |own: &Range<u32>, other: &Range<u32>| own.start.max(other.end)..own.end;
        let ((xs, x_other), (ys, y_other)) = (ends(0), ends(1));
        let rows = before(&ys, &y_other).chain(behind(&ys, &y_other));
        let columns = before(&xs, &x_other).chain(behind(&xs, &x_other));
        let shared = ys.start.max(y_other.start)..ys.end.min(y_other.end);
        rows.flat_map(move |y| xs.clone().map(move |x| (x, y)))
            .chain(columns.flat_map(move |x| shared.clone().map(move |y| (x, y))))
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
    fn warped_maps_are_monotone_and_part_clusters() {
        let mut knots = [0.0; PART_COUNT + 1];
        for (k, knot) in knots.iter_mut().enumerate() {
            *knot = if k < 10 {
                k as f32
            } else if k < 20 {
                10.0
            } else {
                1e7 + k as f32
            };
        }
        let map = GridMap::new([0.0; 2], [1e7, 1.0], [320, 1]).warped([&knots, &knots]).joined([1, 0]);
        assert_eq!(map.counts(), [160, 1]);
        let mut values: Vec<f32> = (0..4000).map(|k| k as f32 * 0.01).collect();
        values.extend(values.clone().iter().map(|v| 1e7 + v));
        values.extend([f32::NEG_INFINITY, -1e30, -0.0, 1e6, 1e30, f32::INFINITY]);
        values.sort_by(f32::total_cmp);
        let mut cells: Vec<_> = values.iter().map(|&v| map.axes[0].cell(v)).collect();
        assert!(cells.is_sorted());
        cells.dedup();
        assert!(cells.len() > 60, "{} of 160 cells are used", cells.len());
        assert_eq!(map.axes[0].cell(f32::NAN), 0);
    }

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
    fn coarsening_ends_within_the_bound() {
        let cells: Vec<_> = (0..5000)
            .map(|k| LooseCell { bounds: [0.0, k as f32, 5000.0, k as f32 + 0.5], ..LooseCell::EMPTY })
            .collect();
        let map = GridMap::new([0.0; 2], [5000.0; 2], [70, 70]).coarsened(&cells, 10_000);
        assert!(map.entry_count(&cells, 1) <= 10_000);
        assert_eq!(map.counts()[1], 70, "rows keep beams apart, columns do not");
    }
}
