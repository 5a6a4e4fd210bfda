//! Hints to the processor to load memory before it is used.
//!
//! They affect only speed, and do nothing on processors without them.

#![allow(unsafe_code)]

/// Bytes of a cache line.
#[cfg(target_arch = "x86_64")]
const CACHE_LINE: usize = 64;

/// Loads items that will be read soon.
#[inline(always)]
pub(crate) fn prefetch<T>(items: &[T]) {
    #[cfg(target_arch = "x86_64")]
    for line in items.chunks((CACHE_LINE / size_of::<T>()).max(1)) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch has no effect that the program can observe.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = items;
}

/// Loads the cache line of an item that will be written soon. `at` may point anywhere.
#[inline(always)]
pub(crate) fn prefetch_for_writing<T>(at: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
        // SAFETY: a prefetch has no effect that the program can observe, and never faults.
        unsafe { _mm_prefetch::<_MM_HINT_ET0>(at.cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}
