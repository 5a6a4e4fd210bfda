//! One band: a run of rows of cells, sorted and ready to be scanned while it lies in the cache.
//!
//! P1: a body is filed, once, under the cell that holds the lower corner of its box.
//! P2: its upper corner lies at most one column and one row further (A2), so partners are at most one cell away.
//! P3: cells of a row are contiguous, and so are the bodies of neighbouring cells: a search reads runs.
//! P4: whatever the distribution, a band takes at most [`words_max`] words for tables.
//!
//! Cost: O(n) where bodies lie about evenly; a few times that where they cluster; O(n log n) at worst.

#[cfg(test)]
mod tests;

use crate::geometry::RawAabb;
use crate::input::filter::Filter;
use crate::memory::buffers::grow;
use crate::memory::cell_table::{CellKey, CellStarts, table_words};
use crate::memory::columns::{SoaColumns, SoaColumnsMut, column_words, fill_filters, filter_words};
use crate::memory::record::BodyRecord;
use crate::simd::{CellRect, CellView};
use crate::tier::point_grid::axis::{Axis, AxisMap, Extent};
use crate::tier::point_grid::band::keys::FineCells;
use crate::tier::point_grid::band::layout::{CROWDED_MAX, Layout, UNEVEN_MAX, may_be_even};
use glam::{Vec4, Vec4Swizzles};

/// What is kept of a band beside its words.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Band {
    pub(crate) population: usize,
    pub(super) x: AxisMap,
    pub(super) y: AxisMap,
    pub(super) columns: usize,
    pub(super) rows: usize,
    pub(super) x_words: usize,
    pub(super) y_words: usize,
    /// How many bodies share a typical body's cell, itself included.
    pub(crate) crowding: f32,
    /// The smallest box that holds all boxes of the band.
    pub(crate) bounds: RawAabb,
}

/// Buffers that a worker keeps.
#[derive(Default)]
pub(crate) struct BandScratch {
    /// By record.
    pub(super) keys: Vec<u32>,
    /// By place in cell order.
    sorted: Vec<u32>,
    /// Boxes in cell order: they stay in the cache while they are scanned.
    columns: Vec<u32>,
    /// The filters of those, if there are any.
    filters: Vec<u32>,
    pub(super) histogram: Vec<u32>,
    /// While cells are laid: fine cells by record, or sorted edges. Then, by place in cell order: key and number of record.
    pub(super) wide: Vec<u64>,
}

impl BandScratch {
    pub(crate) fn bytes(&self) -> usize {
        let [keys, sorted, columns, filters, histogram, wide] = self.needs();
        (keys + sorted + columns + filters + histogram) * size_of::<u32>() + wide * size_of::<u64>()
    }

    /// Of the band that was built last.
    pub(crate) fn built(&mut self) -> BuiltScratch<'_> {
        let population = self.sorted.len();
        BuiltScratch {
            columns: &self.columns[..column_words(population)],
            filters: &self.filters,
            keys: &self.sorted,
            buffer: &mut self.keys,
        }
    }

    /// Fills the filters of the band that was built last; `by_row` has those of all rows.
    ///
    /// By place, which reads at random: to read in the order of rows first and then to sort takes no less, as a band's rows
    /// are rarely neighbours.
    #[inline(never)]
    pub(crate) fn look_up_filters(&mut self, by_row: &[Filter]) {
        let Self { sorted, columns, filters, .. } = self;
        let population = sorted.len();
        grow(filters, filter_words(population));
        let rows = &SoaColumns::of(columns, population).rows()[..population];
        fill_filters(filters, population, rows.iter().map(|&row| by_row[row as usize]));
    }

    /// Capacities: what a worker of the same work will need.
    pub(crate) fn needs(&self) -> [usize; 6] {
        let Self { keys, sorted, columns, filters, histogram, wide } = self;
        let words = [keys, sorted, columns, filters, histogram].map(Vec::capacity);
        [words[0], words[1], words[2], words[3], words[4], wide.capacity()]
    }

    pub(crate) fn provide(&mut self, needs: [usize; 6]) {
        let Self { keys, sorted, columns, filters, histogram, wide } = self;
        for (items, need) in [keys, sorted, columns, filters, histogram].into_iter().zip(needs) {
            items.reserve_exact(need.saturating_sub(items.len()));
        }
        wide.reserve_exact(needs[5].saturating_sub(wide.len()));
    }
}

