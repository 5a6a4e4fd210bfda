//! The pairs of a step, as they are read.

use crate::broad_phase::pairs::{FoundBlocks, FoundPairs};
use crate::contacts::events::Tracker;
use crate::contacts::partners::Lists;
use crate::memory::page::Page;
use crate::pair::{Pair, StaticPair};
use crate::query::frame::Searched;
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
    pub(crate) found: &'w FoundPairs,
    pub(crate) searched: Searched<'w>,
    pub(crate) tracker: Option<&'w Tracker>,
    pub(crate) lists: Option<&'w Lists>,
    pub(crate) parallel: bool,
}

impl<'w> Contacts<'w> {
    /// Every pair of bodies whose closed boxes overlap and whose filters allow each other, each once, `a < b`.
    pub fn body_pairs(&self) -> Pairs<'w, Pair> {
        Pairs::new(self.found.all_bodies(), self.found.body_pair_count)
    }

    /// Every pair of a body and an enabled static whose closed boxes overlap and whose filters allow each other, each once.
    /// Empty between
    /// [`World::set_statics`](crate::World::set_statics) and the next step.
    pub fn static_pairs(&self) -> Pairs<'w, StaticPair> {
        Pairs::new(self.found.all_statics(), self.found.static_pair_count)
    }

    /// The pairs of bodies as slices of up to a few thousand, in the order of [`body_pairs`](Self::body_pairs).
    pub fn body_pages(&self) -> impl ExactSizeIterator<Item = &'w [Pair]> + Clone + use<'w> {
        self.found.all_bodies().map(cast)
    }

    /// The blocks of [`blocks`](Self::blocks) as a rayon iterator, in the same order.
    #[cfg(feature = "parallel")]
    pub fn par_body_pages(&self) -> impl rayon::iter::IndexedParallelIterator<Item = &'w [Pair]> + use<'w> {
        rayon::iter::ParallelIterator::map(par(self.found.all_bodies()), cast)
    }

    /// The blocks of [`static_blocks`](Self::static_blocks) as a rayon iterator, in the same order.
    #[cfg(feature = "parallel")]
    pub fn par_static_pages(&self) -> impl rayon::iter::IndexedParallelIterator<Item = &'w [StaticPair]> + use<'w> {
        rayon::iter::ParallelIterator::map(par(self.found.all_statics()), cast)
    }

    /// The pairs with statics as slices, in the order of [`static_pairs`](Self::static_pairs).
    pub fn static_pages(&self) -> impl ExactSizeIterator<Item = &'w [StaticPair]> + Clone + use<'w> {
        self.found.all_statics().map(cast)
    }

    /// The pairs of bodies in ascending order of (a, b), in the caller's vector, which is cleared first.
    ///
    /// # Cost
    ///
    /// A copy and a sort: several times the cost of iterating.
    pub fn sorted_pairs(&self, sorted: &mut Vec<Pair>) {
        sorted.clear();
        sorted.reserve(self.found.body_pair_count);
        self.body_pages().for_each(|block| sorted.extend_from_slice(block));
        sorted.sort_unstable();
    }

    /// The pairs with statics in ascending order of (body, static_row), in the caller's vector, which is cleared first.
    ///
    /// # Cost
    ///
    /// As [`sorted_pairs`](Self::sorted_pairs).
    pub fn sorted_static_pairs(&self, sorted: &mut Vec<StaticPair>) {
        sorted.clear();
        sorted.reserve(self.found.static_pair_count);
        self.static_pages().for_each(|block| sorted.extend_from_slice(block));
        sorted.sort_unstable();
    }

    /// The rows that a row is a pair with, ascending: of each pair, either row lists the other. Empty unless
    /// [`WorldConfig::with_partner_lists`](crate::WorldConfig::with_partner_lists) is set, and where there is no such row.
    ///
    /// ```
    /// use triphase::{Bodies, World, WorldConfig};
    /// let mut world = World::new(WorldConfig::new().with_partner_lists(true))?;
    /// let crowd = [[0.0f32, 0.0], [0.8, 0.0], [9.0, 0.0], [1.6, 0.0]];
    /// let contacts = world.step(Bodies::uniform(&crowd, [0.5, 0.5]))?;
    /// assert_eq!(contacts.partners(1), [0, 3]); // it stands between these
    /// assert_eq!(contacts.partners(2), [0; 0]);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Cost
    ///
    /// O(1): a slice.
    pub fn partners(&self, row: u32) -> &'w [u32] {
        self.lists.map_or(&[], |lists| lists.bodies.of(row))
    }

    /// The statics that a row is a pair with, ascending, as [`of`](Self::of).
    pub fn static_partners(&self, row: u32) -> &'w [u32] {
        self.lists.map_or(&[], |lists| lists.statics.of(row))
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

/// All blocks, as rayon goes through them.
#[cfg(feature = "parallel")]
fn par<'w>(blocks: FoundBlocks<'w>) -> impl rayon::iter::IndexedParallelIterator<Item = &'w Page> + use<'w> {
    use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
    blocks.found.par_iter().chain(blocks.standing)
}

fn cast<T: Pod>(block: &Page) -> &[T] {
    bytemuck::cast_slice(block.pairs())
}

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
