//! How many bodies of a class are beside each other on an axis: a body of a band whose cells are
//! crowded is tested with half of these.
//!
//! Cost: 256 rows are compared with 32, once for a plan, and only if a class may be crowded. That
//! is 2 to 4 % of a step with 500 bodies of many sizes.

use crate::tier::point_grid::band_count::bands_for;
use crate::tier::point_grid::size_classes::size_sample::{COUNTED, SizeSample};

/// Rows of the thinned sample that are compared with all of it.
const COMPARED: usize = 32;

/// Of tests that hit, this share counts: a hit takes about as long in any other way.
const HITS_COUNTED: f64 = 0.5;

/// For each compared row: how many rows are beside it on x, on y, and on both axes, which is to
/// overlap.
type Counts = [[u16; COMPARED]; 3];

/// How many rows of the thinned sample are beside each other.
pub(super) struct RowsBeside {
    /// The rows that are compared, ascending.
    compared: [usize; COMPARED],
    /// Of the rows before a border, by its [place](SizeSample::place).
    counts: [Counts; COUNTED],
}

impl RowsBeside {
    pub(super) fn new(sample: &SizeSample) -> Self {
        let boxes = &sample.thinned;
        let compared: [usize; COMPARED] = std::array::from_fn(|k| (2 * k + 1) * boxes.len() / (2 * COMPARED));
        // In columns, so that the loops over them are vectorized.
        let [x0, y0, x1, y1]: [[f32; COMPARED]; 4] = std::array::from_fn(|edge| compared.map(|row| boxes[row][edge]));
        let mut counts: [Counts; COUNTED] = [[[0; COMPARED]; 3]; COUNTED];
        let (mut from, mut before): (usize, Counts) = (0, [[0; COMPARED]; 3]);
        for (place, &border) in [boxes.len()].iter().chain(&sample.tried).rev().enumerate() {
            for aabb in &boxes[from..border] {
                for k in 0..COMPARED {
                    let beside_x = (x0[k] <= aabb[2]) & (aabb[0] <= x1[k]);
                    let beside_y = (y0[k] <= aabb[3]) & (aabb[1] <= y1[k]);
                    before[0][k] += u16::from(beside_x);
                    before[1][k] += u16::from(beside_y);
                    before[2][k] += u16::from(beside_x & beside_y);
                }
            }
            (counts[place + 1], from) = (before, border);
        }
        Self { compared, counts }
    }

    /// About how many bodies of a class, which has the rows from one border to another, are beside
    /// one of them in its band, on the axis on which fewer are. Half of those that overlap it are
    /// left out ([`HITS_COUNTED`]).
    pub(super) fn mean(&self, sample: &SizeSample, from: usize, to: usize) -> f64 {
        let inside = self.compared.partition_point(|&row| row < from)..self.compared.partition_point(|&row| row < to);
        let [before, through] = [from, to].map(|border| &self.counts[sample.place(border)]);
        let rows = (to - from) as f64;
        let [x, y, both] = [0, 1, 2].map(|axis| {
            let counts = through[axis][inside.clone()].iter().zip(&before[axis][inside.clone()]);
            let sum: u32 = counts.map(|(&through, &before)| u32::from(through - before)).sum();
            // Each is beside itself.
            (f64::from(sum) - inside.len() as f64) / (rows * inside.len().max(1) as f64)
        });
        let population = rows * sample.weight;
        let in_band = population / bands_for(population as usize) as f64;
        (in_band * x.min(y) - HITS_COUNTED * population * both).max(0.0)
    }
}
