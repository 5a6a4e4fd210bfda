//! A stable radix sort of keys with values, of numbers and of floats; and keys by which numbers of
//! other types are sorted as integers.
//!
//! Each type and order that is sorted adds 3 to 10 KB to a program. So lists are sorted by keys of
//! types that are sorted anyway, where this is not slower.
//!
//! Cost: O(items) for each eleven bits of the highest key. A comparison sort took a hundred
//! nanoseconds for each query of a batch, as long as most queries take.

use crate::memory::buffers::{buffers, clone_in_place};
use smallvec::SmallVec;

/// Bits of a digit: its table of counts fits the first-level cache.
const BITS: u32 = 11;

/// Items up to which a comparison sort is faster than clearing and summing a table.
const FEW: usize = 64;

/// Numbers up to which an unstable comparison sort is faster than clearing and summing tables.
pub(crate) const FEW_NUMBERS: usize = 256;

/// A key and its value.
pub(crate) type Numbered = (u64, u32);

/// Sorts by key; items with equal keys keep their order. `spare` is a buffer.
pub(crate) fn sort_by_key(items: &mut Vec<Numbered>, spare: &mut Vec<Numbered>) {
    sort_by(items, spare, |&(key, _)| key);
}

/// Sorts numbers by their upper halves; those with equal ones keep their order. `spare` is a
/// buffer.
pub(crate) fn sort_by_upper_half(numbers: &mut Vec<u64>, spare: &mut Vec<u64>) {
    sort_by(numbers, spare, |&number| number >> 32);
}

/// Sorts numbers, such as rows. `spare` is a buffer.
pub(crate) fn sort_numbers(numbers: &mut Vec<u32>, spare: &mut Vec<u32>) {
    if numbers.len() <= FEW_NUMBERS {
        return numbers.sort_unstable();
    }
    sort_by(numbers, spare, |&number| u64::from(number));
}

/// Sorts floats by [`f32::total_cmp`], as integers: these compare in about half the time.
#[derive(Debug, Default)]
pub(crate) struct FloatSort {
    keys: Vec<u32>,
    spare: Vec<u32>,
}

buffers!(FloatSort { leveled: keys, spare; own: ; plain: ; });
clone_in_place!(FloatSort { keys, spare });

impl FloatSort {
    pub(crate) fn sort(&mut self, values: &mut [f32]) {
        let Self { keys, spare } = self;
        keys.clear();
        keys.extend(values.iter().copied().map(total_order_key));
        sort_numbers(keys, spare);
        values.iter_mut().zip(&*keys).for_each(|(value, key)| *value = value_of_key(*key));
        // So that `shrink_to_fit` releases them.
        [keys, spare].into_iter().for_each(Vec::clear);
    }
}

/// The middle one of some lengths, or the greater of two in the middle; 0 if there are none.
pub(crate) fn median(lengths: impl Iterator<Item = f64>) -> f64 {
    // Numbers without a sign are in the order of their bits. The sign of zero is unspecified after
    // some operations.
    let mut bits: SmallVec<[u64; 128]> = lengths.map(|length| length.abs().to_bits()).collect();
    if bits.is_empty() {
        return 0.0;
    }
    let middle = bits.len() / 2;
    f64::from_bits(*bits.select_nth_unstable(middle).1)
}

/// As [`sort_by_key`], by the key that `key_of` returns for an item.
#[inline]
fn sort_by<T: Copy + Default>(items: &mut Vec<T>, spare: &mut Vec<T>, key_of: impl Fn(&T) -> u64) {
    if items.len() <= FEW {
        return items.sort_by_key(key_of);
    }
    // The high bits that all keys share need no digit: two are often enough for a band.
    let first = key_of(&items[0]);
    let differing = items.iter().fold(0, |bits, item| bits | (key_of(item) ^ first));
    spare.clear();
    spare.resize(items.len(), T::default());
    let digits = (u64::BITS - differing.leading_zeros()).div_ceil(BITS);
    for digit in 0..digits {
        let digit_of = |item: &T| (key_of(item) >> (digit * BITS)) as usize & ((1 << BITS) - 1);
        let mut starts = [0usize; 1 << BITS];
        items.iter().for_each(|item| starts[digit_of(item)] += 1);
        let mut start = 0;
        for count in &mut starts {
            start += std::mem::replace(count, start);
        }
        for item in &*items {
            let place = &mut starts[digit_of(item)];
            spare[*place] = *item;
            *place += 1;
        }
        std::mem::swap(items, spare);
    }
}

