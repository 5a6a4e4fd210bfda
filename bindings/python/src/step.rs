//! Stepping a world with arrays.

use crate::columns::{Argument, Column, described, filters, flags, is_of_type_or_value, numbers};
use crate::contacts::{FoundPairs, body_pairs, static_pairs};
use crate::errors::{self, Facts};
use crate::world::World;
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use triphase::{Bodies, ChangedRows};

/// The arrays of a step, borrowed.
struct BodyColumns<'py> {
    boxes: BoxColumns<'py>,
    ids: Option<Column<'py, u64, 1>>,
    filters: Option<Column<'py, u32, 2>>,
    displacements: Option<Column<'py, f32, 2>>,
    asleep: Option<Vec<bool>>,
}

enum BoxColumns<'py> {
    Centers { centers: Column<'py, f32, 2>, half_extents: Column<'py, f32, 2> },
    Uniform { centers: Column<'py, f32, 2>, half_extents: [f32; 2] },
    Boxes(Column<'py, f32, 4>),
}

impl<'py> BoxColumns<'py> {
    fn centers(centers: &Bound<'py, PyAny>, half_extents: &Bound<'py, PyAny>) -> PyResult<Self> {
        if is_column(half_extents) {
            let centers = Column::borrow(centers, "centers")?;
            return Ok(Self::Centers { centers, half_extents: Column::borrow(half_extents, "half_extents")? });
        }
        // Before the centers are borrowed (COLUMN-3).
        let half_extents = match half_extents.extract::<f64>() {
            Ok(half) => [half as f32; 2],
            Err(error) if is_of_type_or_value(&error, half_extents.py()) => numbers(half_extents, "half_extents")?,
            Err(error) => return Err(error),
        };
        Ok(Self::Uniform { centers: Column::borrow(centers, "centers")?, half_extents })
    }

    fn boxes(boxes: &Bound<'py, PyAny>) -> PyResult<Self> {
        Column::borrow(boxes, "boxes").map(Self::Boxes)
    }
}

/// Whether half-extents are one per body, rather than one or two numbers for all.
fn is_column(half_extents: &Bound<'_, PyAny>) -> bool {
    match half_extents.cast::<PyUntypedArray>() {
        Ok(array) => array.ndim() > 1 || (array.ndim() == 1 && array.len() != 2) || array.dtype().kind() == b'O',
        Err(_) => half_extents.get_item(0).is_ok_and(|first| first.get_item(0).is_ok()),
    }
}

impl<'py> BodyColumns<'py> {
    fn new(
        boxes: BoxColumns<'py>,
        ids: Argument<'_, 'py>,
        filters: Argument<'_, 'py>,
        displacements: Argument<'_, 'py>,
        asleep: Argument<'_, 'py>,
    ) -> PyResult<Self> {
        Ok(Self {
            boxes,
            ids: Column::borrow_some(ids, "ids")?,
            filters: Column::borrow_some(filters, "filters")?,
            displacements: Column::borrow_some(displacements, "displacements")?,
            asleep: asleep.map(|asleep| flags(asleep, "asleep")).transpose()?,
        })
    }

    fn len(&self) -> usize {
        match &self.boxes {
            BoxColumns::Centers { centers, .. } | BoxColumns::Uniform { centers, .. } => centers.len(),
            BoxColumns::Boxes(boxes) => boxes.len(),
        }
    }

    fn bodies(&self) -> Bodies<'_> {
        let mut bodies = match &self.boxes {
            BoxColumns::Centers { centers, half_extents } => Bodies::new(centers.rows(), half_extents.rows()),
            BoxColumns::Uniform { centers, half_extents } => Bodies::uniform(centers.rows(), *half_extents),
            BoxColumns::Boxes(boxes) => Bodies::from_aabbs(boxes.rows()),
        };
        if let Some(ids) = &self.ids {
            bodies = bodies.with_ids(ids.items());
        }
        if let Some(filters) = filters(self.filters.as_ref()) {
            bodies = bodies.with_filters(filters);
        }
        if let Some(displacements) = &self.displacements {
            bodies = bodies.with_displacements(displacements.rows());
        }
        if let Some(asleep) = &self.asleep {
            bodies = bodies.with_asleep(asleep);
        }
        bodies
    }
}

