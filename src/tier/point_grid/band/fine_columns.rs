//! Columns that are finer than bodies, for bands whose cells would be crowded.
//!
//! A cell is as wide as the widest body of its band and as high as the highest. In a mix of sizes,
//! or of wide and tall bodies, cells are therefore crowded. But only rows have to be as high as the
//! highest body: if columns are finer, a body is tested with those of its row that begin in the
//! columns it covers, as in a sweep along an axis, and the width of others does not matter. It only
//! does in the row below, which few bodies reach, and in searches for other boxes: there bodies may
//! begin as far before a box as the widest reaches.
//!
//! Columns divide x, along the band, or y, and there is one row or as many as the highest body
//! allows: whatever is estimated to test the fewest bodies.
//!
//! Cost: a few microseconds for the decision, if cells would be crowded.

use crate::memory::body_record::BodyRecord;
use crate::memory::cell_table::CellKey;
use crate::tier::point_grid::axis::{Extent, FINE_MAX, linear_cell};
use crate::tier::point_grid::band::cell_grid::{CellGrid, Layout};
use crate::tier::point_grid::band::equal_cells::{CellSize, equal_cells};
use crate::tier::sweep::axis_sample::{COMPARED, SAMPLED, beginning_around, beginning_in, some_of};

/// Even cells are crowded if each has more bodies than this.
const CROWDED_POPULATION: f64 = 16.0;

/// With more bodies than this in even cells, the band will be swept. It is not worth while to look
/// for better cells first, if a sweep tests few bodies with one.
const SWEPT_POPULATION: f64 = 256.0;
const SWEEP_TESTS_MAX: f64 = 64.0;

// Times, as numbers of tests for each body that take about as long.

/// To find cells that suit bodies which are not evenly distributed, beyond making fine columns.
const FIND_CELLS_TESTS: f64 = 20.0;

/// To sort the bodies for a sweep.
const SORT_TESTS: f64 = 64.0;

/// To test a body with those of the row below too, if there are several rows.
const ROW_BELOW_TESTS: f64 = 16.0;

/// Equal cells are kept if the estimate for fine columns is not better by this factor.
const CLEARLY_BETTER: f64 = 2.0;

/// Mean number of bodies in a cell. With fewer, the table of cells, which has an empty row below,
/// would not fit if there is one row (BAND-3).
const POPULATION: f32 = 2.8;

/// Estimates whether fine columns are faster than cells, before any are laid out.
#[derive(Clone, Copy)]
pub(super) struct FineEstimate<'a> {
    own: &'a [BodyRecord],
    extents: [Extent; 2],
    /// Bodies in one of equal cells, if they are evenly distributed.
    in_cell: f64,
    may_be_even: bool,
}

/// A layout that is worth a try before all others.
pub(super) struct FirstTry {
    pub(super) layout: Layout,
    /// Up to which crowding it is kept.
    pub(super) crowding_max: f32,
}

impl<'a> FineEstimate<'a> {
    /// `None` if no column may be finer than bodies.
    pub(super) fn new(
        own: &'a [BodyRecord],
        extents: [Extent; 2],
        cell_size: CellSize,
        may_be_even: bool,
    ) -> Option<Self> {
        if !cell_size.may_have_fine_columns() {
            return None;
        }
        let cells = equal_cells(own.len(), extents, cell_size);
        let in_cell = own.len() as f64 / (cells.column_count * cells.row_count) as f64;
        Some(Self { own, extents, in_cell, may_be_even })
    }

    /// The layout to try before all others, if one is worth that.
    pub(super) fn first_try(&self) -> Option<FirstTry> {
        let &Self { own, in_cell, may_be_even, extents } = self;
        if may_be_even && in_cell < CROWDED_POPULATION {
            return None;
        }
        let (layout, tests) = self.fewest_tests();
        if in_cell > SWEPT_POPULATION {
            let swept = [0, 1].map(|axis| beginning_in(axis, own, 0.0)).into_iter().fold(f64::INFINITY, f64::min);
            if swept < SWEEP_TESTS_MAX && swept + SORT_TESTS < tests {
                // All cells would be crowded, and the band will be swept.
                return Some(FirstTry { layout: Layout::Equal, crowding_max: f32::INFINITY });
            }
        }
        let crowding_max = if may_be_even {
            in_cell
        } else if tests < FIND_CELLS_TESTS + in_cell {
            FIND_CELLS_TESTS + in_cell
        } else {
            // No equal cell is smaller than the widest and the highest body.
            FIND_CELLS_TESTS + beginning_around(own, extents.map(|extent| extent.side))
        };
        (tests < crowding_max).then_some(FirstTry { layout, crowding_max: crowding_max as f32 })
    }

