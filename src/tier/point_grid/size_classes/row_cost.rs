//! What a class is estimated to cost whose bands are rows of narrow columns.
//!
//! Then bodies of all sizes may share a class: each is tested with those that begin within its
//! width. How many these are is counted in the sample. The density of regions, from which the cost
//! of cells is estimated, would be too low where bodies are in a few columns.

use crate::geometry::RawAabb;
use crate::tier::point_grid::band_count::bands_for;
use crate::tier::point_grid::size_classes::size_sample::{COUNTED, PerRegion, REGIONS, SizeSample, THINNED};

// Measured costs, in nanoseconds.

/// A vector of box tests.
pub(in crate::tier::point_grid) const VECTOR_NS: f64 = 2.5;
/// A search of a grid.
pub(in crate::tier::point_grid) const SEARCH_NS: f64 = 40.0;
/// A run of cells in a search.
pub(in crate::tier::point_grid) const RUN_NS: f64 = 4.0;

/// Box tests in a vector.
pub(in crate::tier::point_grid) const LANES: f64 = 8.0;

/// Every so many rows of the sample are compared with all others.
const COMPARED_ONE_IN: usize = 4;

/// Pairs of rows of the sample of which the second begins within the width of the first, in the
/// same strip of regions.
#[derive(Clone, Copy)]
pub(super) struct RowOverlaps {
    /// By the places of two borders: those whose rows are before the first and the second border.
    before: [[u32; COUNTED]; COUNTED],
}

impl RowOverlaps {
    fn new(sample: &SizeSample) -> Self {
        let len = sample.thinned.len();
        // In columns, so that the inner loop is vectorized.
        let (mut lows, mut strips) = ([0.0; THINNED], [0u32; THINNED]);
        for (k, (row, aabb)) in sample.rows.iter().zip(&sample.thinned).enumerate() {
            (lows[k], strips[k]) = (aabb[0], u32::from(row.region) / REGIONS as u32);
        }
        let mut before = [[0; COUNTED]; COUNTED];
        let borders = || sample.tried.iter().rev().copied().chain([len]);
        for k in (0..len).step_by(COMPARED_ONE_IN) {
            let (&[x0, _, x1, _], strip): (&RawAabb, u32) = (&sample.thinned[k], strips[k]);
            let place = borders().take_while(|&border| border <= k).count() + 1;
            let mut from = 0;
            for (to, other) in borders().zip(1..) {
                let rows = lows[from..to].iter().zip(&strips[from..to]);
                let begins_within = |(&low, &of): (&f32, &u32)| u32::from((x0 <= low) & (low <= x1) & (of == strip));
                before[place][other] += rows.map(begins_within).sum::<u32>();
                from = to;
            }
        }
        for k in 1..COUNTED {
            for l in 1..COUNTED {
                before[k][l] += before[k - 1][l] + before[k][l - 1] - before[k - 1][l - 1];
            }
        }
        Self { before }
    }

    /// Pairs of rows that are both between two borders.
    fn between(&self, from: usize, to: usize) -> f64 {
        let rows_before = |a: usize, b: usize| f64::from(self.before[a][b]);
        let pairs = rows_before(to, to) - rows_before(from, to) - rows_before(to, from) + rows_before(from, from);
        pairs * COMPARED_ONE_IN as f64
    }
}

impl SizeSample {
    /// The cost of the pairs of the rows from one border to another, and of searches for larger
    /// rows, in one row of columns per band.
    pub(super) fn row_cost(&self, from: usize, to: usize, overlaps: &mut Option<RowOverlaps>) -> f64 {
        if to - from < REGIONS * REGIONS {
            return f64::INFINITY; // too few rows say nothing about regions
        }
        let [from_place, to_place] = [from, to].map(|border| usize::from(self.counted[border]));
        let pairs = overlaps.get_or_insert_with(|| RowOverlaps::new(self)).between(from_place, to_place);
        let [members, _] = self.by_region(from, to);
        let (own, larger) = (&self.after[from_place], &self.after[to_place]);
        let count = (to - from) as f64;
        let population = count * self.weight;
        let bands = bands_for(population as usize) as f64;
        let mut searches = PerRegion::<f64>::default();
        for (region, cost) in searches.iter_mut().enumerate() {
            let strip = region / REGIONS * REGIONS..region / REGIONS * REGIONS + REGIONS;
            let in_strip: f64 = members[strip.clone()].iter().sum();
            let widest = self.before[to_place].largest[strip].iter().copied().fold(0.0, f64::max);
            let [width, height] = [0, 1].map(|axis| self.cells_max[axis][region] / REGIONS as f64);
            let others = larger.counts[region];
            *cost = others * SEARCH_NS;
            if members[region] == 0.0 {
                continue;
            }
            // Vectors of tests for bodies that begin in a unit of length of one band.
            let vectors = population / bands * members[region] / (in_strip * width) / LANES;
            let bands_per_height = bands * in_strip / (count * height);
            // A row that reaches into other bands, or is larger than the class, is tested along its
            // own side and that of the widest body.
            let sides = own.mean_sides[region] - larger.mean_sides[region];
            let ghosts = sides * bands_per_height * (widest + sides / members[region]);
            let (other_sides, squares) = (larger.sides[region], larger.squares[region]);
            let in_one_band = other_sides + others * widest;
            let in_other_bands = (squares + other_sides * widest) * bands_per_height;
            let runs = others + other_sides * bands_per_height;
            *cost += VECTOR_NS * vectors * (ghosts + in_one_band + in_other_bands) + RUN_NS * runs;
        }
        // A strip of regions has about this many rows of the class.
        let in_strip = count / REGIONS as f64;
        let tests = pairs / in_strip * population / bands;
        VECTOR_NS * (2.0 * count + tests / LANES) + searches.iter().sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use triphase_scenes::SplitMix64;

    /// Lines either way round, by ascending length.
    fn lines() -> Vec<RawAabb> {
        let mut random = SplitMix64::new(4);
        let mut line = |k: usize| {
            let [x, y] = random.point(0.0, 1000.0);
            let long = libm::powf(1.008, k as f32);
            if k.is_multiple_of(2) { [x, y, x + long, y] } else { [x, y, x, y + long] }
        };
        (0..THINNED).map(&mut line).collect()
    }

    #[test]
    fn overlaps_are_those_of_the_compared_rows() {
        let (lines, mut sample) = (lines(), SizeSample::default());
        sample.rebuild(&lines, 100_000, true);
        let overlaps = RowOverlaps::new(&sample);
        let borders: Vec<usize> = [0].into_iter().chain(sample.tried.iter().rev().copied()).chain([THINNED]).collect();
        for (&from, &to) in borders.iter().flat_map(|from| borders.iter().map(move |to| (from, to))) {
            if from >= to {
                continue;
            }
            let strip = |k: usize| usize::from(sample.rows[k].region) / REGIONS;
            let begins_in = |k: usize, l: usize| (lines[k][0]..=lines[k][2]).contains(&lines[l][0]);
            let compared = (from..to).filter(|k| k.is_multiple_of(COMPARED_ONE_IN));
            let pairs = compared.flat_map(|k| (from..to).map(move |l| (k, l)));
            let count = pairs.filter(|&(k, l)| strip(k) == strip(l) && begins_in(k, l)).count();
            let [from, to] = [from, to].map(|border| usize::from(sample.counted[border]));
            assert_eq!(overlaps.between(from, to), (count * COMPARED_ONE_IN) as f64);
        }
    }
}