/// The rows that changed: a list, or a flag for each row. Copied (COLUMN-4).
enum Changed {
    List(Vec<u32>),
    Flags(Vec<bool>),
}

impl Changed {
    fn new(changed: &Bound<'_, PyAny>) -> PyResult<Self> {
        let dtype = changed.cast::<PyUntypedArray>().map(|array| (array.dtype().kind(), array.dtype().itemsize()));
        match dtype {
            Ok((b'b', _)) => flags(changed, "changed").map(Self::Flags),
            Ok((b'u', 4)) => Ok(Self::List(Column::<u32, 1>::borrow(changed, "changed")?.items().to_vec())),
            // As np.flatnonzero returns them.
            Ok((b'i', 8)) => {
                let rows = Column::<i64, 1>::borrow(changed, "changed")?;
                rows.items().iter().map(|&row| changed_row(changed.py(), row)).collect::<PyResult<_>>().map(Self::List)
            }
            _ => Err(no_changed_rows(changed)),
        }
    }

    fn rows(&self) -> ChangedRows<'_> {
        match self {
            Self::List(rows) => rows.into(),
            Self::Flags(flags) => flags.into(),
        }
    }
}

/// A row of 64 bits.
fn changed_row(py: Python<'_>, row: i64) -> PyResult<u32> {
    u32::try_from(row).map_err(|_| {
        let facts = Facts { value: Some(row as f64), ..Facts::of_column("changed") };
        errors::error(py, format!("changed row {row} does not exist"), facts)
    })
}

/// The exception for what is neither rows nor flags, or might be either.
fn no_changed_rows(changed: &Bound<'_, PyAny>) -> PyErr {
    let message = format!(
        "changed: expected an array of rows, of uint32 or int64, or of flags, of bool; got {}. Convert rows with \
         np.array(changed, dtype=np.uint32), and flags with np.array(changed, dtype=bool).",
        described(changed)
    );
    errors::array_error(changed.py(), "changed", message)
}

