//! Compares the pairs of a step with the tracked contacts, one span of rows at a time (SPAN-2).
//!
//! Only contacts that begin are sorted: in a crowd, nine contacts in ten persist. A span is read
//! once and written once; everything in between is in buffers of the thread, which stay in its
//! cache.
//!
//! Cost: a lookup per pair and a pass over the contacts.

use crate::contacts::by_row::SPAN_ROWS;
use crate::contacts::events::contact_slots::{ContactSlots, LOOKUP_LEN, NO_ENTRY};
use crate::contacts::events::margin::MarginTest;
use crate::contacts::events::span::ContactSpan;
use crate::memory::buffers::{Buffers, buffers, grow};
use crate::pair::row_and_partner;
use crate::parallel;
use crate::prefetch::prefetch;
use crossbeam::utils::CachePadded;
use parking_lot::{Mutex, MutexGuard};

/// Number of runs that are prefetched ahead.
const RUNS_AHEAD: usize = 2;

/// Number of missing contacts whose boxes are prefetched ahead.
const MISSING_AHEAD: usize = 16;

/// The first entry of each row of a span.
type FirstEntries = [u32; SPAN_ROWS];

/// Buffers for each thread. A lock is taken once per span, by its thread alone.
#[derive(Default)]
pub(super) struct ComparePool(Vec<CachePadded<Mutex<CompareScratch>>>);

impl ComparePool {
    /// Makes room for spans of up to `most` contacts and pairs together, on every thread.
    pub(super) fn reserve(&mut self, most: usize, parallel: bool) {
        let count = parallel::worker_slots(parallel);
        if self.0.len() < count {
            self.0.resize_with(count, CachePadded::default);
        }
        self.0.iter_mut().for_each(|scratch| scratch.get_mut().reserve(most));
    }

    /// The buffers of the calling thread.
    pub(super) fn lock(&self, parallel: bool) -> MutexGuard<'_, CompareScratch> {
        self.0[parallel::worker_index(parallel)].lock()
    }
}

impl Buffers for ComparePool {
    fn bytes(&self) -> usize {
        self.0.iter().map(|scratch| size_of_val(scratch) + scratch.lock().bytes()).sum()
    }

    fn reserve_like(&mut self, _: &Self) {}

    fn shrink_to_fit(&mut self) {
        *self = Self::default();
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
    /// Positions of contacts that the step does not have, `missing_count` of them.
    missing: Vec<u32>,
    missing_count: usize,
    entries: Vec<u64>,
    values: Vec<u32>,
}

buffers!(CompareScratch { leveled: seen, new, missing, entries, values; own: ; plain: new_count, missing_count; });

impl CompareScratch {
    fn reserve(&mut self, most: usize) {
        // One more, because branchless loops also write elements that they do not keep.
        let len = most + 1;
        grow(&mut self.seen, len);
        grow(&mut self.new, len);
        grow(&mut self.missing, len);
        grow(&mut self.entries, len);
        grow(&mut self.values, len);
    }

    /// Replaces the contacts of a span by those of the step, whose pairs are in `runs`.
    pub(super) fn run<'r>(
        &mut self,
        span: &mut ContactSpan,
        runs: impl Iterator<Item = &'r [u64]> + Clone,
        margin: Option<&MarginTest<'_>>,
    ) {
        let ContactSpan { contacts, started, ended, .. } = span;
        contacts.pack();
        self.look_up(contacts, runs);
        self.list_missing(contacts.count());
        if let Some(margin) = margin {
            self.keep_missing(contacts, margin);
        }
        self.new[..self.new_count].sort_unstable();
        let len = match contacts.packed_values() {
            Some(values) => self.merge::<true>(contacts.packed_entries(), values, started),
            None => self.merge::<false>(contacts.packed_entries(), &[], started),
        };
        let missing = &self.missing[..self.missing_count];
        ended.extend(missing.iter().map(|&slot| contacts.get(slot as usize)));
        contacts.replace_packed(&self.entries[..len], &self.values[..len]);
    }

