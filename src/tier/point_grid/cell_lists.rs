//! Boxes that stay where they are, listed in every cell of a grid in which a body may begin that
//! overlaps them.
//!
//! A body that is no larger than a limit is then tested against the list of one cell, that of its
//! lower corner, a range of [`ListColumns`]. This takes a body about as long as finding its pairs
//! with other bodies.
//!
//! - LISTS-1: cells are equal, and the map from coordinates to cells is monotone. A box is listed
//!   from the cell of its lower corner less `side` to that of its upper corner. So a body with an
//!   upper corner of at most `side` more than its lower corner, computed as that of the box is,
//!   begins in a cell with all boxes that it overlaps.
//! - LISTS-2: the boxes of a list ascend by row, so the order of a body's pairs does not depend on
//!   the cells.
//!
//! Cost: 20 bytes for each entry of a list, of which a box has up to 5, or 10 if boxes are few; 150
//! to 300 ns for a box to make them.

use crate::geometry::{RawAabb, union};
use crate::input::filter::Filter;
use crate::memory::body_record::BodyRecord;
use crate::memory::buffers::Buffers;
use crate::memory::columns::SoaColumns;
use crate::memory::list_columns::ListColumns;
use crate::tier::fixed_boxes::FixedBoxes;
use crate::tier::point_grid::axis::{Extent, linear_cell};
use std::ops::{Range, RangeInclusive};

/// A box that would be in more lists than this is too large, and at most one in so many may be.
const LISTS_MAX: usize = 64;
const LARGE_ONE_IN: usize = 16;

/// Most entries of all lists, which fit into a cache with this many; but no fewer for each box than
/// the first of these numbers, and no more than the second. Cells grow until there are so few.
const ENTRIES: usize = 400_000;
const ENTRIES_PER_BOX: [usize; 2] = [5, 10];

/// Most cells for a box, in the mean, and cells that there may be anyway.
const CELLS_PER_BOX: usize = 4;
const CELLS_FREE: usize = 4096;

/// Most boxes in a list, in the mean over all cells. If there are more, bodies are too large.
const LENGTH_MAX: usize = 64;

/// Most columns and rows: [`linear_cell`] takes no more.
const COLUMNS_MAX: usize = 1 << 22;

/// By how much cells grow at a time, and how often they may.
const GROWTH: f32 = std::f32::consts::SQRT_2;
const GROWTHS: usize = 12;

/// Boxes in the sample that decides how large cells are.
const SAMPLE_LEN: usize = 4096;

/// Lists of boxes by cell.
pub(crate) struct CellLists {
    cells: Cells,
    /// By cell: where its list begins.
    starts: Vec<u32>,
    boxes: ListColumns,
}

/// Equal cells.
#[derive(Clone, Copy, Debug)]
struct Cells {
    /// The longest side of a body.
    side: f32,
    origin: [f32; 2],
    inverse: [f32; 2],
    columns: usize,
    rows: usize,
}

impl Cells {
    /// Cells that are about `width` wide and high for boxes within `bounds`.
    fn new(side: f32, bounds: &RawAabb, width: f32) -> Self {
        let [x, y] = [0, 1].map(|axis| Extent { min: bounds[axis] - side, max: bounds[axis + 2], side: 0.0 });
        let count = |extent: Extent| (((extent.max - extent.min) / width) as usize).min(COLUMNS_MAX - 1) + 1;
        let (columns, rows) = (count(x), count(y));
        let ((x, x_inverse), (y, y_inverse)) = (x.linear(columns), y.linear(rows));
        Self { side, origin: [x, y], inverse: [x_inverse, y_inverse], columns, rows }
    }

    fn count(&self) -> usize {
        self.columns.saturating_mul(self.rows)
    }

    /// The cell in which a point is.
    #[inline(always)]
    fn cell(&self, [x, y]: [f32; 2]) -> [usize; 2] {
        let column = linear_cell(x, self.origin[0], self.inverse[0], self.columns);
        [column, linear_cell(y, self.origin[1], self.inverse[1], self.rows)]
    }

    /// The columns and rows of the lists of a box (LISTS-1).
    fn lists(&self, &[min_x, min_y, max_x, max_y]: &RawAabb) -> [RangeInclusive<usize>; 2] {
        let [left, top] = self.cell([min_x - self.side, min_y - self.side]);
        let [right, bottom] = self.cell([max_x, max_y]);
        [left..=right, top..=bottom]
    }

    /// The indices of the lists of a box, row by row.
    fn indices(&self, aabb: &RawAabb) -> impl Iterator<Item = usize> + use<> {
        let ([x, y], columns) = (self.lists(aabb), self.columns);
        y.flat_map(move |y| x.clone().map(move |x| y * columns + x))
    }

    fn list_count(&self, aabb: &RawAabb) -> usize {
        let [x, y] = self.lists(aabb);
        (x.end() - x.start() + 1) * (y.end() - y.start() + 1)
    }

