//! Falling bodies that come to rest on the floor and on one another, simply and fast: no solver.
//!
//! F1: a body rests for a frame when it is on the floor, or when bodies whose centres are below its
//! own cover at least half of its area (summed, positions of the frame before); otherwise it falls
//! at its terminal speed.
//! F2: cells are one unit wide, the largest side of a `crowd` body, so whatever covers a body is at
//! most one cell away. Cost: a counting sort, and six cells a body.

use crate::motion::speed;
use crate::scene::Scene;

/// F2.
const CELL: f32 = 1.0;

/// What is needed to find the bodies below; kept from frame to frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pile {
    starts: Vec<u32>,
    /// `[x, y, half-extent]` in the order of cells.
    packed: Vec<[f32; 3]>,
}

impl Pile {
    /// Sorts the bodies by cell; returns how many columns of cells there are.
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

    /// How much of the body is covered by bodies below it.
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

impl Scene {
    pub(crate) fn fall(&mut self) {
        let columns = self.pile.sort(self.world, &self.centers, &self.half_extents);
        let floor = self.world[1];
        for (center, half) in self.centers.iter_mut().zip(&self.half_extents) {
            let half = half[0];
            let area = 4.0 * half * half;
            if self.pile.covered(self.world, columns, *center, half) < 0.5 * area {
                center[1] = (center[1] - speed(half) as f32).max(floor + half);
            }
        }
    }
}
