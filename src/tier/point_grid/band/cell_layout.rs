//! Chooses the cells of a band: equal ones if bodies are evenly distributed, otherwise cells that
//! follow the bodies; or fine columns, if cells would be crowded.
//!
//! Every layout keeps AXIS-1, BAND-2 and BAND-3, so the choice changes the cost of a step and the
//! order of its pairs, never which pairs there are.
//!
//! Cost: O(n) if bodies are about evenly distributed; a few times that if they cluster; O(n log n)
//! at worst.

use crate::memory::body_record::BodyRecord;
use crate::memory::buffers::{grow, part_start};
use crate::memory::cell_table::{CellKey, table_words};
use crate::memory::radix;
use crate::tier::point_grid::axis::{
    AxisMap, CELLS_AT_ONCE, CellAxis, Extent, FINE_MAX, edges_key, find_borders, linear_cell, merge_cells,
};
use crate::tier::point_grid::band::cell_grid::{CellGrid, Layout, TableRoom};
use crate::tier::point_grid::band::equal_cells::{CellSize, POPULATION, SLENDER, equal_cells};
use crate::tier::point_grid::band::fine_columns::{FineEstimate, columns_reached, fine_columns, test_count};
use crate::tier::point_grid::band::keys::LinearCells;
use crate::tier::point_grid::band::scratch::BandScratch;

/// Equal cells are used if the cell of a body has at most this many times as many bodies, in the
/// mean, as in an even distribution.
const UNEVEN_MAX: f32 = 2.5;

/// Merged cells are used if the cell of a body has at most this many bodies, in the mean.
const CROWDED_MAX: f32 = 20.0;

/// Merged cells are not tried if their crowding would be at least this many times the maximum.
const HOPELESS: f32 = 3.0;

/// About so many bodies are counted at least, if there are as many, to merge cells.
const COUNTED_MIN: usize = 1024;

/// Of so many bodies, at least one is counted.
const ONE_IN_MAX: usize = 7;

/// Bodies in the narrowest column: a table with one row of such columns is within BAND-3.
const NARROW: usize = 3;

/// Bodies in the sample that decides whether equal cells are tried.
const SAMPLE_LEN: usize = 128;

/// Parts of each axis in which the sample is counted.
const PARTS: usize = 16;

/// Equal cells are not tried if two bodies of the sample share a part this many times as often as
/// in an even distribution.
///
/// Well above [`UNEVEN_MAX`], so that chance does not rule out equal cells where they would do.
const CLEARLY_UNEVEN: f32 = 6.0;

/// Cells that were laid out for a band.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaidOut {
    pub(super) cells: CellGrid,
    /// The mean number of bodies in the cell of a body, itself included. With fine columns, it is
    /// half the mean number of tests of a body, which is about the same.
    pub(super) crowding: f32,
}

/// Chooses the cells of a band, and fills its tables and the keys of its bodies. The tables are not
/// packed.
// Not inlined: otherwise the sort of the band becomes slower by a thirtieth.
#[inline(never)]
pub(super) fn choose_cells(
    own: &[BodyRecord],
    extents: [Extent; 2],
    cell_size: CellSize,
    tables: &mut [u32],
    scratch: &mut BandScratch,
) -> LaidOut {
    let mut trials = Trials::new(|layout| lay_out(layout, own, extents, cell_size, tables, scratch));
    let may_be_even = may_be_even(own, extents);
    let fine = FineEstimate::new(own, extents, cell_size, may_be_even);
    if let Some(first) = fine.and_then(|fine| fine.first_try())
        && let Some(laid_out) = (trials.lay_out)(first.layout)
        && laid_out.crowding <= first.crowding_max
    {
        return laid_out;
    }
    try_in_turn(&mut trials, own.len(), may_be_even, fine);
    trials.into_best()
}

