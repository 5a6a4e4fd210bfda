//! Pairs in pages of equal size, taken from a pool and recycled once a step.
//!
//! - PAGE-1: how many pages a step keeps depends on its pairs alone, not on the threads that found
//!   them, since each task opens its own pages. In addition, each thread may have an open page that
//!   stays empty, or the last pages of the parts of a scan, which are put together later (PAGE-4).
//!   So with spare pages for each thread, repeating a step takes no new page.

use crate::memory::buffers::Buffers;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Pairs in a page: 16 KiB, so that a thousand bodies open about one page, and the half-empty last
/// page of a band costs about one byte a body.
pub(crate) const PAGE_LEN: usize = 2048;

/// Slots that a kernel may write after its last hit: one vector of pairs.
pub(crate) const PAGE_SLACK: usize = 16;

/// [`PagePool::provide`] adds a spare page for this many used ones. These are the pages of two
/// frames, so that is an eighth of a frame's.
const SPARE: usize = 16;

/// A page of `[u32; 2]`, initialized throughout.
pub(crate) type PageBuffer = Box<[[u32; 2]]>;

/// A page and how many of its pairs are filled.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    page: PageBuffer,
    len: u32,
}

impl Page {
    /// A page whose first `len` pairs are filled.
    pub(super) fn new(page: PageBuffer, len: usize) -> Self {
        Self { page, len: len as u32 }
    }

    /// A page without memory, which is not to be recycled.
    pub(crate) fn empty() -> Self {
        Self { page: Box::default(), len: 0 }
    }

    pub(super) fn has_room_for(&self, other: &Self) -> bool {
        self.len + other.len <= PAGE_LEN as u32
    }

    /// Appends the pairs of another page, and returns its buffer.
    pub(super) fn take_from(&mut self, other: Self) -> PageBuffer {
        let end = self.len + other.len;
        self.page[self.len as usize..end as usize].copy_from_slice(other.pairs());
        self.len = end;
        other.page
    }

    pub(crate) fn pairs(&self) -> &[[u32; 2]] {
        &self.page[..self.len as usize]
    }

    /// Changes the pairs of a page that is not to be recycled.
    pub(crate) fn edit_pairs(&mut self, edit: impl FnOnce(&mut Vec<[u32; 2]>)) {
        let mut pairs = std::mem::take(&mut self.page).into_vec();
        pairs.truncate(self.len as usize);
        edit(&mut pairs);
        self.len = pairs.len() as u32;
        pairs.resize(pairs.capacity(), [0; 2]);
        self.page = pairs.into_boxed_slice();
    }
}

/// Counted in full, even if few of its pairs are filled. A vector of pages counts the handles
/// itself.
impl Buffers for Page {
    fn bytes(&self) -> usize {
        size_of_val(&*self.page)
    }

    fn reserve_like(&mut self, _: &Self) {}

    fn shrink_to_fit(&mut self) {}
}

/// Free pages. The lock is held for single calls only.
#[derive(Default)]
pub(crate) struct PagePool {
    free: Mutex<Vec<PageBuffer>>,
}

impl PagePool {
    pub(super) fn take(&self) -> PageBuffer {
        let recycled = self.free.lock().pop();
        recycled.unwrap_or_else(new_page)
    }

    pub(super) fn give_back(&self, page: PageBuffer) {
        self.free.lock().push(page);
    }

    pub(crate) fn recycle(&self, pages: &mut Vec<Page>) {
        if !pages.is_empty() {
            self.free.lock().extend(pages.drain(..).map(|page| page.page));
        }
    }

    /// Makes sure that there are `free` free pages besides `used` ones, and capacity to take all
    /// back. If pages are missing, some spare ones are added: pair counts vary from frame to frame,
    /// and with them the pages of the bands.
    pub(crate) fn provide(&self, used: usize, free: usize) {
        let mut pages = self.free.lock();
        if pages.len() < free {
            pages.resize_with(free + used / SPARE, new_page);
        }
        pages.reserve(used);
    }

    pub(crate) fn free_count(&self) -> usize {
        self.free.lock().len()
    }

    /// Bytes held by free pages.
    pub(crate) fn bytes(&self) -> usize {
        let free = self.free.lock();
        free.capacity() * size_of::<PageBuffer>() + free.len() * PAGE_LEN * size_of::<[u32; 2]>()
    }

    /// Drops free pages beyond `keep`; there will be room to take them back.
    pub(crate) fn truncate(&self, keep: usize) {
        self.free.lock().truncate(keep);
    }

    /// Drops free pages beyond `keep`, and the room for others.
    pub(crate) fn shrink(&self, keep: usize) {
        let mut free = self.free.lock();
        free.truncate(keep);
        free.shrink_to_fit();
    }
}

fn new_page() -> PageBuffer {
    vec![[0; 2]; PAGE_LEN].into_boxed_slice()
}

/// How many more pairs a step may report.
pub(crate) struct PairBudget {
    limit: usize,
    spent: AtomicUsize,
    exceeded: AtomicBool,
}

impl PairBudget {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, spent: AtomicUsize::new(0), exceeded: AtomicBool::new(false) }
    }

    /// Counts more pairs. Returns whether all so far are within the limit.
    pub(crate) fn spend(&self, pairs: usize) -> bool {
        // Relaxed: only the sum matters, and the final read follows the join of all tasks.
        let before = self.spent.fetch_add(pairs, Ordering::Relaxed);
        let within = before + pairs <= self.limit;
        if !within {
            self.exceeded.store(true, Ordering::Relaxed);
        }
        within
    }

    pub(crate) fn is_exceeded(&self) -> bool {
        self.exceeded.load(Ordering::Relaxed)
    }
}
