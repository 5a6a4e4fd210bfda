//! The pairs that a step found.

use super::sleeping::StandingPairs;
use crate::storage::pages::{Block, PagePool};
use crate::storage::reserve_like;
use std::sync::Arc;

/// A world holds two: those of the last good step stand in one while the next step puts its own into the other.
#[derive(Default)]
pub(crate) struct FoundPairs {
    pub(crate) body_blocks: Vec<Block>,
    pub(crate) static_blocks: Vec<Block>,
    /// Behind the blocks: what stood from steps before.
    pub(crate) standing_bodies: Option<Arc<StandingPairs>>,
    pub(crate) standing_statics: Option<Arc<StandingPairs>>,
    /// With those that stood.
    pub(crate) body_pair_count: usize,
    pub(crate) static_pair_count: usize,
}

impl FoundPairs {
    /// Gives the pages back.
    pub(crate) fn clear(&mut self, pool: &PagePool) {
        pool.recycle(&mut self.body_blocks);
        (self.body_pair_count, self.standing_bodies) = (0, None);
        self.clear_statics(pool);
    }

    /// Gives the pages of static contacts back.
    pub(crate) fn clear_statics(&mut self, pool: &PagePool) {
        pool.recycle(&mut self.static_blocks);
        (self.static_pair_count, self.standing_statics) = (0, None);
    }

    /// Counts what the blocks hold.
    pub(crate) fn count(&mut self) {
        let count = |blocks: &[Block]| blocks.iter().map(|block| block.pairs().len()).sum();
        self.body_pair_count = count(&self.body_blocks);
        self.static_pair_count = count(&self.static_blocks);
    }

    /// Adds what stands.
    pub(crate) fn set_standing(&mut self, [bodies, statics]: [&Arc<StandingPairs>; 2]) {
        self.body_pair_count += bodies.pair_count;
        self.static_pair_count += statics.pair_count;
        (self.standing_bodies, self.standing_statics) = (Some(Arc::clone(bodies)), Some(Arc::clone(statics)));
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
