//! Parallel loops. Besides the parallel iterators of contacts, only this file and `helper_pool.rs`
//! name rayon.
//!
//! Without the feature `parallel`, and for callers that pass `false`, everything runs on the
//! calling thread. Each task writes only its own part of the output, and the output follows the
//! order of tasks, so results do not depend on threads. Rows may be divided by the number of
//! threads, if what tasks write follows the order of rows.
//!
//! PARALLEL-1: tasks are called through `dyn`, so that rayon and the body of a task are compiled
//! once, instead of for each loop and for both of its ways. Tasks are long, so the call costs
//! nothing.
//!
//! PARALLEL-2: a thread that waits for another one stays awake for some time ([`WAIT_ROUNDS`]).
//! rayon alone lets it sleep after a few microseconds.

#![allow(unsafe_code)]

#[cfg(feature = "parallel")]
use crate::helper_pool::{HELPERS, is_outside_of_pool, lead, thread_count};
#[cfg(feature = "parallel")]
use crate::team::{Team, WAIT_ROUNDS};
#[cfg(feature = "parallel")]
use parking_lot::Mutex;
#[cfg(feature = "parallel")]
use std::ops::Range;
#[cfg(feature = "parallel")]
use std::sync::atomic::{AtomicBool, Ordering};

/// Fewest rows for each thread of a team: with fewer, a helper is hardly awake when the others are
/// done.
#[cfg(feature = "parallel")]
const ROWS_PER_THREAD: usize = 2048;

/// Fewer items are sorted on one thread.
const SORTED_ALONE: usize = 4096;

/// Runs two closures, in parallel if `parallel`.
pub(crate) fn join<A: Send, B: Send>(
    parallel: bool,
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    let (mut a, mut b) = ((Some(a), None), (Some(b), None));
    run_both(parallel, &mut || a.1 = a.0.take().map(|run| run()), &mut || b.1 = b.0.take().map(|run| run()));
    match (a.1, b.1) {
        (Some(a), Some(b)) => (a, b),
        _ => unreachable!("both closures ran once"),
    }
}

/// [`join`] without generics (PARALLEL-1).
fn run_both(parallel: bool, a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
    #[cfg(feature = "parallel")]
    if parallel {
        return in_team(usize::MAX, || match Team::joined() {
            Some(team) => {
                let both: [Mutex<&mut (dyn FnMut() + Send)>; 2] = [Mutex::new(&mut *a), Mutex::new(&mut *b)];
                team.run(2, HELPERS, &|k| (*both[k].lock())());
            }
            None => join_in_pool(a, b),
        });
    }
    let _ = parallel;
    a();
    b();
}

/// As [`rayon::join`] for a member of no team, but the calling thread stays awake for some time
/// (PARALLEL-2). A member of one may run `b`, as other work (TEAM-3).
#[cfg(feature = "parallel")]
fn join_in_pool(a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
    let b_is_over = AtomicBool::new(false);
    let run_a = || {
        a();
        // Does other work meanwhile, as rayon would: `b`, if no other thread has it.
        wait_briefly(&b_is_over, || rayon::yield_now() == Some(rayon::Yield::Executed));
    };
    let run_b = || {
        Team::apart(b);
        b_is_over.store(true, Ordering::Relaxed);
    };
    Team::apart(|| rayon::join(run_a, run_b));
}

/// Returns once a flag is set, or after some time (PARALLEL-2). `run_other` returns whether there
/// was other work to run.
#[cfg(feature = "parallel")]
fn wait_briefly(is_over: &AtomicBool, run_other: impl Fn() -> bool) {
    for _ in 0..WAIT_ROUNDS {
        if is_over.load(Ordering::Relaxed) {
            return;
        }
        if !run_other() {
            std::thread::yield_now();
        }
    }
}

