//! Eight boxes at a time with AVX-512, or twice as many for two neighbours: comparisons into masks, hits compressed in a
//! register, one store of eight pairs.

#![allow(unsafe_code)]

use crate::simd::circle_test::{Rule, discs_of, floats, measured};
use crate::simd::scan::instantiate;
use crate::simd::vector::{Ascending, Filters, Lanes, PairOrderTag, RawColumns};
use crate::simd::{Probe, avx2};
use std::arch::x86_64::*;

pub(crate) struct Avx512;

floats!(__m512, _mm512_set1_ps, _mm512_add_ps, _mm512_sub_ps, _mm512_mul_ps, _mm512_max_ps);

impl Lanes for Avx512 {
    const WIDTH: usize = 8;
    type Spread = avx2::Spread;

    #[inline(always)]
    unsafe fn spread<R: Rule>(probe: Probe) -> avx2::Spread {
        // SAFETY: the contract says that the features are there.
        unsafe { avx2::spread::<R>(probe) }
    }

    #[inline(always)]
    unsafe fn round<O: PairOrderTag, F: Filters, R: Rule>(
        (probe, row, filter, disc): Self::Spread,
        columns: RawColumns<F>,
        left: usize,
        out: *mut [u32; 2],
    ) -> usize {
        // SAFETY: by the contract: the features, 8 readable entries, 8 writable slots at `out`.
        unsafe {
            let [min_x, min_y, max_x, max_y] = probe;
            let entries = avx2::boxes(columns);
            // Four comparisons that do not wait for each other.
            let left_of = _mm256_cmp_ps_mask::<_CMP_LE_OQ>(min_x, entries[2]);
            let right_of = _mm256_cmp_ps_mask::<_CMP_GE_OQ>(max_x, entries[0]);
            let below = _mm256_cmp_ps_mask::<_CMP_LE_OQ>(min_y, entries[3]);
            let above = _mm256_cmp_ps_mask::<_CMP_GE_OQ>(max_y, entries[1]);
            let mut hits = (left_of & right_of) & (below & above);
            if R::ON {
                let [distance, reach] = measured::<R, _>(probe, disc, entries);
                hits &= _mm256_cmp_ps_mask::<_CMP_NGT_UQ>(distance, reach);
            }
            if F::ON {
                let [layers, mask] = filter;
                let accepted = _mm256_test_epi32_mask(layers, _mm256_loadu_si256(columns.masks().cast()));
                let accepts = _mm256_test_epi32_mask(mask, _mm256_loadu_si256(columns.layers().cast()));
                hits &= accepted & accepts;
            }
            let mask = _bzhi_u32(u32::from(hits), left as u32) as u8;
            let rows = _mm256_loadu_si256(columns.rows().cast());
            let rows = _mm256_maskz_compress_epi32(mask, rows);
            store_pairs::<O>(row, rows, out);
            mask.count_ones() as usize
        }
    }

    const TWO: usize = 8;

    #[inline(always)]
    unsafe fn two<F: Filters, R: Rule>(columns: RawColumns<F>, left: [usize; 2], out: *mut [u32; 2]) -> usize {
        // SAFETY: by the contract: the features, 9 readable entries, 16 writable slots at `out`.
        unsafe {
            let next = columns.from(1);
            // The lower half of each register is for the first entry, the upper one for the second.
            let halves = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
            let spread = |edge: *const f32| {
                let two = _mm512_castsi512_ps(_mm512_set1_epi64(edge.cast::<i64>().read_unaligned()));
                _mm512_permutevar_ps(two, halves)
            };
            let both = |edge: *const f32| _mm512_broadcast_f32x8(_mm256_loadu_ps(edge));
            let probes =
                [spread(columns.min_x()), spread(columns.min_y()), spread(columns.max_x()), spread(columns.max_y())];
            let entries = [both(next.min_x()), both(next.min_y()), both(next.max_x()), both(next.max_y())];
            let left_of = _mm512_cmp_ps_mask::<_CMP_LE_OQ>(probes[0], entries[2]);
            let right_of = _mm512_cmp_ps_mask::<_CMP_GE_OQ>(probes[2], entries[0]);
            let below = _mm512_cmp_ps_mask::<_CMP_LE_OQ>(probes[1], entries[3]);
            let above = _mm512_cmp_ps_mask::<_CMP_GE_OQ>(probes[3], entries[1]);
            let mut hits = (left_of & right_of) & (below & above);
            if R::ON {
                let [distance, reach] = measured::<R, _>(probes, discs_of(probes), entries);
                hits &= _mm512_cmp_ps_mask::<_CMP_NGT_UQ>(distance, reach);
            }
            if F::ON {
                let spread = |column: *const u32| _mm512_castps_si512(spread(column.cast()));
                let both = |column: *const u32| _mm512_broadcast_i32x8(_mm256_loadu_si256(column.cast()));
                let accepted = _mm512_test_epi32_mask(spread(columns.layers()), both(next.masks()));
                let accepts = _mm512_test_epi32_mask(spread(columns.masks()), both(next.layers()));
                hits &= accepted & accepts;
            }
            let within = _bzhi_u32(0xFF, left[0] as u32) | _bzhi_u32(0xFE, left[1] as u32 + 1) << 8;
            let mask = u32::from(hits) & within;
            let row = _mm512_castps_si512(spread(columns.rows().cast()));
            let rows = _mm512_broadcast_i32x8(_mm256_loadu_si256(next.rows().cast()));
            let row = _mm512_maskz_compress_epi32(mask as u16, row);
            let rows = _mm512_maskz_compress_epi32(mask as u16, rows);
            let count = mask.count_ones() as usize;
            store_pairs::<Ascending>(_mm512_castsi512_si256(row), _mm512_castsi512_si256(rows), out);
            if count > 8 {
                let (row, rows) = (_mm512_extracti64x4_epi64::<1>(row), _mm512_extracti64x4_epi64::<1>(rows));
                store_pairs::<Ascending>(row, rows, out.add(8));
            }
            count
        }
    }
}

/// Writes the probe's row and each of eight rows as pairs, in order.
///
/// # Safety
///
/// AVX-512 is there, and 8 slots can be written at `out`.
#[inline(always)]
unsafe fn store_pairs<O: PairOrderTag>(row: __m256i, rows: __m256i, out: *mut [u32; 2]) {
    // SAFETY: by the contract.
    unsafe {
        let (first, second) = avx2::ordered::<O>(row, rows);
        let alternating = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        let (first, second) = (_mm512_castsi256_si512(first), _mm512_castsi256_si512(second));
        _mm512_storeu_si512(out.cast(), _mm512_permutex2var_epi32(first, alternating, second));
    }
}

instantiate!(Avx512, #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,avx512f,avx512vl,avx512bw,avx512dq")]);