/// Tries layouts, those that are made the fastest first, until one is good.
fn try_in_turn(
    trials: &mut Trials<impl FnMut(Layout) -> Option<LaidOut>>,
    population: usize,
    may_be_even: bool,
    fine: Option<FineEstimate<'_>>,
) {
    let is_even = |tried: &LaidOut| {
        let if_even = 1.0 + population as f32 / (tried.cells.column_count * tried.cells.row_count) as f32;
        tried.crowding <= UNEVEN_MAX * if_even + 2.0
    };
    if may_be_even {
        if trials.try_out(Layout::Equal, is_even) == Tried::Good {
            return;
        }
        let equal = trials.best.1.crowding;
        if let Some(layout) = fine.and_then(|fine| fine.layout_if_faster_than(equal))
            && trials.try_out(layout, |tried| tried.crowding < equal) == Tried::Good
        {
            return;
        }
    }
    let is_sparse = |tried: &LaidOut| tried.crowding <= CROWDED_MAX;
    for layout in [Layout::Merged, Layout::Narrow] {
        match trials.try_out(layout, is_sparse) {
            Tried::Good => return,
            Tried::Crowded => {}
            // Both merge the same fine cells.
            Tried::Hopeless => break,
        }
    }
    trials.try_out(Layout::Borders, is_sparse);
}

/// How a layout turned out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tried {
    Good,
    Crowded,
    Hopeless,
}

/// Layouts that are tried. Tables and keys are those of the last one.
struct Trials<F> {
    lay_out: F,
    best: (Layout, LaidOut),
    last: Layout,
}

impl<F: FnMut(Layout) -> Option<LaidOut>> Trials<F> {
    fn new(lay_out: F) -> Self {
        let none = LaidOut { cells: CellGrid::default(), crowding: f32::INFINITY };
        Self { lay_out, best: (Layout::Equal, none), last: Layout::Equal }
    }

    /// Lays out cells, and keeps them if they are good or the least crowded so far.
    fn try_out(&mut self, layout: Layout, is_good: impl Fn(&LaidOut) -> bool) -> Tried {
        self.last = layout;
        let Some(laid_out) = (self.lay_out)(layout) else { return Tried::Hopeless };
        let is_good = is_good(&laid_out);
        if is_good || laid_out.crowding < self.best.1.crowding {
            self.best = (layout, laid_out);
        }
        if is_good { Tried::Good } else { Tried::Crowded }
    }

    fn into_best(mut self) -> LaidOut {
        let (layout, best) = self.best;
        if layout == self.last { best } else { (self.lay_out)(layout).unwrap_or(best) }
    }
}

/// Whether equal cells are worth a try, judged by a sample of the bodies.
pub(super) fn may_be_even(own: &[BodyRecord], [x, y]: [Extent; 2]) -> bool {
    if own.len() < 16 * SAMPLE_LEN {
        return true;
    }
    let ((x, x_inverse), (y, y_inverse)) = (x.linear(PARTS), y.linear(PARTS));
    let mut parts = [0u32; PARTS * PARTS];
    for k in 0..SAMPLE_LEN {
        let aabb = &own[part_start(k, own.len(), SAMPLE_LEN)].aabb;
        let column = linear_cell(aabb[0], x, x_inverse, PARTS);
        parts[linear_cell(aabb[1], y, y_inverse, PARTS) * PARTS + column] += 1;
    }
    let shared: u32 = parts.iter().map(|&count| count * count - count).sum();
    let if_even = (SAMPLE_LEN * (SAMPLE_LEN - 1)) as f32 / parts.len() as f32;
    shared as f32 <= CLEARLY_UNEVEN * if_even
}

/// Lays out cells one way, computes the key of each body and counts the bodies of each cell. `None`
/// if the layout is hopeless.
pub(super) fn lay_out(
    layout: Layout,
    own: &[BodyRecord],
    extents: [Extent; 2],
    cell_size: CellSize,
    tables: &mut [u32],
    scratch: &mut BandScratch,
) -> Option<LaidOut> {
    let TableRoom { starts, x: x_table, y: y_table } = TableRoom::of(tables, own.len());
    let mut cells = match layout {
        Layout::Equal => equal_cells(own.len(), extents, cell_size),
        Layout::FineColumns { axis, rows_max } => fine_columns(own.len(), extents, axis, rows_max),
        Layout::Merged => merged_cells(false, own, extents, x_table, y_table, &mut scratch.histogram)?,
        Layout::Narrow => merged_cells(true, own, extents, x_table, y_table, &mut scratch.histogram)?,
        Layout::Borders => cells_between_borders(own, extents[1], x_table, y_table, scratch),
    };
    fill_keys(layout, &cells, own, cells.axes_with(x_table, y_table), scratch);
    let starts = &mut starts[..table_words(cells.row_count, cells.stride())];
    let squares = scratch.order.count(&scratch.keys, starts);
    let mut crowding = squares as f32 / own.len() as f32;
    if let Layout::FineColumns { .. } = layout {
        cells.columns_reached = columns_reached(&scratch.keys);
        let tests = test_count(&scratch.keys, starts, cells.stride(), cells.columns_reached);
        crowding = (0.5 * tests as f32 / own.len() as f32).max(1.0);
    }
    Some(LaidOut { cells, crowding })
}

