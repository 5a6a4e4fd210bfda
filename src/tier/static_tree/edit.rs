//! Inserts, replaces and removes a few statics.
//!
//! EDIT-1: A row that changed is hidden in the tree that was built, and listed in `recent`, a tree
//! of all such rows that is built anew with each change. So a static is found in one of the two
//! trees, with its present box.
//!
//! EDIT-2: Of the two trees, the first is determined by the boxes it was built of, which are the
//! present ones but for those of `changed` rows, and the second by the present boxes of these. So a
//! saved set needs no more than both to be restored with the same order of hits.

use crate::error::{Column, Error};
use crate::input::statics::Statics;
use crate::tier::static_tree::build::{check, check_count};
use crate::tier::static_tree::node::row_number;
use crate::tier::static_tree::rows::VACANT;
use crate::tier::static_tree::tree::{ChangedStatic, StaticTree, TreeData};
use std::ops::Range;
use std::sync::Arc;

/// The tree is built anew once more than one row in this many has changed since. Then a change
/// takes about this fraction of the time that building takes.
const REBUILT_SHARE: usize = 16;

/// So many rows may change in any case: a tree of them is built in a few microseconds.
const CHANGED_FREE: usize = 64;

impl StaticTree {
    /// Appends statics, all enabled, and returns their rows.
    ///
    /// Rows are never renumbered. To keep them few, [`replace`](Self::replace) those of removed
    /// statics instead.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new), where rows count from the first of those given. Also
    /// [`Error::InconsistentStaticIds`] if either the tree or the statics given have ids, unless
    /// the tree is empty. On an error nothing changes.
    ///
    /// # Cost
    ///
    /// O(k log k) if k rows were inserted, replaced or removed since the tree was built, these
    /// included; see [`changed_count`](Self::changed_count). Once k exceeds 64 and a sixteenth of
    /// the rows, the tree is built anew, on the calling thread, and k is 0 again. Until then,
    /// searches take a little longer.
    ///
    /// # Example
    ///
    /// ```
    /// use triphase::{Aabb, tier::static_tree::StaticTree};
    ///
    /// let mut tree = StaticTree::new(&[[0.0f32, 0.0, 10.0, 1.0]])?;
    /// assert_eq!(tree.insert(&[[9.0f32, 0.0, 10.0, 8.0]])?, 1..2);
    /// let corner = Aabb::new([9.5, 0.5], [12.0, 3.0])?;
    /// assert_eq!(tree.query_aabb(corner).collect::<Vec<_>>(), [0, 1]);
    ///
    /// tree.remove(&[0])?;
    /// assert_eq!(tree.query_aabb(corner).collect::<Vec<_>>(), [1]);
    /// tree.replace(&[0], &[[12.0f32, 0.0, 20.0, 1.0]])?;
    /// assert_eq!(tree.query_aabb(corner).count(), 2);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn insert<'s>(&mut self, statics: impl Into<Statics<'s>>) -> Result<Range<u32>, Error> {
        self.insert_statics(&statics.into(), false)
    }

    /// Gives rows other boxes, and other ids and filters if the tree has these. They are enabled.
    ///
    /// The k-th row gets the k-th box. Rows whose statics were removed get new ones.
    ///
    /// # Errors
    ///
    /// As for [`insert`](Self::insert). Also [`Error::StaticOutOfRange`] if there is no such row,
    /// and [`Error::ColumnLengthMismatch`] if there are not as many boxes as rows. On an error
    /// nothing changes.
    ///
    /// # Cost
    ///
    /// As of [`insert`](Self::insert).
    pub fn replace<'s>(&mut self, rows: &[u32], statics: impl Into<Statics<'s>>) -> Result<(), Error> {
        self.replace_statics(rows, &statics.into(), false)
    }

    /// Removes the statics of some rows; those removed before are left alone.
    ///
    /// Their rows stay, [without a box](Self::aabb), with the ids and filters that they had.
    ///
    /// # Errors
    ///
    /// [`Error::StaticOutOfRange`] if there is no such row. Then nothing changes.
    ///
    /// # Cost
    ///
    /// As of [`insert`](Self::insert).
    pub fn remove(&mut self, rows: &[u32]) -> Result<(), Error> {
        self.remove_statics(rows, false)
    }

    pub(crate) fn insert_statics(&mut self, statics: &Statics<'_>, parallel: bool) -> Result<Range<u32>, Error> {
        self.check_columns(statics)?;
        check_count(self.len() + statics.aabbs.len())?;
        let rows = row_number(self.len())..row_number(self.len() + statics.aabbs.len());
        self.rows.extend(statics);
        self.disabled.grow_to(self.len());
        self.hidden.grow_to(self.len());
        for row in rows.clone() {
            // Above all others, so the order stays.
            self.changed.push(ChangedStatic { row, built_box: VACANT });
            self.hide(row, true);
        }
        self.update_trees(parallel);
        Ok(rows)
    }

    pub(crate) fn replace_statics(&mut self, rows: &[u32], statics: &Statics<'_>, parallel: bool) -> Result<(), Error> {
        rows.iter().try_for_each(|&row| self.check_row(row))?;
        let (expected, found) = (rows.len(), statics.aabbs.len());
        if expected != found {
            return Err(Error::ColumnLengthMismatch { chunk: None, column: Column::Min, expected, found });
        }
        self.check_columns(statics)?;
        self.note_changes(rows);
        for (k, &row) in rows.iter().enumerate() {
            self.rows.replace(row, statics, k);
            self.disabled.remove(row);
        }
        self.update_trees(parallel);
        Ok(())
    }

    pub(crate) fn remove_statics(&mut self, rows: &[u32], parallel: bool) -> Result<(), Error> {
        rows.iter().try_for_each(|&row| self.check_row(row))?;
        self.note_changes(rows);
        for &row in rows {
            self.rows.boxes.set(row, VACANT);
            self.disabled.remove(row);
        }
        self.update_trees(parallel);
        Ok(())
    }

    /// Checks the columns of statics that are to be inserted, and that they fit to those present.
    fn check_columns(&self, statics: &Statics<'_>) -> Result<(), Error> {
        check(statics)?;
        if !self.is_empty() && !statics.aabbs.is_empty() && self.ids().is_some() != statics.ids.is_some() {
            return Err(Error::InconsistentStaticIds);
        }
        Ok(())
    }

    /// Notes that rows are about to change.
    fn note_changes(&mut self, rows: &[u32]) {
        let (boxes, known) = (&self.rows.boxes, self.changed.len());
        let before = |row: u32| ChangedStatic { row, built_box: boxes[row] };
        let new: Vec<_> = rows.iter().filter(|&&row| self.find_changed(row).is_err()).map(|&row| before(row)).collect();
        self.changed.extend(new);
        if self.changed.len() > known {
            self.changed.sort_unstable_by_key(|changed| changed.row);
            self.changed.dedup_by_key(|changed| changed.row);
        }
        rows.iter().for_each(|&row| self.hide(row, true));
    }

    /// Builds the tree of changed rows, or all of it if these are many (EDIT-1).
    fn update_trees(&mut self, parallel: bool) {
        if self.changed.len() > CHANGED_FREE.max(self.len() / REBUILT_SHARE) {
            let present = (0..).zip(self.raw_boxes().copied());
            self.built = Arc::new(TreeData::of_boxes(present, parallel));
            self.recent = Arc::default();
            self.changed = Vec::new();
            self.hidden.copy_from(&self.disabled);
        } else {
            self.build_recent();
        }
    }

    /// Builds the tree of changed rows.
    pub(super) fn build_recent(&mut self) {
        let present = self.changed.iter().map(|changed| (changed.row, *self.raw_box(changed.row)));
        self.recent = Arc::new(TreeData::of_boxes(present, false));
    }
}
