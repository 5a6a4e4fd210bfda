//! Eight boxes at a time with SSE2, as two halves of four. There is no shuffle by a variable and no instruction that counts
//! bits, so hits are not compressed in a register: every pair is stored, each where the hits before it end, and a pair that
//! is none is overwritten by the next. Where that is stands in a table.

#![allow(unsafe_code)]

use crate::simd::Probe;
use crate::simd::circle_test::{DiscLanes, Rule, discs_of, floats, measured};
use crate::simd::scan::instantiate;
use crate::simd::vector::{Filters, Lanes, PairOrderTag, RawColumns};
use std::arch::x86_64::*;

pub(crate) struct Sse2;

/// For each mask of hits and each lane, the hits up to that lane, itself included: 64 bytes.
static COUNTS: [[u8; 4]; 16] = count_table();

const fn count_table() -> [[u8; 4]; 16] {
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

/// Edges, row, layers and mask, disc: a probe in every lane.
type Spread = ([__m128; 4], __m128i, [__m128i; 2], DiscLanes<__m128>);

floats!(__m128, _mm_set1_ps, _mm_add_ps, _mm_sub_ps, _mm_mul_ps, _mm_max_ps);

/// Which of the four entries overlap the probe, meet it by the rule, and allow it if there are filters: a bit each.
///
/// # Safety
///
/// 4 entries can be read.
#[inline(always)]
unsafe fn hits<F: Filters, R: Rule>((probe, _, filter, disc): Spread, columns: RawColumns<F>) -> u32 {
    // SAFETY: by the contract; SSE2 belongs to every x86-64.
    unsafe {
        let [min_x, min_y, max_x, max_y] = probe;
        let entries = [
            _mm_loadu_ps(columns.min_x()),
            _mm_loadu_ps(columns.min_y()),
            _mm_loadu_ps(columns.max_x()),
            _mm_loadu_ps(columns.max_y()),
        ];
        let x = _mm_and_ps(_mm_cmple_ps(min_x, entries[2]), _mm_cmpge_ps(max_x, entries[0]));
        let y = _mm_and_ps(_mm_cmple_ps(min_y, entries[3]), _mm_cmpge_ps(max_y, entries[1]));
        let mut both = _mm_and_ps(x, y);
        if R::ON {
            let [distance, reach] = measured::<R, _>(probe, disc, entries);
            both = _mm_and_ps(both, _mm_cmpngt_ps(distance, reach));
        }
        if F::ON {
            let [layers, mask] = filter;
            // Where nothing is common.
            let apart =
                |a, b: *const u32| _mm_cmpeq_epi32(_mm_and_si128(a, _mm_loadu_si128(b.cast())), _mm_setzero_si128());
            let refused = _mm_or_si128(apart(layers, columns.masks()), apart(mask, columns.layers()));
            both = _mm_andnot_ps(_mm_castsi128_ps(refused), both);
        }
        _mm_movemask_ps(both) as u32
    }
}

/// The probe's row and each of four rows as pairs, in order: two and two.
#[inline(always)]
fn pairs<O: PairOrderTag>(row: __m128i, rows: __m128i) -> (__m128i, __m128i) {
    // SAFETY: SSE2 belongs to every x86-64.
    unsafe {
        let (first, second) = match (O::ASCENDING, O::PROBE_FIRST) {
            (true, _) => {
                // Comparisons are signed: the sign is turned over. Both numbers change places where the probe's is lower.
                let sign = _mm_set1_epi32(i32::MIN);
                let lower = _mm_cmpgt_epi32(_mm_xor_si128(rows, sign), _mm_xor_si128(row, sign));
                let swap = _mm_and_si128(lower, _mm_xor_si128(rows, row));
                (_mm_xor_si128(rows, swap), _mm_xor_si128(row, swap))
            }
            (_, true) => (row, rows),
            _ => (rows, row),
        };
        (_mm_unpacklo_epi32(first, second), _mm_unpackhi_epi32(first, second))
    }
}

/// Writes those of four entries as pairs that the mask names, in order; returns how many.
///
/// # Safety
///
/// 4 rows can be read, 4 slots can be written at `out`, and the mask is below 16.
#[inline(always)]
unsafe fn store_hits<O: PairOrderTag>(mask: u32, row: __m128i, rows: *const u32, out: *mut [u32; 2]) -> usize {
    debug_assert!(mask < 16);
    // SAFETY: by the contract; before the pair of lane k there are at most k hits. These stores ask for no alignment.
    unsafe {
        let (low, high) = pairs::<O>(row, _mm_loadu_si128(rows.cast()));
        // As one number: one load.
        let counts = u32::from_le_bytes(*COUNTS.get_unchecked(mask as usize));
        _mm_storel_epi64(out.cast(), low);
        _mm_storel_epi64(out.add((counts & 0xFF) as usize).cast(), _mm_unpackhi_epi64(low, low));
        _mm_storel_epi64(out.add((counts >> 8 & 0xFF) as usize).cast(), high);
        _mm_storel_epi64(out.add((counts >> 16 & 0xFF) as usize).cast(), _mm_unpackhi_epi64(high, high));
        (counts >> 24) as usize
    }
}

impl Lanes for Sse2 {
    const WIDTH: usize = 8;
    type Spread = Spread;

    #[inline(always)]
    unsafe fn spread<R: Rule>(Probe { aabb: [min_x, min_y, max_x, max_y], row, filter }: Probe) -> Spread {
        // SAFETY: as above.
        unsafe {
            let edges = [_mm_set1_ps(min_x), _mm_set1_ps(min_y), _mm_set1_ps(max_x), _mm_set1_ps(max_y)];
            (
                edges,
                _mm_set1_epi32(row as i32),
                [_mm_set1_epi32(filter.layers as i32), _mm_set1_epi32(filter.mask as i32)],
                discs_of(edges),
            )
        }
    }

    #[inline(always)]
    unsafe fn round<O: PairOrderTag, F: Filters, R: Rule>(
        spread: Spread,
        columns: RawColumns<F>,
        left: usize,
        out: *mut [u32; 2],
    ) -> usize {
        // SAFETY: by the contract 8 entries can be read and 8 slots be written at `out`, of which the first half
        // takes at most 4. Both masks are below 16.
        unsafe {
            let mask = hits::<F, R>(spread, columns) | hits::<F, R>(spread, columns.from(4)) << 4;
            let mask = mask & ((1 << left.min(8)) - 1);
            let (row, rows) = (spread.1, columns.rows());
            let first = store_hits::<O>(mask & 0xF, row, rows, out);
            first + store_hits::<O>(mask >> 4, row, rows.add(4), out.add(first))
        }
    }
}

instantiate!(Sse2);
