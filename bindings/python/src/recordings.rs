//! Recordings: the calls of a world, written to a file and made again.

use crate::errors::types;
use crate::pool;
use crate::results::object;
use crate::shared::{Work, run_alone};
use crate::world::World;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use triphase::WorldConfig;
use triphase::record::{RecordedEntry, RecordedOutcome, Recording, RecordingError};

#[pymethods]
impl World {
    /// Records all further calls that change the world, and what they return, in a file.
    ///
    /// path: str or os.PathLike. A file that exists is replaced.
    ///
    /// A recording is the way to report a bug: it has the settings, the statics, and the arrays of
    /// each step bit for bit, and triphase.replay() makes the same calls again. Begin before the
    /// first step: otherwise events of the first recorded step, and the order of pairs of steps with
    /// asleep and of step_changed, may differ in a replay. Queries and the values of contacts are not
    /// recorded, nor are calls with arguments that never reach the library, as with ArrayError.
    ///
    /// Each call is written before it runs, so the file has all calls if the program crashes, or if
    /// a call raises PanicError, the last one included. If writing fails later, the world's calls
    /// are not affected, the recording stops, and stop_recording() raises the error. A recording
    /// that was under way is ended first. A child of os.fork() writes nothing to it.
    ///
    /// Raises OSError if the file cannot be written, also that of a recording that was under way;
    /// then nothing is recorded.
    ///
    /// Each step takes a pass over its arrays and one over its pairs more, and the time to write the
    /// arrays that changed. Memory: a copy of the arrays, and as much for the largest call.
    fn record_to(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let begun = self.world.change(py, Work::Sequential, |world| {
            // First, as it may have the same file.
            let ended = world.stop_recording();
            Ok(ended.and_then(|_| RecordingFile::create(&path)).and_then(|file| world.record_to(file)))
        })?;
        begun.map_err(|error| os_error(py, error))
    }

    /// Ends the recording of the world, and returns how many calls it has; 0 if there is none.
    ///
    /// If the world is deleted instead, or is unusable after PanicError, the recording lacks its
    /// end, but no call.
    ///
    /// Raises OSError if the file could not be written at some call; the calls before it were
    /// recorded.
    fn stop_recording(&self, py: Python<'_>) -> PyResult<u64> {
        let ended = self.world.change(py, Work::Sequential, |world| Ok(world.stop_recording()))?;
        ended.map(|summary| summary.call_count).map_err(|error| os_error(py, error))
    }
}

