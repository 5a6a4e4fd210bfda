//! Compares the pairs of a step with the tracked contacts, one span of rows at a time (SPAN-2).
//!
//! Only contacts that begin are sorted: in a crowd, nine contacts in ten persist. A span is read
//! once and written once; everything in between is in buffers of the thread, which stay in its
//! cache.
//!
//! Cost: a lookup per pair and a pass over the contacts.

use crate::contacts::by_row::SPAN_ROWS;
use crate::contacts::events::span::{ContactSpan, LOOKUP_LEN, NO_ENTRY, reserve};
use crate::memory::buffers::{Buffers, buffers};
use crate::pair::row_and_partner;
use crate::parallel;
use crate::prefetch::prefetch;
use crate::simd::{DetectedSimd, SimdJob};
use crossbeam::utils::CachePadded;
use parking_lot::{Mutex, MutexGuard};

/// Number of runs that are prefetched ahead.
const RUNS_AHEAD: usize = 2;

/// Rows whose entries are looked up together.
const GROUP_ROWS: usize = 2;

/// The starts of the entries of each group of rows, and the end of the last group.
type GroupStarts = [u32; SPAN_ROWS / GROUP_ROWS + 1];

/// Buffers for each thread. A lock is taken once per span, by its thread alone.
#[derive(Default)]
pub(super) struct ComparePool(Vec<CachePadded<Mutex<CompareScratch>>>);

impl ComparePool {
    /// Makes room for spans of up to `most` contacts and pairs together, on every thread.
    pub(super) fn reserve(&mut self, most: usize, parallel: bool) {
        let count = parallel::worker_count(parallel);
        if self.0.len() < count {
            self.0.resize_with(count, CachePadded::default);
        }
        self.0.iter_mut().for_each(|scratch| scratch.get_mut().reserve(most));
    }

    /// The buffers of the calling thread.
    pub(super) fn lock(&self, parallel: bool) -> MutexGuard<'_, CompareScratch> {
        self.0[parallel::worker_index(parallel)].lock()
    }

    pub(super) fn bytes(&self) -> usize {
        self.0.iter().map(|scratch| size_of_val(scratch) + scratch.lock().bytes()).sum()
    }
}

/// Buffers of one thread.
#[derive(Default)]
pub(super) struct CompareScratch {
    /// For each contact, whether the step has it; one more for pairs that are no contacts.
    seen: Vec<bool>,
    /// Entries that begin, `new_count` of them.
    new: Vec<u64>,
    new_count: usize,
    /// Positions of contacts that were not seen.
    missing: Vec<u32>,
    entries: Vec<u64>,
    values: Vec<u32>,
}

buffers!(CompareScratch { leveled: seen, new, missing, entries, values; own: ; plain: new_count; });

impl CompareScratch {
    fn reserve(&mut self, most: usize) {
        // One more, because branchless loops also write elements that they do not keep.
        let len = most + 1;
        grow_to(&mut self.seen, len);
        grow_to(&mut self.new, len);
        grow_to(&mut self.missing, len);
        grow_to(&mut self.entries, len);
        grow_to(&mut self.values, len);
    }

