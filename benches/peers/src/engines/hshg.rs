//! A hierarchical spatial hash grid in the way of [HSHG](https://github.com/supahero1/hshg),
//! written for this comparison; one thread.
//!
//! There is a grid for each size class, with cells twice as wide as those of the class below. A
//! body is in one cell of one grid, in a linked list, and changes lists only if it has left its
//! cell. It is compared with the rest of its list, with half of the neighboring cells, and with the
//! cells of coarser grids in which partners may be. Every few frames bodies are sorted by cell, so
//! that neighbors are close in memory.
//!
//! HSHG takes squares and files them by their centers. Here the longer side of a box decides on its
//! grid, and its lower corner on its cell. So no center is computed, and the partners of a body are
//! in no more cells than with centers.
//!
//! Statics have grids of their own, so that they are not compared with each other; each body
//! searches them with its box.
//!
//! HSHG-1: a box ends at most one cell after it begins. So it begins at most one cell before any
//! box that it overlaps, and not after the end of that box. Its side is less than the width of a
//! cell, which is a power of two, so coordinates of cells are not rounded. Where the side is
//! slightly more, its cells are counted.
//!
//! HSHG-2: coordinates of cells are truncated, which is monotone, and taken modulo a power of two,
//! at least four, so that all neighbors of a cell are different cells. What lies outside of the
//! world that a grid was made for costs tests and nothing else.

use crate::boxes::{Box4, body_boxes, ordered, overlaps};
use crate::engine::{Engine, Found, Frame};

/// Frames after which bodies are sorted by cell. With 1, 2, 4 and 8, `crowd` takes the same time
/// within noise.
const SORT_FRAMES: u32 = 8;

/// The share of bodies that may be in the finest grid because there is none for their size.
///
/// On an Intel Xeon, for 0, 0.5, 0.7, 0.9: `power_law` with 100,000 bodies takes 7.6, 4.8, 4.0, 3.6
/// times the time of `afternoon_grid`; `nested_clusters` with 20,000 bodies 331, 491, 629, 1,920 ns
/// per body.
const SMALLER: f64 = 0.7;

/// A box whose side, times this, is less than the width of a cell may be in that grid, if it meets
/// HSHG-1. So a few sides that were rounded up do not take a grid of their own.
const TOLERANCE: f32 = 1.0 - 1.0 / 1024.0;

/// Most cells of a grid, for each body in it.
const CELLS_PER_BODY: usize = 4;

/// Fewest columns or lines of a grid, as a power of two (HSHG-2).
const SIDE_LOG2_MIN: u32 = 2;

/// No body.
const NONE: u32 = u32::MAX;

/// Grids of bodies, and grids of statics.
#[derive(Default)]
pub(super) struct Hshg {
    frame: u32,
    boxes: Vec<Box4>,
    bodies: Grids,
    statics: Grids,
}

impl Engine for Hshg {
    fn name(&self) -> &'static str {
        "hshg"
    }

    fn set_statics(&mut self, statics: &[[f32; 4]]) {
        self.statics = Grids::new(statics);
    }

    fn step(&mut self, frame: Frame<'_>, found: &mut Found) {
        found.clear();
        let Self { frame: number, boxes, bodies, statics } = self;
        boxes.clear();
        boxes.extend(body_boxes(frame));
        if boxes.len() != bodies.links.len() || !bodies.update(boxes) {
            *bodies = Grids::new(boxes);
            *number = 0;
        }
        *number += 1;
        if number.is_multiple_of(SORT_FRAMES) {
            bodies.sort();
        }
        bodies.find_active();
        bodies.pairs(|a, b| found.bodies.push(ordered(a, b)));
        if !statics.links.is_empty() {
            for body in &bodies.links {
                statics.search(0, &body.aabb, |fixed| found.statics.push([body.row, fixed]));
            }
        }
    }
}

/// A box in the list of a cell.
#[derive(Clone, Copy)]
struct Link {
    aabb: Box4,
    row: u32,
    cell: u32,
    next: u32,
    previous: u32,
}

const _: () = assert!(size_of::<Link>() == 32);

/// A grid of cells twice as wide as those of the one before.
#[derive(Clone, Copy)]
struct Grid {
    /// Cells per unit, a power of two.
    per_unit: f32,
    columns_log2: u32,
    lines_log2: u32,
    /// Index of the first cell.
    cells: u32,
    /// Number of boxes.
    count: u32,
    /// Index of the next coarser grid in the list of active grids.
    coarser: usize,
}

impl Grid {
    /// Cell coordinate before it is wrapped (HSHG-2).
    #[inline(always)]
    fn coordinate(&self, x: f32) -> i32 {
        (x * self.per_unit) as i32
    }

