//! A plain uniform grid, as most programs begin with: a box is entered in every cell that it
//! touches, by counting sort, and a pair is reported in the cell that has the lower corner of the
//! overlap. One thread, no SIMD.

/// Width of a cell, in mean sides of boxes. Narrower cells cost more entries than they save tests.
const SIDES_PER_CELL: f64 = 6.0;
/// Most cells for each box.
const CELLS_PER_BOX: f64 = 2.0;

/// The cells, with buffers that are reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlainGrid {
    /// Where the entries of each cell end.
    ends: Vec<u32>,
    /// Boxes, so that those of a cell are contiguous in memory, and their rows.
    entries: Vec<([f32; 4], u32)>,
}

/// How the world is divided.
#[derive(Clone, Copy, Debug)]
struct Cells {
    min: [f32; 2],
    per_unit: f32,
    counts: [usize; 2],
}

impl Cells {
    /// Cells for these boxes; there must be one at least.
    fn of(boxes: &[[f32; 4]]) -> Self {
        let (mut bounds, mut sides) = (boxes[0], 0.0);
        for aabb in boxes {
            for axis in 0..2 {
                bounds[axis] = bounds[axis].min(aabb[axis]);
                bounds[axis + 2] = bounds[axis + 2].max(aabb[axis + 2]);
                sides += f64::from(aabb[axis + 2]) - f64::from(aabb[axis]);
            }
        }
        let count = boxes.len() as f64;
        let extent = [0, 1].map(|axis| f64::from(bounds[axis + 2]) - f64::from(bounds[axis]));
        // Not more cells than allowed, even if all boxes are on a line, or are points.
        let side_min = (extent[0] * extent[1] / (CELLS_PER_BOX * count)).sqrt();
        let side_min = side_min.max(extent[0].max(extent[1]) / (CELLS_PER_BOX * count));
        let side = (SIDES_PER_CELL * sides / (2.0 * count)).max(side_min).max(f64::from(f32::MIN_POSITIVE));
        Self {
            min: [bounds[0], bounds[1]],
            per_unit: (1.0 / side) as f32,
            counts: extent.map(|extent| (extent / side) as usize + 1),
        }
    }

    /// The column or row of a coordinate. Monotone, so that both boxes of a pair touch the cell
    /// that reports it.
    #[inline]
    fn at(&self, coordinate: f32, axis: usize) -> usize {
        (((coordinate - self.min[axis]) * self.per_unit) as usize).min(self.counts[axis] - 1)
    }

    #[inline]
    fn for_each(&self, aabb: &[f32; 4], mut visit: impl FnMut(usize)) {
        let [left, top, right, bottom] = [0, 1, 2, 3].map(|edge| self.at(aabb[edge], edge % 2));
        for row in top..=bottom {
            (left..=right).for_each(|column| visit(row * self.counts[0] + column));
        }
    }
}

impl PlainGrid {
    /// Calls `found` with each pair of boxes that overlap, once.
    pub(crate) fn find_pairs(&mut self, boxes: &[[f32; 4]], mut found: impl FnMut(u32, u32)) {
        if boxes.is_empty() {
            return;
        }
        let cells = Cells::of(boxes);
        self.fill(&cells, boxes);
        let mut start = 0;
        for (cell, &end) in self.ends.iter().enumerate() {
            let entries = &self.entries[start as usize..end as usize];
            start = end;
            for (k, (a, i)) in entries.iter().enumerate() {
                for (b, j) in &entries[k + 1..] {
                    // One branch for all four, as each of them is hard to predict.
                    let overlap = (a[0] <= b[2]) & (b[0] <= a[2]) & (a[1] <= b[3]) & (b[1] <= a[3]);
                    if overlap && cells.at(a[1].max(b[1]), 1) * cells.counts[0] + cells.at(a[0].max(b[0]), 0) == cell {
                        found(*i, *j);
                    }
                }
            }
        }
    }

    fn fill(&mut self, cells: &Cells, boxes: &[[f32; 4]]) {
        self.ends.clear();
        self.ends.resize(cells.counts[0] * cells.counts[1], 0);
        boxes.iter().for_each(|aabb| cells.for_each(aabb, |cell| self.ends[cell] += 1));
        let mut sum = 0;
        for end in &mut self.ends {
            // Where the cell begins; each entry moves it by one, until it is the end.
            (sum, *end) = (sum + *end, sum);
        }
        self.entries.resize(sum as usize, Default::default());
        for (row, aabb) in (0..).zip(boxes) {
            cells.for_each(aabb, |cell| {
                self.entries[self.ends[cell] as usize] = (*aabb, row);
                self.ends[cell] += 1;
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use triphase::reference;
    use triphase_scenes::{Scene, SceneName};

    #[test]
    fn pairs_agree_with_brute_force() {
        let mut grid = PlainGrid::default();
        for name in [SceneName::Castles, SceneName::PowerLaw, SceneName::Touching, SceneName::LineX, SceneName::Empty] {
            let mut scene = Scene::new(name, 1_500, 3);
            for _ in 0..3 {
                let boxes = scene.boxes();
                let mut pairs = Vec::new();
                grid.find_pairs(&boxes, |i, j| pairs.push((i.min(j), i.max(j))));
                pairs.sort_unstable();
                assert_eq!(pairs, reference::self_pairs(&boxes), "{name}");
                scene.advance();
            }
        }
        let points = [[3.0, 3.0, 3.0, 3.0]; 4];
        let mut count = 0;
        grid.find_pairs(&points, |_, _| count += 1);
        assert_eq!(count, 6);
    }
}
