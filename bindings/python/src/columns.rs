//! NumPy arrays as columns: checked, borrowed, never converted.
//!
//! COLUMN-1: an array is taken as it is or refused. A wrong type, shape, byte order, alignment or
//! layout in memory is an `ArrayError` that says how to convert the array.
//!
//! COLUMN-2: a [`Column`] holds a reference to its array and a read-only borrow of rust-numpy.
//! While it exists, the memory is not freed, and other extensions that use rust-numpy's borrows
//! cannot get a mutable one. Slices from it may be read without the GIL.
//!
//! COLUMN-3: numbers are read before any array is borrowed, as a number may be an object whose
//! method runs Python code. If that code changed the shape of a borrowed array, rust-numpy could
//! not find the borrow to release it, which ends the process. (It does end if the methods of a
//! subclass of `ndarray` change another argument.)
//!
//! What no borrow can prevent is a write by Python code, or by NumPy, in another thread while the
//! GIL is released. rust-numpy leaves this to the author of that code, as does every function that
//! reads an array without the GIL, NumPy's own included; README.md and the docstring of
//! `World.step` say so. To Rust it is a data race. What keeps it from doing harm is this, which
//! `tests/test_threads.py` exercises:
//!
//! - Lengths and pointers are taken here, once, with the GIL, so they stay whatever becomes of the
//!   shape and the type of the array. The memory stays because the array is referenced: NumPy does
//!   not resize an array that is (unless told `refcheck=False`), and only an assignment to its
//!   deprecated attribute `data`, or `__setstate__`, gives it other memory.
//! - The library copies the rows into records of its own, in one pass and rarely in a second one. A
//!   record is written where there is a place for it, or nowhere, whatever the columns have then;
//!   these are the only unchecked writes whose places follow from a column
//!   (`src/tier/point_grid/rooms.rs` of the library). Everything later reads records. So a row that
//!   changes in between is filed in a wrong place: pairs may be missing, or a checked index panics.
//!   The test has seen steps and errors, and no crash; it is no proof.
//! - Flags are copied with the GIL (a `bool` in Rust must be 0 or 1; a byte of a NumPy array need
//!   not be).
//!
//! COLUMN-4: what the library reads more than once, and keeps as it read it last, is copied with the
//! GIL: lists of changed rows, and statics. A value that is checked and then changes would otherwise
//! stay in the world.

use crate::errors::{self, Facts};
use numpy::{Element, PyArray, PyArrayDescrMethods, PyArrayMethods, PyReadonlyArray, PyUntypedArray};
use numpy::{IxDyn, PyUntypedArrayMethods};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::ptr::NonNull;
use triphase::Filter;

/// An array of rows of `N` numbers: of shape `(n, N)`, or `(n,)` if `N` is 1.
pub(crate) struct Column<'py, T: Element, const N: usize> {
    /// The memory of the array.
    rows: NonNull<[[T; N]]>,
    _array: PyReadonlyArray<'py, T, IxDyn>,
}

impl<'py, T: Element, const N: usize> Column<'py, T, N> {
    /// Borrows the argument `name`.
    pub(crate) fn borrow(value: &Bound<'py, PyAny>, name: &str) -> PyResult<Self> {
        // This may run Python code of a subclass, so it comes before the checks.
        let plain = Some(value).filter(|value| is_plain(value));
        let array = plain.and_then(|value| value.cast::<PyArray<T, IxDyn>>().ok());
        let array = array.filter(|array| array.is_c_contiguous() && array.is_aligned());
        let Some(array) = array.filter(|array| has_shape(array.shape(), N)) else {
            return Err(refusal::<T>(value, name, N));
        };
        match array.try_readonly() {
            Ok(array) => {
                // It is contiguous and aligned, as was checked.
                let rows = NonNull::from(array.as_slice().unwrap_or_default().as_chunks().0);
                Ok(Self { rows, _array: array })
            }
            Err(error) => Err(errors::array_error(value.py(), name, format!("{name}: cannot be read now: {error}"))),
        }
    }

    /// Like [`borrow`](Self::borrow), for an argument that may be `None`.
    pub(crate) fn borrow_some(value: Option<&Bound<'py, PyAny>>, name: &str) -> PyResult<Option<Self>> {
        value.map(|value| Self::borrow(value, name)).transpose()
    }

    #[allow(unsafe_code)]
    pub(crate) fn rows(&self) -> &[[T; N]] {
        // SAFETY: the rows were a slice when the array was borrowed, and their memory lives as long
        // as the array, which is referenced here (COLUMN-2).
        unsafe { self.rows.as_ref() }
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }
}

impl<T: Element> Column<'_, T, 1> {
    pub(crate) fn items(&self) -> &[T] {
        self.rows().as_flattened()
    }
}