    /// The cell at these coordinates.
    #[inline(always)]
    fn cell(&self, x: i32, y: i32) -> u32 {
        let column = x as u32 & ((1 << self.columns_log2) - 1);
        let line = y as u32 & ((1 << self.lines_log2) - 1);
        self.cells + (line << self.columns_log2 | column)
    }

    /// Half of the neighbors of a cell: the right one, and the three of the next line.
    #[inline(always)]
    fn neighbors(&self, cell: u32) -> [u32; 4] {
        let (column_mask, cell_mask) = ((1 << self.columns_log2) - 1, self.cell_count() - 1);
        let cell = cell - self.cells;
        let column = cell & column_mask;
        let [left, right] = [column.wrapping_sub(1) & column_mask, (column + 1) & column_mask];
        let line = cell & !column_mask;
        let next = (line + column_mask + 1) & cell_mask;
        [line | right, next | left, next | column, next | right].map(|cell| self.cells + cell)
    }

    fn cell_count(&self) -> u32 {
        1 << (self.columns_log2 + self.lines_log2)
    }
}

/// The size class of a side: the side is less than two to this power, times 2^-126.
#[inline(always)]
fn class(side: f32) -> usize {
    (side.to_bits() >> 23) as usize
}

/// The longer side of a box.
#[inline(always)]
fn side(aabb: &Box4) -> f32 {
    let (width, height) = (aabb[2] - aabb[0], aabb[3] - aabb[1]);
    if width > height { width } else { height }
}

/// Boxes in grids, fine to coarse.
#[derive(Default)]
struct Grids {
    /// The class of the finest grid; smaller boxes are in it too.
    finest: usize,
    grids: Vec<Grid>,
    /// Grids with boxes.
    active: Vec<usize>,
    /// For each cell of all grids, the head of its list.
    heads: Vec<u32>,
    links: Vec<Link>,
    sorted: Vec<Link>,
}

impl Grids {
    /// Files boxes; the index of a box is its row.
    fn new(boxes: &[Box4]) -> Self {
        if boxes.is_empty() {
            return Self::default();
        }
        let mut classes: Vec<usize> = boxes.iter().map(|aabb| class(side(aabb))).collect();
        classes.sort_unstable();
        let finest = classes[(boxes.len() as f64 * SMALLER) as usize];
        let mut grids = Self { finest, ..Self::default() };
        let extent = [0, 1].map(|axis| {
            let edges = || boxes.iter().map(|aabb| aabb[axis]);
            edges().fold(f32::MIN, f32::max) - edges().fold(f32::MAX, f32::min)
        });
        // Smaller boxes count for the finest grid.
        let (mut first, mut class) = (0, finest);
        while first < classes.len() {
            let end = classes.partition_point(|&other| other <= class);
            grids.push(class, extent, CELLS_PER_BODY * (end - first));
            (first, class) = (end, class + 1);
        }
        for (&aabb, row) in boxes.iter().zip(0..) {
            grids.links.push(Link { aabb, row, cell: NONE, next: NONE, previous: NONE });
            let (grid, cell) = grids.place(&aabb);
            grids.insert(row, grid, cell);
        }
        grids.sort();
        grids.find_active();
        grids
    }

    /// Adds an empty grid.
    fn push(&mut self, class: usize, extent: [f32; 2], cells_max: usize) {
        let per_unit = 2f64.powi(126 - class as i32) as f32;
        let side_log2 = |extent: f32| ((extent * per_unit) as u32).max(1).ilog2() + 1;
        let [mut columns_log2, mut lines_log2] = extent.map(|extent| side_log2(extent).max(SIDE_LOG2_MIN));
        let cells_log2 = cells_max.max(1).ilog2().max(2 * SIDE_LOG2_MIN);
        while columns_log2 + lines_log2 > cells_log2 {
            if columns_log2 > lines_log2 { columns_log2 -= 1 } else { lines_log2 -= 1 }
        }
        let grid = Grid { per_unit, columns_log2, lines_log2, cells: self.heads.len() as u32, count: 0, coarser: 0 };
        self.heads.resize(self.heads.len() + grid.cell_count() as usize, NONE);
        self.grids.push(grid);
    }

    /// The grid of a box (HSHG-1); it may be one that does not exist.
    #[inline(always)]
    fn grid_of(&self, aabb: &Box4) -> usize {
        let side = side(aabb);
        let [narrow, wide] = [side * TOLERANCE, side].map(|side| class(side).saturating_sub(self.finest));
        let too_wide = || {
            let grid = &self.grids[narrow];
            let [min_x, min_y, max_x, max_y] = aabb.map(|edge| i64::from(grid.coordinate(edge)));
            max_x - min_x > 1 || max_y - min_y > 1
        };
        if narrow != wide && (narrow >= self.grids.len() || too_wide()) { wide } else { narrow }
    }

