//! Versions that identify the contents of a static set.

use crate::memory::buffers::plain_buffers;

/// Identifies the contents of a static set. A version is never reused for other contents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StaticsVersion {
    /// Changes when the same rows may be different statics: when all statics are replaced, and when
    /// statics with ids are inserted, replaced or removed.
    pub(super) set: u64,
    /// Changes with `set`, and when a static is changed, enabled or disabled.
    pub(super) state: u64,
}

plain_buffers!(StaticsVersion);

impl StaticsVersion {
    /// Whether rows are the same statics in both versions.
    pub(crate) fn is_same_set(self, other: Self) -> bool {
        self.set == other.set
    }
}
