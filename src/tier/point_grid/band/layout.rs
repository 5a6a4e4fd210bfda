//! How the cells of a band are laid: equal ones where bodies lie evenly, else ones that follow the bodies.
//!
//! Whatever is chosen keeps A1 and A2, so what is found does not depend on it; each layout is within P4.

use crate::memory::buffers::{grow, part_start};
use crate::memory::cell_table::{CellKey, count_keys, table_words};
use crate::memory::record::BodyRecord;
use crate::tier::point_grid::axis::{Axis, AxisMap, Extent, FINE_MAX, edges_key, find_borders, linear_cell, merge};
use crate::tier::point_grid::band::build::{Band, BandScratch, starts_max, x_table_max};
use crate::tier::point_grid::band::keys::{FineCells, cells_of};

/// Bodies a cell: with fewer, tables grow and more boxes reach out of their cell; with more, a run no longer fits one
/// vector, and how often it does not is hard to predict.
const POPULATION: f32 = 2.1;

/// Cells are this many times as high as square ones, and as many times less wide: then the run below a cell, which is as
/// long as three cells are wide, fits a vector more often, and fewer boxes have one.
const SLENDER: f32 = 1.6;

/// A layout is taken when a typical body shares its cell with at most this many times as many as even bodies would.
pub(super) const UNEVEN_MAX: f32 = 2.5;

/// A merged layout is taken when a typical body shares its cell with at most this many.
pub(super) const CROWDED_MAX: f32 = 20.0;

/// Merged layouts that promise to be this many times as crowded as they may be are not tried.
const HOPELESS: f32 = 3.0;

/// Bodies in the narrowest column: a table of one row of such columns is within P4.
const NARROW: usize = 3;

/// Bodies that are looked at before equal cells are tried, and into how many parts either axis is divided for that.
const LOOKED_AT: usize = 128;
const PARTS: usize = 16;

/// Equal cells are not tried when bodies that were looked at share parts this many times as often as even bodies would:
/// well above what [`UNEVEN_MAX`] comes to, so that chance does not decide where they would do.
const CLEARLY_UNEVEN: f32 = 6.0;

/// How cells are laid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// Equal cells.
    Linear,
    /// Joined cells, about as wide as high where bodies are.
    Merged,
    /// Joined cells, as narrow as may be: for bodies along a line or in small clusters.
    Narrow,
    /// Columns by comparison; rows too, where equal ones will not do.
    Borders,
}

/// Whether equal cells are worth a try, by a look at a few bodies.
pub(super) fn may_be_even(own: &[BodyRecord], [x, y]: [Extent; 2]) -> bool {
    if own.len() < 16 * LOOKED_AT {
        return true;
    }
    let ((x, x_inverse), (y, y_inverse)) = (x.linear(PARTS), y.linear(PARTS));
    let mut parts = [0u32; PARTS * PARTS];
    for k in 0..LOOKED_AT {
        let aabb = &own[part_start(k, own.len(), LOOKED_AT)].aabb;
        let column = linear_cell(aabb[0], x, x_inverse, PARTS);
        parts[linear_cell(aabb[1], y, y_inverse, PARTS) * PARTS + column] += 1;
    }
    let shared: u32 = parts.iter().map(|&count| count * count - count).sum();
    let if_even = (LOOKED_AT * (LOOKED_AT - 1)) as f32 / parts.len() as f32;
    shared as f32 <= CLEARLY_UNEVEN * if_even
}

