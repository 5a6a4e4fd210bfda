//! The contacts of a span of rows, from step to step.
//!
//! T1: `entries` has each contact of the last good step under its first row, in ascending order, `values` one value each, and
//!     `starts` where each row begins.
//! T2: each pair of a step is looked up there ([`see`](Span::see)): what is seen goes on where it stands, what is not found begins. Then what
//!     was not seen ends, unless it is kept within the margin, and what began is merged in ([`settle`](Span::settle)).
//! T3: before that, whoever moved to another row, or is gone, is taken out; those that moved come back in the spans of their new rows.
//!
//! Only what began is sorted: in a crowd nine contacts in ten go on from step to step.
//!
//! Cost: a look-up a pair and a pass over the contacts, all in the first caches.

use super::super::by_row::{SPAN, entry, row_and_partner};
use super::ids::{NONE, Side};
use crate::kernel::{Level, Work, ask_for};
use crate::storage::reserve_like;

/// A contact of which one side is gone: the ids of both, and its value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Gone {
    pub(super) ids: [u64; 2],
    pub(super) value: u32,
}

/// A contact that was taken from its row: where it is now, and its value.
pub(super) type Moved = (u64, u32);

/// Entries of a row that are looked at together. So many stand behind the last entry too, of no pair.
const TOGETHER: usize = 8;

/// Runs that are asked for before they are read.
const AHEAD: usize = 2;

/// Rows whose entries are looked up together.
const GROUP: usize = 2;

/// Where the entries of each group of rows begin, and the end of the last one's.
type Starts = [u32; SPAN / GROUP + 1];

/// The group that an entry belongs to.
#[inline(always)]
fn group(entry: u64) -> usize {
    (entry >> 32) as usize % SPAN / GROUP
}

/// No entry: a row has no higher partner than itself plus all others.
const NO_ENTRY: u64 = u64::MAX;

/// Contacts whose first row is in the span.
#[derive(Default)]
pub(super) struct Span {
    /// T1; and [`TOGETHER`] of no pair behind.
    entries: Vec<u64>,
    values: Vec<u32>,
    /// Of each entry, whether the step has it, and one for what is none.
    seen: Vec<bool>,
    /// Places of those that began in the last good step, ascending.
    pub(super) started: Vec<u32>,
    /// Contacts that ended in the last good step though both sides are there, and their values. Their ids are looked up when they are
    /// read: that is a random access each.
    pub(super) ended: Vec<Moved>,
    pub(super) gone: Vec<Gone>,
    missing: Vec<u32>,
    missing_count: usize,
    entries_next: Vec<u64>,
    values_next: Vec<u32>,
    /// What began, before it is merged in: so many of them.
    fresh: Vec<u64>,
    fresh_count: usize,
    pub(super) moved: Vec<Moved>,
}

/// Where rows of the last step are now, for both sides of a contact.
#[derive(Clone, Copy)]
pub(super) struct Moves<'m> {
    pub(super) sides: [Side<'m>; 2],
    /// Both sides are bodies, of which the lower row is first.
    pub(super) ascending: bool,
}

