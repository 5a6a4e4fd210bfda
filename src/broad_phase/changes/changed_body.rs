//! A changed row.

use crate::geometry::RawAabb;
use crate::input::filter::Filter;
use crate::memory::buffers::plain_buffers;

/// The box of a row that does not exist: it overlaps nothing.
pub(crate) const NO_BOX: RawAabb = [f32::NAN; 4];

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
}

/// Whether two boxes are so far apart that one search for both would read much that is near
/// neither.
pub(crate) fn is_jump(before: &RawAabb, now: &RawAabb) -> bool {
    let is_far = |axis: usize| {
        let [a, b] = [before, now].map(|aabb| aabb[axis + 2] - aabb[axis]);
        before[axis + 2].max(now[axis + 2]) - before[axis].min(now[axis]) > 2.0 * (a + b)
    };
    !before[0].is_nan() && !now[0].is_nan() && (is_far(0) || is_far(1))
}
