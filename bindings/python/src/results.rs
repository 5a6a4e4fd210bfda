//! Results as Python objects: arrays, and the classes of `python/triphase/_results.py`.

use crate::errors::types;
use numpy::ndarray::Array2;
use numpy::{Element, IntoPyArray, PyArray2};
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;

/// An object of a class of `_results.py`, from its fields in order.
pub(crate) fn object<'py>(py: Python<'py>, class: &str, fields: impl PyCallArgs<'py>) -> PyResult<Bound<'py, PyAny>> {
    py.import("triphase._results")?.getattr(class)?.call1(fields)
}

/// An array of shape `(m, width)` that takes over the memory of the numbers.
pub(crate) fn table<T: Element>(py: Python<'_>, numbers: Vec<T>, width: usize) -> PyResult<Bound<'_, PyArray2<T>>> {
    let table = Array2::from_shape_vec((numbers.len() / width, width), numbers);
    Ok(table.map_err(|error| types::PanicError::new_err(error.to_string()))?.into_pyarray(py))
}