/// Fine equal cells, sparse neighbors merged; `None` if the merged ones would be too crowded.
fn merged_cells(
    narrow: bool,
    own: &[BodyRecord],
    [x, y]: [Extent; 2],
    x_table: &mut [u32],
    y_table: &mut [u32],
    histogram: &mut Vec<u32>,
) -> Option<CellGrid> {
    let population = own.len();
    let fine_x = x.cells_max(x_table.len() * 2);
    let fine_y = y.cells_max(y_table.len() * 2);
    let (x_linear, y_linear) = (x.linear(fine_x), y.linear(fine_y));
    histogram.clear();
    histogram.resize(fine_x + fine_y, 0);
    let (x_histogram, y_histogram) = histogram.split_at_mut(fine_x);
    // The narrowest columns have so few bodies that all have to be counted. An odd number, so that
    // rows that take turns, such as every other one at another place, are all among those counted.
    let one_in = if narrow { 1 } else { (population / COUNTED_MIN).clamp(1, ONE_IN_MAX) | 1 };
    let fine = LinearCells::new([x_linear.0, y_linear.0], [x_linear.1, y_linear.1], [fine_x, fine_y]);
    fine.count(own.iter().step_by(one_in), x_histogram, y_histogram);
    let one_in = one_in as f32;
    // The mean number of bodies in the fine column, or row, of a body: merging cannot lower it.
    let [x_least, y_least] = [&*x_histogram, y_histogram].map(|counted| 1.0 + one_in * (crowding(counted) - 1.0));
    // This many would share a cell if columns and rows were independent.
    if x_least * y_least > HOPELESS * CROWDED_MAX * population as f32 {
        return None;
    }
    let product = POPULATION * population as f32;
    let width = |extent: Extent, fine: usize| ((extent.max - extent.min) / fine as f32).max(f32::MIN_POSITIVE);
    // Columns of width p contain x_least * p / width: choose p for cells of the wanted population.
    let side = (product / (x_least * y_least) * width(x, fine_x) * width(y, fine_y)).sqrt() / SLENDER;
    let square = (x_least * (side / width(x, fine_x)).max(1.0)).clamp(x_least, product);
    let mut x_target = if narrow { x_least.max(POPULATION) } else { square };
    let mut y_target = (product / x_target).max(y_least);
    let x_cells: &mut [u16] = bytemuck::cast_slice_mut(x_table);
    let y_cells: &mut [u16] = bytemuck::cast_slice_mut(y_table);
    loop {
        let column_count = merge_cells(x_histogram, x_target / one_in, x_cells);
        let row_count = merge_cells(y_histogram, y_target / one_in, y_cells);
        if CellGrid::fits(population, column_count, row_count) {
            return Some(CellGrid {
                population,
                x: AxisMap::Merged { origin: x_linear.0, inverse: x_linear.1, fine: fine_x as u32 },
                y: AxisMap::Merged { origin: y_linear.0, inverse: y_linear.1, fine: fine_y as u32 },
                column_count,
                row_count,
                columns_divide_y: false,
                x_words: fine_x.div_ceil(2),
                y_words: fine_y.div_ceil(2),
                columns_reached: 1,
            });
        }
        // Ends at the latest when one of both axes is a single cell.
        if !narrow || row_count == 1 {
            x_target *= 1.3;
        }
        y_target *= 1.3;
    }
}

