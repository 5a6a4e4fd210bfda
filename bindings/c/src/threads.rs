//! The threads that a world uses: a pool of its own, or that of the process.

use crate::error::Failure;
use crate::status::tp_status::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::error::Error as _;
use std::sync::{Arc, OnceLock};
use std::thread::{Builder, JoinHandle};

/// Most threads of a world.
const THREADS_MAX: u32 = 1024;

/// The threads of a world, its readers and its snapshots.
#[derive(Clone)]
pub(crate) struct Threads {
    own: Option<Arc<OwnPool>>,
    may_be_several: bool,
}

impl Threads {
    /// Those of a world with this [`thread_count`](crate::config::tp_config::thread_count).
    pub(crate) fn new(thread_count: u32, may_be_several: bool) -> Result<Self, Failure> {
        if thread_count > THREADS_MAX {
            let message = format!("thread_count is {thread_count}; must be at most {THREADS_MAX}");
            return Err(Failure::status(TP_STATUS_INVALID_CONFIG, message));
        }
        let has_own = thread_count > 1 && may_be_several;
        let own = has_own.then(|| OwnPool::start(thread_count).map(Arc::new)).transpose()?;
        Ok(Self { own, may_be_several })
    }

    /// Runs work on the calling thread, with help from these.
    pub(crate) fn run<T>(&self, work: impl FnOnce() -> T) -> Result<T, Failure> {
        if let Some(own) = &self.own {
            return Ok(broad_phase::with_pool(&own.pool, work));
        }
        if self.may_be_several {
            start_shared_pool()?;
        }
        Ok(work())
    }
}

/// The threads of a world. To drop it waits until they have ended.
struct OwnPool {
    /// Dropped first, which tells the threads to end.
    pool: Arc<ThreadPool>,
    _threads: Joined,
}

/// Threads that are waited for when this is dropped.
struct Joined {
    /// After a fork, the child has none of them.
    process: u32,
    threads: Vec<JoinHandle<()>>,
}

impl Drop for Joined {
    fn drop(&mut self) {
        let threads = std::mem::take(&mut self.threads);
        if self.process != std::process::id() {
            return std::mem::forget(threads);
        }
        // A thread of rayon that panics aborts the process, so there is no panic to pass on.
        threads.into_iter().for_each(|thread| _ = thread.join());
    }
}

impl OwnPool {
    fn start(thread_count: u32) -> Result<Self, Failure> {
        let mut threads = Joined { process: std::process::id(), threads: Vec::new() };
        let start = |thread: rayon::ThreadBuilder| {
            let named = Builder::new().name(format!("triphase {}", thread.index()));
            threads.threads.push(named.spawn(|| thread.run())?);
            Ok(())
        };
        let built = ThreadPoolBuilder::new().num_threads(thread_count as usize).spawn_handler(start).build();
        let pool = built.map_err(|error| no_threads(&format!("cannot start {thread_count} threads: {error}")))?;
        Ok(Self { pool: Arc::new(pool), _threads: threads })
    }
}

/// Starts the threads that worlds without a pool of their own share, unless they were started.
/// Where rayon starts them by itself, it panics if it cannot.
fn start_shared_pool() -> Result<(), Failure> {
    static FAILURE: OnceLock<Option<String>> = OnceLock::new();
    let failure = FAILURE.get_or_init(|| {
        let error = ThreadPoolBuilder::new().build_global().err()?;
        // Without a source, the program's Rust code has started them.
        error.source().map(|source| format!("cannot start threads: {source}"))
    });
    failure.as_deref().map_or(Ok(()), |message| Err(no_threads(message)))
}

fn no_threads(message: &str) -> Failure {
    Failure::status(TP_STATUS_NO_THREADS, message)
}
