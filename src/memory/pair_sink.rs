//! Where a task puts its pairs, page by page.
//!
//! - PAGE-2: a page is closed before the next is taken, and a closed page counts against the pair
//!   limit. So memory for more than the allowed pairs is never taken.
//! - PAGE-3: a [`PageListener`] is notified of each page that is kept, as soon as it is full, all
//!   parts of its scan are done, or its task is, in the order of the task, and of no page beyond
//!   the pair limit.
//! - PAGE-4: a long scan is divided into parts, each with pages of its own, which are put together
//!   in the order of the parts: the pairs of a page move to the one before if they fit. The number
//!   of parts depends on what is scanned, never on threads.

use crate::memory::buffers::buffers;
use crate::memory::listener::PageListener;
use crate::memory::page::{PAGE_LEN, PAGE_SLACK, Page, PageBuffer, PagePool, PairBudget};
use crate::parallel;

/// Where a task puts its pairs.
pub(crate) struct PairSink<'s> {
    pool: &'s PagePool,
    budget: &'s PairBudget,
    pages: &'s mut Vec<Page>,
    page: Option<PageBuffer>,
    len: usize,
    listener: Option<PageListener<'s>>,
    division: Option<Division<'s>>,
}

/// How the scans of a task may be divided.
struct Division<'s> {
    parallel: bool,
    parts: &'s mut ScanParts,
}

/// Buffers for the parts of scans.
#[derive(Default)]
pub(crate) struct ScanParts {
    /// The pages of each part, while a scan runs.
    pages: Vec<Vec<Page>>,
    /// The most parts of a scan in this step.
    pub(crate) most: usize,
}

buffers!(ScanParts { leveled: pages; own: ; plain: most; });

impl<'s> PairSink<'s> {
    /// A sink that appends to `pages`. It takes no page before the first pair.
    pub(crate) fn new(pool: &'s PagePool, budget: &'s PairBudget, pages: &'s mut Vec<Page>) -> Self {
        Self { pool, budget, pages, page: None, len: 0, listener: None, division: None }
    }

    /// This sink, which notifies of its pages (PAGE-3).
    pub(crate) fn with_listener(mut self, listener: Option<PageListener<'s>>) -> Self {
        self.listener = listener;
        self
    }

    /// This sink, whose long scans are divided into parts, which run in parallel if `parallel`.
    pub(crate) fn with_division(mut self, parallel: bool, parts: &'s mut ScanParts) -> Self {
        self.division = Some(Division { parallel, parts });
        self
    }

    /// Runs the parts of a scan, which are divided if the sink has a division. `None` once the pair
    /// limit is exceeded.
    ///
    /// Each part has pages of its own even if they run in turn, so that a step on one thread has
    /// the same pages.
    pub(crate) fn in_parts(
        &mut self,
        count: usize,
        scan: impl Fn(usize, &mut PairSink<'_>) -> Option<()> + Sync,
    ) -> Option<()> {
        let Some(Division { parallel, parts }) = self.division.take_if(|_| count > 1) else {
            return (0..count).try_for_each(|part| scan(part, self));
        };
        self.close();
        parts.most = parts.most.max(count);
        if parts.pages.len() < count {
            parts.pages.resize_with(count, Vec::new);
        }
        let (pool, budget) = (self.pool, self.budget);
        parallel::for_each_mut(parallel, &mut parts.pages[..count], |part, pages| {
            // Ends early once the pair limit is exceeded.
            let _ = scan(part, &mut PairSink::new(pool, budget, pages));
        });
        let first = self.pages.len();
        for page in parts.pages[..count].iter_mut().flat_map(|pages| pages.drain(..)) {
            let last = if self.pages.len() > first { self.pages.last_mut() } else { None };
            match last {
                Some(last) if last.has_room_for(&page) => pool.give_back(last.take_from(page)),
                _ => self.pages.push(page),
            }
        }
        self.division = Some(Division { parallel, parts });
        if budget.is_exceeded() {
            return None;
        }
        self.notify(first);
        Some(())
    }

    /// Notifies of the pages from `first` on. The listener is out of the sink meanwhile
    /// (LISTENER-1).
    fn notify(&mut self, first: usize) {
        if let Some(listener) = self.listener.take() {
            listener.notify(first, self.pages[first..].iter().map(Page::pairs));
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
                self.pages.push(Page::new(page, len));
                if within {
                    self.notify(self.pages.len() - 1);
                }
            }
            Some(page) => self.pool.give_back(page),
            None => {}
        }
    }
}

