//! Binary searches that advance together.

use std::hint::select_unpredictable;

/// How many of some ascending numbers are at most each limit.
///
/// All searches advance step by step, so that none waits for the memory of another.
#[inline]
pub(crate) fn partition_points<T: Copy + PartialOrd, const N: usize>(ascending: &[T], limits: [T; N]) -> [usize; N] {
    let mut bases = [0; N];
    if ascending.is_empty() {
        return bases;
    }
    let mut size = ascending.len();
    while size > 1 {
        let half = size / 2;
        for (base, limit) in bases.iter_mut().zip(limits) {
            *base = select_unpredictable(ascending[*base + half] <= limit, *base + half, *base);
        }
        size -= half;
    }
    for (base, limit) in bases.iter_mut().zip(limits) {
        *base += usize::from(ascending[*base] <= limit);
    }
    bases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_equal_single_ones() {
        for count in [0, 1, 2, 3, 7, 8, 100] {
            let ascending: Vec<u32> = (0..count).map(|k| k / 3 * 2).collect();
            for first in 0..count + 2 {
                let limits = [0, 1, 5].map(|more| first + more);
                let expected = limits.map(|limit| ascending.partition_point(|&number| number <= limit));
                assert_eq!(partition_points(&ascending, limits), expected, "{count} numbers, {limits:?}");
            }
        }
    }
}
