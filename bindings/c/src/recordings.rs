//! Recordings: the calls of a world, written to a file and made again.

use crate::caller::call;
use crate::error::Failure;
use crate::status::tp_status;
use crate::status::tp_status::*;
use crate::threads::Threads;
use crate::world::tp_world;
use broad_phase::record::{RecordedEntry, RecordedOutcome, Recording, RecordingError};
use std::ffi::c_char;
use std::fs::File;
use std::io;

/// What a recording has.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct tp_recording_summary {
    /// Calls that were recorded.
    pub call_count: u64,
    /// Bytes that were written.
    pub byte_count: u64,
}

/// How far a recording was replayed.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct tp_replay_result {
    /// Calls whose outcome is the recorded one. After an error, this is also the number, counted from
    /// 0, of the call that differs, cannot be read, or panics.
    pub call_count: u64,
    /// Number of the last successful step.
    pub step_number: u64,
    /// 1 if all was read, up to the end that tp_stop_recording() writes; 0 if it ends earlier,
    /// between two calls, such as by a crash of the program. (If it ends within the record of a call,
    /// that is TP_STATUS_INVALID_RECORDING.)
    pub is_complete: u8,
    /// Always 0.
    pub reserved: [u8; 7],
}

impl From<RecordingError> for Failure {
    fn from(error: RecordingError) -> Self {
        let is_io = matches!(error, RecordingError::Io { .. });
        Failure::status(if is_io { TP_STATUS_IO } else { TP_STATUS_INVALID_RECORDING }, error.to_string())
    }
}

fn io_failure(what: &str, error: io::Error) -> Failure {
    Failure::status(TP_STATUS_IO, format!("{what}: {error}"))
}

/// Records all further calls that change a world, and what they return, in a file.
///
/// A recording is the way to report a bug: it has the settings, the statics, and the columns of each
/// step bit for bit, and tp_replay() makes the same calls again. Replaces a file that exists. Begin
/// before the first step: otherwise events of the first recorded step, and the order of pairs of steps
/// with sleeping bodies and of tp_step_changed(), may differ in a replay. Values of contacts are not
/// recorded.
///
/// Each call is written before it runs, so the file has all calls if the program crashes, or if a call
/// returns TP_STATUS_PANIC, the last one included. If writing fails later, the world's calls are not
/// affected, the recording stops, and tp_stop_recording() returns the error. A recording that was
/// under way is ended first.
///
/// Errors: TP_STATUS_INVALID_ARGUMENT if `path` is not UTF-8; TP_STATUS_IO, also for a recording that
/// was under way; then nothing is recorded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_record_to(world: *mut tp_world, path: *const c_char) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let path = c.text(path, "path")?;
            c.update(world, |world| {
                // First, as it may have the same file.
                world.world.stop_recording().map_err(|error| io_failure("cannot write the last recording", error))?;
                let begun = File::create(path).and_then(|file| world.world.record_to(file));
                begun.map_err(|error| io_failure(&format!("cannot record to {path}"), error))
            })
        })
    }
}

/// Ends the recording of a world, and writes what it has, zeros if there is none.
///
/// `summary` may be null. If a world is destroyed instead, its recording lacks the end, but no call.
///
/// Errors: TP_STATUS_IO if the file could not be written at some call; the calls before it were
/// recorded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_stop_recording(world: *mut tp_world, summary: *mut tp_recording_summary) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let out = c.optional_out(summary, "summary")?;
            c.update(world, |world| {
                let ended = world.world.stop_recording();
                let ended = ended.map_err(|error| io_failure("cannot write the recording", error))?;
                if let Some(out) = out {
                    out.write(tp_recording_summary { call_count: ended.call_count, byte_count: ended.byte_count });
                }
                Ok(())
            })
        })
    }
}

/// Makes the calls of a recording again, in a world of its own, and compares what they return.
///
/// Succeeds if all of them return what was recorded: the same pairs in the same order, or the same
/// error. A newer version of the library may find the same pairs in another order. Stops at the first
/// call that differs; tp_last_error_message() says how. `result` is also written after errors, other than
/// those of arguments. Uses the threads of the process-wide pool if the recorded world used several.
///
/// Errors: TP_STATUS_INVALID_ARGUMENT if `path` is not UTF-8; TP_STATUS_IO;
/// TP_STATUS_INVALID_RECORDING; TP_STATUS_DIFFERENT; TP_STATUS_PANIC, such as if a call panicked when
/// it was recorded; TP_STATUS_NO_THREADS.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_replay(path: *const c_char, result: *mut tp_replay_result) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let (path, out) = (c.text(path, "path")?, c.out(result, "result")?);
            replay(path, out.write(tp_replay_result::default())).map_err(|mut failure| {
                failure.message = format!("{path}: {}", failure.message);
                failure
            })
        })
    }
}

fn replay(path: &str, result: &mut tp_replay_result) -> Result<(), Failure> {
    let file = File::open(path).map_err(|error| io_failure("cannot open the recording", error))?;
    let mut recording = Recording::new(file)?;
    let config = recording.config().clone();
    Threads::new(0, config.parallel_threshold().is_some())?.run(|| {
        let mut world = recording.world(config)?;
        for entry in recording.by_ref() {
            let RecordedEntry { offset, call, outcome, .. } = entry?;
            // A call that panicked changed nothing.
            if outcome != Some(RecordedOutcome::Panicked) {
                let now = call.replay(&mut world);
                result.step_number = world.step_number();
                if let Some(difference) = outcome.and_then(|recorded| recorded.difference(&now)) {
                    let message = format!("call {}, at byte {offset}: {difference}", result.call_count);
                    return Err(Failure::status(TP_STATUS_DIFFERENT, message));
                }
            }
            result.call_count += 1;
        }
        result.is_complete = recording.is_complete().into();
        Ok(())
    })?
}
