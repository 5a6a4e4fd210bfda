//! The scratch that threads reuse between tasks and steps.
//!
//! - SCRATCH-1: which thread runs the largest task varies. After each step, the scratch of all
//!   threads gets the same capacity, the largest, so that repeating the same work allocates nothing
//!   on any thread.
//! - SCRATCH-2: a band far larger than planned (its bodies begin at about one point, or the sample
//!   missed them) is built in one scratch that all threads share, one such band at a time, so that
//!   memory does not grow with threads times bodies. Its task waits for nothing: its thread could
//!   start another such band meanwhile, and would wait for itself.
//! - SCRATCH-3: a task may wait for the parts of a long scan (PAGE-4), and its thread may start
//!   another task meanwhile. That one gets the second scratch of the thread, and does not wait for
//!   parts, so that no third one is needed.
//! - SCRATCH-4: a listener may wait for work of its own on the pool, and its thread may start
//!   another task meanwhile. If both scratches of the thread are in use then, that task gets one
//!   that is dropped afterwards.

use crate::memory::body_record::BodyRecord;
use crate::memory::buffers::{Buffers, buffers};
use crate::parallel;
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
    pub(crate) search: SearchScratch,
}

/// Buffers for searching the other tiers.
#[derive(Default)]
pub(crate) struct SearchScratch {
    /// Oversized bodies that were found, or statics.
    pub(crate) found: Vec<BodyRecord>,
    /// The neighbors of changed rows.
    pub(crate) neighbors: Vec<BodyRecord>,
}

buffers!(WorkerScratch { leveled: band, search; own: ; plain: ; });
buffers!(SearchScratch { leveled: found, neighbors; own: ; plain: ; });

/// The scratch of a task.
pub(crate) enum ScratchGuard<'w> {
    First(MutexGuard<'w, WorkerScratch>),
    Second(MutexGuard<'w, WorkerScratch>),
    Temporary(Box<WorkerScratch>),
    Large(MutexGuard<'w, WorkerScratch>),
}

impl ScratchGuard<'_> {
    /// Whether the task may wait for parts of a scan (SCRATCH-2, SCRATCH-3).
    pub(crate) fn may_wait(&self) -> bool {
        matches!(self, Self::First(_))
    }
}

impl Deref for ScratchGuard<'_> {
    type Target = WorkerScratch;

    fn deref(&self) -> &WorkerScratch {
        match self {
            Self::First(locked) | Self::Second(locked) | Self::Large(locked) => locked,
            Self::Temporary(temporary) => temporary,
        }
    }
}

impl DerefMut for ScratchGuard<'_> {
    fn deref_mut(&mut self) -> &mut WorkerScratch {
        match self {
            Self::First(locked) | Self::Second(locked) | Self::Large(locked) => locked,
            Self::Temporary(temporary) => temporary,
        }
    }
}

/// The scratch of every thread, each on its own cache lines. During a step only that thread locks
/// it, so no lock is contended.
#[derive(Default)]
pub(crate) struct ScratchPool {
    first: Vec<CachePadded<Mutex<WorkerScratch>>>,
    /// Without memory until a task runs inside another (SCRATCH-3, SCRATCH-4).
    second: Vec<CachePadded<Mutex<WorkerScratch>>>,
    /// Shared by all threads (SCRATCH-2).
    large: CachePadded<Mutex<WorkerScratch>>,
}

impl ScratchPool {
    /// Prepares scratch for all threads.
    pub(crate) fn prepare(&mut self, parallel: bool) {
        let count = parallel::worker_slots(parallel);
        if self.first.len() < count {
            self.first.resize_with(count, CachePadded::default);
            self.second.resize_with(count, CachePadded::default);
        }
    }

    /// Whether a band of this many bodies is built in the scratch that all threads share.
    pub(crate) fn is_large(bodies: usize) -> bool {
        bodies > LARGE
    }

    /// The scratch for a band of this many bodies.
    pub(crate) fn for_band(&self, parallel: bool, bodies: usize) -> ScratchGuard<'_> {
        if Self::is_large(bodies) { ScratchGuard::Large(self.large.lock()) } else { self.own(parallel) }
    }

    /// A scratch of the calling thread.
    pub(crate) fn own(&self, parallel: bool) -> ScratchGuard<'_> {
        let thread = parallel::worker_index(parallel);
        if let Some(first) = self.first[thread].try_lock() {
            return ScratchGuard::First(first);
        }
        // Inside another task of the thread (SCRATCH-3); or inside two (SCRATCH-4).
        let second = self.second[thread].try_lock().map(ScratchGuard::Second);
        second.unwrap_or_else(|| ScratchGuard::Temporary(Box::default()))
    }

    /// Number of threads with scratch.
    pub(crate) fn thread_count(&self) -> usize {
        self.first.len()
    }

    /// Gives the scratch of all threads the same capacity (SCRATCH-1): the second one of each too,
    /// if scans are divided among several.
    pub(crate) fn match_capacity(&mut self, scans_are_divided: bool) {
        let Some((most, rest)) = self.first.split_first_mut() else { return };
        let is_used = self.second.iter_mut().any(|second| second.get_mut().bytes() > 0);
        let is_needed = is_used || scans_are_divided && !rest.is_empty();
        let second = if is_needed { &mut self.second[..] } else { &mut [] };
        let most = most.get_mut();
        rest.iter_mut().chain(&mut *second).for_each(|other| most.reserve_like(other.get_mut()));
        rest.iter_mut().chain(second).for_each(|other| other.get_mut().reserve_like(most));
    }

    /// Bytes of heap memory held.
    pub(crate) fn bytes(&self) -> usize {
        let bytes_of = |scratch: &CachePadded<Mutex<WorkerScratch>>| scratch.lock().bytes();
        let slots = self.first.capacity() + self.second.capacity();
        let all = self.first.iter().chain(&self.second).chain([&self.large]);
        slots * size_of::<CachePadded<Mutex<WorkerScratch>>>() + all.map(bytes_of).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_inside_others_get_scratch_of_their_own() {
        let mut pool = ScratchPool::default();
        pool.prepare(false);
        let outer = pool.own(false);
        let inner = pool.own(false);
        let innermost = pool.own(false);
        assert!(matches!(outer, ScratchGuard::First(_)) && outer.may_wait());
        assert!(matches!(inner, ScratchGuard::Second(_)) && !inner.may_wait());
        assert!(matches!(innermost, ScratchGuard::Temporary(_)) && !innermost.may_wait());
        let large = pool.for_band(false, LARGE + 1);
        assert!(matches!(large, ScratchGuard::Large(_)) && !large.may_wait());
        drop((outer, inner));
        assert!(pool.own(false).may_wait());
    }

    #[test]
    fn scratch_of_tasks_inside_others_is_leveled_if_threads_share_scans() {
        let grown = |threads: usize, scans_are_divided: bool| {
            let mut pool = ScratchPool::default();
            pool.prepare(false);
            pool.first.resize_with(threads, CachePadded::default);
            pool.second.resize_with(threads, CachePadded::default);
            pool.own(false).search.found.reserve_exact(1000);
            pool.match_capacity(scans_are_divided);
            let with_room = |all: &[CachePadded<Mutex<WorkerScratch>>]| {
                all.iter().filter(|scratch| scratch.lock().search.found.capacity() >= 1000).count()
            };
            (with_room(&pool.first), with_room(&pool.second))
        };
        assert_eq!(grown(1, true), (1, 0));
        assert_eq!(grown(3, false), (3, 0));
        assert_eq!(grown(3, true), (3, 3));
    }
}
