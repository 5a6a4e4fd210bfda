//! The pairs of a step, as they are read.

use super::found::FoundPairs;
use super::search::Searched;
use super::sleeping::StandingPairs;
use crate::pair::{Pair, StaticPair};
use crate::storage::pages::Block;
use bytemuck::Pod;

/// The contacts of the last good step. Cheap to copy and to share between threads; borrows the world, none of the
/// caller's columns.
///
/// # Determinism
///
/// The order of blocks and pairs is a pure function of the columns and the configuration: the same at any thread
/// count and instruction set, whatever was stepped before; but for steps with bodies that
/// [sleep](crate::Bodies::with_asleep). It may change between versions of this crate.
#[derive(Clone, Copy)]
pub struct Contacts<'w> {
    found: &'w FoundPairs,
    searched: Searched<'w>,
}

impl<'w> Contacts<'w> {
    pub(super) fn new(found: &'w FoundPairs, searched: Searched<'w>) -> Self {
        Self { found, searched }
    }

    fn body_blocks(&self) -> FoundBlocks<'w> {
        FoundBlocks::new(&self.found.body_blocks, self.found.standing_bodies.as_deref())
    }

    fn fixed_blocks(&self) -> FoundBlocks<'w> {
        FoundBlocks::new(&self.found.static_blocks, self.found.standing_statics.as_deref())
    }

    /// Every pair of bodies whose closed boxes overlap and whose filters allow each other, each once, `a < b`.
    pub fn body_pairs(&self) -> Pairs<'w, Pair> {
        Pairs::new(self.body_blocks(), self.found.body_pair_count)
    }

    /// Every pair of a body and an enabled static whose closed boxes overlap and whose filters allow each other, each once.
    /// Empty between
    /// [`World::set_statics`](crate::World::set_statics) and the next step.
    pub fn static_pairs(&self) -> Pairs<'w, StaticPair> {
        Pairs::new(self.fixed_blocks(), self.found.static_pair_count)
    }

    /// The pairs of bodies as slices of up to a few thousand, in the order of [`body_pairs`](Self::body_pairs).
    pub fn blocks(&self) -> impl ExactSizeIterator<Item = &'w [Pair]> + Clone + use<'w> {
        self.body_blocks().map(cast)
    }

    /// The blocks of [`blocks`](Self::blocks) as a rayon iterator, in the same order.
    #[cfg(feature = "parallel")]
    pub fn par_blocks(&self) -> impl rayon::iter::IndexedParallelIterator<Item = &'w [Pair]> + use<'w> {
        rayon::iter::ParallelIterator::map(self.body_blocks().par(), cast)
    }

    /// The blocks of [`static_blocks`](Self::static_blocks) as a rayon iterator, in the same order.
    #[cfg(feature = "parallel")]
    pub fn par_static_blocks(&self) -> impl rayon::iter::IndexedParallelIterator<Item = &'w [StaticPair]> + use<'w> {
        rayon::iter::ParallelIterator::map(self.fixed_blocks().par(), cast)
    }

    /// The pairs with statics as slices, in the order of [`static_pairs`](Self::static_pairs).
    pub fn static_blocks(&self) -> impl ExactSizeIterator<Item = &'w [StaticPair]> + Clone + use<'w> {
        self.fixed_blocks().map(cast)
    }

    /// The pairs of bodies in ascending order of (a, b), in the caller's vector, which is cleared first.
    ///
    /// # Cost
    ///
    /// A copy and a sort: several times the cost of iterating.
    pub fn sorted_pairs(&self, sorted: &mut Vec<Pair>) {
        sorted.clear();
        sorted.reserve(self.found.body_pair_count);
        self.blocks().for_each(|block| sorted.extend_from_slice(block));
        sorted.sort_unstable();
    }

    /// The pairs with statics in ascending order of (body, fixed), in the caller's vector, which is cleared first.
    ///
    /// # Cost
    ///
    /// As [`sorted_pairs`](Self::sorted_pairs).
    pub fn sorted_static_pairs(&self, sorted: &mut Vec<StaticPair>) {
        sorted.clear();
        sorted.reserve(self.found.static_pair_count);
        self.static_blocks().for_each(|block| sorted.extend_from_slice(block));
        sorted.sort_unstable();
    }

    /// The id of a row, where the step had an id column and the row.
    pub fn body_id(&self, row: u32) -> Option<u64> {
        self.searched.index.ids.get(row as usize).copied()
    }

    /// The id of a static, where the set has an id column and the row.
    pub fn static_id(&self, row: u32) -> Option<u64> {
        self.searched.statics.id(row)
    }

    /// How many rows the step had, skipped ones included.
    pub fn body_count(&self) -> usize {
        self.searched.index.row_count
    }
}

impl std::fmt::Debug for Contacts<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Contacts")
            .field("bodies", &self.searched.index.row_count)
            .field("body_pairs", &self.found.body_pair_count)
            .field("static_pairs", &self.found.static_pair_count)
            .finish()
    }
}

fn cast<T: Pod>(block: &Block) -> &[T] {
    bytemuck::cast_slice(block.pairs())
}

/// The blocks that a step found, then those that stood.
#[derive(Clone, Debug)]
struct FoundBlocks<'w> {
    found: &'w [Block],
    standing: &'w [Block],
}

impl<'w> FoundBlocks<'w> {
    fn new(found: &'w [Block], standing: Option<&'w StandingPairs>) -> Self {
        Self { found, standing: standing.map_or(&[], |standing| &standing.blocks) }
    }

    #[cfg(feature = "parallel")]
    fn par(self) -> impl rayon::iter::IndexedParallelIterator<Item = &'w Block> + use<'w> {
        use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
        self.found.par_iter().chain(self.standing)
    }
}

impl<'w> Iterator for FoundBlocks<'w> {
    type Item = &'w Block;

    #[inline]
    fn next(&mut self) -> Option<&'w Block> {
        if self.found.is_empty() {
            self.found = std::mem::take(&mut self.standing);
        }
        let (first, rest) = self.found.split_first()?;
        self.found = rest;
        Some(first)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.found.len() + self.standing.len();
        (len, Some(len))
    }

    fn fold<B, F: FnMut(B, &'w Block) -> B>(self, init: B, mut f: F) -> B {
        let folded = self.found.iter().fold(init, &mut f);
        self.standing.iter().fold(folded, f)
    }
}

impl ExactSizeIterator for FoundBlocks<'_> {}

/// Iterates pairs; knows how many are left.
#[derive(Clone, Debug)]
pub struct Pairs<'w, T> {
    block: std::slice::Iter<'w, T>,
    rest: FoundBlocks<'w>,
    left: usize,
}

impl<'w, T: Pod> Pairs<'w, T> {
    fn new(rest: FoundBlocks<'w>, count: usize) -> Self {
        Self { block: [].iter(), rest, left: count }
    }
}

impl<T: Pod> Iterator for Pairs<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        loop {
            if let Some(&pair) = self.block.next() {
                self.left -= 1;
                return Some(pair);
            }
            self.block = cast(self.rest.next()?).iter();
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }

    // Whole slices at a time: a solver's loop costs what a loop over a slice costs.
    fn fold<B, F: FnMut(B, T) -> B>(self, init: B, mut f: F) -> B {
        let first = self.block.copied().fold(init, &mut f);
        self.rest.fold(first, |acc, block| cast(block).iter().copied().fold(acc, &mut f))
    }
}

impl<T: Pod> ExactSizeIterator for Pairs<'_, T> {}
impl<T: Pod> std::iter::FusedIterator for Pairs<'_, T> {}
