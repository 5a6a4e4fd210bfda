//! Workloads that others have published figures for.

use crate::Scene;
use crate::crowds;
use crate::motion::{speed, velocity};

/// Frames per second at which speeds are given.
const FRAMES_PER_SECOND: f64 = 60.0;

/// The generator of the C library of Visual C++.
struct MsvcRand(u32);

impl MsvcRand {
    /// 15 bits.
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(214_013).wrapping_add(2_531_011);
        self.0 >> 16 & 0x7FFF
    }
}

/// The test scene of Pierre Terdiman's [box pruning](http://www.codercorner.com/blog/), without z:
/// boxes on whole coordinates, whatever the seed. Ten thousand have 190,499 pairs.
pub(crate) fn box_pruning(scene: &mut Scene, bodies: usize) {
    scene.world = [-2048.0, -2048.0, 2047.0, 2047.0];
    let mut rand = MsvcRand(42);
    for _ in 0..bodies {
        let center = [(); 3].map(|()| (rand.next() & 4095) as f32 - 2048.0);
        let half = [(); 3].map(|()| (rand.next() & 127) as f32);
        let velocity = velocity(&mut scene.random, speed(half[0].min(half[1])));
        scene.push([center[0], center[1]], [half[0], half[1]], velocity);
    }
}

/// The distributions of the broad phase benchmark of [BEPUphysics
/// 2](https://github.com/bepu/bepuphysics2): sides of `1 + 99 u^10` and speeds of `10 u^10` per
/// second, so that most bodies are small and slow. As dense as a crowd.
pub(crate) fn bepu(scene: &mut Scene, bodies: usize) {
    let sizes: Vec<f32> = (0..bodies).map(|_| (0.5 + 49.5 * scene.random.unit().powi(10)) as f32).collect();
    crowds::fill(scene, crowds::side(&sizes), &sizes);
    for velocity in &mut scene.velocities {
        let speed = 10.0 * scene.random.unit().powi(10) / FRAMES_PER_SECOND;
        *velocity = self::velocity(&mut scene.random, speed);
    }
}
