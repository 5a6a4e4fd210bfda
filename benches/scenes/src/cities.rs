//! Worlds that are mostly empty.

use crate::Scene;
use crate::crowds::{self, half_extents, side};
use crate::motion::{speed, velocity};
use std::f64::consts::PI;

/// Number of clusters in `cities`.
const CLUSTERS: usize = 16;
/// Width of the world of `cities`, as a multiple of that of `crowd`.
const WIDER: f64 = 20.0;
/// Distance of clusters from each other and from the edges, in sigmas: farther than any body is
/// from the center of its cluster.
const APART: f64 = 12.0;

/// 80 % of the bodies in clusters with sigma = side / sqrt(160 pi). At its bodies, a cluster of N /
/// 20 of them has a mean density of (N / 20) / (4 pi sigma^2) = 2 N / side^2, twice that of
/// `crowd`.
pub(crate) fn cities(scene: &mut Scene, bodies: usize) {
    let sizes = half_extents(scene, bodies);
    let crowd_side = side(&sizes);
    let sigma = crowd_side / (160.0 * PI).sqrt();
    let wide = WIDER * crowd_side;
    scene.world = [0.0, 0.0, wide as f32, wide as f32];
    let clusters = cluster_centers(scene, wide, APART * sigma);
    for (k, &half) in sizes.iter().enumerate() {
        let center = if k % 5 == 4 {
            [scene.random.range(0.0, wide), scene.random.range(0.0, wide)]
        } else {
            let cluster = clusters[scene.random.below(CLUSTERS)];
            let [dx, dy] = scene.random.normal_pair();
            [cluster[0] + sigma * dx, cluster[1] + sigma * dy].map(|c| c.clamp(0.0, wide) as f32)
        };
        let velocity = velocity(&mut scene.random, speed(half));
        scene.push(center, [half; 2], velocity);
    }
}

fn cluster_centers(scene: &mut Scene, wide: f64, apart: f64) -> Vec<[f64; 2]> {
    let mut clusters: Vec<[f64; 2]> = Vec::with_capacity(CLUSTERS);
    while clusters.len() < CLUSTERS {
        let [x, y] = [(); 2].map(|()| apart + (wide - 2.0 * apart) * scene.random.unit());
        if clusters.iter().all(|c| libm::hypot(c[0] - x, c[1] - y) >= apart) {
            clusters.push([x, y]);
        }
    }
    clusters
}

/// At 1e7 the spacing of f32 is 1 unit, more than a body's size: the far city consists of boxes
/// after rounding.
pub(crate) fn two_cities(scene: &mut Scene, bodies: usize) {
    let sizes = half_extents(scene, bodies);
    let (near, far) = sizes.split_at(bodies / 2);
    for (sizes, offset) in [(near, 0.0), (far, 1e7)] {
        let side = side(sizes);
        for &half in sizes {
            let center = [scene.random.range(offset, offset + side), scene.random.range(0.0, side)];
            let velocity = velocity(&mut scene.random, speed(half));
            scene.push(center, [half; 2], velocity);
        }
        scene.world = [0.0, 0.0, (offset + side).ceil() as f32, side.ceil() as f32];
    }
}

pub(crate) fn far_outlier(scene: &mut Scene, bodies: usize) {
    crowds::crowd(scene, bodies);
    if let (Some(center), Some(velocity)) = (scene.centers.last_mut(), scene.velocities.last_mut()) {
        // The outlier does not move.
        (*center, *velocity) = ([1e30; 2], [0.0; 2]);
    }
}
