//! From a coordinate to a column (or row) of a band's cells.
//!
//! Invariants, for the bodies whose boxes an axis was made from:
//! A1: the map is monotone over all of f32, infinities included.
//! A2: the upper edge of a box lies at most one cell after its lower edge.
//!
//! By A1 and A2 two boxes that overlap are filed, by their lower edges, at most one cell apart: say `a.min <= b.min`;
//! overlap means `b.min <= a.max`, so `cell(a.min) <= cell(b.min) <= cell(a.max) <= cell(a.min) + 1`.
//!
//! Three forms. *Linear*: equal cells. *Merged*: fine equal cells, of which sparse neighbours were joined (joining
//! keeps both invariants). *Borders*: found by comparison alone in the sorted edges, for worlds whose scale differs
//! so much from place to place that no equal cells would do.

use glam::Vec4;

/// Most fine cells of an axis.
///
/// A2 of a linear axis rests on it: a cell is wider than the largest box by [`SLACK`]; the three roundings of
/// `(v - origin) * inverse - 0.5` move each edge by at most 3 * 2^-24 of the number of cells, so two edges by
/// 6 * 2^-24 * 2^15 < 0.012 cells, which is less than the slack.
pub(crate) const FINE_MAX: usize = 1 << 15;

/// How much wider than the largest box a cell is at least.
pub(crate) const SLACK: f32 = 1.0 + 1.0 / 64.0;

/// How an axis maps; its table, if any, is kept beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum AxisMap {
    /// `(v - origin) * inverse`, cut off at both ends.
    Linear { origin: f32, inverse: f32 },
    /// The same on `fine` cells, then through a table.
    Merged { origin: f32, inverse: f32, fine: u32 },
    /// How many borders are at or below.
    #[default]
    Borders,
}

/// An axis and its table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis<'a> {
    pub(crate) map: AxisMap,
    pub(crate) count: usize,
    /// Merged: the cell of each fine cell, as u16. Borders: the first key of each cell but the first.
    pub(crate) table: &'a [u32],
}

impl Axis<'_> {
    #[inline]
    pub(crate) fn cell(&self, v: f32) -> usize {
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
}

impl Axis<'_> {
    /// Whether a box that begins in `cell` and ends at `high` reaches into the next cell (A2: and no further).
    #[inline]
    pub(crate) fn reaches_on(&self, cell: usize, high: f32) -> bool {
        match self.map {
            AxisMap::Borders => self.table.get(cell).is_some_and(|&border| border <= ordered_key(high)),
            _ => self.cell(high) > cell,
        }
    }
}

