//! From a column of boxes to the tree: checked, dealt out to roots, grown.
//!
//! Cost: O(n * depth); the roots one after the other, each in parallel.

use crate::error::{Column, Error};
use crate::input::bodies::check_box;
use crate::input::statics::Statics;
use crate::memory::bit_set::BitSet;
use crate::tier::static_tree::node::{ROW_COUNT_MAX, row_number};
use crate::tier::static_tree::subtree::{Budget, Part, Site, grow};
use crate::tier::static_tree::territory::{cover, territories};
use crate::tier::static_tree::{Built, Root, StaticTree};
use std::sync::Arc;

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
        let filters = statics.filters.unwrap_or_default().to_vec();
        let listed = entries.iter().map(|&row| boxes[row as usize]).collect();
        let built = Built { roots, groups, entries, listed, boxes, ids, filters };
        Ok(Self { built: Arc::new(built), disabled })
    }
}

/// That every row can be numbered, has its id and its filter, and is a finite box that is not inverted.
fn check(statics: &Statics<'_>) -> Result<(), Error> {
    let expected = statics.aabbs.len();
    check_count(expected)?;
    for (column, len) in [(Column::Id, statics.ids.map(<[_]>::len)), (Column::Filter, statics.filters.map(<[_]>::len))]
    {
        if let Some(found) = len.filter(|&len| len != expected) {
            return Err(Error::ColumnLengthMismatch { chunk: None, column, expected, found });
        }
    }
    let mut rows = statics.aabbs.iter().enumerate();
    rows.try_for_each(|(row, aabb)| check_box(row_number(row), aabb)).map_err(Error::InvalidStatic)
}

pub(super) fn check_count(rows: usize) -> Result<(), Error> {
    if rows > ROW_COUNT_MAX {
        return Err(Error::TooManyRows { rows, rows_max: ROW_COUNT_MAX });
    }
    Ok(())
}
