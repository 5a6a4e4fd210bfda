//! The tracked contacts of one span of rows, and what became of them in the last step.
//!
//! - SPAN-1: `contacts` has each contact of the last successful step under its first row, with one
//!   value for each.
//! - SPAN-2: each pair of a step is looked up there (`compare.rs`). Pairs that are found persist in
//!   place, the others begin. Contacts that were not looked up end, unless the margin keeps them.
//!   In a step that was told what changed, contacts that end or move are removed instead, and those
//!   that begin or moved are inserted (`edit.rs`).
//! - SPAN-3: before that, contacts whose bodies moved to other rows are removed and inserted in the
//!   spans of their new rows; those whose bodies are gone end.

use crate::contacts::events::contact_slots::{Contact, ContactSlots};
use crate::contacts::events::row_map::PairMap;
use crate::memory::buffers::{buffers, plain_buffers};
use crate::pair::row_and_partner;

/// A contact that ended because a body or static is gone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct EndedContact {
    pub(super) ids: [u64; 2],
    pub(super) value: u32,
}

/// Contacts whose first row is in one span of rows.
#[derive(Default)]
pub(super) struct ContactSpan {
    /// See SPAN-1.
    pub(super) contacts: ContactSlots,
    /// Slots of the contacts that began in the last successful step, ascending.
    pub(super) started: Vec<u32>,
    /// Contacts that ended although both sides are present. Their ids are looked up only when they
    /// are read, because each takes a random access.
    pub(super) ended: Vec<Contact>,
    pub(super) gone: Vec<EndedContact>,
    /// Contacts on their way to other spans; empty between steps.
    pub(super) moved: Vec<Contact>,
}

plain_buffers!(EndedContact);
buffers!(ContactSpan { leveled: ; own: contacts, started, ended, gone, moved; plain: ; });

impl ContactSpan {
    /// Whether there is no contact, and none ended in the last step.
    pub(super) fn is_silent(&self) -> bool {
        self.contacts.count() == 0 && self.ended.is_empty() && self.gone.is_empty()
    }

    /// Clears the events of the last step.
    pub(super) fn clear_events(&mut self) {
        self.started.clear();
        self.ended.clear();
        self.gone.clear();
    }

    /// Removes contacts whose bodies moved, and ends those whose bodies are gone (SPAN-3).
    pub(super) fn take_moved(&mut self, map: &PairMap<'_>, last_ids: impl Fn([u32; 2]) -> [u64; 2]) {
        let Self { contacts, moved, gone, .. } = self;
        moved.clear();
        contacts.retain_packed(|Contact { entry: old, value }| {
            let new = map.new_entry(old);
            match new {
                Some(new) if new == old => {}
                Some(new) => moved.push(Contact { entry: new, value }),
                None => gone.push(EndedContact { ids: last_ids(row_and_partner(old)), value }),
            }
            new == Some(old)
        });
    }

    /// Removes ascending contacts that rows of other bodies have, in a step that was told what
    /// changed: to `moved` under their new rows, or they end because a side is gone.
    pub(super) fn take_reassigned(
        &mut self,
        reassigned: &[u64],
        map: &PairMap<'_>,
        moved: &mut Vec<Contact>,
        last_ids: impl Fn([u32; 2]) -> [u64; 2],
    ) {
        let Self { contacts, gone, .. } = self;
        contacts.remove(reassigned, |Contact { entry: old, value }| match map.new_entry(old) {
            Some(new) => moved.push(Contact { entry: new, value }),
            None => gone.push(EndedContact { ids: last_ids(row_and_partner(old)), value }),
        });
    }

    /// Ends the contacts in `ended`, which are ascending, and adds others to those that ended.
    pub(super) fn end(&mut self, ended: &[u64], others: &[Contact]) {
        let Self { contacts, ended: all, .. } = self;
        contacts.remove(ended, |contact| all.push(contact));
        if !others.is_empty() {
            all.extend_from_slice(others);
            all.sort_unstable();
        }
    }
}
