//! All bodies on one line.

use crate::Scene;
use crate::crowds::half_extents;
use crate::motion::speed;

/// Length of the line per body.
///
/// Two bodies overlap if they are closer than the sum of their half-extents, 0.85 on average, so
/// there are N * N / 2 * 2 * 0.85 / length pairs: one per body.
const LENGTH_PER_BODY: f64 = 0.85;

/// Bodies on a line through the origin that move along it; `direction` consists of zeros and ones.
pub(crate) fn line(scene: &mut Scene, bodies: usize, direction: [f32; 2]) {
    let length = LENGTH_PER_BODY * bodies as f64;
    let sizes = half_extents(scene, bodies);
    scene.world = [0.0, 0.0, direction[0] * length as f32, direction[1] * length as f32];
    for half in sizes {
        let along = scene.random.range(0.0, length);
        let sign = if scene.random.next_u64() & 1 == 1 { 1.0 } else { -1.0 };
        let step = sign * speed(half) as f32;
        scene.push(direction.map(|d| d * along), [half; 2], direction.map(|d| d * step));
    }
}
