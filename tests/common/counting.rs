//! An allocator that counts, on watched threads alone: the thread of a test and the workers of its pool. The test harness
//! does not count, nor do pools that others made. A test file makes it its own by
//! `#[global_allocator] static ALLOCATOR: Counting = Counting;`.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How often memory was taken.
pub static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

/// Bytes taken and not given back.
pub static HELD: AtomicIsize = AtomicIsize::new(0);

thread_local! {
    pub static WATCHED: Cell<bool> = const { Cell::new(false) };
}

pub struct Counting;

#[allow(unsafe_code)]
// SAFETY: every call goes to `System` as it came; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(1, layout.size() as isize);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(0, -(layout.size() as isize));
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(1, size as isize - layout.size() as isize);
        // SAFETY: the caller's promise.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

fn count(allocations: usize, bytes: isize) {
    if WATCHED.try_with(Cell::get).unwrap_or(false) {
        ALLOCATIONS.fetch_add(allocations, SeqCst);
        HELD.fetch_add(bytes, SeqCst);
    }
}

/// Watches this thread; one test at a time.
pub struct Watch(#[allow(dead_code)] MutexGuard<'static, ()>);

impl Watch {
    pub fn start() -> Self {
        static ALONE: Mutex<()> = Mutex::new(());
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        WATCHED.set(true);
        Self(alone)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        WATCHED.set(false);
    }
}
