//! Scenes: bodies computed from their ids, so that each rank makes its own and none holds all.
//!
//! How a body moves depends on that body alone. So its path is the same however the world is cut,
//! and one process can compute what many should have found.

use crate::body::Body;
use triphase_scenes::SplitMix64;

/// Area fraction of a crowd: the sum of the areas of its boxes, divided by the area of its world.
const AREA_FRACTION: f64 = 0.5;
/// Half-extents of common bodies.
const COMMON: [f32; 2] = [0.35, 0.5];
/// Half-extents of dragons, and one body in how many is a dragon.
const DRAGON: [f32; 2] = [5.0, 25.0];
const DRAGON_EVERY: u64 = 1000;
/// One wall for this many bodies.
const WALL_EVERY: u64 = 5;
/// Of this many bodies, all but one are in the cluster; it is this share of the world's width.
const CLUSTER_OF: u64 = 5;
const CLUSTER_WIDTH: f64 = 0.1;
/// Frames in which the cluster crosses the world.
const CLUSTER_FRAMES: f64 = 400.0;
/// One body in this many is a beam, up to half as wide as the world.
const BEAM_EVERY: u64 = 20;
/// A multiple of this many columns of the lattice makes borders of 2, 3 and 4 even strips integers.
const LATTICE_COLUMNS: u64 = 12;
/// The share of the world's width in which bodies of `corner` begin.
const CORNER: f32 = 0.125;

/// Name of a scene.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SceneName {
    /// Bodies of about one size, spread evenly, about one pair per body
    Crowd,
    /// A crowd in which 0.1 % of the bodies are 10 to 50 times as large
    Dragons,
    /// Dragons, a wall for every five bodies, and a floor as wide as the world
    Castles,
    /// Four fifths of the bodies in a column that crosses the world
    Cluster,
    /// All bodies begin in the first eighth of the world
    Corner,
    /// A twentieth of the bodies are beams up to half as wide as the world
    Beams,
    /// Bodies and walls that touch, and begin and end exactly on borders of even strips
    Lattice,
}

/// A scene of any number of bodies, whose ids are `0..bodies`.
pub(crate) struct Scene {
    name: SceneName,
    pub(crate) bodies: u64,
    seed: u64,
    /// Centers stay between 0 and this.
    pub(crate) size: [f32; 2],
    /// Boxes that never move, as in the file of a level that each rank reads.
    pub(crate) statics: Vec<[f32; 4]>,
}

impl Scene {
    pub(crate) fn new(name: SceneName, bodies: u64, seed: u64) -> Self {
        // The mean of the square of a uniform value in low..=high.
        let [low, high] = COMMON.map(f64::from);
        let square = (low * low + low * high + high * high) / 3.0;
        let side = (bodies as f64 * 4.0 * square / AREA_FRACTION).sqrt().max(1.0) as f32;
        let mut scene = Self { name, bodies, seed, size: [side; 2], statics: Vec::new() };
        match name {
            SceneName::Cluster => {
                // The column is about as dense as a crowd.
                let stretch = ((CLUSTER_OF - 1) as f64 / CLUSTER_OF as f64 / CLUSTER_WIDTH).sqrt() as f32;
                scene.size = [side * stretch; 2];
            }
            SceneName::Corner => scene.size[0] /= CORNER,
            SceneName::Lattice => {
                let columns = bodies.isqrt().next_multiple_of(LATTICE_COLUMNS).max(LATTICE_COLUMNS);
                scene.size = [columns as f32, bodies.div_ceil(columns) as f32];
                scene.build_blocks();
            }
            SceneName::Castles => scene.build_walls(),
            SceneName::Crowd | SceneName::Dragons | SceneName::Beams => {}
        }
        scene
    }

    /// A body as it is in frame 0.
    pub(crate) fn body(&self, id: u64) -> Body {
        let mut random = self.random(id);
        let [width, height] = self.size;
        let mut half_extents = [random.range(COMMON[0], COMMON[1]); 2];
        let mut center = [random.range(0.0, width), random.range(0.0, height)];
        let speed = 0.2 * f64::from(half_extents[0]);
        let mut velocity = random.direction().map(|d| (d * speed) as f32);
        match self.name {
            SceneName::Crowd => {}
            SceneName::Dragons | SceneName::Castles if id.is_multiple_of(DRAGON_EVERY) => {
                half_extents = [random.range(DRAGON[0], DRAGON[1]); 2];
                velocity = random.direction().map(|d| (d * 0.5) as f32);
            }
            SceneName::Dragons | SceneName::Castles => {}
            SceneName::Cluster if !id.is_multiple_of(CLUSTER_OF) => {
                center[0] *= CLUSTER_WIDTH as f32;
                velocity[0] += (f64::from(width) / CLUSTER_FRAMES) as f32;
            }
            SceneName::Cluster => {}
            SceneName::Corner => center[0] *= CORNER,
            SceneName::Beams if id.is_multiple_of(BEAM_EVERY) => {
                half_extents = [random.range(1.0, width / 4.0), 0.05];
            }
            SceneName::Beams => {}
            SceneName::Lattice => {
                let columns = width as u64;
                center = [(id % columns) as f32 + 0.5, (id / columns) as f32 + 0.5];
                half_extents = [0.5; 2];
                velocity = [[0.25, 0.0], [-0.25, 0.0], [0.0, 0.0]][random.below(3)];
            }
        }
        Body { id, center, half_extents, velocity }
    }

    /// Moves a body by one frame: straight on, bouncing off the edges of the world.
    #[inline]
    pub(crate) fn advance(&self, center: &mut [f32; 2], velocity: &mut [f32; 2]) {
        for axis in 0..2 {
            let (c, v, max) = (&mut center[axis], &mut velocity[axis], self.size[axis]);
            *c += *v;
            if *c < 0.0 {
                (*c, *v) = (0.0, v.abs());
            } else if *c > max {
                (*c, *v) = (max, -v.abs());
            }
        }
    }

    /// Random numbers of their own for each id.
    pub(crate) fn random(&self, id: u64) -> SplitMix64 {
        // Seeds that differ little give sequences that overlap; what they generate does not.
        SplitMix64::new(SplitMix64::new(self.seed ^ id.rotate_left(32)).next_u64())
    }

    /// Walls on the lattice, up to three cells wide.
    fn build_blocks(&mut self) {
        let [columns, rows] = self.size.map(|cells| cells as usize);
        for k in 0..self.bodies / WALL_EVERY {
            let mut random = self.random(!k);
            let [x, y, width] = [random.below(columns), random.below(rows), 1 + random.below(3)];
            self.statics.push([x, y, x + width, y + 1].map(|edge| edge as f32));
        }
    }

    fn build_walls(&mut self) {
        let [width, height] = self.size;
        for k in 0..self.bodies / WALL_EVERY {
            let mut random = self.random(!k);
            let (x, y, half_length) = (random.range(0.0, width), random.range(0.0, height), random.range(1.0, 8.0));
            let upright = random.next_u64() & 1 == 1;
            let (half_x, half_y) = if upright { (0.5, half_length) } else { (half_length, 0.5) };
            self.statics.push([x - half_x, y - half_y, x + half_x, y + half_y]);
        }
        self.statics.push([-1.0, -1.0, width + 1.0, 0.0]);
    }
}
