//! Table of where each cell's entries begin, as a counting sort makes it.
//!
//! - CELLS-1: `starts[c]..starts[c + 1]` are the entries of cell `c`. `starts` ascends from 0 to
//!   the population.
//! - CELLS-2: cells are numbered row by row, `stride` cells in a row. The first and the last cell
//!   of each row are borders that stay empty, and an empty row follows the last one. So the
//!   neighbors of an inner cell to the sides and below can be looked up without a special case;
//!   those above are never looked up.

use crate::prefetch::prefetch;
use std::ops::Range;

/// Words of a table of this many rows (CELLS-2).
pub(crate) const fn table_words(rows: usize, stride: usize) -> usize {
    (rows + 1) * stride + 1
}

/// A complete table.
#[derive(Clone, Copy)]
pub(crate) struct CellStarts<'a> {
    starts: &'a [u32],
    stride: usize,
    rows: usize,
}

impl<'a> CellStarts<'a> {
    /// The entries of row `y` in the columns `x`, borders not counted: contiguous, as rows are.
    #[inline]
    pub(crate) fn run(&self, y: usize, x: &Range<usize>) -> Range<usize> {
        // The inner cells follow the border (CELLS-2).
        let cell = y * self.stride + 1;
        self.starts[cell + x.start] as usize..self.starts[cell + x.end] as usize
    }

    /// Loads what [`run`](Self::run) reads for the rows `y`.
    #[inline(always)]
    pub(crate) fn prefetch_runs(&self, y: Range<usize>, x_start: usize) {
        for y in y {
            let cell = y * self.stride + 1 + x_start;
            prefetch(&self.starts[cell..=cell]);
        }
    }

    /// The first entry of each cell, row by row.
    pub(crate) fn as_slice(&self) -> &'a [u32] {
        self.starts
    }

    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) fn population(&self) -> usize {
        self.starts.last().map_or(0, |&end| end as usize)
    }

    /// A table without rows.
    pub(crate) fn none() -> Self {
        Self { starts: &[0; table_words(0, 2)], stride: 2, rows: 0 }
    }

    /// A table over words that are filled already.
    ///
    /// # Panics
    ///
    /// If `words` has not the length of such a table (CELLS-2).
    pub(crate) fn filled(words: &'a [u32], stride: usize, rows: usize) -> Self {
        assert_eq!(words.len(), table_words(rows, stride), "a table keeps its size");
        debug_assert!(words.is_sorted() && words.first() == Some(&0));
        Self { starts: words, stride, rows }
    }
}

/// A body's cell, and how far its box reaches beyond it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CellKey(pub(crate) u32);

impl CellKey {
    const CELL_BITS: u32 = 23;
    /// More than the index of any cell. At most 2^23, so that indices can be computed in f32.
    pub(crate) const CELLS_MAX: usize = 1 << Self::CELL_BITS;
    /// The most columns that a box may reach beyond its own.
    pub(crate) const RIGHT_MAX: usize = 127;

    /// The box reaches `right` columns beyond that of its cell. `below` is 1 if it reaches into the
    /// next row, else 0.
    #[inline(always)]
    pub(crate) fn new(cell: u32, right: u32, below: u32) -> Self {
        debug_assert!((cell as usize) < Self::CELLS_MAX && right as usize <= Self::RIGHT_MAX && below <= 1);
        Self(cell | right << Self::CELL_BITS | below << 31)
    }

    #[inline(always)]
    pub(crate) fn cell(self) -> usize {
        self.0 as usize & (Self::CELLS_MAX - 1)
    }

    /// Columns that the box reaches beyond that of its cell.
    #[inline(always)]
    pub(crate) fn right(self) -> usize {
        (self.0 >> Self::CELL_BITS) as usize & Self::RIGHT_MAX
    }

    /// 1 if the box reaches into the next row.
    #[inline(always)]
    pub(crate) fn below(self) -> usize {
        (self.0 >> 31) as usize
    }
}
