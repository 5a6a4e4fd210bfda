//! The contacts of a span of rows, from step to step.
//!
//! T1: `entries` has each contact of the last good step under its first row, in ascending order, and `values` one value each.
//! T2: each pair of a step is looked up there (`compare.rs`): what is found goes on where it stands, what is not found begins.
//!     Then what was not looked up ends, unless it is kept within the margin, and what began is merged in.
//! T3: before that, whoever moved to another row, or is gone, is taken out; those that moved come back in the spans of their
//!     new rows.

use crate::contacts::by_row::{entry, row_and_partner};
use crate::contacts::events::ids::{NONE, Side};

/// Entries of no pair that stand behind the last one: so many are looked at together.
pub(crate) const TOGETHER: usize = 8;

/// No entry: no row has so high a number.
pub(crate) const NO_ENTRY: u64 = u64::MAX;

/// A contact of which one side is gone: the ids of both, and its value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Gone {
    pub(crate) ids: [u64; 2],
    pub(crate) value: u32,
}

/// A contact that is not in its row: where it is or was, and its value.
pub(crate) type Moved = (u64, u32);

/// Contacts whose first row is in the span.
#[derive(Default)]
pub(crate) struct Span {
    /// T1; and [`TOGETHER`] of no pair behind, if there are any.
    entries: Vec<u64>,
    values: Vec<u32>,
    /// Places of those that began in the last good step, ascending.
    pub(crate) started: Vec<u32>,
    /// Contacts that ended in the last good step though both sides are there. Their ids are looked up when they are read: that
    /// is a random access each.
    pub(crate) ended: Vec<Moved>,
    pub(crate) gone: Vec<Gone>,
    pub(crate) moved: Vec<Moved>,
}

/// Where rows of the last step are now, for both sides of a contact.
#[derive(Clone, Copy)]
pub(crate) struct Moves<'m> {
    pub(crate) sides: [Side<'m>; 2],
    /// Both sides are bodies, of which the lower row is first.
    pub(crate) ascending: bool,
}

impl Moves<'_> {
    pub(crate) fn any(&self) -> bool {
        self.sides.iter().any(|side| !matches!(side, Side::Same))
    }

    /// Where a contact is now, if both are there still.
    fn of(&self, before: u64) -> Option<u64> {
        let [a, b] = row_and_partner(before);
        let (a, b) = (self.sides[0].of(a), self.sides[1].of(b));
        if a == NONE || b == NONE {
            return None;
        }
        Some(if self.ascending { entry(a.min(b), a.max(b)) } else { entry(a, b) })
    }
}

impl Span {
    /// No contact, and none that ended in the last step.
    pub(crate) fn is_silent(&self) -> bool {
        self.values.is_empty() && self.ended.is_empty() && self.gone.is_empty()
    }

    /// The contacts.
    pub(crate) fn entries(&self) -> &[u64] {
        &self.entries[..self.values.len()]
    }

    /// And those of no pair behind, if there are any contacts.
    pub(crate) fn padded_entries(&self) -> &[u64] {
        &self.entries
    }

    pub(crate) fn values(&self) -> &[u32] {
        &self.values
    }

    /// Contacts, their values, and places of those that began.
    pub(crate) fn parts_mut(&mut self) -> (&[u64], &mut [u32], &[u32]) {
        (&self.entries[..self.values.len()], &mut self.values, &self.started)
    }

    /// Forgets what began and ended in the last step.
    pub(crate) fn forget(&mut self) {
        self.started.clear();
        self.ended.clear();
        self.gone.clear();
        self.moved.clear();
    }

    /// T3: takes out what moved, and ends what is gone.
    pub(crate) fn take_out(&mut self, moves: &Moves<'_>, ids_before: impl Fn([u32; 2]) -> [u64; 2]) {
        let mut stayed = 0;
        for k in 0..self.values.len() {
            let (before, value) = (self.entries[k], self.values[k]);
            match moves.of(before) {
                Some(now) if now == before => {
                    (self.entries[stayed], self.values[stayed]) = (before, value);
                    stayed += 1;
                }
                Some(now) => self.moved.push((now, value)),
                None => self.gone.push(Gone { ids: ids_before(row_and_partner(before)), value }),
            }
        }
        self.set_len(stayed);
    }

    /// T3: adds what moved to rows of this span, in ascending order. None of it is here.
    pub(crate) fn bring_in(&mut self, moved: &[Moved]) {
        let mut left = self.values.len();
        let mut to = left + moved.len();
        self.set_len(to);
        let Self { entries, values, .. } = self;
        for &(entry, value) in moved.iter().rev() {
            while left > 0 && entries[left - 1] > entry {
                (to, left) = (to - 1, left - 1);
                (entries[to], values[to]) = (entries[left], values[left]);
            }
            to -= 1;
            (entries[to], values[to]) = (entry, value);
        }
    }

    /// The contacts of the last step give way to those of this one; those at some places ended.
    pub(crate) fn replace(&mut self, entries: &[u64], values: &[u32], ended: &[u32]) {
        let before = |&place: &u32| (self.entries[place as usize], self.values[place as usize]);
        self.ended.extend(ended.iter().map(before));
        self.set_len(values.len());
        self.entries[..entries.len()].copy_from_slice(entries);
        self.values.copy_from_slice(values);
    }

    fn set_len(&mut self, len: usize) {
        let padded = if len == 0 { 0 } else { len + TOGETHER };
        room(&mut self.values, len);
        room(&mut self.entries, padded);
        self.values.resize(len, 0);
        self.entries.resize(padded, NO_ENTRY);
        self.entries[len..].fill(NO_ENTRY);
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.entries.capacity() * size_of::<u64>()
            + (self.values.capacity() + self.started.capacity()) * size_of::<u32>()
            + self.gone.capacity() * size_of::<Gone>()
            + (self.ended.capacity() + self.moved.capacity()) * size_of::<Moved>()
    }

    /// Gives back what the next step can make again.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.moved = Vec::new();
        self.entries.shrink_to_fit();
        self.values.shrink_to_fit();
        self.started.shrink_to_fit();
        self.ended.shrink_to_fit();
        self.gone.shrink_to_fit();
    }
}

/// Room for so many, with an eighth to spare where it has to grow.
pub(crate) fn room<T>(items: &mut Vec<T>, count: usize) {
    if items.capacity() < count {
        items.reserve_exact(count + count / 8 + 8 - items.len());
    }
}
