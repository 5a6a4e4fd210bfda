//! The cells of one band: maps a place to the bodies filed there.
//!
//! - BAND-1: a body is filed once, under the cell that contains the lower corner of its box.
//! - BAND-2: the upper corner is at most one row further (AXIS-2), and at most
//!   `columns_reached` columns. That is one, unless columns are finer than bodies. So the partners
//!   of a body are at most so far away.
//! - BAND-3: whatever the distribution, the tables of a band take at most [`words_max`] words.
//!   They are laid out in a [`TableRoom`], and then [packed](CellGrid::pack).

use crate::geometry::band_box::BandBox;
use crate::memory::cell_table::{CellKey, CellStarts, table_words};
use crate::simd::CellRect;
use crate::tier::point_grid::axis::{AxisMap, CellAxis, Extent};
use crate::tier::point_grid::band::keys::LinearCells;
use glam::Vec4;

/// Words for the table of where each cell starts.
const fn starts_max(population: usize) -> usize {
    population * 3 / 4 + 256
}

/// Words for the table of the x axis.
const fn x_table_max(population: usize) -> usize {
    population / 2 + 64
}

/// Words for the table of the y axis.
const fn y_table_max(population: usize) -> usize {
    population / 4 + 64
}

/// Words with room for all tables of a band, however its cells are laid out (BAND-3).
pub(super) const fn words_max(population: usize) -> usize {
    starts_max(population) + x_table_max(population) + y_table_max(population)
}

/// The tables of a band while its cells are laid out, with room for the largest of each (BAND-3).
pub(super) struct TableRoom<'a> {
    pub(super) starts: &'a mut [u32],
    pub(super) x: &'a mut [u32],
    pub(super) y: &'a mut [u32],
}

impl<'a> TableRoom<'a> {
    /// In [`words_max`] words.
    pub(super) fn of(words: &'a mut [u32], population: usize) -> Self {
        let (starts, of_axes) = words.split_at_mut(starts_max(population));
        let (x, y) = of_axes.split_at_mut(x_table_max(population));
        Self { starts, x, y }
    }
}

/// A way to lay out the cells of a band.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// Equal cells.
    Equal,
    /// Equal columns that may be finer than bodies, in equal rows. They divide x (0) or y (1).
    FineColumns { axis: usize, rows_max: usize },
    /// Fine cells merged into cells about as wide as high where bodies are.
    Merged,
    /// Fine cells merged into cells as narrow as possible, for bodies along a line or in clusters.
    Narrow,
    /// Columns between sorted borders, and rows too if equal rows do not fit.
    Borders,
}

/// The columns and rows of cells of a band, apart from their tables.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CellGrid {
    pub(super) population: usize,
    pub(super) x: AxisMap,
    pub(super) y: AxisMap,
    pub(super) column_count: usize,
    pub(super) row_count: usize,
    /// Whether columns divide the y axis of the band, and rows x. Only fine columns do.
    pub(super) columns_divide_y: bool,
    /// Words that the tables of both axes use.
    pub(super) x_words: usize,
    pub(super) y_words: usize,
    /// Columns that a box may reach beyond its own (BAND-2).
    pub(super) columns_reached: usize,
}

impl CellGrid {
    /// Equal cells. A box may reach into the next column.
    pub(super) fn equal(population: usize, extents: [Extent; 2], [column_count, row_count]: [usize; 2]) -> Self {
        let linear = |extent: Extent, count| {
            let (origin, inverse) = extent.linear(count);
            AxisMap::Linear { origin, inverse }
        };
        let [x, y] = extents;
        let (x, y) = (linear(x, column_count), linear(y, row_count));
        Self {
            population,
            x,
            y,
            column_count,
            row_count,
            columns_divide_y: false,
            x_words: 0,
            y_words: 0,
            columns_reached: 1,
        }
    }

    /// Equal columns, which divide an axis and may be finer than boxes, in equal rows.
    pub(super) fn fine_columns(
        population: usize,
        extents: [Extent; 2],
        axis: usize,
        [column_count, row_count]: [usize; 2],
    ) -> Self {
        let counts = if axis == 0 { [column_count, row_count] } else { [row_count, column_count] };
        Self { column_count, row_count, columns_divide_y: axis == 1, ..Self::equal(population, extents, counts) }
    }

    /// How many cells there are along x, and along y.
    pub(super) fn counts(&self) -> [usize; 2] {
        if self.columns_divide_y { [self.row_count, self.column_count] } else { [self.column_count, self.row_count] }
    }

    /// Whether the table of where cells start has room for this many cells (BAND-3), and a key has
    /// bits for them.
    pub(super) fn fits(population: usize, column_count: usize, row_count: usize) -> bool {
        table_words(row_count, column_count + 2) <= starts_max(population).min(CellKey::CELLS_MAX)
    }

    /// The most columns with which a single row [fits](Self::fits).
    pub(super) fn column_count_max(population: usize) -> usize {
        (starts_max(population).min(CellKey::CELLS_MAX) - 1) / 2 - 2
    }

    /// Cells in a row of the table of starts, which has an empty cell at both ends.
    pub(super) fn stride(&self) -> usize {
        self.column_count + 2
    }

