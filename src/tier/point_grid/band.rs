//! One band: a run of rows of cells, sorted and ready to be scanned while it lies in the cache.
//!
//! P1: a body is filed, once, under the cell that holds the lower corner of its box.
//! P2: its upper corner lies at most one column and one row further (A2), so partners are at most one cell away.
//! P3: cells of a row are contiguous, and so are the bodies of neighbouring cells: a search reads runs.
//! P4: whatever the distribution, a band takes at most [`words_max`] words for tables.
//!
//! Cost: O(n) where bodies lie about evenly; a few times that where they cluster; O(n log n) at worst.

use super::axis::{Axis, AxisMap, Extent, FINE_MAX, edges_key, find_borders, floor_within, linear_cell, merge};
use crate::geometry::RawBox;
use crate::kernel::{CellView, Rect};
use crate::storage::cells::{Key, Starts, count_keys, table_words};
use crate::storage::columns::{Columns, ColumnsMut, column_words};
use crate::storage::grow;
use crate::storage::record::Record;

/// Bodies a cell: with fewer, a scan visits too many empty cells (each a branch that is hard to predict); with more, a
/// run no longer fits one vector.
const POPULATION: f32 = 2.8;

/// A layout is taken when a typical body shares its cell with at most this many times as many as even bodies would.
const UNEVEN_MAX: f32 = 2.5;

/// A merged layout is taken when a typical body shares its cell with at most this many.
const CROWDED_MAX: f32 = 20.0;

/// What is kept of a band beside its words.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Band {
    pub(crate) population: usize,
    x: AxisMap,
    y: AxisMap,
    columns: usize,
    rows: usize,
    x_words: usize,
    y_words: usize,
    /// The smallest box that holds all boxes of the band.
    pub(crate) bounds: RawBox,
}

/// Buffers that a worker keeps.
#[derive(Default)]
pub(crate) struct BandScratch {
    /// By record.
    keys: Vec<u32>,
    /// By place in cell order: the record, and its key.
    order: Vec<u32>,
    sorted: Vec<u32>,
    /// Boxes in cell order: they stay in the cache while they are scanned.
    columns: Vec<u32>,
    histogram: Vec<u32>,
    edges: Vec<u64>,
}

impl BandScratch {
    pub(crate) fn bytes(&self) -> usize {
        let [keys, order, sorted, columns, histogram, edges] = self.needs();
        (keys + order + sorted + columns + histogram) * size_of::<u32>() + edges * size_of::<u64>()
    }

    /// Of the band that was built last: its columns, its keys in cell order, and a buffer.
    pub(crate) fn built(&mut self) -> (&[u32], &[u32], &mut Vec<u32>) {
        (&self.columns[..column_words(self.sorted.len())], &self.sorted, &mut self.order)
    }

    /// Capacities: what a worker of the same work will need.
    pub(crate) fn needs(&self) -> [usize; 6] {
        let Self { keys, order, sorted, columns, histogram, edges } = self;
        [
            keys.capacity(),
            order.capacity(),
            sorted.capacity(),
            columns.capacity(),
            histogram.capacity(),
            edges.capacity(),
        ]
    }

    pub(crate) fn provide(&mut self, needs: [usize; 6]) {
        let Self { keys, order, sorted, columns, histogram, edges } = self;
        for (items, need) in [keys, order, sorted, columns, histogram].into_iter().zip(needs) {
            items.reserve_exact(need.saturating_sub(items.len()));
        }
        edges.reserve_exact(needs[5].saturating_sub(edges.len()));
    }
}

const fn starts_max(population: usize) -> usize {
    population * 3 / 4 + 256
}

const fn x_table_max(population: usize) -> usize {
    population / 2 + 64
}

const fn y_table_max(population: usize) -> usize {
    population / 4 + 64
}

/// Words for the tables of a band (P4).
pub(crate) const fn words_max(population: usize) -> usize {
    starts_max(population) + x_table_max(population) + y_table_max(population)
}

/// Merged layouts that promise to be this many times as crowded as they may be are not tried.
const HOPELESS: f32 = 3.0;

/// Bodies in the narrowest column: a table of one row of such columns is within P4.
const NARROW: usize = 3;

/// How cells are laid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// Equal cells.
    Linear,
    /// Joined cells, about as wide as high where bodies are.
    Merged,
    /// Joined cells, as narrow as may be: for bodies along a line or in small clusters.
    Narrow,
    /// By comparison.
    Borders,
}

