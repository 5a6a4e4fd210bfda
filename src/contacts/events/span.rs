//! The tracked contacts of one span of rows.
//!
//! - SPAN-1: `entries` has each contact of the last successful step under its first row, in
//!   ascending order, and `values` has one value for each.
//! - SPAN-2: each pair of a step is looked up there (`compare.rs`). Pairs that are found persist in
//!   place, the others begin. Contacts that were not looked up end, unless the margin keeps them.
//!   In a step that was told what changed, contacts that end or move are removed instead, and those
//!   that begin or moved are inserted (`edit.rs`).
//! - SPAN-3: before that, contacts whose bodies moved to other rows are removed and inserted in the
//!   spans of their new rows; those whose bodies are gone end.

use crate::contacts::changes::sorted_edit::{insert_sorted, remove_sorted};
use crate::contacts::events::row_map::PairMap;
use crate::memory::buffers::Buffers;
use crate::pair::row_and_partner;
use crate::prefetch::prefetch;

/// Number of [`NO_ENTRY`] after the last contact: this many entries are compared at once.
pub(super) const LOOKUP_LEN: usize = 6;

/// Equal to no entry: no row has such a high number.
pub(super) const NO_ENTRY: u64 = u64::MAX;

/// A contact that ended because a body or static is gone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct EndedContact {
    pub(super) ids: [u64; 2],
    pub(super) value: u32,
}

/// A contact outside of its span: its entry and its value.
pub(super) type MovedContact = (u64, u32);

/// A contact to insert in a span.
#[derive(Clone, Copy, Debug)]
pub(super) struct Insertion {
    pub(super) entry: u64,
    pub(super) value: u32,
    /// Whether it begins in this step.
    pub(super) began: bool,
}

impl Insertion {
    pub(super) fn began(entry: u64) -> Self {
        Self { entry, value: 0, began: true }
    }
}

/// Contacts whose first row is in one span of rows.
#[derive(Default)]
pub(super) struct ContactSpan {
    /// See SPAN-1. Followed by [`LOOKUP_LEN`] times [`NO_ENTRY`], if there are any contacts.
    entries: Vec<u64>,
    values: Vec<u32>,
    /// Positions of the contacts that began in the last successful step, ascending.
    pub(super) started: Vec<u32>,
    /// Contacts that ended although both sides are present. Their ids are looked up only when they
    /// are read, because each takes a random access.
    pub(super) ended: Vec<MovedContact>,
    pub(super) gone: Vec<EndedContact>,
    pub(super) moved: Vec<MovedContact>,
    /// Positions of an edit.
    places: Vec<u32>,
}

impl ContactSpan {
    /// Whether there is no contact, and none ended in the last step.
    pub(super) fn is_silent(&self) -> bool {
        self.values.is_empty() && self.ended.is_empty() && self.gone.is_empty()
    }

    pub(super) fn entries(&self) -> &[u64] {
        &self.entries[..self.values.len()]
    }

    /// The entries, followed by [`LOOKUP_LEN`] times [`NO_ENTRY`] if there are any.
    pub(super) fn padded_entries(&self) -> &[u64] {
        &self.entries
    }

    pub(super) fn values(&self) -> &[u32] {
        &self.values
    }

    /// The entries, their values, and the places of those that began.
    pub(super) fn parts_mut(&mut self) -> (&[u64], &mut [u32], &[u32]) {
        (&self.entries[..self.values.len()], &mut self.values, &self.started)
    }

    /// Clears the events of the last step.
    pub(super) fn clear_events(&mut self) {
        self.started.clear();
        self.ended.clear();
        self.gone.clear();
        self.moved.clear();
    }

    /// Removes contacts whose bodies moved, and ends those whose bodies are gone (SPAN-3).
    pub(super) fn take_moved(&mut self, map: &PairMap<'_>, last_ids: impl Fn([u32; 2]) -> [u64; 2]) {
        let mut kept = 0;
        for k in 0..self.values.len() {
            let (old, value) = (self.entries[k], self.values[k]);
            match map.new_entry(old) {
                Some(new) if new == old => {
                    (self.entries[kept], self.values[kept]) = (old, value);
                    kept += 1;
                }
                Some(new) => self.moved.push((new, value)),
                None => self.gone.push(EndedContact { ids: last_ids(row_and_partner(old)), value }),
            }
        }
        self.set_len(kept);
    }

    /// Inserts contacts that moved to this span (SPAN-3): ascending, none of them already present.
    pub(super) fn insert_moved(&mut self, moved: &[MovedContact]) {
        let mut remaining = self.values.len();
        let mut place = remaining + moved.len();
        self.set_len(place);
        let Self { entries, values, .. } = self;
        for &(entry, value) in moved.iter().rev() {
            while remaining > 0 && entries[remaining - 1] > entry {
                (place, remaining) = (place - 1, remaining - 1);
                (entries[place], values[place]) = (entries[remaining], values[remaining]);
            }
            place -= 1;
            (entries[place], values[place]) = (entry, value);
        }
    }

