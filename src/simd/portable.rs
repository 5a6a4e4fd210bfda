//! Four boxes at a time in plain Rust that compilers vectorize.

#![allow(unsafe_code)]

use crate::simd::backend::{Backend, SET_LANES, ordered};
use crate::simd::circle_test::CircleSides;
use crate::simd::compile::compile_kernels;
use crate::simd::probe::PairOrder;
use crate::simd::vector::Vector;
use std::array::from_fn;

/// The vectors of 64-bit ARM, and of x86-64 without AVX, where eight lanes are slower.
const LANES: usize = 4;

#[derive(Clone, Copy)]
pub(super) struct F32x4([f32; LANES]);

impl Vector for F32x4 {
    const LANES: usize = LANES;

    type Words = [u32; LANES];
    type Mask = [bool; LANES];

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        Self([value; LANES])
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller vouches for `LANES` values.
        Self(unsafe { from.cast::<[f32; LANES]>().read() })
    }

    #[inline(always)]
    unsafe fn splat_words(value: u32) -> [u32; LANES] {
        [value; LANES]
    }

    #[inline(always)]
    unsafe fn load_words(from: *const u32) -> [u32; LANES] {
        // SAFETY: the caller vouches for `LANES` values.
        unsafe { from.cast::<[u32; LANES]>().read() }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(from_fn(|k| self.0[k] + other.0[k]))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(from_fn(|k| self.0[k] - other.0[k]))
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(from_fn(|k| self.0[k] * other.0[k]))
    }

    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        Self(from_fn(|k| if self.0[k] > other.0[k] { self.0[k] } else { other.0[k] }))
    }

    #[inline(always)]
    fn le(self, other: Self) -> [bool; LANES] {
        from_fn(|k| self.0[k] <= other.0[k])
    }

    #[inline(always)]
    fn gt(self, other: Self) -> [bool; LANES] {
        from_fn(|k| self.0[k] > other.0[k])
    }

    #[inline(always)]
    fn disjoint(a: [u32; LANES], b: [u32; LANES]) -> [bool; LANES] {
        from_fn(|k| a[k] & b[k] == 0)
    }

    #[inline(always)]
    fn sorted(a: [u32; LANES], b: [u32; LANES]) -> [[u32; LANES]; 2] {
        [from_fn(|k| a[k].min(b[k])), from_fn(|k| a[k].max(b[k]))]
    }

    #[inline(always)]
    fn and(a: [bool; LANES], b: [bool; LANES]) -> [bool; LANES] {
        from_fn(|k| a[k] & b[k])
    }

    #[inline(always)]
    fn and_not(a: [bool; LANES], b: [bool; LANES]) -> [bool; LANES] {
        from_fn(|k| a[k] & !b[k])
    }

    #[inline(always)]
    fn bits(mask: [bool; LANES]) -> u32 {
        (0..LANES).fold(0, |bits, k| bits | u32::from(mask[k]) << k)
    }
}

pub(super) struct Portable;

impl Backend for Portable {
    type Vector = F32x4;
    type Wide = Self;
    type BlockVector = F32x4;

    #[inline(always)]
    unsafe fn store_pairs(
        order: PairOrder,
        row: [u32; LANES],
        rows: [u32; LANES],
        hits: u32,
        out: *mut [u32; 2],
    ) -> usize {
        let [first, second] = ordered::<F32x4>(order, row, rows);
        // Each lane is written where the hits before it end; if it is no hit, the next lane
        // overwrites it.
        let mut count = 0;
        for k in 0..LANES {
            // SAFETY: `count` is at most `k`, and the caller vouches for `LANES` slots.
            unsafe { out.add(count).write([first[k], second[k]]) };
            count = usize::from(SET_LANES[hits as usize & 15][k]);
        }
        count
    }
}

compile_kernels!(Portable);
