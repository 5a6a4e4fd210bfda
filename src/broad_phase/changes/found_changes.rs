//! The pairs with a changed row, as a step that is told which rows changed finds them.

use crate::broad_phase::changes::pair_edits::{PairEdits, sort_entries};
use crate::memory::buffers::buffers;

/// The pairs of one kind with a changed row (CHANGE-3).
#[derive(Default)]
pub(crate) struct FoundChanges {
    /// Those with an active row. Ascending once all are found.
    pub(crate) active: Vec<u64>,
    /// All others. Those with statics are ascending once all are found.
    pub(crate) newly_changed: Vec<u64>,
    /// The pairs without an active row that ended and began, ascending once all are found. Those
    /// with statics are found by `KeptPairs`, which has the pairs of the last step.
    pub(crate) edits: PairEdits,
}

buffers!(FoundChanges { leveled: active, newly_changed, edits; own: ; plain: ; });

impl FoundChanges {
    pub(super) fn clear(&mut self) {
        self.active.clear();
        self.newly_changed.clear();
        self.edits.clear();
    }

    pub(super) fn extend(&mut self, other: &Self) {
        self.active.extend_from_slice(&other.active);
        self.newly_changed.extend_from_slice(&other.newly_changed);
        self.edits.removed.extend_from_slice(&other.edits.removed);
        self.edits.added.extend_from_slice(&other.edits.added);
    }

    pub(super) fn sort(&mut self, spare: &mut Vec<u64>) {
        let Self { active, newly_changed: _, edits: PairEdits { removed, added } } = self;
        [active, removed, added].into_iter().for_each(|list| sort_entries(list, spare));
    }
}
