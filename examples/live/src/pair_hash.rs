//! A hash of the pairs of several steps, to compare runs on different machines.

use triphase::{Contacts, Pair, StaticPair};
use triphase_scenes::SplitMix64;

/// A hash of all pairs so far, in their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairHash(u64);

impl PairHash {
    /// Adds the pairs of a step: those of bodies, then those with statics.
    pub fn add(&mut self, contacts: Contacts<'_>) {
        self.add_word(contacts.body_pairs().len() as u64);
        contacts.body_pairs().for_each(|Pair { a, b }| self.add_word(u64::from(a) << 32 | u64::from(b)));
        let with_statics = contacts.static_pairs();
        with_statics
            .for_each(|StaticPair { body, static_row }| self.add_word(u64::from(body) << 32 | u64::from(static_row)));
    }

    /// The hash so far.
    pub fn value(self) -> u64 {
        self.0
    }

    fn add_word(&mut self, word: u64) {
        self.0 = SplitMix64::new(self.0 ^ word).next_u64();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_their_order_make_the_hash() {
        let hash = |words: &[u64]| {
            let mut hash = PairHash::default();
            words.iter().for_each(|word| hash.add_word(*word));
            hash.value()
        };
        assert_eq!(hash(&[1, 2]), hash(&[1, 2]));
        assert_ne!(hash(&[1, 2]), hash(&[2, 1]));
        assert_ne!(hash(&[1]), hash(&[1, 0]));
        assert_eq!(hash(&[]), 0);
    }
}
