//! One buffer, written by many tasks at once, each in places of its own.

#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::ops::Range;

/// How far ahead memory is asked for: a little less than three cache lines.
const PREFETCH_BYTES: usize = 184;

/// A hint that never faults, wherever it points.
#[inline(always)]
fn prefetch_for_writing<T>(at: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing that the program can see, and processors without it do nothing instead.
        unsafe { _mm_prefetch::<_MM_HINT_ET0>(at.cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}

/// A mutable slice that tasks may share as long as no two of them touch the same element.
pub(crate) struct DisjointSlice<'a, T> {
    start: *mut T,
    len: usize,
    slice: PhantomData<&'a mut [T]>,
}

// SAFETY: the pointer comes from a `&mut [T]` held for 'a; elements are reached through the unsafe methods alone, whose
// contract gives each element to one task at a time. `T: Send + Sync` as elements are written and read from other threads.
unsafe impl<T: Send + Sync> Sync for DisjointSlice<'_, T> {}

impl<T> Clone for DisjointSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

/// A copy is as bound by the contracts as the original; loops keep one in registers.
impl<T> Copy for DisjointSlice<'_, T> {}

impl<'a, T: Copy> DisjointSlice<'a, T> {
    pub(crate) fn new(slice: &'a mut [T]) -> Self {
        Self { start: slice.as_mut_ptr(), len: slice.len(), slice: PhantomData }
    }

    /// Writes an element, and asks for the memory of those that will be written after it: a task that writes to many places
    /// in turn would otherwise wait for each new cache line.
    ///
    /// # Safety
    ///
    /// `at` is in bounds, and no other task touches it while this buffer is shared.
    #[inline(always)]
    pub(crate) unsafe fn write(&self, at: usize, value: T) {
        debug_assert!(at < self.len);
        // SAFETY: in bounds and not shared by the caller's contract.
        unsafe { self.start.add(at).write(value) }
        prefetch_for_writing(self.start.wrapping_add(at + PREFETCH_BYTES / size_of::<T>()));
    }

    /// # Safety
    ///
    /// No other task writes to the range while the returned slice lives. The range is checked.
    pub(crate) unsafe fn read(&self, range: Range<usize>) -> &[T] {
        assert!(range.start <= range.end && range.end <= self.len, "a task's range lies in the buffer");
        // SAFETY: in bounds by the assertion, not written to by the caller's contract.
        unsafe { std::slice::from_raw_parts(self.start.add(range.start), range.len()) }
    }

    /// # Safety
    ///
    /// No other task touches the range while the returned slice lives. The range is checked.
    #[allow(clippy::mut_from_ref)] // that is what the contract is for
    pub(crate) unsafe fn slice(&self, range: Range<usize>) -> &mut [T] {
        assert!(range.start <= range.end && range.end <= self.len, "a task's range lies in the buffer");
        // SAFETY: in bounds by the assertion, not shared by the caller's contract.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(range.start), range.len()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_write_places_of_their_own() {
        let mut items = vec![0usize; 4000];
        let shared = &DisjointSlice::new(&mut items);
        std::thread::scope(|scope| {
            for task in 0..4 {
                scope.spawn(move || {
                    for at in (task..2000).step_by(4) {
                        // SAFETY: in bounds, and the remainder by 4 is the task's alone.
                        unsafe { shared.write(at, at + 1) };
                    }
                    let mine = 2000 + task * 500..2500 + task * 500;
                    // SAFETY: the range is the task's alone, and the first slice is not used once there is the second.
                    unsafe {
                        shared.slice(mine.clone()).iter_mut().zip(mine.clone()).for_each(|(item, at)| *item = at + 1);
                        assert!(shared.read(mine.clone()).iter().copied().eq(mine.map(|at| at + 1)));
                    }
                });
            }
        });
        assert!(items.iter().copied().eq(1..4001));
    }

    #[test]
    #[should_panic(expected = "a task's range lies in the buffer")]
    fn a_range_beyond_the_buffer_is_refused() {
        let mut items = [0u8; 4];
        let shared = DisjointSlice::new(&mut items);
        // SAFETY: nothing else touches the buffer.
        let _ = unsafe { shared.slice(3..5) };
    }

    #[test]
    #[should_panic(expected = "a task's range lies in the buffer")]
    fn reading_beyond_the_buffer_is_refused() {
        let mut items = [0u8; 4];
        let shared = DisjointSlice::new(&mut items);
        // SAFETY: nothing else touches the buffer.
        let _ = unsafe { shared.read(0..5) };
    }
}