impl Moves<'_> {
    pub(super) fn any(&self) -> bool {
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
    pub(super) fn is_silent(&self) -> bool {
        self.values.is_empty() && self.ended.is_empty() && self.gone.is_empty()
    }

    /// Contacts and their values.
    pub(super) fn entries(&self) -> &[u64] {
        &self.entries[..self.values.len()]
    }

    pub(super) fn values(&self) -> &[u32] {
        &self.values
    }

    /// Contacts, their values, and places of those that began.
    pub(super) fn parts_mut(&mut self) -> (&[u64], &mut [u32], &[u32]) {
        (&self.entries[..self.values.len()], &mut self.values, &self.started)
    }

    /// Forgets what began and ended in the last step.
    pub(super) fn forget(&mut self) {
        self.started.clear();
        self.ended.clear();
        self.gone.clear();
        self.moved.clear();
    }

    /// T3: takes out what moved, and ends what is gone.
    pub(super) fn take_out(&mut self, moves: &Moves<'_>, ids_before: impl Fn([u32; 2]) -> [u64; 2]) {
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

    /// T3: adds what moved to rows of this span, in ascending order.
    pub(super) fn bring_in(&mut self, moved: &[Moved]) {
        self.merge(moved.iter().copied(), |_| {});
    }

    /// Looks up the pairs of a step: marks those that are contacts, and gathers those that are not (T2).
    pub(super) fn see<'r>(&mut self, level: Level, runs: impl Iterator<Item = &'r [u64]> + Clone) {
        let count = runs.clone().map(<[u64]>::len).sum::<usize>();
        let mut fresh = std::mem::take(&mut self.fresh);
        if fresh.len() <= count {
            // One more than there can be: what is written in vain is written there.
            room(&mut fresh, count + 1);
            fresh.resize(count + 1, 0);
        }
        let mut fresh_count = 0;
        if self.values.is_empty() {
            for run in runs {
                fresh[fresh_count..][..run.len()].copy_from_slice(run);
                fresh_count += run.len();
            }
        } else {
            let starts = &self.index();
            let Self { entries, seen, values, .. } = self;
            let entries = &entries[..values.len() + TOGETHER];
            fresh_count = level.run(LookUp { entries, starts, seen, fresh: &mut fresh, runs });
        }
        self.fresh = fresh;
        self.fresh_count = fresh_count;
    }

    /// Ends what was not seen and not kept, and adds what began, in any order (T2).
    pub(super) fn settle(&mut self, keeps: Option<impl Fn([u32; 2]) -> bool>) {
        if let Some(keeps) = keeps {
            let Self { entries, values, seen, .. } = self;
            for (entry, seen) in entries.iter().zip(&mut seen[..values.len()]).filter(|(_, seen)| !**seen) {
                *seen = keeps(row_and_partner(*entry));
            }
        }
        self.fresh[..self.fresh_count].sort_unstable();
        self.renew();
        // What was before is in the other buffers now.
        let Self { entries_next: before, values_next: values, missing, missing_count, ended, .. } = self;
        ended.extend(missing[..*missing_count].iter().map(|&k| (before[k as usize], values[k as usize])));
    }

    /// Leaves out what was not seen, and merges in what began.
    fn renew(&mut self) {
        let Self { entries, values, seen, fresh, fresh_count, started, missing, .. } = self;
        let len = values.len();
        let most = len + *fresh_count;
        size(&mut self.entries_next, most + TOGETHER);
        // One more than there can be: what is written in vain is written there.
        size(&mut self.values_next, most + 1);
        size(missing, len + 1);
        let (entries_next, values_next) = (&mut self.entries_next[..most + 1], &mut self.values_next[..most + 1]);
        let missing = &mut missing[..len + 1];
        let mut fresh = fresh[..*fresh_count].iter().copied();
        let mut next = fresh.next().unwrap_or(NO_ENTRY);
        let (mut to, mut missing_count) = (0, 0);
        for (k, ((&entry, &value), &seen)) in entries.iter().zip(&*values).zip(&*seen).enumerate() {
            while next < entry {
                (entries_next[to], values_next[to]) = (next, 0);
                started.push(to as u32);
                to += 1;
                next = fresh.next().unwrap_or(NO_ENTRY);
            }
            // Without a branch on whether it is there still: that is in no order.
            (entries_next[to], values_next[to]) = (entry, value);
            to += usize::from(seen);
            missing[missing_count] = k as u32;
            missing_count += usize::from(!seen);
        }
        while next != NO_ENTRY {
            (entries_next[to], values_next[to]) = (next, 0);
            started.push(to as u32);
            to += 1;
            next = fresh.next().unwrap_or(NO_ENTRY);
        }
        self.missing_count = missing_count;
        std::mem::swap(&mut self.entries, &mut self.entries_next);
        std::mem::swap(&mut self.values, &mut self.values_next);
        // Whichever is filled next has the room that this one had.
        reserve_like(&mut self.entries_next, &self.entries);
        reserve_like(&mut self.values_next, &self.values);
        self.set_len(to);
    }

    fn set_len(&mut self, len: usize) {
        self.values.truncate(len);
        self.entries.truncate(len + TOGETHER);
        if let Some(behind) = self.entries.get_mut(len..) {
            behind.fill(NO_ENTRY);
        }
    }

    /// Merges in what comes in ascending order, from the last one on; `at` is told the place of each.
    fn merge(&mut self, more: impl DoubleEndedIterator<Item = Moved> + ExactSizeIterator, mut at: impl FnMut(usize)) {
        let Self { entries, values, .. } = self;
        let mut left = values.len();
        let mut to = left + more.len();
        room(values, to);
        room(entries, to + TOGETHER);
        values.resize(to, 0);
        entries.resize(to + TOGETHER, NO_ENTRY);
        entries[to..].fill(NO_ENTRY);
        for (entry, value) in more.rev() {
            while left > 0 && entries[left - 1] > entry {
                (to, left) = (to - 1, left - 1);
                (entries[to], values[to]) = (entries[left], values[left]);
            }
            to -= 1;
            (entries[to], values[to]) = (entry, value);
            at(to);
        }
    }

    /// Finds where rows begin, and makes room for marks. So all that is looked up is in the cache, which it came to in the order of
    /// memory.
    fn index(&mut self) -> Starts {
        let Self { entries, values, seen, .. } = self;
        let mut starts = [0; SPAN / GROUP + 1];
        for (&entry, end) in entries.iter().zip(1..=values.len() as u32) {
            starts[group(entry) + 1] = end;
        }
        let mut end = 0;
        for start in &mut starts {
            end = end.max(*start);
            *start = end;
        }
        seen.clear();
        room(seen, values.len() + 1);
        seen.resize(values.len() + 1, false);
        starts
    }

    pub(super) fn bytes(&self) -> usize {
        let entries = [&self.entries, &self.entries_next, &self.fresh];
        let words = [&self.values, &self.values_next, &self.started, &self.missing];
        size_of::<Self>()
            + entries.map(Vec::capacity).iter().sum::<usize>() * size_of::<u64>()
            + words.map(Vec::capacity).iter().sum::<usize>() * size_of::<u32>()
            + self.seen.capacity()
            + self.gone.capacity() * size_of::<Gone>()
            + (self.ended.capacity() + self.moved.capacity()) * size_of::<Moved>()
    }

    /// Gives back what the next step can make again.
    pub(super) fn shrink_to_fit(&mut self) {
        (self.seen, self.missing, self.fresh, self.moved) = Default::default();
        (self.entries_next, self.values_next) = Default::default();
        self.entries.shrink_to_fit();
        self.values.shrink_to_fit();
        self.started.shrink_to_fit();
        self.ended.shrink_to_fit();
        self.gone.shrink_to_fit();
    }
}

