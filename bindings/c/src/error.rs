//! The last error of a thread: its message and its details.

use crate::caller::{Failure, call_quietly};
use crate::status::tp_status;
use crate::status::tp_status::*;
use broad_phase::{Column, Error, InvalidRow, SettingValue};
use std::cell::RefCell;
use std::ffi::{CString, c_char};

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
    /// The second row, if two rows share an id; otherwise TP_NONE.
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
    /// The least valid value, or NaN if there is none.
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

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::new(details(&error), error.to_string())
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
struct LastError {
    details: tp_error,
    message: CString,
}

thread_local! {
    static LAST: RefCell<Option<LastError>> = const { RefCell::new(None) };
}

/// Keeps an error for the calls below, and returns its status.
pub(crate) fn keep(failure: Failure) -> tp_status {
    let Failure { details, message } = failure;
    // A message has no zero byte: names and numbers only. A panic's might have one.
    let message = CString::new(message.replace('\0', " ")).unwrap_or_default();
    // While a thread ends, there may be nothing to keep it in.
    let _ = LAST.try_with(|last| *last.borrow_mut() = Some(LastError { details: *details, message }));
    details.status
}

/// The message of the last error of this thread, or an empty string if no call failed yet.
///
/// UTF-8, ended by a zero byte; never null. Valid until the next call of this thread that fails.
/// Successful calls do not change it.
#[unsafe(no_mangle)]
pub extern "C" fn tp_last_error_message() -> *const c_char {
    // While a thread ends, its last error may be gone.
    LAST.try_with(|last| last.borrow().as_ref().map_or(c"".as_ptr(), |last| last.message.as_ptr()))
        .unwrap_or(c"".as_ptr())
}

/// Writes the details of the last error of this thread.
///
/// The status is TP_STATUS_OK if no call failed yet. Does not change the last error, even if
/// `error` is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_last_error(error: *mut tp_error) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call_quietly(|c| {
            let last = LAST.try_with(|last| last.borrow().as_ref().map(|last| last.details));
            c.out(error, "error")?.write(last.ok().flatten().unwrap_or(tp_error::new(TP_STATUS_OK)));
            Ok(())
        })
    }
}
