//! Saves a set and restores it with the same trees (EDIT-2).

use crate::error::{Error, SettingValue};
use crate::geometry::{NO_BOX, RawAabb};
use crate::input::bodies::check_box;
use crate::input::filter::Filter;
use crate::input::statics::Statics;
use crate::tier::static_tree::build::check_lengths;
use crate::tier::static_tree::node::row_number;
use crate::tier::static_tree::rows::StaticRows;
use crate::tier::static_tree::tree::{ChangedStatic, StaticTree, TreeData};

/// Copies of the columns of a set: everything that [`StaticTree::restore`] needs.
#[derive(Debug)]
pub(crate) struct StaticColumns {
    /// All edges are NaN if a static was removed.
    pub(crate) aabbs: Vec<RawAabb>,
    /// `None` if no ids were given.
    pub(crate) ids: Option<Vec<u64>>,
    /// `None` if no filters were given.
    pub(crate) filters: Option<Vec<Filter>>,
    /// The rows that are disabled, ascending.
    pub(crate) disabled: Vec<u32>,
    /// The rows that changed since the tree was built, ascending.
    pub(crate) changed: Vec<u32>,
    /// The box of each changed row that the tree was built of; all edges are NaN if the row did not
    /// exist, or had no static.
    pub(crate) built_boxes: Vec<RawAabb>,
}

impl StaticTree {
    /// Copies the columns of the set.
    pub(crate) fn columns(&self) -> StaticColumns {
        let is_disabled = |&row: &u32| self.is_enabled(row) == Some(false);
        StaticColumns {
            aabbs: self.raw_boxes().copied().collect(),
            ids: self.ids().map(|ids| ids.iter().copied().collect()),
            filters: self.filters().map(|filters| filters.iter().copied().collect()),
            disabled: (0..self.len() as u32).filter(is_disabled).collect(),
            changed: self.changed.iter().map(|changed| changed.row).collect(),
            built_boxes: self.changed.iter().map(|changed| changed.built_box).collect(),
        }
    }

    /// Restores a set from its [`columns`](Self::columns). `changed` has the changed rows and the
    /// boxes that the tree was built of.
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
        let mut tree = Self::of_rows(StaticRows::of_restored(&statics), TreeData::of_boxes((0..).zip(boxes), parallel));
        changed.iter().for_each(|changed| _ = tree.hidden.insert(changed.row));
        tree.changed = changed;
        tree.build_recent();
        disabled.iter().try_for_each(|&row| tree.set_enabled(row, false).map(drop))?;
        Ok(tree)
    }
}
