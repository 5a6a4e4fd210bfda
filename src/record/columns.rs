//! Columns as the difference to the column before (RECORD-3).

use crate::input::strided::StridedColumn;
use crate::record::error::RecordingError;
use crate::record::format::{Content, RecordBuffer, Row};
use std::sync::Arc;

/// How a column is written.
const ABSENT: u8 = 0;
const SAME: u8 = 1;
const WHOLE: u8 = 2;
const RUNS: u8 = 3;

/// Bytes that a run takes besides its rows. Rows between two runs are a part of them if they take
/// no more.
const RUN_HEAD: usize = 8;

/// Writes columns of one place, each as a difference to the one before.
#[derive(Debug)]
pub(super) struct ColumnWriter<T> {
    last: Vec<T>,
    /// A strided column, gathered.
    gathered: Vec<T>,
    runs: Vec<(u32, u32)>,
}

// Not derived: that would ask for `T: Default`.
impl<T> Default for ColumnWriter<T> {
    fn default() -> Self {
        Self { last: Vec::new(), gathered: Vec::new(), runs: Vec::new() }
    }
}

impl<T: Row> ColumnWriter<T> {
    pub(super) fn write_strided(&mut self, column: Option<StridedColumn<'_, T>>, record: &mut RecordBuffer) {
        let Some(column) = column else { return record.u8(ABSENT) };
        if let Some(column) = column.contiguous() {
            return self.write(Some(column), record);
        }
        let mut gathered = std::mem::take(&mut self.gathered);
        gathered.clear();
        column.append_to(&mut gathered);
        self.write(Some(&gathered), record);
        self.gathered = gathered;
    }

    pub(super) fn write(&mut self, column: Option<&[T]>, record: &mut RecordBuffer) {
        let Some(column) = column else { return record.u8(ABSENT) };
        if self.last.len() == column.len() && are_equal(&self.last, column) {
            return record.u8(SAME);
        }
        if self.find_runs(column) {
            record.u8(RUNS);
            record.len(column.len());
            record.len(self.runs.len());
            for &(start, end) in &self.runs {
                record.u32(start);
                record.u32(end - start);
                record.rows(&column[start as usize..end as usize]);
            }
        } else {
            record.u8(WHOLE);
            record.column(column);
        }
        self.last.clear();
        self.last.extend_from_slice(column);
    }

    /// Finds the runs of rows that changed. Returns whether writing them takes less than half of
    /// what the column takes.
    fn find_runs(&mut self, column: &[T]) -> bool {
        self.runs.clear();
        if column.len() > u32::MAX as usize {
            return false;
        }
        let bytes_max = size_of_val(column) / 2;
        let gap = (RUN_HEAD / size_of::<T>()) as u32;
        let mut bytes = 0;
        let known = self.last.len().min(column.len());
        let changed = (0..known).filter(|&row| !are_equal(&self.last[row..=row], &column[row..=row]));
        for row in changed.map(|row| row as u32) {
            match self.runs.last_mut() {
                Some((_, end)) if row - *end <= gap => {
                    bytes += (row + 1 - *end) as usize * size_of::<T>();
                    *end = row + 1;
                }
                _ => {
                    bytes += RUN_HEAD + size_of::<T>();
                    self.runs.push((row, row + 1));
                }
            }
            if bytes > bytes_max {
                return false;
            }
        }
        if known < column.len() {
            self.runs.push((known as u32, column.len() as u32));
            bytes += RUN_HEAD + size_of_val(&column[known..]);
        }
        bytes <= bytes_max
    }
}

/// Whether rows are equal bit for bit.
fn are_equal<T: Row>(a: &[T], b: &[T]) -> bool {
    bytemuck::cast_slice::<T, u8>(a) == bytemuck::cast_slice::<T, u8>(b)
}

/// Reads columns of one place. Those that are the same share memory.
#[derive(Debug)]
pub(super) struct ColumnReader<T> {
    last: Arc<Vec<T>>,
}

impl<T> Default for ColumnReader<T> {
    fn default() -> Self {
        Self { last: Arc::default() }
    }
}

impl<T: Row> ColumnReader<T> {
    pub(super) fn read(
        &mut self,
        content: &mut Content<'_>,
        expected: &'static str,
    ) -> Result<Option<Arc<Vec<T>>>, RecordingError> {
        match content.u8(expected)? {
            ABSENT => return Ok(None),
            SAME => {}
            WHOLE => self.last = Arc::new(content.column(expected)?),
            RUNS => self.read_runs(content, expected)?,
            _ => return Err(content.damaged(expected)),
        }
        Ok(Some(Arc::clone(&self.last)))
    }

    fn read_runs(&mut self, content: &mut Content<'_>, expected: &'static str) -> Result<(), RecordingError> {
        let (len, run_count) = (content.u64(expected)?, content.u64(expected)?);
        let rows = Arc::make_mut(&mut self.last);
        if len < rows.len() as u64 {
            rows.truncate(len as usize);
        }
        let mut run = Vec::new();
        for _ in 0..run_count {
            let (start, count) = (content.u32(expected)? as usize, content.u32(expected)?);
            run.clear();
            content.rows(count.into(), &mut run, expected)?;
            // Rows beyond the last column are in runs that continue it (RECORD-4).
            if start > rows.len() {
                return Err(content.damaged(expected));
            }
            let known = (rows.len() - start).min(run.len());
            rows[start..start + known].copy_from_slice(&run[..known]);
            rows.extend_from_slice(&run[known..]);
        }
        if rows.len() as u64 == len { Ok(()) } else { Err(content.damaged(expected)) }
    }

    /// As [`read`](Self::read), of a column that is always there.
    pub(super) fn read_present(
        &mut self,
        content: &mut Content<'_>,
        expected: &'static str,
    ) -> Result<Arc<Vec<T>>, RecordingError> {
        self.read(content, expected)?.ok_or_else(|| content.damaged(expected))
    }
}
