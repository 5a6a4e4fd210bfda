//! Where bodies come from.

use crate::error::BadRow;
use crate::geometry::RawBox;
use crate::storage::record::Record;
use std::ops::Range;

/// Rows of boxes that can be read again and again, by many tasks at once.
pub(crate) trait Rows: Sync {
    /// How many there are; at most `u32::MAX`.
    fn len(&self) -> usize;

    /// The box of a row, unless the row is bad.
    fn get(&self, row: usize) -> Option<RawBox>;

    /// Hands on each row of a range, in order, either to `good` or to `bad`.
    fn for_each(&self, range: Range<usize>, good: impl FnMut(Record), bad: impl FnMut(BadRow));
}

impl Rows for [RawBox] {
    fn len(&self) -> usize {
        <[RawBox]>::len(self)
    }

    fn get(&self, row: usize) -> Option<RawBox> {
        Some(self[row])
    }

    fn for_each(&self, range: Range<usize>, mut good: impl FnMut(Record), _: impl FnMut(BadRow)) {
        for row in range {
            good(Record { aabb: self[row], row: row as u32 });
        }
    }
}
