//! A loose/tight double grid: an element is in one loose cell, and tight cells list loose cells.
//!
//! An element is in the loose cell that contains its center, or in the nearest one of
//! the extent. A loose cell is a list of elements, linked by index.
//!
//! DOUBLEGRID-2: the bounds of a loose cell cover the boxes of its elements, and are minimal after
//! the clean-up of each step.
//!
//! DOUBLEGRID-3: every tight cell that the bounds of a loose cell touch lists it. The lists are
//! linked by index through one array and rebuilt in the clean-up of each step. The maps from
//! coordinates to columns and lines are monotone, so two boxes that overlap share a tight cell,
//! inside the extent or outside.
//!
//! DOUBLEGRID-4: of the tight cells that a search and a loose cell share, the one that contains
//! the lower corner of their overlap counts.
//!
//! Cost: a pass over loose cells and their elements; nothing else for an element that stays in its
//! cell.

use super::original::{
    Bounds, Element, NONE, NOTHING, Original, Structure, extent, mean_side, middle, near_in_space, overlaps, union,
};

/// Width of a loose cell, in mean sides of the boxes.
///
/// Nanoseconds per body of `crowd`, 100,000 bodies, fastest of three alternating runs, with tight
/// cells 1.5 times as wide: 162 with 1.0, 146 with 1.5, 138 with 2.0, 133 with 2.5. With 3.0 it is
/// no faster, within noise.
const LOOSE_SIDES: f32 = 2.5;
/// Width of a tight cell, in loose cells.
///
/// In the same runs, with loose cells of 2.5: 133 with 1.5, 158 with 2.0, 183 with 3.0; on a busier
/// machine 255 with 1.5, 248 with 1.2.
const TIGHT_SIDES: f32 = 1.2;
/// Most loose cells per element; in a wider extent cells are larger.
///
/// Nanoseconds per body of `cities`, 100,000 bodies: 330 with 4, 234 with 8, 213 with 16, 223 with
/// 32. At 20 bytes a cell, 16 would take 320 bytes per body.
const CELLS_MAX: f32 = 8.0;

/// A list of elements, and the bounds that cover them.
#[derive(Clone, Copy)]
struct Loose {
    bounds: Bounds,
    first: u32,
}

const _: () = assert!(size_of::<Loose>() == 20);

/// An entry of a tight cell's list.
#[derive(Clone, Copy)]
struct Listed {
    loose: u32,
    next: u32,
}

/// Cells of equal size over the extent.
#[derive(Clone, Copy, Default)]
struct Cells {
    origin: [f32; 2],
    per_unit: f32,
    columns: u32,
    lines: u32,
}

/// A loose/tight double grid.
#[derive(Default)]
pub(crate) struct Grid {
    loose_cells: Cells,
    tight_cells: Cells,
    loose: Vec<Loose>,
    /// For each tight cell, the head of its list.
    tight: Vec<u32>,
    listed: Vec<Listed>,
    elements: Vec<Element>,
    /// For each element, the next one of its loose cell.
    next: Vec<u32>,
    /// Elements that move to another loose cell, and that cell.
    leaving: Vec<(u32, u32)>,
}

pub(crate) type LooseTightGrid = Original<Grid>;

impl Structure for Grid {
    const NAME: &'static str = "loose_tight_grid";

    fn build(&mut self, boxes: &[Bounds]) {
        let extent = extent(boxes);
        let (width, height) = (extent[2] - extent[0], extent[3] - extent[1]);
        // At most CELLS_MAX cells; a single line or column may have all of them.
        let cells_max = (boxes.len() as f32 * CELLS_MAX).max(1.0);
        let side = (LOOSE_SIDES * mean_side(boxes))
            .max((width / cells_max).sqrt() * height.sqrt())
            .max(width.max(height) / cells_max);
        self.loose_cells = Cells::new(&extent, side);
        self.tight_cells = Cells::new(&extent, TIGHT_SIDES * side);
        self.loose.clear();
        self.loose.resize(self.loose_cells.count(), Loose { bounds: NOTHING, first: NONE });
        self.elements = near_in_space(boxes, &extent);
        self.next.clear();
        self.next.resize(boxes.len(), NONE);
        for element in 0..boxes.len() as u32 {
            let cell = self.loose_cells.of(middle(&self.elements[element as usize].bounds));
            self.insert(cell, element);
        }
        self.list();
    }

    fn update(&mut self, boxes: &[Bounds]) {
        self.leaving.clear();
        for cell in 0..self.loose.len() as u32 {
            self.refit(cell, boxes);
        }
        for k in 0..self.leaving.len() {
            let (element, cell) = self.leaving[k];
            self.insert(cell, element);
        }
        self.list();
    }

    fn gather(&mut self, order: &mut Vec<Element>) {
        order.clear();
        for cell in &self.loose {
            let mut element = cell.first;
            while element != NONE {
                order.push(self.elements[element as usize]);
                element = self.next[element as usize];
            }
        }
    }

