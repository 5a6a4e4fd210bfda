//! What queries need of a step.

use crate::frame::oversized::FewOversized;
use crate::frame::sleepers::CachedBodies;
use crate::geometry::RawAabb;
use crate::input::filter::Filter;
use crate::memory::buffers::{Buffers, reserve_like};
use crate::memory::lazy::Kept;
use crate::memory::record::Record;
use crate::tier::loose_grid::RebuiltGrid;
use crate::tier::point_grid::bands::Bands;
use crate::tier::point_grid::filing::Filing;
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
    pub(crate) bands: Bands,
    pub(crate) cached: CachedBodies,
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

/// The oversized bodies of a frame: tier 2, and the box and row of each of its entities.
#[derive(Clone, Copy)]
pub(crate) struct OversizedBodies<'a> {
    pub(crate) grid: &'a RebuiltGrid,
    pub(crate) boxes: &'a [RawAabb],
    pub(crate) rows: &'a [u32],
}

/// The parts of a frame, apart from its bands, that decide about pairs.
#[derive(Clone, Copy)]
pub(crate) struct FrameParts<'a> {
    /// The filters of all rows, if any row has one.
    pub(crate) filters_by_row: Option<&'a [Filter]>,
    /// `None` if there are no oversized bodies.
    pub(crate) oversized: Option<OversizedBodies<'a>>,
}

impl<'a> FrameParts<'a> {
    fn new(filters: &'a [Filter], grid: &'a RebuiltGrid, boxes: &'a [RawAabb], rows: &'a [u32]) -> Self {
        let filters_by_row = (!filters.is_empty()).then_some(filters);
        Self { filters_by_row, oversized: (!rows.is_empty()).then_some(OversizedBodies { grid, boxes, rows }) }
    }
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
        let mut put = |Record { aabb, row }: Record| boxes[row as usize] = aabb;
        self.bands.bodies().for_each(&mut put);
        if let Some(bands) = self.cached.bands() {
            bands.bodies().filter(|body| self.cached.is_cached(body.row)).for_each(&mut put);
        }
        for (&row, aabb) in self.oversized_rows.iter().zip(&self.oversized_boxes) {
            boxes[row as usize] = *aabb;
        }
    }

    /// Forgets what was derived from the last contents.
    pub(crate) fn begin(&mut self) {
        self.boxes_by_row.renew();
    }

    /// Files the bodies that no size class took. The bands must have been filed, and not built yet.
    pub(crate) fn file_oversized(&mut self, filing: &Filing) {
        let records = filing.oversized(&self.bands);
        self.oversized_boxes.clear();
        self.oversized_boxes.extend(records.iter().map(|record| record.aabb));
        self.oversized_rows.clear();
        self.oversized_rows.extend(records.iter().map(|record| record.row));
        self.loose.rebuild(&self.oversized_boxes);
        self.few_oversized.rebuild(records);
    }

    /// Separates the bands from what is needed to find their pairs.
    pub(crate) fn split_bands(&mut self) -> (&mut Bands, FrameParts<'_>) {
        let Self { bands, filters, loose, oversized_boxes, oversized_rows, .. } = self;
        (bands, FrameParts::new(filters, loose, oversized_boxes, oversized_rows))
    }

    /// What is needed to find pairs, apart from the bands.
    pub(crate) fn parts(&self) -> FrameParts<'_> {
        let Self { filters, loose, oversized_boxes, oversized_rows, .. } = self;
        FrameParts::new(filters, loose, oversized_boxes, oversized_rows)
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
        self.bands.reserve_like(&other.bands);
        self.cached.reserve_like(&other.cached);
    }

    /// Bytes held for bodies.
    pub(crate) fn bytes(&self) -> usize {
        self.ids.capacity() * size_of::<u64>()
            + self.filters.capacity() * size_of::<Filter>()
            + self.bands.bytes()
            + self.cached.bytes()
            + self.loose.bytes()
            + self.oversized_boxes.capacity() * size_of::<RawAabb>()
            + self.oversized_rows.capacity() * size_of::<u32>()
            + self.few_oversized.bytes()
            + self.boxes_by_row.bytes(Buffers::bytes)
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.ids.shrink_to_fit();
        self.filters.shrink_to_fit();
        self.bands.shrink_to_fit();
        self.cached.shrink_to_fit();
        self.loose.shrink_to_fit();
        self.oversized_boxes.shrink_to_fit();
        self.oversized_rows.shrink_to_fit();
        self.few_oversized.shrink_to_fit();
        self.statics.shrink_to_fit();
        self.boxes_by_row.shrink();
    }
}
