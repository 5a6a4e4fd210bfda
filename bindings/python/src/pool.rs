//! Threads that all worlds share.
//!
//! rayon's global pool is not used: after `os.fork`, which `multiprocessing` may call, the child
//! has the pool but none of its threads, and would wait for them forever. Here the child makes a
//! pool of its own.

use crate::errors::{self, Facts};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The pools of a process, by the number of threads that was asked for; 0 for the default.
struct Pools {
    process: u32,
    by_size: HashMap<usize, Arc<ThreadPool>>,
}

static POOLS: Mutex<Option<Pools>> = Mutex::new(None);

/// Most threads of a pool.
const THREADS_MAX: usize = 1024;

/// Checks a number of threads.
pub(crate) fn check(py: Python<'_>, threads: Option<usize>) -> PyResult<()> {
    match threads {
        Some(count) if !(1..=THREADS_MAX).contains(&count) => {
            let facts = Facts { value: Some(count as f64), ..Facts::of_column("threads") };
            let message = format!("threads is {count}; must be None or from 1 to {THREADS_MAX}");
            Err(errors::error(py, message, facts))
        }
        _ => Ok(()),
    }
}

/// The pool with this many threads, which stays until the process ends; by default one per CPU, or
/// as many as `RAYON_NUM_THREADS` says.
///
/// Takes the GIL token because the lock is held only while the GIL is: a fork happens with the GIL,
/// so no thread that does not exist in the child holds the lock.
pub(crate) fn of_size(_py: Python<'_>, threads: Option<usize>) -> PyResult<Arc<ThreadPool>> {
    let size = threads.unwrap_or(0);
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if pools.as_ref().is_some_and(|pools| pools.process != process) {
        // Dropping the parent's pools would wake threads that do not exist here.
        std::mem::forget(pools.take());
    }
    let by_size = &mut pools.get_or_insert_with(|| Pools { process, by_size: HashMap::new() }).by_size;
    if let Some(pool) = by_size.get(&size) {
        return Ok(pool.clone());
    }
    let pool = ThreadPoolBuilder::new().num_threads(size).thread_name(|k| format!("triphase-{k}")).build();
    let pool = Arc::new(pool.map_err(|error| PyRuntimeError::new_err(format!("cannot start threads: {error}")))?);
    by_size.insert(size, pool.clone());
    Ok(pool)
}