/// Columns as narrow as possible, and then as many rows as their population requires: equal rows if
/// those are about equally full.
fn cells_between_borders(
    own: &[BodyRecord],
    y: Extent,
    x_table: &mut [u32],
    y_table: &mut [u32],
    scratch: &mut BandScratch,
) -> CellGrid {
    let population = own.len();
    sort_edges(own, 0, scratch);
    let borders_max = x_table.len().min(CellGrid::column_count_max(population) - 1);
    let x_words = find_borders(&scratch.edges, NARROW, &mut x_table[..borders_max]);
    let column_count = x_words + 1;
    let cells = |y: AxisMap, row_count: usize, y_words: usize| CellGrid {
        population,
        x: AxisMap::Borders,
        y,
        column_count,
        row_count,
        columns_divide_y: false,
        x_words,
        y_words,
        columns_reached: 1,
    };
    let mut y_target = (POPULATION * column_count as f32).max(1.0) as usize;
    if let Some((y, row_count)) = equal_rows(own, y, column_count, population / y_target, &mut scratch.histogram) {
        return cells(y, row_count, 0);
    }
    sort_edges(own, 1, scratch);
    loop {
        let y_words = find_borders(&scratch.edges, y_target, y_table);
        let row_count = y_words + 1;
        if CellGrid::fits(population, column_count, row_count) {
            return cells(AxisMap::Borders, row_count, y_words);
        }
        y_target = y_target * 3 / 2 + 1;
    }
}

/// About `wanted` equal rows, if they are about equally full.
fn equal_rows(
    own: &[BodyRecord],
    y: Extent,
    column_count: usize,
    wanted: usize,
    histogram: &mut Vec<u32>,
) -> Option<(AxisMap, usize)> {
    let mut row_count = wanted.clamp(1, y.cells_max(own.len()));
    while !CellGrid::fits(own.len(), column_count, row_count) {
        row_count = (row_count * 3 / 4).max(1);
    }
    let (origin, inverse) = y.linear(row_count);
    histogram.clear();
    histogram.resize(row_count, 0);
    own.iter().for_each(|record| histogram[linear_cell(record.aabb[1], origin, inverse, row_count)] += 1);
    // AXIS-2 may allow far fewer than wanted.
    let is_even = row_count * 2 > wanted && crowding(histogram) <= UNEVEN_MAX * own.len() as f32 / row_count as f32;
    is_even.then_some((AxisMap::Linear { origin, inverse }, row_count))
}

/// Computes each body's key: its cell and, unless cells are equal ones, how far its box reaches out
/// of it.
fn fill_keys(
    layout: Layout,
    cells: &CellGrid,
    own: &[BodyRecord],
    [x_axis, y_axis]: [CellAxis<'_>; 2],
    scratch: &mut BandScratch,
) {
    let stride = cells.stride();
    let BandScratch { keys, .. } = scratch;
    grow(keys, own.len());
    keys.truncate(own.len());
    if let Some(linear) = cells.linear_cells() {
        return match layout {
            Layout::Equal => linear.cells(own, stride as u32, keys),
            // Fine columns: the reach of each box tells how many tests there will be.
            _ => linear.keys(own, stride as u32, keys),
        };
    }
    if let Some(fine) = cells.fine_cells() {
        let [columns, rows]: [&[u16]; 2] = [x_axis, y_axis].map(|axis| bytemuck::cast_slice(axis.table));
        return fine.merged_keys(own, [columns, rows], stride as u32, keys);
    }
    for (keys, own) in keys.chunks_mut(CELLS_AT_ONCE).zip(own.chunks(CELLS_AT_ONCE)) {
        let lows = |axis: usize| std::array::from_fn(|k| own.get(k).map_or(0.0, |record| record.aabb[axis]));
        let (x, y) = (x_axis.cells(lows(0)), y_axis.cells(lows(1)));
        for (((key, BodyRecord { aabb, .. }), x), y) in keys.iter_mut().zip(own).zip(x).zip(y) {
            let (right, below) = (x_axis.reaches_on(x, aabb[2]), y_axis.reaches_on(y, aabb[3]));
            *key = CellKey::new((y * stride + x + 1) as u32, u32::from(right), u32::from(below)).0;
        }
    }
}

/// The edges on an axis, sorted by the lower edge.
fn sort_edges(own: &[BodyRecord], axis: usize, BandScratch { edges, spare, .. }: &mut BandScratch) {
    edges.clear();
    edges.extend(own.iter().map(|record| edges_key(record.aabb[axis], record.aabb[axis + 2])));
    radix::sort_by_upper_half(edges, spare);
}

/// Mean number of bodies in the cell of a body.
fn crowding(histogram: &[u32]) -> f32 {
    let (mut sum, mut squares) = (0u64, 0u64);
    for &population in histogram {
        sum += u64::from(population);
        squares += u64::from(population) * u64::from(population);
    }
    squares as f32 / sum as f32
}

const _: () = assert!(FINE_MAX <= u16::MAX as usize, "a merged axis stores fine cells as u16");
