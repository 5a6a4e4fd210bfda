//! One probe against runs of entries.

#![allow(unsafe_code)]

use crate::memory::blocks::SOA_BLOCK_LEN;
use crate::memory::columns::SOA_PAD;
use crate::memory::page::{PAGE_LEN, PAGE_SLACK};
use crate::simd::backend::{Backend, Words};
use crate::simd::batch_test::{Side, Tests, hits};
use crate::simd::output_slots::OutputSlots;
use crate::simd::probe::{PairOrder, Probe};
use crate::simd::raw_columns::RawColumns;
use crate::simd::vector::Vector;

/// Candidates for which slots are reserved at once.
///
/// A page without room for them is left, three quarters full or more, even if few of them are hits.
/// Below 256, as [`Vector::first_bits`] requires.
pub(super) const CANDIDATES_MAX: usize = 240;

/// Sorted entries that [`SplatProbe::test_beside`] tests at a time, if the first of them begins
/// before the probe ends.
///
/// Not the number of lanes: how pages are filled does not depend on the instruction set.
const BESIDE_AT_ONCE: usize = 8;

/// The same for [`SplatProbe::test_sorted`].
const GROUP_LEN: usize = SOA_BLOCK_LEN;

/// Groups of which one axis is tested before the pairs of any are written.
const GROUPS_AT_ONCE: usize = 16;

const _: () = assert!(SOA_BLOCK_LEN <= SOA_PAD);
const _: () = assert!(CANDIDATES_MAX < 256 && CANDIDATES_MAX <= PAGE_LEN / 4);

/// A probe copied to all lanes.
pub(super) struct SplatProbe<B: Backend> {
    tests: Tests,
    pub(super) order: PairOrder,
    pub(super) side: Side<B::Vector>,
    pub(super) row: Words<B>,
}

impl<B: Backend> SplatProbe<B> {
    /// # Safety
    ///
    /// The instruction set of `B` is available.
    #[inline(always)]
    pub(super) unsafe fn new(tests: Tests, order: PairOrder, probe: &Probe) -> Self {
        // SAFETY: the caller vouches for the instruction set.
        let (side, row) = unsafe { (Side::splat(tests, probe), B::Vector::splat_words(probe.row)) };
        Self { tests, order, side, row }
    }

    /// Tests the first `min(count, LANES)` entries and writes a pair for each hit; returns how
    /// many.
    ///
    /// # Safety
    ///
    /// `LANES` entries can be read, with filters if these are tested, and `LANES` slots can be
    /// written. `count` is below 256.
    #[inline(always)]
    unsafe fn test_batch(&self, columns: RawColumns, count: usize, out: *mut [u32; 2]) -> usize {
        const { assert!(B::Vector::LANES <= SOA_PAD && B::Vector::LANES <= PAGE_SLACK) }
        // SAFETY: there is a probe, so its instruction set is available (VECTOR-1); the caller
        // vouches for entries and slots.
        unsafe {
            let entries = Side::load(self.tests, columns);
            let hits = B::Vector::first_bits(hits(self.tests.circles, &self.side, &entries), count);
            B::store_pairs(self.order, self.row, B::Vector::load_words(columns.rows()), hits, out)
        }
    }

    /// Tests the first `count` entries. The first vector needs no condition: most runs fit into it.
    ///
    /// # Safety
    ///
    /// The entries are in the population. A full vector can be read at each of them and at their
    /// end, in every column (SOA-2, LISTCOLUMNS-2). They have filters if
    /// these are tested. `count` is at most [`CANDIDATES_MAX`], and `out` has a slot for each and
    /// `PAGE_SLACK` more.
    #[inline(always)]
    unsafe fn test_run(&self, mut columns: RawColumns, mut count: usize, out: *mut [u32; 2]) -> usize {
        let lanes = B::Vector::LANES;
        // SAFETY: a vector that begins in the population or at its end is inside the columns
        // (SOA-2).
        let mut hits = unsafe { self.test_batch(columns, count, out) };
        if count > lanes {
            if lanes >= 8 {
                rare();
            }
            while count > lanes {
                // SAFETY: more entries than a vector follow, so the next one begins in the
                // population. There were at most as many hits as entries tested.
                unsafe {
                    columns = columns.skip(lanes);
                    count -= lanes;
                    hits += self.test_batch(columns, count, out.add(hits));
                }
            }
        }
        hits
    }

    /// Tests a run of any length, [`CANDIDATES_MAX`] entries at a time.
    ///
    /// # Safety
    ///
    /// The entries are in the population. A full vector can be read at each of them and at their
    /// end, in every column (SOA-2, LISTCOLUMNS-2). They have filters if
    /// these are tested.
    #[inline(always)]
    pub(super) unsafe fn test_long_run(
        &self,
        mut columns: RawColumns,
        mut count: usize,
        slots: &mut OutputSlots<'_, '_>,
    ) -> Option<()> {
        // SAFETY: these are parts of the run, and as many slots are reserved as each has
        // candidates.
        unsafe {
            while count > CANDIDATES_MAX {
                let out = slots.reserve(CANDIDATES_MAX)?;
                slots.advance(self.test_run(columns, CANDIDATES_MAX, out));
                columns = columns.skip(CANDIDATES_MAX);
                count -= CANDIDATES_MAX;
            }
            let out = slots.reserve(count)?;
            slots.advance(self.test_run(columns, count, out));
        }
        Some(())
    }

