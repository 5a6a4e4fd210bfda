//! Removes and inserts elements of sorted vectors in place.
//!
//! Each segment between two edits is moved once, by a copy of memory.

/// A vector keeps a capacity of up to this many elements, or this many times as many as it has.
const SPARE_MAX: usize = 512;
const SPARE_FACTOR: usize = 4;

/// Removes the elements of these ascending entries. `position` returns that of an entry at or after
/// the given one, in the part of the vector that is not changed yet.
pub(super) fn remove_sorted<T: Copy>(
    items: &mut Vec<T>,
    entries: &[u64],
    position: impl Fn(&[T], usize, u64) -> usize,
) {
    let (mut write, mut read) = (0, 0);
    for &entry in entries {
        let at = position(items, read, entry);
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

/// Inserts the elements of these ascending entries. `position` returns where one belongs in the
/// part of the vector before `end`.
pub(super) fn insert_sorted<T: Copy>(
    items: &mut Vec<T>,
    entries: &[u64],
    position: impl Fn(&[T], usize, u64) -> usize,
    item: impl Fn(u64) -> T,
) {
    let (count, mut end) = (entries.len(), items.len());
    let Some(&filler) = items.first() else {
        return items.extend(entries.iter().map(|&entry| item(entry)));
    };
    reserve_spare(items, end + count);
    items.resize(end + count, filler);
    for (before, &entry) in entries.iter().enumerate().rev() {
        let at = position(items, end, entry);
        items.copy_within(at..end, at + before + 1);
        items[at + before] = item(entry);
        end = at;
    }
}

/// Makes room for `len` elements in all: if the vector has to grow, more than most will ever need,
/// so that few of them grow again.
pub(super) fn reserve_spare<T>(items: &mut Vec<T>, len: usize) {
    if items.capacity() < len {
        items.reserve_exact(len + len / 4 + 8 - items.len());
    }
}

/// Gives back memory of a vector that was far longer once. So a body with many pairs whose row
/// moves leaves no long vector behind wherever it was.
pub(super) fn release_spare<T>(items: &mut Vec<T>) {
    if items.capacity() > SPARE_MAX && items.capacity() / SPARE_FACTOR > items.len() {
        items.shrink_to(items.len() + items.len() / 4);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(items: &[u64], entry: u64) -> usize {
        items.partition_point(|&item| item < entry)
    }

    #[test]
    fn edits_match_those_of_a_sorted_set() {
        let mut state = 1u32;
        let mut random = |below: u32| {
            state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
            (state >> 16) % below
        };
        let mut items: Vec<u64> = Vec::new();
        for _ in 0..300 {
            let removed: Vec<u64> = items.iter().copied().filter(|_| random(3) == 0).collect();
            let kept: Vec<u64> = items.iter().copied().filter(|item| !removed.contains(item)).collect();
            let mut added: Vec<u64> =
                (0..random(9)).map(|_| random(90).into()).filter(|item| !kept.contains(item)).collect();
            added.sort_unstable();
            added.dedup();
            let mut expected = [kept, added.clone()].concat();
            expected.sort_unstable();

            remove_sorted(&mut items, &removed, |items, from, entry| from + place(&items[from..], entry));
            insert_sorted(&mut items, &added, |items, end, entry| place(&items[..end], entry), |entry| entry);
            assert_eq!(items, expected);
        }
    }
}
