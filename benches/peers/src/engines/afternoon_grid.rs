//! What a competent person writes in an afternoon: one uniform grid, wrapped, filled by counting
//! sort; one thread, scalar.
//!
//! A copy of each box is entered in every cell that the box touches. A pair is reported in the cell
//! that contains the lower corner of the overlap. Cell coordinates are taken modulo a power of two
//! on each axis, so that there are at most two cells per body however large the world is; boxes
//! that wrap onto the same cell cost tests and nothing else.
//!
//! AFTERNOON-1: the map from coordinates to cells is monotone: a product, truncated, saturating. So
//! both boxes touch the cell of the lower corner of their overlap.
//!
//! AFTERNOON-2: a box that touches at least as many cells as the grid has is entered once in each.
//! So both boxes are in the cell of AFTERNOON-1 once, and only that cell reports the pair.
//!
//! Statics are in a table with the same cells. It is filled when they are set, and again if the
//! cells change, which they do when sizes or the extent of the bodies have changed much.

use crate::boxes::{Box4, body_boxes, ordered, overlaps};
use crate::engine::{Engine, Found, Frame};

/// Width of a cell, in mean sides of bodies. Narrower cells cost more entries than they save tests.
///
/// Processor time of a whole run of 60 frames of 100,000 bodies, in seconds, on AMD EPYC (Zen 5),
/// for widths of 4, 5, 6, 7, 8: `crowd` 0.48, 0.44, 0.43, 0.42, 0.42; `castles` 1.20, 1.15, 1.12,
/// 1.10, 1.11; `cities` 0.63, 0.60, 0.60, 0.60, 0.61; `power_law` 0.38, 0.37, 0.37, 0.34, 0.34.
/// Nanoseconds per body with 30,000 bodies of `crowd`, for 2, 3, 4, 5: 58, 49, 43, 40.
const SIDES_PER_CELL: f32 = 7.0;

/// Most cells per body.
const CELLS_PER_BODY: usize = 2;

/// Cells are kept while the mean side is within this factor of the one that they were chosen for.
const MEAN_SIDE_DRIFT: f32 = 1.2;

/// One uniform grid for bodies of all sizes, and one of statics.
#[derive(Default)]
pub struct AfternoonGrid {
    geometry: Geometry,
    boxes: Vec<Box4>,
    bodies: Table,
    static_boxes: Vec<Box4>,
    statics: Table,
}

impl Engine for AfternoonGrid {
    fn name(&self) -> &'static str {
        "afternoon_grid"
    }

    fn set_statics(&mut self, statics: &[[f32; 4]]) {
        self.static_boxes = statics.to_vec();
        self.statics.fill(self.geometry, &self.static_boxes);
    }

    fn step(&mut self, frame: Frame<'_>, found: &mut Found) {
        self.step_boxes(body_boxes(frame), found);
    }
}

impl AfternoonGrid {
    /// As [`step`](Engine::step), with the boxes of the bodies.
    pub fn step_boxes(&mut self, boxes: impl Iterator<Item = Box4>, found: &mut Found) {
        found.clear();
        self.boxes.clear();
        self.boxes.extend(boxes);
        let geometry = self.geometry.following(&self.boxes);
        if geometry != self.geometry {
            self.geometry = geometry;
            self.statics.fill(geometry, &self.static_boxes);
        }
        self.bodies.fill(geometry, &self.boxes);
        body_pairs(geometry, &self.bodies, found);
        if !self.static_boxes.is_empty() {
            static_pairs(geometry, &self.bodies, &self.statics, found);
        }
    }
}

/// Finds the pairs in each cell.
fn body_pairs(geometry: Geometry, bodies: &Table, found: &mut Found) {
    for (index, cell) in bodies.cells().enumerate() {
        for (k, a) in cell.iter().enumerate() {
            for b in &cell[k + 1..] {
                if overlaps(&a.aabb, &b.aabb) && geometry.shared_corner(&a.aabb, &b.aabb) == index {
                    found.bodies.push(ordered(a.row, b.row));
                }
            }
        }
    }
}

/// Finds the pairs of each cell's bodies with its statics.
fn static_pairs(geometry: Geometry, bodies: &Table, statics: &Table, found: &mut Found) {
    for (index, (cell, fixed)) in bodies.cells().zip(statics.cells()).enumerate() {
        for a in cell {
            for b in fixed {
                if overlaps(&a.aabb, &b.aabb) && geometry.shared_corner(&a.aabb, &b.aabb) == index {
                    found.statics.push([a.row, b.row]);
                }
            }
        }
    }
}

/// The size of cells, and how many there are before coordinates wrap.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Geometry {
    mean_side: f32,
    per_unit: f32,
    columns_log2: u32,
    rows_log2: u32,
}

impl Geometry {
    /// Returns the same geometry if it still suits these boxes, else a new one.
    fn following(self, boxes: &[Box4]) -> Self {
        let new = Self::of(boxes);
        let near =
            new.mean_side <= self.mean_side * MEAN_SIDE_DRIFT && new.mean_side * MEAN_SIDE_DRIFT >= self.mean_side;
        let fits = |now: u32, needed: u32| now == needed || now == needed + 1;
        let fits = fits(self.columns_log2, new.columns_log2) && fits(self.rows_log2, new.rows_log2);
        if near && fits { self } else { new }
    }

