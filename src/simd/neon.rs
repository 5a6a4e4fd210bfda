//! Eight boxes at a time, as two halves of four, with NEON, which every 64-bit ARM target with a
//! standard library has.
//!
//! Hits are compressed in a register by a table of byte shuffles.

#![allow(unsafe_code)]

use crate::simd::backend::{Backend, SET_LANES, ordered};
use crate::simd::circle_test::CircleSides;
use crate::simd::compile::compile_kernels;
use crate::simd::compress_four::COMPRESS_FOUR;
use crate::simd::double::Double;
use crate::simd::probe::PairOrder;
use crate::simd::vector::{Vector, intrinsic};
use std::arch::aarch64::*;

#[derive(Clone, Copy)]
pub(super) struct F32x4(float32x4_t);

impl Vector for F32x4 {
    const LANES: usize = 4;

    type Words = uint32x4_t;
    type Mask = uint32x4_t;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: the caller vouches for NEON.
        Self(unsafe { vdupq_n_f32(value) })
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller vouches for NEON and four values.
        Self(unsafe { vld1q_f32(from) })
    }

    #[inline(always)]
    unsafe fn splat_words(value: u32) -> uint32x4_t {
        // SAFETY: the caller vouches for NEON.
        unsafe { vdupq_n_u32(value) }
    }

    #[inline(always)]
    unsafe fn load_words(from: *const u32) -> uint32x4_t {
        // SAFETY: the caller vouches for NEON and four values.
        unsafe { vld1q_u32(from) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(intrinsic!(vaddq_f32(self.0, other.0)))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(intrinsic!(vsubq_f32(self.0, other.0)))
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(intrinsic!(vmulq_f32(self.0, other.0)))
    }

    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        // Not `vmaxq_f32`, which returns NaN if either is NaN.
        Self(intrinsic!(vbslq_f32(self.gt(other), self.0, other.0)))
    }

    #[inline(always)]
    fn le(self, other: Self) -> uint32x4_t {
        intrinsic!(vcleq_f32(self.0, other.0))
    }

    #[inline(always)]
    fn gt(self, other: Self) -> uint32x4_t {
        intrinsic!(vcgtq_f32(self.0, other.0))
    }

    #[inline(always)]
    fn disjoint(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t {
        // SAFETY: VECTOR-1.
        unsafe { vmvnq_u32(vtstq_u32(a, b)) }
    }

    #[inline(always)]
    fn sorted(a: uint32x4_t, b: uint32x4_t) -> [uint32x4_t; 2] {
        // SAFETY: VECTOR-1.
        unsafe { [vminq_u32(a, b), vmaxq_u32(a, b)] }
    }

    #[inline(always)]
    fn and(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t {
        intrinsic!(vandq_u32(a, b))
    }

    #[inline(always)]
    fn and_not(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t {
        intrinsic!(vbicq_u32(a, b))
    }

    #[inline(always)]
    fn bits(mask: uint32x4_t) -> u32 {
        const LANE_BITS: [u32; 4] = [1, 2, 4, 8];
        // SAFETY: VECTOR-1; the constant is a vector.
        unsafe { vaddvq_u32(vandq_u32(mask, vld1q_u32(LANE_BITS.as_ptr()))) }
    }

    #[inline(always)]
    fn bits_of_two([low, high]: [uint32x4_t; 2]) -> u32 {
        const LANE_BITS: [u16; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
        // SAFETY: VECTOR-1; the constant is a vector.
        unsafe {
            // The lower halves of all lanes.
            let mask = vuzp1q_u16(vreinterpretq_u16_u32(low), vreinterpretq_u16_u32(high));
            u32::from(vaddvq_u16(vandq_u16(mask, vld1q_u16(LANE_BITS.as_ptr()))))
        }
    }
}

pub(super) struct Neon;

impl Backend for Neon {
    type Vector = Double<F32x4>;
    type Wide = Self;
    type BlockVector = Double<F32x4>;

    #[inline(always)]
    unsafe fn store_pairs(
        order: PairOrder,
        row: [uint32x4_t; 2],
        rows: [uint32x4_t; 2],
        hits: u32,
        out: *mut [u32; 2],
    ) -> usize {
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
/// NEON is available, and four slots can be written at `out`.
#[inline(always)]
unsafe fn store_half(order: PairOrder, row: uint32x4_t, rows: uint32x4_t, hits: u32, out: *mut [u32; 2]) -> usize {
    let hits = hits as usize & 15;
    // SAFETY: the caller vouches for NEON and four slots; a row of the table is a vector.
    unsafe {
        let lanes = vld1q_u8(COMPRESS_FOUR[hits].as_ptr());
        let rows = vreinterpretq_u32_u8(vqtbl1q_u8(vreinterpretq_u8_u32(rows), lanes));
        let [first, second] = ordered::<F32x4>(order, row, rows);
        // Alternates their lanes.
        vst2q_u32(out.cast(), uint32x4x2_t(first, second));
    }
    // Popcounts would have to be taken in a vector register.
    usize::from(SET_LANES[hits][3])
}

compile_kernels!(Neon);