/// Calls `work`, which has several parallel loops over so many rows. A thread that is in no pool
/// leads one team for all of them.
pub(crate) fn with_team<R>(parallel: bool, rows: usize, work: impl FnOnce() -> R) -> R {
    #[cfg(feature = "parallel")]
    if parallel {
        return in_team(rows / ROWS_PER_THREAD, work);
    }
    let _ = (parallel, rows);
    work()
}

/// Calls `work`. A thread that is in no pool leads a team of at most so many threads meanwhile.
#[cfg(feature = "parallel")]
fn in_team<R>(threads: usize, work: impl FnOnce() -> R) -> R {
    if !is_outside_of_pool() || Team::joined().is_some() {
        return work();
    }
    lead(threads.min(thread_count()), work)
}

/// Runs a task of some microseconds on the calling thread, before one in parallel: a thread of the
/// pool that sleeps wakes up meanwhile, and stays awake.
pub(crate) fn run_before_parallel(parallel: bool, mut task: impl FnMut() + Send) {
    // The helpers of a team have been called already.
    #[cfg(feature = "parallel")]
    if parallel && !is_outside_of_pool() && Team::joined().is_none() {
        let is_over = AtomicBool::new(false);
        let run_task = || {
            task();
            is_over.store(true, Ordering::Relaxed);
        };
        // Other work could take longer than the task.
        Team::apart(|| rayon::join(run_task, || wait_briefly(&is_over, || false)));
        return;
    }
    let _ = parallel;
    task();
}

/// Calls `task` once with each index below `count` (PARALLEL-1); [`TaskItems`] relies on that.
fn run_tasks(parallel: bool, count: usize, task: &(dyn Fn(usize) + Sync)) {
    #[cfg(feature = "parallel")]
    if parallel && count > 1 {
        return in_team(count, || match Team::joined() {
            Some(team) => team.run(count, HELPERS, task),
            None => run_halves(0..count, task),
        });
    }
    let _ = parallel;
    (0..count).for_each(task);
}

/// Calls `task` once with each index of a range that is not empty.
#[cfg(feature = "parallel")]
fn run_halves(range: Range<usize>, task: &(dyn Fn(usize) + Sync)) {
    if range.len() == 1 {
        return task(range.start);
    }
    let middle = range.start + range.len() / 2;
    let (front, back) = (range.start..middle, middle..range.end);
    run_both(true, &mut || run_halves(front.clone(), task), &mut || run_halves(back.clone(), task));
}

/// A slice that tasks share, each with items of its own.
struct TaskItems<T> {
    start: *mut T,
    len: usize,
}

// SAFETY: the pointer comes from a `&mut [T]` that is borrowed while tasks run. Each item is
// accessed by one task, perhaps on another thread, so `T: Send`.
unsafe impl<T: Send> Sync for TaskItems<T> {}

impl<T> TaskItems<T> {
    fn new(items: &mut [T]) -> Self {
        Self { start: items.as_mut_ptr(), len: items.len() }
    }

    /// Chunk `k` of chunks of `size` items; the last one may have fewer.
    ///
    /// # Safety
    ///
    /// The slice is still borrowed, and one task alone has this chunk.
    #[allow(clippy::mut_from_ref, reason = "each task has its own items")]
    unsafe fn chunk(&self, k: usize, size: usize) -> &mut [T] {
        let start = k * size;
        assert!(start < self.len, "a task has items");
        // SAFETY: in bounds; the caller vouches that no other task has these items.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(start), size.min(self.len - start)) }
    }
}

/// Calls `task` with each index and item.
pub(crate) fn for_each_mut<T: Send>(parallel: bool, items: &mut [T], task: impl Fn(usize, &mut T) + Sync) {
    for_each_chunk(parallel, items, 1, |k, item| task(k, &mut item[0]));
}

/// Calls `task` with each index and shared item.
pub(crate) fn for_each<T: Sync>(parallel: bool, items: &[T], task: impl Fn(usize, &T) + Sync) {
    run_tasks(parallel, items.len(), &|k| task(k, &items[k]));
}

