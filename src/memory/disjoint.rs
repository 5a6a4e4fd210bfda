//! A buffer that many tasks write at once, each to elements of its own.

#![allow(unsafe_code)]

use crate::prefetch::prefetch_for_writing;
use std::marker::PhantomData;

/// How far ahead memory is prefetched: a little less than three cache lines.
const PREFETCH_BYTES: usize = 184;

/// A mutable slice that tasks may share as long as no two of them touch the same element.
pub(crate) struct DisjointSlice<'a, T> {
    start: *mut T,
    len: usize,
    slice: PhantomData<&'a mut [T]>,
}

// SAFETY: the pointer comes from a `&mut [T]` borrowed for 'a. Elements are accessed only through
// the unsafe methods, whose callers leave each element to one task at a time. `T: Send + Sync`, as
// elements are written and read from other threads.
unsafe impl<T: Send + Sync> Sync for DisjointSlice<'_, T> {}

impl<T> Clone for DisjointSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

/// Loops keep a copy in registers. The contracts of the methods hold for all copies together.
impl<T> Copy for DisjointSlice<'_, T> {}

impl<'a, T: Copy> DisjointSlice<'a, T> {
    pub(crate) fn new(slice: &'a mut [T]) -> Self {
        Self { start: slice.as_mut_ptr(), len: slice.len(), slice: PhantomData }
    }

    /// Number of elements.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Writes an element, and prefetches the memory after it: a task that writes to many places in
    /// turn would otherwise wait for each new cache line.
    ///
    /// # Safety
    ///
    /// `at` is in bounds, and no other task accesses it while this buffer is shared.
    #[inline(always)]
    pub(crate) unsafe fn write(&self, at: usize, value: T) {
        debug_assert!(at < self.len);
        // SAFETY: the caller vouches that the element is in bounds and accessed by no other task.
        unsafe { self.start.add(at).write(value) }
        prefetch_for_writing(self.start.wrapping_add(at + PREFETCH_BYTES / size_of::<T>()));
    }
}

// WebAssembly has no threads.
#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;

    #[test]
    fn tasks_write_elements_of_their_own() {
        let mut items = vec![0usize; 4000];
        let shared = &DisjointSlice::new(&mut items);
        std::thread::scope(|scope| {
            for task in 0..4 {
                scope.spawn(move || {
                    for at in (task..4000).step_by(4) {
                        // SAFETY: in bounds, and the remainder by 4 is the task's alone.
                        unsafe { shared.write(at, at + 1) };
                    }
                });
            }
        });
        assert!(items.iter().copied().eq(1..4001));
    }
}
