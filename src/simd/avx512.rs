//! Eight boxes at a time with AVX-512, or eight for each of two neighbors.
//!
//! Hits are compressed in a register, and one store writes eight pairs. Eight boxes are compared as
//! with AVX2: comparisons to mask registers are slower in long runs. Sixteen are compared at a time
//! where a run often has more than eight and seldom more than sixteen: whether there is a second
//! vector could not be predicted.

#![allow(unsafe_code)]

use crate::memory::page::PAGE_SLACK;
use crate::simd::avx2::{F32x8, U32x8};
use crate::simd::backend::{Backend, ordered};
use crate::simd::batch_test::{self, FilterLanes, Side, hits};
use crate::simd::circle_test::CircleSides;
use crate::simd::compile::compile_kernels;
use crate::simd::probe::PairOrder;
use crate::simd::raw_columns::RawColumns;
use crate::simd::vector::{Vector, each_edge, intrinsic};
use std::arch::x86_64::*;

#[derive(Clone, Copy)]
pub(super) struct F32x16(__m512);

#[derive(Clone, Copy)]
pub(super) struct U32x16(__m512i);

#[derive(Clone, Copy)]
pub(super) struct Mask16(__mmask16);

impl Vector for F32x16 {
    const LANES: usize = 16;

    type Words = U32x16;
    type Mask = Mask16;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: the caller vouches for AVX-512.
        Self(unsafe { _mm512_set1_ps(value) })
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller vouches for AVX-512 and sixteen values.
        Self(unsafe { _mm512_loadu_ps(from) })
    }

    #[inline(always)]
    unsafe fn splat_words(value: u32) -> U32x16 {
        // SAFETY: the caller vouches for AVX-512.
        U32x16(unsafe { _mm512_set1_epi32(value as i32) })
    }

    #[inline(always)]
    unsafe fn load_words(from: *const u32) -> U32x16 {
        // SAFETY: the caller vouches for AVX-512 and sixteen values.
        U32x16(unsafe { _mm512_loadu_si512(from.cast()) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(intrinsic!(_mm512_add_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(intrinsic!(_mm512_sub_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(intrinsic!(_mm512_mul_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        // The instruction returns its second operand if either is NaN.
        Self(intrinsic!(_mm512_max_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn le(self, other: Self) -> Mask16 {
        Mask16(intrinsic!(_mm512_cmp_ps_mask::<_CMP_LE_OQ>(self.0, other.0)))
    }

    #[inline(always)]
    fn gt(self, other: Self) -> Mask16 {
        Mask16(intrinsic!(_mm512_cmp_ps_mask::<_CMP_GT_OQ>(self.0, other.0)))
    }

    #[inline(always)]
    fn disjoint(a: U32x16, b: U32x16) -> Mask16 {
        Mask16(intrinsic!(_mm512_testn_epi32_mask(a.0, b.0)))
    }

    #[inline(always)]
    fn sorted(a: U32x16, b: U32x16) -> [U32x16; 2] {
        // SAFETY: VECTOR-1.
        unsafe { [U32x16(_mm512_min_epu32(a.0, b.0)), U32x16(_mm512_max_epu32(a.0, b.0))] }
    }

    #[inline(always)]
    fn and(a: Mask16, b: Mask16) -> Mask16 {
        Mask16(a.0 & b.0)
    }

    #[inline(always)]
    fn and_not(a: Mask16, b: Mask16) -> Mask16 {
        Mask16(a.0 & !b.0)
    }

    #[inline(always)]
    fn bits(mask: Mask16) -> u32 {
        u32::from(mask.0)
    }

    #[inline(always)]
    fn first_bits(mask: Mask16, count: usize) -> u32 {
        // SAFETY: VECTOR-1: BMI2 belongs to this level.
        unsafe { _bzhi_u32(Self::bits(mask), count as u32) }
    }
}

pub(super) struct Avx512;

impl Backend for Avx512 {
    type Vector = F32x8;
    type Wide = Avx512Wide;
    type BlockVector = F32x16;

    #[inline(always)]
    unsafe fn store_pairs(order: PairOrder, row: U32x8, rows: U32x8, hits: u32, out: *mut [u32; 2]) -> usize {
        // SAFETY: VECTOR-1; the caller vouches for eight slots.
        unsafe {
            let rows = U32x8(_mm256_maskz_compress_epi32(hits as u8, rows.0));
            store_eight(ordered::<F32x8>(order, row, rows), out);
        }
        hits.count_ones() as usize
    }

    const TWO_MAX: usize = 8;

    #[inline(always)]
    unsafe fn test_two(
        tests: batch_test::Tests,
        columns: RawColumns,
        candidates: [usize; 2],
        out: *mut [u32; 2],
    ) -> usize {
        const { assert!(PAGE_SLACK >= 16) }
        // SAFETY: the caller vouches for AVX-512, nine entries and `PAGE_SLACK` slots.
        unsafe {
            // The first entry in the lower half and the second in the upper half, against the eight
            // entries after the first in both.
            let halves = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
            let two = |from: *const u32| {
                let two = _mm512_castsi512_ps(_mm512_set1_epi64(from.cast::<i64>().read_unaligned()));
                _mm512_permutevar_ps(two, halves)
            };
            let eight = |from: *const u32| _mm512_broadcast_i32x8(_mm256_loadu_si256(from.cast()));
            let next = columns.skip(1);
            let probes = Side {
                edges: each_edge!(edge => F32x16(two(columns.edges(edge).cast()))),
                filters: tests.filters.then(|| FilterLanes {
                    layers: U32x16(_mm512_castps_si512(two(columns.layers()))),
                    masks: U32x16(_mm512_castps_si512(two(columns.masks()))),
                }),
            };
            let entries = Side {
                edges: each_edge!(edge => F32x16(_mm512_castsi512_ps(eight(next.edges(edge).cast())))),
                filters: tests
                    .filters
                    .then(|| FilterLanes { layers: U32x16(eight(next.layers())), masks: U32x16(eight(next.masks())) }),
            };
            let hits = F32x16::bits(hits(tests.circles, &probes, &entries));
            // The second entry is not tested against itself, the first of the eight.
            let first = _bzhi_u32(0xFF, candidates[0] as u32);
            let second = _bzhi_u32(0xFE, candidates[1] as u32 + 1);
            let hits = hits & (first | second << 8);
            let row = _mm512_maskz_compress_epi32(hits as u16, _mm512_castps_si512(two(columns.rows())));
            let rows = _mm512_maskz_compress_epi32(hits as u16, eight(next.rows()));
            let ascending = |row, rows| F32x8::sorted(U32x8(row), U32x8(rows));
            store_eight(ascending(_mm512_castsi512_si256(row), _mm512_castsi512_si256(rows)), out);
            let count = hits.count_ones() as usize;
            if count > 8 {
                let (row, rows) = (_mm512_extracti64x4_epi64::<1>(row), _mm512_extracti64x4_epi64::<1>(rows));
                store_eight(ascending(row, rows), out.add(8));
            }
            count
        }
    }
}

/// Sixteen boxes at a time.
pub(super) struct Avx512Wide;

impl Backend for Avx512Wide {
    type Vector = F32x16;
    type Wide = Self;
    type BlockVector = F32x16;

    #[inline(always)]
    unsafe fn store_pairs(order: PairOrder, row: U32x16, rows: U32x16, hits: u32, out: *mut [u32; 2]) -> usize {
        // SAFETY: VECTOR-1; the caller vouches for sixteen slots.
        unsafe {
            let rows = U32x16(_mm512_maskz_compress_epi32(hits as u16, rows.0));
            let [first, second] = ordered::<F32x16>(order, row, rows);
            let lower = |words: U32x16| U32x8(_mm512_castsi512_si256(words.0));
            let upper = |words: U32x16| U32x8(_mm512_extracti64x4_epi64::<1>(words.0));
            store_eight([lower(first), lower(second)], out);
            let count = hits.count_ones() as usize;
            if count > 8 {
                store_eight([upper(first), upper(second)], out.add(8));
            }
            count
        }
    }
}

/// Writes eight pairs.
///
/// # Safety
///
/// Eight slots can be written at `out`.
#[inline(always)]
unsafe fn store_eight([first, second]: [U32x8; 2], out: *mut [u32; 2]) {
    // SAFETY: VECTOR-1; the caller vouches for eight slots.
    unsafe {
        let alternating = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        let (first, second) = (_mm512_castsi256_si512(first.0), _mm512_castsi256_si512(second.0));
        _mm512_storeu_si512(out.cast(), _mm512_permutex2var_epi32(first, alternating, second));
    }
}

compile_kernels!(Avx512, #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,avx512f,avx512vl,avx512bw,avx512dq")]);
