//! Eight boxes at a time, as two halves of four, with simd128 of WebAssembly.
//!
//! Hits are compressed in a register by a table of byte shuffles.

#![allow(unsafe_code)]

use crate::simd::backend::{Backend, ordered};
use crate::simd::circle_test::CircleSides;
use crate::simd::compile::compile_kernels;
use crate::simd::compress_four::COMPRESS_FOUR;
use crate::simd::double::Double;
use crate::simd::probe::PairOrder;
use crate::simd::vector::Vector;
use std::arch::wasm32::*;

#[derive(Clone, Copy)]
pub(super) struct F32x4(v128);

impl Vector for F32x4 {
    const LANES: usize = 4;

    type Words = v128;
    type Mask = v128;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        Self(f32x4_splat(value))
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller vouches for four values.
        Self(unsafe { v128_load(from.cast()) })
    }

    #[inline(always)]
    unsafe fn splat_words(value: u32) -> v128 {
        u32x4_splat(value)
    }

    #[inline(always)]
    unsafe fn load_words(from: *const u32) -> v128 {
        // SAFETY: the caller vouches for four values.
        unsafe { v128_load(from.cast()) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(f32x4_add(self.0, other.0))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(f32x4_sub(self.0, other.0))
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(f32x4_mul(self.0, other.0))
    }

    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        // `pmax(a, b)` is `if a < b { b } else { a }`.
        Self(f32x4_pmax(other.0, self.0))
    }

    #[inline(always)]
    fn le(self, other: Self) -> v128 {
        f32x4_le(self.0, other.0)
    }

    #[inline(always)]
    fn gt(self, other: Self) -> v128 {
        f32x4_gt(self.0, other.0)
    }

    #[inline(always)]
    fn disjoint(a: v128, b: v128) -> v128 {
        i32x4_eq(v128_and(a, b), u32x4_splat(0))
    }

    #[inline(always)]
    fn sorted(a: v128, b: v128) -> [v128; 2] {
        [u32x4_min(a, b), u32x4_max(a, b)]
    }

    #[inline(always)]
    fn and(a: v128, b: v128) -> v128 {
        v128_and(a, b)
    }

    #[inline(always)]
    fn and_not(a: v128, b: v128) -> v128 {
        v128_andnot(a, b)
    }

    #[inline(always)]
    fn bits(mask: v128) -> u32 {
        u32::from(i32x4_bitmask(mask))
    }
}

pub(super) struct Wasm128;

impl Backend for Wasm128 {
    type Vector = Double<F32x4>;
    type Wide = Self;
    type BlockVector = Double<F32x4>;

    #[inline(always)]
    unsafe fn store_pairs(order: PairOrder, row: [v128; 2], rows: [v128; 2], hits: u32, out: *mut [u32; 2]) -> usize {
        // SAFETY: the caller vouches for eight slots; the first half writes at most four pairs.
        unsafe {
            let count = store_half(order, row[0], rows[0], hits & 15, out);
            count + store_half(order, row[1], rows[1], hits >> 4, out.add(count))
        }
    }
}

/// [`Backend::store_pairs`] of four lanes.
///
/// # Safety
///
/// Four slots can be written at `out`.
#[inline(always)]
unsafe fn store_half(order: PairOrder, row: v128, rows: v128, hits: u32, out: *mut [u32; 2]) -> usize {
    // SAFETY: a row of the table is a vector; the caller vouches for four slots. Neither access
    // requires alignment.
    unsafe {
        let lanes = v128_load(COMPRESS_FOUR[hits as usize & 15].as_ptr().cast());
        let [first, second] = ordered::<F32x4>(order, row, u8x16_swizzle(rows, lanes));
        v128_store(out.cast(), u32x4_shuffle::<0, 4, 1, 5>(first, second));
        v128_store(out.add(2).cast(), u32x4_shuffle::<2, 6, 3, 7>(first, second));
    }
    hits.count_ones() as usize
}

compile_kernels!(Wasm128);
