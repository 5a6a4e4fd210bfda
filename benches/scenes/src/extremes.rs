//! Sizes, speeds and coordinates at the limits of f32.

use crate::Scene;
use crate::crowds::side;
use crate::motion::{Motion, inward, velocity};

/// Distance that a bullet moves per step, in its own widths.
const BULLET_SIDES: f64 = 50.0;
/// Area of the world per bullet, in squares of its width.
///
/// The swept boxes of two bullets, 50 widths long in random directions, overlap if their centers
/// are within an area of (w1 + w2)(h1 + h2), about 3,700 squares on average. Half of that gives one
/// pair per body.
const BULLET_AREA: f64 = 1_850.0;

/// Huge bodies as dense as a crowd (about one pair each), and tiny bodies at random positions, half
/// of them inside of a huge one. Each moves 0.1 of its width without the usual limit, with which
/// the huge ones would not move at all in f32.
pub(crate) fn tiny_and_huge(scene: &mut Scene, bodies: usize) {
    let halves: Vec<f32> = (0..bodies).map(|k| if k % 2 == 0 { 1e6 } else { 1e-6 }).collect();
    let edge = side(&halves) / 2.0;
    scene.world = [-edge, -edge, edge, edge].map(|c| c as f32);
    for half in halves {
        let center = [(); 2].map(|()| scene.random.range(-edge, edge));
        let velocity = velocity(&mut scene.random, 0.2 * f64::from(half));
        scene.push(center, [half; 2], velocity);
    }
}

pub(crate) fn bullets(scene: &mut Scene, bodies: usize) {
    scene.motion = Motion::AabbCast;
    // The mean width is 0.15. The world is never so small that a bullet could leave it in both
    // directions.
    let side = ((bodies as f64 * BULLET_AREA).sqrt() * 0.15).max(2.0 * BULLET_SIDES * 0.2);
    scene.world = [0.0, 0.0, side as f32, side as f32];
    let mut displacements = Vec::with_capacity(bodies);
    for _ in 0..bodies {
        let half = scene.random.range(0.05, 0.1);
        let center = [scene.random.range(0.0, side), scene.random.range(0.0, side)];
        let displacement = velocity(&mut scene.random, BULLET_SIDES * 2.0 * f64::from(half));
        scene.push(center, [half; 2], [0.0; 2]);
        displacements.push(inward(center, displacement, scene.world));
    }
    scene.displacements = Some(displacements);
}

/// The distance from a number to the next one away from zero.
fn ulp_of(x: f32) -> f32 {
    x.abs().next_up() - x.abs()
}

/// Bodies within a few ulps of sites at positive and negative powers of two on each axis, half of
/// them on the diagonals. They march one ulp per frame.
pub(crate) fn ulp(scene: &mut Scene, bodies: usize) {
    scene.motion = Motion::March;
    scene.world = [-f32::MAX, -f32::MAX, f32::MAX, f32::MAX];
    // Wide enough for only a few pairs per body, however many bodies share a site.
    let spread = ((bodies as f64 / 384.0).sqrt() as usize).max(2);
    for _ in 0..bodies {
        let exponents = [scene.random.below(128) as i32, scene.random.below(128) as i32];
        let diagonal = scene.random.next_u64() & 1 == 1;
        let base = [exponents[0], exponents[usize::from(!diagonal)]].map(|exponent| 2f32.powi(exponent));
        let center = base.map(|b| {
            let steps = scene.random.below(2 * spread + 1) as f32 - spread as f32;
            let sign = if scene.random.next_u64() & 1 == 1 { 1.0 } else { -1.0 };
            sign * (b + steps * ulp_of(b))
        });
        let half = center.map(|c| scene.random.below(5) as f32 * ulp_of(c));
        let velocity = center.map(ulp_of);
        scene.push(center, half, velocity);
    }
}

pub(crate) fn zero_size(scene: &mut Scene, bodies: usize) {
    // N^2 / 2 pairs of points over side^2 positions: one per body.
    let side = ((bodies as f64 / 2.0).sqrt().ceil() as usize).max(1);
    scene.world = [0.0, 0.0, side as f32, side as f32];
    for k in 0..bodies {
        let center = [(); 2].map(|()| scene.random.below(side + 1) as f32);
        let half = match k % 8 {
            0 => [0.4, 0.0],
            1 => [0.0, 0.4],
            _ => [0.0, 0.0],
        };
        // Steps of whole units keep coordinates whole.
        let velocity = [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]][scene.random.below(4)];
        scene.push(center, half, velocity);
    }
}
