//! Pairs that a step removed and added.

use crate::memory::buffers::buffers;
use crate::memory::radix::{self, FEW_NUMBERS};

/// Pairs as [entries](crate::pair::entry) that a step removed and added.
#[derive(Debug, Default)]
pub(crate) struct PairEdits {
    pub(crate) removed: Vec<u64>,
    pub(crate) added: Vec<u64>,
}

buffers!(PairEdits { leveled: removed, added; own: ; plain: ; });

impl PairEdits {
    pub(crate) fn clear(&mut self) {
        self.removed.clear();
        self.added.clear();
    }

    /// Adds the pairs that only one of two ascending lists has: as removed those of `before`, as
    /// added those of `now`.
    #[inline]
    pub(crate) fn add_difference(&mut self, before: impl Iterator<Item = u64>, now: impl Iterator<Item = u64>) {
        let Self { removed, added } = self;
        for_each_difference(before, now, |pair| removed.push(pair), |pair| added.push(pair));
    }

    /// Drops pairs that were both removed and added; both lists must be sorted.
    pub(crate) fn cancel(&mut self) {
        let Self { removed, added } = self;
        let (mut kept_removed, mut kept_added, mut k) = (0, 0, 0);
        for at in 0..removed.len() {
            while k < added.len() && added[k] < removed[at] {
                added[kept_added] = added[k];
                (kept_added, k) = (kept_added + 1, k + 1);
            }
            if k < added.len() && added[k] == removed[at] {
                k += 1;
            } else {
                removed[kept_removed] = removed[at];
                kept_removed += 1;
            }
        }
        added.copy_within(k.., kept_added);
        added.truncate(kept_added + added.len() - k);
        removed.truncate(kept_removed);
    }
}

/// Sorts pairs as [entries](crate::pair::entry). `spare` is a buffer.
pub(crate) fn sort_entries(entries: &mut Vec<u64>, spare: &mut Vec<u64>) {
    if entries.len() <= FEW_NUMBERS {
        return entries.sort_unstable();
    }
    radix::sort_by_upper_half(entries, spare);
    sort_within_rows(entries);
}

/// Sorts the pairs of each first row; the rows are ascending.
///
/// Exchanging neighbors without branches sorts up to two pairs of a row, which most rows have. It
/// exchanges nothing between rows. So the branch for the others is seldom taken.
fn sort_within_rows(entries: &mut [u64]) {
    for k in 1..entries.len() {
        let (a, b) = (entries[k - 1], entries[k]);
        (entries[k - 1], entries[k]) = (a.min(b), a.max(b));
    }
    let mut next = 1;
    while next < entries.len() {
        if entries[next - 1] <= entries[next] {
            next += 1;
            continue;
        }
        let row = entries[next] >> 32;
        let is_other = |entry: &u64| entry >> 32 != row;
        let start = entries[..next].iter().rposition(is_other).map_or(0, |before| before + 1);
        let end = entries[next..].iter().position(is_other).map_or(entries.len(), |after| next + after);
        entries[start..end].sort_unstable();
        next = end;
    }
}

/// Calls `removed` with each element of one ascending list that the other lacks, and `added` with
/// each that only the other has.
#[inline]
pub(crate) fn for_each_difference(
    mut before: impl Iterator<Item = u64>,
    mut now: impl Iterator<Item = u64>,
    mut removed: impl FnMut(u64),
    mut added: impl FnMut(u64),
) {
    let (mut next_before, mut next_now) = (before.next(), now.next());
    while let (Some(old), Some(new)) = (next_before, next_now) {
        if old == new {
            (next_before, next_now) = (before.next(), now.next());
        } else if old < new {
            removed(old);
            next_before = before.next();
        } else {
            added(new);
            next_now = now.next();
        }
    }
    next_before.into_iter().chain(before).for_each(removed);
    next_now.into_iter().chain(now).for_each(added);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pair::entry;
    use triphase_scenes::SplitMix64;

    #[test]
    fn entries_of_rows_of_any_size_are_sorted() {
        let mut random = SplitMix64::new(7);
        for (count, rows) in [
            (0, 1),
            (3, 9),
            (FEW_NUMBERS, 1 << 20),
            (FEW_NUMBERS + 1, 2),
            (5000, 1 << 20),
            (5000, 900),
            (5000, u32::MAX as usize),
        ] {
            let mut row = || random.below(rows) as u32;
            let mut entries: Vec<u64> = (0..count).map(|_| entry(row(), row())).collect();
            let mut expected = entries.clone();
            expected.sort_unstable();
            sort_entries(&mut entries, &mut Vec::new());
            assert_eq!(entries, expected, "{count} entries of {rows} rows");
        }
    }

    #[test]
    fn what_was_removed_and_added_is_cancelled() {
        let mut random = SplitMix64::new(8);
        for _ in 0..200 {
            let mut some = || (0..30).filter(|_| random.below(3) == 0).collect::<Vec<u64>>();
            let [removed, added] = [some(), some()];
            let without = |list: &[u64], other: &[u64]| -> Vec<u64> {
                list.iter().copied().filter(|pair| !other.contains(pair)).collect()
            };
            let expected = [without(&removed, &added), without(&added, &removed)];
            let mut edits = PairEdits { removed, added };
            edits.cancel();
            assert_eq!([edits.removed, edits.added], expected);
        }
    }
}
