//! How bodies move: by 0.1 of their side per frame, at most 0.5 units, unless a scene differs.

use crate::scene::Scene;
use crate::{SplitMix64, crowds};

/// Share of its side that a body moves per frame.
const SPEED: f64 = 0.1;
/// Most units that a body moves per frame; faster large bodies would mix the world in a few frames.
const SPEED_MAX: f64 = 0.5;
/// Frames after which marching bodies turn around; few, so that they stay about where they began.
pub(crate) const MARCH_FRAMES: u64 = 8;
/// [`Motion::Churn`] replaces one row in this many per frame.
const CHURN: usize = 20;

/// How [`Scene::advance`] moves bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Motion {
    /// Straight on, bouncing off the edges of the world.
    Bounce,
    /// Straight on without edges; all turn around every [`MARCH_FRAMES`].
    March,
    /// A new random direction in every frame.
    Brownian,
    /// Like `Bounce`, and some rows are replaced.
    Churn,
    /// Like `Bounce`, with the motion of the next frame in the displacements.
    AabbCast,
    /// Down, until something is in the way.
    Fall,
}

/// The speed of a square body, in units per frame.
#[inline]
pub(crate) fn speed(half_extent: f32) -> f64 {
    (SPEED * 2.0 * f64::from(half_extent)).min(SPEED_MAX)
}

/// A velocity in a random direction.
#[inline]
pub(crate) fn velocity(random: &mut SplitMix64, speed: f64) -> [f32; 2] {
    random.direction().map(|d| (d * speed) as f32)
}

/// Moves one coordinate by `v`, and reverses `v` at the ends of `min..=max`.
#[inline]
fn bounced(c: &mut f32, v: &mut f32, min: f32, max: f32) {
    *c += *v;
    if *c < min {
        (*c, *v) = (min, v.abs());
    } else if *c > max {
        (*c, *v) = (max, -v.abs());
    }
}

impl Scene {
    pub(crate) fn bounce(&mut self) {
        let [min_x, min_y, max_x, max_y] = self.world;
        for (center, velocity) in self.centers.iter_mut().zip(&mut self.velocities) {
            // Sleeping bodies must not change by a bit, even if they are outside of the world.
            if *velocity != [0.0; 2] {
                bounced(&mut center[0], &mut velocity[0], min_x, max_x);
                bounced(&mut center[1], &mut velocity[1], min_y, max_y);
            }
        }
    }

    pub(crate) fn march(&mut self) {
        let sign = if ((self.frame - 1) / MARCH_FRAMES).is_multiple_of(2) { 1.0 } else { -1.0 };
        for (center, velocity) in self.centers.iter_mut().zip(&self.velocities) {
            *center = [center[0] + sign * velocity[0], center[1] + sign * velocity[1]];
        }
    }

    pub(crate) fn wander(&mut self) {
        for (v, half) in self.velocities.iter_mut().zip(&self.half_extents) {
            *v = velocity(&mut self.random, speed(half[0]));
        }
        self.bounce();
    }

    pub(crate) fn churn(&mut self) {
        self.bounce();
        let count = self.centers.len() / CHURN;
        for _ in 0..count {
            let row = self.random.below(self.centers.len());
            self.centers.swap_remove(row);
            self.half_extents.swap_remove(row);
            self.velocities.swap_remove(row);
            self.ids.swap_remove(row);
        }
        let side = f64::from(self.world[2]);
        for _ in 0..count {
            let half = crowds::half_extent(&mut self.random);
            crowds::push_square(self, side, half);
        }
    }

    pub(crate) fn sweep(&mut self) {
        let [min_x, min_y, max_x, max_y] = self.world;
        let Some(displacements) = &mut self.displacements else { return };
        for (center, d) in self.centers.iter_mut().zip(displacements) {
            *center = [center[0] + d[0], center[1] + d[1]];
            *d = inward(*center, *d, [min_x, min_y, max_x, max_y]);
        }
    }
}

/// The displacement, reversed on each axis on which it would leave the world.
pub(crate) fn inward(center: [f32; 2], displacement: [f32; 2], world: [f32; 4]) -> [f32; 2] {
    std::array::from_fn(|axis| {
        let there = center[axis] + displacement[axis];
        if there < world[axis] || there > world[axis + 2] { -displacement[axis] } else { displacement[axis] }
    })
}
