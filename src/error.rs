//! Errors: values that name the row, the column and the expected value.

use crate::geometry::{InvalidShape, axis_name};
use std::fmt;

/// A column of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Column {
    /// Centers of bodies.
    Center,
    /// Half-extents of bodies.
    HalfExtent,
    /// Lower corners of the boxes of bodies or statics.
    Min,
    /// Upper corners of the boxes of bodies or statics.
    Max,
    /// Displacements of bodies during the step.
    Displacement,
    /// Ids of bodies or statics.
    Id,
    /// Filters of bodies or statics.
    Filter,
    /// Flags that mark bodies as asleep.
    Asleep,
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Center => "center",
            Self::HalfExtent => "half-extent",
            Self::Min => "min",
            Self::Max => "max",
            Self::Displacement => "displacement",
            Self::Id => "id",
            Self::Filter => "filter",
            Self::Asleep => "asleep",
        })
    }
}

/// Position of a row in a step of several chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ChunkRow {
    /// The chunk: index of the [`Bodies`](crate::Bodies) in the slice passed to the step.
    pub chunk: usize,
    /// Row within the chunk.
    pub row: usize,
}

/// A row with an invalid value.
///
/// If the value is NaN, it does not equal itself, as NaN does not: compare rows and columns
/// instead.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct InvalidRow {
    /// The row, numbered through all chunks.
    pub row: u32,
    /// The chunk and the row within it, if the step had several chunks.
    pub chunk_row: Option<ChunkRow>,
    /// The column.
    pub column: Column,
    /// The axis: 0 for x, 1 for y.
    pub axis: usize,
    /// The invalid value.
    pub value: f32,
    /// The lower edge on this axis, if `value` is an upper edge below it; otherwise `None`.
    pub min: Option<f32>,
}

impl InvalidRow {
    pub(crate) fn new(row: u32, column: Column, axis: usize, value: f32) -> Self {
        Self { row, chunk_row: None, column, axis, value, min: None }
    }

    pub(crate) fn below_min(row: u32, axis: usize, value: f32, min: f32) -> Self {
        Self { min: Some(min), ..Self::new(row, Column::Max, axis, value) }
    }

    /// The same row, as row `row` of chunk `chunk`.
    pub(crate) fn in_chunk(self, chunk: usize, row: usize) -> Self {
        Self { chunk_row: Some(ChunkRow { chunk, row }), ..self }
    }
}

impl fmt::Display for InvalidRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (column, axis, value) = (self.column, axis_name(self.axis), self.value);
        write!(f, "row {}", self.row)?;
        if let Some(ChunkRow { chunk, row }) = self.chunk_row {
            write!(f, " (chunk {chunk}, row {row})")?;
        }
        match (self.min, column) {
            (Some(min), _) => write!(f, ": {column}.{axis} ({value}) is below min.{axis} ({min})"),
            (None, Column::HalfExtent) => {
                write!(f, ": {column}.{axis} is {value}; must be finite and >= 0")
            }
            (None, _) => write!(f, ": {column}.{axis} is {value}; must be finite"),
        }
    }
}

/// The invalid value of a setting, with its kind.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum SettingValue {
    /// A length in world units.
    Length(f32),
    /// A count or a version.
    Count(u64),
}

impl From<f32> for SettingValue {
    fn from(value: f32) -> Self {
        Self::Length(value)
    }
}

impl From<u64> for SettingValue {
    fn from(value: u64) -> Self {
        Self::Count(value)
    }
}

impl fmt::Display for SettingValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length(value) => value.fmt(f),
            Self::Count(value) => value.fmt(f),
        }
    }
}

