//! Columns without bounds checks, for the scans.

#![allow(unsafe_code)]

use crate::input::filter::Filter;
use crate::memory::columns::SoaColumns;
use crate::memory::list_columns::ListColumns;
use crate::simd::probe::Probe;
use crate::simd::vector::each_edge;
use std::ops::Range;

/// The columns from one entry on: one pointer and the distance between columns (SOA-1).
///
/// With a pointer for each column, scans would run out of registers.
#[derive(Clone, Copy)]
pub(super) struct RawColumns {
    entry: *const u32,
    /// The distance between two columns, in entries.
    stride: usize,
    /// The layers from this entry on (SOA-3). Dangling if entries have no filters.
    layers: *const u32,
}

impl RawColumns {
    /// The columns from the first entry on.
    ///
    /// # Panics
    ///
    /// If `filtered` and the entries have no filters.
    #[inline(always)]
    pub(super) fn new(columns: &SoaColumns<'_>, filtered: bool) -> Self {
        assert!(!filtered || columns.filters().is_some(), "the entries have filters");
        let layers = columns.filters().map_or(std::ptr::dangling(), <[u32]>::as_ptr);
        Self { entry: columns.words().as_ptr(), stride: columns.stride(), layers }
    }

    /// The columns of a list, which is a range of the entries of `lists`.
    ///
    /// # Safety
    ///
    /// The range does not begin after its end, and ends at most at the number of entries. There are
    /// filters if `filtered`.
    #[inline(always)]
    pub(super) unsafe fn of_list(lists: &ListColumns, list: &Range<usize>, filtered: bool) -> Self {
        debug_assert!(list.start <= list.end && list.end <= lists.len());
        let (place, filter_place) = (lists.place(list), lists.filter_place(list));
        let layers = match lists.filters() {
            // SAFETY: as below; filters are laid out likewise (LISTCOLUMNS-3).
            Some(filters) if filtered => unsafe { filters.as_ptr().add(filter_place.first) },
            _ => std::ptr::dangling(),
        };
        // SAFETY: a list that ends among the entries begins in the words or at their padding
        // (LISTCOLUMNS-1, LISTCOLUMNS-2).
        Self { entry: unsafe { lists.words().as_ptr().add(place.first) }, stride: place.stride, layers }
    }

    /// The columns from the `count`th entry after this one on.
    ///
    /// # Safety
    ///
    /// That entry is not after the padding of the columns.
    #[inline(always)]
    pub(super) unsafe fn skip(self, count: usize) -> Self {
        // SAFETY: the caller vouches that the entry is in the columns or their padding. Filters
        // have as many entries; without them the pointer is never read.
        unsafe { Self { entry: self.entry.add(count), layers: self.layers.wrapping_add(count), ..self } }
    }

    /// Edge number `edge` of the entries from this one on, in the order of a `RawAabb`.
    ///
    /// # Safety
    ///
    /// `edge` is below 4.
    #[inline(always)]
    pub(super) unsafe fn edges(self, edge: usize) -> *const f32 {
        // SAFETY: the first four columns are edges (SOA-1).
        unsafe { self.entry.add(edge * self.stride).cast() }
    }

    #[inline(always)]
    pub(super) fn rows(self) -> *const u32 {
        // SAFETY: the fifth column is the rows (SOA-1).
        unsafe { self.entry.add(4 * self.stride) }
    }

    /// Unspecified if entries have no filters.
    #[inline(always)]
    pub(super) fn layers(self) -> *const u32 {
        self.layers
    }

    /// Unspecified if entries have no filters.
    #[inline(always)]
    pub(super) fn masks(self) -> *const u32 {
        self.layers.wrapping_add(self.stride)
    }

    /// The first entry.
    ///
    /// # Safety
    ///
    /// The entry is not after the padding of the columns. Entries have filters if `filtered`.
    #[inline(always)]
    pub(super) unsafe fn probe(self, filtered: bool) -> Probe {
        // SAFETY: the caller vouches for an entry in each column, and in the filters if `filtered`.
        unsafe {
            let aabb = each_edge!(edge => *self.edges(edge));
            let filter = if filtered { Filter::new(*self.layers(), *self.masks()) } else { Filter::ALL };
            Probe { aabb, row: *self.rows(), filter }
        }
    }
}