/// What a worker's scratch holds of the band that was built last.
pub(crate) struct BuiltScratch<'a> {
    pub(crate) columns: &'a [u32],
    /// In the order of the columns, if they were looked up; what another band left there, if not.
    pub(crate) filters: &'a [u32],
    /// In cell order.
    pub(crate) keys: &'a [u32],
    /// As long as the keys.
    pub(crate) buffer: &'a mut Vec<u32>,
}

pub(super) const fn starts_max(population: usize) -> usize {
    population * 3 / 4 + 256
}

pub(super) const fn x_table_max(population: usize) -> usize {
    population / 2 + 64
}

const fn y_table_max(population: usize) -> usize {
    population / 4 + 64
}

/// Words for the tables of a band (P4).
pub(crate) const fn words_max(population: usize) -> usize {
    starts_max(population) + x_table_max(population) + y_table_max(population)
}

impl Band {
    /// Sorts `own` by cell into the columns of `scratch` and fills `words` with the tables.
    // A function of its own, so that how its loops are compiled does not change with what its caller does beside: a tenth of
    // the sort was seen to hang on that.
    #[inline(never)]
    pub(crate) fn build(
        own: &[BodyRecord],
        cell_size: Option<f32>,
        words: &mut [u32],
        scratch: &mut BandScratch,
    ) -> Self {
        let Some((bounds, extents)) = measure(own) else { return Self::default() };
        let mut band = Self { population: own.len(), bounds, ..Self::default() };
        let mut best = (f32::INFINITY, Layout::Linear);
        let mut last = Layout::Linear;
        let mut hopeless = false;
        let layouts = [Layout::Linear, Layout::Merged, Layout::Narrow, Layout::Borders];
        for layout in layouts.into_iter().skip(usize::from(!may_be_even(own, extents))) {
            // Both join the same fine cells.
            if layout == Layout::Narrow && hopeless {
                continue;
            }
            let crowding = band.lay(layout, own, extents, cell_size, words, scratch);
            hopeless = crowding == f32::INFINITY;
            last = layout;
            if crowding < best.0 {
                best = (crowding, layout);
            }
            let even = 1.0 + own.len() as f32 / (band.columns * band.rows) as f32;
            let taken = match layout {
                Layout::Linear => crowding <= UNEVEN_MAX * even + 2.0,
                _ => crowding <= CROWDED_MAX,
            };
            if taken {
                best = (crowding, layout);
                break;
            }
        }
        if best.1 != last {
            band.lay(best.1, own, extents, cell_size, words, scratch);
        }
        band.crowding = best.0;
        band.place(own, words, scratch);
        band
    }

    /// Sorts by cell: first keys and numbers of records, then the records themselves in that order, so that there is one
    /// random read a body and all writes follow each other.
    fn place(&self, own: &[BodyRecord], words: &mut [u32], scratch: &mut BandScratch) {
        let BandScratch { keys, sorted, columns, wide, .. } = scratch;
        let padded = own.len().next_multiple_of(4);
        grow(wide, padded);
        let order = &mut wide[..padded];
        order[own.len()..].fill(0);
        // Backwards, so that each cell's end becomes its start and the order stays that of the input.
        for (number, &key) in keys.iter().enumerate().rev() {
            let start = &mut words[CellKey(key).cell()];
            *start -= 1;
            order[*start as usize] = u64::from(key) << 32 | number as u64;
        }
        sorted.clear();
        sorted.extend(order[..own.len()].iter().map(|&entry| (entry >> 32) as u32));
        // What stays behind from a larger band is scratch, and what pads the columns never counts (C2).
        let len = column_words(own.len());
        grow(columns, len);
        let (fours, _) = order.as_chunks::<4>();
        let record = |entry: u64| &own[entry as u32 as usize];
        let records = fours.iter().map(|&[a, b, c, d]| [record(a), record(b), record(c), record(d)]);
        SoaColumnsMut::of(&mut columns[..len], own.len()).fill_fours(records);
    }

    /// The band's bodies in cell order, from the words it was built into.
    pub(crate) fn cells<'a>(&self, columns: &'a [u32], words: &'a [u32]) -> CellView<'a> {
        CellView::new(SoaColumns::of(columns, self.population), self.starts(words))
    }

