//! All that one step leaves behind: its index and its contacts.

use crate::filter::Filter;
use crate::geometry::RawBox;
use crate::storage::pages::{Block, PagePool};
use crate::storage::record::Record;
use crate::storage::reserve_like;
use crate::tier::loose_grid::RebuiltGrid;
use crate::tier::point_grid::index::GridIndex;

/// A world holds two: the last good step stands in one while the next is built in the other.
#[derive(Default)]
pub(crate) struct Frame {
    pub(crate) row_count: usize,
    pub(crate) ids: Vec<u64>,
    /// Row by row; empty when no row was given one.
    pub(crate) filters: Vec<Filter>,
    /// Tier 1.
    pub(crate) grid: GridIndex,
    /// Tier 2, and its boxes and rows in its own numbering.
    pub(crate) loose: RebuiltGrid,
    pub(crate) oversized_boxes: Vec<RawBox>,
    pub(crate) oversized_rows: Vec<u32>,
    pub(crate) body_blocks: Vec<Block>,
    pub(crate) static_blocks: Vec<Block>,
    pub(crate) body_pair_count: usize,
    pub(crate) static_pair_count: usize,
}

impl Frame {
    /// Gives the pages back.
    pub(crate) fn clear_contacts(&mut self, pool: &PagePool) {
        pool.recycle(&mut self.body_blocks);
        pool.recycle(&mut self.static_blocks);
        (self.body_pair_count, self.static_pair_count) = (0, 0);
    }

    /// Gives the pages of static contacts back.
    pub(crate) fn clear_static_contacts(&mut self, pool: &PagePool) {
        pool.recycle(&mut self.static_blocks);
        self.static_pair_count = 0;
    }

    /// The filters of all rows, if any row was given one.
    pub(crate) fn filters_by_row(&self) -> Option<&[Filter]> {
        (!self.filters.is_empty()).then_some(&self.filters)
    }

    /// The filter of a row of this step.
    pub(crate) fn filter(&self, row: u32) -> Filter {
        self.filters_by_row().map_or(Filter::ALL, |filters| filters[row as usize])
    }

    pub(crate) fn set_oversized(&mut self, records: &[Record]) {
        self.oversized_boxes.clear();
        self.oversized_boxes.extend(records.iter().map(|record| record.aabb));
        self.oversized_rows.clear();
        self.oversized_rows.extend(records.iter().map(|record| record.row));
        self.loose.rebuild(&self.oversized_boxes);
    }

    /// As much room as `other` has, so that it does not matter which of the two a step is built in.
    pub(crate) fn reserve_like(&mut self, other: &Self) {
        reserve_like(&mut self.filters, &other.filters);
        reserve_like(&mut self.oversized_boxes, &other.oversized_boxes);
        reserve_like(&mut self.oversized_rows, &other.oversized_rows);
        reserve_like(&mut self.body_blocks, &other.body_blocks);
        reserve_like(&mut self.static_blocks, &other.static_blocks);
        self.loose.reserve_like(&other.loose);
        self.grid.reserve_like(&other.grid);
    }

    /// Bytes of the index, pages not counted.
    pub(crate) fn bytes(&self) -> usize {
        self.ids.capacity() * size_of::<u64>()
            + self.filters.capacity() * size_of::<Filter>()
            + self.grid.bytes()
            + self.loose.bytes()
            + self.oversized_boxes.capacity() * size_of::<RawBox>()
            + self.oversized_rows.capacity() * size_of::<u32>()
    }

    pub(crate) fn page_count(&self) -> usize {
        self.body_blocks.len() + self.static_blocks.len()
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.ids.shrink_to_fit();
        self.filters.shrink_to_fit();
        self.grid.shrink_to_fit();
        self.loose.shrink_to_fit();
        self.oversized_boxes.shrink_to_fit();
        self.oversized_rows.shrink_to_fit();
        self.body_blocks.shrink_to_fit();
        self.static_blocks.shrink_to_fit();
    }
}
