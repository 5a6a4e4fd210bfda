//! A body as the partition hands it to its band.

use crate::geometry::{RawAabb, oriented};
use bytemuck::{Pod, Zeroable};

/// A box and the row it came from: all that a pass needs, written once per body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Zeroable, Pod)]
#[repr(C)]
pub(crate) struct BodyRecord {
    pub(crate) aabb: RawAabb,
    pub(crate) row: u32,
}

const _: () = assert!(size_of::<BodyRecord>() == 20);

impl BodyRecord {
    /// x and y exchanged.
    #[inline]
    pub(crate) fn transposed(self) -> Self {
        Self { aabb: oriented(self.aabb, true), row: self.row }
    }
}
