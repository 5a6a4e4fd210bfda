//! Blocks of pairs, and how they are numbered.
//!
//! O1: a number is made of the kind of pair (the highest bit), the task that found it (31 bits) and its place among the blocks of
//!     that task (32 bits). Tasks are numbered by the input, and a step's contacts are gathered in their order, so the
//!     order of numbers is the order of contacts, bodies first.

use crate::pair::{Pair, StaticPair};
use parking_lot::Mutex;
use std::fmt;
use std::sync::Arc;

/// What the pairs of a block are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Bodies,
    Statics,
}

const STATICS: u64 = 1 << 63;

/// The number of a task's first block (O1).
pub(crate) fn first_sequence(kind: Kind, task: usize) -> u64 {
    debug_assert!((task as u64) < 1 << 31);
    let kind = if kind == Kind::Statics { STATICS } else { 0 };
    kind | (task as u64) << 32
}

fn kind_of(sequence: u64) -> Kind {
    if sequence & STATICS == 0 { Kind::Bodies } else { Kind::Statics }
}

/// Some of the pairs of a step that still runs: a few thousand at most, and one at least.
///
/// They are provisional until the step has succeeded.
#[derive(Clone, Copy)]
pub struct StreamedPage<'b> {
    sequence: u64,
    pairs: &'b [[u32; 2]],
}

/// The pairs of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PagePairs<'b> {
    /// Pairs of bodies, `a < b`.
    Bodies(&'b [Pair]),
    /// Pairs of a body and a static.
    Static(&'b [StaticPair]),
}

impl<'b> StreamedPage<'b> {
    pub(crate) fn new(sequence: u64, pairs: &'b [[u32; 2]]) -> Self {
        Self { sequence, pairs }
    }

    /// Where it stands among the blocks of its step: no two have the same number, and in ascending order the blocks of bodies
    /// are those of [`Contacts::body_pages`](crate::Contacts::body_pages), and those with statics, which all come after them, those of
    /// [`Contacts::static_blocks`](crate::Contacts::static_blocks).
    ///
    /// # Determinism
    ///
    /// Which number a block has is a pure function of columns, statics and settings, as its pairs are; when it comes is not.
    /// Numbers are not dense.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// Its pairs, which are all of one kind.
    pub fn pairs(&self) -> PagePairs<'b> {
        match kind_of(self.sequence) {
            Kind::Bodies => PagePairs::Bodies(bytemuck::cast_slice(self.pairs)),
            Kind::Statics => PagePairs::Static(bytemuck::cast_slice(self.pairs)),
        }
    }

    /// Its pairs, if they are of bodies; none else.
    pub fn body_pairs(&self) -> &'b [Pair] {
        if let PagePairs::Bodies(pairs) = self.pairs() { pairs } else { &[] }
    }

    /// Its pairs, if they are with statics; none else.
    pub fn static_pairs(&self) -> &'b [StaticPair] {
        if let PagePairs::Static(pairs) = self.pairs() { pairs } else { &[] }
    }

    /// How many pairs it has: never 0.
    #[allow(clippy::len_without_is_empty)] // it never is
    pub fn len(&self) -> usize {
        self.pairs.len()
    }
}

impl fmt::Debug for StreamedPage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamedPage")
            .field("sequence", &self.sequence)
            .field("kind", &kind_of(self.sequence))
            .field("len", &self.len())
            .finish()
    }
}

/// Memory of blocks that were dropped, for those to come. The lock is held for a push or a pop only.
#[derive(Default)]
pub(crate) struct Buffers(Mutex<Vec<Vec<[u32; 2]>>>);

/// A copy of a block, which a consumer may keep, and send on, for as long as it likes.
///
/// Its memory, 16 KiB, is used again for later blocks of its channel once it is dropped.
pub struct OwnedPage {
    sequence: u64,
    pairs: Vec<[u32; 2]>,
    /// Where its memory goes.
    home: Arc<Buffers>,
}

impl OwnedPage {
    pub(crate) fn new(sequence: u64, pairs: &[[u32; 2]], home: &Arc<Buffers>) -> Self {
        let recycled = home.0.lock().pop();
        let mut copy = recycled.unwrap_or_else(|| Vec::with_capacity(crate::memory::page::PAGE_LEN));
        copy.extend_from_slice(pairs);
        Self { sequence, pairs: copy, home: Arc::clone(home) }
    }

    /// The block, to be read.
    pub fn as_page(&self) -> StreamedPage<'_> {
        StreamedPage::new(self.sequence, &self.pairs)
    }

    /// As [`StreamedPage::sequence`].
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// As [`StreamedPage::pairs`].
    pub fn pairs(&self) -> PagePairs<'_> {
        self.as_page().pairs()
    }

    /// As [`StreamedPage::body_pairs`].
    pub fn body_pairs(&self) -> &[Pair] {
        self.as_page().body_pairs()
    }

    /// As [`StreamedPage::static_pairs`].
    pub fn static_pairs(&self) -> &[StaticPair] {
        self.as_page().static_pairs()
    }
}

impl Drop for OwnedPage {
    fn drop(&mut self) {
        let mut pairs = std::mem::take(&mut self.pairs);
        pairs.clear();
        self.home.0.lock().push(pairs);
    }
}

impl fmt::Debug for OwnedPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_page().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_the_order_of_kind_task_and_place() {
        let tasks = [0, 1, 2, 70_000, (1 << 31) - 1];
        let of =
            |kind| tasks.map(|task| [0, 1, 9, u64::from(u32::MAX)].map(|place| first_sequence(kind, task) + place));
        let [bodies, statics] = [Kind::Bodies, Kind::Statics].map(of);
        assert!(bodies.as_flattened().iter().chain(statics.as_flattened()).is_sorted_by(|a, b| a < b));
        assert!(bodies.as_flattened().iter().all(|&number| kind_of(number) == Kind::Bodies));
        assert!(statics.as_flattened().iter().all(|&number| kind_of(number) == Kind::Statics));
    }

    #[test]
    fn the_memory_of_a_block_is_used_again() {
        let home = Arc::default();
        let block = OwnedPage::new(5, &[[1, 2], [3, 4]], &home);
        let memory = block.pairs.as_ptr();
        assert_eq!(block.pairs(), PagePairs::Bodies(&[Pair { a: 1, b: 2 }, Pair { a: 3, b: 4 }]));
        assert!(block.static_pairs().is_empty());
        drop(block);
        let block = OwnedPage::new(STATICS | 6, &[[7, 8]], &home);
        assert_eq!((block.pairs.as_ptr(), block.sequence()), (memory, STATICS | 6));
        assert_eq!(block.static_pairs(), [StaticPair { body: 7, static_row: 8 }]);
        assert!(block.body_pairs().is_empty());
    }
}
