//! One row of narrow columns, for bands whose cells would be crowded.
//!
//! A cell is as wide as the widest body of its band and as high as the highest. In a mix of sizes,
//! or of wide and tall bodies, cells are therefore crowded. Columns of a single row may be narrower
//! than bodies: then each body is tested with those that begin in the columns it covers, as in a
//! sweep along an axis, and the width of others does not matter. It only does in searches for
//! other boxes, which begin as far before these as the widest body reaches.
//!
//! Columns divide the axis on which fewer bodies are beside each other: x, along the band, or y.
//!
//! Cost: a few microseconds for the decision, if cells would be crowded.

use crate::memory::body_record::BodyRecord;
use crate::memory::cell_table::CellKey;
use crate::tier::point_grid::axis::{Extent, FINE_MAX};
use crate::tier::point_grid::band::cell_grid::{CellGrid, Layout};
use crate::tier::point_grid::band::equal_cells::{CellSize, equal_cells};
use crate::tier::sweep::axis_sample::{beginning_around, beginning_in};

/// Even cells are crowded if each has more bodies than this.
const CROWDED: f64 = 16.0;

/// Where bodies are not evenly distributed, the cells that suit them take longer to find than one
/// row: about as long as so many tests for each body.
const SEARCHED: f64 = 20.0;

/// With more bodies than this in even cells, the band will be swept. It is not worth while to look
/// for better cells first, if a sweep tests few bodies with one.
const SWEPT: f64 = 256.0;
const FEW_SWEPT: f64 = 64.0;

/// A sweep sorts the bodies, which takes about as long as so many tests for each.
const SORTED: f64 = 64.0;

/// Equal cells are kept if the estimate for one row is not better by this factor.
const BETTER: f64 = 2.0;

/// Mean number of bodies in a column. With fewer, the table of cells, which has an empty row below,
/// would not fit (BAND-3).
const POPULATION: f32 = 2.8;

/// Estimates whether one row is faster than cells, before any are laid out.
#[derive(Clone, Copy)]
pub(super) struct RowEstimate<'a> {
    own: &'a [BodyRecord],
    extents: [Extent; 2],
    /// Bodies in one of equal cells, if they are evenly distributed.
    in_cell: f64,
    may_be_even: bool,
}

impl<'a> RowEstimate<'a> {
    /// `None` if the band must have cells.
    pub(super) fn new(
        own: &'a [BodyRecord],
        extents: [Extent; 2],
        cell_size: CellSize,
        may_be_even: bool,
    ) -> Option<Self> {
        if !cell_size.may_be_one_row() {
            return None;
        }
        let cells = equal_cells(own.len(), extents, cell_size);
        let in_cell = own.len() as f64 / (cells.columns * cells.rows) as f64;
        Some(Self { own, extents, in_cell, may_be_even })
    }

    /// The layout that is worth a try before all others, if one is, and up to which crowding it is
    /// to be kept.
    pub(super) fn first_try(&self) -> Option<(Layout, f32)> {
        let &Self { own, in_cell, may_be_even, extents } = self;
        if may_be_even && in_cell < CROWDED {
            return None;
        }
        let (axis, tests) = self.fewest_tests();
        if in_cell > SWEPT {
            let swept = [0, 1].map(|axis| beginning_in(axis, own, 0.0)).into_iter().fold(f64::INFINITY, f64::min);
            if swept < FEW_SWEPT && swept + SORTED < tests {
                // All cells would be crowded, and the band will be swept.
                return Some((Layout::Equal, f32::INFINITY));
            }
        }
        let mut crowding_max = if may_be_even { in_cell } else { SEARCHED + in_cell };
        if !may_be_even && tests >= crowding_max {
            // No equal cell is smaller than the widest and the highest body.
            crowding_max = SEARCHED + beginning_around(own, extents.map(|extent| extent.side));
        }
        (tests < crowding_max).then_some((Layout::OneRow { axis }, crowding_max as f32))
    }

    /// The axis to divide into columns, if these are faster than equal cells with this crowding.
    /// `None` if those of no axis are, or if bodies are not evenly distributed.
    pub(super) fn axis_if_faster_than(&self, crowding: f32) -> Option<usize> {
        if !self.may_be_even {
            return None;
        }
        let (axis, tests) = self.fewest_tests();
        (tests < f64::from(crowding) / BETTER).then_some(axis)
    }

    /// The axis on which one row tests the fewest bodies with one, and how many it tests.
    fn fewest_tests(&self) -> (usize, f64) {
        let tests = [0, 1].map(|axis| {
            let Extent { min, max, .. } = self.extents[axis];
            let column = (max - min) / one_row(self.own.len(), self.extents, axis).columns as f32;
            beginning_in(axis, self.own, column)
        });
        let axis = usize::from(tests[1] < tests[0]);
        (axis, tests[axis])
    }
}

