//! Maps a coordinate to a column (or row) of a band's cells.
//!
//! For the boxes that an axis was made from:
//! - AXIS-1: the map from coordinates to cells is monotone over all of f32, infinities included.
//! - AXIS-2: the upper edge of a box is at most one cell after its lower edge.
//!
//! So two boxes that overlap are filed, by their lower edges, at most one cell apart: say `a.min <=
//! b.min`; overlap means `b.min <= a.max`, and therefore `cell(a.min) <= cell(b.min) <= cell(a.max)
//! <= cell(a.min) + 1`. Columns that are finer than boxes (BAND-2) keep AXIS-1 alone.
//!
//! An axis has one of three forms. *Linear*: equal cells. *Merged*: fine equal cells, of which
//! sparse neighbors were joined (joining keeps both invariants). *Borders*: cells of any width,
//! found by comparison with sorted borders, for worlds whose scale differs too much from place to
//! place for equal cells.

use crate::memory::partition_points::partition_points;
use glam::Vec4;

/// Most equal cells of an axis.
///
/// AXIS-2 depends on it: the two roundings of `(v - origin) * inverse` move an edge by at most
/// 2 * 2^-24 of the number of cells, so two edges by at most 4 * 2^-24 * 2^15 < 0.008 cells.
/// [`SLACK`] makes a cell wider than the largest box by more than that.
pub(super) const FINE_MAX: usize = 1 << 15;

/// A cell is at least this many times as wide as the largest box.
pub(super) const SLACK: f32 = 1.0 + 1.0 / 64.0;

/// How an axis maps coordinates to cells; its table, if any, is stored apart.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum AxisMap {
    /// `(v - origin) * inverse`, clamped to the cells.
    Linear { origin: f32, inverse: f32 },
    /// Linear on `fine` cells, then through a table.
    Merged { origin: f32, inverse: f32, fine: u32 },
    /// The number of borders at or below the coordinate.
    #[default]
    Borders,
}

/// Coordinates that are looked up at once.
pub(super) const CELLS_AT_ONCE: usize = 8;

/// One axis of a band's cells: its map and its table.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellAxis<'a> {
    pub(super) map: AxisMap,
    pub(super) count: usize,
    /// Merged: the cell of each fine cell, as u16. Borders: the first [`ordered_key`] of each cell
    /// but the first.
    pub(super) table: &'a [u32],
}

impl CellAxis<'_> {
    /// The cell at a coordinate; the first or last one for coordinates outside.
    #[inline]
    pub(super) fn cell(&self, v: f32) -> usize {
        match self.map {
            AxisMap::Linear { origin, inverse } => linear_cell(v, origin, inverse, self.count),
            AxisMap::Merged { origin, inverse, fine } => {
                let table: &[u16] = bytemuck::cast_slice(self.table);
                usize::from(table[linear_cell(v, origin, inverse, fine as usize)])
            }
            AxisMap::Borders => {
                let key = ordered_key(v);
                self.table.partition_point(|&border| border <= key)
            }
        }
    }

    /// The cell at each of several coordinates.
    #[inline]
    pub(super) fn cells(&self, v: [f32; CELLS_AT_ONCE]) -> [usize; CELLS_AT_ONCE] {
        match self.map {
            AxisMap::Borders => partition_points(self.table, v.map(ordered_key), |border, key| border <= key),
            _ => v.map(|v| self.cell(v)),
        }
    }

    /// Whether a box that begins in `cell` and ends at `high` reaches into the next cell (and no
    /// further, AXIS-2).
    #[inline]
    pub(super) fn reaches_on(&self, cell: usize, high: f32) -> bool {
        match self.map {
            AxisMap::Borders => self.table.get(cell).is_some_and(|&border| border <= ordered_key(high)),
            _ => self.cell(high) > cell,
        }
    }

    /// Approximate width of the cell at a coordinate, for lower edges from `low` to `high`.
    pub(super) fn width_at(&self, v: f32, [low, high]: [f32; 2]) -> f64 {
        match self.map {
            AxisMap::Linear { inverse, .. } | AxisMap::Merged { inverse, .. } if inverse == 0.0 => {
                f64::from(high) - f64::from(low)
            }
            AxisMap::Linear { inverse, .. } => 1.0 / f64::from(inverse),
            AxisMap::Merged { .. } | AxisMap::Borders => {
                let cell = self.cell(v);
                self.low_edge(cell + 1, [low, high]) - self.low_edge(cell, [low, high])
            }
        }
    }

    /// Approximately where a cell begins, for lower edges from `low` to `high`.
    pub(super) fn low_edge(&self, cell: usize, [low, high]: [f32; 2]) -> f64 {
        if cell == 0 || cell >= self.count {
            return f64::from(if cell == 0 { low } else { high });
        }
        match self.map {
            AxisMap::Linear { origin, inverse } => f64::from(origin) + cell as f64 / f64::from(inverse),
            AxisMap::Merged { origin, inverse, fine } => {
                let table: &[u16] = bytemuck::cast_slice(self.table);
                let first = table[..fine as usize].partition_point(|&of_fine| usize::from(of_fine) < cell);
                f64::from(origin) + first as f64 / f64::from(inverse)
            }
            AxisMap::Borders => f64::from(of_ordered_key(self.table[cell - 1])),
        }
    }
}

