//! Reads the changed rows of a step.

use crate::broad_phase::changes::changed_body::ChangedBody;
use crate::broad_phase::changes::changed_set::ChangedSet;
use crate::broad_phase::changes::row_index::RowIndex;
use crate::error::{Error, InvalidRow};
use crate::frame::frame::Frame;
use crate::input::chunks::Chunks;
use crate::input::rows::BoxSource;
use crate::memory::buffers::buffers;
use crate::memory::radix::{Numbered, sort_by_key};
use crate::parallel;

/// Rows of a task.
const TASK_ROWS: usize = 1024;

/// Rows that are loaded ahead of being read.
const ROWS_AHEAD: usize = 16;

/// The changed rows of a step, with their boxes.
#[derive(Default)]
pub(crate) struct ChangedBodies {
    /// Near ones together.
    pub(crate) sorted: Vec<ChangedBody>,
    /// In ascending order; those that do not exist any more are last.
    by_row: Vec<ChangedBody>,
    tasks: Vec<ReadTask>,
    keys: Vec<Numbered>,
    spare: Vec<Numbered>,
}

/// Some of the rows.
#[derive(Default)]
struct ReadTask {
    keys: Vec<u64>,
    /// The first row that is invalid.
    invalid: Option<InvalidRow>,
}

buffers!(ChangedBodies { leveled: sorted, by_row, keys, spare; own: tasks; plain: ; });
buffers!(ReadTask { leveled: keys; own: ; plain: invalid; });

impl ChangedBodies {
    /// Reads the rows of `changed`, and orders them like the cells of the last step, whose frame is
    /// `front`, so that memory is read in order. `index` is that of the frame.
    ///
    /// The caller's function for ids is called here, before anything is changed: it may panic.
    ///
    /// # Errors
    ///
    /// If a row is invalid.
    pub(crate) fn read(
        &mut self,
        rows: &Chunks<'_, '_>,
        changed: &ChangedSet,
        (front, index): (&Frame, &RowIndex),
        parallel: bool,
    ) -> Result<(), Error> {
        let Self { sorted, by_row, tasks, keys, spare } = self;
        let (sort_keys, changed_rows) = (front.bands.sort_keys(), changed.rows());
        let task_count = changed_rows.len().div_ceil(TASK_ROWS);
        if tasks.len() < task_count {
            tasks.resize_with(task_count, ReadTask::default);
        }
        by_row.clear();
        by_row.resize(changed_rows.len(), ChangedBody::NONE);
        parallel::for_each_chunk_and(parallel, by_row, TASK_ROWS, tasks, |number, bodies, task| {
            let changed_rows = &changed_rows[number * TASK_ROWS..];
            task.keys.clear();
            let mut read = |k: usize, body: &mut ChangedBody| {
                if let Some(&ahead) = changed_rows.get(k + ROWS_AHEAD) {
                    rows.prefetch(ahead);
                }
                let row = changed_rows[k];
                let aabb = rows.check(row as usize)?;
                task.keys.push(sort_keys.of(&aabb));
                *body = ChangedBody { row, aabb, filter: rows.filter(row), id: rows.id(row) };
                Ok(())
            };
            task.invalid = bodies.iter_mut().enumerate().try_for_each(|(k, body)| read(k, body)).err();
        });
        let tasks = &tasks[..task_count];
        if let Some(invalid) = tasks.iter().find_map(|task| task.invalid) {
            return Err(Error::InvalidBody(invalid));
        }
        keys.clear();
        keys.extend(tasks.iter().flat_map(|task| &task.keys).copied().zip(0..));
        for &row in changed.gone() {
            let key = index.aabb(front, row).map_or(0, |aabb| sort_keys.of(&aabb));
            keys.push((key, by_row.len() as u32));
            by_row.push(ChangedBody { row, ..ChangedBody::NONE });
        }
        sort_by_key(keys, spare);
        sorted.clear();
        sorted.extend(keys.iter().map(|&(_, number)| by_row[number as usize]));
        Ok(())
    }
}
