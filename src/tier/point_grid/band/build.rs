//! Sorts the bodies of a band by cell.

#[cfg(test)]
mod tests;

use crate::geometry::band_box::BandBox;
use crate::memory::body_record::BodyRecord;
use crate::memory::buffers::grow;
use crate::memory::cell_table::CellStarts;
use crate::memory::columns::{SoaColumns, SoaColumnsMut, column_words};
use crate::simd::{CellView, DetectedSimd};
use crate::tier::point_grid::band::cell_grid::{CellGrid, CellLookup, Reach, words_max};
use crate::tier::point_grid::band::cell_layout::{LaidOut, choose_cells};
use crate::tier::point_grid::band::cell_order::{Index, Order};
use crate::tier::point_grid::band::equal_cells::CellSize;
use crate::tier::point_grid::band::measure::Measured;
use crate::tier::point_grid::band::scratch::BandScratch;

/// The data of a built band, apart from its bodies and tables.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Band {
    cells: CellGrid,
    /// See [`LaidOut`].
    pub(in crate::tier::point_grid) crowding: f32,
    bounds: BandBox,
    reach: Reach,
}

impl Band {
    /// Sorts `own` by cell, into the columns, keys and tables of `scratch`.
    // Not inlined: otherwise the code of the sort depends on the caller, which cost up to a tenth.
    #[inline(never)]
    pub(super) fn build(
        own: &[BodyRecord],
        Measured { bounds, extents }: Measured,
        cell_size: CellSize,
        scratch: &mut BandScratch,
        level: DetectedSimd,
    ) -> Self {
        let mut words = std::mem::take(&mut scratch.tables);
        let room = words_max(own.len());
        grow(&mut words, room);
        let tables = &mut words[..room];
        let LaidOut { cells, crowding } = choose_cells(own, extents, cell_size, tables, scratch);
        cells.pack(tables);
        sort(own, &cells, cells.starts(tables), scratch, level);
        scratch.tables = words;
        Self { cells, crowding, bounds, reach: Reach::new(extents.map(|extent| extent.side)) }
    }

    /// Words of its tables.
    pub(super) fn tables_len(&self) -> usize {
        self.cells.tables_len()
    }

    /// Number of bodies.
    #[inline]
    pub(crate) fn population(&self) -> usize {
        self.cells.population
    }

    /// Numbers of columns and rows of cells.
    pub(crate) fn column_count(&self) -> usize {
        self.cells.column_count
    }

    pub(crate) fn row_count(&self) -> usize {
        self.cells.row_count
    }

    /// The smallest box that covers all bodies.
    #[inline]
    pub(crate) fn bounds(&self) -> BandBox {
        self.bounds
    }

    /// The band's bodies in cell order, in the columns and with the tables into which it was built.
    pub(super) fn cell_view<'a>(&self, columns: &'a [u32], tables: &'a [u32]) -> CellView<'a> {
        let columns = SoaColumns::of(columns, self.population());
        CellView::new(columns, self.starts(tables)).with_columns_reached(self.cells.columns_reached)
    }

