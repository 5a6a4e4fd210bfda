//! What queries need of a step.

use crate::broad_phase::sleepers::Asleep;
use crate::frame::oversized::FewOversized;
use crate::geometry::{RawAabb, oriented};
use crate::input::filter::Filter;
use crate::memory::buffers::{Buffers, reserve_like};
use crate::memory::lazy::Kept;
use crate::memory::record::BodyRecord;
use crate::tier::loose_grid::RebuiltGrid;
use crate::tier::point_grid::bands::GridIndex;
use crate::tier::static_tree::tree::StaticTree;

/// The bodies of one step, filed, and its statics. It does not change once the step has ended; see [`frames`](crate::frame::frames)
/// for how its memory is used again.
#[derive(Clone, Default)]
pub(crate) struct Index {
    /// How many steps had gone well when this one had; 0 is the empty world before the first.
    pub(crate) step: u64,
    pub(crate) row_count: usize,
    /// Whether the world's settings allow no other thread.
    pub(crate) sequential: bool,
    pub(crate) ids: Vec<u64>,
    /// Row by row; empty when no row was given one.
    pub(crate) filters: Vec<Filter>,
    /// Tier 1: the bodies that were filed in this step, and those that stayed where they were.
    pub(crate) grid: GridIndex,
    pub(crate) asleep: Asleep,
    /// Tier 2, and its boxes and rows in its own numbering.
    pub(crate) loose: RebuiltGrid,
    pub(crate) oversized_boxes: Vec<RawAabb>,
    pub(crate) oversized_rows: Vec<u32>,
    pub(crate) few_oversized: FewOversized,
    /// Tier 3 as it was in this step, and the number of that state, by which it is known whether it has to be copied again.
    pub(crate) statics: StaticTree,
    pub(crate) statics_version: u64,
    /// The box of each row, made when first asked for.
    pub(super) boxes_by_row: Kept<Vec<RawAabb>>,
}

impl Index {
    /// The filters of all rows, if any row was given one.
    pub(crate) fn filters_by_row(&self) -> Option<&[Filter]> {
        (!self.filters.is_empty()).then_some(&self.filters)
    }

    /// The filter of a row of this step.
    #[inline]
    pub(crate) fn filter(&self, row: u32) -> Filter {
        self.filters_by_row().map_or(Filter::ALL, |filters| filters[row as usize])
    }

    /// The box of a row as the step computed it; `None` if the row was skipped or does not exist.
    ///
    /// The first call after a step takes O(rows), later ones O(1).
    pub(crate) fn aabb(&self, row: u32) -> Option<RawAabb> {
        let boxes = self.boxes_by_row.get_or_make(|boxes| self.write_boxes(boxes));
        boxes.get(row as usize).copied().filter(|aabb| !aabb[0].is_nan())
    }

    /// Writes the box of each row; all edges of a skipped row are NaN.
    pub(crate) fn write_boxes(&self, boxes: &mut Vec<RawAabb>) {
        boxes.clear();
        boxes.resize(self.row_count, [f32::NAN; 4]);
        for (slot, entries) in self.grid.entries() {
            for (row, aabb) in entries {
                boxes[row as usize] = oriented(aabb, slot.transposed);
            }
        }
        for (slot, entries) in self.asleep.grid().into_iter().flat_map(GridIndex::entries) {
            for (row, aabb) in entries.filter(|&(row, _)| self.asleep.stands(row)) {
                boxes[row as usize] = oriented(aabb, slot.transposed);
            }
        }
        for (&row, aabb) in self.oversized_rows.iter().zip(&self.oversized_boxes) {
            boxes[row as usize] = *aabb;
        }
    }

    /// Forgets what was derived from the last contents.
    pub(crate) fn begin(&mut self) {
        self.boxes_by_row.renew();
    }

    pub(crate) fn set_oversized(&mut self, records: &[BodyRecord]) {
        self.oversized_boxes.clear();
        self.oversized_boxes.extend(records.iter().map(|record| record.aabb));
        self.oversized_rows.clear();
        self.oversized_rows.extend(records.iter().map(|record| record.row));
        self.loose.rebuild(&self.oversized_boxes);
        self.few_oversized.rebuild(records);
    }

    /// Keeps the statics of its step.
    pub(crate) fn set_statics(&mut self, statics: &StaticTree, version: u64) {
        if self.statics_version != version {
            self.statics.copy_from(statics);
            self.statics_version = version;
        }
    }

    /// As much room as `other` has, so that it does not matter which of the two a step is built in. But for ids, which are
    /// handed on where they can be.
    pub(crate) fn reserve_like(&mut self, other: &Self) {
        reserve_like(&mut self.filters, &other.filters);
        reserve_like(&mut self.oversized_boxes, &other.oversized_boxes);
        reserve_like(&mut self.oversized_rows, &other.oversized_rows);
        self.few_oversized.reserve_like(&other.few_oversized);
        self.loose.reserve_like(&other.loose);
        self.grid.reserve_like(&other.grid);
        self.asleep.reserve_like(&other.asleep);
    }

    /// Bytes held for bodies.
    pub(crate) fn bytes(&self) -> usize {
        self.ids.capacity() * size_of::<u64>()
            + self.filters.capacity() * size_of::<Filter>()
            + self.grid.bytes()
            + self.asleep.bytes()
            + self.loose.bytes()
            + self.oversized_boxes.capacity() * size_of::<RawAabb>()
            + self.oversized_rows.capacity() * size_of::<u32>()
            + self.few_oversized.bytes()
            + self.boxes_by_row.bytes(Buffers::bytes)
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.ids.shrink_to_fit();
        self.filters.shrink_to_fit();
        self.grid.shrink_to_fit();
        self.asleep.shrink_to_fit();
        self.loose.shrink_to_fit();
        self.oversized_boxes.shrink_to_fit();
        self.oversized_rows.shrink_to_fit();
        self.few_oversized.shrink_to_fit();
        self.statics.shrink_to_fit();
        self.boxes_by_row.shrink();
    }
}
