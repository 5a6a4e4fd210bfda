//! The scratch that threads reuse between tasks and steps.
//!
//! - SCRATCH-1: which thread runs the largest task varies. After each step, the scratch of all
//!   threads gets the same capacity, the largest, so that repeating the same work allocates nothing
//!   on any thread.
//! - SCRATCH-2: a band far larger than planned (its bodies are equal on the axis that bands divide)
//!   is built in one scratch that all threads share, one such band at a time, so that memory does
//!   not grow with threads times bodies.
//! - SCRATCH-3: while a listener runs, its thread may start another task, since the listener may
//!   wait for its own work on the pool. The thread's scratch is in use then; such a task gets a new
//!   one that is dropped afterwards.

use crate::memory::bit_set::BitSet;
use crate::memory::buffers::{Buffers, buffers};
use crate::memory::record::BodyRecord;
use crate::parallel;
use crate::tier::point_grid::band::crowded::CrowdedScratch;
use crate::tier::point_grid::band::scratch::BandScratch;
use crossbeam::utils::CachePadded;
use parking_lot::{Mutex, MutexGuard};
use std::ops::{Deref, DerefMut};

/// A band of more bodies is large (SCRATCH-2): twice the maximum that a plan aims at.
const LARGE: usize = 65_536;

/// The scratch of one thread.
#[derive(Default)]
pub(crate) struct WorkerScratch {
    pub(crate) band: BandScratch,
    pub(crate) crowded: CrowdedScratch,
    pub(crate) search: SearchScratch,
}

/// Buffers for searching the other tiers.
#[derive(Default)]
pub(crate) struct SearchScratch {
    pub(crate) seen_cells: BitSet,
    pub(crate) found: Vec<u32>,
    /// The statics near a band.
    pub(crate) statics: Vec<BodyRecord>,
    /// The neighbors of changed rows.
    pub(crate) neighbors: Vec<BodyRecord>,
}

buffers!(WorkerScratch { leveled: band, crowded, search; own: ; plain: ; });
buffers!(SearchScratch { leveled: seen_cells, found, statics, neighbors; own: ; plain: ; });

impl SearchScratch {
    /// Grows the set to this many loose cells.
    fn grow_to(&mut self, loose_cells: usize) {
        self.seen_cells.grow_to(loose_cells);
    }
}

/// Scratch that is locked, or a temporary one (SCRATCH-3).
pub(crate) enum ScratchGuard<'w> {
    Locked(MutexGuard<'w, WorkerScratch>),
    Temporary(Box<WorkerScratch>),
}

impl Deref for ScratchGuard<'_> {
    type Target = WorkerScratch;

    fn deref(&self) -> &WorkerScratch {
        match self {
            Self::Locked(locked) => locked,
            Self::Temporary(temporary) => temporary,
        }
    }
}

impl DerefMut for ScratchGuard<'_> {
    fn deref_mut(&mut self) -> &mut WorkerScratch {
        match self {
            Self::Locked(locked) => locked,
            Self::Temporary(temporary) => temporary,
        }
    }
}

/// The scratch of every thread, each on its own cache lines.
///
/// A task locks the scratch of its thread once, and no task runs inside another, except as in
/// SCRATCH-3. So no lock is contended.
#[derive(Default)]
pub(crate) struct ScratchPool {
    workers: Vec<CachePadded<Mutex<WorkerScratch>>>,
    /// Shared by all threads (SCRATCH-2).
    large: CachePadded<Mutex<WorkerScratch>>,
    /// Number of loose cells in the present step.
    loose_cells: usize,
}

impl ScratchPool {
    /// Prepares scratch for all threads, with sets of this many loose cells.
    pub(crate) fn prepare(&mut self, parallel: bool, loose_cells: usize) {
        let count = parallel::worker_count(parallel);
        if self.workers.len() < count {
            self.workers.resize_with(count, CachePadded::default);
        }
        self.loose_cells = loose_cells;
        for scratch in self.workers.iter_mut().chain([&mut self.large]) {
            scratch.get_mut().search.grow_to(self.loose_cells);
        }
    }

    /// Whether a band of this many bodies is built in the scratch that all threads share.
    pub(crate) fn is_large(bodies: usize) -> bool {
        bodies > LARGE
    }

    /// The scratch for a band of this many bodies, in a step with or without a listener.
    pub(crate) fn for_band(&self, parallel: bool, has_listener: bool, bodies: usize) -> ScratchGuard<'_> {
        if Self::is_large(bodies) { ScratchGuard::Locked(self.large.lock()) } else { self.own(parallel, has_listener) }
    }

    /// The scratch of the calling thread, in a step with or without a listener (SCRATCH-3).
    pub(crate) fn own(&self, parallel: bool, has_listener: bool) -> ScratchGuard<'_> {
        let own = &self.workers[parallel::worker_index(parallel)];
        if !has_listener {
            return ScratchGuard::Locked(own.lock());
        }
        own.try_lock().map_or_else(
            || {
                let mut temporary = Box::<WorkerScratch>::default();
                temporary.search.grow_to(self.loose_cells);
                ScratchGuard::Temporary(temporary)
            },
            ScratchGuard::Locked,
        )
    }

    /// Number of threads with scratch.
    pub(crate) fn worker_count(&self) -> usize {
        self.workers.len()
    }

    /// Gives the scratch of all threads the same capacity (SCRATCH-1).
    pub(crate) fn match_capacity(&mut self) {
        let Some((first, others)) = self.workers.split_first_mut() else { return };
        let first = first.get_mut();
        others.iter_mut().for_each(|other| first.reserve_like(other.get_mut()));
        others.iter_mut().for_each(|other| other.get_mut().reserve_like(first));
    }

    /// Bytes of heap memory held.
    pub(crate) fn bytes(&self) -> usize {
        let bytes_of = |scratch: &CachePadded<Mutex<WorkerScratch>>| scratch.lock().bytes();
        self.workers.capacity() * size_of::<CachePadded<Mutex<WorkerScratch>>>()
            + self.workers.iter().chain([&self.large]).map(bytes_of).sum::<usize>()
    }
}