/// The look-up of T2, compiled for each instruction set: eight entries are compared at once where there are such vectors.
struct LookUp<'a, I> {
    /// With those of no pair behind.
    entries: &'a [u64],
    starts: &'a Starts,
    seen: &'a mut [bool],
    fresh: &'a mut [u64],
    runs: I,
}

impl<'r, I: Iterator<Item = &'r [u64]> + Clone> Work for LookUp<'_, I> {
    /// How many are not contacts: the first of `fresh`.
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        let Self { entries, starts, seen, fresh, runs } = self;
        let none = entries.len() - TOGETHER;
        let mut fresh_count = 0;
        let mut later = runs.clone().skip(AHEAD);
        for run in runs {
            // Each begins where no processor would guess.
            later.next().into_iter().for_each(ask_for);
            for &wanted in run {
                let place = place(entries, starts, wanted);
                // Without a branch on whether it is there: that is in no order.
                seen[place] = true;
                fresh[fresh_count] = wanted;
                fresh_count += usize::from(place == none);
            }
        }
        fresh_count
    }
}

/// Where an entry is, or behind the last one if it is not.
#[inline(always)]
fn place(entries: &[u64], starts: &Starts, wanted: u64) -> usize {
    let none = entries.len() - TOGETHER;
    let group = group(wanted);
    let (start, end) = (starts[group] as usize, starts[group + 1] as usize);
    // Entries of other rows are of other pairs, so it does no harm to look at them.
    let mut first = u64::MAX;
    for (&entry, place) in entries[start..start + TOGETHER].iter().zip(start as u64..) {
        first = first.min(if entry == wanted { place } else { none as u64 });
    }
    if end - start > TOGETHER && first == none as u64 {
        let more = entries[start + TOGETHER..end].binary_search(&wanted);
        return more.map_or(none, |k| start + TOGETHER + k);
    }
    first as usize
}

fn size<T: Clone + Default>(items: &mut Vec<T>, len: usize) {
    if items.len() < len {
        room(items, len);
        items.resize(len, T::default());
    }
}

/// Room for so many, with an eighth to spare where it has to grow.
fn room<T>(items: &mut Vec<T>, count: usize) {
    if items.capacity() < count {
        items.reserve_exact(count + count / 8 + 8 - items.len());
    }
}

/// The part of an ascending run that belongs to a span.
pub(super) fn part_of(moved: &[Moved], span: usize) -> &[Moved] {
    let before = |end: usize| moved.partition_point(|&(entry, _)| ((entry >> 32) as usize) < end);
    &moved[before(span * SPAN)..before((span + 1) * SPAN)]
}
