//! Inserts, replaces and removes a few statics.
//!
//! EDIT-1: Rows that were inserted, replaced or removed since `built` was built are in `changed`.
//! Searches of `built` skip them, and `recent` is a tree of their present boxes, which each edit
//! builds again. So the two searches find each enabled static once, with its present box.
//!
//! EDIT-2: The present boxes and `changed` determine both trees: `built` is the tree of the present
//! boxes, with those of changed rows replaced by their `built_box`, and `recent` is the tree of the
//! present boxes of changed rows. So these are all that is saved, and a restored set has the same
//! order of hits.
//!
//! Cost: O(k log k) for k changed rows, and a copy of each chunk of a column that a clone shares
//! and in which a row changes.

use crate::error::Error;
use crate::geometry::NO_BOX;
use crate::input::statics::Statics;
use crate::tier::static_tree::build::{check, check_count};
use crate::tier::static_tree::node::row_number;
use crate::tier::static_tree::tree::{ChangedStatic, StaticTree, TreeData};
use std::ops::Range;
use std::sync::Arc;

/// If more than one row in this many has changed since the tree was built, an edit builds one tree
/// of all rows. Each edit builds a tree of the changed rows, so the last one before that takes
/// about a sixteenth of the time of building all. A larger share would make edits slower, a smaller
/// one would build all rows more often.
const REBUILT_SHARE: usize = 16;

/// Up to this many rows may change before one tree of all rows is built, however few rows there
/// are. A tree of 64 rows is built in a few microseconds.
const CHANGED_FREE: usize = 64;

impl StaticTree {
    /// Appends statics, all enabled, and returns their rows.
    ///
    /// Rows are never renumbered, and rows of removed statics remain. To reuse such rows, call
    /// [`replace`](Self::replace) instead.
    ///
    /// The statics need ids if the tree has ids, and must not have them if it has none. An empty
    /// tree takes either. Without filters, they get [`Filter::ALL`](crate::Filter::ALL). If they
    /// have filters and the tree has none, all other rows get `Filter::ALL`.
    ///
    /// # Errors
    ///
    /// - [`Error::InvalidStatic`] names the lowest invalid row, counted among the given statics.
    /// - [`Error::StaticColumnLengthMismatch`] if there are not as many ids or filters as boxes.
    /// - [`Error::TooManyRows`] if the tree would have more than 2^32 - 2 rows.
    /// - [`Error::InconsistentStaticIds`] if only one of the tree and the given statics has ids,
    ///   unless one of them is empty.
    ///
    /// On an error nothing changes.
    ///
    /// # Cost
    ///
    /// O(k log k) if k rows were inserted, replaced or removed since the tree was built, these
    /// included; see [`changed_count`](Self::changed_count). Also copies each chunk of 1,024 rows
    /// that a clone shares and in which a row changes. Once k exceeds 64 and a sixteenth of the
    /// rows, the tree is built again from all rows, on the calling thread, and k is 0 again. Until
    /// then, searches take a little longer.
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

    /// Replaces the statics of some rows, and enables these rows.
    ///
    /// `rows[k]` gets static `k`; a row that is named twice gets the last of its statics. Rows
    /// whose statics were removed may be named, too. For ids and filters, see
    /// [`insert`](Self::insert).
    ///
    /// # Errors
    ///
    /// Those of [`insert`](Self::insert). Also [`Error::StaticOutOfRange`] if there is no such row,
    /// and [`Error::StaticCountMismatch`] if there are not as many statics as rows.
    ///
    /// # Cost
    ///
    /// That of [`insert`](Self::insert).
    pub fn replace<'s>(&mut self, rows: &[u32], statics: impl Into<Statics<'s>>) -> Result<(), Error> {
        self.replace_statics(rows, &statics.into(), false)
    }

    /// Removes the statics of some rows.
    ///
    /// The rows remain, [without a box](Self::aabb), with the ids and filters that they had. A
    /// static that was removed before stays removed.
    ///
    /// # Errors
    ///
    /// [`Error::StaticOutOfRange`] if there is no such row. Then nothing changes.
    ///
    /// # Cost
    ///
    /// That of [`insert`](Self::insert). A row whose static was removed before the tree was built
    /// counts again.
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
            self.changed.push(ChangedStatic { row, built_box: NO_BOX });
            self.hidden.insert(row);
        }
        self.update_trees(parallel);
        Ok(rows)
    }

    pub(crate) fn replace_statics(&mut self, rows: &[u32], statics: &Statics<'_>, parallel: bool) -> Result<(), Error> {
        rows.iter().try_for_each(|&row| self.check_row(row))?;
        let (row_count, static_count) = (rows.len(), statics.aabbs.len());
        if row_count != static_count {
            return Err(Error::StaticCountMismatch { row_count, static_count });
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
            self.rows.remove(row);
            self.disabled.remove(row);
        }
        self.update_trees(parallel);
        Ok(())
    }

    /// Checks the columns of given statics, and that they have ids exactly if the tree has.
    fn check_columns(&self, statics: &Statics<'_>) -> Result<(), Error> {
        check(statics)?;
        let set_has_ids = self.ids().is_some();
        if !self.is_empty() && !statics.aabbs.is_empty() && set_has_ids != statics.ids.is_some() {
            return Err(Error::InconsistentStaticIds { set_has_ids });
        }
        Ok(())
    }

    /// Adds rows that are about to change to `changed`, and hides them in `built` (EDIT-1). Call it
    /// before their boxes change.
    fn note_changes(&mut self, rows: &[u32]) {
        let (boxes, known) = (&self.rows.boxes, self.changed.len());
        let before = |row: u32| ChangedStatic { row, built_box: boxes[row] };
        let new: Vec<_> = rows.iter().filter(|&&row| self.find_changed(row).is_err()).map(|&row| before(row)).collect();
        self.changed.extend(new);
        if self.changed.len() > known {
            self.changed.sort_unstable_by_key(|changed| changed.row);
            self.changed.dedup_by_key(|changed| changed.row);
        }
        rows.iter().for_each(|&row| _ = self.hidden.insert(row));
    }

    /// Builds the tree of changed rows, or one tree of all rows if many have changed (EDIT-1).
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