/// One row for so many bodies, whose columns divide an axis.
pub(super) fn one_row(population: usize, extents: [Extent; 2], axis: usize) -> CellGrid {
    let Extent { min, max, side } = extents[axis];
    let spread = max - min;
    // So wide that no body reaches further than a key can tell.
    let most = spread / side * (CellKey::RIGHT_MAX - 2) as f32;
    let wanted = (population as f32 / POPULATION).min(most);
    let columns = if spread.is_finite() { (wanted as usize).clamp(1, FINE_MAX) } else { 1 };
    CellGrid::one_row(population, extents, axis, columns)
}

/// How many columns a body reaches beyond its own, at most, and how many bodies are tested with
/// another one, in all.
pub(super) fn measure_row(keys: &[u32], starts: &[u32]) -> (usize, u64) {
    let (mut reached, mut ends) = (1, 0);
    for &key in keys {
        let (cell, right) = (CellKey(key).cell(), CellKey(key).right());
        reached = reached.max(right);
        ends += u64::from(starts[cell + 1 + right]);
    }
    let population = keys.len() as u64;
    (reached, ends - population * (population + 1) / 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::RawAabb;
    use crate::tier::point_grid::axis::{AxisMap, linear_cell};
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
        let estimate = RowEstimate::new(own, extents(own), cell_size, may_be_even)?;
        estimate.first_try().map(|(layout, _)| layout)
    }

    #[test]
    fn bodies_of_many_sizes_are_in_one_row_unless_cells_suit_them() {
        let is_row =
            |own: &[BodyRecord]| matches!(first_try(own, CellSize::ForOwnPairs, true), Some(Layout::OneRow { .. }));
        let wide_or_tall = |k: usize| if k.is_multiple_of(2) { [60.0, 0.1] } else { [0.1, 60.0] };
        let mixed = band(|k, _| wide_or_tall(k));
        assert!(is_row(&mixed), "wide and tall ones");
        assert!(is_row(&band(|k, _| if k.is_multiple_of(50) { [60.0, 60.0] } else { [1.0, 1.0] })), "a few large ones");
        assert!(!is_row(&band(|_, random| [random.range(4.0, 8.0); 2])), "alike ones");
        assert!(!is_row(&band(|_, _| [500.0, 40.0])), "many are beside each other");
        assert_eq!(first_try(&mixed, CellSize::ForSearches, true), None);
        assert_eq!(first_try(&mixed, CellSize::Given(1.0), true), None);
    }

    #[test]
    fn columns_divide_the_axis_on_which_fewer_are_beside_each_other() {
        // As long as the band, and beside few others across it.
        let beams = band(|k, _| [3000.0, if k % 100 == 1 { 50.0 } else { 0.1 }]);
        let Some(Layout::OneRow { axis: 1 }) = first_try(&beams, CellSize::ForOwnPairs, true) else { panic!("beams") };
        let tall = band(|k, _| [if k % 100 == 1 { 500.0 } else { 0.1 }, 90.0]);
        let Some(Layout::OneRow { axis: 0 }) = first_try(&tall, CellSize::ForOwnPairs, true) else { panic!("tall") };
    }

    #[test]
    fn a_band_is_not_laid_out_in_vain() {
        // On a diagonal few are beside each other, although all are in a few parts of the area.
        let diagonal: Vec<_> = (0..5000u16).map(|k| [f32::from(k); 4]).collect();
        let diagonal: Vec<_> = diagonal.iter().map(|&aabb| BodyRecord { aabb, row: 0 }).collect();
        let Some(Layout::OneRow { axis: 0 }) = first_try(&diagonal, CellSize::ForOwnPairs, false) else {
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
        let cells = one_row(own.len(), extents(&own), 0);
        let AxisMap::Linear { origin, inverse } = cells.x else { panic!("equal columns") };
        let column = |v: f32| linear_cell(v, origin, inverse, cells.columns);
        let reached = own.iter().map(|record| column(record.aabb[2]) - column(record.aabb[0])).max();
        assert!(reached <= Some(CellKey::RIGHT_MAX) && reached > Some(CellKey::RIGHT_MAX / 2), "{reached:?}");
    }

    #[test]
    fn a_row_is_measured_as_it_is_scanned() {
        // Two bodies in the first column, one of which reaches two columns on; one in each other.
        let keys = [(1, 0), (1, 2), (2, 1), (3, 0)].map(|(cell, right)| CellKey::new(cell, right, 0).0);
        let starts = [0, 0, 2, 3, 4, 4, 4, 4, 4, 4, 4];
        // The first is tested with the second, that with the other two, the third with the last.
        assert_eq!(measure_row(&keys, &starts), (2, 1 + 2 + 1));
    }

    #[test]
    fn samples_tell_how_many_begin_in_a_box() {
        let boxes: Vec<RawAabb> = (0..1000u16).map(|k| [f32::from(k), 0.0, f32::from(k) + 9.5, 1.0]).collect();
        let records: Vec<_> = boxes.iter().map(|&aabb| BodyRecord { aabb, row: 0 }).collect();
        let [few, more] = [0.0, 40.0].map(|beyond| beginning_in(0, &records, beyond));
        assert!((8.0..13.0).contains(&few) && (40.0..60.0).contains(&more), "{few} {more}");
    }
}
