//! Layouts that were found by a search for slow ones.

use crate::Scene;
use crate::motion::{Motion, speed, velocity};

/// Half the thickness of the thin boxes in a shaft.
const THIN: f64 = 1e-4;
/// Bodies in a cluster of `shaft_clustered`, on average.
const CLUSTER: usize = 19;

/// A world ten thousand times as high as wide: tall boxes, wide ones, and squares of five decades.
///
/// If `clustered`, every second body is in one of many tight clusters.
pub(crate) fn shaft(scene: &mut Scene, bodies: usize, clustered: bool) {
    let unit = (bodies.max(1) as f64).sqrt();
    let [width, height] = [0.01 * unit, 100.0 * unit];
    scene.world = [0.0, 0.0, width as f32, height as f32];
    let center = |scene: &mut Scene| [scene.random.range(0.0, width), scene.random.range(0.0, height)];
    let clusters: Vec<[f32; 2]> = (0..bodies / (2 * CLUSTER) + 1).map(|_| center(scene)).collect();
    for k in 0..bodies {
        let at = if clustered && k % 2 == 0 {
            let [x, y] = clusters[scene.random.below(clusters.len())];
            let [dx, dy] = [(); 2].map(|()| scene.random.range(-THIN * unit, THIN * unit));
            [(x + dx).clamp(0.0, scene.world[2]), (y + dy).clamp(0.0, scene.world[3])]
        } else {
            center(scene)
        };
        let square = 0.09 * libm::pow(10.0, -5.0 * scene.random.unit());
        let half = match k % 7 {
            0 => [THIN, 7.0 * unit],
            1 => [7e-4 * unit, THIN],
            _ => [square; 2],
        };
        let half = half.map(|half| half as f32);
        let velocity = velocity(&mut scene.random, speed(half[0].min(half[1])));
        scene.push(at, half, velocity);
    }
}

/// Boxes on the steps of a stair, each tenth of them sixty steps long: no pairs.
pub(crate) fn staircase(scene: &mut Scene, bodies: usize) {
    let side = bodies as f32;
    scene.world = [0.0, 0.0, side, side];
    scene.motion = Motion::March;
    for k in 0..bodies {
        let x = k as f64 + 0.5 * scene.random.unit();
        let half_length = if k % 10 == 0 { 30.5 } else { 0.5 };
        scene.push([x as f32, k as f32], [half_length, 0.4], [0.08, 0.08]);
    }
}

/// Lines along x of all lengths, and a few large squares.
pub(crate) fn lines_and_squares(scene: &mut Scene, bodies: usize) {
    let side = (bodies.max(1) as f64).sqrt();
    scene.world = [0.0, 0.0, side as f32, side as f32];
    for k in 0..bodies {
        let center = scene.random.point(0.0, side as f32);
        let half = if k % 1000 == 0 {
            [side / 8.0; 2]
        } else {
            let length = f64::from(scene.random.range(-4.0, 21.0)).exp2();
            [length, length * (-36f64).exp2()]
        };
        let half = half.map(|half| half as f32);
        let velocity = velocity(&mut scene.random, 0.1);
        scene.push(center, half, velocity);
    }
}
