//! What can be refused, with the facts in it.

use crate::geometry::{InvalidAabb, InvalidShape, axis_name};
use std::fmt;

/// A column of the caller's input, as errors name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Column {
    /// Centres of bodies.
    Center,
    /// Half-extents of bodies.
    HalfExtent,
    /// Boxes of bodies or statics: lower corner.
    Min,
    /// Boxes of bodies or statics: upper corner.
    Max,
    /// Displacements of bodies over the step.
    Displacement,
    /// Ids of bodies or statics.
    Id,
    /// Filters of bodies or statics.
    Filter,
    /// Hints of which bodies are asleep.
    Asleep,
}

impl Column {
    fn name(self) -> &'static str {
        match self {
            Self::Center => "center",
            Self::HalfExtent => "half-extent",
            Self::Min => "min",
            Self::Max => "max",
            Self::Displacement => "displacement",
            Self::Id => "id",
            Self::Filter => "filter",
            Self::Asleep => "asleep",
        }
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A row whose value cannot be used: which row, which column and axis, what it holds, what was expected.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct InvalidRow {
    /// The row, counted through all chunks.
    pub row: u32,
    /// The column.
    pub column: Column,
    /// 0 for x, 1 for y.
    pub axis: usize,
    /// What is there.
    pub value: f32,
}

impl InvalidRow {
    pub(crate) fn new(row: u32, column: Column, axis: usize, value: f32) -> Self {
        Self { row, column, axis, value }
    }

    fn expected(&self) -> &'static str {
        match self.column {
            Column::HalfExtent => "a finite number of at least 0",
            Column::Max => "a finite number of at least min",
            _ => "a finite number",
        }
    }
}

impl fmt::Display for InvalidRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (row, column, axis) = (self.row, self.column, axis_name(self.axis));
        write!(f, "row {row}: {column} {axis} is {}, expected {}", self.value, self.expected())
    }
}

/// Why a call was refused. Nothing is lost by a refusal: the world still answers from its last good step.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A row of the bodies holds a value that cannot be used; the lowest such row is named.
    InvalidBody(InvalidRow),
    /// A row of the statics holds a value that cannot be used; the lowest such row is named.
    InvalidStatic(InvalidRow),
    /// A column is not as long as the first one.
    ColumnLengthMismatch {
        /// The chunk that holds it, 0 when there are no chunks.
        chunk: usize,
        /// The column that differs.
        column: Column,
        /// The length of the first column.
        expected: usize,
        /// The length of this one.
        found: usize,
    },
    /// A column of what is changed by contacts has fewer rows than the step had.
    ColumnTooShort {
        /// Which of the columns that were given, counted from 0.
        number: usize,
        /// How many rows the step had.
        expected: usize,
        /// How many the column has.
        found: usize,
    },
    /// Some chunks have ids and others have none; ids are all or nothing.
    InconsistentIds {
        /// The first chunk that differs from those before it.
        chunk: usize,
    },
    /// Two rows of the bodies have one id, in a world that tracks contacts by them
    /// ([`WorldConfig::track_contacts`](crate::WorldConfig::track_contacts)).
    DuplicateBodyId {
        /// The lower row.
        first: u32,
        /// The higher row; of several such, the lowest.
        second: u32,
        /// The id.
        id: u64,
    },
    /// Two rows of the statics have one id, in a world that tracks contacts by them.
    DuplicateStaticId {
        /// The lower row.
        first: u32,
        /// The higher row; of several such, the lowest.
        second: u32,
        /// The id.
        id: u64,
    },
    /// More rows than a u32 can number.
    TooManyRows {
        /// How many there are.
        rows: usize,
        /// How many there may be.
        rows_max: usize,
    },
    /// The step has more pairs than [`WorldConfig::pair_limit`](crate::WorldConfig::pair_limit) allows. Beside
    /// a page of 16 KiB a worker, no more memory than the limit asks for was taken.
    TooManyPairs {
        /// The limit, body and static pairs together.
        limit: usize,
    },
    /// There is no such row in the static set.
    StaticOutOfRange {
        /// The row asked for.
        row: u32,
        /// How many statics there are.
        count: usize,
    },
    /// The origin of coordinates cannot be moved there.
    InvalidOrigin {
        /// 0 for x, 1 for y.
        axis: usize,
        /// What was given, which is not finite.
        value: f32,
    },
    /// A box was refused when it was made.
    InvalidAabb(InvalidAabb),
    /// A shape to ask with was refused when it was made.
    InvalidShape(InvalidShape),
    /// A saved world cannot be restored: it was damaged, or is not one. (With the feature `serde`.)
    InvalidSave {
        /// Which part of it: "version", "settings", "statics", "contacts", "step number".
        what: &'static str,
        /// What is wrong with that part, with row and value.
        cause: Box<Error>,
    },
    /// A setting is outside of what it may be.
    InvalidConfig {
        /// The name of the setting.
        setting: &'static str,
        /// The value that was given.
        value: f64,
        /// What it may be.
        expected: &'static str,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidBody(bad) => write!(f, "bodies, {bad}"),
            Self::InvalidStatic(bad) => write!(f, "statics, {bad}"),
            Self::ColumnLengthMismatch { chunk, column, expected, found } => {
                write!(
                    f,
                    "chunk {chunk}: the {column} column has {found} rows, expected {expected} like the first column"
                )
            }
            Self::ColumnTooShort { number, expected, found } => {
                write!(
                    f,
                    "column {number} to be changed has {found} rows, expected at least the {expected} of the step"
                )
            }
            Self::InconsistentIds { chunk } => {
                write!(f, "chunk {chunk}: ids must be given for every chunk or for none")
            }
            Self::DuplicateBodyId { first, second, id } => {
                write!(
                    f,
                    "bodies, rows {first} and {second} have one id, {id}, expected unique ids as contacts are tracked by them"
                )
            }
            Self::DuplicateStaticId { first, second, id } => {
                write!(
                    f,
                    "statics, rows {first} and {second} have one id, {id}, expected unique ids as contacts are tracked by them"
                )
            }
            Self::TooManyRows { rows, rows_max } => {
                write!(f, "{rows} rows are more than the {rows_max} that can be numbered")
            }
            Self::TooManyPairs { limit } => {
                write!(f, "the step has more than {limit} pairs, the limit set by WorldConfig::pair_limit")
            }
            Self::StaticOutOfRange { row, count } => {
                write!(f, "there is no static row {row}: the set has {count} rows")
            }
            Self::InvalidOrigin { axis, value } => {
                write!(f, "the new origin's {} is {value}, expected a finite number", axis_name(*axis))
            }
            Self::InvalidAabb(bad) => bad.fmt(f),
            Self::InvalidShape(bad) => bad.fmt(f),
            Self::InvalidSave { what, cause } => {
                write!(f, "the saved world cannot be restored, its {what} is bad: {cause}")
            }
            Self::InvalidConfig { setting, value, expected } => write!(f, "{setting} is {value}, expected {expected}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<InvalidAabb> for Error {
    fn from(bad: InvalidAabb) -> Self {
        Self::InvalidAabb(bad)
    }
}

impl From<InvalidShape> for Error {
    fn from(bad: InvalidShape) -> Self {
        Self::InvalidShape(bad)
    }
}