    /// The grid and the cell of a box; no cell if the grid does not exist.
    #[inline(always)]
    fn place(&self, aabb: &Box4) -> (usize, u32) {
        let grid = self.grid_of(aabb);
        let cell = self.grids.get(grid).map_or(NONE, |g| g.cell(g.coordinate(aabb[0]), g.coordinate(aabb[1])));
        (grid, cell)
    }

    fn insert(&mut self, index: u32, grid: usize, cell: u32) {
        let next = std::mem::replace(&mut self.heads[cell as usize], index);
        if next != NONE {
            self.links[next as usize].previous = index;
        }
        let link = &mut self.links[index as usize];
        (link.cell, link.next, link.previous) = (cell, next, NONE);
        self.grids[grid].count += 1;
    }

    fn remove(&mut self, index: u32) {
        let Link { aabb, cell, next, previous, .. } = self.links[index as usize];
        let grid = self.grid_of(&aabb);
        self.grids[grid].count -= 1;
        match previous {
            NONE => self.heads[cell as usize] = next,
            _ => self.links[previous as usize].next = next,
        }
        if next != NONE {
            self.links[next as usize].previous = previous;
        }
    }

    /// Moves all boxes. Returns false if one is too large for the coarsest grid; then it stops.
    fn update(&mut self, boxes: &[Box4]) -> bool {
        for index in 0..self.links.len() as u32 {
            let Link { row, cell: old, .. } = self.links[index as usize];
            let aabb = boxes[row as usize];
            let (grid, cell) = self.place(&aabb);
            if cell != old {
                if cell == NONE {
                    return false;
                }
                self.remove(index);
                self.insert(index, grid, cell);
            }
            self.links[index as usize].aabb = aabb;
        }
        true
    }

    /// Sorts boxes by cell.
    fn sort(&mut self) {
        self.sorted.clear();
        for head in &mut self.heads {
            let mut index = *head;
            if index != NONE {
                *head = self.sorted.len() as u32;
            }
            let mut previous = NONE;
            while index != NONE {
                let link = self.links[index as usize];
                let here = self.sorted.len() as u32;
                let next = if link.next == NONE { NONE } else { here + 1 };
                self.sorted.push(Link { next, previous, ..link });
                (previous, index) = (here, link.next);
            }
        }
        std::mem::swap(&mut self.links, &mut self.sorted);
    }

    /// Lists the grids with boxes.
    fn find_active(&mut self) {
        self.active.clear();
        for (k, grid) in self.grids.iter_mut().enumerate().filter(|(_, grid)| grid.count > 0) {
            self.active.push(k);
            grid.coarser = self.active.len();
        }
    }

    /// Calls `found` with each pair of boxes that overlap.
    fn pairs(&self, mut found: impl FnMut(u32, u32)) {
        for link in &self.links {
            let grid = &self.grids[self.grid_of(&link.aabb)];
            let mut compare = |first| self.compare(first, &link.aabb, |other| found(link.row, other));
            compare(link.next);
            for cell in grid.neighbors(link.cell) {
                compare(self.heads[cell as usize]);
            }
            self.search(grid.coarser, &link.aabb, |other| found(link.row, other));
        }
    }

    /// Calls `visit` with the row of each box that overlaps an area, in the active grids from
    /// `first` on.
    #[inline(always)]
    fn search(&self, first: usize, area: &Box4, mut visit: impl FnMut(u32)) {
        for &k in &self.active[first..] {
            let grid = &self.grids[k];
            let [min_x, min_y, max_x, max_y] = area.map(|edge| grid.coordinate(edge));
            // From one cell before the area on (HSHG-1).
            let steps = |min: i32, max: i32, log2: u32| {
                max.wrapping_sub(min).cast_unsigned().saturating_add(1).min((1 << log2) - 1)
            };
            for j in 0..=steps(min_y, max_y, grid.lines_log2) {
                for i in 0..=steps(min_x, max_x, grid.columns_log2) {
                    let cell = grid.cell(min_x.wrapping_add(i as i32 - 1), min_y.wrapping_add(j as i32 - 1));
                    self.compare(self.heads[cell as usize], area, &mut visit);
                }
            }
        }
    }

    /// Calls `visit` with the row of each box of a list that overlaps an area.
    #[inline(always)]
    fn compare(&self, first: u32, area: &Box4, mut visit: impl FnMut(u32)) {
        let mut index = first;
        while index != NONE {
            let link = &self.links[index as usize];
            if overlaps(&link.aabb, area) {
                visit(link.row);
            }
            index = link.next;
        }
    }
}
