//! An allocator that counts. A test binary installs it with
//! `#[global_allocator] static ALLOCATOR: Counting = Counting;`.
//!
//! Allocations are counted on watched threads alone: the thread of a test and the workers of its
//! pools, not those of the test harness and of other pools.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};
#[cfg(feature = "parallel")]
use std::time::Duration;

/// A single allocation of more bytes fails, so that a test whose input asks for it ends the process
/// instead of using up the machine's memory.
const ALLOCATION_MAX: usize = 1 << 30;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);
static HELD: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);

thread_local! {
    static IS_WATCHED: Cell<bool> = const { Cell::new(false) };
}

pub struct Counting;

#[allow(unsafe_code)]
// SAFETY: every call is handed to `System` with its own arguments, or returns null, which callers
// must expect. Counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.size() > ALLOCATION_MAX {
            return std::ptr::null_mut();
        }
        count(1, layout.size() as isize);
        // SAFETY: the caller upholds the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(0, -(layout.size() as isize));
        // SAFETY: the caller upholds the contract of `dealloc`, and `pointer` came from `System`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if size > ALLOCATION_MAX {
            return std::ptr::null_mut();
        }
        count(1, size as isize - layout.size() as isize);
        // SAFETY: the caller upholds the contract of `realloc`, and `pointer` came from `System`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

fn count(allocations: usize, bytes: isize) {
    if IS_WATCHED.try_with(Cell::get).unwrap_or(false) {
        ALLOCATIONS.fetch_add(allocations, SeqCst);
        PEAK.fetch_max(HELD.fetch_add(bytes, SeqCst) + bytes, SeqCst);
    }
}

/// Watches the calling thread until it is dropped. Only one test at a time has one.
pub struct Watch(#[allow(dead_code)] MutexGuard<'static, ()>);

impl Watch {
    pub fn start() -> Self {
        static ALONE: Mutex<()> = Mutex::new(());
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        IS_WATCHED.set(true);
        Self(alone)
    }

    /// Runs `call` and returns how often memory was allocated.
    pub fn allocations(&self, call: impl FnOnce()) -> usize {
        let before = ALLOCATIONS.load(SeqCst);
        call();
        ALLOCATIONS.load(SeqCst) - before
    }

    /// Bytes allocated and not freed, since any point in time: only differences mean something.
    pub fn held(&self) -> isize {
        HELD.load(SeqCst)
    }

    /// Runs `call` and returns the most bytes that were held during it, beyond those held before.
    pub fn peak<T>(&self, call: impl FnOnce() -> T) -> (T, usize) {
        let before = HELD.load(SeqCst);
        PEAK.store(before, SeqCst);
        let result = call();
        (result, usize::try_from(PEAK.load(SeqCst) - before).unwrap_or(0))
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        IS_WATCHED.set(false);
    }
}

/// A pool whose workers are watched. Dropping it waits until they have ended: what a worker frees
/// on its way out would otherwise be counted in the next test.
#[cfg(feature = "parallel")]
pub struct WatchedPool {
    pool: Option<rayon::ThreadPool>,
    running: std::sync::Arc<AtomicUsize>,
}

#[cfg(feature = "parallel")]
impl WatchedPool {
    /// Starts the workers. Each has looked for work and waited for a lock before this returns, so
    /// it has allocated what that takes. For locks, `parking_lot` keeps a table of the threads that
    /// have ever waited, and replaces it as they become more. Whether a step is the first in which
    /// a worker waits depends on timing.
    pub fn new(threads: usize) -> Self {
        let running = std::sync::Arc::new(AtomicUsize::new(threads));
        let ended = running.clone();
        let builder = rayon::ThreadPoolBuilder::new().num_threads(threads).start_handler(|_| IS_WATCHED.set(true));
        let builder = builder.exit_handler(move |_| {
            IS_WATCHED.set(false);
            ended.fetch_sub(1, SeqCst);
        });
        let pool = Self { pool: Some(builder.build().expect("a pool")), running };
        fn split(depth: u32) {
            if depth > 0 {
                rayon::join(|| split(depth - 1), || split(depth - 1));
            } else {
                std::thread::yield_now();
            }
        }
        pool.broadcast(|_| split(10));
        pool.broadcast(|_| {
            let mutex = parking_lot::Mutex::new(());
            parking_lot::Condvar::new().wait_for(&mut mutex.lock(), Duration::from_nanos(1));
        });
        pool
    }
}

#[cfg(feature = "parallel")]
impl std::ops::Deref for WatchedPool {
    type Target = rayon::ThreadPool;

    fn deref(&self) -> &rayon::ThreadPool {
        self.pool.as_ref().expect("the pool is there until it is dropped")
    }
}

#[cfg(feature = "parallel")]
impl Drop for WatchedPool {
    fn drop(&mut self) {
        self.pool = None;
        while self.running.load(SeqCst) > 0 {
            std::thread::yield_now();
        }
    }
}
