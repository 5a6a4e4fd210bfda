//! What a step that is told what changed finds of the pairs with a changed row.

use crate::broad_phase::changes::pair_edits::{PairEdits, sort_entries};
use crate::memory::buffers::buffers;

/// The pairs of one kind with a changed row (CHANGE-3).
#[derive(Default)]
pub(crate) struct FoundChanges {
    /// Those with an active row, ascending in the end.
    pub(crate) active: Vec<u64>,
    /// The others; those with statics are ascending in the end.
    pub(crate) new: Vec<u64>,
    /// The pairs without an active row that ended and began, ascending in the end. Those with
    /// statics are found by `KeptPairs`, which has the pairs of the last step.
    pub(crate) edits: PairEdits,
}

buffers!(FoundChanges { leveled: active, new, edits; own: ; plain: ; });

impl FoundChanges {
    pub(super) fn clear(&mut self) {
        self.active.clear();
        self.new.clear();
        self.edits.clear();
    }

    pub(super) fn extend(&mut self, other: &Self) {
        self.active.extend_from_slice(&other.active);
        self.new.extend_from_slice(&other.new);
        self.edits.removed.extend_from_slice(&other.edits.removed);
        self.edits.added.extend_from_slice(&other.edits.added);
    }

    pub(super) fn sort(&mut self, spare: &mut Vec<u64>) {
        let Self { active, new: _, edits: PairEdits { removed, added } } = self;
        [active, removed, added].into_iter().for_each(|list| sort_entries(list, spare));
    }
}