    fn of(boxes: &[Box4]) -> Self {
        let (mut sides, mut bounds) = (0.0f64, [f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY]);
        for &[min_x, min_y, max_x, max_y] in boxes {
            sides += f64::from((max_x - min_x) + (max_y - min_y));
            bounds = [
                if min_x < bounds[0] { min_x } else { bounds[0] },
                if min_y < bounds[1] { min_y } else { bounds[1] },
                if max_x > bounds[2] { max_x } else { bounds[2] },
                if max_y > bounds[3] { max_y } else { bounds[3] },
            ];
        }
        let mean_side = (0.5 * sides / boxes.len().max(1) as f64) as f32;
        let extent = [bounds[2] - bounds[0], bounds[3] - bounds[1]];
        let mut per_unit = 1.0 / (SIDES_PER_CELL * mean_side);
        if !per_unit.is_normal() {
            // All boxes are points: one per cell.
            per_unit = (boxes.len() as f32).sqrt() / extent[0].max(extent[1]);
        }
        let per_unit = if per_unit.is_normal() { per_unit } else { 1.0 };
        let log2 = |extent: f32| ((extent * per_unit) as u32).saturating_add(1).checked_next_power_of_two();
        let log2 = |extent: f32| log2(extent).map_or(31, u32::ilog2);
        let [mut columns_log2, mut rows_log2] = extent.map(log2);
        let cells_log2 = (CELLS_PER_BODY * boxes.len()).max(1).ilog2();
        while columns_log2 + rows_log2 > cells_log2 {
            if columns_log2 > rows_log2 { columns_log2 -= 1 } else { rows_log2 -= 1 }
        }
        Self { mean_side, per_unit, columns_log2, rows_log2 }
    }

    fn cell_count(self) -> usize {
        1 << (self.columns_log2 + self.rows_log2)
    }

    /// The cell coordinate before wrapping (AFTERNOON-1).
    #[inline(always)]
    fn coordinate(self, x: f32) -> i32 {
        (x * self.per_unit) as i32
    }

    #[inline(always)]
    fn index(self, x: i32, y: i32) -> usize {
        let column = x as u32 & ((1 << self.columns_log2) - 1);
        let row = y as u32 & ((1 << self.rows_log2) - 1);
        (row << self.columns_log2 | column) as usize
    }

    /// The cell of the lower corner of the overlap of two boxes.
    #[inline(always)]
    fn shared_corner(self, a: &Box4, b: &Box4) -> usize {
        let x = if a[0] > b[0] { a[0] } else { b[0] };
        let y = if a[1] > b[1] { a[1] } else { b[1] };
        self.index(self.coordinate(x), self.coordinate(y))
    }

    /// Calls `visit` once with every cell that the box touches (AFTERNOON-2).
    #[inline(always)]
    fn for_each_cell(self, aabb: &Box4, mut visit: impl FnMut(usize)) {
        let [min_x, min_y, max_x, max_y] = aabb.map(|edge| self.coordinate(edge));
        if min_x == max_x && min_y == max_y {
            return visit(self.index(min_x, min_y));
        }
        let steps = |min: i32, max: i32, log2: u32| max.wrapping_sub(min).cast_unsigned().min((1 << log2) - 1);
        for j in 0..=steps(min_y, max_y, self.rows_log2) {
            for i in 0..=steps(min_x, max_x, self.columns_log2) {
                visit(self.index(min_x.wrapping_add(i as i32), min_y.wrapping_add(j as i32)));
            }
        }
    }
}

/// A box in a cell.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    aabb: Box4,
    row: u32,
}

/// Boxes by cell: those of cell `c` are `entries[ends[c - 1]..ends[c]]`; the first cell begins at
/// 0.
#[derive(Default)]
struct Table {
    ends: Vec<u32>,
    entries: Vec<Entry>,
}

impl Table {
    /// Enters all boxes by counting sort.
    fn fill(&mut self, geometry: Geometry, boxes: &[Box4]) {
        self.ends.clear();
        self.ends.resize(geometry.cell_count(), 0);
        let ends = &mut self.ends[..];
        for aabb in boxes {
            geometry.for_each_cell(aabb, |cell| ends[cell] += 1);
        }
        let mut sum = 0;
        for end in ends.iter_mut() {
            // The start of the cell; each entry moves it by one, until it is the end.
            (sum, *end) = (sum + *end, sum);
        }
        // Old entries are overwritten, so they are not cleared.
        if self.entries.len() < sum as usize {
            self.entries.resize(sum as usize, Entry::default());
        }
        let entries = &mut self.entries[..sum as usize];
        for (row, aabb) in boxes.iter().enumerate() {
            let entry = Entry { aabb: *aabb, row: row as u32 };
            geometry.for_each_cell(aabb, |cell| {
                entries[ends[cell] as usize] = entry;
                ends[cell] += 1;
            });
        }
    }

    fn cells(&self) -> impl Iterator<Item = &[Entry]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let cell = &self.entries[start as usize..end as usize];
            start = end;
            cell
        })
    }
}