    /// The smallest cells with which lists are short enough, judged by a sample of the boxes.
    fn fitting(side: f32, bounds: &RawAabb, records: &[BodyRecord]) -> Option<Self> {
        let [entries_min, entries_max] = ENTRIES_PER_BOX.map(|count| count * records.len());
        let entries_max = ENTRIES.clamp(entries_min, entries_max);
        let cells_max = CELLS_PER_BOX * records.len() + CELLS_FREE;
        // In f64: the area of a very small or large world may underflow or overflow an f32.
        let bounds_wide = bounds.map(f64::from);
        let [width, height] = [0, 1].map(|axis| bounds_wide[axis + 2] - bounds_wide[axis] + f64::from(side));
        let mut width = side.max((width * height / cells_max as f64).sqrt() as f32);
        let step = records.len().div_ceil(SAMPLE_LEN).max(1);
        for _ in 0..GROWTHS {
            let cells = Self::new(side, bounds, width);
            width *= GROWTH;
            if cells.count() > cells_max {
                continue;
            }
            let counts = records.iter().step_by(step).map(|record| cells.list_count(&record.aabb));
            let listed = counts.filter(|&count| count <= LISTS_MAX);
            let (boxes, entries) = listed.fold((0, 0), |(boxes, sum), count| (boxes + step, sum + step * count));
            let are_listed = boxes + records.len() / LARGE_ONE_IN >= records.len();
            if are_listed && entries <= entries_max {
                return (entries <= LENGTH_MAX * cells.count()).then_some(cells);
            }
        }
        None
    }
}

impl CellLists {
    /// Lists boxes, whose edges must be finite and whose rows ascend, for bodies whose sides are at
    /// most `side`. Also returns those that are too large, which are in no list.
    ///
    /// `None` if no size of cells suits them.
    pub(crate) fn build(records: &[BodyRecord], side: f32) -> Option<(Self, Vec<BodyRecord>)> {
        debug_assert!(records.is_sorted_by_key(|record| record.row));
        let bounds = records.iter().map(|record| record.aabb).reduce(|a, b| union(&a, &b))?;
        let cells = Cells::fitting(side, &bounds, records)?;
        let is_large = |record: &&BodyRecord| cells.list_count(&record.aabb) > LISTS_MAX;
        let large: Vec<_> = records.iter().filter(is_large).copied().collect();
        if large.len() > records.len() / LARGE_ONE_IN {
            return None;
        }
        let listed = || (0u32..).zip(records).filter(|(_, record)| !is_large(record));
        // Each list begins where those before it end; a place further, while it is filled.
        let mut starts = vec![0u32; cells.count() + 2];
        listed().flat_map(|(_, record)| cells.indices(&record.aabb)).for_each(|list| starts[list + 2] += 1);
        let mut len = 0u32;
        for start in &mut starts {
            len = len.checked_add(*start)?;
            *start = len;
        }
        let len = len as usize;
        // Numbers first: they take a fifth of the memory, at random places.
        let mut numbers = vec![0u32; len];
        for (number, record) in listed() {
            for list in cells.indices(&record.aabb) {
                let place = &mut starts[list + 1];
                numbers[*place as usize] = number;
                *place += 1;
            }
        }
        starts.pop();
        let mut boxes = ListColumns::new(len);
        for list in ranges(&starts) {
            for (at, &number) in numbers[list.clone()].iter().enumerate() {
                boxes.set(&list, at, &records[number as usize]);
            }
        }
        Some((Self { cells, starts, boxes }, large))
    }

    /// The boxes of all lists.
    pub(crate) fn boxes(&self) -> &ListColumns {
        &self.boxes
    }

    /// Whether lists for bodies with sides up to `side` are for each of these.
    pub(crate) fn suit(side: f32, boxes: &SoaColumns<'_>) -> bool {
        let len = boxes.len();
        // LISTS-1; no box has NaN.
        let fit = |lows: &[f32], highs: &[f32]| {
            lows[..len].iter().zip(&highs[..len]).fold(true, |all, (low, high)| all & (high - side <= *low))
        };
        fit(boxes.min_x(), boxes.max_x()) && fit(boxes.min_y(), boxes.max_y())
    }

    /// Writes the start and the end of the list for each of the boxes from `first` on. With
    /// `are_exchanged`, their x and y are.
    #[inline(always)]
    pub(crate) fn find(&self, boxes: &SoaColumns<'_>, first: usize, are_exchanged: bool, ranges: &mut [[u32; 2]]) {
        let [x, y] = if are_exchanged { [boxes.min_y(), boxes.min_x()] } else { [boxes.min_x(), boxes.min_y()] };
        for ((range, &x), &y) in ranges.iter_mut().zip(&x[first..]).zip(&y[first..]) {
            let [column, row] = self.cells.cell([x, y]);
            let list = row * self.cells.columns + column;
            *range = [self.starts[list], self.starts[list + 1]];
        }
    }

    /// The rows of each list.
    #[cfg(test)]
    pub(crate) fn all_rows(&self) -> Vec<Vec<u32>> {
        ranges(&self.starts).map(|list| self.boxes.rows(&list).to_vec()).collect()
    }

    fn list(&self, list: usize) -> Range<usize> {
        self.starts[list] as usize..self.starts[list + 1] as usize
    }
}

/// The entries of each list.
fn ranges(starts: &[u32]) -> impl Iterator<Item = Range<usize>> {
    starts.windows(2).map(|ends| ends[0] as usize..ends[1] as usize)
}

impl FixedBoxes for CellLists {
    fn set_filters(&mut self, filter_of: impl Fn(u32) -> Filter) {
        self.boxes.set_filters(ranges(&self.starts), filter_of);
    }

    fn set_box(&mut self, row: u32, listed: &RawAabb, aabb: &RawAabb) {
        if self.cells.list_count(listed) > LISTS_MAX {
            return;
        }
        for list in self.cells.indices(listed) {
            let list = self.list(list);
            // Rows ascend (LISTS-2).
            if let Ok(at) = self.boxes.rows(&list).binary_search(&row) {
                self.boxes.set_box(&list, at, aabb);
            }
        }
    }

    fn bytes(&self) -> usize {
        self.starts.bytes() + self.boxes.bytes()
    }
}
