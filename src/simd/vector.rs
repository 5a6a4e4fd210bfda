//! The operations that kernels need of an instruction set.

#![allow(unsafe_code)]

/// A vector of f32, along with vectors of u32 and masks of as many lanes.
///
/// VECTOR-1: vectors are created only by the unsafe functions, which require the instruction set.
/// So where a vector exists, its instruction set is available, and the other functions are safe.
///
/// All functions work lane by lane, and round each operation.
pub(super) trait Vector: Copy {
    const LANES: usize;

    /// A u32 in each lane.
    type Words: Copy;

    /// A truth value for each lane.
    type Mask: Copy;

    /// # Safety
    ///
    /// The instruction set is available.
    unsafe fn splat(value: f32) -> Self;

    /// # Safety
    ///
    /// The instruction set is available, and `LANES` values can be read at `from`.
    unsafe fn load(from: *const f32) -> Self;

    /// # Safety
    ///
    /// The instruction set is available.
    unsafe fn splat_words(value: u32) -> Self::Words;

    /// # Safety
    ///
    /// The instruction set is available, and `LANES` values can be read at `from`.
    unsafe fn load_words(from: *const u32) -> Self::Words;

    fn add(self, other: Self) -> Self;

    fn sub(self, other: Self) -> Self;

    fn mul(self, other: Self) -> Self;

    /// `if self > other { self } else { other }`, so `other` if either is NaN.
    fn larger(self, other: Self) -> Self;

    /// `self <= other`, false if either is NaN.
    fn le(self, other: Self) -> Self::Mask;

    /// `self > other`, false if either is NaN.
    fn gt(self, other: Self) -> Self::Mask;

    /// Whether two words have no bit in common.
    fn disjoint(a: Self::Words, b: Self::Words) -> Self::Mask;

    /// The lesser and the greater of two words.
    fn sorted(a: Self::Words, b: Self::Words) -> [Self::Words; 2];

    fn and(a: Self::Mask, b: Self::Mask) -> Self::Mask;

    /// `a & !b`
    fn and_not(a: Self::Mask, b: Self::Mask) -> Self::Mask;

    /// Bit `k` is lane `k`.
    fn bits(mask: Self::Mask) -> u32;

    /// [`bits`](Self::bits) of two masks, those of the second after those of the first.
    #[allow(dead_code, reason = "some targets have portable kernels alone")]
    #[inline(always)]
    fn bits_of_two([first, second]: [Self::Mask; 2]) -> u32 {
        Self::bits(first) | Self::bits(second) << Self::LANES
    }

    /// [`bits`](Self::bits) of the first `count` lanes. `count` is below 256.
    #[inline(always)]
    fn first_bits(mask: Self::Mask, count: usize) -> u32 {
        Self::bits(mask) & ((1 << count.min(Self::LANES)) - 1)
    }
}

/// An array of a value for each edge of a box.
///
/// Not `array::map`, which the compiler does not always inline: vectors would go through memory,
/// and operations on them would be calls.
macro_rules! each_edge {
    ($edge:ident => $value:expr) => {
        [
            {
                let $edge = 0;
                $value
            },
            {
                let $edge = 1;
                $value
            },
            {
                let $edge = 2;
                $value
            },
            {
                let $edge = 3;
                $value
            },
        ]
    };
}
pub(super) use each_edge;

/// Calls an intrinsic on vectors of its instruction set.
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little")))]
macro_rules! intrinsic {
    ($name:ident $(::<$constant:ident>)? ($($argument:expr),*)) => {
        // SAFETY: the arguments contain a vector, so its instruction set is available (VECTOR-1).
        unsafe { $name $(::<$constant>)? ($($argument),*) }
    };
}
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little")))]
pub(super) use intrinsic;
