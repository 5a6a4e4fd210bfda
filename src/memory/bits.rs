//! The set bits of a word.

/// The numbers of the bits that are set, ascending.
#[inline(always)]
pub(crate) fn set_bits(bits: impl Into<u64>) -> impl Iterator<Item = usize> {
    let mut left = bits.into();
    std::iter::from_fn(move || {
        let lowest = left.trailing_zeros();
        (left != 0).then(|| {
            left &= left - 1;
            lowest as usize
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_bits_are_numbered_from_the_lowest() {
        assert!(set_bits(0u64).eq([]));
        assert!(set_bits(u64::MAX).eq(0..64) && set_bits(u32::MAX).eq(0..32));
        assert!(set_bits(1u64 << 63 | 0b101).eq([0, 2, 63]));
    }
}
