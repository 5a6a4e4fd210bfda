//! Pairs that stand from step to step: those of sleepers among themselves, and with statics.

use crate::frame::sleepers::Asleep;
use crate::memory::page::{Page, PagePool, PairBudget, PairSink};
use crate::parallel;
use std::sync::Arc;

/// Blocks that a task goes through when pairs are left out.
const BLOCKS: usize = 16;

/// Pairs that are gone through at once, for which there is room on a page.
const TOGETHER: usize = 256;

/// Pairs that several steps share.
#[derive(Default)]
pub(crate) struct StandingPairs {
    pub(crate) blocks: Vec<Page>,
    pub(crate) pair_count: usize,
}

impl StandingPairs {
    pub(crate) fn count(&mut self) {
        self.pair_count = self.blocks.iter().map(|block| block.pairs().len()).sum();
    }
}

/// What stands, and what stood and may still be read.
#[derive(Default)]
pub(crate) struct Standing {
    pub(crate) bodies: Arc<StandingPairs>,
    pub(crate) statics: Arc<StandingPairs>,
    retired: Vec<Arc<StandingPairs>>,
    /// Without pairs.
    free: Vec<Arc<StandingPairs>>,
    /// What each task leaves.
    groups: Vec<Vec<Page>>,
}

impl Standing {
    /// Gives back the pages of what no one reads any more.
    pub(crate) fn reclaim(&mut self, pool: &PagePool) {
        for at in (0..self.retired.len()).rev() {
            if let Some(pairs) = Arc::get_mut(&mut self.retired[at]) {
                pool.recycle(&mut pairs.blocks);
                pairs.pair_count = 0;
                self.free.push(self.retired.swap_remove(at));
            }
        }
    }

    /// Nothing stands.
    pub(crate) fn clear(&mut self) {
        let [bodies, statics] = [self.renew(), self.renew()];
        self.retire(bodies, statics);
    }

    /// Makes these pairs those that stand.
    fn retire(&mut self, bodies: Arc<StandingPairs>, statics: Arc<StandingPairs>) {
        self.retired.push(std::mem::replace(&mut self.bodies, bodies));
        self.retired.push(std::mem::replace(&mut self.statics, statics));
    }

    /// Pairs that no one else has: none so far.
    fn renew(&mut self) -> Arc<StandingPairs> {
        self.free.pop().unwrap_or_default()
    }

    /// Takes these blocks as what stands.
    pub(crate) fn take(&mut self, body_blocks: &mut Vec<Page>, static_blocks: &mut Vec<Page>) {
        let take = |mut pairs: Arc<StandingPairs>, blocks: &mut Vec<Page>| {
            if let Some(pairs) = Arc::get_mut(&mut pairs) {
                pairs.blocks.append(blocks);
                pairs.count();
            }
            pairs
        };
        let (bodies, statics) = (self.renew(), self.renew());
        self.retire(take(bodies, body_blocks), take(statics, static_blocks));
    }

    /// Leaves out the pairs of rows that do not stand.
    pub(crate) fn leave_out(&mut self, parallel: bool, pool: &PagePool, asleep: &Asleep) {
        let (bodies, statics) = (self.renew(), self.renew());
        let both = |&[a, b]: &[u32; 2]| asleep.stands(a) & asleep.stands(b);
        let bodies = copy_some(parallel, pool, &self.bodies, bodies, &mut self.groups, both);
        let body = |&[body, _]: &[u32; 2]| asleep.stands(body);
        let statics = copy_some(parallel, pool, &self.statics, statics, &mut self.groups, body);
        self.retire(bodies, statics);
    }

    pub(crate) fn page_count(&self) -> usize {
        [&self.bodies, &self.statics].into_iter().chain(&self.retired).map(|pairs| pairs.blocks.len()).sum()
    }

    /// Drops what is not read; what is free goes.
    pub(crate) fn shrink_to_fit(&mut self, pool: &PagePool) {
        self.reclaim(pool);
        (self.free, self.groups) = (Vec::new(), Vec::new());
        self.retired.shrink_to_fit();
    }
}

/// The pairs that are `wanted`, in their order.
fn copy_some(
    parallel: bool,
    pool: &PagePool,
    from: &StandingPairs,
    mut to: Arc<StandingPairs>,
    groups: &mut Vec<Vec<Page>>,
    wanted: impl Fn(&[u32; 2]) -> bool + Sync + Send,
) -> Arc<StandingPairs> {
    let count = from.blocks.len().div_ceil(BLOCKS);
    if groups.len() < count {
        groups.resize_with(count, Vec::new);
    }
    // There are no more than there were, which the limit allowed.
    let budget = PairBudget::new(usize::MAX);
    parallel::for_each_mut(parallel, &mut groups[..count], |k, group| {
        let blocks = from.blocks[k * BLOCKS..].iter().take(BLOCKS);
        let mut sink = PairSink::new(pool, &budget, group);
        for pairs in blocks.flat_map(|block| block.pairs().chunks(TOGETHER)) {
            let Some(room) = sink.room(pairs.len()) else { return };
            let mut kept = 0;
            for pair in pairs {
                room[kept] = *pair;
                kept += usize::from(wanted(pair));
            }
            sink.advance(kept);
        }
    });
    if let Some(pairs) = Arc::get_mut(&mut to) {
        groups[..count].iter_mut().for_each(|group| pairs.blocks.append(group));
        pairs.count();
    }
    to
}
