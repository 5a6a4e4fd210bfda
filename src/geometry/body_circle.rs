//! The circle of a box: the shape of a body under [`BodyShape::Circle`](crate::BodyShape::Circle).
//!
//! Its diameter is the longer side of the box. A circle of the shorter side would not cover the
//! ends of a body whose box is not square: its contacts would be lost. With the longer side, some
//! pairs are too many, which the narrow phase rejects. And the rule is symmetric in x and y, so
//! kernels need no variant for bands with exchanged axes.
//!
//! CIRCLE-1: [`BodyCircle`] is the only definition of overlapping circles, given that their boxes
//! overlap. Kernels agree with it bit for bit: each operation is rounded to f32, none is fused.
//!
//! CIRCLE-2: a pair is rejected only if its squared distance is greater than its squared reach.
//! That is false for NaN, for two infinities and for two zeros: the boxes alone decide such pairs.
//!
//! The test is symmetric in its two circles, as squares of differences and sums are.

use crate::geometry::raw_box::RawAabb;

/// A circle around the center of a box, with all numbers doubled, which saves two halvings.
///
/// The numbers may be infinite, and the center NaN, if edges or their sums are infinite.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyCircle {
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) radius: f32,
}

impl BodyCircle {
    #[inline(always)]
    pub(crate) fn of_box(&[min_x, min_y, max_x, max_y]: &RawAabb) -> Self {
        Self { x: min_x + max_x, y: min_y + max_y, radius: larger(max_x - min_x, max_y - min_y) }
    }

    /// Whether two circles touch, given that their boxes overlap.
    #[inline(always)]
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let (x, y, reach) = (self.x - other.x, self.y - other.y, self.radius + other.radius);
        !is_greater(x * x + y * y, reach * reach)
    }

    /// Whether the circle touches a box that its own box overlaps.
    #[inline(always)]
    pub(crate) fn overlaps_box(&self, &[min_x, min_y, max_x, max_y]: &RawAabb) -> bool {
        let x = distance_to_range(min_x + min_x, max_x + max_x, self.x);
        let y = distance_to_range(min_y + min_y, max_y + max_y, self.y);
        !is_greater(x * x + y * y, self.radius * self.radius)
    }
}

/// False if either is NaN (CIRCLE-2).
#[inline(always)]
fn is_greater(distance: f32, reach: f32) -> bool {
    distance > reach
}

/// The distance of a number from a range, 0 inside; 0 for NaN.
#[inline(always)]
fn distance_to_range(low: f32, high: f32, at: f32) -> f32 {
    larger(larger(low - at, at - high), 0.0)
}

/// The second number if either is NaN, as x86 vector instructions do; `f32::max` would differ.
#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INF: f32 = f32::INFINITY;

    fn overlap(a: RawAabb, b: RawAabb) -> bool {
        let (a, b) = (BodyCircle::of_box(&a), BodyCircle::of_box(&b));
        assert_eq!(a.overlaps(&b), b.overlaps(&a), "both ways: {a:?}, {b:?}");
        a.overlaps(&b)
    }

    #[test]
    fn touching_circles_overlap_and_corners_do_not() {
        let unit = [-1.0, -1.0, 1.0, 1.0];
        assert!(overlap(unit, [1.0, -1.0, 3.0, 1.0]), "side by side");
        // Sides 3, 4, 5: the circles touch exactly, and each box contains a corner of the other.
        assert!(overlap(unit, [-1.0, 0.0, 7.0, 8.0]));
        assert!(!overlap(unit, [-0.999, 0.001, 7.001, 8.001]));
        assert!(!overlap(unit, [0.9, 0.9, 2.9, 2.9]));
        assert!(overlap([2.0; 4], [2.0; 4]), "two equal points");
        let circle = BodyCircle::of_box(&unit);
        assert!(circle.overlaps_box(&[1.0, -5.0, 2.0, 5.0]) && circle.overlaps_box(&[-0.1, 0.1, 0.1, 0.2]));
        assert!(!circle.overlaps_box(&[0.9, 0.9, 2.0, 2.0]) && circle.overlaps_box(&[0.6, 0.8 - 1e-6, 2.0, 2.0]));
    }

    #[test]
    fn boxes_decide_if_a_square_is_nan_infinite_or_zero() {
        let all = [-INF, -INF, INF, INF];
        assert!(overlap(all, all) && overlap(all, [0.0; 4]));
        // Infinite reaches and distances.
        let huge = [-f32::MAX, -f32::MAX, f32::MAX, f32::MAX];
        assert!(overlap(huge, huge) && overlap(huge, [1e30, 1e30, 2e30, 2e30]));
        assert!(overlap([0.0, 0.0, 1e20, 1e20], [0.9e20, 0.9e20, 2e20, 2e20]), "both squares overflow");
        assert!(overlap([0.0, 0.0, 1e-30, 1e-30], [0.9e-30, 0.9e-30, 2e-30, 2e-30]), "both squares underflow");
        assert!(!overlap([0.0, 0.0, 1e-15, 1e-15], [0.9e-15, 0.9e-15, 2e-15, 2e-15]));
        assert!(overlap([0.0, 0.0, 1.0, INF], [0.0, 0.0, 1.0, 1.0]), "infinite on y alone");
        assert!(BodyCircle::of_box(&all).overlaps_box(&[3.0, 3.0, 4.0, 4.0]));
        assert!(BodyCircle::of_box(&[0.0, 0.0, INF, INF]).overlaps_box(&[-3.0, -3.0, 0.0, 0.0]));
    }

    #[test]
    fn the_longer_side_is_the_diameter_on_either_axis() {
        let (wide, tall) = ([-2.0, -0.5, 2.0, 0.5], [-0.5, -2.0, 0.5, 2.0]);
        assert!(overlap(wide, [1.5, -0.5, 2.5, 0.5]) && overlap(tall, [-0.5, 1.5, 0.5, 2.5]));
        let (wide, tall) = (BodyCircle::of_box(&wide), BodyCircle::of_box(&tall));
        assert_eq!([wide.radius, tall.radius], [4.0, 4.0]);
    }

    #[test]
    fn exchanged_axes_exchange_the_center_and_keep_the_radius() {
        for [x0, y0, x1, y1] in [[1.0, -2.5, 4.0, 7.0], [-INF, 1.0, 3.0, 2.0], [0.1, 0.2, 0.3, 0.4]] {
            let (circle, other) = (BodyCircle::of_box(&[x0, y0, x1, y1]), BodyCircle::of_box(&[y0, x0, y1, x1]));
            assert_eq!([circle.x, circle.y, circle.radius], [other.y, other.x, other.radius]);
        }
    }
}
