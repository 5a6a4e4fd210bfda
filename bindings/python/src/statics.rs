//! The static set of a world.

use crate::columns::{Argument, Column, Whole, filters_of, whole_numbers};
use crate::shared::Work;
use crate::world::World;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use triphase::Statics;

/// The arrays of statics, copied (COLUMN-4).
struct StaticColumns {
    boxes: Vec<[f32; 4]>,
    ids: Option<Vec<u64>>,
    filters: Option<Vec<[u32; 2]>>,
}

impl StaticColumns {
    fn new(boxes: &Bound<'_, PyAny>, ids: Argument<'_, '_>, filters: Argument<'_, '_>) -> PyResult<Self> {
        let boxes = Column::borrow(boxes, "boxes")?;
        let ids = Column::<u64, 1>::borrow_some(ids, "ids")?;
        let filters = Column::borrow_some(filters, "filters")?;
        Ok(Self {
            boxes: boxes.rows().to_vec(),
            ids: ids.map(|ids| ids.items().to_vec()),
            filters: filters.map(|filters| filters.rows().to_vec()),
        })
    }

    fn statics(&self) -> Statics<'_> {
        let mut statics = Statics::new(&self.boxes);
        if let Some(ids) = &self.ids {
            statics = statics.with_ids(ids);
        }
        if let Some(filters) = &self.filters {
            statics = statics.with_filters(filters_of(filters));
        }
        statics
    }
}

#[pymethods]
impl World {
    /// Replaces the static set: boxes that rarely change, of shape (n, 4), all enabled.
    ///
    /// ids: uint64 of shape (n,). filters: uint32 of shape (n, 2), layers and mask.
    ///
    /// Queries see the new set at once. There are no static pairs until the next step.
    #[pyo3(signature = (boxes, ids = None, filters = None))]
    fn set_statics<'py>(
        &self,
        py: Python<'py>,
        boxes: &Bound<'py, PyAny>,
        ids: Argument<'_, 'py>,
        filters: Argument<'_, 'py>,
    ) -> PyResult<()> {
        let columns = StaticColumns::new(boxes, ids, filters)?;
        let statics = columns.statics();
        self.world.change(py, Work::Parallel, |world| world.set_statics(statics))
    }

    /// Appends statics, all enabled, and returns their rows. Rows are never renumbered.
    ///
    /// They need ids if the set has ids, and must not have them if it has statics without ids.
    #[pyo3(signature = (boxes, ids = None, filters = None))]
    fn insert_statics<'py>(
        &self,
        py: Python<'py>,
        boxes: &Bound<'py, PyAny>,
        ids: Argument<'_, 'py>,
        filters: Argument<'_, 'py>,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let columns = StaticColumns::new(boxes, ids, filters)?;
        let statics = columns.statics();
        let rows = self.world.change(py, Work::Parallel, |world| world.insert_statics(statics))?;
        Ok(rows.collect::<Vec<u32>>().into_pyarray(py))
    }

    /// Replaces the statics of some rows, and enables them: rows[k] gets boxes[k]. Raises Error if
    /// there is no such row; then nothing changes.
    #[pyo3(signature = (rows, boxes, ids = None, filters = None))]
    fn replace_statics<'py>(
        &self,
        py: Python<'py>,
        rows: Vec<Whole>,
        boxes: &Bound<'py, PyAny>,
        ids: Argument<'_, 'py>,
        filters: Argument<'_, 'py>,
    ) -> PyResult<()> {
        let columns = StaticColumns::new(boxes, ids, filters)?;
        let statics = columns.statics();
        self.world.change(py, Work::Parallel, |world| world.replace_statics(&whole_numbers(rows), statics))
    }

    /// Removes the statics of some rows. The rows remain, without boxes. Raises Error if there is no
    /// such row; then nothing changes.
    fn remove_statics(&self, py: Python<'_>, rows: Vec<Whole>) -> PyResult<()> {
        self.world.change(py, Work::Parallel, |world| world.remove_statics(&whole_numbers(rows)))
    }

    /// Enables or disables a static, and returns whether it was enabled before. Raises Error if there
    /// is no such row, or if its static was removed.
    fn set_static_enabled(&self, py: Python<'_>, row: Whole, enabled: bool) -> PyResult<bool> {
        self.world.change(py, Work::Sequential, |world| world.set_static_enabled(row.0, enabled))
    }

    /// Rows of the static set, those of disabled and removed statics included.
    #[getter]
    fn static_count(&self, py: Python<'_>) -> PyResult<usize> {
        self.world.read(py, Work::Sequential, |world| world.statics().len())
    }

    /// The box of a static, as (min_x, min_y, max_x, max_y); None if there is none in this row.
    fn static_aabb(&self, py: Python<'_>, row: Whole) -> PyResult<Option<(f32, f32, f32, f32)>> {
        let aabb = self.world.read(py, Work::Sequential, |world| world.statics().aabb(row.0))?;
        Ok(aabb.map(|aabb| aabb.to_array().into()))
    }

    /// The id of a static; None if the set has no ids, or no such row.
    fn static_id(&self, py: Python<'_>, row: Whole) -> PyResult<Option<u64>> {
        self.world.read(py, Work::Sequential, |world| world.statics().id(row.0))
    }

    /// Whether a static is enabled; None if there is none in this row.
    fn is_static_enabled(&self, py: Python<'_>, row: Whole) -> PyResult<Option<bool>> {
        self.world.read(py, Work::Sequential, |world| world.statics().is_enabled(row.0))
    }
}
