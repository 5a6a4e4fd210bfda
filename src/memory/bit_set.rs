//! A set of small integers, a bit each: what has been met already.

use crate::memory::buffers::buffers;

/// Bits for `0..len`, all clear at first.
#[derive(Clone, Debug, Default)]
pub(crate) struct BitSet {
    words: Vec<u64>,
}

buffers!(BitSet { levelled: words; own: ; plain: ; });

impl BitSet {
    /// Room for `0..len`; members stay.
    pub(crate) fn grow_to(&mut self, len: usize) {
        let words = len.div_ceil(64);
        if self.words.len() < words {
            self.words.resize(words, 0);
        }
    }

    /// Takes all members out.
    pub(crate) fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Adds `index`; whether it was new.
    #[inline]
    pub(crate) fn insert(&mut self, index: u32) -> bool {
        let (word, bit) = (&mut self.words[index as usize / 64], 1 << (index % 64));
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    /// Adds `index` if it is `wanted`, without a branch; whether it was, and new.
    #[inline]
    pub(crate) fn insert_if(&mut self, wanted: bool, index: u32) -> bool {
        let (word, bit) = (&mut self.words[index as usize / 64], u64::from(wanted) << (index % 64));
        let new = bit & !*word != 0;
        *word |= bit;
        new
    }

    #[inline]
    pub(crate) fn remove(&mut self, index: u32) {
        self.words[index as usize / 64] &= !(1 << (index % 64));
    }

    #[inline]
    pub(crate) fn contains(&self, index: u32) -> bool {
        self.words[index as usize / 64] & (1 << (index % 64)) != 0
    }

    /// Makes this the set whose bits are these words.
    pub(crate) fn set_words(&mut self, words: impl Iterator<Item = u64>) {
        self.words.clear();
        self.words.extend(words);
    }

    /// Makes this set what `other` is, in the memory that it has.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.words.clone_from(&other.words);
    }

    /// Gives this set the capacity that `other` has.
    pub(crate) fn reserve_like(&mut self, other: &Self) {
        crate::memory::buffers::reserve_like(&mut self.words, &other.words);
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.words.shrink_to_fit();
    }

    pub(crate) fn bytes(&self) -> usize {
        self.words.capacity() * size_of::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_what_was_put_in() {
        let mut set = BitSet::default();
        set.grow_to(130);
        assert!(set.insert(129) && !set.insert(129) && set.insert(64));
        assert!(set.contains(64) && !set.contains(65));
        set.remove(129);
        assert!(!set.contains(129) && set.insert(129));
        for len in [0, 64, 1000] {
            let mut copy = BitSet::default();
            copy.grow_to(len);
            copy.copy_from(&set);
            assert_eq!(copy.words, set.words);
        }
    }
}
