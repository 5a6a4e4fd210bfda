//! Compares the rows of a step with the cached ones, chunk by chunk.
//!
//! - SLEEP-1: a row is *cached* in a step if it is marked as asleep, was filed in the cache, and
//!   its box and filter equal the filed ones, bit for bit. These are not overwritten while it is
//!   cached.
//! - SLEEP-2: every other valid row is *awake*. If it was filed in the cache, its entry there is
//!   *stale* until the next rebuild: its bit is cleared and stays cleared, even if the step fails.
//!   So a step that fails can cost later steps time, but never correctness.
//! - SLEEP-3: a row that is asleep and not cached is *unchanged* if its box and filter equal those
//!   of the previous step, and may then be cached. So bodies that move although they are marked as
//!   asleep are not filed again and again.
//!
//! Chunks are fixed numbers of rows, each with its own state, so nothing depends on threads.
//!
//! Cost: a comparison of 16 bytes for each row, and a write of 20 bytes for each awake one.

use crate::error::InvalidRow;
use crate::geometry::{NO_BOX, RawAabb};
use crate::input::chunks::Chunks;
use crate::input::filter::Filter;
use crate::input::rows::BoxSource;
use crate::memory::bits::{bits_of, set_bits};
use crate::memory::body_record::{BodyRecord, sort_by_row};
use crate::memory::buffers::{Buffers, buffers, grow};
use crate::parallel;
use crate::simd::{DetectedSimd, SimdJob, SimdRows};
use std::ops::Range;

/// Rows in a chunk: enough for a task, few enough to distribute over threads.
pub(super) const ROW_CHUNK_LEN: usize = 4096;

/// Rows that are compared together: their boxes stay in the first-level cache.
const COMPARE_BATCH: usize = 256;

/// Rows in a word of bits.
const WORD_BITS: usize = 64;
const WORDS: usize = ROW_CHUNK_LEN / WORD_BITS;

/// Fewer records are copied by one thread, before another one could help.
const PARALLEL_LIST_MIN: usize = 20_000;

/// The state of the rows of a chunk.
pub(super) struct RowChunk {
    /// By row: the box it is filed with, or its box when it was last asleep.
    boxes: Vec<RawAabb>,
    /// By row, like `boxes`; empty as long as no row had a filter.
    filters: Vec<Filter>,
    /// By row, a bit each: whether it is cached (SLEEP-1), and unchanged in this step (SLEEP-3).
    pub(super) cached: [u64; WORDS],
    unchanged: [u64; WORDS],
    pub(super) cached_count: usize,
    pub(super) unchanged_count: usize,
    /// The awake rows of this step (SLEEP-2).
    pub(super) awake: Vec<BodyRecord>,
    pub(super) invalid: Vec<InvalidRow>,
}

buffers!(RowChunk {
    leveled: boxes, filters, awake, invalid;
    own: ;
    plain: cached, unchanged, cached_count, unchanged_count;
});

impl Default for RowChunk {
    fn default() -> Self {
        Self {
            boxes: Vec::new(),
            filters: Vec::new(),
            cached: [0; WORDS],
            unchanged: [0; WORDS],
            cached_count: 0,
            unchanged_count: 0,
            awake: Vec::new(),
            invalid: Vec::new(),
        }
    }
}

impl RowChunk {
    fn is_cached(&self, row: u32) -> bool {
        let at = row as usize % ROW_CHUNK_LEN;
        self.cached[at / WORD_BITS] >> (at % WORD_BITS) & 1 != 0
    }

    /// Forgets all rows: they are gone, or the cache was dropped.
    pub(super) fn clear(&mut self) {
        (self.cached, self.cached_count) = ([0; WORDS], 0);
        (self.unchanged, self.unchanged_count) = ([0; WORDS], 0);
        self.awake.clear();
        self.invalid.clear();
    }

