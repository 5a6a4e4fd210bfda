//! How bodies move: by 0.1 of their side per frame, at most 0.5 units, unless a scene differs.

use crate::SplitMix64;

/// Share of its side that a body moves per frame.
const SPEED: f64 = 0.1;
/// Most units that a body moves per frame; faster large bodies would mix the world in a few frames.
const SPEED_MAX: f64 = 0.5;
/// Frames after which marching bodies turn around; few, so that they stay about where they began.
pub(crate) const MARCH_FRAMES: u64 = 8;

/// How [`Scene::advance`](crate::Scene::advance) moves bodies.
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

/// The displacement, reversed on each axis on which it would leave the world.
pub(crate) fn inward(center: [f32; 2], displacement: [f32; 2], world: [f32; 4]) -> [f32; 2] {
    std::array::from_fn(|axis| {
        let there = center[axis] + displacement[axis];
        if there < world[axis] || there > world[axis + 2] { -displacement[axis] } else { displacement[axis] }
    })
}
