//! The class `World`: figures and maintenance. Its other methods are in files of their own.

use crate::columns::{Whole, numbers};
use crate::contacts::{body_pairs, static_pairs};
use crate::errors::types;
use crate::report;
use crate::results::table;
use crate::shared::{SharedWorld, Work};
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use triphase::Islands;

/// A broad phase: finds the contact pairs of moving bodies and statics, and answers queries.
///
/// Lengths are in world units: any unit that you use everywhere. Arrays are C-contiguous, of
/// float32 unless it is said otherwise, and are read without a copy; others raise ArrayError.
///
/// The settings, all of them readable as attributes:
///
/// body_shape: "box", or "circle" for round bodies, whose diameter is the longer side of the box.
/// contact_tracking: tracks which contacts begin, persist and end; see events().
/// margin: a tracked contact ends once the boxes, grown by this on all sides, no longer overlap.
/// partner_lists: lists the partners of each body; see partners().
/// invalid_rows: "reject" raises Error for NaN, infinity and negative sizes, "skip" steps the rest.
/// bounds: largest half-extents of the size classes, ascending, at most 8; derived if None.
/// cell_size: side of the cells of the grid; derived if None.
/// pair_limit: a step with more pairs raises Error.
/// threads: at most 1024; None for one per CPU, or as RAYON_NUM_THREADS says; 1 for the calling
///     thread alone.
/// parallel_threshold: least number of bodies for which a step uses several threads, or None.
/// simd_max: the best instruction set that may be used; None for no limit.
///
/// Results depend neither on threads nor on the instruction set.
///
/// Threads may share a world, and run queries at the same time. A call that cannot have the world,
/// because another thread steps or changes it, raises BusyError at once. After os.fork() the child
/// starts threads of its own; a world that was in use during the fork stays in use there.
#[pyclass(frozen, module = "triphase")]
pub(crate) struct World {
    pub(crate) world: SharedWorld,
}

/// What `partner_lists` returns: offsets, rows.
type Lists<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<u32>>);

#[pymethods]
impl World {
    /// Number of successful steps so far.
    #[getter]
    fn step_number(&self, py: Python<'_>) -> PyResult<u64> {
        self.world.read(py, Work::Sequential, triphase::World::step_number)
    }

    /// Number of rows of the last step.
    #[getter]
    fn body_count(&self, py: Python<'_>) -> PyResult<usize> {
        self.world.read(py, Work::Sequential, |world| world.contacts().body_count())
    }