/// An argument that may be `None`.
pub(crate) type Argument<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// Layers and masks as filters.
pub(crate) fn filters<'a>(column: Option<&'a Column<'_, u32, 2>>) -> Option<&'a [Filter]> {
    column.map(|column| filters_of(column.rows()))
}

#[allow(unsafe_code)]
pub(crate) fn filters_of(rows: &[[u32; 2]]) -> &[Filter] {
    const { assert!(size_of::<Filter>() == 8 && align_of::<Filter>() == align_of::<u32>()) };
    const { assert!(std::mem::offset_of!(Filter, layers) == 0 && std::mem::offset_of!(Filter, mask) == 4) };
    // SAFETY: `Filter` is `repr(C)` with two `u32` fields in this order, as asserted above, so a
    // row has the size, the alignment and valid values of a filter. The lifetime is that of `rows`.
    unsafe { std::slice::from_raw_parts(rows.as_ptr().cast(), rows.len()) }
}

/// Copies an array of flags of shape `(n,)`.
pub(crate) fn flags(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<bool>> {
    let refused = || refusal::<bool>(value, name, 1);
    let array = value.cast::<PyArray<bool, IxDyn>>().ok().filter(|array| is_plain(array)).ok_or_else(refused)?;
    if !(has_shape(array.shape(), 1) && array.is_c_contiguous()) {
        return Err(refused());
    }
    // The bytes as numbers, which may have any value.
    let bytes = array.call_method1("view", ("uint8",))?;
    let bytes = Column::<u8, 1>::borrow(&bytes, name)?;
    Ok(bytes.items().iter().map(|&byte| byte != 0).collect())
}

/// `N` numbers: a sequence or a one-dimensional array of any type.
pub(crate) fn numbers<const N: usize>(value: &Bound<'_, PyAny>, name: &str) -> PyResult<[f32; N]> {
    let refused = || {
        let got = match value.len() {
            Ok(count) if count != N && !value.is_instance_of::<PyString>() => format!("{count}"),
            _ => described(value),
        };
        let message = format!("{name}: expected {N} numbers, got {got}");
        errors::array_error(value.py(), name, message)
    };
    // What the caller's code raised by itself is not of the wrong type.
    let refused_by = |error: PyErr| if is_of_type_or_value(&error, value.py()) { refused() } else { error };
    let items = value.try_iter().map_err(refused_by)?;
    let mut numbers = [0.0; N];
    let mut count = 0;
    for item in items {
        let number = item.and_then(|item| item.extract::<f64>()).map_err(refused_by)?;
        *numbers.get_mut(count).ok_or_else(refused)? = number as f32;
        count += 1;
    }
    if count == N { Ok(numbers) } else { Err(refused()) }
}

/// Whether an error says that a value is of the wrong type, or out of range.
pub(crate) fn is_of_type_or_value(error: &PyErr, py: Python<'_>) -> bool {
    error.is_instance_of::<PyTypeError>(py)
        || error.is_instance_of::<PyValueError>(py)
        || error.is_instance_of::<PyOverflowError>(py)
}

/// A row, or the bits of layers: an integer that fits 32 bits.
#[derive(Clone, Copy)]
pub(crate) struct Whole(pub(crate) u32);

impl<'a, 'py> FromPyObject<'a, 'py> for Whole {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        value.extract::<u32>().map(Self).map_err(|refused| out_of_range(value, refused, u32::MAX as usize))
    }
}

/// A number of things: an integer that is not negative.
#[derive(Clone, Copy)]
pub(crate) struct Count(pub(crate) usize);

impl<'a, 'py> FromPyObject<'a, 'py> for Count {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        value.extract::<usize>().map(Self).map_err(|refused| out_of_range(value, refused, usize::MAX))
    }
}

/// The exception for an integer that was `refused`, if that is because of its range.
fn out_of_range(value: Borrowed<'_, '_, PyAny>, refused: PyErr, max: usize) -> PyErr {
    if !refused.is_instance_of::<PyOverflowError>(value.py()) {
        return refused;
    }
    let message = format!("expected an integer from 0 to {max}, got {}", *value);
    errors::error(value.py(), message, Facts::default())
}

/// The numbers of some rows.
pub(crate) fn whole_numbers(rows: Vec<Whole>) -> Vec<u32> {
    rows.into_iter().map(|row| row.0).collect()
}

/// One row of `N` numbers, or an array of rows.
pub(crate) enum OneOrMany<'py, const N: usize> {
    One([f32; N]),
    Many(Column<'py, f32, N>),
}

