//! Finds what became of the contacts in a step that was told which rows changed.
//!
//! Only contacts with a changed row are looked at.
//!
//! - TOLD-1: a contact without a pair, which only the margin keeps, is in `lingering`. So the
//!   contacts of a row are its pairs of the last step and its entries in `lingering`, and need no
//!   search.
//! - TOLD-2: contacts of a row that another body or static has now are taken out. They are inserted
//!   under the present rows of their sides if the step found these pairs or the margin keeps them,
//!   and end otherwise. All other contacts stay in their places, or end there.
//!
//! Cost: a few binary searches per pair that began or ended, and per pair of a row that another
//! body has now; for each of them a move of part of its block of rows (GAP-2); and a look at each
//! span and at each lingering contact.

use crate::broad_phase::changes::pair_edits::{PairEdits, for_each_difference};
use crate::contacts::events::contact_slots::{Contact, Insertion};
use crate::contacts::events::margin::MarginTest;
use crate::contacts::events::row_map::PairMap;
use crate::memory::bit_set::BitSet;
use crate::memory::buffers::buffers;
use crate::memory::listener::PairKind;
use crate::pair::row_and_partner;

/// What a step that was told which rows changed did to the pairs of one kind.
#[derive(Clone, Copy)]
pub(super) struct ToldPairs<'s> {
    pub(super) kind: PairKind,
    /// Pairs that began and ended, as rows.
    pub(super) edits: &'s PairEdits,
    /// All pairs with a changed row.
    pub(super) present: [&'s [u64]; 2],
    /// The rows that other bodies have now.
    pub(super) map: PairMap<'s>,
    pub(super) changed: &'s BitSet,
    /// Whether any static may have changed.
    pub(super) statics_changed: bool,
    pub(super) margin: Option<MarginTest<'s>>,
    pub(super) row_count: usize,
    pub(super) parallel: bool,
}

impl ToldPairs<'_> {
    /// Whether a side of a contact may have changed.
    fn may_have_changed(&self, contact: u64) -> bool {
        let [row, partner] = row_and_partner(contact);
        self.changed.contains(row)
            || match self.kind {
                PairKind::Body => self.changed.contains(partner),
                PairKind::Static => self.statics_changed,
            }
    }
}

/// What becomes of the contacts of one kind. All lists are ascending.
#[derive(Default)]
pub(super) struct ContactEdits {
    /// See TOLD-1.
    lingering: Vec<u64>,
    /// Contacts that end in their places.
    pub(super) ended: Vec<u64>,
    /// Contacts of rows that other bodies have now, by their old rows.
    pub(super) taken: Vec<u64>,
    /// Those of `taken` whose sides both exist, by their new rows: filled between
    /// [`plan`](Self::plan) and [`resolve_moved`](Self::resolve_moved).
    pub(super) moved: Vec<Contact>,
    /// Those of `moved` that end.
    pub(super) ended_after_move: Vec<Contact>,
    /// Contacts that began, and those of `moved` that persist.
    pub(super) inserted: Vec<Insertion>,
    /// Present pairs of rows that other bodies have now.
    reassigned: Vec<u64>,
    /// Lingering contacts that have a pair again.
    resumed: Vec<u64>,
}

impl ContactEdits {
    /// Whether no contact ends or is inserted; some may have been taken out.
    pub(super) fn leaves_spans(&self) -> bool {
        self.ended.is_empty() && self.inserted.is_empty() && self.ended_after_move.is_empty()
    }

    /// Notes which contacts have no pair, after a step of all rows.
    pub(super) fn note_lingering(&mut self, contacts: impl Iterator<Item = u64>, pairs: impl Iterator<Item = u64>) {
        self.lingering.clear();
        for_each_difference(contacts, pairs, |contact| self.lingering.push(contact), |_| ());
    }

    /// Finds which contacts end, which have to be taken out, and which begin.
    pub(super) fn plan(&mut self, step: &ToldPairs<'_>) {
        let ToldPairs { edits: PairEdits { removed, added }, present, map, .. } = step;
        let Self { ended, taken, moved, ended_after_move, inserted, reassigned, resumed, .. } = self;
        [&mut *taken, reassigned, resumed].into_iter().for_each(Vec::clear);
        moved.clear();
        ended_after_move.clear();
        inserted.clear();
        let is_reassigned = |pair: &u64| map.is_reassigned(*pair);
        if !map.is_identity() {
            reassigned.extend(present.iter().flat_map(|pairs| pairs.iter()).copied().filter(is_reassigned));
            reassigned.sort_unstable();
            // Of the last step: the present pairs of these rows without those that began, and those
            // that ended.
            taken.extend(reassigned.iter().copied().filter(|pair| added.binary_search(pair).is_err()));
            taken.extend(removed.iter().copied().filter(is_reassigned));
        }
        ended.clear();
        ended.extend(removed.iter().copied().filter(|pair| !is_reassigned(pair)));
        inserted.extend(added.iter().filter(|pair| !is_reassigned(pair)).map(|&entry| Insertion::began(entry)));
        if let Some(margin) = &step.margin {
            self.sort_lingering(step, margin);
        }
        self.taken.sort_unstable();
    }

    /// Sorts the lingering contacts of changed rows into those that are taken out, have a pair
    /// again or end, and adds those that would end but are kept by the margin (TOLD-1).
    fn sort_lingering(&mut self, step: &ToldPairs<'_>, margin: &MarginTest<'_>) {
        let Self { lingering, ended, taken, inserted, resumed, .. } = self;
        lingering.retain(|&contact| {
            if !step.may_have_changed(contact) {
                return true;
            }
            let has_pair_again = || inserted.binary_search_by_key(&contact, |new| new.entry).is_ok();
            if step.map.is_reassigned(contact) {
                taken.push(contact);
            } else if has_pair_again() {
                resumed.push(contact);
            } else {
                ended.push(contact);
            }
            false
        });
        if !resumed.is_empty() {
            inserted.retain(|new| resumed.binary_search(&new.entry).is_err());
        }
        ended.retain(|&contact| {
            let is_kept = margin.keeps(row_and_partner(contact));
            lingering.extend(is_kept.then_some(contact));
            !is_kept
        });
        lingering.sort_unstable();
        ended.sort_unstable();
    }

    /// Finds which of the contacts that were taken out are inserted again, and which end.
    pub(super) fn resolve_moved(&mut self, ToldPairs { margin, .. }: &ToldPairs<'_>) {
        let Self { lingering, moved, ended_after_move, inserted, reassigned, .. } = self;
        if reassigned.is_empty() && moved.is_empty() {
            return;
        }
        moved.sort_unstable();
        let mut began = reassigned.iter().copied().peekable();
        for &Contact { entry, value } in &*moved {
            while let Some(pair) = began.next_if(|&pair| pair < entry) {
                inserted.push(Insertion::began(pair));
            }
            let has_pair = began.next_if_eq(&entry).is_some();
            if has_pair || margin.is_some_and(|margin| margin.keeps(row_and_partner(entry))) {
                inserted.push(Insertion { entry, value, began: false });
                lingering.extend((!has_pair).then_some(entry));
            } else {
                ended_after_move.push(Contact { entry, value });
            }
        }
        inserted.extend(began.map(Insertion::began));
        inserted.sort_unstable_by_key(|new| new.entry);
        lingering.sort_unstable();
    }
}

buffers!(ContactEdits {
    leveled: ;
    own: lingering;
    scratch: ended, taken, moved, ended_after_move, inserted, reassigned, resumed;
    plain: ;
});
