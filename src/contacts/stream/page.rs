//! Pages of pairs, borrowed by a listener or owned by a consumer.

use crate::memory::listener::PairKind;
use crate::memory::page::PAGE_LEN;
use crate::pair::{Pair, StaticPair};
use parking_lot::Mutex;
use std::fmt;
use std::sync::Arc;

/// Some pairs of a step that is still running: at least one, at most a few thousand.
///
/// They are provisional until the step returns `Ok`.
#[derive(Clone, Copy)]
pub struct StreamedPage<'p> {
    sequence: u64,
    pairs: &'p [[u32; 2]],
}

/// The pairs of a page, which are all of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PagePairs<'p> {
    /// Pairs of two bodies, `a < b`.
    Body(&'p [Pair]),
    /// Pairs of a body and a static.
    Static(&'p [StaticPair]),
}

impl<'p> StreamedPage<'p> {
    pub(crate) fn new(sequence: u64, pairs: &'p [[u32; 2]]) -> Self {
        Self { sequence, pairs }
    }

    /// Sequence number of the page, unique within its step.
    ///
    /// Sorted by this number, the body pages are those of [`Contacts::body_pages`], followed by the
    /// static pages, which are those of [`Contacts::static_pages`]. The numbers have gaps.
    ///
    /// [`Contacts::body_pages`]: crate::Contacts::body_pages
    /// [`Contacts::static_pages`]: crate::Contacts::static_pages
    ///
    /// # Determinism
    ///
    /// The number depends only on input, settings, and the static set with the changes made to it
    /// since it was set. When the page arrives depends on timing.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// The pairs.
    pub fn pairs(&self) -> PagePairs<'p> {
        match PairKind::of_page(self.sequence) {
            PairKind::Body => PagePairs::Body(bytemuck::cast_slice(self.pairs)),
            PairKind::Static => PagePairs::Static(bytemuck::cast_slice(self.pairs)),
        }
    }

    /// The pairs, if they are body pairs; otherwise an empty slice.
    pub fn body_pairs(&self) -> &'p [Pair] {
        if let PagePairs::Body(pairs) = self.pairs() { pairs } else { &[] }
    }

    /// The pairs, if they are static pairs; otherwise an empty slice.
    pub fn static_pairs(&self) -> &'p [StaticPair] {
        if let PagePairs::Static(pairs) = self.pairs() { pairs } else { &[] }
    }

    /// Number of pairs, at least 1.
    #[allow(clippy::len_without_is_empty, reason = "a page is never empty")]
    pub fn len(&self) -> usize {
        self.pairs.len()
    }
}

impl fmt::Debug for StreamedPage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamedPage")
            .field("sequence", &self.sequence)
            .field("kind", &PairKind::of_page(self.sequence))
            .field("len", &self.len())
            .finish()
    }
}

/// Memory of dropped pages, for later ones. The lock is held only for a push or a pop.
#[derive(Default)]
pub(super) struct BufferPool(Mutex<Vec<Vec<[u32; 2]>>>);

/// A copy of a page, which a consumer may keep and send on.
///
/// Its memory, 16 KiB, is reused for later pages of the channel once it is dropped.
pub struct OwnedPage {
    sequence: u64,
    pairs: Vec<[u32; 2]>,
    pool: Arc<BufferPool>,
}

impl OwnedPage {
    pub(super) fn new(sequence: u64, pairs: &[[u32; 2]], pool: &Arc<BufferPool>) -> Self {
        let recycled = pool.0.lock().pop();
        let mut copy = recycled.unwrap_or_else(|| Vec::with_capacity(PAGE_LEN));
        copy.extend_from_slice(pairs);
        Self { sequence, pairs: copy, pool: Arc::clone(pool) }
    }

    /// Borrows the page.
    pub fn as_page(&self) -> StreamedPage<'_> {
        StreamedPage::new(self.sequence, &self.pairs)
    }

    /// Sequence number of the page; see [`StreamedPage::sequence`].
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// The pairs.
    pub fn pairs(&self) -> PagePairs<'_> {
        self.as_page().pairs()
    }

    /// The pairs, if they are body pairs; otherwise an empty slice.
    pub fn body_pairs(&self) -> &[Pair] {
        self.as_page().body_pairs()
    }

    /// The pairs, if they are static pairs; otherwise an empty slice.
    pub fn static_pairs(&self) -> &[StaticPair] {
        self.as_page().static_pairs()
    }
}

impl Drop for OwnedPage {
    fn drop(&mut self) {
        let mut pairs = std::mem::take(&mut self.pairs);
        pairs.clear();
        self.pool.0.lock().push(pairs);
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
    use crate::memory::listener::page_number;

    #[test]
    fn memory_of_dropped_pages_is_reused() {
        let pool = Arc::default();
        let page = OwnedPage::new(5, &[[1, 2], [3, 4]], &pool);
        let memory = page.pairs.as_ptr();
        assert_eq!(page.pairs(), PagePairs::Body(&[Pair { a: 1, b: 2 }, Pair { a: 3, b: 4 }]));
        assert!(page.static_pairs().is_empty());
        drop(page);
        let number = page_number(PairKind::Static, 0, 6);
        let page = OwnedPage::new(number, &[[7, 8]], &pool);
        assert_eq!((page.pairs.as_ptr(), page.sequence()), (memory, number));
        assert_eq!(page.static_pairs(), [StaticPair { body: 7, static_row: 8 }]);
        assert!(page.body_pairs().is_empty());
    }
}
