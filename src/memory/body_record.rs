//! A body as the partition passes it to its band.

use crate::error::InvalidRow;
use crate::geometry::RawAabb;
use crate::input::rows::{BoxSource, is_finite};
use crate::memory::buffers::plain_buffers;
use std::ops::Range;

/// A box and its row: all that a pass needs, written once per body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub(crate) struct BodyRecord {
    pub(crate) aabb: RawAabb,
    pub(crate) row: u32,
}

plain_buffers!(BodyRecord);

/// Sorts records by row. One function, so that this sort is compiled once.
pub(crate) fn sort_by_row(records: &mut [BodyRecord]) {
    records.sort_unstable_by_key(|record| record.row);
}

/// Some rows of a step, all of them valid.
pub(crate) struct RecordRows<'a>(pub(crate) &'a [BodyRecord]);

impl BoxSource for RecordRows<'_> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn write_rows(&self, rows: Range<usize>, of_step: &mut [u32]) -> bool {
        of_step.iter_mut().zip(&self.0[rows]).for_each(|(row, record)| *row = record.row);
        true
    }

    fn checked_box(&self, row: usize) -> Result<RawAabb, InvalidRow> {
        Ok(self.0[row].aabb)
    }

    #[inline(always)]
    fn read(&self, rows: Range<usize>, boxes: &mut [RawAabb]) -> bool {
        let mut all_finite = true;
        for (slot, BodyRecord { aabb, .. }) in boxes.iter_mut().zip(&self.0[rows]) {
            *slot = *aabb;
            all_finite &= is_finite(aabb);
        }
        all_finite
    }
}