/// The cell of a linear axis. `inverse` must be finite and at least 0, `count` at most 2^22.
#[inline(always)]
pub(super) fn linear_cell(v: f32, origin: f32, inverse: f32, count: usize) -> usize {
    floor_within((v - origin) * inverse, (count - 1) as f32) as usize
}

/// 2^23: a number from here to twice that has no bits left for a fraction.
pub(super) const WHOLE: f32 = 8_388_608.0;

/// The whole number nearest to `t - 0.5`, clamped to `0..=last`; 0 if `t` is NaN (infinity times
/// 0). Monotone like the floor, and cheaper than a saturating cast. `last` is at most 2^22.
///
/// The half is subtracted in the sum that drops the fraction.
#[inline(always)]
pub(super) fn floor_within(t: f32, last: f32) -> u32 {
    let t = at_least_half(t);
    let t = if t < last + 0.5 { t } else { last + 0.5 };
    low_bits(t + (WHOLE - 0.5))
}

/// [`floor_within`] for four numbers, still to be passed to [`low_bits`].
#[inline(always)]
pub(super) fn wholes_within(t: Vec4, lasts: Vec4) -> Vec4 {
    let half = Vec4::splat(0.5);
    // Each of these becomes vector instructions on its targets, and longer code on the others.
    let t = if cfg!(target_family = "wasm") {
        Vec4::select(t.cmpgt(half), t, half)
    } else {
        Vec4::from_array(t.to_array().map(at_least_half))
    };
    t.min(lasts + 0.5) + (WHOLE - 0.5)
}

/// `t`, but at least 0.5, which it is for NaN. On x86-64, `f32::max` takes several instructions.
#[inline(always)]
fn at_least_half(t: f32) -> f32 {
    if t > 0.5 { t } else { 0.5 }
}

/// `whole - WHOLE`, for a number from [`WHOLE`] to below twice that.
#[inline(always)]
pub(super) fn low_bits(whole: f32) -> u32 {
    whole.to_bits() & 0x007F_FFFF
}

/// An integer that orders as the number does; -0 and 0 have the same.
#[inline(always)]
pub(super) fn ordered_key(v: f32) -> u32 {
    let bits = (v + 0.0).to_bits();
    bits ^ (((bits as i32) >> 31) as u32 | 1 << 31)
}

/// The inverse of [`ordered_key`].
fn of_ordered_key(key: u32) -> f32 {
    f32::from_bits(if key >> 31 == 1 { key ^ 1 << 31 } else { !key })
}

/// Summary of a band's boxes on one axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// Lowest and highest lower edge.
    pub(super) min: f32,
    pub(super) max: f32,
    /// Side of the largest box.
    pub(super) side: f32,
}

