//! Removes and inserts elements of sorted vectors in place.
//!
//! Each segment between two edits is moved once, by a copy of memory.

/// A vector keeps a capacity of up to this many elements, or this many times as many as it has.
const SPARE_MAX: usize = 512;
const SPARE_FACTOR: usize = 4;

/// Removes the elements at ascending positions. `position` returns that of a key at or after the
/// given one, in the part of the vector that is not changed yet.
pub(crate) fn remove_sorted<T: Copy, K: Copy>(
    items: &mut Vec<T>,
    keys: impl IntoIterator<Item = K>,
    mut position: impl FnMut(&[T], usize, K) -> usize,
) {
    let (mut write, mut read) = (0, 0);
    for key in keys {
        let at = position(items, read, key);
        if write < read {
            items.copy_within(read..at, write);
        }
        write += at - read;
        read = at + 1;
    }
    if write < read {
        items.copy_within(read.., write);
        items.truncate(items.len() - (read - write));
    }
}

/// Inserts elements in ascending order. `position` returns where an element belongs in the part of
/// the vector before `end`.
pub(crate) fn insert_sorted<T: Copy, K: Copy>(
    items: &mut Vec<T>,
    keys: impl DoubleEndedIterator<Item = K> + ExactSizeIterator,
    mut position: impl FnMut(&[T], usize, K) -> usize,
    item: impl Fn(K) -> T,
) {
    let (count, mut end) = (keys.len(), items.len());
    let Some(&filler) = items.first() else {
        return items.extend(keys.map(item));
    };
    if items.capacity() < end + count {
        // More than most vectors will ever need, so that few of them grow again.
        items.reserve_exact(count + (end + count) / 4 + 8);
    }
    items.resize(end + count, filler);
    for (before, key) in keys.enumerate().rev() {
        let at = position(items, end, key);
        items.copy_within(at..end, at + before + 1);
        items[at + before] = item(key);
        end = at;
    }
}

/// Gives back memory of a vector that was far longer once. So a body with many pairs whose row
/// moves leaves no long vector behind wherever it was.
pub(crate) fn release_spare<T>(items: &mut Vec<T>) {
    if items.capacity() > SPARE_MAX && items.capacity() / SPARE_FACTOR > items.len() {
        items.shrink_to(items.len() + items.len() / 4);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(items: &[u32], key: u32) -> usize {
        items.partition_point(|&item| item < key)
    }

    #[test]
    fn edits_match_those_of_a_sorted_set() {
        let mut state = 1u32;
        let mut random = |below: u32| {
            state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
            (state >> 16) % below
        };
        let mut items: Vec<u32> = Vec::new();
        for _ in 0..300 {
            let removed: Vec<u32> = items.iter().copied().filter(|_| random(3) == 0).collect();
            let kept: Vec<u32> = items.iter().copied().filter(|item| !removed.contains(item)).collect();
            let mut added: Vec<u32> = (0..random(9)).map(|_| random(90)).filter(|item| !kept.contains(item)).collect();
            added.sort_unstable();
            added.dedup();
            let mut expected = [kept, added.clone()].concat();
            expected.sort_unstable();

            remove_sorted(&mut items, removed, |items, from, key| from + place(&items[from..], key));
            insert_sorted(&mut items, added.into_iter(), |items, end, key| place(&items[..end], key), |key| key);
            assert_eq!(items, expected);
        }
    }
}
