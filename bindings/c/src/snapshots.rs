//! Snapshots, which other threads query while the next step runs.

use crate::caller::{Caller, call};
use crate::error::Failure;
use crate::shapes::tp_box;
use crate::statics::{give_static, tp_static};
use crate::status::tp_status;
use crate::threads::Threads;
use crate::world::tp_world;
use broad_phase::{Snapshot, SnapshotReader};
use std::time::Duration;

/// A handle through which other threads get the last completed step of a world.
///
/// Opaque; made by tp_reader_create().
pub struct tp_reader {
    reader: SnapshotReader,
    threads: Threads,
}

/// A completed step of a world, which does not change any more; see tp_query_options.snapshot.
///
/// Opaque; made by tp_reader_latest() and tp_reader_wait_newer().
pub struct tp_snapshot {
    pub(crate) snapshot: Snapshot,
    pub(crate) threads: Threads,
}

/// Counts of a snapshot.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct tp_snapshot_counts {
    /// Number of its step.
    pub step_number: u64,
    /// Rows of the step, including skipped ones.
    pub body_count: u64,
    /// Rows of its static set, those of disabled and of removed statics included.
    pub static_count: u64,
}

/// Creates a reader of a world.
///
/// Not while another thread changes the world. While there are readers, each step copies its ids.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_reader_create(world: *const tp_world, reader: *mut *mut tp_reader) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let (world, out) = (c.world(world)?, c.out(reader, "reader")?);
            let (reader, threads) = (world.world.reader(), world.threads.clone());
            out.write(Box::into_raw(Box::new(tp_reader { reader, threads })));
            Ok(())
        })
    }
}

/// Destroys a reader, before or after its world. `reader` may be null. Its snapshots stay.
///
/// If the world has threads of its own, they end with the last of the world, its readers and its
/// snapshots: the call that destroys it waits for them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_reader_destroy(reader: *mut tp_reader) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            drop(c.take(reader));
            Ok(())
        })
    }
}

/// Creates a snapshot of the last completed step, and writes the number of that step.
///
/// Any thread may call this at any time, even while another thread steps the world. `step_number`
/// may be null. Destroy the snapshot when it is not needed any more: it keeps the memory of a step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_reader_latest(
    reader: *const tp_reader,
    snapshot: *mut *mut tp_snapshot,
    step_number: *mut u64,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let tp_reader { reader, threads } = c.get(reader, "reader")?;
            let out = c.out(snapshot, "snapshot")?;
            let number = c.optional_out(step_number, "step_number")?;
            let snapshot = reader.latest();
            if let Some(number) = number {
                number.write(snapshot.step_number());
            }
            out.write(Box::into_raw(Box::new(tp_snapshot { snapshot, threads: threads.clone() })));
            Ok(())
        })
    }
}

/// Waits for a step newer than `step_number`, at most `seconds`, and creates a snapshot of it.
///
/// The thread sleeps while it waits; meanwhile, do not destroy the reader. `snapshot` gets null if
/// the time runs out, as in a pause of the game, or if the world is destroyed first. In the latter
/// case, no step will follow, and `is_closed` gets 1, otherwise 0. `is_closed` may be null.
///
/// Errors: TP_STATUS_INVALID_ARGUMENT if `seconds` is negative or NaN.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_reader_wait_newer(
    reader: *const tp_reader,
    step_number: u64,
    seconds: f64,
    snapshot: *mut *mut tp_snapshot,
    is_closed: *mut u8,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let tp_reader { reader, threads } = c.get(reader, "reader")?;
            let out = c.out(snapshot, "snapshot")?;
            let closed = c.optional_out(is_closed, "is_closed")?;
            if seconds.is_nan() || seconds < 0.0 {
                return Err(Failure::argument(format!("seconds is {seconds}; must be at least 0")));
            }
            let timeout = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
            let mut found = reader.wait_newer(step_number, timeout);
            let was_closed = reader.is_closed();
            if found.is_none() && was_closed {
                // A last step may have been made after the time ran out.
                found = reader.wait_newer(step_number, Duration::ZERO);
            }
            if let Some(closed) = closed {
                // Not beside a snapshot, which need not be of the last step.
                closed.write((found.is_none() && was_closed).into());
            }
            out.write(found.map_or(std::ptr::null_mut(), |snapshot| {
                Box::into_raw(Box::new(tp_snapshot { snapshot, threads: threads.clone() }))
            }));
            Ok(())
        })
    }
}

/// Writes the counts of a snapshot.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_snapshot_get_counts(
    snapshot: *const tp_snapshot,
    counts: *mut tp_snapshot_counts,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let snapshot = of(c, snapshot)?;
            c.out(counts, "counts")?.write(tp_snapshot_counts {
                step_number: snapshot.step_number(),
                body_count: snapshot.body_count() as u64,
                static_count: snapshot.statics().len() as u64,
            });
            Ok(())
        })
    }
}

/// Writes the id of a body of a snapshot, or its row if the step had no ids.
///
/// Errors: TP_STATUS_NOT_FOUND if the step had no such row.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_snapshot_body_id(snapshot: *const tp_snapshot, row: u32, id: *mut u64) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let (snapshot, out) = (of(c, snapshot)?, c.out(id, "id")?);
            if row as usize >= snapshot.body_count() {
                return Err(Failure::body(row, "the step had no such row"));
            }
            out.write(snapshot.body_id(row).unwrap_or(row.into()));
            Ok(())
        })
    }
}

/// Writes the box of a body of a snapshot; like tp_body_box().
///
/// Errors: TP_STATUS_NOT_FOUND if the row was skipped or does not exist.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_snapshot_body_box(snapshot: *const tp_snapshot, row: u32, aabb: *mut tp_box) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let (snapshot, out) = (of(c, snapshot)?, c.out(aabb, "aabb")?);
            let found = snapshot.aabb(row);
            out.write(found.ok_or_else(|| Failure::body(row, "the step had no such row, or skipped it"))?.into());
            Ok(())
        })
    }
}

/// Writes a static of the set of a snapshot; like tp_get_static().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_snapshot_static(
    snapshot: *const tp_snapshot,
    row: u32,
    found: *mut tp_static,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe { call(|c| give_static(c, of(c, snapshot)?.statics(), row, found)) }
}

fn of(c: Caller<'_>, snapshot: *const tp_snapshot) -> Result<&Snapshot, Failure> {
    Ok(&c.get(snapshot, "snapshot")?.snapshot)
}

/// Destroys a snapshot, before or after its reader and world. `snapshot` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_snapshot_destroy(snapshot: *mut tp_snapshot) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            drop(c.take(snapshot));
            Ok(())
        })
    }
}
