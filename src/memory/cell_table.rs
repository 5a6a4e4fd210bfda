//! Which entries a cell holds: a counting sort's table of starts.
//!
//! T1: `starts[c] .. starts[c + 1]` are the entries of cell `c`; starts ascend from 0 to the population.
//! T2: cells stand in rows of `stride`; the first and the last cell of each row are borders that stay empty, and
//! one empty row stands below the last, so that the eight neighbours of any inner cell (but those above the first
//! row, which nobody asks for) can be looked up without a special case.

use std::ops::Range;

/// Words that a table of this many rows takes (T2).
pub(crate) const fn table_words(rows: usize, stride: usize) -> usize {
    (rows + 1) * stride + 1
}

/// A table that [`count_keys`] began and a backward pass over the keys finished, so that T1 and T2 hold.
#[derive(Clone, Copy)]
pub(crate) struct CellStarts<'a> {
    starts: &'a [u32],
    stride: usize,
    rows: usize,
}

impl<'a> CellStarts<'a> {
    /// The entries in the columns `x` of row `y`, borders not counted: one run, since rows are contiguous.
    #[inline]
    pub(crate) fn run(&self, y: usize, x: &Range<usize>) -> Range<usize> {
        // T2: inner cells start behind the border.
        let cell = y * self.stride + 1;
        self.starts[cell + x.start] as usize..self.starts[cell + x.end] as usize
    }

    /// First entry of each cell, row after row.
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

    /// The table of no rows.
    pub(crate) fn none() -> Self {
        Self { starts: &[0; table_words(0, 2)], stride: 2, rows: 0 }
    }

    /// The table in words that were filled before.
    ///
    /// # Panics
    ///
    /// When there are not as many words as T2 says.
    pub(crate) fn filled(words: &'a [u32], stride: usize, rows: usize) -> Self {
        assert_eq!(words.len(), table_words(rows, stride), "a table keeps its size");
        debug_assert!(words.is_sorted() && words.first() == Some(&0));
        Self { starts: words, stride, rows }
    }
}

/// A body's cell, and whether its box reaches into the next column or row: what a scan has to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CellKey(pub(crate) u32);

impl CellKey {
    const RIGHT: u32 = 1 << 30;

    /// `right` and `below` are 1 where the box reaches on, else 0.
    #[inline(always)]
    pub(crate) fn new(cell: u32, right: u32, below: u32) -> Self {
        debug_assert!(cell < Self::RIGHT && right <= 1 && below <= 1);
        Self(cell | right << 30 | below << 31)
    }

    #[inline(always)]
    pub(crate) fn cell(self) -> usize {
        (self.0 & (Self::RIGHT - 1)) as usize
    }

    /// 1 if the box reaches into the next column.
    #[inline(always)]
    pub(crate) fn right(self) -> usize {
        (self.0 >> 30 & 1) as usize
    }

    /// 1 if the box reaches into the next row.
    #[inline(always)]
    pub(crate) fn below(self) -> usize {
        (self.0 >> 31) as usize
    }
}

/// How a population lies over its cells.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct SquaredCounts {
    /// Sum over cells of population squared: divided by the population, how many share a typical body's cell.
    pub(crate) squares: u64,
}

/// Counts the cells of `keys` into `words` and turns the counts into *ends*: afterwards a backward pass that takes
/// `words[cell] -= 1` for each key yields the place of each, stable, and leaves starts (T1).
///
/// # Panics
///
/// When a key is not below the number of cells.
pub(crate) fn count_keys(keys: &[u32], words: &mut [u32]) -> SquaredCounts {
    words.fill(0);
    for &key in keys {
        words[CellKey(key).cell()] += 1;
    }
    let (mut end, mut squares) = (0u32, 0u64);
    for word in words {
        squares += u64::from(*word) * u64::from(*word);
        end += *word;
        *word = end;
    }
    SquaredCounts { squares }
}
