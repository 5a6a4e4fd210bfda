//! The result of filing one step: its bodies in their tiers, their ids and filters, and the statics
//! of that step.

use crate::error::InvalidRow;
use crate::frame::cached_bodies::CachedBodies;
use crate::frame::moved::{FrameStamp, MovedBodies};
use crate::frame::oversized::Oversized;
use crate::frame::phases::PhaseTimes;
use crate::frame::statics::StaticSet;
use crate::geometry::{NO_BOX, RawAabb, is_no_box};
use crate::input::filter::Filter;
use crate::memory::body_record::BodyRecord;
use crate::memory::buffers::buffers;
use crate::memory::lazy::ReusableLazy;
use crate::tier::point_grid::bands::Bands;
use crate::tier::point_grid::filing::Filing;

/// The bodies and statics of one step.
///
/// It does not change while anyone but its world has it (FRAME-1).
/// [`frames`](crate::frame::frames) reuses its memory.
#[derive(Default)]
pub(crate) struct Frame {
    /// Number of the step; 0 before the first.
    pub(crate) step: u64,
    pub(crate) row_count: usize,
    /// Whether the bodies were circles, if the frame is to be updated.
    pub(crate) had_circles: bool,
    /// Whether the boxes were moved to another origin since they were given.
    pub(crate) is_shifted: bool,
    /// By row; empty if the step had no ids.
    pub(crate) ids: Vec<u64>,
    /// The stamp of the frame whose ids these are, if that is to be updated.
    pub(crate) ids_stamp: FrameStamp,
    /// By row; empty if no row has a filter.
    pub(crate) filters: Vec<Filter>,
    /// Tier 1: the bodies that this step filed, or an earlier one that it goes back to.
    pub(crate) bands: Bands,
    /// Tier 1: bodies that changed since, and are filed elsewhere.
    pub(crate) moved: MovedBodies,
    /// Tier 1: the bodies that earlier steps filed.
    pub(crate) cached: CachedBodies,
    /// Tier 2.
    pub(crate) oversized: Oversized,
    /// Tier 3.
    pub(crate) statics: StaticSet,
    /// Skipped rows, ascending.
    pub(crate) skipped: Vec<InvalidRow>,
    pub(crate) phases: PhaseTimes,
    /// The box of each row, computed at its first use.
    boxes_by_row: ReusableLazy<Vec<RawAabb>>,
}

// Ids are not leveled: they move from one frame to the next where they can. Statics are shared.
buffers!(Frame {
    leveled: filters, bands, moved, cached, oversized, skipped;
    own: ids, boxes_by_row;
    plain: ids_stamp, step, row_count, had_circles, is_shifted, statics, phases;
});

impl Frame {
    /// The empty frame of a world that had made `step` steps when it was saved.
    #[cfg(any(feature = "record", feature = "serde"))]
    pub(crate) fn restored(step: u64) -> Self {
        Self { step, ..Self::default() }
    }

    /// Prepares for another step, and drops what was derived from the last contents.
    pub(crate) fn begin(&mut self, row_count: usize) {
        self.row_count = row_count;
        self.is_shifted = false;
        self.moved.clear();
        // The step may fail after it wrote its ids.
        self.ids_stamp = FrameStamp::default();
        self.boxes_by_row.invalidate();
    }

    /// Prepares for another step of which some rows changed: the rest stays.
    pub(crate) fn begin_update(&mut self, row_count: usize) {
        self.row_count = row_count;
        self.is_shifted = false;
        self.boxes_by_row.invalidate();
        self.cached.clear();
        self.skipped.clear();
    }

    /// The filters of all rows, if any row has one.
    pub(crate) fn filters_by_row(&self) -> Option<&[Filter]> {
        (!self.filters.is_empty()).then_some(&self.filters)
    }

    /// The filter of a row.
    #[inline]
    pub(crate) fn filter(&self, row: u32) -> Filter {
        self.filters_by_row().map_or(Filter::ALL, |filters| filters[row as usize])
    }

    /// The box of a row as the step computed it; `None` if the row was skipped or does not exist.
    ///
    /// The first call after a step takes O(rows), later ones O(1).
    pub(crate) fn aabb(&self, row: u32) -> Option<RawAabb> {
        let boxes = self.boxes_by_row.get_or_make(|boxes| self.write_boxes(boxes));
        boxes.get(row as usize).copied().filter(|aabb| !is_no_box(aabb))
    }

    /// Writes the box of each row; that of a skipped row is [`NO_BOX`].
    pub(crate) fn write_boxes(&self, boxes: &mut Vec<RawAabb>) {
        boxes.clear();
        boxes.resize(self.row_count, NO_BOX);
        let mut put = |BodyRecord { aabb, row }: BodyRecord| boxes[row as usize] = aabb;
        for part in self.point_parts() {
            part.bands.bodies().filter(|body| part.has(body.row)).for_each(&mut put);
        }
        self.oversized.records().iter().copied().for_each(&mut put);
    }

    /// Writes all rows so that bodies that are near each other become adjacent.
    ///
    /// Common bodies in cell order, one point grid after the other, then oversized ones in the
    /// order of their loose cells, then skipped rows.
    pub(crate) fn write_spatial_order(&self, order: &mut Vec<u32>) {
        order.clear();
        order.reserve(self.row_count);
        for part in self.point_parts() {
            let runs = part.bands.row_runs();
            if part.has_all() {
                runs.for_each(|rows| order.extend_from_slice(rows));
            } else {
                runs.for_each(|rows| order.extend(rows.iter().copied().filter(|&row| part.has(row))));
            }
        }
        order.extend(self.oversized.records_in_cell_order().iter().map(|body| body.row));
        order.extend(self.skipped.iter().map(|invalid| invalid.row));
        debug_assert_eq!(order.len(), self.row_count, "each row is filed once or was skipped");
    }

    /// Files the bodies that no size class took. The bands must have been filed, and not built yet.
    pub(crate) fn file_oversized(&mut self, filing: &Filing) {
        self.oversized.rebuild(filing.oversized(&self.bands));
    }
}
