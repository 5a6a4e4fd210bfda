//! What the ways to keep boxes that never move have in common.

use crate::geometry::RawAabb;
use crate::input::filter::Filter;

/// Boxes that stay where they are, for searches in many steps.
pub(crate) trait FixedBoxes {
    /// Gives each box the filter of its row.
    fn set_filters(&mut self, filter_of: impl Fn(u32) -> Filter);

    /// Replaces the box of a row, which was filed as `filed`, if it is here.
    ///
    /// It stays where it is filed, so the new box must be that one, or NaN.
    fn set_box(&mut self, row: u32, filed: &RawAabb, aabb: &RawAabb);

    /// Bytes of heap memory held.
    fn bytes(&self) -> usize;
}
