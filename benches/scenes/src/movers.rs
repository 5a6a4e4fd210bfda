//! A scene of which only some bodies move, for steps that are told which.

use crate::{Scene, SplitMix64};

/// Part of its side that a body moves in a frame.
const STEP: f32 = 0.1;

/// The bodies of a scene that move: always the same, or others in each frame.
#[derive(Clone, Debug)]
pub struct Movers {
    /// The rows that move in a frame, each once, in any order.
    pub rows: Vec<u32>,
    velocities: Vec<[f32; 2]>,
    scattered: bool,
    random: SplitMix64,
}

impl Movers {
    /// Chooses `count` bodies of a scene that move, or all; others in each frame if `scattered`.
    pub fn new(scene: &Scene, count: usize, scattered: bool) -> Self {
        let mut random = SplitMix64::new(scene.seed);
        let velocity = |half: &[f32; 2]| random.direction().map(|v| v as f32 * half[0] * 2.0 * STEP);
        let velocities = scene.half_extents.iter().map(velocity).collect();
        let mut movers = Self { rows: Vec::new(), velocities, scattered, random };
        movers.choose(count.min(scene.centers.len()));
        movers
    }

    fn choose(&mut self, count: usize) {
        let mut chosen = vec![false; self.velocities.len()];
        self.rows.clear();
        while self.rows.len() < count {
            let row = self.random.below(chosen.len());
            if !std::mem::replace(&mut chosen[row], true) {
                self.rows.push(row as u32);
            }
        }
    }

    /// Moves these bodies by a frame; they bounce off the edges of the world.
    pub fn advance(&mut self, scene: &mut Scene) {
        if self.scattered {
            self.choose(self.rows.len());
        }
        for &row in &self.rows {
            let (center, velocity) = (&mut scene.centers[row as usize], &mut self.velocities[row as usize]);
            for axis in 0..2 {
                center[axis] += velocity[axis];
                if center[axis] < scene.world[axis] || center[axis] > scene.world[axis + 2] {
                    velocity[axis] = -velocity[axis];
                    center[axis] += 2.0 * velocity[axis];
                }
            }
        }
    }
}
