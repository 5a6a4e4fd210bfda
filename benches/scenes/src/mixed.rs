//! Mixed sizes and shapes that do not suit cells of one size: layouts that are hard for grids.

use crate::Scene;
use crate::motion::{speed, velocity};

/// Length of a long thin box, and half of its thickness.
const LONG: f64 = 48.0;
const HALF_THIN: f32 = 0.005;
/// Number of bodies per string of the harp.
const STRING: usize = 10;
/// Number of clusters, and of nested scales in each of them, from 0.01 to 100.
const SITES: usize = 20;
const SCALES: usize = 5;

/// Wide boxes in the left half of the world, tall boxes in the right half.
pub(crate) fn wide_and_tall(scene: &mut Scene, bodies: usize) {
    let side = square(scene, bodies, 2.0 * LONG);
    for k in 0..bodies {
        let y = scene.random.range(-side / 2.0, side / 2.0);
        let half_long = (LONG / 2.0) as f32;
        let (x, half) = if k % 2 == 0 {
            (scene.random.range(-side / 2.0, -LONG), [half_long, HALF_THIN])
        } else {
            (scene.random.range(LONG, side / 2.0), [HALF_THIN, half_long])
        };
        let velocity = velocity(&mut scene.random, speed(HALF_THIN));
        scene.push([x, y], half, velocity);
    }
}

/// At each site, bodies of five scales around one corner. The width of a body is a twenty-fifth of
/// the width of the area of its scale.
pub(crate) fn nested_clusters(scene: &mut Scene, bodies: usize) {
    let side = square(scene, bodies, 400.0);
    for _ in 0..bodies {
        let site = (scene.random.next_u64() % SITES as u64) as usize;
        let width = 10f64.powi((scene.random.next_u64() % SCALES as u64) as i32 - 2);
        // Sites on a grid, one in each line and in each column.
        let corner = [site, site * 7 % SITES].map(|k| (k as f64 / SITES as f64 - 0.5) * (side - 200.0));
        let center = corner.map(|corner| corner as f32 + scene.random.range(0.0, width));
        let half = (0.02 * width) as f32;
        let velocity = velocity(&mut scene.random, speed(half).min(1e-3));
        scene.push(center, [half; 2], velocity);
    }
}

/// Upright strings as long as the world, and points between them.
pub(crate) fn harp(scene: &mut Scene, bodies: usize) {
    let side = square(scene, bodies, 10.0);
    for k in 0..bodies {
        let x = scene.random.range(-side / 2.0, side / 2.0);
        if k % STRING == 0 {
            scene.push([x, 0.0], [5e-5, (side / 2.0) as f32], [1e-5, 0.0]);
        } else {
            let y = scene.random.range(-side / 2.0, side / 2.0);
            let velocity = velocity(&mut scene.random, 0.05);
            scene.push([x, y], [0.0; 2], velocity);
        }
    }
}

/// Half of the bodies side by side along x, half along y: whichever axis the world is divided
/// along, half of the bodies are in one part.
pub(crate) fn cross(scene: &mut Scene, bodies: usize) {
    let side = 2.0 * bodies as f64;
    let edge = (side / 2.0) as f32 + 1.0;
    scene.world = [-edge, -edge, edge, edge];
    for k in 0..bodies {
        let along = (2.0 * k as f64 - side / 2.0) as f32;
        let (center, velocity) = if k % 2 == 0 { ([along, 0.0], [0.1, 0.0]) } else { ([0.0, along], [0.0, 0.1]) };
        scene.push(center, [0.5; 2], velocity);
    }
}

/// As `cross`, but in corridors twice as wide as the bodies: at different places across them.
pub(crate) fn corridors(scene: &mut Scene, bodies: usize) {
    let side = bodies as f64 / 2.0;
    let edge = (side / 2.0) as f32 + 1.0;
    scene.world = [-edge, -edge, edge, edge];
    for k in 0..bodies {
        let (along, across) = (scene.random.range(-side / 2.0, side / 2.0), scene.random.range(-1.0, 1.0));
        let center = if k % 2 == 0 { [along, across] } else { [across, along] };
        let velocity = velocity(&mut scene.random, 0.1);
        scene.push(center, [0.5; 2], velocity);
    }
}

/// Sets a square world around the origin, with an area of 1.4 per body. Returns its width, at least
/// `least`.
fn square(scene: &mut Scene, bodies: usize, least: f64) -> f64 {
    let side = (1.4 * bodies as f64).sqrt().max(least);
    let edge = (side / 2.0) as f32;
    scene.world = [-edge, -edge, edge, edge];
    side
}
