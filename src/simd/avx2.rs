//! Eight boxes at a time with AVX2; a table of permutations compresses the hits.

#![allow(unsafe_code)]

use crate::simd::backend::{Backend, ordered};
use crate::simd::circle_test::CircleSides;
use crate::simd::compile::compile_kernels;
use crate::simd::probe::PairOrder;
use crate::simd::vector::{Vector, intrinsic};
use std::arch::x86_64::*;

/// The set lanes of each mask, where [`INTERLEAVED`] says: 8 KiB, of which scans use only the
/// sparse masks.
static COMPRESS: [[u32; 8]; 256] = compress_table();

/// The lane for each hit, first to last. Rows are interleaved in each half of a vector apart, which
/// from these lanes gives pairs in order.
const INTERLEAVED: [usize; 8] = [0, 1, 4, 5, 2, 3, 6, 7];

const fn compress_table() -> [[u32; 8]; 256] {
    let mut table = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut count) = (0, 0);
        while lane < 8 {
            if mask >> lane & 1 == 1 {
                table[mask][INTERLEAVED[count]] = lane as u32;
                count += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
}

#[derive(Clone, Copy)]
pub(super) struct F32x8(pub(super) __m256);

#[derive(Clone, Copy)]
pub(super) struct U32x8(pub(super) __m256i);

#[derive(Clone, Copy)]
pub(super) struct Mask8(__m256);

impl Vector for F32x8 {
    const LANES: usize = 8;

    type Words = U32x8;
    type Mask = Mask8;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: the caller vouches for AVX2.
        Self(unsafe { _mm256_set1_ps(value) })
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller vouches for AVX2 and eight values.
        Self(unsafe { _mm256_loadu_ps(from) })
    }

    #[inline(always)]
    unsafe fn splat_words(value: u32) -> U32x8 {
        // SAFETY: the caller vouches for AVX2.
        U32x8(unsafe { _mm256_set1_epi32(value as i32) })
    }

    #[inline(always)]
    unsafe fn load_words(from: *const u32) -> U32x8 {
        // SAFETY: the caller vouches for AVX2 and eight values.
        U32x8(unsafe { _mm256_loadu_si256(from.cast()) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(intrinsic!(_mm256_add_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(intrinsic!(_mm256_sub_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(intrinsic!(_mm256_mul_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        // The instruction returns its second operand if either is NaN.
        Self(intrinsic!(_mm256_max_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn le(self, other: Self) -> Mask8 {
        Mask8(intrinsic!(_mm256_cmp_ps::<_CMP_LE_OQ>(self.0, other.0)))
    }

    #[inline(always)]
    fn gt(self, other: Self) -> Mask8 {
        Mask8(intrinsic!(_mm256_cmp_ps::<_CMP_GT_OQ>(self.0, other.0)))
    }

    #[inline(always)]
    fn disjoint(a: U32x8, b: U32x8) -> Mask8 {
        Mask8(intrinsic!(_mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(a.0, b.0), _mm256_setzero_si256()))))
    }

    #[inline(always)]
    fn sorted(a: U32x8, b: U32x8) -> [U32x8; 2] {
        // SAFETY: VECTOR-1.
        unsafe { [U32x8(_mm256_min_epu32(a.0, b.0)), U32x8(_mm256_max_epu32(a.0, b.0))] }
    }

    #[inline(always)]
    fn and(a: Mask8, b: Mask8) -> Mask8 {
        Mask8(intrinsic!(_mm256_and_ps(a.0, b.0)))
    }

    #[inline(always)]
    fn and_not(a: Mask8, b: Mask8) -> Mask8 {
        Mask8(intrinsic!(_mm256_andnot_ps(b.0, a.0)))
    }

    #[inline(always)]
    fn bits(mask: Mask8) -> u32 {
        // SAFETY: VECTOR-1.
        unsafe { _mm256_movemask_ps(mask.0) as u32 }
    }

    #[inline(always)]
    fn first_bits(mask: Mask8, count: usize) -> u32 {
        // SAFETY: VECTOR-1: BMI2 belongs to this level.
        unsafe { _bzhi_u32(Self::bits(mask), count as u32) }
    }
}

pub(super) struct Avx2;

impl Backend for Avx2 {
    type Vector = F32x8;
    type Wide = Self;
    type BlockVector = F32x8;

    #[inline(always)]
    unsafe fn store_pairs(order: PairOrder, row: U32x8, rows: U32x8, hits: u32, out: *mut [u32; 2]) -> usize {
        // SAFETY: VECTOR-1; the caller vouches for eight slots and at most eight bits.
        unsafe {
            let lanes = _mm256_loadu_si256(COMPRESS[hits as usize & 0xFF].as_ptr().cast());
            let rows = U32x8(_mm256_permutevar8x32_epi32(rows.0, lanes));
            let [first, second] = ordered::<F32x8>(order, row, rows);
            _mm256_storeu_si256(out.cast(), _mm256_unpacklo_epi32(first.0, second.0));
            _mm256_storeu_si256(out.add(4).cast(), _mm256_unpackhi_epi32(first.0, second.0));
        }
        hits.count_ones() as usize
    }
}

compile_kernels!(Avx2, #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]);
