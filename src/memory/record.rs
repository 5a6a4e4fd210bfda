//! A body as the partition hands it to its band.

use crate::geometry::RawAabb;
use crate::memory::buffers::plain_buffers;

/// A box and the row it came from: all that a pass needs, written once per body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub(crate) struct Record {
    pub(crate) aabb: RawAabb,
    pub(crate) row: u32,
}

const _: () = assert!(size_of::<Record>() == 20);

// SAFETY: `repr(C)`, five words of four bytes without padding; any bits are a valid value.
#[allow(unsafe_code)]
unsafe impl bytemuck::Zeroable for Record {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl bytemuck::Pod for Record {}

plain_buffers!(Record);
