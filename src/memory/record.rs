//! A body as the partition passes it to its band.

use crate::geometry::RawAabb;
use crate::memory::buffers::plain_buffers;

/// A box and its row: all that a pass needs, written once per body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub(crate) struct BodyRecord {
    pub(crate) aabb: RawAabb,
    pub(crate) row: u32,
}

plain_buffers!(BodyRecord);
