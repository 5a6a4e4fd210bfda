//! Moves a set of statics to another origin.

use crate::error::Error;
use crate::geometry::{RawAabb, translated};
use crate::input::bodies::check_box;
use crate::memory::shared_column::SharedColumn;
use crate::tier::static_tree::tree::{StaticTree, TreeData};
use std::sync::Arc;

impl StaticTree {
    /// Builds the tree of the same statics with `by` subtracted from their boxes.
    pub(crate) fn shifted(&self, by: [f32; 2], parallel: bool) -> Result<Self, Error> {
        let mut rows = self.rows.clone();
        let aabbs: Vec<RawAabb> = self.raw_boxes().map(|aabb| translated(aabb, by)).collect();
        for (row, aabb) in (0..).zip(&aabbs).filter(|&(row, _)| !self.rows.is_vacant(row)) {
            check_box(row, aabb).map_err(Error::InvalidStatic)?;
        }
        rows.boxes = SharedColumn::of(&aabbs);
        let mut tree = Self::of_rows(rows, TreeData::of_boxes((0..).zip(aabbs), parallel));
        tree.disabled.copy_from(&self.disabled);
        tree.hidden.copy_from(&self.disabled);
        Ok(tree)
    }

    /// Returns the [`shifted`](Self::shifted) tree, which shares as much as possible with
    /// `other_shifted`, the shifted tree of `other`.
    pub(crate) fn shifted_beside(
        &self,
        other: &Self,
        other_shifted: &Self,
        by: [f32; 2],
        parallel: bool,
    ) -> Result<Self, Error> {
        // If the boxes are the same, at most other statics are disabled.
        if !Arc::ptr_eq(&self.built, &other.built) || !Arc::ptr_eq(&self.recent, &other.recent) {
            return self.shifted(by, parallel);
        }
        let mut tree = other_shifted.clone();
        tree.disabled.copy_from(&self.disabled);
        tree.hidden.copy_from(&self.disabled);
        Ok(tree)
    }
}
