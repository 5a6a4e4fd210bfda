//! Exceptions: the errors of the library, with the row, column and value in attributes.

use pyo3::prelude::*;
use pyo3::types::IntoPyDict;
use triphase::{Column, Error, InvalidRow, InvalidShape, SettingValue};

/// The exceptions that `python/triphase/_errors.py` defines.
pub(crate) mod types {
    #![allow(missing_docs, unreachable_pub)]
    pyo3::import_exception!(triphase._errors, Error);
    pyo3::import_exception!(triphase._errors, ArrayError);
    pyo3::import_exception!(triphase._errors, BusyError);
    pyo3::import_exception!(triphase._errors, PanicError);
    pyo3::import_exception!(triphase._errors, RecordingError);
    pyo3::import_exception!(triphase._errors, DifferentOutcomeError);
}

/// The parts of an exception that callers may read.
#[derive(Default)]
pub(crate) struct Facts {
    pub(crate) row: Option<u32>,
    /// Name of the argument.
    pub(crate) column: Option<String>,
    /// 0 for x, 1 for y.
    pub(crate) axis: Option<usize>,
    pub(crate) value: Option<f64>,
}

impl Facts {
    pub(crate) fn of_column(name: &str) -> Self {
        Self { column: Some(name.to_owned()), ..Self::default() }
    }

    fn of_row(row: &InvalidRow) -> Self {
        Self {
            row: Some(row.row),
            column: Some(argument_name(row.column).to_owned()),
            axis: Some(row.axis),
            value: Some(row.value.into()),
        }
    }
}

/// A `triphase.Error` with a message and these facts.
pub(crate) fn error(py: Python<'_>, message: String, facts: Facts) -> PyErr {
    with_facts(py, types::Error::new_err(message), facts)
}

/// A `triphase.ArrayError`: an array of the wrong type, shape or layout.
pub(crate) fn array_error(py: Python<'_>, name: &str, message: String) -> PyErr {
    with_facts(py, types::ArrayError::new_err(message), Facts::of_column(name))
}

/// The exception of an error of the library.
pub(crate) fn of_library(py: Python<'_>, found: &Error) -> PyErr {
    let facts = match found {
        Error::InvalidBody(row) | Error::InvalidStatic(row) => Facts::of_row(row),
        Error::ColumnLengthMismatch { column, .. } | Error::StaticColumnLengthMismatch { column, .. } => {
            Facts::of_column(argument_name(*column))
        }
        Error::DuplicateBodyId { second: row, .. } | Error::DuplicateStaticId { second: row, .. } => {
            Facts { row: Some(*row), ..Facts::of_column("ids") }
        }
        Error::ChangedRowOutOfRange { row, .. } => Facts { row: Some(*row), ..Facts::of_column("changed") },
        Error::ChangedLengthMismatch { .. } => Facts::of_column("changed"),
        Error::StaticOutOfRange { row, .. } | Error::StaticRemoved { row } => {
            Facts { row: Some(*row), ..Facts::default() }
        }
        Error::InconsistentStaticIds { .. } => Facts::of_column("ids"),
        Error::InvalidOrigin { axis, value } => {
            Facts { axis: Some(*axis), value: Some((*value).into()), ..Facts::of_column("by") }
        }
        Error::InvalidShape(shape) => Facts { axis: shape.axis(), value: Some(shape.value.into()), ..Facts::default() },
        Error::InvalidConfig { setting, value, .. } => {
            let value = match value {
                SettingValue::Length(value) => Some(f64::from(*value)),
                SettingValue::Count(value) => Some(*value as f64),
                _ => None,
            };
            Facts { value, ..Facts::of_column(if setting.contains("bound") { "bounds" } else { setting }) }
        }
        _ => Facts::default(),
    };
    let message = match found {
        // The text of the library names a method of Rust.
        Error::TooManyPairs { limit } => {
            format!("there are more than {limit} pairs, the limit (of a World: pair_limit)")
        }
        _ => found.to_string(),
    };
    error(py, message, facts)
}

/// The argument that the rows of shapes come from, and those of parts of a shape whose names begin
/// with a prefix.
#[derive(Clone, Copy)]
pub(crate) struct ShapeArguments<'a> {
    pub(crate) rows: &'a str,
    pub(crate) parts: &'a [(&'a str, &'a str)],
}

/// The exception of a shape that is row `row` of its argument, if that is an array.
pub(crate) fn of_shape(
    py: Python<'_>,
    ShapeArguments { rows, parts }: ShapeArguments<'_>,
    row: Option<usize>,
    found: &InvalidShape,
) -> PyErr {
    let place = row.map_or(String::new(), |row| format!("{rows} row {row}: "));
    let name = parts.iter().find(|(prefix, _)| found.part.starts_with(prefix)).map_or(rows, |&(_, name)| name);
    let row = row.and_then(|row| u32::try_from(row).ok());
    let facts = Facts { row, axis: found.axis(), value: Some(found.value.into()), ..Facts::of_column(name) };
    error(py, format!("{place}{found}"), facts)
}

fn with_facts(py: Python<'_>, exception: PyErr, facts: Facts) -> PyErr {
    let Facts { row, column, axis, value } = facts;
    let axis = axis.map(|axis| ["x", "y"][axis & 1]);
    let set = || -> PyResult<()> {
        let attributes = [("row", row.into_pyobject(py)?), ("column", column.into_pyobject(py)?)];
        let numbers = [("axis", axis.into_pyobject(py)?), ("value", value.into_pyobject(py)?)];
        let object = exception.value(py).getattr("__dict__")?;
        object.call_method1("update", (attributes.into_py_dict(py)?,))?;
        object.call_method1("update", (numbers.into_py_dict(py)?,)).map(|_| ())
    };
    match set() {
        Ok(()) => exception,
        Err(failure) => failure,
    }
}

/// The argument that a column of the library comes from.
fn argument_name(column: Column) -> &'static str {
    match column {
        Column::Center => "centers",
        Column::HalfExtent => "half_extents",
        Column::Min | Column::Max => "boxes",
        Column::Displacement => "displacements",
        Column::Id => "ids",
        Column::Filter => "filters",
        Column::Asleep => "asleep",
        _ => "columns",
    }
}
