//! The pairs with a changed row, listed when they are first asked for.

use crate::broad_phase::changes::changed_set::ChangedSet;
use crate::broad_phase::pairs::{FoundPairs, PageChain};
use crate::contacts::changes::kept_pairs::KeptPairs;
use crate::memory::buffers::buffers;
use crate::memory::lazy::ReusableLazy;
use crate::memory::radix;
use crate::pair::row_and_partner;

/// Which pairs of the last successful step have a changed row.
#[derive(Default)]
pub(crate) struct ChangedView {
    known: Known,
    rows: ChangedSet,
    bodies: ReusableLazy<PairList>,
    statics: ReusableLazy<PairList>,
}

/// Pairs, and a buffer to sort them.
#[derive(Debug, Default)]
struct PairList {
    pairs: Vec<[u32; 2]>,
    spare: Vec<[u32; 2]>,
}

buffers!(PairList { leveled: pairs, spare; own: ; plain: ; });

impl PairList {
    /// Sorts the pairs in ascending order.
    fn sort(&mut self) {
        let Self { pairs, spare } = self;
        if pairs.is_sorted() {
            return;
        }
        // Rows are small numbers: without the unused bits between them, keys have fewer digits.
        let highest = pairs.iter().fold(0, |highest, &[_, partner]| highest | partner);
        let bits = u32::BITS - highest.leading_zeros();
        radix::sort_by(pairs, spare, |&[row, partner]| u64::from(row) << bits | u64::from(partner));
    }
}

buffers!(ChangedView { leveled: ; own: rows, bodies, statics; plain: known; });

/// What is known about the last successful step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Known {
    /// Nothing: all rows may have changed.
    #[default]
    Nothing,
    /// The changed rows, in `rows`.
    Rows,
    /// The pairs of changed rows: those that were found in it, and the new ones of the kept pairs.
    Pairs,
}

impl ChangedView {
    /// Another step has succeeded, of which nothing is known.
    pub(crate) fn clear(&mut self) {
        self.set(Known::Nothing);
    }

    /// Another step has succeeded; takes the rows that changed in it.
    pub(crate) fn take_rows(&mut self, rows: &mut ChangedSet) {
        std::mem::swap(&mut self.rows, rows);
        self.set(Known::Rows);
    }

    /// Another step has succeeded, which found all pairs of active rows and listed all pairs of new
    /// ones.
    pub(crate) fn set_found(&mut self) {
        self.set(Known::Pairs);
    }

    fn set(&mut self, known: Known) {
        self.known = known;
        self.bodies.invalidate();
        self.statics.invalidate();
    }

    /// There are no static pairs any more.
    pub(crate) fn clear_statics(&mut self) {
        self.statics.invalidate();
    }

    /// The pairs of bodies of which a row changed, ascending; `found` has all pairs.
    pub(crate) fn bodies(&self, found: &FoundPairs, kept: &KeptPairs) -> &[[u32; 2]] {
        let list = self.bodies.get_or_make(|list| {
            let set = self.rows.set();
            self.list(found.body_pages(), &kept.bodies.new, list, |&[a, b]| set.contains(a) | set.contains(b));
        });
        &list.pairs
    }

    /// The static pairs of which the body changed, ascending; `found` has all pairs.
    pub(crate) fn statics(&self, found: &FoundPairs, kept: &KeptPairs) -> &[[u32; 2]] {
        let list = self.statics.get_or_make(|list| {
            self.list(found.static_pages(), &kept.statics.new, list, |&[body, _]| self.rows.set().contains(body));
        });
        &list.pairs
    }

    fn list(&self, pages: PageChain<'_>, new: &[u64], list: &mut PairList, has_changed: impl Fn(&[u32; 2]) -> bool) {
        let pairs = &mut list.pairs;
        pairs.clear();
        match self.known {
            Known::Nothing => pages.for_each(|page| pairs.extend_from_slice(page)),
            Known::Rows => pages.for_each(|page| pairs.extend(page.iter().copied().filter(&has_changed))),
            Known::Pairs => {
                pages.found.iter().for_each(|page| pairs.extend_from_slice(page.pairs()));
                pairs.extend(new.iter().map(|&pair| row_and_partner(pair)));
            }
        }
        list.sort();
    }
}
