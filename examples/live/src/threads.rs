//! The threads of steps, where there are any.

#[cfg(feature = "native")]
use rayon::{ThreadPool, ThreadPoolBuilder};

/// A pool of threads of its own, so that their number can change.
pub(crate) struct Threads {
    #[cfg(feature = "native")]
    pool: Option<ThreadPool>,
}

impl Threads {
    /// The most threads that are worth having here.
    pub(crate) fn count_max() -> usize {
        #[cfg(feature = "native")]
        return std::thread::available_parallelism().map_or(1, usize::from);
        #[cfg(not(feature = "native"))]
        1
    }

    /// Starts this many threads. If the system has no more threads, work is done on the caller's.
    #[cfg(feature = "native")]
    pub(crate) fn new(count: usize) -> Self {
        Self { pool: ThreadPoolBuilder::new().num_threads(count).build().ok() }
    }

    /// The thread of the caller.
    #[cfg(not(feature = "native"))]
    pub(crate) fn new(_: usize) -> Self {
        Self {}
    }

    /// Runs something on these threads.
    #[cfg(feature = "native")]
    pub(crate) fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// Runs something.
    #[cfg(not(feature = "native"))]
    pub(crate) fn run<T>(&self, work: impl FnOnce() -> T) -> T {
        work()
    }
}
