//! The handle of a world: creation, and calls of the whole world.

use crate::caller::{Caller, call};
use crate::config::tp_config;
use crate::error::Failure;
use crate::shapes::tp_vec2;
use crate::status::tp_status;
use crate::status::tp_status::*;
use crate::threads::Threads;
use broad_phase::{Error, World};

/// A broad phase: finds the contact pairs of moving bodies and statics, and answers queries.
///
/// Opaque; made by tp_world_create().
pub struct tp_world {
    pub(crate) world: World,
    pub(crate) threads: Threads,
    /// Whether a panic ended a change.
    pub(crate) broken: bool,
}

impl tp_world {
    /// Changes the world, on its threads if it may use several.
    pub(crate) fn update_on_pool<T: Send>(
        &mut self,
        is_parallel: bool,
        work: impl FnOnce(&mut World) -> Result<T, Error> + Send,
    ) -> Result<T, Failure> {
        let Self { world, threads, .. } = self;
        let outcome = if is_parallel { threads.run(|| work(world))? } else { work(world) };
        Ok(outcome?)
    }

    /// Whether a step of so many rows uses several threads.
    pub(crate) fn is_parallel(&self, rows: usize) -> bool {
        self.world.config().parallel_threshold().is_some_and(|threshold| rows >= threshold)
    }
}

impl<'c> Caller<'c> {
    /// A world that can be read.
    pub(crate) fn world(self, world: *const tp_world) -> Result<&'c tp_world, Failure> {
        let world = self.get(world, "world")?;
        if world.broken { Err(broken()) } else { Ok(world) }
    }

    /// Changes a world. If `change` panics, the world stays broken.
    pub(crate) fn update(
        self,
        world: *mut tp_world,
        change: impl FnOnce(&mut tp_world) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        if self.get(world.cast_const(), "world")?.broken {
            return Err(broken());
        }
        self.get_mut(world, "world")?.broken = true;
        let outcome = change(self.get_mut(world, "world")?);
        self.get_mut(world, "world")?.broken = false;
        outcome
    }
}

fn broken() -> Failure {
    Failure::status(TP_STATUS_PANIC, "the world is broken by an earlier panic; destroy it")
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
            let threads = Threads::new(config.thread_count, world.config().parallel_threshold().is_some())?;
            out.write(Box::into_raw(Box::new(tp_world { world, threads, broken: false })));
            Ok(())
        })
    }
}

/// Destroys a world, broken or not. `world` may be null.
///
/// Arrays of the world become invalid: pages of pairs, changed pairs, partners. Those of a tp_buffer
/// stay, and so do readers and snapshots. The world's own threads end, and are waited for, once its
/// readers and snapshots are destroyed too.
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
/// Steps release memory by themselves once 256 to 511 of them in a row needed less than half of it,
/// a part in each of the next few steps.
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
