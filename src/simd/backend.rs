//! The operations beyond its vectors that kernels need of an instruction set.

#![allow(unsafe_code)]

use crate::simd::batch_test::Tests;
use crate::simd::probe::PairOrder;
use crate::simd::raw_columns::RawColumns;
use crate::simd::vector::Vector;

/// An instruction set as scans use it.
pub(super) trait Backend {
    /// The vectors of scans: at most `SOA_PAD` and `PAGE_SLACK` lanes.
    type Vector: Vector;

    /// The same instruction set, with vectors for runs that often have more than eight entries.
    type Wide: Backend;

    /// The vectors of block masks: `SOA_BLOCK_LEN` is a multiple of its lanes.
    type BlockVector: Vector;

    /// Writes a pair of `row`, the probe's, and the row in `rows` for each lane in `hits`, in the
    /// order of lanes, and returns how many. May overwrite `LANES` slots.
    ///
    /// # Safety
    ///
    /// `LANES` slots can be written at `out`, and `hits` has no bits above the lanes.
    unsafe fn store_pairs(
        order: PairOrder,
        row: Words<Self>,
        rows: Words<Self>,
        hits: u32,
        out: *mut [u32; 2],
    ) -> usize;

    /// The most candidates of the first of two entries in [`test_two`](Self::test_two); 0 if this
    /// instruction set does not have it.
    const TWO_MAX: usize = 0;

    /// Tests two neighbors at once: the first entry of the columns against the `candidates[0]`
    /// entries after it, and the next one against the `candidates[1]` entries after that. Writes
    /// ascending pairs, those of the first entry first, and returns how many. May overwrite
    /// [`PAGE_SLACK`] slots.
    ///
    /// # Safety
    ///
    /// The instruction set is available; `candidates[0]` is at most `TWO_MAX` and `candidates[1]`
    /// is less; `TWO_MAX + 1` entries can be read, with filters if these are tested; `PAGE_SLACK`
    /// slots can be written at `out`.
    ///
    /// [`PAGE_SLACK`]: crate::memory::page::PAGE_SLACK
    unsafe fn test_two(tests: Tests, columns: RawColumns, candidates: [usize; 2], out: *mut [u32; 2]) -> usize {
        let _ = (tests, columns, candidates, out);
        0
    }
}

/// The u32 vectors of a backend.
pub(super) type Words<B> = <<B as Backend>::Vector as Vector>::Words;

/// The first and second rows of pairs, in the given order.
#[inline(always)]
pub(super) fn ordered<V: Vector>(order: PairOrder, probe: V::Words, entry: V::Words) -> [V::Words; 2] {
    match order {
        PairOrder::Ascending => V::sorted(probe, entry),
        PairOrder::ProbeFirst => [probe, entry],
        PairOrder::EntryFirst => [entry, probe],
    }
}

/// For each mask of four lanes and each lane: how many lanes up to and including it are set.
pub(super) static SET_LANES: [[u8; 4]; 16] = set_lanes();

const fn set_lanes() -> [[u8; 4]; 16] {
    let mut table = [[0; 4]; 16];
    let mut mask = 0;
    while mask < 16 {
        let (mut lane, mut count) = (0, 0);
        while lane < 4 {
            count += (mask >> lane & 1) as u8;
            table[mask][lane] = count;
            lane += 1;
        }
        mask += 1;
    }
    table
}
