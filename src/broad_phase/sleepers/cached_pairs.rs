//! The pairs of cached bodies with each other and with statics, reused from step to step.

use crate::broad_phase::pairs::{FoundPairs, PairPages};
use crate::frame::cached_bodies::CachedBodies;
use crate::memory::page::{Page, PagePool, PairBudget};
use crate::memory::pair_sink::PairSink;
use crate::parallel;
use std::sync::Arc;

/// Pages that a task filters when pairs are dropped.
const PAGES_PER_TASK: usize = 16;

/// Pairs that are filtered at once, with room for all of them on a page.
const FILTERED_AT_ONCE: usize = 256;

/// The cached pairs, and those of earlier steps that may still be read.
#[derive(Default)]
pub(crate) struct PairCache {
    pub(super) bodies: Arc<PairPages>,
    pub(super) statics: Arc<PairPages>,
    /// Replaced, but perhaps still read.
    retired: Vec<Arc<PairPages>>,
    /// Without pairs, to be reused.
    free: Vec<Arc<PairPages>>,
    /// The output of each task.
    task_pages: Vec<Vec<Page>>,
}

impl PairCache {
    /// Number of cached pairs.
    pub(super) fn pair_count(&self) -> usize {
        self.bodies.pair_count() + self.statics.pair_count()
    }

    /// Returns the pages of pairs that nothing reads any more to the pool.
    pub(super) fn reclaim(&mut self, pool: &PagePool) {
        for at in (0..self.retired.len()).rev() {
            if let Some(pairs) = Arc::get_mut(&mut self.retired[at]) {
                pairs.clear(pool);
                self.free.push(self.retired.swap_remove(at));
            }
        }
    }

    /// Drops all cached pairs.
    pub(super) fn clear(&mut self) {
        let [bodies, statics] = [self.empty(), self.empty()];
        self.replace(bodies, statics);
    }

    /// Replaces the cached pairs by the found ones, which are moved out of `found`.
    pub(super) fn set(&mut self, found: &mut FoundPairs) {
        let (mut bodies, mut statics) = (self.empty(), self.empty());
        if let (Some(bodies), Some(statics)) = (Arc::get_mut(&mut bodies), Arc::get_mut(&mut statics)) {
            found.take_found(bodies, statics);
        }
        self.replace(bodies, statics);
    }

    /// Drops the pairs of rows that are not cached.
    pub(super) fn drop_stale(&mut self, parallel: bool, pool: &PagePool, cached: &CachedBodies) {
        let (bodies, statics) = (self.empty(), self.empty());
        let both = |&[a, b]: &[u32; 2]| cached.is_cached(a) & cached.is_cached(b);
        let bodies = copy_if(parallel, pool, &self.bodies, bodies, &mut self.task_pages, both);
        let body = |&[body, _]: &[u32; 2]| cached.is_cached(body);
        let statics = copy_if(parallel, pool, &self.statics, statics, &mut self.task_pages, body);
        self.replace(bodies, statics);
    }

    /// Number of pages held.
    pub(super) fn page_count(&self) -> usize {
        [&self.bodies, &self.statics].into_iter().chain(&self.retired).map(|pairs| pairs.pages().len()).sum()
    }

    /// Releases all memory but that of pairs that are cached or read.
    pub(super) fn shrink_to_fit(&mut self, pool: &PagePool) {
        self.reclaim(pool);
        (self.free, self.task_pages) = (Vec::new(), Vec::new());
        self.retired.shrink_to_fit();
    }

    fn replace(&mut self, bodies: Arc<PairPages>, statics: Arc<PairPages>) {
        self.retired.push(std::mem::replace(&mut self.bodies, bodies));
        self.retired.push(std::mem::replace(&mut self.statics, statics));
    }

    /// An empty list that nothing else reads.
    fn empty(&mut self) -> Arc<PairPages> {
        self.free.pop().unwrap_or_default()
    }
}

/// Copies the pairs for which `keep` is true to the empty list `to`, in their order.
fn copy_if(
    parallel: bool,
    pool: &PagePool,
    from: &PairPages,
    mut to: Arc<PairPages>,
    task_pages: &mut Vec<Vec<Page>>,
    keep: impl Fn(&[u32; 2]) -> bool + Sync + Send,
) -> Arc<PairPages> {
    let count = from.pages().len().div_ceil(PAGES_PER_TASK);
    if task_pages.len() < count {
        task_pages.resize_with(count, Vec::new);
    }
    // There are at most as many as before, when the pair limit allowed them.
    let budget = PairBudget::new(usize::MAX);
    parallel::for_each_mut(parallel, &mut task_pages[..count], |k, output| {
        let pages = from.pages()[k * PAGES_PER_TASK..].iter().take(PAGES_PER_TASK);
        let mut sink = PairSink::new(pool, &budget, output);
        for pairs in pages.flat_map(|page| page.pairs().chunks(FILTERED_AT_ONCE)) {
            let Some(room) = sink.room(pairs.len()) else { return };
            let mut kept = 0;
            for pair in pairs {
                room[kept] = *pair;
                kept += usize::from(keep(pair));
            }
            sink.advance(kept);
        }
    });
    if let Some(pairs) = Arc::get_mut(&mut to) {
        task_pages[..count].iter_mut().for_each(|pages| _ = pairs.append(pages));
    }
    to
}
