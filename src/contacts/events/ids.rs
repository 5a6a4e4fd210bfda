//! Finds the bodies of the last step in the running one.
//!
//! Between steps, the table contains each row of the last step that was not skipped, by its id.
//!
//! - IDENT-1: nothing changes before `commit` or `commit_changed`, so a failed step has no effect.
//! - IDENT-2: a row whose id is the same as in the last step costs only the comparison. As ids are
//!   unique, a body that left its row can only be in another row whose id changed.
//!
//! Cost: a comparison of 8 bytes per row, in parallel, or per changed row in a step that was told
//! what changed; about 50 ns for each row whose id changed.
//! Memory: 20 to 28 bytes per row.

use crate::contacts::by_row::SPAN_ROWS;
use crate::contacts::events::contact_slots::reserve;
use crate::contacts::events::id_table::{IdTable, NO_ROW};
use crate::contacts::events::row_map::RowMap;
use crate::error::Error;
use crate::input::duplicate_ids::first_duplicate;
use crate::memory::buffers::Buffers;
use crate::parallel;
use std::ops::Range;

/// Rows that one task compares.
const CHUNK_ROWS: usize = 8 * SPAN_ROWS;

/// The ids of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepIds<'a> {
    /// Without ids, rows identify bodies.
    pub(super) column: Option<&'a [u64]>,
    pub(super) row_count: usize,
    /// Rows that the step skipped, ascending.
    pub(super) skipped: &'a [u32],
}

/// Identifies bodies across steps by their ids.
#[derive(Default)]
pub(super) struct IdentityMap {
    /// The ids of the last step; empty if it had none.
    ids: Vec<u64>,
    has_ids: bool,
    row_count: usize,
    skipped: Vec<u32>,
    table: IdTable,
    /// The changes of the running step.
    change: RowChange,
    /// Rows of either step whose id changed, ascending.
    changed: Vec<u32>,
    changed_by_chunk: Vec<Vec<u32>>,
    /// New ids and their rows.
    new_ids: Vec<(u64, u32)>,
    /// The present row of each row of the last step, or [`NO_ROW`] if the body is gone. In a step
    /// that was told what changed, only of those in `changed`.
    moved: Vec<u32>,
    /// In a step that was told what changed: the present ids of `changed`, as far as these rows
    /// still exist.
    changed_ids: Vec<u64>,
    /// For each chunk, whether all ids are unchanged.
    chunk_unchanged: Vec<bool>,
}

/// How the rows of the last step relate to those of the running one.
#[derive(Clone, Copy, Debug, Default)]
enum RowChange {
    /// Each body is in the same row as before.
    #[default]
    SameRows,
    /// Bodies in rows below this number are in the same rows; the others are gone.
    RowsBelow(u32),
    /// The new rows of bodies are in `moved`.
    Moved,
    /// Bodies are in the same rows, but for those of `changed`, whose new rows are in `moved`.
    SomeMoved,
}

impl IdentityMap {
    /// Whether a step that skipped no row has the same ids as the last one, row by row. If so,
    /// there is nothing to commit.
    ///
    /// `equal` compares a range of rows of the step with ids.
    pub(super) fn is_unchanged(
        &mut self,
        row_count: usize,
        equal: impl Fn(Range<usize>, &[u64]) -> bool + Sync,
        parallel: bool,
    ) -> bool {
        let Self { ids, chunk_unchanged, .. } = self;
        if !self.has_ids || row_count != ids.len() || !self.skipped.is_empty() {
            return false;
        }
        chunk_unchanged.clear();
        chunk_unchanged.resize(row_count.div_ceil(CHUNK_ROWS), false);
        parallel::for_each_mut(parallel, chunk_unchanged, |chunk, unchanged| {
            let rows = chunk * CHUNK_ROWS..row_count.min((chunk + 1) * CHUNK_ROWS);
            *unchanged = equal(rows.clone(), &ids[rows]);
        });
        let unchanged = chunk_unchanged.iter().all(|&unchanged| unchanged);
        if unchanged {
            self.change = RowChange::SameRows;
        }
        unchanged
    }

    /// Compares the ids of a step with those of the last one.
    ///
    /// # Errors
    ///
    /// If two rows that were not skipped share an id.
    pub(super) fn compare(&mut self, step: StepIds<'_>, parallel: bool) -> Result<(), Error> {
        self.changed.clear();
        self.new_ids.clear();
        self.moved.clear();
        let Some(column) = step.column else {
            self.change = match self.has_ids {
                true => RowChange::RowsBelow(0),
                false if step.row_count < self.row_count => RowChange::RowsBelow(step.row_count as u32),
                false => RowChange::SameRows,
            };
            return Ok(());
        };
        let before = std::mem::take(&mut self.ids);
        let outcome = self.compare_column(&before, column, step.skipped, parallel);
        self.ids = before;
        self.change = match (self.has_ids, self.changed.is_empty()) {
            // Rows identified the bodies of the last step, so no id is known.
            (false, _) => RowChange::RowsBelow(0),
            (true, true) => RowChange::SameRows,
            (true, false) => RowChange::Moved,
        };
        outcome
    }

