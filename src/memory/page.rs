//! Pairs in pages of equal size, taken from a pool and recycled once a step.
//!
//! - PAGE-1: how many pages a step keeps depends on its pairs alone, not on the threads that found
//!   them, since each task opens its own pages. In addition, each thread may have an open page that
//!   stays empty. So with a spare page for each thread, repeating a step takes no new page.
//! - PAGE-2: a page is closed before the next is taken, and a closed page counts against the pair
//!   limit. So memory for more than the allowed pairs is never taken.
//! - PAGE-3: a [`PageListener`] is notified of each page that is kept, as soon as it is full or its
//!   task is done, in the order of the task, and of no page beyond the pair limit.

use crate::memory::buffers::Buffers;
use crate::memory::listener::PageListener;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Pairs in a page: 16 KiB, so that a thousand bodies open about one page, and the half-empty last
/// page of a band costs about one byte a body.
pub(crate) const PAGE_LEN: usize = 2048;

/// Slots that a kernel may write after its last hit: one vector of pairs.
pub(crate) const PAGE_SLACK: usize = 16;

/// The pool keeps one spare page for this many pages of two frames: an eighth of a frame's.
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
    /// A page without memory, which is not to be recycled.
    pub(crate) fn empty() -> Self {
        Self { page: Box::default(), len: 0 }
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
    fn take(&self) -> PageBuffer {
        let recycled = self.free.lock().pop();
        recycled.unwrap_or_else(new_page)
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
        let returning = used.saturating_sub(pages.capacity() - pages.len());
        if returning > 0 {
            pages.reserve(used);
        }
    }

    pub(crate) fn free_count(&self) -> usize {
        self.free.lock().len()
    }

    /// Bytes held by free pages.
    pub(crate) fn bytes(&self) -> usize {
        let free = self.free.lock();
        free.capacity() * size_of::<Page>() + free.len() * PAGE_LEN * size_of::<[u32; 2]>()
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
    closed: AtomicUsize,
    exceeded: AtomicBool,
}

impl PairBudget {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, closed: AtomicUsize::new(0), exceeded: AtomicBool::new(false) }
    }

    /// Counts the pairs of a closed page. Returns whether all so far are within the limit.
    pub(crate) fn spend(&self, pairs: usize) -> bool {
        // Relaxed: only the sum matters, and the final read follows the join of all tasks.
        let before = self.closed.fetch_add(pairs, Ordering::Relaxed);
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

/// Where a task puts its pairs.
pub(crate) struct PairSink<'s> {
    pool: &'s PagePool,
    budget: &'s PairBudget,
    pages: &'s mut Vec<Page>,
    page: Option<PageBuffer>,
    len: usize,
    listener: Option<PageListener<'s>>,
}

impl<'s> PairSink<'s> {
    /// A sink that appends to `pages`. It takes no page before the first pair.
    pub(crate) fn new(pool: &'s PagePool, budget: &'s PairBudget, pages: &'s mut Vec<Page>) -> Self {
        Self { pool, budget, pages, page: None, len: 0, listener: None }
    }

    /// This sink, which notifies of its pages (PAGE-3).
    pub(crate) fn with_listener(mut self, listener: Option<PageListener<'s>>) -> Self {
        self.listener = listener;
        self
    }

    /// Notifies of the last page. The listener is out of the sink meanwhile (LISTENER-1).
    fn notify(&mut self) {
        if let Some(listener) = self.listener.take() {
            let last = self.pages.len() - 1;
            listener.notify(last, self.pages[last..].iter().map(Page::pairs));
            self.listener = Some(listener);
        }
    }

    /// Free slots, at least `pairs + PAGE_SLACK` of them if `pairs <= PAGE_LEN - PAGE_SLACK`,
    /// otherwise at least `PAGE_SLACK`. `None` once the limit is exceeded: the task then stops.
    #[inline(always)]
    pub(crate) fn room(&mut self, pairs: usize) -> Option<&mut [[u32; 2]]> {
        let wanted = pairs.min(PAGE_LEN - PAGE_SLACK) + PAGE_SLACK;
        if self.page.as_ref().is_none_or(|page| page.len() - self.len < wanted) {
            self.turn_page()?;
        }
        Some(&mut self.page.as_mut()?[self.len..])
    }