impl Band {
    /// Sorts `own` by cell into the columns of `scratch` and fills `words` with the tables.
    pub(crate) fn build(own: &[Record], cell_size: Option<f32>, words: &mut [u32], scratch: &mut BandScratch) -> Self {
        let Some((bounds, extents)) = measure(own) else { return Self::default() };
        let mut band = Self { population: own.len(), bounds, ..Self::default() };
        let mut best = (f32::INFINITY, Layout::Linear);
        let mut last = Layout::Linear;
        for layout in [Layout::Linear, Layout::Merged, Layout::Narrow, Layout::Borders] {
            let crowding = band.lay(layout, own, extents, cell_size, words, scratch);
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
        band.place(own, words, scratch);
        band
    }

    /// Chooses the axes, computes each body's cell and counts. Returns how many share a typical body's cell.
    fn lay(
        &mut self,
        layout: Layout,
        own: &[Record],
        extents: [Extent; 2],
        cell_size: Option<f32>,
        words: &mut [u32],
        scratch: &mut BandScratch,
    ) -> f32 {
        let (starts, tables) = words.split_at_mut(starts_max(own.len()));
        let (x_table, y_table) = tables.split_at_mut(x_table_max(own.len()));
        (self.x_words, self.y_words) = (0, 0);
        match layout {
            Layout::Linear => self.lay_linear(own.len(), extents, cell_size),
            Layout::Merged | Layout::Narrow => {
                if !self.lay_merged(layout, own, extents, x_table, y_table, &mut scratch.histogram) {
                    return f32::INFINITY;
                }
            }
            Layout::Borders => self.lay_borders(own, x_table, y_table, &mut scratch.edges),
        }
        let tables = (&x_table[..self.x_words], &y_table[..self.y_words]);
        self.fill_keys(own, tables, &mut scratch.keys);
        let stride = self.columns + 2;
        let spread = count_keys(&scratch.keys, &mut starts[..table_words(self.rows, stride)]);
        spread.squares as f32 / own.len() as f32
    }

    /// The cell of each body, and whether it reaches out of it.
    fn fill_keys(&self, own: &[Record], (x_table, y_table): (&[u32], &[u32]), keys: &mut Vec<u32>) {
        let stride = self.columns + 2;
        let key = |[x, y, right, below]: [usize; 4]| Key::new(y * stride + x + 1, right > x, below > y).0;
        keys.clear();
        match (self.x, self.y) {
            (AxisMap::Linear { origin: x, inverse: ix }, AxisMap::Linear { origin: y, inverse: iy }) => {
                let fine = FineCells::new([x, y], [ix, iy], [self.columns, self.rows]);
                keys.extend(own.iter().map(|record| key(fine.of(&record.aabb))));
            }
            (
                AxisMap::Merged { origin: x, inverse: ix, fine: x_fine },
                AxisMap::Merged { origin: y, inverse: iy, fine: y_fine },
            ) => {
                let fine = FineCells::new([x, y], [ix, iy], [x_fine as usize, y_fine as usize]);
                let (x_cells, y_cells): (&[u16], &[u16]) =
                    (bytemuck::cast_slice(x_table), bytemuck::cast_slice(y_table));
                keys.extend(own.iter().map(|record| {
                    let [x, y, right, below] = fine.of(&record.aabb);
                    key([x_cells[x], y_cells[y], x_cells[right], y_cells[below]].map(usize::from))
                }));
            }
            _ => {
                let x_axis = Axis { map: self.x, count: self.columns, table: x_table };
                let y_axis = Axis { map: self.y, count: self.rows, table: y_table };
                keys.extend(own.iter().map(|Record { aabb, .. }| {
                    let (x, y) = (x_axis.cell(aabb[0]), y_axis.cell(aabb[1]));
                    let (right, below) = (x_axis.reaches_on(x, aabb[2]), y_axis.reaches_on(y, aabb[3]));
                    Key::new(y * stride + x + 1, right, below).0
                }));
            }
        }
    }

    /// Whether a table for that many cells is within P4.
    fn fits(population: usize, columns: usize, rows: usize) -> bool {
        table_words(rows, columns + 2) <= starts_max(population)
    }

    fn lay_linear(&mut self, population: usize, [x, y]: [Extent; 2], cell_size: Option<f32>) {
        let (x_max, y_max) = (x.cells_max(population), y.cells_max(population));
        let (x_spread, y_spread) = (f64::from(x.max - x.min), f64::from(y.max - y.min));
        let cells = (population as f64 / f64::from(POPULATION)).max(1.0);
        let side = cell_size.map_or_else(|| (x_spread * y_spread / cells).sqrt(), f64::from);
        // Rows first, then as many columns as there are cells left, then rows again where columns were limited by the
        // size of boxes: beams get cells as long as they are, and thin.
        let mut rows = ((y_spread / side) as usize).clamp(1, y_max);
        let mut columns = ((cells / rows as f64) as usize).clamp(1, x_max);
        if cell_size.is_some() {
            columns = ((x_spread / side) as usize).clamp(1, x_max);
        } else {
            rows = ((cells / columns as f64) as usize).clamp(1, y_max);
        }
        while !Self::fits(population, columns, rows) {
            let longer = if columns > rows { &mut columns } else { &mut rows };
            *longer = (*longer * 3 / 4).max(1);
        }
        let linear = |extent: Extent, count| {
            let (origin, inverse) = extent.linear(count);
            AxisMap::Linear { origin, inverse }
        };
        (self.x, self.y, self.columns, self.rows) = (linear(x, columns), linear(y, rows), columns, rows);
    }

    /// Whether fine cells are fine enough to be worth it.
    fn lay_merged(
        &mut self,
        layout: Layout,
        own: &[Record],
        [x, y]: [Extent; 2],
        x_table: &mut [u32],
        y_table: &mut [u32],
        histogram: &mut Vec<u32>,
    ) -> bool {
        let population = own.len();
        let fine_x = x.cells_max(x_table.len() * 2);
        let fine_y = y.cells_max(y_table.len() * 2);
        let (x_linear, y_linear) = (x.linear(fine_x), y.linear(fine_y));
        histogram.clear();
        histogram.resize(fine_x + fine_y, 0);
        let (x_histogram, y_histogram) = histogram.split_at_mut(fine_x);
        for Record { aabb, .. } in own {
            x_histogram[linear_cell(aabb[0], x_linear.0, x_linear.1, fine_x)] += 1;
            y_histogram[linear_cell(aabb[1], y_linear.0, y_linear.1, fine_y)] += 1;
        }
        // How many a typical body shares its fine column, or row, with: less cannot be asked for.
        let (x_least, y_least) = (typical(x_histogram), typical(y_histogram));
        // So many then share a cell if columns and rows have nothing to do with each other.
        if x_least * y_least > HOPELESS * CROWDED_MAX * population as f32 {
            return false;
        }
        let product = POPULATION * population as f32;
        let width = |extent: Extent, fine: usize| ((extent.max - extent.min) / fine as f32).max(f32::MIN_POSITIVE);
        // Columns p wide hold x_least * p / width; p such that a cell holds what it should.
        let side = (product / (x_least * y_least) * width(x, fine_x) * width(y, fine_y)).sqrt();
        let square = (x_least * (side / width(x, fine_x)).max(1.0)).clamp(x_least, product);
        let mut x_target = if layout == Layout::Narrow { x_least.max(POPULATION) } else { square };
        let mut y_target = (product / x_target).max(y_least);
        let x_cells: &mut [u16] = bytemuck::cast_slice_mut(x_table);
        let y_cells: &mut [u16] = bytemuck::cast_slice_mut(y_table);
        loop {
            self.columns = merge(x_histogram, x_target, x_cells);
            self.rows = merge(y_histogram, y_target, y_cells);
            if Self::fits(population, self.columns, self.rows) {
                break;
            }
            // Grows until one of them is a single cell.
            if layout != Layout::Narrow || self.rows == 1 {
                x_target *= 1.3;
            }
            y_target *= 1.3;
        }
        self.x = AxisMap::Merged { origin: x_linear.0, inverse: x_linear.1, fine: fine_x as u32 };
        self.y = AxisMap::Merged { origin: y_linear.0, inverse: y_linear.1, fine: fine_y as u32 };
        (self.x_words, self.y_words) = (fine_x.div_ceil(2), fine_y.div_ceil(2));
        true
    }

    fn lay_borders(&mut self, own: &[Record], x_table: &mut [u32], y_table: &mut [u32], edges: &mut Vec<u64>) {
        let population = own.len();
        let mut find = |axis: usize, target: usize, table: &mut [u32]| {
            edges.clear();
            edges.extend(own.iter().map(|record| edges_key(record.aabb[axis], record.aabb[axis + 2])));
            edges.sort_unstable();
            find_borders(edges, target, table)
        };
        // Columns as narrow as may be, then rows for what is left to do.
        self.x_words = find(0, NARROW, x_table);
        self.columns = self.x_words + 1;
        let cells = population as f32 / POPULATION;
        let mut y_target = (population as f32 * self.columns as f32 / cells).max(1.0) as usize;
        loop {
            self.y_words = find(1, y_target, y_table);
            self.rows = self.y_words + 1;
            if Self::fits(population, self.columns, self.rows) {
                break;
            }
            y_target = y_target * 3 / 2 + 1;
        }
        (self.x, self.y) = (AxisMap::Borders, AxisMap::Borders);
    }

    /// Sorts by cell: first the numbers of records, then the records themselves in that order, so that there is one
    /// random read a body and all writes follow each other.
    fn place(&self, own: &[Record], words: &mut [u32], scratch: &mut BandScratch) {
        let BandScratch { keys, order, sorted, columns, .. } = scratch;
        order.resize(own.len(), 0);
        // Backwards, so that each cell's end becomes its start and the order stays that of the input.
        for (number, &key) in keys.iter().enumerate().rev() {
            let start = &mut words[Key(key).cell()];
            *start -= 1;
            order[*start as usize] = number as u32;
        }
        sorted.clear();
        sorted.extend(order.iter().map(|&number| keys[number as usize]));
        // What stays behind from a larger band is scratch, and what pads the columns never counts (C2).
        let len = column_words(own.len());
        grow(columns, len);
        ColumnsMut::of(&mut columns[..len], own.len()).fill(order.iter().map(|&number| own[number as usize]));
    }

    /// The band's bodies in cell order, from the words it was built into.
    pub(crate) fn cells<'a>(&self, columns: &'a [u32], words: &'a [u32]) -> CellView<'a> {
        let stride = self.columns + 2;
        let starts = Starts::filled(&words[..table_words(self.rows, stride)], stride, self.rows);
        CellView::new(Columns::of(columns, self.population), starts)
    }

    fn axes<'a>(&self, words: &'a [u32]) -> [Axis<'a>; 2] {
        let tables = &words[starts_max(self.population)..];
        let (x_table, y_table) = tables.split_at(x_table_max(self.population));
        [
            Axis { map: self.x, count: self.columns, table: &x_table[..self.x_words] },
            Axis { map: self.y, count: self.rows, table: &y_table[..self.y_words] },
        ]
    }