/// The reason why a call failed.
///
/// After a failed call, contacts, queries, statics and settings are those from before it. (With
/// [`Bodies::with_asleep`](crate::Bodies::with_asleep), a failed step may change the order of later
/// pairs.)
///
/// An error about a value that is NaN does not equal itself, as NaN does not.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A body has an invalid value. The lowest such row is named.
    InvalidBody(InvalidRow),
    /// A static has an invalid value. The lowest such row is named, counted among the statics that
    /// were passed, also if these are inserted or replace others. If none were passed, it is a row
    /// of the set that [`World::shift_origin`](crate::World::shift_origin) would make invalid.
    InvalidStatic(InvalidRow),
    /// A column of bodies differs in length from the first column: the centers or the boxes.
    ColumnLengthMismatch {
        /// The chunk with this column, if the step had several chunks.
        chunk: Option<usize>,
        /// The column that differs.
        column: Column,
        /// Length of the first column.
        expected: usize,
        /// Length of this column.
        found: usize,
    },
    /// There are not as many ids or filters of statics as boxes.
    StaticColumnLengthMismatch {
        /// The column that differs.
        column: Column,
        /// Number of boxes.
        expected: usize,
        /// Length of the column.
        found: usize,
    },
    /// A column of mutable rows has fewer rows than the step; see
    /// [`Contacts::par_for_each_pair_mut`](crate::Contacts::par_for_each_pair_mut).
    ColumnTooShort {
        /// Position of the column in the tuple that was passed, from 0.
        index: usize,
        /// Number of rows of the step.
        expected: usize,
        /// Length of the column.
        found: usize,
    },
    /// The values of a [`StridedColumn`](crate::StridedColumn) would overlap.
    StrideTooSmall {
        /// Bytes from one value to the next.
        stride: usize,
        /// Bytes of a value.
        size: usize,
    },
    /// The last value of a [`StridedColumn`](crate::StridedColumn) does not end within its memory.
    TooFewBytes {
        /// Bytes up to the end of the last value; `usize::MAX` if they cannot be counted.
        expected: usize,
        /// Bytes that were given.
        found: usize,
    },
    /// Some chunks have ids and others have none.
    InconsistentIds {
        /// The first chunk that differs from those before it.
        chunk: usize,
    },
    /// Two bodies share an id, and the world
    /// [tracks contacts](crate::WorldConfig::with_contact_tracking) by id. Rows that are
    /// [skipped](crate::InvalidRows::Skip) may have any id.
    DuplicateBodyId {
        /// The lower row.
        first: u32,
        /// The higher row. If there are several duplicates, this is the lowest.
        second: u32,
        /// The id.
        id: u64,
    },
    /// Two statics share an id, and the world tracks contacts by id.
    DuplicateStaticId {
        /// The lower row.
        first: u32,
        /// The higher row. If there are several duplicates, this is the lowest.
        second: u32,
        /// The id.
        id: u64,
    },
    /// There are more rows than 2^32 - 2, the most that can be numbered.
    TooManyRows {
        /// Number of rows given.
        rows: usize,
        /// Number of rows allowed.
        rows_max: usize,
    },
    /// The step has more pairs than
    /// [`WorldConfig::with_pair_limit`](crate::WorldConfig::with_pair_limit) allows.
    ///
    /// The limit is checked before memory is allocated: at most one page of 16 KiB per thread is
    /// allocated beyond it.
    TooManyPairs {
        /// The limit; body pairs and static pairs count together.
        limit: usize,
    },
    /// [`ChangedRows`](crate::ChangedRows) does not have a flag, or a bit, for each row.
    ChangedLengthMismatch {
        /// Number of rows of the step.
        row_count: usize,
        /// Number of flags, or of words of 64 bits, that the step needs.
        expected: usize,
        /// Number of flags or words that were passed.
        found: usize,
    },
    /// A row in [`ChangedRows`](crate::ChangedRows) does not exist in the step.
    ChangedRowOutOfRange {
        /// The row.
        row: u32,
        /// Number of rows of the step.
        row_count: usize,
    },
    /// The static set has no such row.
    StaticOutOfRange {
        /// The row.
        row: u32,
        /// Number of statics.
        count: usize,
    },
    /// The static of this row was removed.
    StaticRemoved {
        /// The row.
        row: u32,
    },
    /// Either the static set or the given statics have ids, but not both. (Anything may be added to
    /// an empty set.)
    InconsistentStaticIds {
        /// Whether the set has ids, so that the given statics have none.
        set_has_ids: bool,
    },
    /// The number of rows to replace differs from the number of given statics.
    StaticCountMismatch {
        /// Number of rows that were named.
        row_count: usize,
        /// Number of statics that were given.
        static_count: usize,
    },
    /// The new origin passed to [`World::shift_origin`](crate::World::shift_origin) is not finite.
    InvalidOrigin {
        /// The axis: 0 for x, 1 for y.
        axis: usize,
        /// The invalid value.
        value: f32,
    },
    /// A box or a query shape has an invalid value.
    InvalidShape(InvalidShape),
    /// A saved world is damaged or of an unknown version. (Feature `serde`.)
    InvalidSave {
        /// The invalid part: `"version"`, `"settings"`, `"statics"`, `"contacts"` or
        /// `"step number"`.
        part: &'static str,
        /// What is invalid in that part.
        source: Box<Error>,
    },
    /// A setting is out of range, or needs another setting.
    InvalidConfig {
        /// Name of the setting.
        setting: &'static str,
        /// Its value.
        value: SettingValue,
        /// The allowed values, worded to follow "must be".
        expected: &'static str,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidBody(row) => write!(f, "body {row}"),
            Self::InvalidStatic(row) => write!(f, "static {row}"),
            Self::ColumnLengthMismatch { chunk, column, expected, found } => {
                if let Some(chunk) = chunk {
                    write!(f, "chunk {chunk}: ")?;
                }
                write!(f, "the {column} column has {found} rows, but there are {expected} bodies")
            }
            Self::StaticColumnLengthMismatch { column, expected, found } => {
                write!(f, "the {column} column of statics has {found} rows, but there are {expected} boxes")
            }
            Self::ColumnTooShort { index, expected, found } => {
                write!(f, "column {index} has {found} rows, but the step had {expected}")
            }
            Self::StrideTooSmall { stride, size } => {
                write!(f, "the stride is {stride} bytes, but the values of the column have {size}")
            }
            Self::TooFewBytes { expected, found } => {
                write!(f, "the column has {found} bytes, but its rows need {expected}")
            }
            Self::InconsistentIds { chunk } => {
                write!(f, "chunk {chunk}: give ids for every chunk or for none")
            }
            Self::DuplicateBodyId { first, second, id } => {
                write!(f, "body rows {first} and {second} share id {id}; contact tracking needs unique ids")
            }
            Self::DuplicateStaticId { first, second, id } => {
                write!(f, "static rows {first} and {second} share id {id}; contact tracking needs unique ids")
            }
            Self::TooManyRows { rows, rows_max } => {
                write!(f, "{rows} rows exceed the maximum of {rows_max}")
            }
            Self::TooManyPairs { limit } => {
                write!(
                    f,
                    "the step has more than {limit} pairs, the limit of WorldConfig::with_pair_limit; \
                     are many bodies at one point, or in the wrong unit?"
                )
            }
            Self::ChangedLengthMismatch { row_count, expected, found } => {
                let unit = match (row_count, expected) {
                    (0 | 1, _) => "flags or words of bits",
                    (rows, flags) if rows == flags => "flags",
                    _ => "words of bits",
                };
                write!(f, "the changed rows have {found} {unit}, but {row_count} rows need {expected}")
            }
            Self::ChangedRowOutOfRange { row, row_count } => {
                write!(f, "changed row {row} does not exist; the step has {row_count} rows")
            }
            Self::StaticOutOfRange { row, count } => {
                write!(f, "static row {row} does not exist; the set has {count} rows")
            }
            Self::StaticRemoved { row } => write!(f, "the static of row {row} was removed"),
            Self::InconsistentStaticIds { set_has_ids: true } => {
                f.write_str("the static set has ids, but the given statics have none")
            }
            Self::InconsistentStaticIds { set_has_ids: false } => {
                f.write_str("the given statics have ids, but the static set has none")
            }
            Self::StaticCountMismatch { row_count, static_count } => {
                write!(f, "{row_count} rows were named, but {static_count} statics were given")
            }
            Self::InvalidOrigin { axis, value } => {
                write!(f, "origin.{} is {value}; must be finite", axis_name(*axis))
            }
            Self::InvalidShape(error) => error.fmt(f),
            Self::InvalidSave { part, source } => {
                write!(f, "cannot restore: invalid {part}: {source}")
            }
            Self::InvalidConfig { setting, value, expected } => {
                write!(f, "{setting} is {value}; must be {expected}")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::InvalidSave { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl From<InvalidShape> for Error {
    fn from(error: InvalidShape) -> Self {
        Self::InvalidShape(error)
    }
}