    /// Marks the contacts that the step has, and collects the pairs that are no contacts yet.
    fn look_up<'r>(&mut self, contacts: &ContactSlots, runs: impl Iterator<Item = &'r [u64]> + Clone) {
        let Self { seen, new, new_count, .. } = self;
        *new_count = 0;
        if contacts.count() == 0 {
            for run in runs {
                new[*new_count..][..run.len()].copy_from_slice(run);
                *new_count += run.len();
            }
            return;
        }
        let first = &first_entries(contacts.packed_entries());
        seen[..=contacts.count()].fill(false);
        let (entries, not_found) = (contacts.padded_entries(), contacts.count());
        let mut count = 0;
        let mut ahead = runs.clone().skip(RUNS_AHEAD);
        for run in runs {
            // Runs are scattered, so the processor cannot predict the place of the next one.
            ahead.next().into_iter().for_each(prefetch);
            for &wanted in run {
                let place = find(entries, first, wanted, not_found);
                // Branchless: which pairs are new is unpredictable.
                seen[place] = true;
                new[count] = wanted;
                count += usize::from(place == not_found);
            }
        }
        *new_count = count;
    }

    /// Lists the contacts that the step does not have.
    ///
    /// Without a branch, here and below: which contacts end is unpredictable.
    fn list_missing(&mut self, contacts: usize) {
        let Self { seen, missing, missing_count, .. } = self;
        let mut count = 0;
        for (place, &seen) in (0..).zip(&seen[..contacts]) {
            missing[count] = place;
            count += usize::from(!seen);
        }
        *missing_count = count;
    }

    /// Marks the missing contacts that persist nevertheless as seen.
    ///
    /// Their boxes are at random places in memory, so they are loaded ahead.
    fn keep_missing(&mut self, contacts: &ContactSlots, margin: &MarginTest<'_>) {
        let Self { seen, missing, missing_count, .. } = self;
        let rows = |place: u32| row_and_partner(contacts.packed_entries()[place as usize]);
        let mut count = 0;
        for k in 0..*missing_count {
            if let Some(&ahead) = missing[..*missing_count].get(k + MISSING_AHEAD) {
                margin.prefetch(rows(ahead));
            }
            let place = missing[k];
            let persists = margin.keeps(rows(place));
            seen[place as usize] = persists;
            missing[count] = place;
            count += usize::from(!persists);
        }
        *missing_count = count;
    }

    /// Writes the contacts of the step, those that were seen and the new ones, in ascending order,
    /// and with `VALUES` their values. Returns their number, and adds the places of the new ones to
    /// `started`.
    fn merge<const VALUES: bool>(&mut self, old: &[u64], old_values: &[u32], started: &mut Vec<u32>) -> usize {
        let Self { seen, new, new_count, entries, values, .. } = self;
        let seen = &seen[..old.len()];
        let (mut place, mut len) = (0, 0);
        for next in new[..*new_count].iter().copied().chain([NO_ENTRY]) {
            while place < old.len() && old[place] < next {
                entries[len] = old[place];
                if VALUES {
                    values[len] = old_values[place];
                }
                len += usize::from(seen[place]);
                place += 1;
            }
            if next != NO_ENTRY {
                entries[len] = next;
                if VALUES {
                    values[len] = 0;
                }
                started.push(len as u32);
                len += 1;
            }
        }
        len
    }
}

/// Finds the first entry of each row; that of a row without entries is after the last one.
///
/// Back to front, so that the first entry of a row is noted last. This also loads the span, so that
/// the lookups find it in the cache.
fn first_entries(entries: &[u64]) -> FirstEntries {
    let mut first = [entries.len() as u32; SPAN_ROWS];
    for (place, &entry) in entries.iter().enumerate().rev() {
        first[row_in_span(entry)] = place as u32;
    }
    first
}

/// The row of an entry within its span.
#[inline(always)]
fn row_in_span(entry: u64) -> usize {
    (entry >> 32) as usize % SPAN_ROWS
}

/// The position of an entry, or `not_found`.
#[inline(always)]
fn find(entries: &[u64], first: &FirstEntries, wanted: u64, not_found: usize) -> usize {
    let row = row_in_span(wanted);
    let start = first[row] as usize;
    // Also counts entries of later rows and the padding: these are larger.
    let few: &[u64; LOOKUP_LEN] = entries[start..].first_chunk().expect("entries are padded");
    let smaller: usize = few.iter().map(|&entry| usize::from(entry < wanted)).sum();
    let mut place = start + smaller;
    if smaller == LOOKUP_LEN {
        let later = first[row + 1..].iter().find(|&&first| (first as usize) < not_found);
        let end = later.map_or(not_found, |&first| first as usize);
        place += entries[place..end].partition_point(|&entry| entry < wanted);
    }
    if entries[place] == wanted { place } else { not_found }
}
