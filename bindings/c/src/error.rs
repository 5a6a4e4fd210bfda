//! Errors: their details, and the last one of each thread.

use crate::status::tp_status;
use crate::status::tp_status::*;
use broad_phase::{Column, Error, InvalidRow, SettingValue};
use std::cell::RefCell;
use std::ffi::CString;

/// Stands for "no row", "no axis" and "no count" in details of errors.
pub const TP_NONE: u32 = u32::MAX;

/// A column of the input.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tp_column_kind {
    /// The error is not about a column.
    TP_COLUMN_NONE = 0,
    /// Centers of bodies.
    TP_COLUMN_CENTER = 1,
    /// Half-extents of bodies.
    TP_COLUMN_HALF_EXTENT = 2,
    /// Lower corners of the boxes of bodies or statics.
    TP_COLUMN_MIN = 3,
    /// Upper corners of the boxes of bodies or statics.
    TP_COLUMN_MAX = 4,
    /// Displacements of bodies.
    TP_COLUMN_DISPLACEMENT = 5,
    /// Ids of bodies or statics.
    TP_COLUMN_ID = 6,
    /// Filters of bodies or statics.
    TP_COLUMN_FILTER = 7,
    /// Flags that mark bodies as asleep.
    TP_COLUMN_ASLEEP = 8,
    /// Boxes of bodies or statics, if the error is about the whole column.
    TP_COLUMN_BOX = 9,
}

/// Details of an error, as far as it has them.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct tp_error {
    /// The status that the call returned.
    pub status: tp_status,
    /// The column, or TP_COLUMN_NONE.
    pub column: tp_column_kind,
    /// The row, numbered through all chunks, or TP_NONE. For a query shape in a batch its index.
    pub row: u32,
    /// The second row, if two rows share an id or have no contact; otherwise TP_NONE.
    pub second_row: u32,
    /// The chunk, if the step had several; otherwise TP_NONE.
    pub chunk: u32,
    /// The row within the chunk, if the step had several; otherwise TP_NONE.
    pub row_in_chunk: u32,
    /// 0 for x, 1 for y, or TP_NONE.
    pub axis: u32,
    /// Always 0.
    pub reserved: u32,
    /// The invalid value, or NaN if there is none or the value is NaN.
    pub value: f64,
    /// The least valid value, or NaN if there is none or it is a constant that the message has.
    pub min: f64,
    /// The count, stride or limit that was expected, or 0.
    pub expected: u64,
    /// The count or stride that was found, or 0.
    pub found: u64,
    /// The id that two rows share, or 0.
    pub id: u64,
}

impl tp_error {
    pub(crate) fn new(status: tp_status) -> Self {
        Self {
            status,
            column: tp_column_kind::TP_COLUMN_NONE,
            row: TP_NONE,
            second_row: TP_NONE,
            chunk: TP_NONE,
            row_in_chunk: TP_NONE,
            axis: TP_NONE,
            reserved: 0,
            value: f64::NAN,
            min: f64::NAN,
            expected: 0,
            found: 0,
            id: 0,
        }
    }

    pub(crate) fn of_row(status: tp_status, invalid: InvalidRow) -> Self {
        let InvalidRow { row, chunk_row, column, axis, value, min, .. } = invalid;
        Self {
            column: column_kind(column),
            row,
            chunk: chunk_row.map_or(TP_NONE, |at| narrow(at.chunk)),
            row_in_chunk: chunk_row.map_or(TP_NONE, |at| narrow(at.row)),
            axis: narrow(axis),
            value: value.into(),
            min: min.map_or(f64::NAN, f64::from),
            ..Self::new(status)
        }
    }

    fn of_counts(status: tp_status, expected: usize, found: usize) -> Self {
        Self { expected: expected as u64, found: found as u64, ..Self::new(status) }
    }
}

/// A count that the library keeps below 2^32, or TP_NONE.
fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(TP_NONE)
}

fn column_kind(column: Column) -> tp_column_kind {
    use tp_column_kind::*;
    match column {
        Column::Center => TP_COLUMN_CENTER,
        Column::HalfExtent => TP_COLUMN_HALF_EXTENT,
        Column::Min => TP_COLUMN_MIN,
        Column::Max => TP_COLUMN_MAX,
        Column::Displacement => TP_COLUMN_DISPLACEMENT,
        Column::Id => TP_COLUMN_ID,
        Column::Filter => TP_COLUMN_FILTER,
        Column::Asleep => TP_COLUMN_ASLEEP,
        _ => TP_COLUMN_NONE,
    }
}