impl Extent {
    /// The largest number of equal cells that AXIS-2 allows, at most `limit`.
    pub(super) fn cells_max(&self, limit: usize) -> usize {
        let spread = self.max - self.min;
        let cells = spread / (self.side * SLACK);
        // NaN is 0 / 0: points on one line.
        if cells.is_nan() || !spread.is_finite() { 1 } else { (cells as usize).clamp(1, limit.min(FINE_MAX)) }
    }

    /// Origin and inverse width of `count` equal cells.
    pub(super) fn linear(&self, count: usize) -> (f32, f32) {
        let inverse = count as f32 / (self.max - self.min);
        // One cell where the spread is 0, or so small that its inverse overflows, or so large that
        // it is subnormal: processors take a hundred times as long to multiply by such a number.
        (self.min, if count > 1 && inverse.is_normal() { inverse } else { 0.0 })
    }
}

/// Joins neighboring fine cells while they contain at most `target` bodies together. Writes the
/// cell of each fine cell to `table` and returns the number of cells.
pub(super) fn merge_cells(histogram: &[u32], target: f32, table: &mut [u16]) -> usize {
    let (mut cell, mut in_cell) = (0u16, 0u32);
    for (&population, slot) in histogram.iter().zip(table) {
        if in_cell > 0 && (in_cell + population) as f32 > target {
            cell += 1;
            in_cell = 0;
        }
        in_cell += population;
        *slot = cell;
    }
    usize::from(cell) + 1
}

/// The two edges of a box on an axis as one number that orders by the lower edge.
#[inline(always)]
pub(super) fn edges_key(low: f32, high: f32) -> u64 {
    u64::from(ordered_key(low)) << 32 | u64::from(ordered_key(high))
}