    /// Which entries each cell has.
    pub(crate) fn starts<'a>(&self, words: &'a [u32]) -> CellStarts<'a> {
        let stride = self.columns + 2;
        CellStarts::filled(&words[..table_words(self.rows, stride)], stride, self.rows)
    }

    fn axes<'a>(&self, words: &'a [u32]) -> [Axis<'a>; 2] {
        let tables = &words[starts_max(self.population)..];
        let (x_table, y_table) = tables.split_at(x_table_max(self.population));
        [
            Axis { map: self.x, count: self.columns, table: &x_table[..self.x_words] },
            Axis { map: self.y, count: self.rows, table: &y_table[..self.y_words] },
        ]
    }

    /// What looks up cells, for many boxes.
    pub(crate) fn finder<'a>(&self, words: &'a [u32]) -> Finder<'a> {
        let equal = match (self.x, self.y) {
            (AxisMap::Linear { origin: x, inverse: ix }, AxisMap::Linear { origin: y, inverse: iy }) => {
                Some(FineCells::new([x, y], [ix, iy], [self.columns, self.rows]))
            }
            _ => None,
        };
        Finder { equal, axes: self.axes(words) }
    }

    /// The cells in which anything that overlaps `aabb` is filed.
    pub(crate) fn rect(&self, words: &[u32], aabb: &RawAabb) -> CellRect {
        self.finder(words).rect(aabb)
    }

    /// The number of the cell at a point, row after row.
    pub(crate) fn cell(&self, words: &[u32], [x, y]: [f32; 2]) -> usize {
        let [x_axis, y_axis] = self.axes(words);
        y_axis.cell(y) * self.columns + x_axis.cell(x)
    }

    /// About how wide and high the cell at a point is.
    pub(crate) fn cell_size_at(&self, words: &[u32], [x, y]: [f32; 2]) -> [f64; 2] {
        let [left, top, right, bottom] = self.bounds;
        let [x_axis, y_axis] = self.axes(words);
        [x_axis.width_at(x, [left, right]), y_axis.width_at(y, [top, bottom])]
    }

    /// About where the cells of a column and of a row begin.
    pub(crate) fn corner(&self, words: &[u32], [column, row]: [usize; 2]) -> [f64; 2] {
        let [left, top, right, bottom] = self.bounds;
        let [x_axis, y_axis] = self.axes(words);
        [x_axis.low_edge(column, [left, right]), y_axis.low_edge(row, [top, bottom])]
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// P2 for every body, P1 for every cell.
    #[cfg(any(test, debug_assertions))]
    pub(crate) fn assert_well_formed(&self, columns: &[u32], words: &[u32]) {
        let [x, y] = self.axes(words);
        let cells = self.cells(columns, words);
        for row in 0..self.rows {
            for column in 0..self.columns {
                for at in cells.run(row, &(column..column + 1)) {
                    let aabb = cells.columns().aabb(at);
                    assert_eq!((x.cell(aabb[0]), y.cell(aabb[1])), (column, row), "P1: {aabb:?}");
                    assert!(x.cell(aabb[2]) <= column + 1 && y.cell(aabb[3]) <= row + 1, "P2: {aabb:?}");
                }
            }
        }
    }
}

/// Looks up the cells of a band.
pub(crate) struct Finder<'a> {
    equal: Option<FineCells>,
    axes: [Axis<'a>; 2],
}

impl Finder<'_> {
    /// The cells in which anything that overlaps `aabb` is filed (P1, P2).
    #[inline]
    pub(crate) fn rect(&self, aabb: &RawAabb) -> CellRect {
        let [left, top, right, bottom] = match &self.equal {
            Some(cells) => cells.of(aabb),
            None => {
                let [x, y] = self.axes;
                [x.cell(aabb[0]), y.cell(aabb[1]), x.cell(aabb[2]), y.cell(aabb[3])]
            }
        };
        CellRect { x: left.saturating_sub(1)..right + 1, y: top.saturating_sub(1)..bottom + 1 }
    }
}

/// The bounds of all boxes, and what the axes are made from; `None` of nothing.
fn measure(own: &[BodyRecord]) -> Option<(RawAabb, [Extent; 2])> {
    let first = Vec4::from_array(own.first()?.aabb);
    // All four edges as one vector; of sides the first two count. No edge is NaN, so it does not matter what a minimum
    // makes of one.
    let (mut low, mut high, mut side) = (first, first, Vec4::ZERO);
    for BodyRecord { aabb, .. } in own {
        let edges = Vec4::from_array(*aabb);
        low = low.min(edges);
        high = high.max(edges);
        side = side.max(edges.zwxy() - edges);
    }
    let extent = |axis: usize| Extent { min: low[axis], max: high[axis], side: side[axis] };
    Some(([low.x, low.y, high.z, high.w], [extent(0), extent(1)]))
}
