//! Steps.

use crate::bodies::{Chunks, tp_bodies};
use crate::caller::{Caller, call};
use crate::error::{Failure, tp_error};
use crate::status::tp_status;
use crate::status::tp_status::*;
use crate::world::tp_world;
use broad_phase::ChangedRows;

/// Steps one frame: finds every contact pair of bodies, and of bodies and enabled statics.
///
/// A contact pair is two entities whose closed boxes overlap and whose filters accept each other.
/// Rows are numbered through all chunks: the first row of a chunk follows the last row of the chunk
/// before. Most programs pass one tp_bodies and 1. The columns are read during the call and not
/// kept.
///
/// Errors: TP_STATUS_INVALID_BODY names the lowest invalid row; TP_STATUS_NULL_POINTER and
/// TP_STATUS_INVALID_STRIDE name the column; TP_STATUS_INCONSISTENT_IDS, TP_STATUS_DUPLICATE_ID,
/// TP_STATUS_TOO_MANY_ROWS, TP_STATUS_TOO_MANY_PAIRS; TP_STATUS_NO_THREADS, if the threads that
/// worlds share cannot be started.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_step(world: *mut tp_world, chunks: *const tp_bodies, chunk_count: usize) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            c.update(world, |world| {
                let chunks = Chunks::read(c, chunks, chunk_count)?;
                let is_parallel = world.is_parallel(chunks.rows());
                world.update_on_pool(is_parallel, |world| world.step(&chunks).map(|_| ()))
            })
        })
    }
}

/// Which rows have changed since the last successful step.
///
/// Set one of the three arrays, or none if no row changed. A row has changed if any of its columns
/// has: box, displacement, filter or id. Rows beyond those of the last step need not be named, rows
/// that do not exist any more must not be.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct tp_changed {
    /// Rows in any order, or null.
    pub rows: *const u32,
    /// Number of elements of `rows`.
    pub row_count: usize,
    /// A byte for each row of the step, 1 if it changed and 0 if not; or null.
    pub flags: *const u8,
    /// Number of elements of `flags`.
    pub flag_count: usize,
    /// A bit for each row of the step, from the lowest bit of the first word on; or null.
    pub bits: *const u64,
    /// Number of elements of `bits`.
    pub bit_word_count: usize,
}

impl tp_changed {
    fn read<'c>(&self, c: Caller<'c>) -> Result<ChangedRows<'c>, Failure> {
        // One that is null although it has elements is an error, too.
        let is_given = |is_null: bool, count: usize| !is_null || count > 0;
        let given = [
            is_given(self.rows.is_null(), self.row_count),
            is_given(self.flags.is_null(), self.flag_count),
            is_given(self.bits.is_null(), self.bit_word_count),
        ];
        match given {
            [_, false, false] => Ok(c.slice(self.rows, self.row_count, "rows")?.into()),
            [false, true, false] => {
                let flags = c.slice(self.flags, self.flag_count, "flags")?;
                let flags: &[bool] = bytemuck::checked::try_cast_slice(flags).map_err(|_| wrong_flag(flags))?;
                Ok(flags.into())
            }
            [false, false, true] => Ok(ChangedRows::from_bits(c.slice(self.bits, self.bit_word_count, "bits")?)),
            _ => Err(Failure::argument("only one of rows, flags and bits may be set")),
        }
    }
}

/// The error of the first flag that is neither 0 nor 1.
fn wrong_flag(flags: &[u8]) -> Failure {
    let (row, flag) = (0..).zip(flags).find(|&(_, flag)| *flag > 1).unwrap_or((0, &0));
    let details = tp_error { row, value: (*flag).into(), ..tp_error::new(TP_STATUS_INVALID_ARGUMENT) };
    Failure::new(details, format!("flag of changed row {row} is {flag}; must be 0 or 1"))
}

/// Like tp_step(), but told which rows have changed since the last successful step.
///
/// For worlds in which few bodies move: only the changed rows are read. The columns are those of all
/// bodies. All other rows must be the same as in the last successful step, bit for bit; a row that
/// changed without being named stays where it was, until a step reads all rows. A debug build of
/// this library (`cargo build`) compares all rows in each step, and returns TP_STATUS_PANIC with a
/// message that names the row. After an error, name the same rows again.
/// Pairs are those of tp_step(). Their order also depends on which rows changed in the last step.
///
/// If more than one row in six changed (in 22, if other rows change in each step), this takes about as
/// long as tp_step(). After such a step, a step by another call, tp_set_statics() and
/// tp_shift_origin(), all rows are stepped, in up to three times the time of tp_step(). So do not
/// take turns with tp_step(). Rows beyond those of the last step need not be named, and rows that no
/// longer exist must not be; after a row was removed by moving the last one there, name that row. The
/// guide of the library, guide/src/told-changes.md, has all cases.
///
/// Errors: those of tp_step(); TP_STATUS_NOT_FOUND names a changed row that does not exist;
/// TP_STATUS_LENGTH_MISMATCH if there is not a flag, or not a bit, for each row;
/// TP_STATUS_NULL_POINTER if the array of a count is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_step_changed(
    world: *mut tp_world,
    chunks: *const tp_bodies,
    chunk_count: usize,
    changed: *const tp_changed,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let changed = c.get(changed, "changed")?.read(c)?;
            c.update(world, |world| {
                let chunks = Chunks::read(c, chunks, chunk_count)?;
                let is_parallel = world.is_parallel(chunks.rows());
                world.update_on_pool(is_parallel, |world| world.step_changed(&chunks, changed).map(|_| ()))
            })
        })
    }
}

/// Copies the rows that the last successful step skipped, ascending; see TP_INVALID_ROWS_SKIP.
///
/// Each is described like the error that it would have been otherwise.
///
/// Errors: TP_STATUS_BUFFER_TOO_SMALL, after `count` was written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_skipped_rows(
    world: *const tp_world,
    rows: *mut tp_error,
    capacity: usize,
    count: *mut usize,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let skipped = c.world(world)?.world.skipped_rows();
            let errors = skipped.iter().map(|&row| tp_error::of_row(TP_STATUS_INVALID_BODY, row));
            c.copy(skipped.len(), errors, rows, capacity, count, "rows")
        })
    }
}