#[pymethods]
impl World {
    /// Steps one frame: finds all pairs of bodies, and of bodies and enabled statics, whose closed
    /// boxes overlap and whose filters accept each other.
    ///
    /// The box of row k is centers[k] - half_extents[k] to centers[k] + half_extents[k], computed
    /// in float32. Touching is overlap. With body_shape="circle", the circles must touch, too.
    ///
    /// centers: shape (n, 2).
    /// half_extents: from the center to the sides: shape (n, 2), or a pair or a number for all.
    /// ids: uint64 of shape (n,), unique if contacts are tracked.
    /// filters: uint32 of shape (n, 2): the layers of a body, and those that it accepts, as bits.
    /// displacements: shape (n, 2): boxes cover the motion from center to center + displacement.
    /// asleep: bool of shape (n,): the pairs of marked bodies are reused while these do not change.
    /// sorted: returns pairs in ascending order, for a sort of about the time of the step.
    ///
    /// After an error, contacts and queries are still those of the last successful step.
    ///
    /// The GIL is released during the step. No other thread may write to the arrays in that time.
    /// If one does, the step may see any mixture of old and new values: pairs may be missing,
    /// Error may name a value that is gone, or PanicError may end the world. Step copies of arrays
    /// that another thread writes to: world.step(centers.copy(), ...).
    #[pyo3(signature = (
        centers, half_extents, *, ids = None, filters = None, displacements = None, asleep = None, sorted = false
    ))]
    fn step<'py>(
        &self,
        py: Python<'py>,
        centers: &Bound<'py, PyAny>,
        half_extents: &Bound<'py, PyAny>,
        ids: Argument<'_, 'py>,
        filters: Argument<'_, 'py>,
        displacements: Argument<'_, 'py>,
        asleep: Argument<'_, 'py>,
        sorted: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let boxes = BoxColumns::centers(centers, half_extents)?;
        self.step_columns(py, &BodyColumns::new(boxes, ids, filters, displacements, asleep)?, sorted)
    }

    /// Like step, from boxes of shape (n, 4): (min_x, min_y, max_x, max_y), taken bit for bit.
    #[pyo3(signature = (boxes, *, ids = None, filters = None, displacements = None, asleep = None, sorted = false))]
    fn step_boxes<'py>(
        &self,
        py: Python<'py>,
        boxes: &Bound<'py, PyAny>,
        ids: Argument<'_, 'py>,
        filters: Argument<'_, 'py>,
        displacements: Argument<'_, 'py>,
        asleep: Argument<'_, 'py>,
        sorted: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let boxes = BoxColumns::boxes(boxes)?;
        self.step_columns(py, &BodyColumns::new(boxes, ids, filters, displacements, asleep)?, sorted)
    }

    /// Like step, but told which rows changed since the last successful step: for worlds in which
    /// few do.
    ///
    /// changed: rows as uint32 or int64 of shape (k,), or a flag for each row as bool of shape (n,).
    ///
    /// Rows beyond those of the last step need not be named. A row into which the last one was moved
    /// must be named; one that no longer exists raises Error. All other rows must be bit for bit the
    /// same; this is not checked, and a row that changed without being named is still where it was.
    /// After an error, name the same rows again, and those that changed since: the last step is still
    /// the last successful one.
    ///
    /// If more than one row in six changed (in 22, if other rows change in each step), this takes about
    /// as long as step. After such a step, and after step, set_statics and shift_origin, all rows are
    /// stepped, in up to three times the time of step: do not take turns.
    ///
    /// Returns the pairs with a changed row; pairs() has all of them.
    #[pyo3(signature = (changed, centers, half_extents, *, ids = None, filters = None, displacements = None))]
    fn step_changed<'py>(
        &self,
        py: Python<'py>,
        changed: &Bound<'py, PyAny>,
        centers: &Bound<'py, PyAny>,
        half_extents: &Bound<'py, PyAny>,
        ids: Argument<'_, 'py>,
        filters: Argument<'_, 'py>,
        displacements: Argument<'_, 'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let boxes = BoxColumns::centers(centers, half_extents)?;
        self.step_changed_columns(py, changed, &BodyColumns::new(boxes, ids, filters, displacements, None)?)
    }

    /// Like step_changed, from boxes of shape (n, 4).
    #[pyo3(signature = (changed, boxes, *, ids = None, filters = None, displacements = None))]
    fn step_boxes_changed<'py>(
        &self,
        py: Python<'py>,
        changed: &Bound<'py, PyAny>,
        boxes: &Bound<'py, PyAny>,
        ids: Argument<'_, 'py>,
        filters: Argument<'_, 'py>,
        displacements: Argument<'_, 'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let boxes = BoxColumns::boxes(boxes)?;
        self.step_changed_columns(py, changed, &BodyColumns::new(boxes, ids, filters, displacements, None)?)
    }
}

impl World {
    fn step_columns<'py>(
        &self,
        py: Python<'py>,
        columns: &BodyColumns<'_>,
        sorted: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (bodies, work) = (columns.bodies(), self.world.work_of(columns.len()));
        let found = self.world.change(py, work, |world| {
            let contacts = world.step(bodies)?;
            let (body_count, bodies) = (contacts.body_count(), body_pairs(&contacts, sorted));
            let statics = static_pairs(&contacts, sorted);
            Ok(FoundPairs { bodies, statics, body_count, step_number: world.step_number() })
        })?;
        found.into_object(py, "Contacts")
    }

    fn step_changed_columns<'py>(
        &self,
        py: Python<'py>,
        changed: &Bound<'py, PyAny>,
        columns: &BodyColumns<'_>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let changed = Changed::new(changed)?;
        let (bodies, rows, work) = (columns.bodies(), changed.rows(), self.world.work_of(columns.len()));
        let found = self.world.change(py, work, |world| {
            let contacts = world.step_changed(bodies, rows)?;
            let (body_count, bodies) = (contacts.body_count(), bytemuck::cast_slice(contacts.changed_pairs()).to_vec());
            let statics = bytemuck::cast_slice(contacts.changed_static_pairs()).to_vec();
            Ok(FoundPairs { bodies, statics, body_count, step_number: world.step_number() })
        })?;
        found.into_object(py, "ChangedContacts")
    }
}