    /// Replaces the contacts of a span by those of the step, whose pairs are in `runs`.
    pub(super) fn run<'r>(
        &mut self,
        level: DetectedSimd,
        span: &mut ContactSpan,
        runs: impl Iterator<Item = &'r [u64]> + Clone,
        keeps: Option<&impl Fn([u32; 2]) -> bool>,
    ) {
        self.look_up(level, span, runs);
        if let Some(keeps) = keeps {
            self.keep_missing(span, keeps);
        }
        self.new[..self.new_count].sort_unstable();
        let [len, ended] = self.merge(span);
        span.replace(&self.entries[..len], &self.values[..len], &self.missing[..ended]);
    }

    /// Marks the contacts that the step has, and collects the pairs that are no contacts yet.
    fn look_up<'r>(&mut self, level: DetectedSimd, span: &ContactSpan, runs: impl Iterator<Item = &'r [u64]> + Clone) {
        let Self { seen, new, new_count, .. } = self;
        *new_count = 0;
        if span.values().is_empty() {
            for run in runs {
                new[*new_count..][..run.len()].copy_from_slice(run);
                *new_count += run.len();
            }
            return;
        }
        let starts = &group_starts(span);
        seen[..=span.values().len()].fill(false);
        *new_count = level.run(LookUp { entries: span.padded_entries(), starts, seen, new, runs });
    }

    /// Marks the missing contacts that persist nevertheless as seen.
    ///
    /// Without a branch on the outcome, which is unpredictable, so that memory accesses of several
    /// contacts overlap.
    fn keep_missing(&mut self, span: &ContactSpan, keeps: &impl Fn([u32; 2]) -> bool) {
        let Self { seen, missing, .. } = self;
        let entries = span.entries();
        let mut count = 0;
        for (place, &seen) in (0..).zip(&seen[..entries.len()]) {
            missing[count] = place;
            count += usize::from(!seen);
        }
        for &place in &missing[..count] {
            seen[place as usize] = keeps(row_and_partner(entries[place as usize]));
        }
    }

    /// Writes the contacts of the step, those that were seen and the new ones, in ascending order.
    /// Returns their number and the number of contacts that ended.
    fn merge(&mut self, span: &mut ContactSpan) -> [usize; 2] {
        let Self { seen, new, new_count, missing, entries, values } = self;
        let mut new = new[..*new_count].iter().copied();
        let mut next = new.next().unwrap_or(NO_ENTRY);
        let (mut len, mut ended) = (0, 0);
        let mut started = std::mem::take(&mut span.started);
        for (place, ((&entry, &value), &seen)) in (0..).zip(span.entries().iter().zip(span.values()).zip(&*seen)) {
            while next < entry {
                (entries[len], values[len]) = (next, 0);
                started.push(len as u32);
                len += 1;
                next = new.next().unwrap_or(NO_ENTRY);
            }
            // Branchless: which contacts end is unpredictable.
            (entries[len], values[len]) = (entry, value);
            len += usize::from(seen);
            missing[ended] = place;
            ended += usize::from(!seen);
        }
        while next != NO_ENTRY {
            (entries[len], values[len]) = (next, 0);
            started.push(len as u32);
            len += 1;
            next = new.next().unwrap_or(NO_ENTRY);
        }
        span.started = started;
        [len, ended]
    }
}

/// Finds the start of the entries of each group of rows.
///
/// Read once in the order of memory, so that the lookups find the span in the cache.
fn group_starts(span: &ContactSpan) -> GroupStarts {
    let mut starts = [0; SPAN_ROWS / GROUP_ROWS + 1];
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

/// The group of an entry's row within its span.
#[inline(always)]
fn group(entry: u64) -> usize {
    (entry >> 32) as usize % SPAN_ROWS / GROUP_ROWS
}

/// The lookup, compiled for each instruction set: compares eight entries at once where vectors are
/// long.
struct LookUp<'a, I> {
    entries: &'a [u64],
    starts: &'a GroupStarts,
    seen: &'a mut [bool],
    new: &'a mut [u64],
    runs: I,
}

impl<'r, I: Iterator<Item = &'r [u64]> + Clone> SimdJob for LookUp<'_, I> {
    /// Number of pairs that are no contacts: the first entries of `new`.
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        let Self { entries, starts, seen, new, runs } = self;
        let not_found = entries.len() - LOOKUP_LEN;
        let mut new_count = 0;
        let mut ahead = runs.clone().skip(RUNS_AHEAD);
        for run in runs {
            // Runs are scattered, so the processor cannot predict the place of the next one.
            ahead.next().into_iter().for_each(prefetch);
            for &wanted in run {
                let place = find(entries, starts, wanted);
                // Branchless: which pairs are new is unpredictable.
                seen[place] = true;
                new[new_count] = wanted;
                new_count += usize::from(place == not_found);
            }
        }
        new_count
    }
}

/// The position of an entry, or the position after the last if it is missing.
#[inline(always)]
fn find(entries: &[u64], starts: &GroupStarts, wanted: u64) -> usize {
    let not_found = entries.len() - LOOKUP_LEN;
    let group = group(wanted);
    let (start, end) = (starts[group] as usize, starts[group + 1] as usize);
    // May read entries of later groups: these are other pairs, so they do not match.
    let mut first = u64::MAX;
    for (&entry, place) in entries[start..start + LOOKUP_LEN].iter().zip(start as u64..) {
        first = first.min(if entry == wanted { place } else { not_found as u64 });
    }
    if end - start > LOOKUP_LEN && first == not_found as u64 {
        let rest = entries[start + LOOKUP_LEN..end].binary_search(&wanted);
        return rest.map_or(not_found, |k| start + LOOKUP_LEN + k);
    }
    first as usize
}

/// Makes `items` at least `len` long, with some to spare if it has to grow.
fn grow_to<T: Clone + Default>(items: &mut Vec<T>, len: usize) {
    if items.len() < len {
        reserve(items, len);
        items.resize(len, T::default());
    }
}
