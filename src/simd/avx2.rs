//! Eight boxes at a time with AVX2; hits are compressed by a table of permutations.

#![allow(unsafe_code)]

use crate::simd::Probe;
use crate::simd::circle_test::{DiscLanes, Rule, discs_of, floats, measured};
use crate::simd::scan::instantiate;
use crate::simd::vector::{Filters, Lanes, PairOrderTag, RawColumns};
use std::arch::x86_64::*;

pub(crate) struct Avx2;

/// For each mask of hits, the lanes that hit, first to last: 8 KiB, of which a scan touches the sparse masks.
static COMPRESS: [[u32; 8]; 256] = compress_table();

const fn compress_table() -> [[u32; 8]; 256] {
    let mut table = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut count) = (0, 0);
        while lane < 8 {
            if mask >> lane & 1 == 1 {
                table[mask][count] = lane as u32;
                count += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
}

/// Edges, row, layers and mask, disc: a probe in every lane.
pub(crate) type Spread = ([__m256; 4], __m256i, [__m256i; 2], DiscLanes<__m256>);

floats!(__m256, _mm256_set1_ps, _mm256_add_ps, _mm256_sub_ps, _mm256_mul_ps, _mm256_max_ps);

/// # Safety
///
/// AVX2 is there.
#[inline(always)]
pub(crate) unsafe fn spread<R: Rule>(Probe { aabb: [min_x, min_y, max_x, max_y], row, filter }: Probe) -> Spread {
    // SAFETY: by the contract.
    unsafe {
        let edges = [_mm256_set1_ps(min_x), _mm256_set1_ps(min_y), _mm256_set1_ps(max_x), _mm256_set1_ps(max_y)];
        (
            edges,
            _mm256_set1_epi32(row as i32),
            [_mm256_set1_epi32(filter.layers as i32), _mm256_set1_epi32(filter.mask as i32)],
            discs_of(edges),
        )
    }
}

/// The boxes of eight entries.
///
/// # Safety
///
/// AVX2 is there, and 8 entries can be read.
#[inline(always)]
pub(crate) unsafe fn boxes<F: Filters>(columns: RawColumns<F>) -> [__m256; 4] {
    // SAFETY: by the contract.
    unsafe {
        [
            _mm256_loadu_ps(columns.min_x()),
            _mm256_loadu_ps(columns.min_y()),
            _mm256_loadu_ps(columns.max_x()),
            _mm256_loadu_ps(columns.max_y()),
        ]
    }
}

/// The first and the second numbers of eight pairs.
///
/// # Safety
///
/// AVX2 is there.
#[inline(always)]
pub(crate) unsafe fn ordered<O: PairOrderTag>(row: __m256i, rows: __m256i) -> (__m256i, __m256i) {
    // SAFETY: by the contract.
    unsafe {
        match (O::ASCENDING, O::PROBE_FIRST) {
            (true, _) => (_mm256_min_epu32(rows, row), _mm256_max_epu32(rows, row)),
            (_, true) => (row, rows),
            _ => (rows, row),
        }
    }
}

/// Writes the probe's row and each of eight rows as pairs, in order.
///
/// # Safety
///
/// AVX2 is there, and 8 slots can be written at `out`.
#[inline(always)]
unsafe fn store_pairs<O: PairOrderTag>(row: __m256i, rows: __m256i, out: *mut [u32; 2]) {
    // SAFETY: by the contract.
    unsafe {
        let (first, second) = ordered::<O>(row, rows);
        // Pairs 0 1 4 5 and 2 3 6 7, then in order.
        let low = _mm256_unpacklo_epi32(first, second);
        let high = _mm256_unpackhi_epi32(first, second);
        _mm256_storeu_si256(out.cast(), _mm256_permute2x128_si256::<0x20>(low, high));
        _mm256_storeu_si256(out.add(4).cast(), _mm256_permute2x128_si256::<0x31>(low, high));
    }
}

impl Lanes for Avx2 {
    const WIDTH: usize = 8;
    type Spread = Spread;

    #[inline(always)]
    unsafe fn spread<R: Rule>(probe: Probe) -> Spread {
        // SAFETY: the contract says that the features are there.
        unsafe { crate::simd::avx2::spread::<R>(probe) }
    }

    #[inline(always)]
    unsafe fn round<O: PairOrderTag, F: Filters, R: Rule>(
        (probe, row, filter, disc): Self::Spread,
        columns: RawColumns<F>,
        left: usize,
        out: *mut [u32; 2],
    ) -> usize {
        // SAFETY: by the contract: the features, 8 readable entries, 8 writable slots at `out`. The mask is below 256.
        unsafe {
            let [min_x, min_y, max_x, max_y] = probe;
            let entries = boxes(columns);
            let x = _mm256_and_ps(
                _mm256_cmp_ps::<_CMP_LE_OQ>(min_x, entries[2]),
                _mm256_cmp_ps::<_CMP_GE_OQ>(max_x, entries[0]),
            );
            let y = _mm256_and_ps(
                _mm256_cmp_ps::<_CMP_LE_OQ>(min_y, entries[3]),
                _mm256_cmp_ps::<_CMP_GE_OQ>(max_y, entries[1]),
            );
            let mut both = _mm256_and_ps(x, y);
            if R::ON {
                let [distance, reach] = measured::<R, _>(probe, disc, entries);
                both = _mm256_and_ps(both, _mm256_cmp_ps::<_CMP_NGT_UQ>(distance, reach));
            }
            if F::ON {
                let [layers, mask] = filter;
                // Where nothing is common.
                let apart = |a, b: *const u32| {
                    _mm256_cmpeq_epi32(_mm256_and_si256(a, _mm256_loadu_si256(b.cast())), _mm256_setzero_si256())
                };
                let refused = _mm256_or_si256(apart(layers, columns.masks()), apart(mask, columns.layers()));
                both = _mm256_andnot_ps(_mm256_castsi256_ps(refused), both);
            }
            let hits = _mm256_movemask_ps(both) as u32;
            let mask = _bzhi_u32(hits, left as u32);
            let lanes = _mm256_loadu_si256(COMPRESS.get_unchecked(mask as usize).as_ptr().cast());
            let rows = _mm256_loadu_si256(columns.rows().cast());
            let rows = _mm256_permutevar8x32_epi32(rows, lanes);
            store_pairs::<O>(row, rows, out);
            mask.count_ones() as usize
        }
    }
}

instantiate!(Avx2, #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]);