    /// Fine columns for bodies that are evenly distributed, if these are faster than equal cells
    /// with this crowding.
    pub(super) fn layout_if_faster_than(&self, crowding: f32) -> Option<Layout> {
        let (layout, tests) = self.fewest_tests();
        (tests < f64::from(crowding) / CLEARLY_BETTER).then_some(layout)
    }

    /// The fine columns that test the fewest bodies with one, and how many they test.
    fn fewest_tests(&self) -> (Layout, f64) {
        let mut best = (Layout::Equal, f64::INFINITY);
        for (rows_max, axis) in [(1, 0), (1, 1), (usize::MAX, 0), (usize::MAX, 1)] {
            if rows_max > 1 && best.1 <= 2.0 * ROW_BELOW_TESTS {
                // Several rows could hardly save anything.
                break;
            }
            let cells = fine_columns(self.own.len(), self.extents, axis, rows_max);
            if rows_max > 1 && cells.row_count == 1 {
                // That was tried.
                continue;
            }
            let tests = self.tests(axis, &cells);
            if tests < best.1 {
                best = (Layout::FineColumns { axis, rows_max }, tests);
            }
        }
        best
    }

    /// About how many bodies are tested with one in fine columns, which divide an axis.
    fn tests(&self, axis: usize, cells: &CellGrid) -> f64 {
        let Extent { min, max, .. } = self.extents[axis];
        let column = (max - min) / cells.column_count as f32;
        match cells.row_count {
            1 => beginning_in(axis, self.own, column),
            _ => self.tests_in_rows(axis, column, cells.row_count) + ROW_BELOW_TESTS,
        }
    }

    /// The same for columns of a given width, in several rows.
    fn tests_in_rows(&self, axis: usize, column: f32, row_count: usize) -> f64 {
        let (own, side, across) = (self.own, self.extents[axis].side, 1 - axis);
        let (origin, inverse) = self.extents[across].linear(row_count);
        let row_of = |v: f32| linear_cell(v, origin, inverse, row_count) as f32;
        let sampled = some_of(own, SAMPLED);
        let count = sampled.len();
        let (mut lows, mut rows) = ([0.0; SAMPLED], [0.0; SAMPLED]);
        for ((BodyRecord { aabb, .. }, low), row) in sampled.zip(&mut lows).zip(&mut rows) {
            (*low, *row) = (aabb[axis], row_of(aabb[across]));
        }
        let (mut tests, mut pairs) = (0u32, 0);
        for BodyRecord { aabb, .. } in some_of(own, COMPARED) {
            let (from, to) = (aabb[axis], aabb[axis + 2] + column);
            let tests_in = |row: f32, from: f32| {
                let is_tested = |(&low, &of): (&f32, &f32)| u32::from((of == row) & (from <= low) & (low <= to));
                lows[..count].iter().zip(&rows).map(is_tested).sum::<u32>()
            };
            let [first_row, last_row] = [aabb[across], aabb[across + 2]].map(row_of);
            tests += tests_in(first_row, from);
            if last_row > first_row {
                tests += tests_in(last_row, from - side - column);
            }
            pairs += count;
        }
        f64::from(tests) / pairs.max(1) as f64 * own.len() as f64
    }
}

/// Fine columns for so many bodies, which divide an axis. There are at most `rows_max` rows, and no
/// more than AXIS-2 and BAND-3 allow.
pub(super) fn fine_columns(population: usize, extents: [Extent; 2], axis: usize, rows_max: usize) -> CellGrid {
    let mut rows = extents[1 - axis].cells_max(population).min(rows_max);
    let Extent { min, max, side } = extents[axis];
    let spread = max - min;
    // So wide that no body reaches further than a key can tell.
    let most = spread / side * (CellKey::RIGHT_MAX - 2) as f32;
    let wanted = (population as f32 / POPULATION / rows as f32).min(most);
    let columns = if spread.is_finite() { (wanted as usize).clamp(1, FINE_MAX) } else { 1 };
    while !CellGrid::fits(population, columns, rows) {
        rows = (rows * 3 / 4).max(1);
    }
    CellGrid::fine_columns(population, extents, axis, [columns, rows])
}