    fn search(&mut self, bounds: Bounds, first: u32, mut visit: impl FnMut(u32)) {
        let ([left, low], [right, high]) = self.tight_cells.range(&bounds);
        for line in low..=high {
            for column in left..=right {
                let mut listed = self.tight[self.tight_cells.index(column, line)];
                while listed != NONE {
                    let Listed { loose, next } = self.listed[listed as usize];
                    listed = next;
                    let cell = &self.loose[loose as usize];
                    if overlaps(&bounds, &cell.bounds) && self.counts(&bounds, &cell.bounds, column, line) {
                        self.search_cell(cell.first, &bounds, first, &mut visit);
                    }
                }
            }
        }
    }
}

impl Cells {
    fn new(extent: &Bounds, side: f32) -> Self {
        let per_unit = if side.recip().is_finite() { side.recip() } else { 0.0 };
        let cells = |low: f32, high: f32| ((high - low) * per_unit) as u32 + 1;
        let (columns, lines) = (cells(extent[0], extent[2]), cells(extent[1], extent[3]));
        Self { origin: [extent[0], extent[1]], per_unit, columns, lines }
    }

    fn count(&self) -> usize {
        self.columns as usize * self.lines as usize
    }

    /// The column or line of a coordinate. Subtraction, multiplication and truncation are monotone
    /// (DOUBLEGRID-3); if `per_unit` is 0 there is one cell.
    #[inline]
    fn column(&self, x: f32) -> u32 {
        (((x - self.origin[0]) * self.per_unit) as u32).min(self.columns - 1)
    }

    #[inline]
    fn line(&self, y: f32) -> u32 {
        (((y - self.origin[1]) * self.per_unit) as u32).min(self.lines - 1)
    }

    #[inline]
    fn index(&self, column: u32, line: u32) -> usize {
        line as usize * self.columns as usize + column as usize
    }

    #[inline]
    fn of(&self, [x, y]: [f32; 2]) -> u32 {
        self.index(self.column(x), self.line(y)) as u32
    }

    /// The columns and lines of the lower and the upper corner.
    #[inline]
    fn range(&self, bounds: &Bounds) -> ([u32; 2], [u32; 2]) {
        ([self.column(bounds[0]), self.line(bounds[1])], [self.column(bounds[2]), self.line(bounds[3])])
    }
}

impl Grid {
    /// Adds an element to a cell, which grows (DOUBLEGRID-2).
    fn insert(&mut self, cell: u32, element: u32) {
        let cell = &mut self.loose[cell as usize];
        cell.bounds = union(&cell.bounds, &self.elements[element as usize].bounds);
        self.next[element as usize] = std::mem::replace(&mut cell.first, element);
    }

    /// Stores the new boxes of a cell's elements, removes those that belong to another cell, and
    /// makes its bounds minimal.
    fn refit(&mut self, cell: u32, boxes: &[Bounds]) {
        let loose = &mut self.loose[cell as usize];
        if loose.first == NONE {
            return;
        }
        loose.bounds = NOTHING;
        let (mut before, mut at) = (NONE, loose.first);
        while at != NONE {
            let element = &mut self.elements[at as usize];
            element.bounds = boxes[element.row as usize];
            let home = self.loose_cells.of(middle(&element.bounds));
            let after = self.next[at as usize];
            if home == cell {
                loose.bounds = union(&loose.bounds, &element.bounds);
                before = at;
            } else {
                self.leaving.push((at, home));
                match before {
                    NONE => loose.first = after,
                    _ => self.next[before as usize] = after,
                }
            }
            at = after;
        }
    }

    /// Rebuilds the lists of tight cells (DOUBLEGRID-3).
    fn list(&mut self) {
        self.tight.clear();
        self.tight.resize(self.tight_cells.count(), NONE);
        self.listed.clear();
        for (loose, cell) in (0..).zip(&self.loose).filter(|(_, cell)| cell.first != NONE) {
            let ([left, low], [right, high]) = self.tight_cells.range(&cell.bounds);
            for line in low..=high {
                for column in left..=right {
                    let head = &mut self.tight[self.tight_cells.index(column, line)];
                    self.listed.push(Listed { loose, next: *head });
                    *head = self.listed.len() as u32 - 1;
                }
            }
        }
    }

    /// Whether the lower corner of the overlap of two boxes is in this tight cell (DOUBLEGRID-4).
    #[inline]
    fn counts(&self, a: &Bounds, b: &Bounds, column: u32, line: u32) -> bool {
        self.tight_cells.column(a[0].max(b[0])) == column && self.tight_cells.line(a[1].max(b[1])) == line
    }

    #[inline]
    fn search_cell(&self, mut element: u32, bounds: &Bounds, first: u32, visit: &mut impl FnMut(u32)) {
        while element != NONE {
            let other = &self.elements[element as usize];
            element = self.next[element as usize];
            if (other.row >= first) & overlaps(bounds, &other.bounds) {
                visit(other.row);
            }
        }
    }
}
