//! A body as the partition passes it to its band.

use crate::geometry::RawAabb;
use crate::memory::buffers::plain_buffers;
use bytemuck::{Pod, Zeroable};

/// A box and its row: all that a pass needs, written once per body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Zeroable, Pod)]
#[repr(C)]
pub(crate) struct BodyRecord {
    pub(crate) aabb: RawAabb,
    pub(crate) row: u32,
}

const _: () = assert!(size_of::<BodyRecord>() == 20);

plain_buffers!(BodyRecord);