/// Calls `task` with the index of each chunk of `size` items, and the chunk.
pub(crate) fn for_each_chunk<T: Send>(
    parallel: bool,
    items: &mut [T],
    size: usize,
    task: impl Fn(usize, &mut [T]) + Sync,
) {
    // Units, which take no memory.
    let mut others = vec![(); items.len().div_ceil(size)];
    for_each_chunk_and(parallel, items, size, &mut others, |k, chunk, ()| task(k, chunk));
}

/// Calls `task` with the index of each chunk of `size` items, the chunk, and one item of `others`.
///
/// There are as many chunks as `others`, or fewer.
pub(crate) fn for_each_chunk_and<T: Send, U: Send>(
    parallel: bool,
    items: &mut [T],
    size: usize,
    others: &mut [U],
    task: impl Fn(usize, &mut [T], &mut U) + Sync,
) {
    let count = items.len().div_ceil(size).min(others.len());
    let (items, others) = (&TaskItems::new(items), &TaskItems::new(others));
    run_tasks(parallel, count, &|k| {
        // SAFETY: both are borrowed until all tasks ran, and each index has one task.
        let (chunk, other) = unsafe { (items.chunk(k, size), others.chunk(k, 1)) };
        task(k, chunk, &mut other[0]);
    });
}

/// Number of threads of the pool. As many run tasks at a time, whether or not the calling thread
/// is one of these.
pub(crate) fn worker_count(parallel: bool) -> usize {
    #[cfg(feature = "parallel")]
    if parallel {
        return thread_count();
    }
    let _ = parallel;
    1
}

/// Number of values that [`worker_index`] may have in tasks of the calling thread.
pub(crate) fn worker_slots(parallel: bool) -> usize {
    #[cfg(feature = "parallel")]
    if parallel && (is_outside_of_pool() || Team::joined().is_some()) {
        return thread_count() + 1;
    }
    worker_count(parallel)
}

/// Index of the calling thread among those of the pool; one more than the last if it is none of
/// them.
pub(crate) fn worker_index(parallel: bool) -> usize {
    #[cfg(feature = "parallel")]
    if parallel {
        return rayon::current_thread_index().unwrap_or_else(thread_count);
    }
    let _ = parallel;
    0
}

/// Sorts items; equal ones may end up in any order.
///
/// rayon's sorts are for threads of a pool: others would wait until the pool has time.
pub(crate) fn sort_unstable<T: Ord + Send>(parallel: bool, items: &mut [T]) {
    with_team(parallel, items.len(), || sort_parts(worker_count(parallel), items));
}

/// Sorts items on about so many threads.
fn sort_parts<T: Ord + Send>(threads: usize, items: &mut [T]) {
    if threads < 2 || items.len() < SORTED_ALONE {
        return items.sort_unstable();
    }
    let (less, _, greater) = items.select_nth_unstable(items.len() / 2);
    join(true, || sort_parts(threads.div_ceil(2), less), || sort_parts(threads.div_ceil(2), greater));
}

/// Runs a task in a pool of its own.
#[cfg(all(test, feature = "parallel", not(target_family = "wasm")))]
pub(crate) fn with_threads<R: Send>(count: usize, task: impl FnOnce() -> R + Send) -> R {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build();
    pool.expect("threads can be started").install(task)
}

#[cfg(all(test, feature = "parallel", not(target_family = "wasm")))]
mod tests {
    use super::*;
    use crate::helper_pool::with_pool;
    use std::sync::Arc;
    use std::sync::atomic::AtomicUsize;
    use std::time::Duration;

