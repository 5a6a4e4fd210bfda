//! From a column of boxes to the tree: checked, dealt out to roots, grown.
//!
//! Cost: O(n * depth); the roots one after the other, each in parallel.

use super::grow::{Budget, Part, Site, grow};
use super::node::ROW_COUNT_MAX;
use super::territory::{cover, territories};
use super::{Root, StaticTree};
use crate::bodies::Statics;
use crate::error::{BadRow, Column, Error};
use crate::geometry::RawBox;
use crate::storage::bitset::BitSet;

impl StaticTree {
    /// [`new`](Self::new), on several threads if `parallel`; the result is the same.
    pub(crate) fn build(statics: Statics<'_>, parallel: bool) -> Result<Self, Error> {
        check(&statics)?;
        let boxes = statics.aabbs.to_vec();
        let count = boxes.len();
        let budget = Budget::of_rows(count);
        let mut whole = Part::empty();
        let mut roots = Vec::new();
        for territory in territories(&boxes) {
            let (rows, cell) = (territory.rows, territory.cell);
            let site = Site { cell, depth: 0, budget: budget.share(rows.len(), count) };
            let node = whole.append(grow(&boxes, &rows, &site, parallel));
            roots.push(Root { bounds: cover(&boxes, &rows), cell, node });
        }
        let Part { mut groups, mut entries, .. } = whole;
        groups.shrink_to_fit();
        entries.shrink_to_fit();
        let mut disabled = BitSet::default();
        disabled.grow_to(count);
        let ids = statics.ids.unwrap_or_default().to_vec();
        Ok(Self { roots, groups, entries, boxes, ids, disabled })
    }
}

/// That every row can be numbered, has its id, and is a finite box that is not inverted.
fn check(statics: &Statics<'_>) -> Result<(), Error> {
    let expected = statics.aabbs.len();
    check_count(expected)?;
    if let Some(found) = statics.ids.map(<[u64]>::len).filter(|&len| len != expected) {
        return Err(Error::ColumnLength { chunk: 0, column: Column::Id, expected, found });
    }
    match statics.aabbs.iter().position(|aabb| !is_box(aabb)) {
        Some(row) => Err(Error::BadStatic(name_fault(row, &statics.aabbs[row]))),
        None => Ok(()),
    }
}

pub(super) fn check_count(rows: usize) -> Result<(), Error> {
    if rows > ROW_COUNT_MAX {
        return Err(Error::TooManyRows { rows, rows_max: ROW_COUNT_MAX });
    }
    Ok(())
}

fn is_box(aabb: &RawBox) -> bool {
    let finite = aabb.iter().fold(true, |all, edge| all & edge.is_finite());
    finite & (aabb[0] <= aabb[2]) & (aabb[1] <= aabb[3])
}

/// What is wrong with a row that is no box: the first bad edge in the order of columns.
fn name_fault(row: usize, aabb: &RawBox) -> BadRow {
    let row = super::node::row_number(row);
    let bad_min = (0..2).find(|&axis| !aabb[axis].is_finite());
    let bad_max = (0..2).find(|&axis| !aabb[axis + 2].is_finite() || aabb[axis + 2] < aabb[axis]);
    match (bad_min, bad_max) {
        (Some(axis), _) => BadRow::new(row, Column::Min, axis, aabb[axis]),
        (None, axis) => {
            let axis = axis.unwrap_or(0);
            BadRow::new(row, Column::Max, axis, aabb[axis + 2])
        }
    }
}
