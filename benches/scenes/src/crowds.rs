//! `crowd` and scenes that are derived from it.

use crate::motion::{Motion, speed, velocity};
use crate::{Scene, SplitMix64};

/// Area fraction of a crowd: the sum of the areas of its boxes, divided by the area of its world.
const AREA_FRACTION: f64 = 0.5;
/// One body in this many is a dragon.
const DRAGON: usize = 1000;
/// One wall for this many bodies.
pub(crate) const WALL: usize = 5;
/// Walls for each body among many walls.
const WALLS_AROUND: usize = 20;
/// One body in this many is in the swarm of `swarm`, up to a number.
const SWARM: usize = 20;
const SWARM_MAX: usize = 5000;
/// One body in this many is awake in `sleepers`.
const AWAKE: usize = 20;
/// Ratio of the largest half-extent of `power_law` to the smallest, 0.05.
const POWER_LAW_RATIO: f64 = 1000.0;

/// A random half-extent of a body of a crowd.
#[inline]
pub(crate) fn half_extent(random: &mut SplitMix64) -> f32 {
    random.range(0.35, 0.5)
}

/// Random half-extents of a crowd.
pub(crate) fn half_extents(scene: &mut Scene, bodies: usize) -> Vec<f32> {
    (0..bodies).map(|_| half_extent(&mut scene.random)).collect()
}

/// The width of the world in which squares of these half-extents have the area fraction of a crowd.
pub(crate) fn side(half_extents: &[f32]) -> f64 {
    side_of(half_extents, AREA_FRACTION)
}

fn side_of(half_extents: &[f32], area_fraction: f64) -> f64 {
    let area: f64 = half_extents.iter().map(|&half| 4.0 * f64::from(half) * f64::from(half)).sum();
    (area / area_fraction).sqrt()
}

/// Adds a square at a random position in `0..=side`, with a random velocity.
#[inline]
pub(crate) fn push_square(scene: &mut Scene, side: f64, half: f32) {
    let center = [scene.random.range(0.0, side), scene.random.range(0.0, side)];
    let velocity = velocity(&mut scene.random, speed(half));
    scene.push(center, [half; 2], velocity);
}

/// Adds squares of these sizes at random positions in a world of this width.
pub(crate) fn fill(scene: &mut Scene, side: f64, half_extents: &[f32]) {
    scene.world = [0.0, 0.0, side as f32, side as f32];
    for &half in half_extents {
        push_square(scene, side, half);
    }
}

pub(crate) fn crowd(scene: &mut Scene, bodies: usize) {
    let sizes = half_extents(scene, bodies);
    fill(scene, side(&sizes), &sizes);
}

/// Squares with sizes over a range, and an area fraction of their own.
pub(crate) fn spread(scene: &mut Scene, bodies: usize, size_ratio: f64, area_fraction: f64) {
    let half_extent = |random: &mut SplitMix64| (0.35 * libm::pow(size_ratio, random.unit())) as f32;
    let sizes: Vec<f32> = (0..bodies).map(|_| half_extent(&mut scene.random)).collect();
    fill(scene, side_of(&sizes, area_fraction), &sizes);
}

/// A crowd with another kind of motion.
pub(crate) fn moving_by(scene: &mut Scene, bodies: usize, motion: Motion) {
    crowd(scene, bodies);
    scene.motion = motion;
    if matches!(motion, Motion::Fall) {
        // No body begins below the floor.
        for (center, half) in scene.centers.iter_mut().zip(&scene.half_extents) {
            center[1] = center[1].max(half[1]);
        }
    }
}

pub(crate) fn dragons(scene: &mut Scene, bodies: usize) {
    let mut sizes = half_extents(scene, bodies);
    // The world is as large as without dragons.
    let side = side(&sizes);
    for half in &mut sizes[..bodies / DRAGON] {
        *half = scene.random.range(5.0, 25.0);
    }
    fill(scene, side, &sizes);
}

pub(crate) fn castles(scene: &mut Scene, bodies: usize) {
    dragons(scene, bodies);
    walls(scene, bodies / WALL);
}

/// As dense in walls as `castles`.
pub(crate) fn few_among_many(scene: &mut Scene, bodies: usize) {
    let sizes = half_extents(scene, bodies);
    fill(scene, side(&sizes) * ((WALLS_AROUND * WALL) as f64).sqrt(), &sizes);
    walls(scene, bodies * WALLS_AROUND);
}

/// The swarm is as large as a few bodies, so that most of all pairs are in one place.
pub(crate) fn swarm(scene: &mut Scene, bodies: usize) {
    crowd(scene, bodies);
    let [middle_x, middle_y] = [0, 1].map(|axis| f64::from(scene.world[axis + 2]) / 2.0);
    for center in &mut scene.centers[..(bodies / SWARM).min(SWARM_MAX)] {
        let [x, y] = scene.random.normal_pair();
        *center = [(middle_x + x) as f32, (middle_y + y) as f32];
    }
}

/// Trees as far apart as the bodies.
pub(crate) fn forest(scene: &mut Scene, bodies: usize) {
    crowd(scene, bodies);
    let side = f64::from(scene.world[2]);
    for _ in 0..bodies {
        let [x, y] = [0, 1].map(|_| scene.random.range(0.0, side));
        scene.statics.push([x - 0.1, y - 0.1, x + 0.1, y + 0.1]);
    }
}

/// Bodies on a map of six cells for each of them.
pub(crate) fn tile_map(scene: &mut Scene, bodies: usize) {
    let sizes = half_extents(scene, bodies);
    let cells = libm::ceil(libm::sqrt(6.0 * bodies as f64)) as usize;
    fill(scene, cells as f64, &sizes);
    for (x, y) in (0..cells).flat_map(|y| (0..cells).map(move |x| (x, y))) {
        if !(x / 4 + y / 4).is_multiple_of(3) {
            let [x, y] = [x as f32, y as f32];
            scene.statics.push([x, y, x + 1.0, y + 1.0]);
        }
    }
}

fn walls(scene: &mut Scene, count: usize) {
    let side = f64::from(scene.world[2]);
    for _ in 0..count {
        let random = &mut scene.random;
        let (x, y, half_length) = (random.range(0.0, side), random.range(0.0, side), random.range(1.0, 8.0));
        let upright = random.next_u64() & 1 == 1;
        let (half_x, half_y) = if upright { (0.5, half_length) } else { (half_length, 0.5) };
        scene.statics.push([x - half_x, y - half_y, x + half_x, y + half_y]);
    }
}

pub(crate) fn sleepers(scene: &mut Scene, bodies: usize) {
    crowd(scene, bodies);
    // Rows are shuffled later, so these are in random rows.
    for velocity in &mut scene.velocities[bodies / AWAKE..] {
        *velocity = [0.0; 2];
    }
}

pub(crate) fn power_law(scene: &mut Scene, bodies: usize) {
    let span = libm::log(POWER_LAW_RATIO);
    let sizes: Vec<f32> = (0..bodies).map(|_| (0.05 * libm::exp(span * scene.random.unit())) as f32).collect();
    fill(scene, side(&sizes), &sizes);
}

pub(crate) fn negative_coordinates(scene: &mut Scene, bodies: usize) {
    crowd(scene, bodies);
    // A whole number well above the width, so that the far edge is below zero too.
    let shift = 4096.0 + 2.0 * scene.world[2].ceil();
    scene.world = scene.world.map(|edge| edge - shift);
    for center in &mut scene.centers {
        *center = center.map(|c| c - shift);
    }
}
