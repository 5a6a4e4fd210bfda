//! The one file that names rayon, but for the parallel iterators of contacts. Without the feature `parallel`, or when told to,
//! everything runs here and now.
//!
//! L1: tasks are numbered by the input, never by threads; a task writes only what its number owns, so results do
//! not depend on who ran it.

#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// Runs both, in parallel if `parallel`.
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

/// Runs `task` on each item and its index.
pub(crate) fn for_each_mut<T: Send>(parallel: bool, items: &mut [T], task: impl Fn(usize, &mut T) + Send + Sync) {
    #[cfg(feature = "parallel")]
    if parallel && items.len() > 1 {
        return items.par_iter_mut().enumerate().with_max_len(1).for_each(|(k, item)| task(k, item));
    }
    let _ = parallel;
    items.iter_mut().enumerate().for_each(|(k, item)| task(k, item));
}

/// Runs `task` on each item, which tasks may only look at, and its index.
pub(crate) fn for_each<T: Sync>(parallel: bool, items: &[T], task: impl Fn(usize, &T) + Send + Sync) {
    #[cfg(feature = "parallel")]
    if parallel && items.len() > 1 {
        return items.par_iter().enumerate().with_max_len(1).for_each(|(k, item)| task(k, item));
    }
    let _ = parallel;
    items.iter().enumerate().for_each(|(k, item)| task(k, item));
}

/// How many workers the tasks of this file may run on at once.
pub(crate) fn worker_count(parallel: bool) -> usize {
    #[cfg(feature = "parallel")]
    if parallel {
        return rayon::current_num_threads().max(1);
    }
    let _ = parallel;
    1
}

/// Which worker this is, below [`worker_count`]; 0 outside of a task.
pub(crate) fn worker_index(parallel: bool) -> usize {
    #[cfg(feature = "parallel")]
    if parallel {
        return rayon::current_thread_index().unwrap_or(0);
    }
    let _ = parallel;
    0
}

/// Runs `task` on each stretch of `size` items, its index, and the item of a second slice that goes with it.
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

/// Sorts; equal items may come in any order.
pub(crate) fn sort_unstable<T: Ord + Send>(parallel: bool, items: &mut [T]) {
    #[cfg(feature = "parallel")]
    if parallel {
        return items.par_sort_unstable();
    }
    let _ = parallel;
    items.sort_unstable();
}
