//! Two vectors as one of twice the lanes, for instruction sets with vectors of four.

#![allow(unsafe_code)]

use crate::simd::vector::Vector;

/// Two halves, the first lanes first.
#[derive(Clone, Copy)]
pub(super) struct Double<V>([V; 2]);

/// Applies a function to each half.
macro_rules! halves {
    ($function:path, $a:expr, $b:expr) => {
        [$function($a[0], $b[0]), $function($a[1], $b[1])]
    };
}

impl<V: Vector> Vector for Double<V> {
    const LANES: usize = 2 * V::LANES;

    type Words = [V::Words; 2];
    type Mask = [V::Mask; 2];

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: the caller vouches for the instruction set.
        Self([unsafe { V::splat(value) }; 2])
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller vouches for the instruction set and for twice the values.
        Self(unsafe { [V::load(from), V::load(from.add(V::LANES))] })
    }

    #[inline(always)]
    unsafe fn splat_words(value: u32) -> [V::Words; 2] {
        // SAFETY: the caller vouches for the instruction set.
        [unsafe { V::splat_words(value) }; 2]
    }

    #[inline(always)]
    unsafe fn load_words(from: *const u32) -> [V::Words; 2] {
        // SAFETY: the caller vouches for the instruction set and for twice the values.
        unsafe { [V::load_words(from), V::load_words(from.add(V::LANES))] }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(halves!(V::add, self.0, other.0))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(halves!(V::sub, self.0, other.0))
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(halves!(V::mul, self.0, other.0))
    }

    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        Self(halves!(V::larger, self.0, other.0))
    }

    #[inline(always)]
    fn le(self, other: Self) -> [V::Mask; 2] {
        halves!(V::le, self.0, other.0)
    }

    #[inline(always)]
    fn gt(self, other: Self) -> [V::Mask; 2] {
        halves!(V::gt, self.0, other.0)
    }

    #[inline(always)]
    fn disjoint(a: [V::Words; 2], b: [V::Words; 2]) -> [V::Mask; 2] {
        halves!(V::disjoint, a, b)
    }

    #[inline(always)]
    fn sorted(a: [V::Words; 2], b: [V::Words; 2]) -> [[V::Words; 2]; 2] {
        let [[low_0, high_0], [low_1, high_1]] = halves!(V::sorted, a, b);
        [[low_0, low_1], [high_0, high_1]]
    }

    #[inline(always)]
    fn and(a: [V::Mask; 2], b: [V::Mask; 2]) -> [V::Mask; 2] {
        halves!(V::and, a, b)
    }

    #[inline(always)]
    fn and_not(a: [V::Mask; 2], b: [V::Mask; 2]) -> [V::Mask; 2] {
        halves!(V::and_not, a, b)
    }

    #[inline(always)]
    fn bits(mask: [V::Mask; 2]) -> u32 {
        V::bits_of_two(mask)
    }
}
