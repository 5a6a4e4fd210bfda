//! Truth values as the bits of a word.

/// Up to 64 truth values as bits.
#[inline(always)]
pub(crate) fn bits_of(values: &[bool]) -> u64 {
    let mut bytes = [0u8; 64];
    bytes.iter_mut().zip(values).for_each(|(byte, &value)| *byte = u8::from(value));
    let (eights, _) = bytes.as_chunks::<8>();
    // The product moves the lowest bit of each byte into the highest byte.
    let gather = |eight: &[u8; 8]| u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    eights.iter().enumerate().fold(0, |all, (k, eight)| all | gather(eight) << (8 * k))
}

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
    fn values_become_bits_from_the_lowest() {
        assert_eq!([bits_of(&[]), bits_of(&[false, true, true]), bits_of(&[true; 64])], [0, 0b110, u64::MAX]);
        for k in 0..64 {
            let values: [bool; 64] = std::array::from_fn(|j| j == k || j == 7);
            assert_eq!(bits_of(&values), 1 << k | 1 << 7);
        }
    }

    #[test]
    fn set_bits_are_numbered_from_the_lowest() {
        assert!(set_bits(0u64).eq([]));
        assert!(set_bits(u64::MAX).eq(0..64) && set_bits(u32::MAX).eq(0..32));
        assert!(set_bits(1u64 << 63 | 0b101).eq([0, 2, 63]));
    }
}