/// Finds borders in sorted [`edges_key`]s: a cell ends once it contains `target` boxes and AXIS-2
/// allows it. Returns the number of borders written, at most `borders.len()`.
pub(super) fn find_borders(sorted: &[u64], target: usize, borders: &mut [u32]) -> usize {
    let (mut found, mut in_cell) = (0, 0);
    // Highest upper edge in the finished cells, and in all cells so far.
    let (mut finished_max, mut seen_max) = (0, 0);
    let mut last = 0;
    for &edges in sorted {
        let (min, max) = ((edges >> 32) as u32, edges as u32);
        // Boxes two cells before must end before this border (AXIS-2).
        if in_cell >= target && min > last && (found == 0 || min > finished_max) && found < borders.len() {
            borders[found] = min;
            found += 1;
            in_cell = 0;
            finished_max = seen_max;
        }
        in_cell += 1;
        seen_max = seen_max.max(max);
        last = min;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use triphase_scenes::SplitMix64;

    #[test]
    fn ordered_keys_order_as_numbers_do() {
        let ascending = [f32::NEG_INFINITY, f32::MIN, -1.0, -1e-40, 0.0, 1e-40, 1.0, f32::MAX, f32::INFINITY];
        assert!(ascending.map(ordered_key).is_sorted());
        assert_eq!(ordered_key(-0.0), ordered_key(0.0));
        assert_eq!(ascending.map(|v| of_ordered_key(ordered_key(v))), ascending);
    }

    #[test]
    fn floors_are_those_of_exact_numbers() {
        let odd =
            [f32::NAN, f32::NEG_INFINITY, f32::MIN, -1.0, -0.0, 0.0, 1e-40, 0.5, 0.99999994, 1.0, 1.5, 2.5, 2.4999998];
        let odd = odd.into_iter().chain([31_999.5, 32_766.5, 32_767.5, 4e6, f32::MAX, f32::INFINITY]);
        let lasts = [0.0, 1.0, 3.0, (FINE_MAX - 1) as f32, 4_194_303.0, 4_194_304.0];
        let near = lasts.into_iter().flat_map(|last| [last, last + 0.5, last + 1.0]);
        let odd = odd.chain(near).flat_map(|t| [t.next_down(), t, t.next_up()]);
        for (t, last) in odd.flat_map(|t| lasts.map(|last| (t, last))) {
            let exact = (f64::from(t) - 0.5).round_ties_even().clamp(0.0, f64::from(last));
            assert_eq!(floor_within(t, last), exact as u32, "{t} of {last}");
            let four = wholes_within(Vec4::splat(t), Vec4::splat(last)).to_array().map(low_bits);
            assert_eq!(four, [floor_within(t, last); 4], "{t} of {last}");
        }
    }

    #[test]
    fn linear_cells_keep_axis_2_along_a_row_of_boxes() {
        for (origin, scale) in [(0.0f32, 1.0f32), (-7e3, 0.3), (1e7, 1.0), (-1e-6, 1e-7), (2e7, 1.0)] {
            for cells in [2usize, 100, FINE_MAX] {
                let mut side = 0.0f32;
                let span = (cells as f32) * scale * SLACK * 1.001;
                let boxes: Vec<(f32, f32)> = (0..20_000)
                    .map(|k| origin + span * (k as f32 / 20_000.0))
                    .map(|min| (min, min + scale))
                    .inspect(|(min, max)| side = side.max(max - min))
                    .collect();
                let max = boxes.iter().map(|b| b.0).fold(f32::MIN, f32::max);
                let extent = Extent { min: origin, max, side };
                let count = extent.cells_max(FINE_MAX);
                let (origin, inverse) = extent.linear(count);
                let axis = CellAxis { map: AxisMap::Linear { origin, inverse }, count, table: &[] };
                for (min, max) in boxes {
                    assert!(axis.cell(max) <= axis.cell(min) + 1, "{min} to {max}");
                }
            }
        }
    }

    #[test]
    fn linear_cells_keep_axis_2_to_the_last_bit() {
        // The largest boxes, beginning just below a border, on axes with the most cells allowed:
        // the worst case for rounding. Cells exactly as wide as the largest box would fail here.
        for (origin, side) in [(0.0f32, 1.0f32), (-3.7e4, 0.9), (1e-3, 3e-7), (-1e7, 1013.0), (7e6, 250.0)] {
            for cells in [5, 1000, FINE_MAX] {
                let max = origin + side * SLACK * cells as f32 * (1.0 + f32::EPSILON);
                let extent = Extent { min: origin, max, side };
                let count = extent.cells_max(FINE_MAX);
                let (origin, inverse) = extent.linear(count);
                let axis = CellAxis { map: AxisMap::Linear { origin, inverse }, count, table: &[] };
                for border in (1..count).rev().take(3000) {
                    let mut low = origin + border as f32 / inverse;
                    (0..8).for_each(|_| low = low.next_up());
                    for _ in 0..16 {
                        let mut high = low + side;
                        while high.next_up() - low <= side {
                            high = high.next_up();
                        }
                        while high - low > side {
                            high = high.next_down();
                        }
                        assert!(axis.cell(high) <= axis.cell(low) + 1, "{low} to {high}, {count} cells");
                        low = low.next_down();
                    }
                }
            }
        }
    }

    #[test]
    fn borders_keep_axis_2() {
        let mut rng = SplitMix64::new(1);
        let mut random = || rng.range(0.0, 1.0);
        for target in [1, 3, 50] {
            let mut edges: Vec<(f32, f32)> = (0..2000)
                .map(|_| {
                    let min = 2f32.powf(random() * 60.0 - 30.0) * if random() < 0.5 { -1.0 } else { 1.0 };
                    (min, min + min.abs() * random() * 0.1)
                })
                .collect();
            edges.sort_by(|a, b| a.0.total_cmp(&b.0));
            let keys: Vec<u64> = edges.iter().map(|&(a, b)| edges_key(a, b)).collect();
            let mut table = vec![0; 2000];
            let found = find_borders(&keys, target, &mut table);
            let axis = CellAxis { map: AxisMap::Borders, count: found + 1, table: &table[..found] };
            assert!(found > 1);
            for (min, max) in edges {
                assert!(axis.cell(max) <= axis.cell(min) + 1);
            }
        }
    }

    #[test]
    fn merging_is_monotone_and_keeps_full_cells_apart() {
        let mut table = [0u16; 7];
        assert_eq!(merge_cells(&[5, 5, 0, 0, 1, 1, 5], 5.0, &mut table), 4);
        assert_eq!(table, [0, 1, 1, 1, 2, 2, 3]);
    }
}
