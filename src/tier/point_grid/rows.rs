//! Where bodies come from.

use crate::error::BadRow;
use crate::geometry::RawBox;
use std::ops::Range;

/// Rows of boxes that can be read again and again, by many tasks at once.
pub(crate) trait Rows: Sync {
    /// How many there are; at most `u32::MAX`.
    fn len(&self) -> usize;

    /// The box of a row, or what is wrong with it.
    fn check(&self, row: usize) -> Result<RawBox, BadRow>;

    /// Writes the boxes of a range. Returns whether all are good for sure; if not, [`check`](Self::check) has the last
    /// word on each.
    fn read(&self, rows: Range<usize>, boxes: &mut [RawBox]) -> bool;
}
