//! The rows that changed, as a list and as a set.

use crate::error::Error;
use crate::input::changed_rows::{ChangedRows, Form};
use crate::memory::bit_set::{BitSet, append_bits};
use crate::memory::buffers::buffers;
use crate::memory::radix::sort_numbers;

/// If more rows changed than one in so many, they are read in order from the set, not sorted.
const SORTED_SHARE: usize = 12;

/// If more rows changed than one for so many words of the set (four cache lines), a whole set is
/// loaded or cleared at once.
const DENSE_WORDS: usize = 32;

/// Flags that are tested at once, most of which are usually clear.
const FLAG_BLOCK: usize = 64;

/// The changed rows of a step, ascending and each once.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChangedSet {
    rows: Vec<u32>,
    /// Rows of the last step that do not exist any more.
    gone: Vec<u32>,
    /// Contains both.
    set: BitSet,
    spare: Vec<u32>,
}

buffers!(ChangedSet { leveled: rows, gone, set, spare; own: ; plain: ; });

impl ChangedSet {
    /// The changed rows that exist.
    pub(crate) fn rows(&self) -> &[u32] {
        &self.rows
    }

    pub(crate) fn gone(&self) -> &[u32] {
        &self.gone
    }

    /// Number of changed rows, those that do not exist any more included.
    pub(crate) fn len(&self) -> usize {
        self.rows.len() + self.gone.len()
    }

    /// Whether loading or clearing a whole set of rows is faster than the words of changed ones.
    pub(crate) fn is_dense(&self) -> bool {
        self.len() > self.set.word_count() / DENSE_WORDS
    }

    /// Number of changed rows that are in another set too.
    pub(crate) fn count_common(&self, other: &Self) -> usize {
        self.rows.iter().chain(&self.gone).filter(|&&row| other.contains(row)).count()
    }

    /// Whether the changed rows that exist are those of another set.
    pub(crate) fn has_same_rows(&self, other: &Self) -> bool {
        // Empty vectors are not compared by `memcmp`: where that uses masked loads, and the vector
        // never had memory, it takes 40 nanoseconds.
        self.rows.len() == other.rows.len() && (self.rows.is_empty() || self.rows == other.rows)
    }

    /// Whether all rows of another set that existed in its step changed in this step too.
    pub(crate) fn contains_rows_of(&self, other: &Self) -> bool {
        self.has_same_rows(other) || other.rows.iter().all(|&row| self.contains(row))
    }

    pub(crate) fn set(&self) -> &BitSet {
        &self.set
    }

    /// Whether a row changed; `false` if there was no such row.
    #[inline(always)]
    pub(crate) fn contains(&self, row: u32) -> bool {
        self.set.contains(row)
    }

    /// Removes all rows.
    pub(crate) fn clear(&mut self) {
        let is_dense = self.is_dense();
        let Self { rows, gone, set, .. } = self;
        if is_dense {
            set.clear();
            rows.clear();
            gone.clear();
        } else {
            rows.drain(..).chain(gone.drain(..)).for_each(|row| set.remove(row));
        }
    }

    /// Replaces the rows by those of a step. Rows beyond those of the last step have changed too.
    ///
    /// # Errors
    ///
    /// If there is no such row, or not a flag for each row. The set is empty then.
    pub(crate) fn read(&mut self, changed: ChangedRows<'_>, row_count: usize, last_count: usize) -> Result<(), Error> {
        self.clear();
        let Self { rows, set, .. } = self;
        set.grow_to(row_count.max(last_count));
        let check_len = |expected, found| match expected == found {
            true => Ok(()),
            false => Err(Error::ChangedLengthMismatch { row_count, expected, found }),
        };
        match changed.0 {
            Form::List(list) => {
                if let Some(&row) = list.iter().find(|&&row| row as usize >= row_count) {
                    return Err(Error::ChangedRowOutOfRange { row, row_count });
                }
                if list.is_sorted_by(|a, b| a < b) {
                    rows.extend_from_slice(list);
                    set.insert_all(list);
                } else {
                    rows.extend(list.iter().copied().filter(|&row| set.insert(row)));
                }
            }
            Form::Flags(flags) => {
                check_len(row_count, flags.len())?;
                for (first, flags) in (0u32..).step_by(FLAG_BLOCK).zip(flags.chunks(FLAG_BLOCK)) {
                    if flags.iter().fold(false, |any, &flag| any | flag) {
                        rows.extend((first..).zip(flags).filter(|&(_, &flag)| flag).map(|(row, _)| row));
                    }
                }
                set.insert_all(rows);
            }
            Form::Bits(words) => {
                check_len(row_count.div_ceil(u64::BITS as usize), words.len())?;
                append_bits(words, rows);
                let end = rows.partition_point(|&row| (row as usize) < row_count);
                rows.truncate(end);
                set.insert_all(rows);
            }
        }
        rows.extend((last_count as u32..row_count as u32).filter(|&row| set.insert(row)));
        self.sort();
        let Self { gone, set, .. } = self;
        gone.extend((row_count..last_count).map(|row| row as u32));
        set.insert_all(gone);
        Ok(())
    }

    /// Adds rows, which are ignored if they do not exist any more.
    pub(crate) fn add(&mut self, added: impl Iterator<Item = u32>, row_count: usize) {
        let Self { rows, set, .. } = self;
        rows.extend(added.filter(|&row| (row as usize) < row_count && set.insert(row)));
        self.sort();
    }

    fn sort(&mut self) {
        let Self { rows, gone, set, spare } = self;
        if rows.is_sorted() {
            return;
        }
        if gone.is_empty() && rows.len() > set.word_count() * u64::BITS as usize / SORTED_SHARE {
            rows.clear();
            set.append_to(rows);
        } else {
            sort_numbers(rows, spare);
            spare.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use triphase_scenes::SplitMix64;

    #[test]
    fn lists_in_any_order_are_read_as_sets() {
        let mut random = SplitMix64::new(1);
        let mut set = ChangedSet::default();
        let mut last_count = 0;
        // Few and many of few and of many rows, for each way of clearing and of sorting.
        for (row_count, count) in
            [(10_000, 300), (10_000, 0), (100_000, 40), (100_000, 7000), (100_000, 20_000), (9000, 500), (50, 60)]
        {
            let list: Vec<u32> = (0..count).map(|_| random.below(row_count) as u32).collect();
            set.read(ChangedRows::from(&list), row_count, last_count).expect("rows that exist");
            let mut expected: BTreeSet<u32> = list.into_iter().collect();
            expected.extend(last_count as u32..row_count as u32);
            let gone: Vec<u32> = (row_count as u32..last_count as u32).collect();
            assert!(set.rows().iter().eq(&expected), "{count} of {row_count}");
            assert_eq!(set.gone(), gone, "{count} of {row_count}");
            let is_changed = |row: u32| expected.contains(&row) || gone.contains(&row);
            assert!((0..100_000).all(|row| set.contains(row) == is_changed(row)), "{count} of {row_count}");
            last_count = row_count;
        }
    }
}
