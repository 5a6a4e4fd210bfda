//! Where bodies come from.

use crate::error::InvalidRow;
use crate::geometry::RawAabb;
use crate::input::bodies::check_box;
use std::ops::Range;

/// Rows that can be numbered: one number is kept for "none".
pub(crate) const ROWS_MAX: usize = u32::MAX as usize - 1;

/// Rows of boxes that can be read again and again, by many tasks at once.
pub(crate) trait Rows: Sync {
    /// How many there are; at most `u32::MAX`.
    fn len(&self) -> usize;

    /// What a row is called where these are some rows of many.
    #[inline(always)]
    fn number(&self, row: usize) -> u32 {
        row as u32
    }

    /// The box of a row, or what is wrong with it.
    fn check(&self, row: usize) -> Result<RawAabb, InvalidRow>;

    /// Writes the boxes of a range. Returns whether all are good for sure; if not, [`check`](Self::check) has the last
    /// word on each.
    fn read(&self, rows: Range<usize>, boxes: &mut [RawAabb]) -> bool;
}

/// A column of boxes, taken as they are. There are at most [`ROWS_MAX`].
pub(crate) struct Boxes<'a>(pub(crate) &'a [RawAabb]);

impl Rows for Boxes<'_> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn check(&self, row: usize) -> Result<RawAabb, InvalidRow> {
        check_box(row as u32, &self.0[row]).map(|()| self.0[row])
    }

    fn read(&self, rows: Range<usize>, boxes: &mut [RawAabb]) -> bool {
        read_boxes(&self.0[rows], boxes)
    }
}

/// Copies boxes without a branch per row. Returns whether all are good for sure.
pub(crate) fn read_boxes(from: &[RawAabb], to: &mut [RawAabb]) -> bool {
    let mut good = true;
    for (slot, aabb) in to.iter_mut().zip(from) {
        *slot = *aabb;
        good &= finite(aabb) & (aabb[0] <= aabb[2]) & (aabb[1] <= aabb[3]);
    }
    good
}

/// Whether all edges are numbers and finite, by one comparison: a quarter each of four finite numbers has a finite sum.
#[inline(always)]
pub(crate) fn finite(aabb: &RawAabb) -> bool {
    let [a, b, c, d] = aabb.map(|edge| edge.abs() * 0.25);
    (a + b) + (c + d) < f32::INFINITY
}