impl<'py, const N: usize> OneOrMany<'py, N> {
    pub(crate) fn borrow(value: &Bound<'py, PyAny>, name: &str) -> PyResult<Self> {
        if is_one_row(value, N) {
            numbers(value, name).map(Self::One)
        } else {
            Column::borrow(value, name).map(Self::Many)
        }
    }

    pub(crate) fn rows(&self) -> &[[f32; N]] {
        match self {
            Self::One(row) => std::slice::from_ref(row),
            Self::Many(column) => column.rows(),
        }
    }

    /// The row to name in an error: none if there is just one.
    pub(crate) fn row_name(&self, row: usize) -> Option<usize> {
        matches!(self, Self::Many(_)).then_some(row)
    }
}

/// Whether an argument is one row of numbers rather than a column.
fn is_one_row(value: &Bound<'_, PyAny>, count: usize) -> bool {
    match value.cast::<PyUntypedArray>() {
        Ok(array) => array.shape() == [count],
        // A list of lists is refused as a column, with the advice to make it an array.
        Err(_) => !value.get_item(0).is_ok_and(|first| first.get_item(0).is_ok()),
    }
}

/// Whether the array is what it seems: a masked array has values that are not meant.
fn is_plain(array: &Bound<'_, PyAny>) -> bool {
    array.is_exact_instance_of::<PyUntypedArray>() || !array.hasattr("mask").unwrap_or(false)
}

fn has_shape(shape: &[usize], width: usize) -> bool {
    if width == 1 { shape.len() == 1 } else { shape.len() == 2 && shape[1] == width }
}

/// The exception for an argument that is not the array it has to be (COLUMN-1).
#[cold]
fn refusal<T: Element>(value: &Bound<'_, PyAny>, name: &str, width: usize) -> PyErr {
    let dtype = numpy::dtype::<T>(value.py());
    // `np.bool` does not exist in NumPy 1.
    let scalar = if dtype.kind() == b'b' { "bool_".to_owned() } else { dtype.to_string() };
    let shape = if width == 1 { "(n,)".to_owned() } else { format!("(n, {width})") };
    let expected = format!("expected a C-contiguous {dtype} array of shape {shape}");
    let got = described(value);
    let convert = |function: &str| format!("Convert it with np.{function}, dtype=np.{scalar})");
    let advice = match value.cast::<PyUntypedArray>() {
        Err(_) => convert(&format!("array({name}")),
        Ok(array) if !is_plain(array) => {
            format!("Decide what masked rows are, and convert it with np.ma.filled({name}, value)")
        }
        Ok(array) if has_shape(array.shape(), width) => match is_aligned(array) {
            true => convert(&format!("ascontiguousarray({name}")),
            false => convert(&format!("array({name}")),
        },
        Ok(array) if array.shape().len() == 2 && array.shape()[0] == width && width > 1 => {
            convert(&format!("ascontiguousarray({name}.T"))
        }
        Ok(array) if array.len() == 0 => format!("For no rows, pass np.empty((0, {width}), dtype=np.{scalar})"),
        Ok(array) if array.shape().len() == 1 && name == "half_extents" => {
            format!("For radii, pass np.repeat({name}[:, None], 2, axis=1)")
        }
        Ok(_) => "Rows are entities; columns are their numbers".to_owned(),
    };
    errors::array_error(value.py(), name, format!("{name}: {expected}, got {got}. {advice}."))
}

fn is_aligned(array: &Bound<'_, PyUntypedArray>) -> bool {
    array.getattr("flags").and_then(|flags| flags.getattr("aligned")?.is_truthy()).unwrap_or(true)
}

/// What an argument is, for messages.
pub(crate) fn described(value: &Bound<'_, PyAny>) -> String {
    let kind = value.get_type().name().map_or_else(|_| "value".to_owned(), |name| name.to_string());
    let Ok(array) = value.cast::<PyUntypedArray>() else {
        return format!("a value of type {kind}");
    };
    let dtype = array.dtype();
    let masked = if is_plain(array) { "" } else { "masked " };
    let mut text = format!("a {masked}{dtype} array of shape {}", shape_text(array.shape()));
    if !dtype.is_native_byteorder().unwrap_or(true) {
        text += " in foreign byte order";
    }
    if !array.is_c_contiguous() {
        text += &format!(" that is not C-contiguous (strides {})", shape_text(array.strides()));
    } else if !is_aligned(array) {
        text += " that is not aligned";
    }
    text
}

/// A tuple as Python writes it.
fn shape_text<N: std::fmt::Display>(numbers: &[N]) -> String {
    let items: Vec<String> = numbers.iter().map(N::to_string).collect();
    if items.len() == 1 { format!("({},)", items[0]) } else { format!("({})", items.join(", ")) }
}