    /// The entries of each cell.
    pub(crate) fn starts<'a>(&self, tables: &'a [u32]) -> CellStarts<'a> {
        self.cells.starts(tables)
    }

    /// Finds the cells of boxes.
    #[inline(always)]
    pub(crate) fn lookup<'a>(&self, tables: &'a [u32]) -> CellLookup<'a> {
        self.cells.lookup(tables, self.reach)
    }

    /// Keeps [`lookup`](Self::lookup) right when this box takes the place of one of the bodies. If
    /// it is longer than all of these, searches read more cells from now on.
    pub(in crate::tier::point_grid) fn extend_reach(&mut self, aabb: &BandBox) {
        let &[left, top, right, bottom] = aabb.edges();
        self.reach = self.reach.max(Reach::new([right - left, bottom - top]));
    }

    /// How many cells there are along x, and along y.
    pub(crate) fn cell_counts(&self) -> [usize; 2] {
        self.cells.counts()
    }

    /// The index of the cell at a point, row by row.
    pub(crate) fn cell(&self, tables: &[u32], [x, y]: [f32; 2]) -> usize {
        let [column, row, ..] = self.lookup(tables).of_edges(&BandBox::from_edges([x, y, x, y]));
        row * self.cells.column_count + column
    }

    /// Approximate width and height of the cell at a point.
    pub(crate) fn cell_size_at(&self, tables: &[u32], [x, y]: [f32; 2]) -> [f64; 2] {
        let &[left, top, right, bottom] = self.bounds.edges();
        let [x_axis, y_axis] = self.cells.axes(tables);
        [x_axis.width_at(x, [left, right]), y_axis.width_at(y, [top, bottom])]
    }

    /// Approximate lower corner of a cell.
    pub(crate) fn corner(&self, tables: &[u32], [column, row]: [usize; 2]) -> [f64; 2] {
        let &[left, top, right, bottom] = self.bounds.edges();
        let [x_axis, y_axis] = self.cells.axes(tables);
        let [x, y] = if self.cells.columns_divide_y { [row, column] } else { [column, row] };
        [x_axis.low_edge(x, [left, right]), y_axis.low_edge(y, [top, bottom])]
    }

    /// Checks BAND-1 for every cell, and BAND-2 for every body.
    #[cfg(any(test, debug_assertions))]
    pub(super) fn assert_well_formed(&self, columns: &[u32], tables: &[u32]) {
        let (lookup, cells) = (self.lookup(tables), self.cell_view(columns, tables));
        for row in 0..self.row_count() {
            for column in 0..self.column_count() {
                for at in cells.run(row, &(column..column + 1)) {
                    let aabb = cells.columns().aabb(at);
                    let [left, top, right, bottom] = lookup.of_edges(&BandBox::from_edges(aabb));
                    assert_eq!((left, top), (column, row), "BAND-1: {aabb:?}");
                    let reached = [column + self.cells.columns_reached, row + 1];
                    assert!(right <= reached[0] && bottom <= reached[1], "BAND-2: {aabb:?}");
                }
            }
        }
    }
}

/// Sorts by cell: first indices of records, then the records and their keys in that order.
///
/// That takes at most two random reads for each body, and all writes but those of indices are
/// sequential.
fn sort(own: &[BodyRecord], cells: &CellGrid, starts: CellStarts<'_>, scratch: &mut BandScratch, level: DetectedSimd) {
    let BandScratch { keys, order, sorted_keys, columns, .. } = scratch;
    grow(sorted_keys, own.len());
    sorted_keys.truncate(own.len());
    // The padding may contain anything.
    let len = column_words(own.len());
    grow(columns, len);
    let columns = &mut columns[..len];
    let linear = cells.linear_cells();
    // Keys of equal cells lack the reach of boxes so far. Those of fine columns are faster computed
    // again than read at random.
    let sorted_from = if linear.is_some() { &[] } else { &keys[..] };
    match order.sort(keys, starts.as_slice()) {
        Order::Short(order) => gather(own, sorted_from, order, (sorted_keys, columns)),
        Order::Long(order) => gather(own, sorted_from, order, (sorted_keys, columns)),
    }
    if let Some(linear) = linear {
        linear.keys_in_order(level, SoaColumns::of(columns, own.len()), cells.stride() as u32, sorted_keys);
    }
}

/// Copies the records into columns in the given order, and the keys if there are any.
fn gather<I: Index>(own: &[BodyRecord], keys: &[u32], order: &[I], (sorted_keys, columns): (&mut [u32], &mut [u32])) {
    if !keys.is_empty() {
        for (sorted, index) in sorted_keys.iter_mut().zip(order) {
            *sorted = keys[index.get()];
        }
    }
    let (fours, _) = order.as_chunks::<4>();
    let records = fours.iter().map(|four| four.map(|index| &own[index.get()]));
    SoaColumnsMut::of(columns, own.len()).fill_fours(records);
}