    #[test]
    fn each_task_runs_once_however_long_others_take() {
        for (threads, count) in [(1, 5), (2, 1), (2, 2), (3, 7), (4, 64)] {
            let runs: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
            with_threads(threads, || {
                run_tasks(true, count, &|k| {
                    // Now and then longer than a thread waits.
                    if k % 5 == 1 {
                        std::thread::sleep(Duration::from_millis(2));
                    }
                    runs[k].fetch_add(1, Ordering::Relaxed);
                });
            });
            assert!(runs.iter().all(|runs| runs.load(Ordering::Relaxed) == 1), "{threads} threads, {count} tasks");
        }
    }

    #[test]
    fn a_panic_ends_the_wait_of_the_other_thread() {
        let joined = with_threads(2, || {
            std::panic::catch_unwind(|| join(true, || 1, || -> i32 { std::panic::resume_unwind(Box::new("second")) }))
        });
        assert_eq!(joined.expect_err("it panicked").downcast_ref(), Some(&"second"));
    }

    #[test]
    fn a_step_stays_on_the_calling_thread() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
        let thread = || (is_outside_of_pool(), std::thread::current().id());
        let check = |is_outside: bool| {
            let here = thread();
            assert_eq!(here.0, is_outside);
            for (parallel, rows) in [(false, 100_000), (true, 100), (true, 100_000)] {
                assert_eq!(with_team(parallel, rows, thread), here);
                assert_eq!(with_team(parallel, rows, || Team::joined().is_some()), parallel && is_outside);
            }
            assert!(worker_index(true) < worker_slots(true));
            let mut ran_on = None;
            run_before_parallel(true, || ran_on = Some(thread()));
            assert_eq!(ran_on, Some(here));
        };
        check(true);
        pool.install(|| check(false));
    }

    #[test]
    fn helpers_are_from_the_chosen_pool() {
        let [three, other] = [3, 5].map(|threads: usize| {
            let pool =
                rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(move |_| format!("of {threads}"));
            Arc::new(pool.build().expect("threads can be started"))
        });
        let check = || {
            assert_eq!((worker_count(true), worker_slots(true), worker_index(true)), (3, 4, 3));
            let (leader, arrived) = (std::thread::current().id(), AtomicUsize::new(0));
            with_team(true, 100_000, || {
                // Each waits for the other, so they run on two threads.
                run_tasks(true, 2, &|_| {
                    arrived.fetch_add(1, Ordering::Relaxed);
                    while arrived.load(Ordering::Relaxed) < 2 {
                        std::thread::yield_now();
                    }
                    let is_helper = std::thread::current().id() != leader;
                    assert_eq!((is_outside_of_pool(), worker_index(true) < 3), (!is_helper, is_helper));
                    assert_eq!(std::thread::current().name() == Some("of 3"), is_helper);
                    // A member of a team has its helpers.
                    with_pool(&other, || assert_eq!(worker_slots(true), 4));
                });
            });
            let mut numbers: Vec<u32> = (0..10_000).rev().collect();
            sort_unstable(true, &mut numbers);
            assert!(numbers.is_sorted());
        };
        with_pool(&other, || with_pool(&three, check));
        three.install(|| with_pool(&other, || assert_eq!(worker_count(true), 3)));
        assert_eq!(worker_count(true), rayon::current_num_threads());
    }

    #[test]
    fn a_step_runs_its_tasks_on_a_team() {
        let runs: Vec<AtomicUsize> = (0..100).map(|_| AtomicUsize::new(0)).collect();
        let (front, back) = with_team(true, 100_000, || {
            let count = |k: usize| {
                assert!(Team::joined().is_some() && worker_index(true) < rayon::current_num_threads() + 1);
                runs[k].fetch_add(1, Ordering::Relaxed)
            };
            let halves = || join(true, || run_tasks(true, 50, &|k| _ = count(k)), || 2);
            join(true, halves, || run_tasks(true, 50, &|k| _ = count(50 + k)))
        });
        assert_eq!((front, back), (((), 2), ()));
        assert!(runs.iter().all(|runs| runs.load(Ordering::Relaxed) == 1));
    }
}
