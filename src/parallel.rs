//! Parallel loops. The only file that names rayon, apart from the parallel iterators of contacts.
//!
//! Without the feature `parallel`, and for callers that pass `false`, everything runs on the
//! calling thread. Tasks are numbered by the input, never by threads, and each writes only its own
//! part of the output, so results do not depend on threads.

#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// Runs two closures, in parallel if `parallel`.
pub(crate) fn join<A: Send, B: Send>(
    parallel: bool,
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    #[cfg(feature = "parallel")]
    if parallel {
        return rayon::join(a, b);
    }
    let _ = parallel;
    (a(), b())
}

/// Calls `task` with each index and item.
pub(crate) fn for_each_mut<T: Send>(parallel: bool, items: &mut [T], task: impl Fn(usize, &mut T) + Send + Sync) {
    #[cfg(feature = "parallel")]
    if parallel && items.len() > 1 {
        return items.par_iter_mut().enumerate().with_max_len(1).for_each(|(k, item)| task(k, item));
    }
    let _ = parallel;
    items.iter_mut().enumerate().for_each(|(k, item)| task(k, item));
}

/// Calls `task` with each index and shared item.
pub(crate) fn for_each<T: Sync>(parallel: bool, items: &[T], task: impl Fn(usize, &T) + Send + Sync) {
    #[cfg(feature = "parallel")]
    if parallel && items.len() > 1 {
        return items.par_iter().enumerate().with_max_len(1).for_each(|(k, item)| task(k, item));
    }
    let _ = parallel;
    items.iter().enumerate().for_each(|(k, item)| task(k, item));
}

/// Number of threads that tasks may run on.
pub(crate) fn worker_count(parallel: bool) -> usize {
    #[cfg(feature = "parallel")]
    if parallel {
        return rayon::current_num_threads().max(1);
    }
    let _ = parallel;
    1
}

/// Index of the calling thread, below [`worker_count`]; 0 outside of a task.
pub(crate) fn worker_index(parallel: bool) -> usize {
    #[cfg(feature = "parallel")]
    if parallel {
        return rayon::current_thread_index().unwrap_or(0);
    }
    let _ = parallel;
    0
}

/// Calls `task` with the index of each chunk of `size` items, the chunk, and one item of `others`.
pub(crate) fn for_each_chunk_and<T: Send, U: Send>(
    parallel: bool,
    items: &mut [T],
    size: usize,
    others: &mut [U],
    task: impl Fn(usize, &mut [T], &mut U) + Send + Sync,
) {
    #[cfg(feature = "parallel")]
    if parallel && items.len() > size {
        let both = items.par_chunks_mut(size).zip(others.par_iter_mut());
        return both.enumerate().with_max_len(1).for_each(|(k, (chunk, other))| task(k, chunk, other));
    }
    let _ = parallel;
    items.chunks_mut(size).zip(others).enumerate().for_each(|(k, (chunk, other))| task(k, chunk, other));
}

/// Sorts items; equal ones may end up in any order.
pub(crate) fn sort_unstable<T: Ord + Send>(parallel: bool, items: &mut [T]) {
    #[cfg(feature = "parallel")]
    if parallel {
        return items.par_sort_unstable();
    }
    let _ = parallel;
    items.sort_unstable();
}