    /// Copies the pairs of bodies of the last step, of shape (m, 2).
    ///
    /// After step_changed, these are all pairs, whether their rows changed or not.
    #[pyo3(signature = (*, sorted = false))]
    fn pairs<'py>(&self, py: Python<'py>, sorted: bool) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let pairs = self.world.read(py, Work::Sequential, |world| body_pairs(&world.contacts(), sorted))?;
        table(py, pairs, 2)
    }

    /// Copies the pairs of a body and a static of the last step, of shape (m, 2).
    #[pyo3(signature = (*, sorted = false))]
    fn static_pairs<'py>(&self, py: Python<'py>, sorted: bool) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let pairs = self.world.read(py, Work::Sequential, |world| static_pairs(&world.contacts(), sorted))?;
        table(py, pairs, 2)
    }

    /// The rows that the last step skipped, with invalid_rows="skip".
    fn skipped_rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let rows = |world: &triphase::World| world.skipped_rows().iter().map(|skipped| skipped.row).collect::<Vec<_>>();
        Ok(self.world.read(py, Work::Sequential, rows)?.into_pyarray(py))
    }

    /// The ids of all bodies of the last step; None if it had bodies and no ids.
    fn body_ids<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray1<u64>>>> {
        let ids = self.world.read(py, Work::Sequential, |world| {
            let contacts = world.contacts();
            (0..contacts.body_count() as u32).map(|row| contacts.body_id(row)).collect::<Option<Vec<_>>>()
        })?;
        Ok(ids.map(|ids| ids.into_pyarray(py)))
    }

    /// The box of a body in the last step, as (min_x, min_y, max_x, max_y).
    ///
    /// None if the row was skipped or does not exist.
    fn aabb(&self, py: Python<'_>, row: Whole) -> PyResult<Option<(f32, f32, f32, f32)>> {
        let aabb = self.world.read(py, Work::Sequential, |world| world.aabb(row.0))?;
        Ok(aabb.map(<(f32, f32, f32, f32)>::from))
    }

    /// The boxes of all bodies in the last step, of shape (n, 4); NaN for skipped rows.
    fn aabbs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let boxes = self.world.read(py, Work::Sequential, |world| {
            let count = world.contacts().body_count() as u32;
            (0..count).flat_map(|row| world.aabb(row).unwrap_or([f32::NAN; 4])).collect::<Vec<_>>()
        })?;
        table(py, boxes, 4)
    }

    /// The rows of the bodies that a body is a pair with, ascending. Needs partner_lists=True.
    fn partners<'py>(&self, py: Python<'py>, row: Whole) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let found =
            self.world.read(py, Work::Sequential, |world| world.contacts().partners(row.0).map(<[u32]>::to_vec))?;
        Ok(found.ok_or_else(no_lists)?.into_pyarray(py))
    }

    /// The rows of the statics that a body is a pair with, ascending. Needs partner_lists=True.
    fn static_partners<'py>(&self, py: Python<'py>, row: Whole) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let read = |world: &triphase::World| world.contacts().static_partners(row.0).map(<[u32]>::to_vec);
        Ok(self.world.read(py, Work::Sequential, read)?.ok_or_else(no_lists)?.into_pyarray(py))
    }

    /// The partners of all bodies, as (offsets, rows). Needs partner_lists=True.
    ///
    /// Those of body k are rows[offsets[k]:offsets[k + 1]].
    fn all_partners<'py>(&self, py: Python<'py>) -> PyResult<Lists<'py>> {
        let lists = self.world.read(py, Work::Sequential, |world| {
            let contacts = world.contacts();
            let (mut offsets, mut rows) = (vec![0], Vec::with_capacity(2 * contacts.body_pairs().len()));
            for row in 0..contacts.body_count() as u32 {
                rows.extend_from_slice(contacts.partners(row)?);
                offsets.push(rows.len() as i64);
            }
            Some((offsets, rows))
        })?;
        let (offsets, rows) = lists.filter(|_| self.world.config().partner_lists()).ok_or_else(no_lists)?;
        Ok((offsets.into_pyarray(py), rows.into_pyarray(py)))
    }

    /// Groups of bodies that contacts connect, as (number of groups, group of each row).
    ///
    /// With connect_statics, bodies that touch the same static are in one group.
    #[pyo3(signature = (*, connect_statics = false))]
    fn islands<'py>(&self, py: Python<'py>, connect_statics: bool) -> PyResult<(usize, Bound<'py, PyArray1<u32>>)> {
        let (count, labels) = self.world.read(py, Work::Sequential, |world| {
            let mut islands = Islands::new().connect_statics(connect_statics);
            world.contacts().build_islands(&mut islands);
            (islands.len(), islands.island_by_row().to_vec())
        })?;
        Ok((count, labels.into_pyarray(py)))
    }

    /// All rows, so that nearby bodies are adjacent; columns in this order make steps faster.
    fn spatial_order<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let order = self.world.read(py, Work::Sequential, |world| {
            let mut order = Vec::new();
            world.spatial_order(&mut order);
            order
        })?;
        Ok(order.into_pyarray(py))
    }

    /// Moves the origin of coordinates to `by`: subtracts it from all stored coordinates.
    ///
    /// Subtract it from your arrays, too, before the next step.
    fn shift_origin(&self, py: Python<'_>, by: &Bound<'_, PyAny>) -> PyResult<()> {
        let by = numbers::<2>(by, "by")?;
        self.world.change(py, Work::Parallel, |world| world.shift_origin(by))
    }

    /// Releases all memory that is not needed to keep the last step.
    fn shrink_to_fit(&self, py: Python<'_>) -> PyResult<()> {
        self.world.change(py, Work::Sequential, |world| {
            world.shrink_to_fit();
            Ok(())
        })
    }

    /// Counts, memory in bytes and times in seconds of the last step; "text" has them as text.
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = self.world.read(py, Work::Sequential, triphase::World::report)?;
        report::dict(py, &found)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let read = self.world.read(py, Work::Sequential, |world| {
            let (contacts, statics) = (world.contacts(), world.statics().len());
            format!("{} bodies, {statics} statics, step {}", contacts.body_count(), world.step_number())
        });
        let state = read.unwrap_or_else(|error| {
            let is_broken = error.is_instance_of::<types::PanicError>(py);
            if is_broken { "unusable after a panic" } else { "in use" }.to_owned()
        });
        format!("<triphase.World: {state}>")
    }

    /// Panics while the world changes, so that tests can see what becomes of it.
    fn _panic(&self, py: Python<'_>) -> PyResult<()> {
        self.world.change(py, Work::Parallel, |_| panic!("as a test asked"))
    }
}

fn no_lists() -> PyErr {
    types::Error::new_err("partners need a World(partner_lists=True)")
}