/// How many columns a body reaches beyond its own, at most; at least one.
pub(super) fn columns_reached(keys: &[u32]) -> usize {
    keys.iter().map(|&key| CellKey(key).right()).fold(1, usize::max)
}

/// How many bodies are tested with another one, in all, if bodies reach so many columns.
pub(super) fn test_count(keys: &[u32], starts: &[u32], stride: usize, columns_reached: usize) -> u64 {
    let (mut ends, mut below) = (0, 0);
    for key in keys.iter().copied().map(CellKey) {
        let end = key.cell() + 1 + key.right();
        ends += u64::from(starts[end]);
        if key.below() == 1 {
            let row = key.cell() / stride * stride;
            let first = key.cell().saturating_sub(columns_reached).max(row) + stride;
            below += u64::from(starts[end + stride] - starts[first]);
        }
    }
    let population = keys.len() as u64;
    ends - population * (population + 1) / 2 + below
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tier::point_grid::axis::AxisMap;
    use triphase_scenes::SplitMix64;

    /// Boxes in an area of 3,000 x 100, as wide and high as `sides` says.
    fn band(sides: impl Fn(usize, &mut SplitMix64) -> [f32; 2]) -> Vec<BodyRecord> {
        let mut random = SplitMix64::new(11);
        let mut record = |row: usize| {
            let [width, height] = sides(row, &mut random);
            let (x, y) = (random.range(0.0, 3000.0), random.range(0.0, 100.0));
            BodyRecord { aabb: [x, y, x + width, y + height], row: row as u32 }
        };
        (0..5000).map(&mut record).collect()
    }

    fn extents(own: &[BodyRecord]) -> [Extent; 2] {
        [0, 1].map(|axis| {
            let lows = || own.iter().map(|record| record.aabb[axis]);
            let side = own.iter().map(|record| record.aabb[axis + 2] - record.aabb[axis]).fold(0.0, f32::max);
            Extent { min: lows().fold(f32::INFINITY, f32::min), max: lows().fold(f32::NEG_INFINITY, f32::max), side }
        })
    }

    fn first_try(own: &[BodyRecord], cell_size: CellSize, may_be_even: bool) -> Option<Layout> {
        let estimate = FineEstimate::new(own, extents(own), cell_size, may_be_even)?;
        estimate.first_try().map(|first| first.layout)
    }

    #[test]
    fn bodies_of_many_sizes_are_in_fine_columns_unless_cells_suit_them() {
        let is_fine = |own: &[BodyRecord]| {
            matches!(first_try(own, CellSize::ForOwnPairs, true), Some(Layout::FineColumns { .. }))
        };
        let wide_or_tall = |k: usize| if k.is_multiple_of(2) { [60.0, 0.1] } else { [0.1, 60.0] };
        let mixed = band(|k, _| wide_or_tall(k));
        assert!(is_fine(&mixed), "wide and tall ones");
        assert!(
            is_fine(&band(|k, _| if k.is_multiple_of(50) { [60.0, 60.0] } else { [1.0, 1.0] })),
            "a few large ones"
        );
        assert!(!is_fine(&band(|_, random| [random.range(4.0, 8.0); 2])), "alike ones");
        assert!(!is_fine(&band(|_, _| [500.0, 40.0])), "many are beside each other");
        assert_eq!(first_try(&mixed, CellSize::ForSearches, true), None);
        assert_eq!(first_try(&mixed, CellSize::Given(1.0), true), None);
    }

    #[test]
    fn there_are_several_rows_where_these_save_tests() {
        let rows_max = |own: &[BodyRecord]| match first_try(own, CellSize::ForOwnPairs, true) {
            Some(Layout::FineColumns { rows_max, .. }) => rows_max,
            other => panic!("{other:?}"),
        };
        let large = |k: usize, height: f32| if k.is_multiple_of(50) { [200.0, height] } else { [30.0, 1.0] };
        assert!(rows_max(&band(|k, _| large(k, 10.0))) > 1, "ten rows");
        assert_eq!(rows_max(&band(|k, _| large(k, 90.0))), 1, "one is as high as the band");
        assert_eq!(
            rows_max(&band(|k, _| [if k.is_multiple_of(50) { 60.0 } else { 0.1 }, 40.0])),
            1,
            "few are beside each other"
        );
    }

    #[test]
    fn columns_divide_the_axis_on_which_fewer_are_beside_each_other() {
        // As long as the band, and beside few others across it.
        let beams = band(|k, _| [3000.0, if k % 100 == 1 { 50.0 } else { 0.1 }]);
        let Some(Layout::FineColumns { axis: 1, .. }) = first_try(&beams, CellSize::ForOwnPairs, true) else {
            panic!("beams")
        };
        let tall = band(|k, _| [if k % 100 == 1 { 500.0 } else { 0.1 }, 90.0]);
        let Some(Layout::FineColumns { axis: 0, .. }) = first_try(&tall, CellSize::ForOwnPairs, true) else {
            panic!("tall")
        };
    }

    #[test]
    fn a_band_is_not_laid_out_in_vain() {
        // On a diagonal few are beside each other, although all are in a few parts of the area.
        let diagonal: Vec<_> = (0..5000u16).map(|k| [f32::from(k); 4]).collect();
        let diagonal: Vec<_> = diagonal.iter().map(|&aabb| BodyRecord { aabb, row: 0 }).collect();
        let Some(Layout::FineColumns { axis: 0, .. }) = first_try(&diagonal, CellSize::ForOwnPairs, false) else {
            panic!("a diagonal")
        };
        assert_eq!(first_try(&diagonal, CellSize::ForOwnPairs, true), None, "cells suit them");
        // As long as the band, and one as high: it reaches all columns, so these are wide.
        let line = |k: u16, height: f32| [0.0, f32::from(k), 1e5, f32::from(k) + height];
        let lines = (0..20_000u16).map(|k| line(k, if k == 7 { 2e4 } else { 0.1 }));
        let lines: Vec<_> = lines.map(|aabb| BodyRecord { aabb, row: 0 }).collect();
        assert_eq!(first_try(&lines, CellSize::ForOwnPairs, true), Some(Layout::Equal));
    }

    #[test]
    fn columns_are_no_narrower_than_keys_can_tell() {
        let mut own = band(|_, _| [1.0, 1.0]);
        // Nearly as wide as the band.
        own[7].aabb = [1.0, 5.0, 2901.0, 6.0];
        let cells = fine_columns(own.len(), extents(&own), 0, 1);
        let AxisMap::Linear { origin, inverse } = cells.x else { panic!("equal columns") };
        let column = |v: f32| linear_cell(v, origin, inverse, cells.column_count);
        let reached = own.iter().map(|record| column(record.aabb[2]) - column(record.aabb[0])).max();
        assert!(reached <= Some(CellKey::RIGHT_MAX) && reached > Some(CellKey::RIGHT_MAX / 2), "{reached:?}");
    }

    #[test]
    fn columns_are_measured_as_they_are_scanned() {
        // Two bodies in the first column, one of which reaches two columns on; one in each other.
        let keys = [(1, 0), (1, 2), (2, 1), (3, 0)].map(|(cell, right)| CellKey::new(cell, right, 0).0);
        let starts = [0, 0, 2, 3, 4, 4, 4, 4, 4, 4, 4];
        // The first is tested with the second, that with the other two, the third with the last.
        assert_eq!((columns_reached(&keys), test_count(&keys, &starts, 5, 2)), (2, 1 + 2 + 1));

        // Two rows of three columns. The body of the second row is in its first column: the one
        // that begins in the second column and reaches below is tested with it, and so is the
        // last one if bodies reach two columns.
        let keys = [(1, 0, 0), (2, 0, 1), (3, 0, 1), (6, 0, 0)];
        let keys = keys.map(|(cell, right, below)| CellKey::new(cell, right, below).0);
        let starts = [0, 0, 1, 2, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4];
        assert_eq!(columns_reached(&keys), 1);
        assert_eq!([1, 2].map(|reached| test_count(&keys, &starts, 5, reached)), [1, 2]);
    }
}
