//! Boxes in columns, sorted by their lower edges on an axis.

use crate::geometry::RawAabb;
use crate::input::filter::Filter;
use crate::memory::body_record::BodyRecord;
use crate::memory::buffers::buffers;
use crate::memory::columns::{SoaColumns, SoaColumnsMut, column_words, fill_filters, filter_words};
use crate::memory::radix::{self, by_value, number_of};

/// Sorted boxes in columns, with filters if they have any.
#[derive(Default)]
pub(crate) struct SortedColumns {
    len: usize,
    words: Vec<u32>,
    /// Empty if the boxes have no filters.
    filters: Vec<u32>,
    are_circles: bool,
}

/// What boxes have besides their edges and rows.
#[derive(Clone, Copy)]
pub(crate) struct BoxTraits<F> {
    /// The filter of the row of a box, if boxes have filters.
    pub(crate) filter_of: Option<F>,
    pub(crate) are_circles: bool,
}

impl BoxTraits<fn(u32) -> Filter> {
    pub(crate) const NONE: Self = Self { filter_of: None, are_circles: false };
}

/// Buffers for sorting boxes and building trees.
#[derive(Default)]
pub(crate) struct SortScratch {
    pub(super) keys: Vec<u64>,
    pub(super) spare: Vec<u64>,
    pub(super) records: Vec<BodyRecord>,
    pub(super) leaf_bounds: Vec<RawAabb>,
}

buffers!(SortedColumns { leveled: words, filters; own: ; plain: len, are_circles; });
buffers!(SortScratch { leveled: keys, spare, records, leaf_bounds; own: ; plain: ; });

impl SortedColumns {
    /// Replaces the contents. Boxes that begin together keep their order.
    pub(crate) fn sort(
        &mut self,
        boxes: &[BodyRecord],
        axis: usize,
        traits: BoxTraits<impl Fn(u32) -> Filter>,
        SortScratch { keys, spare, .. }: &mut SortScratch,
    ) {
        keys.clear();
        keys.extend((0..).zip(boxes).map(|(number, record)| by_value(record.aabb[axis], number)));
        radix::sort_by_values(keys, spare);
        self.fill(keys.iter().map(|&key| boxes[number_of(key) as usize]), traits);
    }

    /// Replaces the contents with boxes that are sorted.
    pub(crate) fn fill(
        &mut self,
        records: impl ExactSizeIterator<Item = BodyRecord>,
        traits: BoxTraits<impl Fn(u32) -> Filter>,
    ) {
        (self.len, self.are_circles) = (records.len(), traits.are_circles);
        self.words.clear();
        self.words.resize(column_words(self.len), 0);
        SoaColumnsMut::of(&mut self.words, self.len).fill(records);
        self.filters.clear();
        if let Some(filter_of) = traits.filter_of {
            self.set_filters(filter_of);
        }
    }

    /// Gives each box the filter of its row.
    pub(super) fn set_filters(&mut self, filter_of: impl Fn(u32) -> Filter) {
        self.filters.resize(filter_words(self.len), 0);
        let rows = &SoaColumns::of(&self.words, self.len).rows()[..self.len];
        fill_filters(&mut self.filters, self.len, rows.iter().map(|&row| filter_of(row)));
    }

    /// Replaces a box, where it is.
    pub(super) fn set_box(&mut self, at: usize, aabb: &RawAabb) {
        SoaColumnsMut::of(&mut self.words, self.len).set_box(at, aabb);
    }

    pub(crate) fn clear(&mut self) {
        self.len = 0;
        self.filters.clear();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn columns(&self) -> SoaColumns<'_> {
        let columns = SoaColumns::of(&self.words, self.len).with_circles(self.are_circles);
        if self.filters.is_empty() { columns } else { columns.with_filters(&self.filters) }
    }
}
