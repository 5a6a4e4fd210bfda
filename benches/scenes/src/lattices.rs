//! Regular arrangements. All bodies march in step, so that the arrangement stays.

use crate::Scene;
use crate::crowds::half_extents;
use crate::motion::{MARCH_FRAMES, Motion, speed, velocity};

/// Motion of a marching lattice per frame: sums of powers of two, so that a lattice on whole
/// coordinates stays exact.
const MARCH: [f32; 2] = [0.0625, 0.03125];
/// Number of bodies at one point.
const GROUP: usize = 1000;
/// Mean distance between such points, in units: far enough to overlap rarely.
const GROUP_SPACING: f64 = 16.0;
/// Spacing of the sparse bodies around the crowded cell: four times their largest width.
const SPARSE_SPACING: f32 = 4.0;

/// Number of columns of a square lattice for this many bodies.
fn columns(count: usize) -> usize {
    ((count as f64).sqrt().ceil() as usize).max(1)
}

/// Sets the world of a marching lattice of this width, with room for the march.
fn marching_world(scene: &mut Scene, side: f32) {
    let room = MARCH_FRAMES as f32 * 0.125;
    scene.motion = Motion::March;
    scene.world = [-room, -room, side + room, side + room];
}

pub(crate) fn lattice(scene: &mut Scene, bodies: usize, spacing: f32) {
    let columns = columns(bodies);
    marching_world(scene, columns as f32 * spacing);
    for (k, half) in half_extents(scene, bodies).into_iter().enumerate() {
        let center = [(k % columns) as f32 * spacing, (k / columns) as f32 * spacing];
        scene.push(center, [half; 2], MARCH);
    }
}

/// All numbers are multiples of 1/32, so touching edges are equal bit for bit.
pub(crate) fn touching(scene: &mut Scene, bodies: usize) {
    let columns = columns(bodies);
    marching_world(scene, columns as f32);
    for k in 0..bodies {
        scene.push([(k % columns) as f32, (k / columns) as f32], [0.5; 2], MARCH);
    }
}

pub(crate) fn coincident(scene: &mut Scene, bodies: usize) {
    let sizes = half_extents(scene, bodies);
    let side = columns(bodies.div_ceil(GROUP)) as f64 * GROUP_SPACING;
    scene.world = [0.0, 0.0, side as f32, side as f32];
    for group in sizes.chunks(GROUP) {
        let center = [scene.random.range(0.0, side), scene.random.range(0.0, side)];
        // One velocity for all of them, so they stay together when they bounce.
        let velocity = velocity(&mut scene.random, speed(0.425));
        for &half in group {
            scene.push(center, [half; 2], velocity);
        }
    }
}

pub(crate) fn sparse_crowded_cell(scene: &mut Scene, bodies: usize) {
    let tiny_count = bodies / 2;
    let sizes = half_extents(scene, bodies - tiny_count);
    let sparse_columns = columns(sizes.len() + 1);
    marching_world(scene, sparse_columns as f32 * SPARSE_SPACING);
    for (k, &half) in sizes.iter().enumerate() {
        // The first place is left to the tiny bodies.
        let (column, row) = ((k + 1) % sparse_columns, (k + 1) / sparse_columns);
        scene.push([column as f32 * SPARSE_SPACING, row as f32 * SPARSE_SPACING], [half; 2], MARCH);
    }
    let tiny_columns = columns(tiny_count);
    let spacing = 1.0 / tiny_columns as f64;
    // Three fifths of the spacing wide: rounding cannot close the gaps.
    let half = (0.3 * spacing) as f32;
    let step = speed(half) as f32;
    for k in 0..tiny_count {
        let center = [(k % tiny_columns) as f64 * spacing, (k / tiny_columns) as f64 * spacing];
        scene.push(center.map(|c| c as f32), [half; 2], [step, 0.5 * step]);
    }
}
