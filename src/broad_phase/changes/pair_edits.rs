//! Pairs that a step removed and added.

use crate::memory::buffers::buffers;
use crate::memory::radix;

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
    // Rows are small numbers: without the unused bits between them, keys have fewer digits.
    let highest = entries.iter().fold(0, |highest, &entry| highest | entry as u32);
    let bits = u32::BITS - highest.leading_zeros();
    radix::sort_by(entries, spare, |&entry| entry >> 32 << bits | entry & u64::from(u32::MAX));
}

/// Calls `removed` with each element of one ascending list that the other lacks, and `added` with
/// each that only the other has.
#[inline]
pub(crate) fn for_each_difference(
    before: impl Iterator<Item = u64>,
    now: impl Iterator<Item = u64>,
    mut removed: impl FnMut(u64),
    mut added: impl FnMut(u64),
) {
    let (mut before, mut now) = (before.peekable(), now.peekable());
    loop {
        match (before.peek().copied(), now.peek().copied()) {
            (Some(old), Some(new)) if old == new => _ = (before.next(), now.next()),
            (Some(old), new) if new.is_none_or(|new| old < new) => {
                removed(old);
                before.next();
            }
            (_, Some(new)) => {
                added(new);
                now.next();
            }
            (_, None) => return,
        }
    }
}
