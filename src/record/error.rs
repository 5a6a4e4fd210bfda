//! Errors of reading a recording.

use std::fmt;
use std::io;

/// The reason why a recording cannot be read any further.
///
/// What was read before stays valid. Offsets are in bytes from the begin of the file.
#[derive(Debug)]
#[non_exhaustive]
pub enum RecordingError {
    /// The reader failed.
    Io {
        /// Where the record begins that was being read.
        offset: u64,
        /// The error of the reader.
        source: io::Error,
    },
    /// The file is not a recording.
    Foreign {
        /// The first bytes of the file, up to eight.
        found: Vec<u8>,
    },
    /// The recording was made by another version of this library.
    UnknownVersion {
        /// The version of its format.
        found: u32,
        /// The version that can be read.
        expected: u32,
    },
    /// The file ends within a record: the program crashed, or the file was cut.
    Truncated {
        /// Where the record begins.
        offset: u64,
        /// Bytes that the record has by its head, or that a head has.
        expected: u64,
        /// Bytes that there are.
        found: u64,
    },
    /// The content of a record is not what was written.
    Damaged {
        /// Where the damage is, or the record with it.
        offset: u64,
        /// What is expected there.
        expected: &'static str,
    },
}

impl fmt::Display for RecordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { offset, source } => write!(f, "cannot read the record at byte {offset}: {source}"),
            Self::Foreign { found } => {
                write!(f, "not a recording: it begins with \"{}\"", found.escape_ascii())
            }
            Self::UnknownVersion { found, expected } => {
                write!(f, "the recording has format {found}; this version of the library reads format {expected}")
            }
            Self::Truncated { offset, expected, found } => {
                write!(f, "the file ends within the record at byte {offset}: {found} of {expected} bytes are there")
            }
            Self::Damaged { offset, expected } => write!(f, "byte {offset}: expected {expected}"),
        }
    }
}

impl std::error::Error for RecordingError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