    /// The cells in which anything that overlaps `aabb` is filed (P1, P2).
    pub(crate) fn rect(&self, words: &[u32], aabb: &RawBox) -> Rect {
        let [x, y] = self.axes(words);
        Rect {
            x: x.cell(aabb[0]).saturating_sub(1)..x.cell(aabb[2]) + 1,
            y: y.cell(aabb[1]).saturating_sub(1)..y.cell(aabb[3]) + 1,
        }
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

/// The equal cells of both axes, for all four edges of a box at once: the same sum for each, so that they are one vector.
struct FineCells {
    origins: [f32; 4],
    inverses: [f32; 4],
    lasts: [f32; 4],
}

impl FineCells {
    fn new([x, y]: [f32; 2], [x_inverse, y_inverse]: [f32; 2], [columns, rows]: [usize; 2]) -> Self {
        let (x_last, y_last) = ((columns - 1) as f32, (rows - 1) as f32);
        Self {
            origins: [x, y, x, y],
            inverses: [x_inverse, y_inverse, x_inverse, y_inverse],
            lasts: [x_last, y_last, x_last, y_last],
        }
    }

    #[inline(always)]
    fn of(&self, aabb: &RawBox) -> [usize; 4] {
        let mut cells = [0; 4];
        for edge in 0..4 {
            cells[edge] = floor_within((aabb[edge] - self.origins[edge]) * self.inverses[edge], self.lasts[edge]);
        }
        cells.map(|cell| cell as usize)
    }
}

/// The bounds of all boxes, and what the axes are made from; `None` of nothing.
fn measure(own: &[Record]) -> Option<(RawBox, [Extent; 2])> {
    let first = own.first()?.aabb;
    let (mut low, mut high, mut side) = (first, first, [0.0f32; 4]);
    for Record { aabb, .. } in own {
        // The same for all four edges, so that they are one vector; of sides the first two count.
        for edge in 0..4 {
            // Not `f32::min`, which minds NaN: there is none.
            low[edge] = if aabb[edge] < low[edge] { aabb[edge] } else { low[edge] };
            high[edge] = if aabb[edge] > high[edge] { aabb[edge] } else { high[edge] };
            let across = aabb[(edge + 2) % 4] - aabb[edge];
            side[edge] = if across > side[edge] { across } else { side[edge] };
        }
    }
    let extent = |axis: usize| Extent { min: low[axis], max: high[axis], side: side[axis] };
    Some(([low[0], low[1], high[2], high[3]], [extent(0), extent(1)]))
}

/// How many share the cell of a typical body.
fn typical(histogram: &[u32]) -> f32 {
    let (mut sum, mut squares) = (0u64, 0u64);
    for &population in histogram {
        sum += u64::from(population);
        squares += u64::from(population) * u64::from(population);
    }
    squares as f32 / sum as f32
}

const _: () = assert!(FINE_MAX <= u16::MAX as usize, "a merged axis holds fine cells as u16");

#[cfg(test)]
mod tests;
