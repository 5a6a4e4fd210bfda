//! The pairs with a changed row, listed when they are first asked for.

use crate::broad_phase::changes::changed_set::ChangedSet;
use crate::broad_phase::pairs::{FoundPairs, PageChain};
use crate::contacts::changes::kept_pairs::KeptPairs;
use crate::memory::buffers::buffers;
use crate::memory::lazy::ReusableLazy;
use crate::pair::row_and_partner;

/// Which rows changed in the last step, and the pairs of those.
#[derive(Default)]
pub(crate) struct ChangedView {
    /// Those of the last step that was told.
    pub(crate) rows: ChangedSet,
    /// Whether the last step was told; otherwise all rows may have changed.
    pub(crate) is_told: bool,
    /// Whether the step listed the pairs of these rows.
    pub(crate) is_listed: bool,
    bodies: ReusableLazy<Vec<[u32; 2]>>,
    statics: ReusableLazy<Vec<[u32; 2]>>,
}

buffers!(ChangedView { leveled: ; own: rows, bodies, statics; plain: is_told, is_listed; });

impl ChangedView {
    /// The pairs have changed.
    pub(crate) fn invalidate(&mut self) {
        self.bodies.invalidate();
        self.invalidate_statics();
    }

    /// The static pairs have changed.
    pub(crate) fn invalidate_statics(&mut self) {
        self.statics.invalidate();
    }

    /// The pairs of bodies of which a row changed, ascending. `kept` are the kept pairs, if those
    /// are the present ones.
    pub(crate) fn bodies(&self, found: &FoundPairs, kept: Option<&KeptPairs>) -> &[[u32; 2]] {
        self.bodies.get_or_make(|pairs| {
            let set = self.rows.set();
            let has_changed = |&[a, b]: &[u32; 2]| set.contains(a) || set.contains(b);
            let listed = kept.map(|kept| &kept.found.present[..]);
            self.list(found.body_pages(), listed, pairs, has_changed);
        })
    }

    /// The static pairs of which the body changed, ascending.
    pub(crate) fn statics(&self, found: &FoundPairs, kept: Option<&KeptPairs>) -> &[[u32; 2]] {
        self.statics.get_or_make(|pairs| {
            let has_changed = |&[body, _]: &[u32; 2]| self.rows.set().contains(body);
            let listed = kept.map(|kept| &kept.found.present_statics[..]);
            self.list(found.static_pages(), listed, pairs, has_changed);
        })
    }

    fn list(
        &self,
        pages: PageChain<'_>,
        listed: Option<&[u64]>,
        pairs: &mut Vec<[u32; 2]>,
        has_changed: impl Fn(&[u32; 2]) -> bool,
    ) {
        pairs.clear();
        match listed {
            _ if !self.is_told => pages.for_each(|page| pairs.extend_from_slice(page)),
            Some(listed) if self.is_listed => pairs.extend(listed.iter().map(|&pair| row_and_partner(pair))),
            _ => pages.for_each(|page| pairs.extend(page.iter().copied().filter(&has_changed))),
        }
        pairs.sort_unstable();
    }
}
