//! Falling bodies that come to rest on the floor and on each other, without a solver.
//!
//! A body rests for a frame if it is on the floor, or if the bodies whose centers are below its own
//! cover at least half of its area (sum of areas, positions of the previous frame). Otherwise it
//! falls at constant speed.
//!
//! PILE-2: cells are one unit wide, the largest width of a body of `crowd`, so a body that covers
//! another is at most one cell away.
//!
//! Cost: a counting sort, and a search of six cells per body.

use crate::motion::speed;

/// Width of a cell, in units (PILE-2).
const CELL: f32 = 1.0;

/// The bodies sorted by cell, to find those below others; buffers are reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pile {
    starts: Vec<u32>,
    /// `[x, y, half-extent]` of each body, in the order of cells.
    packed: Vec<[f32; 3]>,
}

impl Pile {
    /// Moves bodies by one frame, in a world with a floor at its lower edge.
    pub(crate) fn fall(&mut self, world: [f32; 4], centers: &mut [[f32; 2]], half_extents: &[[f32; 2]]) {
        let columns = self.sort(world, centers, half_extents);
        let floor = world[1];
        for (center, half) in centers.iter_mut().zip(half_extents) {
            let half = half[0];
            let area = 4.0 * half * half;
            if self.covered(world, columns, *center, half) < 0.5 * area {
                center[1] = (center[1] - speed(half) as f32).max(floor + half);
            }
        }
    }

    /// Sorts the bodies by cell; returns the number of columns of cells.
    fn sort(&mut self, world: [f32; 4], centers: &[[f32; 2]], half_extents: &[[f32; 2]]) -> usize {
        let columns = ((world[2] - world[0]) / CELL) as usize + 1;
        let rows = ((world[3] - world[1]) / CELL) as usize + 1;
        self.starts.clear();
        self.starts.resize(columns * rows + 1, 0);
        for &center in centers {
            let (column, row) = cell(world, center);
            self.starts[row * columns + column] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        self.packed.resize(centers.len(), [0.0; 3]);
        for (&center, half) in centers.iter().zip(half_extents) {
            let (column, row) = cell(world, center);
            let start = &mut self.starts[row * columns + column];
            *start -= 1;
            self.packed[*start as usize] = [center[0], center[1], half[0]];
        }
        columns
    }

    /// The area of a body that bodies below it cover, counting overlaps several times.
    fn covered(&self, world: [f32; 4], columns: usize, center: [f32; 2], half: f32) -> f32 {
        let (column, row) = cell(world, center);
        let (first, last) = (column.saturating_sub(1), (column + 1).min(columns - 1));
        let mut area = 0.0;
        for row in row.saturating_sub(1)..=row {
            let run = self.starts[row * columns + first] as usize..self.starts[row * columns + last + 1] as usize;
            for &[x, y, other] in &self.packed[run] {
                let width = (center[0] + half).min(x + other) - (center[0] - half).max(x - other);
                let height = (center[1] + half).min(y + other) - (center[1] - half).max(y - other);
                if y < center[1] && width > 0.0 && height > 0.0 {
                    area += width * height;
                }
            }
        }
        area
    }
}

fn cell(world: [f32; 4], center: [f32; 2]) -> (usize, usize) {
    (((center[0] - world[0]) / CELL) as usize, ((center[1] - world[1]) / CELL) as usize)
}
