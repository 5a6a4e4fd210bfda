//! An allocator that counts the memory of each engine.
//!
//! The race names the engine that runs; whatever any thread allocates or frees meanwhile is counted
//! in the account of that engine. So nothing else may run at the same time, and an engine has to be
//! dropped in its own account.
//!
//! A program that counts must make [`Counting`] its global allocator; without that, all accounts
//! stay empty.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering::Relaxed};

/// Number of accounts; the first counts everything outside of engines.
const ACCOUNTS: usize = 64;

static CURRENT: AtomicUsize = AtomicUsize::new(0);
static PEAK_WATCHED: AtomicBool = AtomicBool::new(false);
static LEDGER: [Entries; ACCOUNTS] = [const { Entries::new() }; ACCOUNTS];

struct Entries {
    calls: AtomicU64,
    held: AtomicI64,
    peak: AtomicI64,
}

impl Entries {
    const fn new() -> Self {
        Self { calls: AtomicU64::new(0), held: AtomicI64::new(0), peak: AtomicI64::new(0) }
    }
}

/// The account of an engine's memory.
#[derive(Clone, Copy, Debug)]
pub struct Account(usize);

impl Account {
    /// Opens an empty account for an engine.
    ///
    /// # Panics
    ///
    /// If `number` is above 62.
    pub fn open(number: usize) -> Self {
        let entries = &LEDGER[number + 1];
        entries.calls.store(0, Relaxed);
        entries.held.store(0, Relaxed);
        entries.peak.store(0, Relaxed);
        Self(number + 1)
    }

    /// Calls `run`, and counts its memory in this account.
    pub fn charge<R>(self, run: impl FnOnce() -> R) -> R {
        CURRENT.store(self.0, Relaxed);
        let result = run();
        CURRENT.store(0, Relaxed);
        result
    }

    /// Like [`charge`](Self::charge), and returns the most bytes held meanwhile. Slower, so not for
    /// what is timed.
    pub fn charge_watched<R>(self, run: impl FnOnce() -> R) -> (R, i64) {
        LEDGER[self.0].peak.store(self.held(), Relaxed);
        PEAK_WATCHED.store(true, Relaxed);
        let result = self.charge(run);
        PEAK_WATCHED.store(false, Relaxed);
        (result, LEDGER[self.0].peak.load(Relaxed))
    }

    /// Bytes held.
    pub fn held(self) -> i64 {
        LEDGER[self.0].held.load(Relaxed)
    }

    /// Number of calls that allocated or grew memory since the account was opened.
    pub fn calls(self) -> u64 {
        LEDGER[self.0].calls.load(Relaxed)
    }
}

/// Counts a call that requested memory, and the bytes by which it grew.
fn asked(grown: i64) {
    LEDGER[CURRENT.load(Relaxed)].calls.fetch_add(1, Relaxed);
    note(grown);
}

fn note(grown: i64) {
    let entries = &LEDGER[CURRENT.load(Relaxed)];
    let held = entries.held.fetch_add(grown, Relaxed) + grown;
    if PEAK_WATCHED.load(Relaxed) {
        entries.peak.fetch_max(held, Relaxed);
    }
}

/// The system's allocator, with accounts.
#[derive(Clone, Copy, Debug)]
pub struct Counting;

// SAFETY: every call is passed to `System` unchanged; counting only changes atomics.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        asked(layout.size() as i64);
        // SAFETY: the caller's promises are `System`'s.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        asked(layout.size() as i64);
        // SAFETY: the caller's promises are `System`'s.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        asked(size as i64 - layout.size() as i64);
        // SAFETY: the caller's promises are `System`'s.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        note(-(layout.size() as i64));
        // SAFETY: the caller's promises are `System`'s.
        unsafe { System.dealloc(pointer, layout) }
    }
}
