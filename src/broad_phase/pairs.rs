//! The pairs that a step found.

use crate::broad_phase::sleepers::StandingPairs;
use crate::contacts::by_row::Pages;
use crate::contacts::exclusive::Schedules;
use crate::contacts::exclusive::schedule::Section;
use crate::memory::buffers::reserve_like;
use crate::memory::page::{Page, PagePool};
use std::sync::Arc;

/// A world holds two: those of the last good step stand in one while the next step puts its own into the other.
#[derive(Default)]
pub(crate) struct FoundPairs {
    pub(crate) body_blocks: Vec<Page>,
    pub(crate) static_blocks: Vec<Page>,
    /// Behind the blocks: what stood from steps before.
    pub(crate) standing_bodies: Option<Arc<StandingPairs>>,
    pub(crate) standing_statics: Option<Arc<StandingPairs>>,
    /// With those that stood.
    pub(crate) body_pair_count: usize,
    pub(crate) static_pair_count: usize,
    /// The tasks that found them, in the order of blocks.
    pub(crate) sections: Vec<Section>,
    /// Good for the blocks as they are: whoever changes those renews them.
    pub(crate) schedules: Schedules,
}

impl FoundPairs {
    /// Gives the pages back.
    pub(crate) fn clear(&mut self, pool: &PagePool) {
        self.schedules.renew();
        self.sections.clear();
        pool.recycle(&mut self.body_blocks);
        (self.body_pair_count, self.standing_bodies) = (0, None);
        self.clear_statics(pool);
    }

    /// Gives the pages of static contacts back.
    pub(crate) fn clear_statics(&mut self, pool: &PagePool) {
        self.schedules.renew_statics();
        self.sections.iter_mut().for_each(|section| section.static_blocks = 0..0);
        pool.recycle(&mut self.static_blocks);
        (self.static_pair_count, self.standing_statics) = (0, None);
    }

    /// Adds what a task found: pairs of bodies, the first so many among those of its band, and pairs with statics.
    pub(crate) fn append(&mut self, bodies: &mut Vec<Page>, own_pairs: usize, statics: &mut Vec<Page>) {
        let (body_from, static_from) = (self.body_blocks.len(), self.static_blocks.len());
        self.body_blocks.append(bodies);
        self.static_blocks.append(statics);
        let body_blocks = body_from..self.body_blocks.len();
        self.sections.push(Section { body_blocks, own_pairs, static_blocks: static_from..self.static_blocks.len() });
    }

    /// All blocks of pairs of bodies.
    pub(crate) fn all_bodies(&self) -> FoundBlocks<'_> {
        FoundBlocks::new(&self.body_blocks, self.standing_bodies.as_deref())
    }

    /// All blocks of pairs with statics.
    pub(crate) fn all_statics(&self) -> FoundBlocks<'_> {
        FoundBlocks::new(&self.static_blocks, self.standing_statics.as_deref())
    }

    /// Counts what the blocks hold.
    pub(crate) fn count(&mut self) {
        let count = |blocks: &[Page]| blocks.iter().map(|block| block.pairs().len()).sum();
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
        reserve_like(&mut self.sections, &other.sections);
    }

    pub(crate) fn page_count(&self) -> usize {
        self.body_blocks.len() + self.static_blocks.len()
    }

    /// Bytes held for whom pairs belong to.
    pub(crate) fn bytes_of_sections(&self) -> usize {
        self.sections.capacity() * size_of::<Section>() + self.schedules.bytes()
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.body_blocks.shrink_to_fit();
        self.static_blocks.shrink_to_fit();
        self.sections.shrink_to_fit();
        self.schedules.shrink();
    }
}

/// The blocks that a step found, then those that stood.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FoundBlocks<'w> {
    pub(crate) found: &'w [Page],
    pub(crate) standing: &'w [Page],
}

impl<'w> FoundBlocks<'w> {
    fn new(found: &'w [Page], standing: Option<&'w StandingPairs>) -> Self {
        Self { found, standing: standing.map_or(&[], |standing| &standing.blocks) }
    }

    /// A block by its number.
    #[inline]
    pub(crate) fn block(self, number: usize) -> &'w Page {
        let own = self.found.len();
        if number < own { &self.found[number] } else { &self.standing[number - own] }
    }
}

impl Pages for FoundBlocks<'_> {
    fn count(&self) -> usize {
        self.len()
    }

    fn page(&self, number: usize) -> &[[u32; 2]] {
        self.block(number).pairs()
    }
}

impl<'w> Iterator for FoundBlocks<'w> {
    type Item = &'w Page;

    #[inline]
    fn next(&mut self) -> Option<&'w Page> {
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

    fn fold<B, F: FnMut(B, &'w Page) -> B>(self, init: B, mut f: F) -> B {
        let folded = self.found.iter().fold(init, &mut f);
        self.standing.iter().fold(folded, f)
    }
}

impl ExactSizeIterator for FoundBlocks<'_> {}
