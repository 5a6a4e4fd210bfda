//! Saves a set and restores it with the same trees (EDIT-2).

use crate::error::{Error, SettingValue};
use crate::geometry::{NO_BOX, RawAabb};
use crate::input::bodies::check_box;
use crate::input::statics::Statics;
use crate::tier::static_tree::build::check_lengths;
use crate::tier::static_tree::node::row_number;
use crate::tier::static_tree::rows::StaticRows;
use crate::tier::static_tree::tree::{ChangedStatic, StaticTree, TreeData};

impl StaticTree {
    /// Returns the rows that changed since the tree was built, ascending, and the boxes that it was
    /// built of; all edges are NaN if a row did not exist, or had no static.
    pub(crate) fn changed_boxes(&self) -> impl Iterator<Item = (u32, RawAabb)> {
        self.changed.iter().map(|changed| (changed.row, changed.built_box))
    }

    /// The rows that are disabled, ascending.
    pub(crate) fn disabled_rows(&self) -> impl Iterator<Item = u32> {
        (0..self.len() as u32).filter(|&row| self.is_enabled(row) == Some(false))
    }

    /// Restores a set from its columns, its [`disabled_rows`](Self::disabled_rows), and its
    /// [`changed_boxes`](Self::changed_boxes).
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new). Also [`Error::StaticOutOfRange`] if a disabled or a changed row
    /// does not exist, [`Error::StaticRemoved`] if a disabled one has no static, and
    /// [`Error::InvalidConfig`] if the changed rows do not ascend.
    pub(crate) fn restore(
        statics: Statics<'_>,
        disabled: &[u32],
        changed: impl Iterator<Item = (u32, RawAabb)>,
        parallel: bool,
    ) -> Result<Self, Error> {
        check_lengths(&statics)?;
        let check = |(row, aabb): (u32, &RawAabb)| {
            let is_vacant = aabb.map(f32::to_bits) == NO_BOX.map(f32::to_bits);
            if is_vacant { Ok(()) } else { check_box(row, aabb).map_err(Error::InvalidStatic) }
        };
        let rows = (0..statics.aabbs.len()).map(row_number);
        rows.zip(statics.aabbs).try_for_each(check)?;
        let changed: Vec<ChangedStatic> = changed.map(|(row, built_box)| ChangedStatic { row, built_box }).collect();
        let (mut boxes, mut next_row) = (statics.aabbs.to_vec(), 0);
        for &ChangedStatic { row, built_box } in &changed {
            if row as usize >= boxes.len() {
                return Err(Error::StaticOutOfRange { row, count: boxes.len() });
            }
            if row < next_row {
                let value = SettingValue::Count(row.into());
                let expected = "above the changed static row before it";
                return Err(Error::InvalidConfig { setting: "changed static row", value, expected });
            }
            check((row, &built_box))?;
            boxes[row as usize] = built_box;
            next_row = row + 1;
        }
        let mut tree = Self::of_rows(StaticRows::of(&statics), TreeData::of_boxes((0..).zip(boxes), parallel));
        changed.iter().for_each(|changed| _ = tree.hidden.insert(changed.row));
        tree.changed = changed;
        tree.build_recent();
        disabled.iter().try_for_each(|&row| tree.set_enabled(row, false).map(drop))?;
        Ok(tree)
    }
}
