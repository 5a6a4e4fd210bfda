//! The pairs of a step against the contacts of the step before, a span of rows at a time (T2 in `span.rs`).
//!
//! Only what began is sorted: in a crowd nine contacts in ten go on from step to step.
//!
//! All that is written on the way is in buffers of the worker, which stay in its cache; the span is read once and written once.
//!
//! Cost: a look-up a pair and a pass over the contacts.

use crate::contacts::by_row::{SPAN, row_and_partner};
use crate::contacts::events::span::{NO_ENTRY, Span, TOGETHER, room};
use crate::memory::prefetch::prefetch;
use crate::simd::{DetectedSimd, SimdJob};

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

/// Buffers of a worker.
#[derive(Default)]
pub(crate) struct Comparison {
    /// Of each contact, whether the step has it, and one for what is none.
    seen: Vec<bool>,
    /// What begins: so many of them.
    fresh: Vec<u64>,
    fresh_count: usize,
    /// Places of what was not seen.
    missing: Vec<u32>,
    entries: Vec<u64>,
    values: Vec<u32>,
}

impl Comparison {
    /// Room for spans of at most so many contacts and pairs together.
    pub(crate) fn provide(&mut self, most: usize) {
        // One more than there can be: what is written in vain is written there.
        let most = most + 1;
        size(&mut self.seen, most);
        size(&mut self.fresh, most);
        size(&mut self.missing, most);
        size(&mut self.entries, most);
        size(&mut self.values, most);
    }

    /// Makes the contacts of a span those of the step, whose pairs are in `runs`. `keeps` says of a contact that is none of them
    /// whether it goes on.
    pub(crate) fn run<'r>(
        &mut self,
        level: DetectedSimd,
        span: &mut Span,
        runs: impl Iterator<Item = &'r [u64]> + Clone,
        keeps: Option<impl Fn([u32; 2]) -> bool>,
    ) {
        self.look_up(level, span, runs);
        if let Some(keeps) = keeps {
            for (entry, seen) in span.entries().iter().zip(&mut self.seen).filter(|(_, seen)| !**seen) {
                *seen = keeps(row_and_partner(*entry));
            }
        }
        self.fresh[..self.fresh_count].sort_unstable();
        let [to, ended] = self.merge(span);
        span.replace(&self.entries[..to], &self.values[..to], &self.missing[..ended]);
    }

    /// Marks the contacts that the step has, and gathers the pairs that are none.
    fn look_up<'r>(&mut self, level: DetectedSimd, span: &Span, runs: impl Iterator<Item = &'r [u64]> + Clone) {
        let Self { seen, fresh, fresh_count, .. } = self;
        *fresh_count = 0;
        if span.values().is_empty() {
            for run in runs {
                fresh[*fresh_count..][..run.len()].copy_from_slice(run);
                *fresh_count += run.len();
            }
            return;
        }
        let starts = &index(span);
        seen[..=span.values().len()].fill(false);
        *fresh_count = level.run(LookUp { entries: span.padded_entries(), starts, seen, fresh, runs });
    }

    /// The contacts of the step: those before that were seen, and what began. How many, and how many ended.
    fn merge(&mut self, span: &mut Span) -> [usize; 2] {
        let Self { seen, fresh, fresh_count, missing, entries, values, .. } = self;
        let mut fresh = fresh[..*fresh_count].iter().copied();
        let mut next = fresh.next().unwrap_or(NO_ENTRY);
        let (mut to, mut ended) = (0, 0);
        let mut started = std::mem::take(&mut span.started);
        for (k, ((&entry, &value), &seen)) in span.entries().iter().zip(span.values()).zip(&*seen).enumerate() {
            while next < entry {
                (entries[to], values[to]) = (next, 0);
                started.push(to as u32);
                to += 1;
                next = fresh.next().unwrap_or(NO_ENTRY);
            }
            // Without a branch on whether it is there still: that is in no order.
            (entries[to], values[to]) = (entry, value);
            to += usize::from(seen);
            missing[ended] = k as u32;
            ended += usize::from(!seen);
        }
        while next != NO_ENTRY {
            (entries[to], values[to]) = (next, 0);
            started.push(to as u32);
            to += 1;
            next = fresh.next().unwrap_or(NO_ENTRY);
        }
        span.started = started;
        [to, ended]
    }

    pub(crate) fn bytes(&self) -> usize {
        let words = self.missing.capacity() + self.values.capacity();
        self.seen.capacity()
            + words * size_of::<u32>()
            + (self.fresh.capacity() + self.entries.capacity()) * size_of::<u64>()
    }
}

/// Finds where rows begin. So all that is looked up is in the cache, where it came in the order of memory.
fn index(span: &Span) -> Starts {
    let mut starts = [0; SPAN / GROUP + 1];
    for (&entry, end) in span.entries().iter().zip(1..) {
        starts[group(entry) + 1] = end;
    }
    let mut end = 0;
    for start in &mut starts {
        end = end.max(*start);
        *start = end;
    }
    starts
}

/// The look-up, compiled for each instruction set: eight entries are compared at once where there are such vectors.
struct LookUp<'a, I> {
    /// With those of no pair behind.
    entries: &'a [u64],
    starts: &'a Starts,
    seen: &'a mut [bool],
    fresh: &'a mut [u64],
    runs: I,
}

impl<'r, I: Iterator<Item = &'r [u64]> + Clone> SimdJob for LookUp<'_, I> {
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
            later.next().into_iter().for_each(prefetch);
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

/// At least so many, with some to spare where it has to grow.
fn size<T: Clone + Default>(items: &mut Vec<T>, len: usize) {
    if items.len() < len {
        room(items, len);
        items.resize(len, T::default());
    }
}