    /// Tests the first `count` entries, at most a block of them.
    ///
    /// It takes as many vectors in each case, since most leaves of a tree are full.
    ///
    /// # Safety
    ///
    /// The entries are in the population. A full vector can be read at each of them and at their
    /// end, in every column (SOA-2, LISTCOLUMNS-2). They have filters if
    /// these are tested.
    #[inline(always)]
    pub(super) unsafe fn test_block(
        &self,
        columns: RawColumns,
        count: usize,
        slots: &mut OutputSlots<'_, '_>,
    ) -> Option<()> {
        let (out, mut hits) = (slots.reserve(SOA_BLOCK_LEN)?, 0);
        for first in (0..SOA_BLOCK_LEN).step_by(B::Vector::LANES) {
            // SAFETY: the first entry is in the population or at its end, so a block is inside the
            // columns. There were at most as many hits as entries tested.
            hits += unsafe { self.test_batch(columns.skip(first), count.saturating_sub(first), out.add(hits)) };
        }
        // SAFETY: a slot is reserved for each entry of a block.
        unsafe { slots.advance(hits) };
        Some(())
    }

    /// Tests the entries from `start` on that begin at or before `end`, where the probe ends.
    /// `lows` has their lower edges.
    ///
    /// # Safety
    ///
    /// The columns are those of the entries, with padding (SOA-2), and there are as many lower
    /// edges as entries. They have filters if these are tested.
    #[inline(always)]
    pub(super) unsafe fn test_beside(
        &self,
        columns: RawColumns,
        lows: &[f32],
        start: usize,
        end: f32,
        slots: &mut OutputSlots<'_, '_>,
    ) -> Option<()> {
        let mut next = start;
        while next < lows.len() && lows[next] <= end {
            let count = (lows.len() - next).min(BESIDE_AT_ONCE);
            // SAFETY: the run is in the population, and as many slots are reserved.
            unsafe {
                let out = slots.reserve(BESIDE_AT_ONCE)?;
                slots.advance(self.test_run(columns.skip(next), count, out));
            }
            next += BESIDE_AT_ONCE;
        }
        Some(())
    }

    /// Tests the entries from `start` on that begin at or before `end`, where the probe ends on
    /// `axis`. `lows` has their lower edges on that axis.
    ///
    /// Few of many overlap the probe on the other axis too. So that axis alone is tested first,
    /// without a branch on what is found.
    ///
    /// # Safety
    ///
    /// The columns are those of the entries, with padding (SOA-2), and there are as many lower
    /// edges as entries. They have filters if these are tested.
    #[inline(always)]
    pub(super) unsafe fn test_sorted(
        &self,
        columns: RawColumns,
        (lows, axis): (&[f32], usize),
        start: usize,
        end: f32,
        slots: &mut OutputSlots<'_, '_>,
    ) -> Option<()> {
        let begins_before_end = |at: usize| lows.get(at).is_some_and(|&low| low <= end);
        let mut next = start;
        while begins_before_end(next) {
            let (mut found, mut found_count) = ([next; GROUPS_AT_ONCE], 1);
            if begins_before_end(next + GROUP_LEN) {
                found_count = 0;
                for _ in 0..GROUPS_AT_ONCE {
                    found[found_count] = next;
                    // SAFETY: the group begins in the population.
                    found_count += usize::from(unsafe { self.meets_any(columns.skip(next), 1 - axis) });
                    next += GROUP_LEN;
                    if !begins_before_end(next) {
                        break;
                    }
                }
            } else {
                // One group is tested at once.
                next += GROUP_LEN;
            }
            for &first in &found[..found_count] {
                let count = (lows.len() - first).min(GROUP_LEN);
                // SAFETY: the run is in the population, and as many slots are reserved.
                unsafe {
                    let out = slots.reserve(GROUP_LEN)?;
                    slots.advance(self.test_run(columns.skip(first), count, out));
                }
            }
        }
        Some(())
    }

    /// Whether any of the first [`GROUP_LEN`] entries overlaps the probe on an axis.
    ///
    /// # Safety
    ///
    /// The first entry is in the population, or at its end.
    #[inline(always)]
    unsafe fn meets_any(&self, columns: RawColumns, axis: usize) -> bool {
        let [min_x, min_y, max_x, max_y] = self.side.edges;
        let (min, max) = if axis == 0 { (min_x, max_x) } else { (min_y, max_y) };
        let mut hits = 0;
        for first in (0..GROUP_LEN).step_by(B::Vector::LANES) {
            // SAFETY: a group that begins there is inside the columns (SOA-2); there is a probe, so
            // its instruction set is available (VECTOR-1).
            let (low, high) = unsafe {
                let columns = columns.skip(first);
                (B::Vector::load(columns.edges(axis)), B::Vector::load(columns.edges(axis + 2)))
            };
            hits |= B::Vector::bits(B::Vector::and(min.le(high), low.le(max)));
        }
        hits != 0
    }
}

/// Tells the compiler that a branch is rarely taken.
#[cold]
fn rare() {}