impl Band {
    /// Chooses the axes, computes each body's cell and counts. Returns how many share a typical body's cell.
    pub(super) fn lay(
        &mut self,
        layout: Layout,
        own: &[BodyRecord],
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
                if !self.lay_merged(layout, own, extents, x_table, y_table, scratch) {
                    return f32::INFINITY;
                }
            }
            Layout::Borders => self.lay_borders(own, extents[1], x_table, y_table, scratch),
        }
        let tables = (&x_table[..self.x_words], &y_table[..self.y_words]);
        self.fill_keys(own, tables, scratch);
        let stride = self.columns + 2;
        let spread = count_keys(&scratch.keys, &mut starts[..table_words(self.rows, stride)]);
        spread.squares as f32 / own.len() as f32
    }

    /// The cell of each body, and whether it reaches out of it.
    fn fill_keys(&self, own: &[BodyRecord], (x_table, y_table): (&[u32], &[u32]), scratch: &mut BandScratch) {
        let stride = self.columns + 2;
        let BandScratch { keys, wide, .. } = scratch;
        grow(keys, own.len());
        keys.truncate(own.len());
        match (self.x, self.y) {
            (AxisMap::Linear { origin: x, inverse: ix }, AxisMap::Linear { origin: y, inverse: iy }) => {
                FineCells::new([x, y], [ix, iy], [self.columns, self.rows]).keys(own, stride as u32, keys);
            }
            (AxisMap::Merged { .. }, AxisMap::Merged { .. }) => {
                let (columns, rows): (&[u16], &[u16]) = (bytemuck::cast_slice(x_table), bytemuck::cast_slice(y_table));
                for (key, &fine) in keys.iter_mut().zip(&*wide) {
                    let [x, y, right, below] = cells_of(fine);
                    let [x, y, right, below] = [columns[x], rows[y], columns[right], rows[below]].map(u32::from);
                    *key = CellKey::new(y * stride as u32 + x + 1, right - x, below - y).0;
                }
            }
            _ => {
                let x_axis = Axis { map: self.x, count: self.columns, table: x_table };
                let y_axis = Axis { map: self.y, count: self.rows, table: y_table };
                for (key, BodyRecord { aabb, .. }) in keys.iter_mut().zip(own) {
                    let (x, y) = (x_axis.cell(aabb[0]), y_axis.cell(aabb[1]));
                    let (right, below) = (x_axis.reaches_on(x, aabb[2]), y_axis.reaches_on(y, aabb[3]));
                    *key = CellKey::new((y * stride + x + 1) as u32, u32::from(right), u32::from(below)).0;
                }
            }
        }
    }

    /// Whether a table for that many cells is within P4.
    pub(super) fn fits(population: usize, columns: usize, rows: usize) -> bool {
        table_words(rows, columns + 2) <= starts_max(population)
    }

    fn lay_linear(&mut self, population: usize, [x, y]: [Extent; 2], cell_size: Option<f32>) {
        let (x_max, y_max) = (x.cells_max(population), y.cells_max(population));
        let (x_spread, y_spread) = (f64::from(x.max - x.min), f64::from(y.max - y.min));
        let cells = (population as f64 / f64::from(POPULATION)).max(1.0);
        let side = cell_size.map_or_else(|| (x_spread * y_spread / cells).sqrt(), f64::from);
        // Rows first, then as many columns as there are cells left, then rows again where columns were limited by the
        // size of boxes: beams get cells as long as they are, and thin.
        let mut rows = ((y_spread / (side * f64::from(SLENDER))) as usize).clamp(1, y_max);
        let mut columns = ((cells / rows as f64) as usize).clamp(1, x_max);
        if cell_size.is_some() {
            rows = ((y_spread / side) as usize).clamp(1, y_max);
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
        own: &[BodyRecord],
        [x, y]: [Extent; 2],
        x_table: &mut [u32],
        y_table: &mut [u32],
        BandScratch { histogram, wide, .. }: &mut BandScratch,
    ) -> bool {
        let population = own.len();
        let fine_x = x.cells_max(x_table.len() * 2);
        let fine_y = y.cells_max(y_table.len() * 2);
        let (x_linear, y_linear) = (x.linear(fine_x), y.linear(fine_y));
        histogram.clear();
        histogram.resize(fine_x + fine_y, 0);
        let (x_histogram, y_histogram) = histogram.split_at_mut(fine_x);
        grow(wide, population);
        let fine = FineCells::new([x_linear.0, y_linear.0], [x_linear.1, y_linear.1], [fine_x, fine_y]);
        fine.count(own, &mut wide[..population], x_histogram, y_histogram);
        // How many a typical body shares its fine column, or row, with: less cannot be asked for.
        let (x_least, y_least) = (typical(x_histogram), typical(y_histogram));
        // So many then share a cell if columns and rows have nothing to do with each other.
        if x_least * y_least > HOPELESS * CROWDED_MAX * population as f32 {
            return false;
        }
        let product = POPULATION * population as f32;
        let width = |extent: Extent, fine: usize| ((extent.max - extent.min) / fine as f32).max(f32::MIN_POSITIVE);
        // Columns p wide hold x_least * p / width; p such that a cell holds what it should.
        let side = (product / (x_least * y_least) * width(x, fine_x) * width(y, fine_y)).sqrt() / SLENDER;
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

    /// Columns as narrow as may be, then rows for what is left to do: equal ones if they will do.
    fn lay_borders(
        &mut self,
        own: &[BodyRecord],
        y: Extent,
        x_table: &mut [u32],
        y_table: &mut [u32],
        scratch: &mut BandScratch,
    ) {
        let population = own.len();
        sort_edges(own, 0, &mut scratch.wide);
        self.x_words = find_borders(&scratch.wide, NARROW, x_table);
        (self.x, self.columns) = (AxisMap::Borders, self.x_words + 1);
        let mut y_target = (POPULATION * self.columns as f32).max(1.0) as usize;
        if self.lay_equal_rows(own, y, population / y_target, &mut scratch.histogram) {
            return;
        }
        sort_edges(own, 1, &mut scratch.wide);
        loop {
            self.y_words = find_borders(&scratch.wide, y_target, y_table);
            self.rows = self.y_words + 1;
            if Self::fits(population, self.columns, self.rows) {
                break;
            }
            y_target = y_target * 3 / 2 + 1;
        }
        self.y = AxisMap::Borders;
    }

    /// Lays about so many equal rows; whether they are about equally full.
    fn lay_equal_rows(&mut self, own: &[BodyRecord], y: Extent, rows: usize, histogram: &mut Vec<u32>) -> bool {
        self.rows = rows.clamp(1, y.cells_max(own.len()));
        while !Self::fits(own.len(), self.columns, self.rows) {
            self.rows = (self.rows * 3 / 4).max(1);
        }
        let (origin, inverse) = y.linear(self.rows);
        self.y = AxisMap::Linear { origin, inverse };
        histogram.clear();
        histogram.resize(self.rows, 0);
        own.iter().for_each(|record| histogram[linear_cell(record.aabb[1], origin, inverse, self.rows)] += 1);
        // As many as there should be, where A2 allows.
        self.rows * 2 > rows && typical(histogram) <= UNEVEN_MAX * own.len() as f32 / self.rows as f32
    }
}

/// The edges on an axis, by the lower.
fn sort_edges(own: &[BodyRecord], axis: usize, edges: &mut Vec<u64>) {
    edges.clear();
    edges.extend(own.iter().map(|record| edges_key(record.aabb[axis], record.aabb[axis + 2])));
    edges.sort_unstable();
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