    /// As [`compare`](Self::compare), in a step that was told what changed. `changed` are the
    /// changed rows and their ids, in ascending order. Neither step skipped a row, and both have
    /// ids or neither.
    ///
    /// # Errors
    ///
    /// If two rows share an id.
    pub(super) fn compare_changed(
        &mut self,
        row_count: usize,
        changed: impl Iterator<Item = (u32, u64)>,
    ) -> Result<(), Error> {
        self.changed.clear();
        self.changed_ids.clear();
        self.new_ids.clear();
        self.moved.clear();
        self.change = RowChange::SomeMoved;
        if !self.has_ids {
            return Ok(());
        }
        for (row, id) in changed {
            if self.ids.get(row as usize) != Some(&id) {
                self.changed.push(row);
                self.changed_ids.push(id);
            }
        }
        let present = self.changed.len();
        self.changed.extend(row_count as u32..self.ids.len() as u32);
        self.moved.resize(self.changed.len(), NO_ROW);
        let mut has_duplicates = false;
        for (&row, &id) in self.changed[..present].iter().zip(&self.changed_ids) {
            match self.table.find(&self.ids, id).map(|old| self.changed.binary_search(&old)) {
                None => self.new_ids.push((id, row)),
                Some(Ok(at)) if self.moved[at] == NO_ROW => self.moved[at] = row,
                // Either that row is unchanged, or another row already has its id.
                Some(_) => has_duplicates = true,
            }
        }
        has_duplicates |= self.sort_new_ids();
        if !has_duplicates {
            return Ok(());
        }
        let mut now = self.ids.clone();
        now.resize(row_count, 0);
        self.changed.iter().zip(&self.changed_ids).for_each(|(&row, &id)| now[row as usize] = id);
        Err(duplicate_error(&now, &[]))
    }

    /// Makes the step of [`compare_changed`](Self::compare_changed) the last one.
    pub(super) fn commit_changed(&mut self, row_count: usize) {
        self.row_count = row_count;
        if !self.has_ids {
            return;
        }
        self.remove_changed();
        let Self { ids, table, changed, changed_ids, .. } = self;
        reserve(ids, row_count);
        ids.resize(row_count, 0);
        changed.iter().zip(&*changed_ids).for_each(|(&row, &id)| ids[row as usize] = id);
        table.reserve(ids);
        changed.iter().take(changed_ids.len()).for_each(|&row| table.insert(ids, row));
    }

    /// The new rows of the bodies of the last step.
    pub(super) fn row_map(&self) -> RowMap<'_> {
        match self.change {
            RowChange::SameRows => RowMap::Same,
            RowChange::RowsBelow(end) => RowMap::Below(end),
            RowChange::Moved => RowMap::To(&self.moved),
            RowChange::SomeMoved => RowMap::Except { rows: &self.changed, to: &self.moved },
        }
    }

    /// The ids of the last step; empty if it had none.
    pub(super) fn last_ids(&self) -> &[u64] {
        &self.ids
    }

    /// The id of a row of the last step.
    pub(super) fn last_id(&self, row: u32) -> u64 {
        self.ids.get(row as usize).copied().unwrap_or(u64::from(row))
    }

    /// Makes the compared step the last one.
    pub(super) fn commit(&mut self, step: StepIds<'_>) {
        let ids_now = step.column.unwrap_or_default();
        // Without ids, nothing was compared and nothing is kept.
        let rebuild = !self.has_ids || step.column.is_none() || self.changed.len() > ids_now.len() / 4;
        if rebuild {
            self.table.clear();
            self.ids.clear();
        } else {
            self.remove_changed();
        }
        let Self { ids, table, changed, skipped, .. } = self;
        reserve(ids, ids_now.len());
        ids.truncate(ids_now.len());
        let kept = ids.len();
        ids.extend_from_slice(&ids_now[kept..]);
        for &row in changed.iter().take_while(|&&row| (row as usize) < kept) {
            ids[row as usize] = ids_now[row as usize];
        }
        table.reserve(ids);
        skipped.clear();
        skipped.extend_from_slice(step.skipped);
        let is_present = |row: &u32| (*row as usize) < ids_now.len() && skipped.binary_search(row).is_err();
        if rebuild {
            (0..ids_now.len() as u32).filter(is_present).for_each(|row| table.insert(ids, row));
        } else {
            changed.iter().copied().filter(is_present).for_each(|row| table.insert(ids, row));
        }
        (self.has_ids, self.row_count) = (step.column.is_some(), step.row_count);
    }

    /// Removes the changed rows of the last step from the table: before the ids change, because
    /// entries are found through them.
    fn remove_changed(&mut self) {
        let Self { ids, table, changed, .. } = self;
        changed.iter().take_while(|&&row| (row as usize) < ids.len()).for_each(|&row| table.remove(ids, row));
    }

    fn compare_column(&mut self, before: &[u64], now: &[u64], skipped: &[u32], parallel: bool) -> Result<(), Error> {
        self.find_changed(before, now, skipped, parallel);
        if self.changed.is_empty() {
            return Ok(());
        }
        self.moved.extend(0..before.len() as u32);
        for &row in self.changed.iter().take_while(|&&row| (row as usize) < before.len()) {
            self.moved[row as usize] = NO_ROW;
        }
        let mut has_duplicates = false;
        for &row in &self.changed {
            if row as usize >= now.len() || skipped.binary_search(&row).is_ok() {
                continue;
            }
            match self.table.find(before, now[row as usize]) {
                // Either that row is unchanged, or another row already has its id.
                Some(old) if self.moved[old as usize] != NO_ROW => has_duplicates = true,
                Some(old) => self.moved[old as usize] = row,
                None => self.new_ids.push((now[row as usize], row)),
            }
        }
        has_duplicates |= self.sort_new_ids();
        if has_duplicates { Err(duplicate_error(now, skipped)) } else { Ok(()) }
    }

    /// Sorts the new ids. Returns whether two rows share one.
    fn sort_new_ids(&mut self) -> bool {
        self.new_ids.sort_unstable();
        self.new_ids.windows(2).any(|two| two[0].0 == two[1].0)
    }

    /// Finds the rows whose id changed (IDENT-2). Rows that either step skipped count as changed.
    fn find_changed(&mut self, before: &[u64], now: &[u64], skipped: &[u32], parallel: bool) {
        let in_both = before.len().min(now.len());
        let chunks = in_both.div_ceil(CHUNK_ROWS);
        if self.changed_by_chunk.len() < chunks {
            self.changed_by_chunk.resize_with(chunks, Vec::new);
        }
        parallel::for_each_mut(parallel, &mut self.changed_by_chunk[..chunks], |chunk, changed| {
            changed.clear();
            let rows = chunk * CHUNK_ROWS..in_both.min((chunk + 1) * CHUNK_ROWS);
            if before[rows.clone()] != now[rows.clone()] {
                changed.extend(rows.filter(|&row| before[row] != now[row]).map(|row| row as u32));
            }
        });
        self.changed_by_chunk[..chunks].iter().for_each(|changed| self.changed.extend_from_slice(changed));
        self.changed.extend(in_both as u32..before.len().max(now.len()) as u32);
        if !(skipped.is_empty() && self.skipped.is_empty()) {
            self.changed.extend(skipped.iter().chain(&self.skipped));
            self.changed.sort_unstable();
            self.changed.dedup();
        }
    }
}

