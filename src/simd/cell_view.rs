//! Entries in cell order, with the table of their cells.

use crate::memory::cell_table::CellStarts;
use crate::memory::columns::SoaColumns;
use std::ops::Range;

/// Entries in cell order with the table of their cells.
#[derive(Clone, Copy)]
pub(crate) struct CellView<'a> {
    columns: SoaColumns<'a>,
    starts: CellStarts<'a>,
    columns_reached: usize,
}

/// A rectangle of cells: ranges of cell columns and of cell rows, borders not counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CellRect {
    pub(crate) x: Range<usize>,
    pub(crate) y: Range<usize>,
}

impl<'a> CellView<'a> {
    /// # Panics
    ///
    /// If the population of the table is not that of the columns.
    pub(crate) fn new(columns: SoaColumns<'a>, starts: CellStarts<'a>) -> Self {
        assert_eq!(columns.len(), starts.population(), "the table belongs to these columns");
        Self { columns, starts, columns_reached: 1 }
    }

    /// The same with entries that reach up to so many columns beyond their own, instead of one.
    pub(crate) fn with_columns_reached(self, columns_reached: usize) -> Self {
        Self { columns_reached, ..self }
    }

    /// See [`SoaColumns::with_filters`].
    pub(crate) fn with_filters(self, words: &'a [u32]) -> Self {
        Self { columns: self.columns.with_filters(words), ..self }
    }

    /// See [`SoaColumns::with_circles`].
    pub(crate) fn with_circles(self, circles: bool) -> Self {
        Self { columns: self.columns.with_circles(circles), ..self }
    }

    pub(crate) fn columns(&self) -> &SoaColumns<'a> {
        &self.columns
    }

    pub(super) fn starts(&self) -> &CellStarts<'a> {
        &self.starts
    }

    /// How many columns beyond its own an entry reaches, at most.
    pub(super) fn columns_reached(&self) -> usize {
        self.columns_reached
    }

    /// The entries of row `y` in the cell columns `x`.
    #[inline]
    pub(crate) fn run(&self, y: usize, x: &Range<usize>) -> Range<usize> {
        self.starts.run(y, x)
    }

    /// Number of entries in the part of `rect` that lies in this grid.
    pub(crate) fn count(&self, rect: &CellRect) -> usize {
        let CellRect { x, y } = self.clip(rect);
        y.map(|y| self.run(y, &x).len()).sum()
    }

    /// The part of `rect` that lies in this grid.
    pub(crate) fn clip(&self, rect: &CellRect) -> CellRect {
        let (columns, rows) = (self.starts.stride() - 2, self.starts.rows());
        let clip = |r: &Range<usize>, end: usize| r.start.min(end)..r.end.min(end);
        CellRect { x: clip(&rect.x, columns), y: clip(&rect.y, rows) }
    }
}