    /// Replaces the contacts; those at the positions in `ended` have ended.
    pub(super) fn replace(&mut self, entries: &[u64], values: &[u32], ended: &[u32]) {
        let contact = |&place: &u32| (self.entries[place as usize], self.values[place as usize]);
        self.ended.extend(ended.iter().map(contact));
        self.set_len(values.len());
        self.entries[..entries.len()].copy_from_slice(entries);
        self.values.copy_from_slice(values);
    }

    /// Removes contacts, ascending, all of them present, and passes them to `take`.
    pub(super) fn remove(&mut self, removed: &[u64], mut take: impl FnMut(MovedContact)) {
        // Without the padding, which `set_len` restores.
        self.entries.truncate(self.values.len());
        let Self { entries, values, places, .. } = self;
        prefetch_places(entries, removed.iter().copied());
        for &entry in removed {
            let place = place_of(entries, entry);
            take((entry, values[place]));
            places.push(place as u32);
        }
        remove_sorted(entries, &*places, |_, _, &at| at as usize);
        remove_sorted(values, &*places, |_, _, &at| at as usize);
        places.clear();
        self.set_len(self.values.len());
    }

    /// Ends the contacts in `ended`, and adds others to those that ended.
    pub(super) fn end(&mut self, ended: &[u64], others: &[MovedContact]) {
        let mut all = std::mem::take(&mut self.ended);
        self.remove(ended, |contact| all.push(contact));
        if !others.is_empty() {
            all.extend_from_slice(others);
            all.sort_unstable();
        }
        self.ended = all;
    }

    /// Inserts contacts, ascending, none of them already present.
    pub(super) fn insert(&mut self, inserted: &[Insertion]) {
        self.entries.truncate(self.values.len());
        let Self { entries, values, started, places, .. } = self;
        prefetch_places(entries, inserted.iter().map(|new| new.entry));
        for (before, new) in (0..).zip(inserted) {
            let place = place_of(entries, new.entry) as u32;
            places.push(place);
            started.extend(new.began.then_some(place + before));
        }
        let place = |k: usize| places[k] as usize;
        insert_sorted(entries, 0..inserted.len(), |_, _, k| place(k), |k| inserted[k].entry);
        insert_sorted(values, 0..inserted.len(), |_, _, k| place(k), |k| inserted[k].value);
        places.clear();
        self.set_len(self.values.len());
    }

    fn set_len(&mut self, len: usize) {
        let padded = if len == 0 { 0 } else { len + LOOKUP_LEN };
        reserve(&mut self.values, len);
        reserve(&mut self.entries, padded);
        self.values.resize(len, 0);
        self.entries.resize(padded, NO_ENTRY);
        self.entries[len..].fill(NO_ENTRY);
    }
}

impl Buffers for ContactSpan {
    fn bytes(&self) -> usize {
        self.entries.bytes()
            + self.values.bytes()
            + self.started.bytes()
            + self.places.bytes()
            + self.gone.capacity() * size_of::<EndedContact>()
            + (self.ended.capacity() + self.moved.capacity()) * size_of::<MovedContact>()
    }

    fn reserve_like(&mut self, _: &Self) {}

    fn shrink_to_fit(&mut self) {
        (self.moved, self.places) = Default::default();
        self.entries.shrink_to_fit();
        self.values.shrink_to_fit();
        self.started.shrink_to_fit();
        self.ended.shrink_to_fit();
        self.gone.shrink_to_fit();
    }
}

/// Where an entry is, or belongs, among ascending ones.
///
/// Most rows have about as many contacts, so it is looked for around its row's share of the
/// entries, in twice as large a part each time. A binary search of all of them would wait for
/// memory at each of its first steps.
fn place_of(entries: &[u64], entry: u64) -> usize {
    let guess = guess_place(entries, entry);
    let mut reach = 8;
    loop {
        let (low, high) = (guess.saturating_sub(reach), (guess + reach).min(entries.len()));
        let begins_after_low = low == 0 || entries[low - 1] < entry;
        let ends_before_high = high == entries.len() || entries[high] >= entry;
        if begins_after_low && ends_before_high {
            return low + entries[low..high].partition_point(|&other| other < entry);
        }
        reach *= 4;
    }
}

/// About where an entry is among ascending ones, if all rows have equally many.
fn guess_place(entries: &[u64], entry: u64) -> usize {
    let (Some(&first), Some(&last)) = (entries.first(), entries.last()) else { return 0 };
    let row = |entry: u64| u64::from(row_and_partner(entry)[0]);
    let (from, rows) = (row(entry).saturating_sub(row(first)), row(last) - row(first) + 1);
    ((from * entries.len() as u64 / rows) as usize).min(entries.len())
}

/// Loads the entries around those that are looked for next.
fn prefetch_places(entries: &[u64], wanted: impl Iterator<Item = u64>) {
    for entry in wanted {
        let guess = guess_place(entries, entry);
        prefetch(&entries[guess.saturating_sub(8)..(guess + 8).min(entries.len())]);
    }
}

/// Makes room for `count` items, with an eighth to spare if it has to grow.
pub(super) fn reserve<T>(items: &mut Vec<T>, count: usize) {
    if items.capacity() < count {
        items.reserve_exact(count + count / 8 + 8 - items.len());
    }
}
