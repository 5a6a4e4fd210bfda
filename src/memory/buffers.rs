//! Buffers that outlive a step, and how they grow.

/// Where part `k` of `count` equal parts of `len` begins; the product may be more than a `usize` of 32 bits holds.
pub(crate) fn part_start(k: usize, len: usize, count: usize) -> usize {
    (k as u64 * len as u64 / count as u64) as usize
}

/// Makes `items` at least `len` long, with an eighth to spare when it has to grow: doubling, as vectors do, would
/// cost the largest buffers twice what they need, and less than a constant share would make growth frequent.
pub(crate) fn grow<T: Clone + Default>(items: &mut Vec<T>, len: usize) {
    if items.len() < len {
        if items.capacity() < len {
            // What is in there is scratch: nothing is worth a copy.
            items.clear();
            items.reserve_exact(len + len / 8);
        }
        items.resize(len, T::default());
    }
}

/// Gives `items` the capacity that `other` has.
pub(crate) fn reserve_like<T>(items: &mut Vec<T>, other: &Vec<T>) {
    items.reserve_exact(other.capacity().saturating_sub(items.len()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_many_rows_do_not_overflow() {
        for len in [1 << 20, u32::MAX as usize] {
            assert_eq!((part_start(0, len, 4096), part_start(4096, len, 4096)), (0, len));
            assert!((0..4096).all(|k| part_start(k, len, 4096) < part_start(k + 1, len, 4096)));
        }
    }
}