    /// Writes the rows that are cached or unchanged to `records`, and makes all of them cached.
    pub(super) fn cache_unchanged(&mut self, number: usize, mut records: &mut [BodyRecord]) {
        for (k, (cached, unchanged)) in self.cached.iter_mut().zip(&mut self.unchanged).enumerate() {
            *cached |= std::mem::take(unchanged);
            for bit in set_bits(*cached) {
                let at = k * WORD_BITS + bit;
                if let Some((record, rest)) = std::mem::take(&mut records).split_first_mut() {
                    *record = BodyRecord { aabb: self.boxes[at], row: (number * ROW_CHUNK_LEN + at) as u32 };
                    records = rest;
                }
            }
        }
        self.cached_count += std::mem::take(&mut self.unchanged_count);
    }

    /// Makes a row awake that [`cache_unchanged`](Self::cache_unchanged) wrote but that cannot be
    /// cached.
    pub(super) fn wake(&mut self, record: BodyRecord) {
        let at = record.row as usize % ROW_CHUNK_LEN;
        self.cached_count -= usize::from(self.is_cached(record.row));
        self.cached[at / WORD_BITS] &= !(1 << (at % WORD_BITS));
        self.awake.push(record);
    }

    /// Removes the rows that are cached now from the awake ones, and sorts the others.
    ///
    /// Rows that were [woken](Self::wake) are listed twice if they were awake before.
    pub(super) fn finish_rebuild(&mut self) {
        let mut awake = std::mem::take(&mut self.awake);
        awake.retain(|record| !self.is_cached(record.row));
        sort_by_row(&mut awake);
        awake.dedup_by_key(|record| record.row);
        self.awake = awake;
    }

    /// Releases the memory that the next step fills anyway.
    pub(super) fn free_unused(&mut self) {
        self.awake = Vec::new();
        self.shrink_to_fit();
    }
}

/// Compares the rows of one chunk with the cached ones.
pub(super) struct CompareRows<'a, 'i, 'c> {
    pub(super) input: &'a Chunks<'i, 'c>,
    /// The filters of all rows, if any row has one.
    pub(super) filters: Option<&'a [Filter]>,
    pub(super) level: DetectedSimd,
    pub(super) number: usize,
    pub(super) chunk: &'a mut RowChunk,
    /// Whether all invalid rows are recorded; otherwise the first is enough.
    pub(super) skip_invalid: bool,
}

impl SimdJob for CompareRows<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { input, filters, level, number, chunk, skip_invalid } = self;
        let from = number * ROW_CHUNK_LEN;
        let rows = from..input.len().min(from + ROW_CHUNK_LEN);
        chunk.begin(rows.len(), filters.is_some());
        let (mut now, mut asleep) = ([[0.0; 4]; COMPARE_BATCH], [false; COMPARE_BATCH]);
        for first in rows.clone().step_by(COMPARE_BATCH) {
            let batch = first..rows.end.min(first + COMPARE_BATCH);
            let (now, asleep) = (&mut now[..batch.len()], &mut asleep[..batch.len()]);
            let all_valid = input.read_with(level, batch.clone(), now);
            input.read_asleep(batch, asleep);
            for (k, (now, asleep)) in now.chunks(WORD_BITS).zip(asleep.chunks(WORD_BITS)).enumerate() {
                let first = first + k * WORD_BITS;
                let mut valid = u64::MAX >> (WORD_BITS - now.len());
                if !all_valid {
                    valid = check(input, first..first + now.len(), skip_invalid, &mut chunk.invalid);
                }
                chunk.compare_word(first - from, (first, now), asleep, valid, filters);
            }
        }
        // Rows that are gone.
        let words = rows.len().div_ceil(WORD_BITS);
        chunk.cached[words..].fill(0);
        chunk.unchanged[words..].fill(0);
    }
}

impl RowChunk {
    #[inline(always)]
    fn begin(&mut self, rows: usize, has_filters: bool) {
        if self.boxes.len() < rows {
            self.boxes.resize(rows, NO_BOX);
        }
        if has_filters || !self.filters.is_empty() {
            self.filters.resize(self.boxes.len(), Filter::ALL);
        }
        self.awake.clear();
        self.invalid.clear();
        (self.cached_count, self.unchanged_count) = (0, 0);
    }

