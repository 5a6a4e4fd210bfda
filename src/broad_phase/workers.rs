//! What a worker keeps between tasks and steps.
//!
//! W1: which worker meets the largest task is chance. After each step all workers are given what the neediest of them
//! has, so that the same work never makes one of them grow later.
//! W2: a band that is far larger than bands should be (its bodies cannot be told apart on the axis that bands divide) is
//! worked on in one scratch that all share, one such band at a time: memory does not grow with workers times bodies.
//! W3: where the caller listens to a step, a worker may take up another task in the midst of one, since what listens may wait for
//! work of its own on the pool. The scratch of the worker is taken then; such a task gets some that is not kept.

use crate::memory::bit_set::BitSet;
use crate::parallel;
use crate::tier::point_grid::band::build::BandScratch;
use crate::tier::point_grid::band::crowded::SplitScratch;
use crossbeam::utils::CachePadded;
use parking_lot::{Mutex, MutexGuard};
use std::ops::{Deref, DerefMut};

/// Scratch of one worker.
#[derive(Default)]
pub(crate) struct Scratch {
    pub(crate) band: BandScratch,
    pub(crate) search: SearchScratch,
}

/// What it takes to search the other tiers.
#[derive(Default)]
pub(crate) struct SearchScratch {
    pub(crate) seen_statics: BitSet,
    pub(crate) seen_cells: BitSet,
    pub(crate) found: Vec<u32>,
    /// Boxes of statics in columns, to be tested against one body after the other.
    pub(crate) columns: Vec<u32>,
    /// Per static, how far those up to it reach.
    pub(crate) reach: Vec<f32>,
}

impl SearchScratch {
    /// Room for sets of so many statics and loose cells.
    fn provide(&mut self, [statics, loose_cells]: [usize; 2]) {
        self.seen_statics.grow_to(statics);
        self.seen_cells.grow_to(loose_cells);
    }

    fn bytes(&self) -> usize {
        self.seen_statics.bytes()
            + self.seen_cells.bytes()
            + (self.found.capacity() + self.columns.capacity() + self.reach.capacity()) * size_of::<u32>()
    }
}

/// Scratch that is kept, or some for once (W3).
pub(crate) enum Mine<'w> {
    Kept(MutexGuard<'w, Scratch>),
    Once(Box<Scratch>),
}

impl Deref for Mine<'_> {
    type Target = Scratch;

    fn deref(&self) -> &Scratch {
        match self {
            Self::Kept(kept) => kept,
            Self::Once(once) => once,
        }
    }
}

impl DerefMut for Mine<'_> {
    fn deref_mut(&mut self) -> &mut Scratch {
        match self {
            Self::Kept(kept) => kept,
            Self::Once(once) => once,
        }
    }
}

/// Scratch for every worker, each on cache lines of its own. A lock is taken once a task, by its worker alone, and no
/// task runs another inside, but for W3.
#[derive(Default)]
pub(crate) struct Workers {
    scratch: Vec<CachePadded<Mutex<Scratch>>>,
    /// W2
    large: CachePadded<Mutex<Scratch>>,
    split: Mutex<SplitScratch>,
    /// Statics and loose cells that the step at hand has.
    counts: [usize; 2],
}

/// Bodies of a band that is worked on in the shared scratch: twice what a plan aims at most at.
const LARGE: usize = 65_536;

impl Workers {
    /// Room for the workers there are, for sets of so many statics and loose cells.
    pub(crate) fn prepare(&mut self, parallel: bool, statics: usize, loose_cells: usize) {
        let count = parallel::worker_count(parallel);
        if self.scratch.len() < count {
            self.scratch.resize_with(count, CachePadded::default);
        }
        self.counts = [statics, loose_cells];
        for scratch in self.scratch.iter_mut().chain([&mut self.large]) {
            scratch.get_mut().search.provide(self.counts);
        }
    }

    /// Whether a task of so many bodies is worked on in the [shared](Self::shared) scratch (W2).
    pub(crate) fn shares(bodies: usize) -> bool {
        bodies > LARGE
    }

    /// The scratch that large bands share, once it is free (W2).
    pub(crate) fn shared(&self) -> MutexGuard<'_, Scratch> {
        self.large.lock()
    }

    /// The scratch of the worker that asks, of a step that someone listens to or not (W3).
    pub(crate) fn mine(&self, parallel: bool, listened: bool) -> Mine<'_> {
        let kept = &self.scratch[parallel::worker_index(parallel)];
        if !listened {
            return Mine::Kept(kept.lock());
        }
        kept.try_lock().map_or_else(
            || {
                let mut once = Box::<Scratch>::default();
                once.search.provide(self.counts);
                Mine::Once(once)
            },
            Mine::Kept,
        )
    }

    /// What a crowded band is taken apart in: one for all, so that memory does not grow with workers.
    pub(crate) fn split(&self) -> &Mutex<SplitScratch> {
        &self.split
    }

    /// How many workers there is scratch for.
    pub(crate) fn count(&self) -> usize {
        self.scratch.len()
    }

    /// W1
    pub(crate) fn level(&mut self) {
        let mut band = [0; 6];
        let (mut found, mut columns, mut reach) = (0, 0, 0);
        for scratch in &mut self.scratch {
            let scratch = scratch.get_mut();
            let needs = scratch.band.needs();
            band.iter_mut().zip(needs).for_each(|(most, need)| *most = (*most).max(need));
            found = found.max(scratch.search.found.capacity());
            columns = columns.max(scratch.search.columns.capacity());
            reach = reach.max(scratch.search.reach.capacity());
        }
        for scratch in &mut self.scratch {
            let scratch = scratch.get_mut();
            scratch.band.provide(band);
            scratch.search.found.reserve_exact(found.saturating_sub(scratch.search.found.len()));
            scratch.search.columns.reserve_exact(columns.saturating_sub(scratch.search.columns.len()));
            scratch.search.reach.reserve_exact(reach.saturating_sub(scratch.search.reach.len()));
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        let scratch = |scratch: &CachePadded<Mutex<Scratch>>| {
            let scratch = scratch.lock();
            size_of::<CachePadded<Mutex<Scratch>>>() + scratch.band.bytes() + scratch.search.bytes()
        };
        let workers: usize = self.scratch.iter().chain([&self.large]).map(scratch).sum();
        workers + self.split.lock().bytes()
    }

    pub(crate) fn release(&mut self) {
        *self = Self::default();
    }
}
