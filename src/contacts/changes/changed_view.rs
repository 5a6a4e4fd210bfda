//! The pairs with a changed row, listed when they are first asked for.

use crate::broad_phase::changes::pair_edits::sort_entries;
use crate::broad_phase::pairs::{FoundPairs, PageChain};
use crate::contacts::changes::kept_pairs::KeptPairs;
use crate::memory::buffers::buffers;
use crate::memory::lazy::ReusableLazy;
use crate::pair::row_and_partner;

/// Which pairs of the last successful step have a changed row.
#[derive(Default)]
pub(crate) struct ChangedView {
    known: KnownChanges,
    bodies: ReusableLazy<PairList>,
    statics: ReusableLazy<PairList>,
}

/// Pairs, and buffers to sort some of them.
#[derive(Debug, Default)]
struct PairList {
    pairs: Vec<[u32; 2]>,
    newly_changed: Vec<u64>,
    spare: Vec<u64>,
}

buffers!(PairList { leveled: pairs, newly_changed, spare; own: ; plain: ; });

buffers!(ChangedView { leveled: ; own: bodies, statics; plain: known; });

/// What is known about the changes of the last successful step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum KnownChanges {
    /// Nothing: all rows may have changed.
    #[default]
    None,
    /// The changed rows, in [`KeptPairs::last_changed`].
    Rows,
    /// The changed rows: all.
    AllRows,
    /// The pairs with a changed row: those that the step found, of rows that changed in the step
    /// before too, and the kept pairs with a newly changed row.
    Pairs,
}

impl ChangedView {
    /// Another step has succeeded, of which this is known.
    pub(crate) fn set(&mut self, known: KnownChanges) {
        self.known = known;
        self.bodies.invalidate();
        self.statics.invalidate();
    }

    /// Whether it is known which rows changed in the last successful step.
    pub(crate) fn are_rows_known(&self) -> bool {
        self.known != KnownChanges::None
    }

    /// There are no static pairs any more.
    pub(crate) fn clear_statics(&mut self) {
        self.statics.invalidate();
    }

    /// The pairs of bodies of which a row changed; `found` has all pairs.
    pub(crate) fn bodies(&self, found: &FoundPairs, kept: &KeptPairs) -> &[[u32; 2]] {
        let list = self.bodies.get_or_make(|list| {
            let set = kept.last_changed.set();
            self.list(found.body_pages(), &kept.bodies.newly_changed, list, |&[a, b]| {
                set.contains(a) | set.contains(b)
            });
        });
        &list.pairs
    }

    /// The static pairs of which the body changed; `found` has all pairs.
    pub(crate) fn statics(&self, found: &FoundPairs, kept: &KeptPairs) -> &[[u32; 2]] {
        let list = self.statics.get_or_make(|list| {
            let set = kept.last_changed.set();
            self.list(found.static_pages(), &kept.statics.newly_changed, list, |&[body, _]| set.contains(body));
        });
        &list.pairs
    }

    /// Lists pairs in the order of the pages: the kept ones are ascending.
    fn list(&self, pages: PageChain<'_>, kept: &[u64], list: &mut PairList, has_changed: impl Fn(&[u32; 2]) -> bool) {
        let PairList { pairs, newly_changed, spare } = list;
        pairs.clear();
        match self.known {
            KnownChanges::None | KnownChanges::AllRows => pages.for_each(|page| pairs.extend_from_slice(page)),
            KnownChanges::Rows => pages.for_each(|page| extend_filtered(pairs, page, &has_changed)),
            KnownChanges::Pairs => {
                pages.found.iter().for_each(|page| pairs.extend_from_slice(page.pairs()));
                newly_changed.clear();
                newly_changed.extend_from_slice(kept);
                sort_entries(newly_changed, spare);
                pairs.extend(newly_changed.iter().map(|&pair| row_and_partner(pair)));
            }
        }
    }
}

/// Pairs that are filtered in a buffer of their own: 512 bytes.
const FILTERED_AT_ONCE: usize = 64;

/// Appends those of a page's pairs that `is_wanted` accepts, without a branch that depends on it.
fn extend_filtered(pairs: &mut Vec<[u32; 2]>, page: &[[u32; 2]], is_wanted: impl Fn(&[u32; 2]) -> bool) {
    let mut wanted = [[0; 2]; FILTERED_AT_ONCE];
    for part in page.chunks(FILTERED_AT_ONCE) {
        let mut count = 0;
        for pair in part {
            wanted[count] = *pair;
            count += usize::from(is_wanted(pair));
        }
        pairs.extend_from_slice(&wanted[..count]);
    }
}