impl Buffers for IdentityMap {
    fn bytes(&self) -> usize {
        self.ids.bytes()
            + self.skipped.bytes()
            + self.table.bytes()
            + self.changed.bytes()
            + self.changed_by_chunk.bytes()
            + self.new_ids.bytes()
            + self.moved.bytes()
            + self.changed_ids.bytes()
            + self.chunk_unchanged.bytes()
    }

    fn reserve_like(&mut self, _: &Self) {}

    /// Keeps only the identities of the bodies of the last step.
    fn shrink_to_fit(&mut self) {
        (self.changed, self.changed_by_chunk, self.new_ids) = Default::default();
        (self.moved, self.changed_ids, self.chunk_unchanged) = Default::default();
        self.table.shrink_to_fit(&self.ids);
        self.ids.shrink_to_fit();
        self.skipped.shrink_to_fit();
    }
}

/// The parts that are saved.
#[cfg(any(feature = "serde", test))]
impl IdentityMap {
    /// The ids of the last step, if it had any.
    pub(super) fn ids(&self) -> Option<&[u64]> {
        self.has_ids.then_some(&self.ids)
    }

    /// Number of rows of the last step.
    #[cfg(feature = "serde")]
    pub(super) fn row_count(&self) -> usize {
        self.row_count
    }

    /// Rows that the last step skipped.
    #[cfg(feature = "serde")]
    pub(super) fn skipped(&self) -> &[u32] {
        &self.skipped
    }
}

#[cold]
#[inline(never)]
fn duplicate_error(ids: &[u64], skipped: &[u32]) -> Error {
    let (first, second, id) = first_duplicate(ids, skipped).unwrap_or_default();
    Error::DuplicateBodyId { first, second, id }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicate_ids_are_reported_for_the_same_rows_after_any_step() {
        fn step<'s>(column: &'s [u64; 4], skipped: &'s [u32]) -> StepIds<'s> {
            StepIds { column: Some(column), row_count: 4, skipped }
        }
        for before in [None, Some([1u64, 2, 3, 4]), Some([4, 3, 2, 1])] {
            let mut identities = IdentityMap::default();
            if let Some(before) = &before {
                identities.compare(step(before, &[]), false).expect("unique ids");
                identities.commit(step(before, &[]));
            }
            let error = identities.compare(step(&[7, 5, 7, 5], &[]), false).err();
            assert_eq!(error, Some(Error::DuplicateBodyId { first: 0, second: 2, id: 7 }));
            // Skipped rows do not count, and nothing has changed (IDENT-1).
            assert_eq!(identities.compare(step(&[7, 5, 7, 5], &[1, 2]), false), Ok(()));
            assert_eq!(identities.ids(), before.as_ref().map(|ids| &ids[..]));
        }
    }
}
