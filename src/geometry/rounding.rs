//! Conversions from f64 to f32 that round outward, and allowances for rounding.

use crate::geometry::raw_box::RawAabb;

/// Far more than a few sums and products of f64 lose, far less than f32 can resolve.
pub(super) const ROUNDING: f64 = 1.0 / (1u64 << 48) as f64;

/// A square root times this is not below the exact root.
pub(crate) const ROOT: f64 = 1.0 + 1e-12;

/// The greatest f32 that is not above `v`.
pub(crate) fn round_down(v: f64) -> f32 {
    let nearest = v as f32;
    if f64::from(nearest) > v { nearest.next_down() } else { nearest }
}

/// The least f32 that is not below `v`.
pub(crate) fn round_up(v: f64) -> f32 {
    let nearest = v as f32;
    if f64::from(nearest) < v { nearest.next_up() } else { nearest }
}

/// A square around a point whose sides are at least `half_side` away.
///
/// A box that does not overlap it is at least `half_side` away on one axis: its edge is beyond the
/// square's, and the rounding of distances is monotone.
pub(crate) fn square([x, y]: [f32; 2], half_side: f64) -> RawAabb {
    let (x, y) = (f64::from(x), f64::from(y));
    [round_down(x - half_side), round_down(y - half_side), round_up(x + half_side), round_up(y + half_side)]
}

/// A box around a point that overlaps every box within `bounds` whose distance from the point is at
/// most `radius`.
///
/// If the point is in the bounds, the box is a square. If the point is far outside, the part of the
/// circle within the bounds may be small although the radius is large; then the box is narrow.
///
/// If the bounds are at a distance `gap` from the point on one axis, so is each box within them, at
/// least. So on the other axis a box is at most `sqrt(radius^2 - gap^2)` away. The radius is
/// enlarged by more than f64 can lose.
pub(crate) fn ball_box([x, y]: [f32; 2], radius: f64, bounds: &RawAabb) -> RawAabb {
    let [left, top, right, bottom] = bounds.map(f64::from);
    let (x, y) = (f64::from(x), f64::from(y));
    let half = |gap: f64| {
        let squared = radius * radius * ROOT - gap * gap;
        // NaN is infinity less infinity: an infinite radius includes boxes at an infinite distance.
        if squared.is_nan() { f64::INFINITY } else { squared.max(0.0).sqrt() }
    };
    let half_x = half((top - y).max(y - bottom).max(0.0));
    let half_y = half((left - x).max(x - right).max(0.0));
    [round_down(x - half_x), round_down(y - half_y), round_up(x + half_x), round_up(y + half_y)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{distance_squared, overlaps};
    use triphase_scenes::SplitMix64;

    #[test]
    fn boxes_within_the_radius_overlap_the_box_of_the_ball() {
        let mut random = SplitMix64::new(3);
        let mut near = 0;
        for k in 0..200_000 {
            let scale = 10f32.powi(k % 40 - 20);
            let [bounds, inner] =
                [1.0f32, 0.999].map(|part| [-scale * part, -scale * part, scale * part, scale * part]);
            let [x, y] = random.point(inner[0], inner[2]);
            let aabb = [x, y, x + random.range(0.0, 0.001) * scale, y];
            // Inside, beside, off a corner, and far away.
            let far = 10f32.powi((k / 40) % 12 - 1) * scale;
            let point = [random.range(-1.0, 1.0) * far, random.range(-1.0, 1.0) * if k % 3 == 0 { scale } else { far }];
            let distance = distance_squared(&aabb, point);
            for radius in [distance.sqrt() * ROOT, distance.sqrt() * 1.001, distance.sqrt() * 0.999] {
                if distance <= radius * radius {
                    assert!(
                        overlaps(&aabb, &ball_box(point, radius, &bounds)),
                        "{aabb:?} from {point:?} within {radius}"
                    );
                    near += 1;
                }
            }
            assert_eq!(ball_box(point, f64::INFINITY, &bounds), crate::geometry::INFINITE_AABB);
        }
        assert!(near >= 400_000);
        let away = ball_box([0.0; 2], f64::INFINITY, &[f32::INFINITY, 0.0, f32::INFINITY, 1.0]);
        assert_eq!(away, crate::geometry::INFINITE_AABB);
        // Far off a corner, the box of a ball that reaches a unit into the bounds is small.
        let [_, _, right, bottom] = ball_box([-1e9, -1e9], 2f64.sqrt() * 1e9 + 1.0, &[0.0, 0.0, 400.0, 400.0]);
        assert!((1.4..1.5).contains(&right) && (1.4..1.5).contains(&bottom), "{right}, {bottom}");
    }
}
