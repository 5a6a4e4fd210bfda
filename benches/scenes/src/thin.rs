//! Long thin boxes that do not overlap each other, although nearly all of them do on one axis.

use crate::Scene;
use crate::crowds::WALL;
use crate::motion::{MARCH_FRAMES, Motion, speed, velocity};

/// Distance between two beams, in units: twice the largest thickness. At the edge of a world of a
/// million beams the spacing of f32 is a quarter of a unit, and beams must not touch.
const SPACING: f64 = 4.0;
/// Number of other boxes that a box of the staircase overlaps on one axis.
const STAIR_OVERLAPS: f64 = 1000.0;

/// One beam at each height, along `axis`, moving lengthwise.
pub(crate) fn beams(scene: &mut Scene, bodies: usize, axis: usize) {
    let side = SPACING * bodies as f64;
    let edge = (side / 2.0) as f32;
    scene.world = [-edge, -edge, edge, edge];
    for k in 0..bodies {
        let half_thickness = scene.random.range(0.5, 1.0);
        let along = scene.random.range(-0.01 * side, 0.01 * side);
        let across = (SPACING * (k as f64 + 0.5) - side / 2.0) as f32;
        let sign = if scene.random.next_u64() & 1 == 1 { 1.0 } else { -1.0 };
        let step = sign * speed(half_thickness) as f32;
        let (center, half, v) = ([along, across], [edge, half_thickness], [step, 0.0]);
        let turned = |[x, y]: [f32; 2]| if axis == 0 { [x, y] } else { [y, x] };
        scene.push(turned(center), turned(half), turned(v));
    }
}

/// Bodies smaller than the gaps between static beams, at random positions: each touches at most one
/// beam.
pub(crate) fn beams_static(scene: &mut Scene, bodies: usize) {
    let beams = bodies / WALL;
    let side = SPACING * beams.max(1) as f64;
    let edge = (side / 2.0) as f32;
    scene.world = [-edge, -edge, edge, edge];
    for k in 0..beams {
        let half_thickness = scene.random.range(0.5, 1.0);
        let y = (SPACING * (k as f64 + 0.5) - side / 2.0) as f32;
        scene.statics.push([-edge, y - half_thickness, edge, y + half_thickness]);
    }
    for _ in 0..bodies {
        let half = scene.random.range(0.35, 0.5);
        let center = [(); 2].map(|()| scene.random.range(-side / 2.0, side / 2.0));
        let velocity = velocity(&mut scene.random, speed(half));
        scene.push(center, [half; 2], velocity);
    }
}

/// Each box is a little to the right of the one before and more than a thickness above it. All
/// march in step.
pub(crate) fn thin_diagonal(scene: &mut Scene, bodies: usize) {
    let step_x = 2.0;
    let half_length = (0.5 * STAIR_OVERLAPS * step_x) as f32;
    let (width, height) = (step_x * bodies as f64, SPACING * bodies as f64);
    let room = MARCH_FRAMES as f64;
    scene.motion = Motion::March;
    scene.world =
        [-width / 2.0 - room, -height / 2.0 - room, width / 2.0 + room, height / 2.0 + room].map(|c| c as f32);
    for k in 0..bodies {
        let half_thickness = scene.random.range(0.5, 1.0);
        let center = [step_x * k as f64 - width / 2.0, SPACING * k as f64 - height / 2.0];
        scene.push(center.map(|c| c as f32), [half_length, half_thickness], [0.125, 0.125]);
    }
}
