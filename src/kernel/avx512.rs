//! Eight boxes at a time with AVX-512: masked comparisons, and hits compressed in a register.

#![allow(unsafe_code)]

use super::Probe;
use super::lanes::{Lanes, PairOrder, RawColumns};
use super::scan::instantiate;
use std::arch::x86_64::*;

pub(super) struct Avx512;

impl Lanes for Avx512 {
    const WIDTH: usize = 8;
    /// min x, min y, max x, max y, row.
    type Spread = (__m256, __m256, __m256, __m256, __m256i);

    #[inline(always)]
    unsafe fn spread(Probe { aabb: [min_x, min_y, max_x, max_y], row }: Probe) -> Self::Spread {
        // SAFETY: the contract says that the features are there.
        unsafe {
            (
                _mm256_set1_ps(min_x),
                _mm256_set1_ps(min_y),
                _mm256_set1_ps(max_x),
                _mm256_set1_ps(max_y),
                _mm256_set1_epi32(row as i32),
            )
        }
    }

    #[inline(always)]
    unsafe fn round<O: PairOrder>(
        (min_x, min_y, max_x, max_y, row): Self::Spread,
        columns: RawColumns,
        at: usize,
        left: usize,
        out: *mut [u32; 2],
    ) -> usize {
        // SAFETY: by the contract: the features, 8 readable entries at `at`, 8 writable slots at `out`.
        unsafe {
            // Four comparisons that do not wait for each other.
            let left_of = _mm256_cmp_ps_mask::<_CMP_LE_OQ>(min_x, _mm256_loadu_ps(columns.max_x.add(at)));
            let right_of = _mm256_cmp_ps_mask::<_CMP_GE_OQ>(max_x, _mm256_loadu_ps(columns.min_x.add(at)));
            let below = _mm256_cmp_ps_mask::<_CMP_LE_OQ>(min_y, _mm256_loadu_ps(columns.max_y.add(at)));
            let above = _mm256_cmp_ps_mask::<_CMP_GE_OQ>(max_y, _mm256_loadu_ps(columns.min_y.add(at)));
            let hits = (left_of & right_of) & (below & above);
            let mask = _bzhi_u32(u32::from(hits), left.min(8) as u32) as u8;
            let rows = _mm256_loadu_si256(columns.rows.add(at).cast());
            let rows = _mm256_maskz_compress_epi32(mask, rows);
            let (first, second) = match (O::ASCENDING, O::PROBE_FIRST) {
                (true, _) => (_mm256_min_epu32(rows, row), _mm256_max_epu32(rows, row)),
                (_, true) => (row, rows),
                _ => (rows, row),
            };
            // Pairs 0 1 4 5 and 2 3 6 7, then in order.
            let low = _mm256_unpacklo_epi32(first, second);
            let high = _mm256_unpackhi_epi32(first, second);
            _mm256_storeu_si256(out.cast(), _mm256_permute2x128_si256::<0x20>(low, high));
            _mm256_storeu_si256(out.add(4).cast(), _mm256_permute2x128_si256::<0x31>(low, high));
            mask.count_ones() as usize
        }
    }
}

instantiate!(Avx512, #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,avx512f,avx512vl,avx512bw,avx512dq")]);
