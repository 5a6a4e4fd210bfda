//! Reads the changed rows of a step.

use crate::broad_phase::changes::changed_set::ChangedSet;
use crate::error::{Error, InvalidRow};
use crate::geometry::{NO_BOX, RawAabb, is_no_box};
use crate::input::chunks::Chunks;
use crate::input::filter::Filter;
use crate::input::rows::BoxSource;
use crate::memory::buffers::{buffers, plain_buffers};
use crate::parallel;

/// Rows of a task.
const TASK_ROWS: usize = 1024;

/// Rows that are read at once.
const BATCH: usize = 64;

/// A changed row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChangedBody {
    pub(crate) row: u32,
    /// Its box, or [`NO_BOX`] if the row does not exist any more.
    pub(crate) aabb: RawAabb,
    pub(crate) filter: Filter,
    /// Its id, if the step has ids.
    pub(crate) id: u64,
}

plain_buffers!(ChangedBody);

impl ChangedBody {
    /// A row that does not exist.
    pub(crate) const NONE: Self = Self { row: 0, aabb: NO_BOX, filter: Filter::ALL, id: 0 };

    /// Whether the row exists in this step.
    #[inline(always)]
    pub(crate) fn exists(&self) -> bool {
        !is_no_box(&self.aabb)
    }
}

/// The changed rows of a step, with their boxes.
#[derive(Default)]
pub(crate) struct ChangedBodies {
    /// In ascending order; those that do not exist any more are last.
    pub(crate) by_row: Vec<ChangedBody>,
    /// The first row of each task that is invalid.
    invalid: Vec<Option<InvalidRow>>,
}

buffers!(ChangedBodies { leveled: by_row; own: invalid; plain: ; });

impl ChangedBodies {
    /// Reads the rows of `changed`.
    ///
    /// The caller's function for ids is called here, before anything is changed: it may panic.
    ///
    /// # Errors
    ///
    /// If a row is invalid.
    pub(crate) fn read(&mut self, rows: &Chunks<'_, '_>, changed: &ChangedSet, parallel: bool) -> Result<(), Error> {
        let Self { by_row, invalid } = self;
        let changed_rows = changed.rows();
        // All are overwritten: those of the last step need not be cleared.
        by_row.resize(changed_rows.len(), ChangedBody::NONE);
        invalid.clear();
        invalid.resize(changed_rows.len().div_ceil(TASK_ROWS), None);
        parallel::for_each_chunk_and(parallel, by_row, TASK_ROWS, invalid, |number, bodies, invalid| {
            let changed_rows = &changed_rows[number * TASK_ROWS..][..bodies.len()];
            let mut batches = bodies.chunks_mut(BATCH).zip(changed_rows.chunks(BATCH));
            *invalid = batches.try_for_each(|(bodies, changed_rows)| read_batch(rows, changed_rows, bodies)).err();
        });
        if let Some(&invalid) = invalid.iter().flatten().next() {
            return Err(Error::InvalidBody(invalid));
        }
        by_row.extend(changed.gone().iter().map(|&row| ChangedBody { row, ..ChangedBody::NONE }));
        Ok(())
    }
}

/// Reads up to [`BATCH`] rows, which ascend.
fn read_batch(rows: &Chunks<'_, '_>, changed_rows: &[u32], bodies: &mut [ChangedBody]) -> Result<(), InvalidRow> {
    let mut boxes = [NO_BOX; BATCH];
    let boxes = &mut boxes[..bodies.len()];
    if !rows.read_listed(changed_rows, boxes) {
        changed_rows.iter().try_for_each(|&row| rows.checked_box(row as usize).map(drop))?;
    }
    for ((body, &row), &aabb) in bodies.iter_mut().zip(changed_rows).zip(&*boxes) {
        *body = ChangedBody { row, aabb, filter: Filter::ALL, id: u64::from(row) };
    }
    if rows.has_filters() {
        rows.read_listed_filters(changed_rows, |k, filter| bodies[k].filter = filter);
    }
    if rows.has_ids() {
        rows.read_listed_ids(changed_rows, |k, id| bodies[k].id = id);
    }
    Ok(())
}
