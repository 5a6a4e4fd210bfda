//! Binary searches that advance together.

use std::hint::select_unpredictable;

/// How many of some ascending numbers are before each limit, as `is_before(number, limit)` says.
///
/// All searches advance step by step, so that none waits for the memory of another.
#[inline]
pub(crate) fn partition_points<T: Copy, const N: usize>(
    ascending: &[T],
    limits: [T; N],
    is_before: impl Fn(T, T) -> bool,
) -> [usize; N] {
    let mut bases = [0; N];
    if ascending.is_empty() {
        return bases;
    }
    let mut size = ascending.len();
    while size > 1 {
        let half = size / 2;
        for (base, limit) in bases.iter_mut().zip(limits) {
            *base = select_unpredictable(is_before(ascending[*base + half], limit), *base + half, *base);
        }
        size -= half;
    }
    for (base, limit) in bases.iter_mut().zip(limits) {
        *base += usize::from(is_before(ascending[*base], limit));
    }
    bases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_equal_single_ones() {
        for len in 0..70 {
            let ascending: Vec<f32> = (0..len).map(|k| (k / 3) as f32).collect();
            for low in -1..25 {
                let limits: [f32; 8] = std::array::from_fn(|k| low as f32 + k as f32 * 0.5);
                let up_to = limits.map(|limit| ascending.partition_point(|&v| v <= limit));
                assert_eq!(partition_points(&ascending, limits, |v, limit| v <= limit), up_to, "{len}, {limits:?}");
                let below = limits.map(|limit| ascending.partition_point(|&v| v < limit));
                assert_eq!(partition_points(&ascending, limits, |v, limit| v < limit), below, "{len}, {limits:?}");
            }
        }
        let infinite = [f32::NEG_INFINITY, -0.0, 0.0, f32::INFINITY];
        assert_eq!(partition_points(&infinite, [0.0, f32::INFINITY], |v, limit| v <= limit), [3, 4]);
    }
}
