//! The pairs that a step found.

use super::by_row::Pages;
use crate::storage::pages::{Block, PagePool};
use crate::storage::reserve_like;

impl Pages for Vec<Block> {
    fn count(&self) -> usize {
        self.len()
    }

    fn page(&self, number: usize) -> &[[u32; 2]] {
        self[number].pairs()
    }
}

/// A world holds two: those of the last good step stand in one while the next step puts its own into the other.
#[derive(Default)]
pub(crate) struct FoundPairs {
    pub(crate) body_blocks: Vec<Block>,
    pub(crate) static_blocks: Vec<Block>,
    pub(crate) body_pair_count: usize,
    pub(crate) static_pair_count: usize,
}

impl FoundPairs {
    /// Gives the pages back.
    pub(crate) fn clear(&mut self, pool: &PagePool) {
        pool.recycle(&mut self.body_blocks);
        self.body_pair_count = 0;
        self.clear_statics(pool);
    }

    /// Gives the pages of static contacts back.
    pub(crate) fn clear_statics(&mut self, pool: &PagePool) {
        pool.recycle(&mut self.static_blocks);
        self.static_pair_count = 0;
    }

    /// Counts what the blocks hold.
    pub(crate) fn count(&mut self) {
        let count = |blocks: &[Block]| blocks.iter().map(|block| block.pairs().len()).sum();
        self.body_pair_count = count(&self.body_blocks);
        self.static_pair_count = count(&self.static_blocks);
    }

    /// As much room as `other` has, so that it does not matter which of the two a step fills.
    pub(crate) fn reserve_like(&mut self, other: &Self) {
        reserve_like(&mut self.body_blocks, &other.body_blocks);
        reserve_like(&mut self.static_blocks, &other.static_blocks);
    }

    pub(crate) fn page_count(&self) -> usize {
        self.body_blocks.len() + self.static_blocks.len()
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.body_blocks.shrink_to_fit();
        self.static_blocks.shrink_to_fit();
    }
}