    /// The entries of each cell.
    pub(super) fn starts<'a>(&self, tables: &'a [u32]) -> CellStarts<'a> {
        CellStarts::filled(&tables[..self.starts_words()], self.stride(), self.row_count)
    }

    fn starts_words(&self) -> usize {
        table_words(self.row_count, self.stride())
    }

    /// Both axes. `tables` are exactly those that [`pack`](Self::pack) left, or empty if the band
    /// is not built.
    pub(super) fn axes<'a>(&self, tables: &'a [u32]) -> [CellAxis<'a>; 2] {
        debug_assert!(tables.is_empty() || tables.len() == self.tables_len());
        let (_, of_axes) = tables.split_at(tables.len() - self.x_words - self.y_words);
        let (x_table, y_table) = of_axes.split_at(self.x_words);
        self.axes_with(x_table, y_table)
    }

    /// Both axes, with tables that begin with theirs.
    pub(super) fn axes_with<'a>(&self, x_table: &'a [u32], y_table: &'a [u32]) -> [CellAxis<'a>; 2] {
        let [x_count, y_count] = self.counts();
        [
            CellAxis { map: self.x, count: x_count, table: &x_table[..self.x_words] },
            CellAxis { map: self.y, count: y_count, table: &y_table[..self.y_words] },
        ]
    }

    /// Words of the tables, once they are [packed](Self::pack).
    pub(super) fn tables_len(&self) -> usize {
        self.starts_words() + self.x_words + self.y_words
    }

    /// Moves the tables of a [`TableRoom`] together: the one of where cells start, that of the x
    /// axis, and that of the y axis.
    pub(super) fn pack(&self, tables: &mut [u32]) {
        let (x_start, y_start) = (self.starts_words(), self.starts_words() + self.x_words);
        let x_room = starts_max(self.population);
        let y_room = x_room + x_table_max(self.population);
        tables.copy_within(x_room..x_room + self.x_words, x_start);
        tables.copy_within(y_room..y_room + self.y_words, y_start);
    }

    /// The cells of both axes, if these are linear.
    pub(super) fn linear_cells(&self) -> Option<LinearCells> {
        match (self.x, self.y) {
            (AxisMap::Linear { origin: x, inverse: ix }, AxisMap::Linear { origin: y, inverse: iy }) => {
                Some(LinearCells::new([x, y], [ix, iy], self.counts()).columns_dividing_y_if(self.columns_divide_y))
            }
            _ => None,
        }
    }

    /// The fine cells of both axes, if those are merged.
    pub(super) fn fine_cells(&self) -> Option<LinearCells> {
        match (self.x, self.y) {
            (
                AxisMap::Merged { origin: x, inverse: ix, fine: x_fine },
                AxisMap::Merged { origin: y, inverse: iy, fine: y_fine },
            ) => Some(LinearCells::new([x, y], [ix, iy], [x_fine as usize, y_fine as usize])),
            _ => None,
        }
    }

    /// Checks BAND-3, table by table.
    #[cfg(test)]
    pub(super) fn assert_fits(&self, label: &str) {
        let population = self.population;
        assert!(
            Self::fits(population, self.column_count, self.row_count),
            "{label}: {} by {}",
            self.column_count,
            self.row_count
        );
        assert!(self.x_words <= x_table_max(population), "{label}: {} words for x", self.x_words);
        assert!(self.y_words <= y_table_max(population), "{label}: {} words for y", self.y_words);
        assert!(self.column_count > 0 && self.row_count > 0, "{label}");
    }

    pub(super) fn lookup<'a>(&self, tables: &'a [u32], reach: Reach) -> CellLookup<'a> {
        let (linear, axes) = (self.linear_cells(), self.axes(tables));
        CellLookup { linear, axes, columns_reached: self.columns_reached, reach }
    }
}

/// Finds the cells of boxes in a band.
pub(crate) struct CellLookup<'a> {
    linear: Option<LinearCells>,
    axes: [CellAxis<'a>; 2],
    /// Columns that a box may reach beyond its own (BAND-2).
    pub(in crate::tier::point_grid) columns_reached: usize,
    reach: Reach,
}

/// How far before a box a body that overlaps it may begin: at least the longest sides.
///
/// The factor covers the rounding of sides, product and sum; what is added covers numbers that a
/// host flushes to zero. The subtraction needs nothing more. Rounding is monotone: a difference at
/// or below the lower edge of a body is so after rounding too. A side may be infinite: infinity
/// minus infinity is NaN, which is in the first cell (`wholes_within`), so the search is only
/// wider.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reach(Vec4);

impl Reach {
    pub(super) fn new(sides: [f32; 2]) -> Self {
        let [x, y] = sides.map(|side| side * (1.0 + 2.0 * f32::EPSILON) + 4.0 * f32::MIN_POSITIVE);
        Self(Vec4::new(x, y, 0.0, 0.0))
    }

    pub(super) fn max(self, other: Self) -> Self {
        Self(self.0.max(other.0))
    }
}

impl CellLookup<'_> {
    /// The column or row of each edge of a box: its first column and row, and its last ones.
    #[inline(always)]
    pub(crate) fn of_edges(&self, aabb: &BandBox) -> [usize; 4] {
        match &self.linear {
            Some(cells) => cells.of(aabb.edges()),
            None => {
                let ([x, y], [min_x, min_y, max_x, max_y]) = (self.axes, *aabb.edges());
                [x.cell(min_x), y.cell(min_y), x.cell(max_x), y.cell(max_y)]
            }
        }
    }

    /// The cells in which all bodies that overlap `aabb` are filed (BAND-1, and [`Reach`] or
    /// BAND-2).
    #[inline(always)]
    pub(crate) fn rect(&self, aabb: &BandBox) -> CellRect {
        // Bodies begin at most the reach before the box, often in the same cell.
        if let Some(cells) = &self.linear {
            let Reach(reach) = self.reach;
            let [left, top, right, bottom] = cells.of(&(Vec4::from_array(*aabb.edges()) - reach).to_array());
            return CellRect { x: left..right + 1, y: top..bottom + 1 };
        }
        let [left, top, right, bottom] = self.of_edges(aabb);
        CellRect { x: left.saturating_sub(self.columns_reached)..right + 1, y: top.saturating_sub(1)..bottom + 1 }
    }
}
