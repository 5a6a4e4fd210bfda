//! Eight boxes at a time, as two halves of four, with SSE2, which every x86-64 has.
//!
//! SSE2 has no shuffle by a variable, so hits are not compressed in a register: every pair is
//! stored where the hits before it end, and if it is no hit, the next one overwrites it.

#![allow(unsafe_code)]

use crate::simd::backend::{Backend, SET_LANES, ordered};
use crate::simd::circle_test::CircleSides;
use crate::simd::compile::compile_kernels;
use crate::simd::double::Double;
use crate::simd::probe::PairOrder;
use crate::simd::vector::Vector;
use std::arch::x86_64::*;

#[derive(Clone, Copy)]
pub(super) struct F32x4(__m128);

/// Calls an intrinsic.
macro_rules! sse2 {
    ($name:ident($($argument:expr),*)) => {
        // SAFETY: every x86-64 has SSE2.
        unsafe { $name($($argument),*) }
    };
}

impl Vector for F32x4 {
    const LANES: usize = 4;

    type Words = __m128i;
    type Mask = __m128;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        Self(sse2!(_mm_set1_ps(value)))
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller vouches for four values.
        Self(unsafe { _mm_loadu_ps(from) })
    }

    #[inline(always)]
    unsafe fn splat_words(value: u32) -> __m128i {
        sse2!(_mm_set1_epi32(value as i32))
    }

    #[inline(always)]
    unsafe fn load_words(from: *const u32) -> __m128i {
        // SAFETY: the caller vouches for four values.
        unsafe { _mm_loadu_si128(from.cast()) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(sse2!(_mm_add_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(sse2!(_mm_sub_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(sse2!(_mm_mul_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        // The instruction returns its second operand if either is NaN.
        Self(sse2!(_mm_max_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn le(self, other: Self) -> __m128 {
        sse2!(_mm_cmple_ps(self.0, other.0))
    }

    #[inline(always)]
    fn gt(self, other: Self) -> __m128 {
        sse2!(_mm_cmpgt_ps(self.0, other.0))
    }

    #[inline(always)]
    fn disjoint(a: __m128i, b: __m128i) -> __m128 {
        // SAFETY: every x86-64 has SSE2.
        unsafe { _mm_castsi128_ps(_mm_cmpeq_epi32(_mm_and_si128(a, b), _mm_setzero_si128())) }
    }

    #[inline(always)]
    fn sorted(a: __m128i, b: __m128i) -> [__m128i; 2] {
        // SAFETY: every x86-64 has SSE2.
        unsafe {
            // Comparisons are signed, so the sign bit is flipped. Values are exchanged where `b` is
            // less.
            let sign = _mm_set1_epi32(i32::MIN);
            let b_is_less = _mm_cmpgt_epi32(_mm_xor_si128(a, sign), _mm_xor_si128(b, sign));
            let exchange = _mm_and_si128(b_is_less, _mm_xor_si128(a, b));
            [_mm_xor_si128(a, exchange), _mm_xor_si128(b, exchange)]
        }
    }

    #[inline(always)]
    fn and(a: __m128, b: __m128) -> __m128 {
        sse2!(_mm_and_ps(a, b))
    }

    #[inline(always)]
    fn and_not(a: __m128, b: __m128) -> __m128 {
        sse2!(_mm_andnot_ps(b, a))
    }

    #[inline(always)]
    fn bits(mask: __m128) -> u32 {
        sse2!(_mm_movemask_ps(mask)) as u32
    }
}

pub(super) struct Sse2;

impl Backend for Sse2 {
    type Vector = Double<F32x4>;
    type Wide = Self;
    type BlockVector = Double<F32x4>;

    #[inline(always)]
    unsafe fn store_pairs(
        order: PairOrder,
        row: [__m128i; 2],
        rows: [__m128i; 2],
        hits: u32,
        out: *mut [u32; 2],
    ) -> usize {
        let [first, second] = ordered::<Double<F32x4>>(order, row, rows);
        // SAFETY: the caller vouches for eight slots; the first half writes at most four pairs.
        unsafe {
            let count = store_half(first[0], second[0], hits & 15, out);
            count + store_half(first[1], second[1], hits >> 4, out.add(count))
        }
    }
}

/// [`Backend::store_pairs`] of four lanes.
///
/// # Safety
///
/// Four slots can be written at `out`.
#[inline(always)]
unsafe fn store_half(first: __m128i, second: __m128i, hits: u32, out: *mut [u32; 2]) -> usize {
    let counts = u32::from_le_bytes(SET_LANES[hits as usize & 15]);
    let count = |lane: u32| (counts >> (8 * lane) & 0xFF) as usize;
    // SAFETY: before the pair of lane k there are at most k hits, and the caller vouches for four
    // slots. These stores require no alignment.
    unsafe {
        let (low, high) = (_mm_unpacklo_epi32(first, second), _mm_unpackhi_epi32(first, second));
        _mm_storel_epi64(out.cast(), low);
        _mm_storel_epi64(out.add(count(0)).cast(), _mm_unpackhi_epi64(low, low));
        _mm_storel_epi64(out.add(count(1)).cast(), high);
        _mm_storel_epi64(out.add(count(2)).cast(), _mm_unpackhi_epi64(high, high));
    }
    count(3)
}

compile_kernels!(Sse2);
