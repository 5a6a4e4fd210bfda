//! Builds a tree from a column of boxes: validates them, divides them between roots, builds
//! subtrees.
//!
//! Cost: O(n * depth). Roots are built one after the other, each in parallel.

use crate::error::{Column, Error};
use crate::geometry::{RawAabb, is_no_box};
use crate::input::bodies::check_box;
use crate::input::rows::ROWS_MAX;
use crate::input::statics::Statics;
use crate::memory::bit_set::BitSet;
use crate::tier::static_tree::batches::{RunBounds, order_long_leaves};
use crate::tier::static_tree::node::{Node, row_number};
use crate::tier::static_tree::roots::{bounds_of, root_regions};
use crate::tier::static_tree::rows::StaticRows;
use crate::tier::static_tree::subtree::{Budget, BuildSite, Subtree, build_subtree};
use crate::tier::static_tree::tree::{Root, StaticTree, TreeData};
use std::sync::Arc;

impl StaticTree {
    /// Builds the tree as [`new`](Self::new) does, on several threads if `parallel`.
    pub(crate) fn build(statics: Statics<'_>, parallel: bool) -> Result<Self, Error> {
        check(&statics)?;
        Ok(Self::of_rows(StaticRows::of(&statics), TreeData::build(statics.aabbs, parallel)))
    }

    /// A tree with all rows enabled, which `built` is the tree of.
    pub(super) fn of_rows(rows: StaticRows, built: TreeData) -> Self {
        let mut disabled = BitSet::default();
        disabled.grow_to(rows.len());
        let (built, hidden) = (Arc::new(built), disabled.clone());
        Self { rows, built, disabled, hidden, ..Self::default() }
    }
}

impl TreeData {
    /// Builds the tree of all boxes, which must be finite. Entries are their positions.
    fn build(boxes: &[RawAabb], parallel: bool) -> Self {
        let count = boxes.len();
        let budget = Budget::of_rows(count);
        let mut whole = Subtree::empty();
        let mut roots = Vec::new();
        for region in root_regions(boxes) {
            let (rows, cell) = (region.rows, region.cell);
            let site = BuildSite { cell, depth: 0, budget: budget.share(rows.len(), count) };
            let node = whole.append(build_subtree(boxes, &rows, &site, parallel));
            roots.push(Root { bounds: bounds_of(boxes, &rows), cell, node });
        }
        let Subtree { mut siblings, mut entries, .. } = whole;
        siblings.shrink_to_fit();
        entries.shrink_to_fit();
        let nodes = roots.iter().map(|root| root.node).chain(siblings.iter().flat_map(|siblings| siblings.0));
        let leaves: Vec<_> = nodes.filter(|node| node.children().is_none()).map(Node::entries).collect();
        order_long_leaves(&leaves, &mut entries, boxes);
        let entry_boxes: Vec<RawAabb> = entries.iter().map(|&row| boxes[row as usize]).collect();
        let run_bounds = RunBounds::of(&leaves, &entry_boxes);
        Self { roots, siblings, entries, entry_boxes, run_bounds }
    }

    /// Builds the tree of the rows whose boxes are not NaN.
    pub(super) fn of_boxes(rows: impl Iterator<Item = (u32, RawAabb)>, parallel: bool) -> Self {
        let (rows, boxes): (Vec<u32>, Vec<RawAabb>) = rows.filter(|(_, aabb)| !is_no_box(aabb)).unzip();
        let mut tree = Self::build(&boxes, parallel);
        tree.entries.iter_mut().for_each(|entry| *entry = rows[*entry as usize]);
        tree
    }
}

/// Checks the number of rows, the lengths of the other columns, and each box.
pub(super) fn check(statics: &Statics<'_>) -> Result<(), Error> {
    check_lengths(statics)?;
    let mut rows = statics.aabbs.iter().enumerate();
    rows.try_for_each(|(row, aabb)| check_box(row_number(row), aabb)).map_err(Error::InvalidStatic)
}

pub(super) fn check_lengths(statics: &Statics<'_>) -> Result<(), Error> {
    let expected = statics.aabbs.len();
    check_count(expected)?;
    for (column, len) in [(Column::Id, statics.ids.map(<[_]>::len)), (Column::Filter, statics.filters.map(<[_]>::len))]
    {
        if let Some(found) = len.filter(|&len| len != expected) {
            return Err(Error::StaticColumnLengthMismatch { column, expected, found });
        }
    }
    Ok(())
}

pub(super) fn check_count(rows: usize) -> Result<(), Error> {
    if rows > ROWS_MAX {
        return Err(Error::TooManyRows { rows, rows_max: ROWS_MAX });
    }
    Ok(())
}