impl Axis<'_> {
    /// About how wide the cell at a coordinate is, of an axis whose bodies begin from `low` to `high`.
    pub(crate) fn width_at(&self, v: f32, [low, high]: [f32; 2]) -> f64 {
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

    /// About where a cell begins, of an axis whose bodies begin from `low` to `high`.
    pub(crate) fn low_edge(&self, cell: usize, [low, high]: [f32; 2]) -> f64 {
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

/// `inverse` is finite and at least 0, `count` at most 2^22.
#[inline(always)]
pub(crate) fn linear_cell(v: f32, origin: f32, inverse: f32, count: usize) -> usize {
    floor_within((v - origin) * inverse, (count - 1) as f32) as usize
}

/// 2^23: a sum with it has no bits left for fractions, and its low bits are the whole number.
const WHOLE: f32 = 8_388_608.0;

/// The whole number nearest to `t - 0.5`, between 0 and `last`: monotone like the floor, and cheaper than a cast, which
/// has to mind numbers that no integer holds. NaN (infinity times 0) becomes 0.
#[inline(always)]
pub(crate) fn floor_within(t: f32, last: f32) -> u32 {
    let t = t - 0.5;
    let t = if t > 0.0 { t } else { 0.0 };
    let t = if t < last { t } else { last };
    low_bits(t + WHOLE)
}

/// [`floor_within`] of four numbers, before [`low_bits`].
#[inline(always)]
pub(crate) fn wholes_within(t: Vec4, lasts: Vec4) -> Vec4 {
    let t = t - 0.5;
    // Not `max`, which some processors let return NaN.
    Vec4::select(t.cmpgt(Vec4::ZERO), t, Vec4::ZERO).min(lasts) + WHOLE
}

/// The whole number that was added to [`WHOLE`].
#[inline(always)]
pub(crate) fn low_bits(whole: f32) -> u32 {
    whole.to_bits() & 0x007F_FFFF
}

/// Bits that order as the numbers do; -0 and 0 are one.
#[inline(always)]
pub(crate) fn ordered_key(v: f32) -> u32 {
    let bits = (v + 0.0).to_bits();
    bits ^ (((bits as i32) >> 31) as u32 | 1 << 31)
}

/// The number whose [`ordered_key`] this is.
fn of_ordered_key(key: u32) -> f32 {
    f32::from_bits(if key >> 31 == 1 { key ^ 1 << 31 } else { !key })
}

/// What an axis of a band is made from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    /// Lowest and highest lower edge.
    pub(crate) min: f32,
    pub(crate) max: f32,
    /// Largest box.
    pub(crate) side: f32,
}

impl Extent {
    /// How many equal cells there may be (A2), at most `limit`.
    pub(crate) fn cells_max(&self, limit: usize) -> usize {
        let spread = self.max - self.min;
        let cells = spread / (self.side * SLACK);
        // NaN is 0 / 0: all on one line, and points.
        if cells.is_nan() || !spread.is_finite() { 1 } else { (cells as usize).clamp(1, limit.min(FINE_MAX)) }
    }

    /// Origin and inverse of `count` equal cells.
    pub(crate) fn linear(&self, count: usize) -> (f32, f32) {
        let inverse = count as f32 / (self.max - self.min);
        // A spread so small that its inverse overflows, or none: one cell.
        (self.min, if count > 1 && inverse.is_finite() { inverse } else { 0.0 })
    }
}

/// Joins neighbouring fine cells while they hold at most `target` together, writes the table and returns how many cells
/// are left.
pub(crate) fn merge(histogram: &[u32], target: f32, table: &mut [u16]) -> usize {
    let (mut cell, mut held) = (0u16, 0u32);
    for (&population, slot) in histogram.iter().zip(table) {
        if held > 0 && (held + population) as f32 > target {
            cell += 1;
            held = 0;
        }
        held += population;
        *slot = cell;
    }
    usize::from(cell) + 1
}

/// The two edges of a box on an axis as one number, which orders by the lower.
#[inline(always)]
pub(crate) fn edges_key(low: f32, high: f32) -> u64 {
    u64::from(ordered_key(low)) << 32 | u64::from(ordered_key(high))
}

/// Finds borders in sorted [`edges_key`]s: a cell is closed when it holds `target` and A2 allows. Returns how many borders
/// were written; at most `borders.len()`.
pub(crate) fn find_borders(sorted: &[u64], target: usize, borders: &mut [u32]) -> usize {
    let (mut found, mut held) = (0, 0);
    // Highest upper edge of the cells before the present one, and of all so far.
    let (mut closed_max, mut seen_max) = (0, 0);
    let mut last = 0;
    for &edges in sorted {
        let (min, max) = ((edges >> 32) as u32, edges as u32);
        // A2: whoever is two cells before must end before this border.
        if held >= target && min > last && (found == 0 || min > closed_max) && found < borders.len() {
            borders[found] = min;
            found += 1;
            held = 0;
            closed_max = seen_max;
        }
        held += 1;
        seen_max = seen_max.max(max);
        last = min;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_order_as_numbers_do() {
        let ascending = [f32::NEG_INFINITY, f32::MIN, -1.0, -1e-40, 0.0, 1e-40, 1.0, f32::MAX, f32::INFINITY];
        assert!(ascending.map(ordered_key).is_sorted());
        assert_eq!(ordered_key(-0.0), ordered_key(0.0));
        assert_eq!(ascending.map(|v| of_ordered_key(ordered_key(v))), ascending);
    }

    #[test]
    fn four_cells_are_as_one() {
        let odd =
            [f32::NAN, f32::NEG_INFINITY, f32::MIN, -1.0, -0.0, 0.0, 1e-40, 0.5, 0.99999994, 1.0, 1.5, 2.5, 2.4999998];
        let odd = odd.into_iter().chain([31_999.5, 32_766.5, 32_767.5, 4e6, f32::MAX, f32::INFINITY]);
        for (t, last) in odd.flat_map(|t| [0.0, 1.0, 3.0, (FINE_MAX - 1) as f32].map(|last| (t, last))) {
            let four = wholes_within(Vec4::splat(t), Vec4::splat(last)).to_array().map(low_bits);
            assert_eq!(four, [floor_within(t, last); 4], "{t} of {last}");
        }
    }

    #[test]
    fn linear_cells_keep_a2_at_the_worst_places() {
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
                let axis = Axis { map: AxisMap::Linear { origin, inverse }, count, table: &[] };
                for (min, max) in boxes {
                    assert!(axis.cell(max) <= axis.cell(min) + 1, "{min} to {max}");
                }
            }
        }
    }

    #[test]
    fn linear_cells_keep_a2_to_the_last_bit() {
        // Boxes as large as they come that begin just below a border, in axes of as many cells as there may be: where
        // rounding does its worst. Cells just as wide as the largest box would fail here.
        for (origin, side) in [(0.0f32, 1.0f32), (-3.7e4, 0.9), (1e-3, 3e-7), (-1e7, 1013.0), (7e6, 250.0)] {
            for cells in [5, 1000, FINE_MAX] {
                let max = origin + side * SLACK * cells as f32 * (1.0 + f32::EPSILON);
                let extent = Extent { min: origin, max, side };
                let count = extent.cells_max(FINE_MAX);
                let (origin, inverse) = extent.linear(count);
                let axis = Axis { map: AxisMap::Linear { origin, inverse }, count, table: &[] };
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
    fn borders_keep_a2() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) as f32 / (1 << 24) as f32
        };
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
            let axis = Axis { map: AxisMap::Borders, count: found + 1, table: &table[..found] };
            assert!(found > 1);
            for (min, max) in edges {
                assert!(axis.cell(max) <= axis.cell(min) + 1);
            }
        }
    }

    #[test]
    fn merging_is_monotone_and_keeps_full_cells_apart() {
        let mut table = [0u16; 7];
        assert_eq!(merge(&[5, 5, 0, 0, 1, 1, 5], 5.0, &mut table), 4);
        assert_eq!(table, [0, 1, 1, 1, 2, 2, 3]);
    }
}
