//! The pairs of a step in pages, grouped by the task that found them.
//!
//! Pages are in the order of tasks, so the order of pairs does not depend on threads. Pages that
//! are reused from earlier steps (pairs of sleeping bodies) come last.

use crate::memory::buffers::buffers;
use crate::memory::page::{Page, PagePool, PairBudget};
use crate::memory::pair_sink::PairSink;
use crate::pair::entry;
use std::ops::Range;
use std::sync::Arc;

/// Pages of pairs, and the number of pairs on them.
#[derive(Clone, Default)]
pub(crate) struct PairPages {
    pages: Vec<Page>,
    pair_count: usize,
}

buffers!(PairPages { leveled: pages; own: ; plain: pair_count; });

impl PairPages {
    pub(crate) fn pages(&self) -> &[Page] {
        &self.pages
    }

    pub(crate) fn pair_count(&self) -> usize {
        self.pair_count
    }

    /// All pairs, in the order of the pages.
    pub(crate) fn entries(&self) -> impl Iterator<Item = u64> {
        self.pages.iter().flat_map(|page| page.pairs()).map(|&[a, b]| entry(a, b))
    }

    /// The pages, to be changed so that they contain `pair_count` pairs.
    pub(crate) fn edit(&mut self, pair_count: usize) -> &mut Vec<Page> {
        self.pair_count = pair_count;
        &mut self.pages
    }

    /// Appends all of `pages`, and returns their range.
    pub(crate) fn append(&mut self, pages: &mut Vec<Page>) -> Range<usize> {
        let first = self.pages.len();
        self.pair_count += pages.iter().map(|page| page.pairs().len()).sum::<usize>();
        self.pages.append(pages);
        first..self.pages.len()
    }

    /// Appends pairs, on pages from the pool.
    fn push_pairs(&mut self, pool: &PagePool, mut pairs: impl ExactSizeIterator<Item = [u32; 2]>) {
        if pairs.len() == 0 {
            return;
        }
        self.pair_count += pairs.len();
        let budget = PairBudget::new(usize::MAX);
        let mut sink = PairSink::new(pool, &budget, &mut self.pages);
        pairs.all(|pair| sink.push(pair).is_some());
    }

    /// Appends all pages of `other`, which is left empty.
    pub(crate) fn take_from(&mut self, other: &mut Self) {
        self.pages.append(&mut other.pages);
        self.pair_count += std::mem::take(&mut other.pair_count);
    }

    /// Returns the pages to the pool.
    pub(crate) fn clear(&mut self, pool: &PagePool) {
        pool.recycle(&mut self.pages);
        self.pair_count = 0;
    }
}

/// The pages that one task filled.
#[derive(Debug, Default)]
pub(crate) struct TaskPages {
    pub(crate) body_pages: Range<usize>,
    /// Number of leading body pairs whose rows are both filed in the task's band.
    pub(crate) own_pairs: usize,
    /// No other task has static pairs of the bodies on these pages.
    pub(crate) static_pages: Range<usize>,
}

crate::memory::buffers::plain_buffers!(TaskPages);

/// All pairs of one step.
#[derive(Default)]
pub(crate) struct FoundPairs {
    bodies: PairPages,
    statics: PairPages,
    /// Reused from earlier steps. Their memory is counted where they are kept.
    reused_bodies: Option<Arc<PairPages>>,
    reused_statics: Option<Arc<PairPages>>,
    tasks: Vec<TaskPages>,
}

buffers!(FoundPairs { leveled: bodies, statics, tasks; own: ; plain: reused_bodies, reused_statics; });

impl FoundPairs {
    /// Returns the pages to the pool.
    pub(crate) fn clear(&mut self, pool: &PagePool) {
        self.bodies.clear(pool);
        self.clear_statics(pool);
        self.forget_reused();
        self.tasks.clear();
    }

    /// Returns the pages of static pairs to the pool.
    pub(crate) fn clear_statics(&mut self, pool: &PagePool) {
        self.statics.clear(pool);
        self.reused_statics = None;
        self.tasks.iter_mut().for_each(|task| task.static_pages = 0..0);
    }

    /// Adds the pages of a task. The first `own_pairs` body pairs are within its band.
    pub(crate) fn push_task(&mut self, bodies: &mut Vec<Page>, own_pairs: usize, statics: &mut Vec<Page>) {
        let (body_pages, static_pages) = (self.bodies.append(bodies), self.statics.append(statics));
        self.tasks.push(TaskPages { body_pages, own_pairs, static_pages });
    }

