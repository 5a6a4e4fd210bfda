//! A changed row.

use crate::geometry::{NO_BOX, RawAabb, is_no_box};
use crate::input::filter::Filter;
use crate::memory::buffers::plain_buffers;

/// A changed row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChangedBody {
    pub(crate) row: u32,
    /// Its box, or [`NO_BOX`] if the row does not exist any more.
    pub(crate) aabb: RawAabb,
    pub(crate) filter: Filter,
    /// Its id, if the step has ids.
    pub(crate) id: u64,
}

plain_buffers!(ChangedBody);

impl ChangedBody {
    /// A row that does not exist.
    pub(crate) const NONE: Self = Self { row: 0, aabb: NO_BOX, filter: Filter::ALL, id: 0 };

    /// Whether the row exists in this step.
    #[inline(always)]
    pub(crate) fn exists(&self) -> bool {
        !is_no_box(&self.aabb)
    }
}