/// An error on its way to the caller.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) details: Box<tp_error>,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn new(details: tp_error, message: impl Into<String>) -> Self {
        Self { details: Box::new(details), message: message.into() }
    }

    pub(crate) fn status(status: tp_status, message: impl Into<String>) -> Self {
        Self::new(tp_error::new(status), message)
    }

    /// A body that is not there, and `why`.
    pub(crate) fn body(row: u32, why: &str) -> Self {
        let details = tp_error { row, ..tp_error::new(TP_STATUS_NOT_FOUND) };
        Self::new(details, format!("body row {row}: {why}"))
    }

    /// An argument out of range.
    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Self::status(TP_STATUS_INVALID_ARGUMENT, message)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        // The others name nothing of the Rust library.
        let message = match error {
            Error::TooManyPairs { limit } => {
                format!("the step has more than {limit} pairs, the limit set by tp_config.pair_limit")
            }
            _ => error.to_string(),
        };
        Failure::new(details(&error), message)
    }
}

fn details(error: &Error) -> tp_error {
    match *error {
        Error::InvalidBody(invalid) => tp_error::of_row(TP_STATUS_INVALID_BODY, invalid),
        Error::InvalidStatic(invalid) => tp_error::of_row(TP_STATUS_INVALID_STATIC, invalid),
        Error::ColumnLengthMismatch { chunk, column, expected, found } => tp_error {
            column: column_kind(column),
            chunk: chunk.map_or(TP_NONE, narrow),
            ..tp_error::of_counts(TP_STATUS_LENGTH_MISMATCH, expected, found)
        },
        Error::StaticColumnLengthMismatch { column, expected, found } => {
            tp_error { column: column_kind(column), ..tp_error::of_counts(TP_STATUS_LENGTH_MISMATCH, expected, found) }
        }
        Error::StrideTooSmall { stride, size } => tp_error::of_counts(TP_STATUS_INVALID_STRIDE, size, stride),
        Error::TooFewBytes { expected, found } => tp_error::of_counts(TP_STATUS_INVALID_STRIDE, expected, found),
        Error::InconsistentIds { chunk } => {
            tp_error { chunk: narrow(chunk), ..tp_error::new(TP_STATUS_INCONSISTENT_IDS) }
        }
        Error::InconsistentStaticIds { .. } => tp_error::new(TP_STATUS_INCONSISTENT_IDS),
        Error::DuplicateBodyId { first, second, id } | Error::DuplicateStaticId { first, second, id } => {
            tp_error { row: first, second_row: second, id, ..tp_error::new(TP_STATUS_DUPLICATE_ID) }
        }
        Error::TooManyRows { rows, rows_max } => tp_error::of_counts(TP_STATUS_TOO_MANY_ROWS, rows_max, rows),
        Error::TooManyPairs { limit } => tp_error::of_counts(TP_STATUS_TOO_MANY_PAIRS, limit, 0),
        Error::ChangedLengthMismatch { expected, found, .. } => {
            tp_error::of_counts(TP_STATUS_LENGTH_MISMATCH, expected, found)
        }
        Error::ChangedRowOutOfRange { row, row_count: count } | Error::StaticOutOfRange { row, count } => {
            tp_error { row, ..tp_error::of_counts(TP_STATUS_NOT_FOUND, count, 0) }
        }
        Error::StaticRemoved { row } => tp_error { row, ..tp_error::new(TP_STATUS_REMOVED) },
        Error::StaticCountMismatch { row_count, static_count } => {
            tp_error::of_counts(TP_STATUS_LENGTH_MISMATCH, row_count, static_count)
        }
        Error::InvalidOrigin { axis, value } => {
            tp_error { axis: narrow(axis), value: value.into(), ..tp_error::new(TP_STATUS_INVALID_ARGUMENT) }
        }
        Error::InvalidShape(shape) => tp_error {
            axis: shape.axis().map_or(TP_NONE, narrow),
            value: shape.value.into(),
            min: shape.min.map_or(f64::NAN, f64::from),
            ..tp_error::new(TP_STATUS_INVALID_SHAPE)
        },
        Error::InvalidConfig { value, .. } => {
            let value = match value {
                SettingValue::Length(length) => length.into(),
                SettingValue::Count(count) => count as f64,
                _ => f64::NAN,
            };
            tp_error { value, ..tp_error::new(TP_STATUS_INVALID_CONFIG) }
        }
        _ => tp_error::new(TP_STATUS_OTHER),
    }
}

/// What is kept of the last error of a thread.
pub(crate) struct LastError {
    pub(crate) details: tp_error,
    pub(crate) message: CString,
}

thread_local! {
    static LAST: RefCell<Option<LastError>> = const { RefCell::new(None) };
}

/// Keeps an error, and returns its status.
pub(crate) fn keep(failure: Failure) -> tp_status {
    let Failure { details, message } = failure;
    // A message has no zero byte: names and numbers only. A panic's might have one.
    let message = CString::new(message.replace('\0', " ")).unwrap_or_default();
    // While a thread ends, there may be nothing to keep it in.
    let _ = LAST.try_with(|last| *last.borrow_mut() = Some(LastError { details: *details, message }));
    details.status
}

/// Reads the last error of this thread, if a call failed yet. `None` while the thread ends: its last
/// error may be gone.
pub(crate) fn with_last<R>(read: impl FnOnce(Option<&LastError>) -> R) -> Option<R> {
    LAST.try_with(|last| read(last.borrow().as_ref())).ok()
}