/// A key that orders like [`f32::total_cmp`].
#[inline]
pub(crate) fn total_order_key(value: f32) -> u32 {
    let bits = value.to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

/// A key that orders like [`f64::total_cmp`].
#[inline]
pub(crate) fn total_order_key_f64(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

/// The inverse of [`total_order_key`].
#[inline]
pub(crate) fn value_of_key(key: u32) -> f32 {
    f32::from_bits(if key >> 31 == 1 { key ^ 1 << 31 } else { !key })
}

/// A key of two numbers, the first of which decides the order.
#[inline]
pub(crate) fn numbered(upper: u32, number: u32) -> u64 {
    u64::from(upper) << 32 | u64::from(number)
}

/// A key of a number and its value: sorting these sorts numbers by values.
#[inline]
pub(crate) fn by_value(value: f32, number: u32) -> u64 {
    numbered(total_order_key(value), number)
}

/// Sorts keys of [`by_value`] whose numbers ascend. `spare` is a buffer.
pub(crate) fn sort_by_values(keys: &mut Vec<u64>, spare: &mut Vec<u64>) {
    if keys.len() <= FEW_NUMBERS {
        return keys.sort_unstable();
    }
    sort_by_upper_half(keys, spare);
}

/// The number in a key of [`by_value`] or [`numbered`].
#[inline]
pub(crate) fn number_of(key: u64) -> u32 {
    key as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_upper_of_two_and_does_not_see_the_sign_of_zero() {
        for (lengths, expected) in [
            (&[][..], 0.0),
            (&[3.0], 3.0),
            (&[2.0, 1.0], 2.0),
            (&[5.0, 0.5, f64::INFINITY], 5.0),
            (&[-0.0, 7.0, -0.0], 0.0),
            (&[1e-320, -0.0, 0.0, 1e-310], 1e-320),
        ] {
            assert_eq!(median(lengths.iter().copied()), expected, "{lengths:?}");
        }
    }

    #[test]
    fn keys_of_numbers_of_64_bits_order_totally() {
        let mut values = [0.0, 5e-324, f64::MIN_POSITIVE, 1.0, f64::MAX, f64::INFINITY, f64::NAN].to_vec();
        values.extend(values.clone().into_iter().map(|value| -value));
        for (&a, &b) in values.iter().flat_map(|a| values.iter().map(move |b| (a, b))) {
            assert_eq!(total_order_key_f64(a).cmp(&total_order_key_f64(b)), a.total_cmp(&b), "{a} and {b}");
        }
    }

    #[test]
    fn keys_of_any_size_sort_stably() {
        let tops = [0, 1, 2047, 2048, 1 << 30, u64::MAX];
        for (top, count) in tops.into_iter().flat_map(|top| [5000, FEW as u32 + 1, FEW as u32, 2].map(|n| (top, n))) {
            let mut state = 7u64;
            let mut random = || {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                state.rotate_left(21)
            };
            let base = !top / 2;
            let mut items: Vec<Numbered> = (0..count).map(|number| (base + (random() & top), number)).collect();
            let mut expected = items.clone();
            expected.sort_by_key(|&(key, _)| key);
            sort_by_key(&mut items, &mut Vec::new());
            assert_eq!(items, expected, "{count} keys up to {top}");
        }
        sort_by_key(&mut Vec::new(), &mut Vec::new());
    }

    #[test]
    fn numbers_are_sorted() {
        for count in [0, 2, FEW_NUMBERS as u32, FEW_NUMBERS as u32 + 1, 5000] {
            let mut numbers: Vec<u32> = (0..count).map(|k| k.wrapping_mul(2_654_435_761) >> (k % 20)).collect();
            let mut expected = numbers.clone();
            expected.sort_unstable();
            sort_numbers(&mut numbers, &mut Vec::new());
            assert_eq!(numbers, expected, "{count} numbers");
        }
    }

    #[test]
    fn floats_are_sorted_by_total_order() {
        let mut sort = FloatSort::default();
        for count in [0, 9, FEW_NUMBERS as u32 + 100] {
            let special = [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -f32::NAN, 1e-40, -1e-40, f32::MAX];
            let others = (0..count).map(|k| f32::from_bits(k.wrapping_mul(2_654_435_761)));
            let mut values: Vec<f32> = special.into_iter().chain(others).collect();
            let mut expected = values.clone();
            expected.sort_by(f32::total_cmp);
            sort.sort(&mut values);
            let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&values), bits(&expected), "{count} values");
        }
    }

    #[test]
    fn numbers_sort_by_their_values() {
        let ascending = [f32::NEG_INFINITY, -3.0, -1e-40, -0.0, 0.0, 1e-40, 2.0, f32::MAX, f32::INFINITY];
        let mut keys: Vec<u64> = (0..).zip(ascending).map(|(number, value)| by_value(value, number)).collect();
        keys.reverse();
        keys.sort_unstable();
        assert!(keys.into_iter().map(number_of).eq(0..ascending.len() as u32));
    }
}
