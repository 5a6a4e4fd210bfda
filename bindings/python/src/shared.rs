//! A world that Python threads may share.
//!
//! SHARED-1: the world is locked before it is read or changed, and nobody waits for the lock: a
//! call that cannot have it raises `BusyError`. So there is no deadlock, whatever else a thread
//! holds, the GIL included.
//!
//! SHARED-2: the library runs without the GIL. What it reads then is not Python's: it gets slices
//! of arrays that are borrowed (see `columns`), and copies.
//!
//! SHARED-3: a panic becomes an exception. If the world was being changed, the lock is poisoned, so
//! that no later call sees a half-changed world.

use crate::errors::{self, types};
use crate::pool;
use pyo3::prelude::*;
use rayon::ThreadPool;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, RwLock, TryLockError};
use triphase::{Error, World, WorldConfig};

/// A world, and the threads it runs on.
pub(crate) struct SharedWorld {
    world: RwLock<World>,
    config: WorldConfig,
    threads: Option<usize>,
}

/// Whether work may run on several threads, and so has to run on a pool.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// On the calling thread alone.
    Sequential,
    /// As the settings say.
    Parallel,
}

/// Why a call failed.
enum Failure {
    /// Another thread has the lock.
    Busy(&'static str),
    /// A change of the world panicked earlier.
    Poisoned,
    /// This call panicked.
    Panicked(String),
    Refused(Error),
}

impl SharedWorld {
    pub(crate) fn new(config: WorldConfig, threads: Option<usize>) -> Result<Self, Error> {
        Ok(Self { world: RwLock::new(World::new(config.clone())?), config, threads })
    }

    pub(crate) fn config(&self) -> &WorldConfig {
        &self.config
    }

    pub(crate) fn threads(&self) -> Option<usize> {
        self.threads
    }

    /// Steps of so many rows use several threads.
    pub(crate) fn work_of(&self, rows: usize) -> Work {
        match self.config.parallel_threshold() {
            Some(threshold) if rows >= threshold => Work::Parallel,
            _ => Work::Sequential,
        }
    }

    /// Runs `change` with the world to itself, without the GIL.
    pub(crate) fn change<T: Send>(
        &self,
        py: Python<'_>,
        work: Work,
        change: impl FnOnce(&mut World) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let pool = self.pool(py, work)?;
        let run = || {
            let mut world = match self.world.try_write() {
                Ok(world) => world,
                Err(TryLockError::WouldBlock) => return Err(Failure::Busy("in use")),
                Err(TryLockError::Poisoned(_)) => return Err(Failure::Poisoned),
            };
            // A panic drops the guard, which poisons the lock (SHARED-3).
            let world = &mut *world;
            with_pool(pool.as_ref(), || change(world)).map_err(Failure::Refused)
        };
        finish(py, py.detach(|| catch_unwind(AssertUnwindSafe(run))))
    }

    /// Runs `read` with the world, which other threads may read at the same time, without the GIL.
    pub(crate) fn read<T: Send>(
        &self,
        py: Python<'_>,
        work: Work,
        read: impl FnOnce(&World) -> T + Send,
    ) -> PyResult<T> {
        let pool = self.pool(py, work)?;
        let run = || {
            let world = match self.world.try_read() {
                Ok(world) => world,
                Err(TryLockError::WouldBlock) => return Err(Failure::Busy("stepping or being changed")),
                Err(TryLockError::Poisoned(_)) => return Err(Failure::Poisoned),
            };
            let world = &*world;
            Ok(with_pool(pool.as_ref(), || read(world)))
        };
        finish(py, py.detach(|| catch_unwind(AssertUnwindSafe(run))))
    }

    /// The pool for the work, unless it stays on the calling thread.
    fn pool(&self, py: Python<'_>, work: Work) -> PyResult<Option<Arc<ThreadPool>>> {
        if work == Work::Sequential || self.config.parallel_threshold().is_none() {
            return Ok(None);
        }
        pool::of_size(py, self.threads).map(Some)
    }
}

/// Runs work on the calling thread, with help from a pool if there is one.
fn with_pool<T>(pool: Option<&Arc<ThreadPool>>, work: impl FnOnce() -> T) -> T {
    match pool {
        Some(pool) => triphase::with_pool(pool, work),
        None => work(),
    }
}

/// Runs work of the library that needs no world, without the GIL. A panic becomes an exception.
pub(crate) fn run_alone<T: Send>(
    py: Python<'_>,
    pool: Option<&Arc<ThreadPool>>,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let run = || Ok(with_pool(pool, work));
    finish(py, py.detach(|| catch_unwind(AssertUnwindSafe(run))))
}

fn finish<T>(py: Python<'_>, outcome: Result<Result<T, Failure>, Box<dyn Any + Send>>) -> PyResult<T> {
    let failure = match outcome {
        Ok(Ok(done)) => return Ok(done),
        Ok(Err(failure)) => failure,
        Err(panic) => Failure::Panicked(panic_message(&*panic)),
    };
    Err(match failure {
        Failure::Refused(error) => errors::of_library(py, &error),
        Failure::Busy(state) => types::BusyError::new_err(format!(
            "World is {state} in another thread; wait for that call to return, or use one World per thread"
        )),
        Failure::Poisoned => types::PanicError::new_err(
            "World is unusable, because an earlier call that changed it panicked; create a new one",
        ),
        Failure::Panicked(message) => types::PanicError::new_err(format!("the library panicked: {message}")),
    })
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message").to_owned()
}
