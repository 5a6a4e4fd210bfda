//! zelll: cell lists, rebuilt each frame; with more than one thread its pairs are tested in
//! parallel, the build is not.
//!
//! It finds the pairs of points that may be closer than a cutoff, which is the width of its cells.
//! A box is entered as its lower corner. The cutoff is at least the largest side, so the pairs of
//! points include those of all boxes that overlap, and a test of the boxes rejects the others. That
//! suits bodies of about one size. With statics, the cutoff would have to be the largest side of a
//! static, so scenes with statics are left out.
//!
//! Its documentation advises small `Copy` particles, so each particle contains its box. It also
//! says that entering points in spatial order is faster. Here it was not: with boxes along a
//! Z-curve, sorted again every 16 frames, `crowd` with 100,000 bodies took 3.35 times as long as
//! `afternoon_grid`, and 3.2 times in the order of rows; with 1,000,000 there was no difference.

use crate::boxes::{Box4, body_boxes, ordered, overlaps};
use crate::engine::{Engine, Found, Frame};
use triphase_scenes::SceneName;
use zelll::rayon::ParallelIterator;
use zelll::{CellGrid, ParticleLike};

/// Width of a cell, as a multiple of the largest side of a body. 1 would suffice, but each cell is
/// looked up in a hash map, so fewer, larger ones are faster.
///
/// With 2, 3, 4 and 5, as multiples of the time of `afternoon_grid` in the same frames (100,000
/// bodies, one thread, an Intel Xeon): `crowd` 3.4, 2.8, 2.6, 2.7; `cities` 2.3, 2.2, 2.4, 2.6;
/// `sleepers` 3.3, 2.8, 2.6, 2.7.
const SIDES_PER_CELL: f32 = 4.0;

/// Whether a scene has bodies of about one size, no statics, and a world whose cells `i32` can
/// count.
pub fn fits(scene: SceneName) -> bool {
    use SceneName::{
        Brownian, Bullets, Churn, Cities, Coincident, Crowd, Diagonal, Gravity, Lattice1, LineX, LineY,
        NegativeCoordinates, One, Sleepers, Touching,
    };
    matches!(
        scene,
        Crowd
            | Cities
            | Sleepers
            | Brownian
            | Gravity
            | Churn
            | Lattice1
            | LineX
            | LineY
            | Diagonal
            | Coincident
            | Touching
            | Bullets
            | NegativeCoordinates
            | One
    )
}

/// A box, placed at its lower corner.
#[derive(Clone, Copy, Default)]
struct Particle {
    aabb: Box4,
    row: u32,
}

impl ParticleLike<[f32; 2]> for Particle {
    #[inline(always)]
    fn coords(&self) -> [f32; 2] {
        [self.aabb[0], self.aabb[1]]
    }
}

/// Cell lists of the bodies.
pub struct Zelll {
    parallel: bool,
    boxes: Vec<Box4>,
    grid: CellGrid<Particle, 2, f32>,
}

impl Zelll {
    /// Creates the engine for this many threads.
    pub fn new(threads: usize) -> Self {
        Self { parallel: threads > 1, boxes: Vec::new(), grid: CellGrid::default() }
    }
}

impl Engine for Zelll {
    fn name(&self) -> &'static str {
        "zelll"
    }

    fn set_statics(&mut self, statics: &[[f32; 4]]) {
        assert!(statics.is_empty(), "scenes with statics do not suit zelll");
    }

    fn step(&mut self, frame: Frame<'_>, found: &mut Found) {
        found.clear();
        let Self { boxes, grid, .. } = self;
        let known = boxes.len();
        boxes.clear();
        boxes.extend(body_boxes(frame));
        let particles = boxes.iter().zip(0..).map(|(&aabb, row)| Particle { aabb, row });
        if boxes.len() == known {
            grid.rebuild_mut(particles, Some(cutoff(boxes)));
        } else {
            // `rebuild_mut` overlooks points that are added to the first cell.
            *grid = CellGrid::new(particles, cutoff(boxes));
        }
        if self.parallel {
            // Cell by cell: `par_particle_pairs` took 1.7 times as long in two threads.
            let parts: Vec<Vec<[u32; 2]>> = grid
                .par_iter()
                .fold(Vec::new, |mut part, cell| {
                    cell.particle_pairs().for_each(|(a, b)| push(&mut part, a, b));
                    part
                })
                .collect();
            parts.iter().for_each(|part| found.bodies.extend_from_slice(part));
        } else {
            grid.particle_pairs().for_each(|(a, b)| push(&mut found.bodies, a, b));
        }
    }
}

#[inline(always)]
fn push(pairs: &mut Vec<[u32; 2]>, a: &Particle, b: &Particle) {
    if overlaps(&a.aabb, &b.aabb) {
        pairs.push(ordered(a.row, b.row));
    }
}

/// The largest distance, on one axis, of the lower corners of boxes that overlap, with room for the
/// rounding of cell coordinates: two corners at this distance must not be two cells apart.
fn cutoff(boxes: &[Box4]) -> f32 {
    let (mut side, mut bounds) = (0.0f32, [f32::MAX, f32::MAX, f32::MIN, f32::MIN]);
    for &[min_x, min_y, max_x, max_y] in boxes {
        side = side.max(max_x - min_x).max(max_y - min_y);
        bounds = [bounds[0].min(min_x), bounds[1].min(min_y), bounds[2].max(max_x), bounds[3].max(max_y)];
    }
    // A coordinate is a difference and a quotient, each off by half an epsilon of itself at most.
    let room = (bounds[2] - bounds[0]).max(bounds[3] - bounds[1]) * 4.0 * f32::EPSILON;
    SIDES_PER_CELL * side + room
}
