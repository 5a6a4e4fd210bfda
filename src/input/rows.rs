//! Rows of boxes, as the tiers read them.

use crate::error::InvalidRow;
use crate::geometry::RawAabb;
use crate::input::bodies::check_box;
use std::ops::Range;

/// Largest number of rows: one value of `u32` stands for "no row".
pub(crate) const ROWS_MAX: usize = u32::MAX as usize - 1;

/// Boxes that can be read several times, and by several tasks at once.
pub(crate) trait BoxSource: Sync {
    /// Number of rows, at most [`ROWS_MAX`].
    fn len(&self) -> usize;

    /// Writes the step's rows of a range, if they differ from the rows in the source. Returns
    /// whether they do.
    fn write_rows(&self, rows: Range<usize>, of_step: &mut [u32]) -> bool {
        let _ = (rows, of_step);
        false
    }

    /// Returns the box of a row, or its first invalid value.
    fn checked_box(&self, row: usize) -> Result<RawAabb, InvalidRow>;

    /// Writes the boxes of a range, and returns whether all are certainly valid.
    ///
    /// If not, [`checked_box`](Self::checked_box) decides about each row.
    fn read(&self, rows: Range<usize>, boxes: &mut [RawAabb]) -> bool;
}

/// A slice of at most [`ROWS_MAX`] boxes.
pub(crate) struct BoxSlice<'a>(pub(crate) &'a [RawAabb]);

impl BoxSource for BoxSlice<'_> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn checked_box(&self, row: usize) -> Result<RawAabb, InvalidRow> {
        check_box(row as u32, &self.0[row]).map(|()| self.0[row])
    }

    fn read(&self, rows: Range<usize>, boxes: &mut [RawAabb]) -> bool {
        read_boxes(&self.0[rows], boxes)
    }
}

/// Copies boxes without a branch per row, and returns whether all are certainly valid.
pub(crate) fn read_boxes(from: &[RawAabb], to: &mut [RawAabb]) -> bool {
    let mut valid = true;
    for (slot, aabb) in to.iter_mut().zip(from) {
        *slot = *aabb;
        valid &= is_finite(aabb) & (aabb[0] <= aabb[2]) & (aabb[1] <= aabb[3]);
    }
    valid
}

/// Whether all edges are finite, by one comparison.
#[inline(always)]
pub(crate) fn is_finite(aabb: &RawAabb) -> bool {
    // A quarter each of four finite numbers has a finite sum.
    let [a, b, c, d] = aabb.map(|edge| edge.abs() * 0.25);
    (a + b) + (c + d) < f32::INFINITY
}
