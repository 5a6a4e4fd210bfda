//! Snapshots, which other threads query while the next step runs.

use crate::caller::call;
use crate::status::tp_status;
use crate::world::tp_world;
use broad_phase::{Snapshot, SnapshotReader};

/// A handle through which other threads get the last completed step of a world.
///
/// Opaque; made by tp_reader_create().
pub struct tp_reader {
    reader: SnapshotReader,
}

/// A completed step of a world, which does not change any more; see tp_query_options.snapshot.
///
/// Opaque; made by tp_reader_latest().
pub struct tp_snapshot {
    pub(crate) snapshot: Snapshot,
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
            out.write(Box::into_raw(Box::new(tp_reader { reader: world.world.reader() })));
            Ok(())
        })
    }
}

/// Destroys a reader, before or after its world. `reader` may be null. Its snapshots stay.
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
            let (reader, out) = (c.get(reader, "reader")?, c.out(snapshot, "snapshot")?);
            let number = (!step_number.is_null()).then(|| c.out(step_number, "step_number")).transpose()?;
            let snapshot = reader.reader.latest();
            if let Some(number) = number {
                number.write(snapshot.step_number());
            }
            out.write(Box::into_raw(Box::new(tp_snapshot { snapshot })));
            Ok(())
        })
    }
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