    /// Adds body pages of a task whose bodies are filed in several grids.
    pub(crate) fn push_mixed(&mut self, bodies: &mut Vec<Page>) {
        self.bodies.append(bodies);
    }

    /// Adds pairs that belong to no task.
    pub(crate) fn push_pairs(
        &mut self,
        pool: &PagePool,
        bodies: impl ExactSizeIterator<Item = [u32; 2]>,
        statics: impl ExactSizeIterator<Item = [u32; 2]>,
    ) {
        self.bodies.push_pairs(pool, bodies);
        self.statics.push_pairs(pool, statics);
    }

    /// Adds pages that are reused from earlier steps.
    pub(crate) fn set_reused(&mut self, bodies: &Arc<PairPages>, statics: &Arc<PairPages>) {
        (self.reused_bodies, self.reused_statics) = (Some(Arc::clone(bodies)), Some(Arc::clone(statics)));
    }

    /// Removes the pages that are reused from earlier steps.
    pub(crate) fn forget_reused(&mut self) {
        (self.reused_bodies, self.reused_statics) = (None, None);
    }

    /// Whether these pages of bodies were reused.
    pub(crate) fn has_reused(&self, bodies: &Arc<PairPages>) -> bool {
        self.reused_bodies.as_ref().is_some_and(|reused| Arc::ptr_eq(reused, bodies))
    }

    /// Moves all pages that were found in this step.
    pub(crate) fn take_found(&mut self, bodies: &mut PairPages, statics: &mut PairPages) {
        bodies.take_from(&mut self.bodies);
        statics.take_from(&mut self.statics);
        self.tasks.clear();
    }

    pub(crate) fn body_pages(&self) -> PageChain<'_> {
        PageChain::new(&self.bodies, self.reused_bodies.as_deref())
    }

    pub(crate) fn static_pages(&self) -> PageChain<'_> {
        PageChain::new(&self.statics, self.reused_statics.as_deref())
    }

    pub(crate) fn body_pair_count(&self) -> usize {
        self.bodies.pair_count + self.reused_bodies.as_ref().map_or(0, |reused| reused.pair_count)
    }

    pub(crate) fn static_pair_count(&self) -> usize {
        self.statics.pair_count + self.reused_statics.as_ref().map_or(0, |reused| reused.pair_count)
    }

    /// Number of pairs of both kinds.
    pub(crate) fn pair_count(&self) -> usize {
        self.body_pair_count() + self.static_pair_count()
    }

    /// The tasks of the step, in the order of their pages.
    pub(crate) fn tasks(&self) -> &[TaskPages] {
        &self.tasks
    }

    /// Number of pages taken from the pool for this step.
    pub(crate) fn page_count(&self) -> usize {
        self.bodies.pages.len() + self.statics.pages.len()
    }
}

/// The pages of one kind of pairs: found in the step, then reused.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PageChain<'w> {
    pub(crate) found: &'w [Page],
    pub(crate) reused: &'w [Page],
}

impl<'w> PageChain<'w> {
    fn new(found: &'w PairPages, reused: Option<&'w PairPages>) -> Self {
        Self { found: &found.pages, reused: reused.map_or(&[], |reused| &reused.pages) }
    }

    /// The pairs of page `k`.
    #[inline]
    pub(crate) fn page(self, k: usize) -> &'w [[u32; 2]] {
        let found = self.found.len();
        if k < found { self.found[k].pairs() } else { self.reused[k - found].pairs() }
    }
}

impl<'w> Iterator for PageChain<'w> {
    type Item = &'w [[u32; 2]];

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.found.is_empty() {
            self.found = std::mem::take(&mut self.reused);
        }
        let (first, rest) = self.found.split_first()?;
        self.found = rest;
        Some(first.pairs())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.found.len() + self.reused.len();
        (len, Some(len))
    }

    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, mut f: F) -> B {
        let pairs = |page: &'w Page| page.pairs();
        let folded = self.found.iter().map(pairs).fold(init, &mut f);
        self.reused.iter().map(pairs).fold(folded, f)
    }
}

impl ExactSizeIterator for PageChain<'_> {}
