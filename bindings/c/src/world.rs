//! The handle of a world: creation, and calls of the whole world.

use crate::caller::{Failure, call};
use crate::config::tp_config;
use crate::shapes::tp_vec2;
use crate::status::tp_status;
use crate::status::tp_status::*;
use broad_phase::{Error, World};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::error::Error as _;
use std::sync::OnceLock;
use std::thread::{Builder, JoinHandle};

/// Version of the interface. It changes with every incompatible change of the header.
pub const TP_ABI_VERSION: u32 = 1;

/// A broad phase: finds the contact pairs of moving bodies and statics, and answers queries.
///
/// Opaque; made by tp_world_create().
pub struct tp_world {
    pub(crate) world: World,
    pool: Option<OwnPool>,
    /// Whether a panic ended a change.
    pub(crate) broken: bool,
}

impl tp_world {
    /// Runs work on the pool of the world, or on that of the process, if it may use several threads.
    pub(crate) fn update_on_pool<T: Send>(
        &mut self,
        is_parallel: bool,
        work: impl FnOnce(&mut World) -> Result<T, Error> + Send,
    ) -> Result<T, Failure> {
        let outcome = match &self.pool {
            Some(OwnPool { pool, .. }) if is_parallel => pool.install(|| work(&mut self.world)),
            _ => {
                if is_parallel {
                    start_shared_pool()?;
                }
                work(&mut self.world)
            }
        };
        Ok(outcome?)
    }

    /// Runs a batch in the same way.
    pub(crate) fn read_on_pool(&self, work: impl FnOnce() + Send) -> Result<(), Failure> {
        match &self.pool {
            Some(OwnPool { pool, .. }) => pool.install(work),
            None => {
                if self.is_parallel(usize::MAX) {
                    start_shared_pool()?;
                }
                work();
            }
        }
        Ok(())
    }

    /// Whether a step of so many rows uses several threads.
    pub(crate) fn is_parallel(&self, rows: usize) -> bool {
        self.world.config().parallel_threshold().is_some_and(|threshold| rows >= threshold)
    }
}

/// Counts of a world.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct tp_counts {
    /// Number of successful steps so far.
    pub step_number: u64,
    /// Rows of the last step, including skipped ones.
    pub body_count: u64,
    /// Pairs of two bodies in the last step.
    pub body_pair_count: u64,
    /// Pairs of a body and a static in the last step.
    pub static_pair_count: u64,
    /// Rows of the static set, those of disabled and of removed statics included.
    pub static_count: u64,
    /// Invalid rows that the last step skipped.
    pub skipped_count: u64,
}

/// Returns the TP_ABI_VERSION that the library was built with.
///
/// Programs that load the library at run time compare it with that of their header.
#[unsafe(no_mangle)]
pub extern "C" fn tp_abi_version() -> u32 {
    TP_ABI_VERSION
}

/// Creates a world. `config` may be null, for the default settings.
///
/// Errors: TP_STATUS_INVALID_CONFIG names the setting, TP_STATUS_INVALID_ARGUMENT a flag that is
/// neither 0 nor 1; TP_STATUS_NO_THREADS.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_world_create(config: *const tp_config, world: *mut *mut tp_world) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let out = c.out(world, "world")?;
            let config = if config.is_null() {
                tp_config::default()
            } else {
                c.check(config, "config")?;
                // A struct of another version may be shorter, so the rest of it is not looked at.
                let size = *c.get(config.cast::<u32>(), "config")?;
                tp_config::read(size, c.slice(config.cast::<u8>(), tp_config::known_size(size)?, "config")?)?
            };
            let world = World::new(config.to_world_config()?)?;
            if config.thread_count > THREADS_MAX {
                let message = format!("thread_count is {}; must be at most {THREADS_MAX}", config.thread_count);
                return Err(Failure::status(TP_STATUS_INVALID_CONFIG, message));
            }
            let has_pool = config.thread_count > 1 && world.config().parallel_threshold().is_some();
            let pool = if has_pool { Some(OwnPool::start(config.thread_count)?) } else { None };
            out.write(Box::into_raw(Box::new(tp_world { world, pool, broken: false })));
            Ok(())
        })
    }
}

/// Most threads of a world.
const THREADS_MAX: u32 = 1024;

/// The threads of a world. To drop it waits until they have ended.
struct OwnPool {
    /// Dropped first, which tells the threads to end.
    pool: ThreadPool,
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
        Ok(Self { pool, _threads: threads })
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

/// Destroys a world, broken or not, and waits for its threads to end. `world` may be null.
///
/// All arrays that calls of this world returned become invalid. Snapshots stay valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_world_destroy(world: *mut tp_world) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            drop(c.take(world));
            Ok(())
        })
    }
}

/// Writes the counts of a world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_world_counts(world: *const tp_world, counts: *mut tp_counts) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let world = &c.world(world)?.world;
            let contacts = world.contacts();
            c.out(counts, "counts")?.write(tp_counts {
                step_number: world.step_number(),
                body_count: contacts.body_count() as u64,
                body_pair_count: contacts.body_pairs().len() as u64,
                static_pair_count: contacts.static_pairs().len() as u64,
                static_count: world.statics().len() as u64,
                skipped_count: world.skipped_rows().len() as u64,
            });
            Ok(())
        })
    }
}

/// Moves the origin of coordinates to `by`, in world units.
///
/// Each edge of each stored box becomes `edge - by`, in f32. Subtract `by` from your columns before
/// the next step, and from the shapes of all further queries. Contacts do not change. Because of
/// rounding, boxes that touched may no longer touch, or vice versa.
///
/// Errors: TP_STATUS_INVALID_ARGUMENT if `by` is not finite, TP_STATUS_INVALID_STATIC if an edge of
/// a static would not be finite.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_shift_origin(world: *mut tp_world, by: tp_vec2) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            c.update(world, |world| {
                let is_parallel = world.is_parallel(usize::MAX);
                world.update_on_pool(is_parallel, |world| world.shift_origin(by))
            })
        })
    }
}

/// Releases all memory that is not needed to keep the last step.
///
/// Steps release memory by themselves once 256 of them in a row needed less than half of it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_shrink(world: *mut tp_world) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            c.update(world, |world| {
                world.world.shrink_to_fit();
                Ok(())
            })
        })
    }
}

/// Copies the rows of the last step, sorted so that nearby bodies are adjacent.
///
/// Row `order[k]` belongs at position `k`. If you sort your bodies by it once in a hundred frames
/// or so, loops over contacts find both bodies of a pair close together in memory. `count` gets the
/// number of rows, tp_counts.body_count.
///
/// Errors: TP_STATUS_BUFFER_TOO_SMALL, after `count` was written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_spatial_order(
    world: *const tp_world,
    order: *mut u32,
    capacity: usize,
    count: *mut usize,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let world = &c.world(world)?.world;
            let mut rows = Vec::new();
            world.spatial_order(&mut rows);
            c.copy(rows.len(), rows.into_iter(), order, capacity, count, "order")
        })
    }
}
