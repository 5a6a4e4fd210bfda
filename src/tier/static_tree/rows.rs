//! The columns of a set of statics, by row.

use crate::geometry::{NO_BOX, RawAabb, is_no_box};
use crate::input::filter::Filter;
use crate::input::statics::Statics;
use crate::memory::shared_column::SharedColumn;

/// Boxes, ids and filters by row. Clones share what has not changed since.
#[derive(Clone, Debug, Default)]
pub(super) struct StaticRows {
    /// Number of rows whose static was removed.
    removed_count: usize,
    /// Bit for bit as they were given; all edges are NaN if the static was removed.
    pub(super) boxes: SharedColumn<RawAabb>,
    /// Empty if none were given.
    pub(super) ids: SharedColumn<u64>,
    /// Empty if none were given.
    pub(super) filters: SharedColumn<Filter>,
}

impl StaticRows {
    /// The rows of statics, none of which was removed.
    pub(super) fn of(statics: &Statics<'_>) -> Self {
        Self {
            removed_count: 0,
            boxes: SharedColumn::of(statics.aabbs),
            ids: SharedColumn::of(statics.ids.unwrap_or_default()),
            filters: SharedColumn::of(statics.filters.unwrap_or_default()),
        }
    }

    /// The rows of statics of which some were removed: these have a box of NaN.
    #[cfg(any(feature = "record", feature = "serde"))]
    pub(super) fn of_restored(statics: &Statics<'_>) -> Self {
        let removed_count = statics.aabbs.iter().filter(|aabb| is_no_box(aabb)).count();
        Self { removed_count, ..Self::of(statics) }
    }

    pub(super) fn len(&self) -> usize {
        self.boxes.len()
    }

    pub(super) fn removed_count(&self) -> usize {
        self.removed_count
    }

    pub(super) fn is_vacant(&self, row: u32) -> bool {
        is_no_box(&self.boxes[row])
    }

    pub(super) fn extend(&mut self, statics: &Statics<'_>) {
        self.make_filters(statics);
        self.boxes.extend(statics.aabbs);
        self.ids.extend(statics.ids.unwrap_or_default());
        match statics.filters {
            Some(filters) => self.filters.extend(filters),
            None if self.filters.is_empty() => {}
            None => self.filters.extend(&vec![Filter::ALL; statics.aabbs.len()]),
        }
    }

    /// Replaces what a row has by row `k` of `statics`.
    pub(super) fn replace(&mut self, row: u32, statics: &Statics<'_>, k: usize) {
        self.make_filters(statics);
        self.removed_count -= usize::from(self.is_vacant(row));
        self.boxes.set(row, statics.aabbs[k]);
        if let Some(ids) = statics.ids {
            self.ids.set(row, ids[k]);
        }
        if !self.filters.is_empty() {
            self.filters.set(row, statics.filters.map_or(Filter::ALL, |filters| filters[k]));
        }
    }

    /// Removes the box of a row.
    pub(super) fn remove(&mut self, row: u32) {
        self.removed_count += usize::from(!self.is_vacant(row));
        self.boxes.set(row, NO_BOX);
    }

    /// Gives each row a filter if `statics` have filters.
    fn make_filters(&mut self, statics: &Statics<'_>) {
        if statics.filters.is_some() && self.filters.is_empty() {
            self.filters = SharedColumn::of(&vec![Filter::ALL; self.len()]);
        }
    }

    /// Becomes a clone of `other`, in its own memory.
    pub(super) fn copy_from(&mut self, other: &Self) {
        self.removed_count = other.removed_count;
        self.boxes.clone_from(&other.boxes);
        self.ids.clone_from(&other.ids);
        self.filters.clone_from(&other.filters);
    }

    pub(super) fn bytes_beside(&self, other: &Self) -> usize {
        self.boxes.bytes_beside(&other.boxes)
            + self.ids.bytes_beside(&other.ids)
            + self.filters.bytes_beside(&other.filters)
    }
}
