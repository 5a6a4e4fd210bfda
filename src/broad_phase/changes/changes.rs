//! The changed rows of a step and of the one before.

use crate::broad_phase::changes::changed_bodies::ChangedBody;
use crate::broad_phase::changes::changed_set::ChangedSet;

/// The rows that changed in the running step, and in the last one.
#[derive(Clone, Copy)]
pub(crate) struct Changes<'s> {
    /// The changed rows with their boxes, ascending; those that do not exist any more are last.
    pub(crate) bodies: &'s [ChangedBody],
    /// The same rows as a set.
    pub(crate) rows: &'s ChangedSet,
    /// The rows that changed in the last step.
    pub(crate) last: &'s ChangedSet,
}

impl<'s> Changes<'s> {
    /// The changed rows that exist.
    pub(super) fn present(self) -> impl Iterator<Item = &'s ChangedBody> {
        self.bodies.iter().filter(|body| body.exists())
    }

    /// Whether a changed row is active (CHANGE-3).
    #[inline(always)]
    pub(super) fn is_active(&self, changed_row: u32) -> bool {
        self.last.contains(changed_row)
    }
}