/// Makes the calls of a recording again, in a world of its own, and compares what they return.
///
/// path: the file that World.record_to wrote.
/// threads: as in World; one if the recorded world used no more.
///
/// Succeeds if all calls return what was recorded: the same pairs in the same order, or the same
/// error. Neither the threads nor the machine matter; a newer version of the library may find the
/// same pairs in another order.
///
/// Returns a Replay: the number of calls, and whether the recording was ended.
///
/// Raises DifferentOutcomeError at the first call that returns something else, RecordingError if the
/// file is damaged or no recording, both with the number of the call; OSError if the file cannot be
/// read; PanicError if a call panics, such as if it did when it was recorded.
///
/// The GIL is released. Takes the time of the recorded calls, and that to read the file. Memory:
/// that of the recorded world, and its arrays of one step.
#[pyfunction]
#[pyo3(signature = (path, *, threads = None))]
pub(crate) fn replay(py: Python<'_>, path: PathBuf, threads: Option<usize>) -> PyResult<Bound<'_, PyAny>> {
    pool::check(py, threads)?;
    let opened = run_alone(py, None, || File::open(&path).map_err(Failure::Io).and_then(open))?;
    let (recording, config) = opened.map_err(|failure| failure.exception(py, &path))?;
    let config = if threads == Some(1) { config.with_parallel_threshold(None) } else { config };
    let is_parallel = config.parallel_threshold().is_some();
    let pool = if is_parallel { Some(pool::of_size(py, threads)?) } else { None };
    let replayed = run_alone(py, pool.as_ref(), || replay_calls(recording, config))?;
    let Replayed { call_count, step_number, is_complete } = replayed.map_err(|failure| failure.exception(py, &path))?;
    object(py, "Replay", (call_count, step_number, is_complete))
}

/// How far a recording was replayed.
struct Replayed {
    call_count: u64,
    step_number: u64,
    is_complete: bool,
}

/// Why a recording cannot be replayed.
enum Failure {
    Io(io::Error),
    /// The file is no recording, or is damaged: in the call of this number, if in one.
    Invalid {
        call: Option<u64>,
        message: String,
    },
    /// The call of this number does not return what was recorded.
    Different {
        call: u64,
        message: String,
    },
}

impl Failure {
    fn reading(error: RecordingError, call: Option<u64>) -> Self {
        match error {
            RecordingError::Io { source, .. } => Self::Io(source),
            other => Self::Invalid { call, message: other.to_string() },
        }
    }

    fn exception(self, py: Python<'_>, path: &Path) -> PyErr {
        let place = |call| format!("{}: call {call}", path.display());
        let (exception, call) = match self {
            Self::Io(source) => return os_error(py, named(path, source)),
            Self::Invalid { call: None, message } => {
                return types::RecordingError::new_err(format!("{}: {message}", path.display()));
            }
            Self::Invalid { call: Some(call), message } => {
                (types::RecordingError::new_err(format!("{}: {message}", place(call))), call)
            }
            Self::Different { call, message } => {
                (types::DifferentOutcomeError::new_err(format!("{}, {message}", place(call))), call)
            }
        };
        exception.value(py).setattr("call", call).err().unwrap_or(exception)
    }
}

fn open(file: File) -> Result<(Recording<File>, WorldConfig), Failure> {
    let recording = Recording::new(file).map_err(|error| Failure::reading(error, None))?;
    let config = recording.config().clone();
    Ok((recording, config))
}

fn replay_calls(mut recording: Recording<File>, config: WorldConfig) -> Result<Replayed, Failure> {
    let mut world = recording.world(config).map_err(|error| {
        let message = format!("the world that it begins with is invalid: {error}");
        Failure::Invalid { call: None, message }
    })?;
    let mut call_count = 0;
    for entry in recording.by_ref() {
        let entry = entry.map_err(|error| Failure::reading(error, Some(call_count)))?;
        let RecordedEntry { offset, call, outcome, .. } = entry;
        // A call that panicked changed nothing.
        if outcome != Some(RecordedOutcome::Panicked) {
            let now = call.replay(&mut world);
            if let Some(difference) = outcome.and_then(|recorded| recorded.difference(&now)) {
                let message = format!("at byte {offset}: {difference}");
                return Err(Failure::Different { call: call_count, message });
            }
        }
        call_count += 1;
    }
    Ok(Replayed { call_count, step_number: world.step_number(), is_complete: recording.is_complete() })
}

/// The file of a recording, written by the process that began it.
struct RecordingFile {
    file: File,
    path: PathBuf,
    process: u32,
}

impl RecordingFile {
    fn create(path: &Path) -> io::Result<Self> {
        let file = File::create(path).map_err(|error| named(path, error))?;
        Ok(Self { file, path: path.to_owned(), process: std::process::id() })
    }
}

impl Write for RecordingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Parent and child of a fork would write into each other's records.
        let written = if self.process == std::process::id() {
            self.file.write(bytes)
        } else {
            Err(io::Error::other("the recording was begun by another process, before a fork"))
        };
        written.map_err(|error| named(&self.path, error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush().map_err(|error| named(&self.path, error))
    }
}

/// An error of a file, and the file.
#[derive(Debug)]
struct FileError {
    path: PathBuf,
    source: io::Error,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.source)
    }
}

impl std::error::Error for FileError {}

/// The same error, with the file.
fn named(path: &Path, source: io::Error) -> io::Error {
    io::Error::new(source.kind(), FileError { path: path.to_owned(), source })
}

/// The `OSError` that Python's own functions raise for the error, such as `FileNotFoundError`.
fn os_error(py: Python<'_>, error: io::Error) -> PyErr {
    let file_error = error.get_ref().and_then(|inner| inner.downcast_ref::<FileError>());
    let Some((FileError { path, source }, code)) =
        file_error.and_then(|file| Some((file, file.source.raw_os_error()?)))
    else {
        return PyOSError::new_err(error.to_string());
    };
    // Python puts the code before it.
    let text = source.to_string();
    let text = text.split(" (os error").next().unwrap_or_default().to_owned();
    // The code is one of Windows there, which Python expects after the name of the file.
    let of_windows = cfg!(windows).then_some(code);
    match path.as_os_str().into_pyobject(py) {
        Ok(path) => PyOSError::new_err((code, text, path.unbind(), of_windows)),
        Err(never) => match never {},
    }
}
