//! Recordings: the calls that change a world, written to a file as they are made, and read back to
//! be made again. (Feature `record`.)
//!
//! A recording is the way to report a bug: it has the columns bit for bit, and what each call
//! returned. [`World::record_to`](crate::World::record_to) begins one, [`Recording`] reads it.
//!
//! ```
//! use triphase::record::Recording;
//! use triphase::{Bodies, World};
//!
//! let path = std::env::temp_dir().join("triphase_record_example");
//! let mut world = World::default();
//! world.record_to(std::fs::File::create(&path)?)?;
//! world.set_statics(&[[0.0f32, -1.0, 100.0, 0.0]])?;
//! for frame in 0..3 {
//!     let centers = [[1.0f32, 0.25], [1.5 + frame as f32, 0.25]];
//!     world.step(Bodies::uniform(&centers, [0.5, 0.5]))?;
//! }
//! world.stop_recording()?;
//!
//! let mut recording = Recording::new(std::fs::File::open(&path)?)?;
//! let mut world = recording.world(recording.config().clone())?;
//! for entry in &mut recording {
//!     let entry = entry?;
//!     assert_eq!(Some(entry.call.replay(&mut world)), entry.outcome); // pairs and their order
//! }
//! assert!(recording.is_complete() && world.step_number() == 3);
//! # std::fs::remove_file(path)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Format
//!
//! RECORD-1: a file is eight bytes, the version as `u32`, and records. A record is four letters, a
//! checksum of the rest as `u32`, the number of bytes of its content as `u64`, and the content.
//! Numbers are little-endian.
//!
//! RECORD-2: a record is written before its call runs, and its outcome after that, each by one
//! `write_all`. So a recording that ends early, as in a crash, has all calls, the last included.
//!
//! RECORD-3: a column that is equal to the one before it in its place is a mark; one that differs
//! in few rows is these rows. The rest is written in full and not compressed: pack the file.
//!
//! RECORD-4: no number in a file sizes memory before the data that it counts was read. Memory may
//! still be larger than the file: a flag takes a bit there and a byte in memory, an empty chunk six
//! bytes and some hundred.

mod columns;
mod digest;
mod entry;
mod error;
mod format;
mod reader;
mod recorder;
mod settings;
#[cfg(test)]
mod tests;

pub use digest::PairDigest;
pub use entry::{
    RecordedBodies, RecordedBoxes, RecordedCall, RecordedEntry, RecordedOutcome, RecordedRows, RecordedStatics,
};
pub use error::RecordingError;
pub use reader::Recording;
pub(crate) use recorder::Recorder;
pub use recorder::RecordingSummary;