    /// Compares up to [`WORD_BITS`] rows, from row `first` on, with the stored ones from `at` on.
    #[inline(always)]
    fn compare_word(
        &mut self,
        at: usize,
        (first, now): (usize, &[RawAabb]),
        asleep: &[bool],
        valid: u64,
        filters: Option<&[Filter]>,
    ) {
        let stored = &mut self.boxes[at..at + now.len()];
        let (mut same, asleep) = (same_bits(now, stored), bits_of(asleep) & valid);
        if !self.filters.is_empty() {
            let stored = &self.filters[at..at + now.len()];
            for (k, filter) in stored.iter().enumerate() {
                let present = filters.map_or(Filter::ALL, |filters| filters[first + k]);
                same &= !(u64::from(present != *filter) << k);
            }
        }
        let (cached, unchanged) = (&mut self.cached[at / WORD_BITS], &mut self.unchanged[at / WORD_BITS]);
        *unchanged = same & asleep & !*cached; // SLEEP-3
        *cached &= same & asleep; // SLEEP-1
        self.cached_count += cached.count_ones() as usize;
        self.unchanged_count += unchanged.count_ones() as usize;
        let awake = valid & !*cached; // SLEEP-2
        self.awake.reserve(if awake != 0 { WORD_BITS } else { 0 });
        for k in set_bits(awake) {
            self.awake.push(BodyRecord { aabb: now[k], row: (first + k) as u32 });
        }
        for k in set_bits(asleep & !same) {
            stored[k] = now[k];
            if let Some(filter) = self.filters.get_mut(at + k) {
                *filter = filters.map_or(Filter::ALL, |filters| filters[first + k]);
            }
        }
    }
}

/// The bits of the valid rows of a range; the others are recorded.
#[cold]
#[inline(never)]
fn check(input: &Chunks<'_, '_>, rows: Range<usize>, skip_invalid: bool, invalid: &mut Vec<InvalidRow>) -> u64 {
    let mut valid = 0;
    for (k, row) in rows.enumerate() {
        match input.checked_box(row) {
            Ok(_) => valid |= 1 << k,
            // For an error, the lowest one is enough.
            Err(row) if skip_invalid || invalid.is_empty() => invalid.push(row),
            Err(_) => {}
        }
    }
    valid
}

/// Which boxes are equal, bit for bit.
#[inline(always)]
fn same_bits(now: &[RawAabb], stored: &[RawAabb]) -> u64 {
    let mut same = [false; WORD_BITS];
    for ((same, now), stored) in same.iter_mut().zip(now).zip(stored) {
        let [now, stored] = [now, stored].map(|aabb| bytemuck::cast::<RawAabb, u128>(*aabb));
        *same = now == stored;
    }
    bits_of(&same)
}

/// Lists records of all chunks, in order: `count` returns how many a chunk has, and `write` writes
/// them.
pub(super) fn list_records(
    parallel: bool,
    chunks: &mut [RowChunk],
    records: &mut Vec<BodyRecord>,
    count: impl Fn(&RowChunk) -> usize + Sync + Copy + Send,
    write: impl Fn(&mut RowChunk, usize, &mut [BodyRecord]) + Sync + Copy + Send,
) {
    let total = chunks.iter().map(count).sum();
    grow(records, total);
    records.truncate(total);
    write_records(parallel && total >= PARALLEL_LIST_MIN, (0, chunks), records, count, write);
}

fn write_records(
    parallel: bool,
    (first, chunks): (usize, &mut [RowChunk]),
    records: &mut [BodyRecord],
    count: impl Fn(&RowChunk) -> usize + Sync + Copy + Send,
    write: impl Fn(&mut RowChunk, usize, &mut [BodyRecord]) + Sync + Copy + Send,
) {
    match chunks {
        [] => {}
        [one] => write(one, first, records),
        _ => {
            let middle = chunks.len() / 2;
            let (front, back) = chunks.split_at_mut(middle);
            let (front_records, back_records) = records.split_at_mut(front.iter().map(count).sum());
            parallel::join(
                parallel,
                || write_records(parallel, (first, front), front_records, count, write),
                || write_records(parallel, (first + middle, back), back_records, count, write),
            );
        }
    }
}
