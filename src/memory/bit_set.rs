//! A set of small integers, one bit each.

use crate::memory::bits::set_bits;
use crate::memory::buffers::buffers;
use crate::prefetch::prefetch;

/// Bits for `0..len`, all clear initially.
#[derive(Clone, Debug, Default)]
pub(crate) struct BitSet {
    words: Vec<u64>,
}

buffers!(BitSet { leveled: words; own: ; plain: ; });

impl BitSet {
    /// Grows the range to `0..len`; members stay.
    pub(crate) fn grow_to(&mut self, len: usize) {
        let words = len.div_ceil(64);
        if self.words.len() < words {
            self.words.resize(words, 0);
        }
    }

    /// Adds `index`. Returns whether it was new.
    #[inline]
    pub(crate) fn insert(&mut self, index: u32) -> bool {
        let (word, bit) = (&mut self.words[index as usize / 64], 1 << (index % 64));
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    /// Adds indices, of which none is a member yet.
    pub(crate) fn insert_all(&mut self, indices: &[u32]) {
        // Many follow each other. Their word stays in a register.
        let (mut at, mut bits) = (0, 0);
        for &index in indices {
            if index as usize / 64 != at {
                self.words[at] |= bits;
                (at, bits) = (index as usize / 64, 0);
            }
            bits |= 1 << (index % 64);
        }
        if bits != 0 {
            self.words[at] |= bits;
        }
    }

    /// Removes all members.
    pub(crate) fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Number of words that [`clear`](Self::clear) writes.
    pub(crate) fn word_count(&self) -> usize {
        self.words.len()
    }

    /// Loads all words.
    pub(crate) fn prefetch(&self) {
        prefetch(&self.words);
    }

    /// Appends all members, ascending.
    pub(crate) fn append_to(&self, members: &mut Vec<u32>) {
        append_bits(&self.words, members);
    }

    /// Adds `index` if `is_member`, otherwise removes it.
    pub(crate) fn set(&mut self, index: u32, is_member: bool) {
        if is_member {
            self.insert(index);
        } else {
            self.remove(index);
        }
    }

    #[inline]
    pub(crate) fn remove(&mut self, index: u32) {
        self.words[index as usize / 64] &= !(1 << (index % 64));
    }

    /// Whether `index` is a member; none outside of the range is.
    #[inline]
    pub(crate) fn contains(&self, index: u32) -> bool {
        self.words.get(index as usize / 64).is_some_and(|word| word & (1 << (index % 64)) != 0)
    }

    /// The numbers that are in one of both sets, ascending.
    pub(crate) fn differences(&self, other: &Self) -> impl Iterator<Item = u32> {
        let word = |set: &Self, k: usize| set.words.get(k).copied().unwrap_or_default();
        let words = 0..self.words.len().max(other.words.len());
        let differing = words.map(move |k| (k, word(self, k) ^ word(other, k))).filter(|&(_, bits)| bits != 0);
        differing.flat_map(|(k, bits)| set_bits(bits).map(move |bit| (k * 64 + bit) as u32))
    }

    /// Replaces the set by the one with these bits.
    pub(crate) fn set_words(&mut self, words: impl Iterator<Item = u64>) {
        self.words.clear();
        self.words.extend(words);
    }

    /// Copies `other` into this set, which keeps its memory.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.words.clone_from(&other.words);
    }
}

/// Appends the numbers of the bits that are set, ascending.
pub(crate) fn append_bits(words: &[u64], numbers: &mut Vec<u32>) {
    for (first, &word) in (0u32..).step_by(64).zip(words) {
        for bit in set_bits(word) {
            numbers.push(first + bit as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inserted_members_are_contained() {
        let mut set = BitSet::default();
        set.grow_to(130);
        assert!(set.insert(129) && !set.insert(129) && set.insert(64));
        assert!(set.contains(64) && !set.contains(65));
        set.remove(129);
        assert!(!set.contains(129) && set.insert(129));
        let mut members = Vec::new();
        set.append_to(&mut members);
        assert_eq!(members, [64, 129]);
        set.insert_all(&[0, 1, 63, 65, 127, 128]);
        members.clear();
        set.append_to(&mut members);
        assert_eq!(members, [0, 1, 63, 64, 65, 127, 128, 129]);
        for len in [0, 64, 1000] {
            let mut copy = BitSet::default();
            copy.grow_to(len);
            copy.copy_from(&set);
            assert_eq!(copy.words, set.words);
            copy.clear();
            assert!(copy.words.iter().all(|&word| word == 0));
        }
    }
}