impl Drop for PairSink<'_> {
    fn drop(&mut self) {
        self.close();
    }
}

/// The pairs that are found, sorted.
#[cfg(test)]
pub(crate) fn found(find: impl FnOnce(&mut PairSink<'_>) -> Option<()>) -> Vec<[u32; 2]> {
    let mut pairs = found_in_order(find);
    pairs.sort_unstable();
    pairs
}

/// The pairs that are found.
#[cfg(test)]
pub(crate) fn found_in_order(find: impl FnOnce(&mut PairSink<'_>) -> Option<()>) -> Vec<[u32; 2]> {
    let (pool, budget, mut pages) = (PagePool::default(), PairBudget::new(usize::MAX), Vec::new());
    let mut sink = PairSink::new(&pool, &budget, &mut pages);
    assert_eq!(find(&mut sink), Some(()));
    drop(sink);
    pages.iter().flat_map(|page| page.pairs()).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::listener::{PairKind, page_number};
    use parking_lot::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

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
        let (count, first) = (pages.len(), pages[0].pairs().as_ptr());
        pool.recycle(&mut pages);
        assert_eq!((pages.len(), pool.free_count()), (0, count));
        put(&pool, &budget, &mut pages, 5 * PAGE_LEN as u32);
        assert_eq!((pages.len(), pool.free_count()), (count, 0));
        assert!(pages.iter().any(|page| page.pairs().as_ptr() == first));
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

    #[test]
    fn parts_are_put_together_in_their_order() {
        // Parts of several pages, of a few pairs and of none, between pairs of the task itself.
        let counts = [3 * PAGE_LEN as u32 + 7, 0, 5, 1, PAGE_LEN as u32];
        let received = Mutex::new(Vec::new());
        let listener = |number: u64, pairs: &[[u32; 2]]| received.lock().push((number, pairs.to_vec()));
        let pool = PagePool::default();
        let mut parts = ScanParts::default();
        for round in 0..2 {
            for in_parallel in [false, true] {
                let (budget, mut pages) = (PairBudget::new(usize::MAX), Vec::new());
                let mut sink = PairSink::new(&pool, &budget, &mut pages)
                    .with_listener(Some(PageListener::new(&listener, PairKind::Body, 6)))
                    .with_division(in_parallel, &mut parts);
                sink.push([9, 9]);
                let finished = sink.in_parts(counts.len(), |part, sink| {
                    (0..counts[part]).try_for_each(|k| sink.push([part as u32, k]))
                });
                assert!(finished.is_some());
                assert_eq!(sink.pair_count(), 1 + counts.iter().sum::<u32>() as usize);
                sink.push([8, 8]);
                drop(sink);
                let of_parts = (0..).zip(counts).flat_map(|(part, count)| (0..count).map(move |k| [part, k]));
                let expected = [[9, 9]].into_iter().chain(of_parts).chain([[8, 8]]);
                assert!(pages.iter().flat_map(Page::pairs).copied().eq(expected), "round {round}");
                // The listener is given all pages, in order.
                let received = std::mem::take(&mut *received.lock());
                let numbered = (page_number(PairKind::Body, 6, 0)..).zip(&pages);
                assert!(received.into_iter().eq(numbered.map(|(number, page)| (number, page.pairs().to_vec()))));
                assert!(parts.pages.iter().all(Vec::is_empty) && parts.most == counts.len());
                pool.recycle(&mut pages);
            }
        }
    }

    #[test]
    fn parts_with_few_pairs_share_pages() {
        let (pool, budget, mut pages, mut parts) =
            (PagePool::default(), PairBudget::new(usize::MAX), Vec::new(), ScanParts::default());
        let mut sink = PairSink::new(&pool, &budget, &mut pages).with_division(false, &mut parts);
        sink.push([9, 9]);
        let few = PAGE_LEN as u32 / 10;
        let finished = sink.in_parts(25, |part, sink| (0..few).try_for_each(|k| sink.push([part as u32, k])));
        assert!(finished.is_some());
        drop(sink);
        // That of the task itself, and ten parts on each of the others.
        let counts: Vec<usize> = pages.iter().map(|page| page.pairs().len()).collect();
        assert_eq!(counts, [1, 10 * few as usize, 10 * few as usize, 5 * few as usize]);
        assert_eq!(pool.free_count(), 25 - 3);
        let expected = (0..25).flat_map(|part| (0..few).map(move |k| [part, k]));
        assert!(pages[1..].iter().flat_map(Page::pairs).copied().eq(expected));
    }

    #[test]
    fn parts_without_a_division_run_in_turn() {
        let (pool, budget, mut pages) = (PagePool::default(), PairBudget::new(usize::MAX), Vec::new());
        let mut sink = PairSink::new(&pool, &budget, &mut pages);
        assert!(sink.in_parts(3, |part, sink| sink.push([part as u32, 0])).is_some());
        drop(sink);
        assert_eq!(pages.len(), 1);
        assert_eq!(pages[0].pairs(), [[0, 0], [1, 0], [2, 0]]);
    }

    #[test]
    fn parts_share_the_budget() {
        for (limit, parts_within) in [(8 * PAGE_LEN, true), (8 * PAGE_LEN - 1, false), (PAGE_LEN, false), (0, false)] {
            let (pool, budget, mut pages, mut parts) =
                (PagePool::default(), PairBudget::new(limit), Vec::new(), ScanParts::default());
            let received = AtomicUsize::new(0);
            let listener = |_: u64, pairs: &[[u32; 2]]| _ = received.fetch_add(pairs.len(), Ordering::Relaxed);
            let mut sink = PairSink::new(&pool, &budget, &mut pages)
                .with_listener(Some(PageListener::new(&listener, PairKind::Body, 0)))
                .with_division(true, &mut parts);
            let finished = sink.in_parts(4, |_, sink| (0..2 * PAGE_LEN as u32).try_for_each(|k| sink.push([k, k])));
            assert_eq!(finished.is_some(), parts_within);
            drop(sink);
            assert_eq!(budget.is_exceeded(), !parts_within);
            assert_eq!(received.into_inner(), if parts_within { limit } else { 0 }, "no page beyond the limit");
        }
    }

    #[cfg(all(feature = "parallel", not(target_family = "wasm")))]
    #[test]
    fn parts_run_at_the_same_time() {
        use std::sync::mpsc::channel;
        let (send, receive) = channel();
        let (send, receive) = (Mutex::new(send), Mutex::new(receive));
        let (pool, budget, mut pages, mut parts) =
            (PagePool::default(), PairBudget::new(usize::MAX), Vec::new(), ScanParts::default());
        parallel::with_threads(2, || {
            let mut sink = PairSink::new(&pool, &budget, &mut pages).with_division(true, &mut parts);
            // Either part waits for the other one.
            let met = sink.in_parts(2, |part, sink| {
                if part == 0 {
                    send.lock().send(()).ok()?;
                } else {
                    receive.lock().recv_timeout(std::time::Duration::from_secs(60)).ok()?;
                }
                sink.push([part as u32, 0])
            });
            assert!(met.is_some());
        });
        assert!(pages.iter().flat_map(Page::pairs).eq(&[[0, 0], [1, 0]]));
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