    /// The number of pairs in `pages` and in the open page.
    pub(crate) fn pair_count(&self) -> usize {
        self.pages.iter().map(|page| page.pairs().len()).sum::<usize>() + self.len
    }

    /// Takes the first `pairs` of the slots that `room` returned.
    #[inline(always)]
    pub(crate) fn advance(&mut self, pairs: usize) {
        self.len += pairs;
    }

    pub(crate) fn push(&mut self, pair: [u32; 2]) -> Option<()> {
        self.room(1)?[0] = pair;
        self.advance(1);
        Some(())
    }

    #[cold]
    #[inline(never)]
    fn turn_page(&mut self) -> Option<()> {
        self.close();
        if self.budget.is_exceeded() {
            return None; // PAGE-2
        }
        self.page = Some(self.pool.take());
        Some(())
    }

    fn close(&mut self) {
        let len = std::mem::take(&mut self.len);
        match self.page.take() {
            Some(page) if len > 0 => {
                let within = self.budget.spend(len);
                self.pages.push(Page { page, len: len as u32 });
                if within {
                    self.notify();
                }
            }
            Some(page) => self.pool.free.lock().push(page),
            None => {}
        }
    }
}

impl Drop for PairSink<'_> {
    fn drop(&mut self) {
        self.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::listener::{PairKind, page_number};

    /// Pushes `count` pairs. Returns how many were taken.
    fn put(pool: &PagePool, budget: &PairBudget, pages: &mut Vec<Page>, count: u32) -> u32 {
        let mut sink = PairSink::new(pool, budget, pages);
        (0..count).take_while(|&k| sink.push([k, k + 1]).is_some()).count() as u32
    }

    #[test]
    fn pairs_are_in_the_order_of_pushes() {
        let (pool, budget, mut pages) = (PagePool::default(), PairBudget::new(usize::MAX), Vec::new());
        for count in [0, 1, 5, PAGE_LEN as u32, 3 * PAGE_LEN as u32 + 7] {
            assert_eq!(put(&pool, &budget, &mut pages, count), count);
            let pairs: Vec<_> = pages.iter().flat_map(|page| page.pairs()).copied().collect();
            assert!(pairs.iter().copied().eq((0..count).map(|k| [k, k + 1])));
            assert!(pages.iter().all(|block| !block.pairs().is_empty()), "empty pages are dropped");
            pool.recycle(&mut pages);
        }
        assert!(!budget.is_exceeded());
    }

    #[test]
    fn slots_for_the_candidates_and_a_vector_are_free() {
        let (pool, budget, mut pages) = (PagePool::default(), PairBudget::new(usize::MAX), Vec::new());
        let mut sink = PairSink::new(&pool, &budget, &mut pages);
        for wanted in (0..PAGE_LEN - PAGE_SLACK).step_by(3).chain([PAGE_LEN - PAGE_SLACK, PAGE_LEN, 10 * PAGE_LEN]) {
            let room = sink.room(wanted).map_or(0, |slots| slots.len());
            assert!(room >= (wanted + PAGE_SLACK).min(PAGE_LEN), "{room} of {wanted}");
            sink.advance(wanted.min(room - PAGE_SLACK) / 2);
        }
    }

    #[test]
    fn recycled_pages_are_reused() {
        let (pool, budget, mut pages) = (PagePool::default(), PairBudget::new(usize::MAX), Vec::new());
        put(&pool, &budget, &mut pages, 5 * PAGE_LEN as u32);
        let (count, first) = (pages.len(), pages[0].page.as_ptr());
        pool.recycle(&mut pages);
        assert_eq!((pages.len(), pool.free_count()), (0, count));
        put(&pool, &budget, &mut pages, 5 * PAGE_LEN as u32);
        assert_eq!((pages.len(), pool.free_count()), (count, 0));
        assert!(pages.iter().any(|page| page.page.as_ptr() == first));
        pool.recycle(&mut pages);
        // A page that was opened but stayed empty comes back too.
        let mut sink = PairSink::new(&pool, &budget, &mut pages);
        assert!(sink.room(9).is_some());
        drop(sink);
        assert_eq!((pages.len(), pool.free_count()), (0, count));
        pool.provide(3, count + 2);
        assert_eq!(pool.free_count(), count + 2);
        pool.truncate(1);
        assert_eq!(pool.free_count(), 1);
    }

    #[test]
    fn sinks_share_a_budget_of_pages() {
        let page = (PAGE_LEN - PAGE_SLACK) as u32;
        for limit in [0, 1, PAGE_LEN, 4 * PAGE_LEN] {
            let (pool, budget, mut pages) = (PagePool::default(), PairBudget::new(limit), Vec::new());
            let taken = put(&pool, &budget, &mut pages, u32::MAX) as usize;
            assert!(budget.is_exceeded() && taken > limit && taken <= limit + PAGE_LEN, "{taken} of {limit}");
            let count = pages.len();
            // Later sinks take no page (PAGE-2).
            assert_eq!(put(&pool, &budget, &mut pages, 1), 0);
            assert_eq!((pages.len(), pool.free_count()), (count, 0));
        }
        // Exactly the limit is no excess, in any number of sinks.
        let (pool, budget, mut pages) = (PagePool::default(), PairBudget::new(2 * page as usize + 1), Vec::new());
        assert_eq!(put(&pool, &budget, &mut pages, page), page);
        assert_eq!(put(&pool, &budget, &mut pages, page + 1), page + 1);
        assert!(!budget.is_exceeded());
        put(&pool, &budget, &mut pages, 1);
        assert!(budget.is_exceeded());
    }

    #[test]
    fn listener_is_given_each_page_within_the_limit() {
        let received = Mutex::new(Vec::new());
        let listener = |number: u64, pairs: &[[u32; 2]]| received.lock().push((number, pairs.to_vec()));
        for (limit, count) in [(usize::MAX, 3 * PAGE_LEN as u32 + 7), (3 * PAGE_LEN, u32::MAX), (0, 1)] {
            let (pool, budget, mut pages) = (PagePool::default(), PairBudget::new(limit), Vec::new());
            let mut sink = PairSink::new(&pool, &budget, &mut pages).with_listener(Some(PageListener::new(
                &listener,
                PairKind::Body,
                40,
            )));
            _ = (0..count).take_while(|&k| sink.push([k, k + 1]).is_some()).count();
            drop(sink);
            let received = std::mem::take(&mut *received.lock());
            let expected = pages
                .iter()
                .map(|page| page.pairs().to_vec())
                .zip(page_number(PairKind::Body, 40, 0)..)
                .map(|(pairs, number)| (number, pairs));
            let passed: usize = received.iter().map(|(_, pairs)| pairs.len()).sum();
            assert!(passed <= limit && received.iter().cloned().eq(expected.take(received.len())));
            assert_eq!(
                received.len(),
                pages.len() - usize::from(budget.is_exceeded()),
                "all but the one beyond the limit"
            );
        }
    }

    #[cfg(not(target_family = "wasm"))] // where a panic ends the program
    #[test]
    fn listener_that_panicked_is_not_called_again() {
        use std::panic::{AssertUnwindSafe, catch_unwind};
        let calls = AtomicUsize::new(0);
        let listener = |_: u64, _: &[[u32; 2]]| assert!(calls.fetch_add(1, Ordering::Relaxed) < 1, "on purpose");
        let (pool, budget, mut pages) = (PagePool::default(), PairBudget::new(usize::MAX), Vec::new());
        // If it were called while its first panic unwinds, the second would abort the process.
        let fill = |sink: &mut PairSink<'_>| (0..9 * PAGE_LEN as u32).all(|k| sink.push([k, k + 1]).is_some());
        let mut sink = PairSink::new(&pool, &budget, &mut pages).with_listener(Some(PageListener::new(
            &listener,
            PairKind::Body,
            0,
        )));
        assert!(catch_unwind(AssertUnwindSafe(move || fill(&mut sink))).is_err());
        assert_eq!(calls.load(Ordering::Relaxed), 2);
        // Nor is it notified of a page that another panic cut short.
        let sink = PairSink::new(&pool, &budget, &mut pages).with_listener(Some(PageListener::new(
            &listener,
            PairKind::Body,
            0,
        )));
        let other = AssertUnwindSafe(move || {
            let mut sink = sink;
            sink.push([1, 2]);
            panic!("another");
        });
        assert!(catch_unwind(other).is_err());
        assert_eq!(calls.load(Ordering::Relaxed), 2);
    }
}
