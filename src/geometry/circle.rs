//! The disc of a box: what a body is where a world tests discs.
//!
//! O1: [`Disc::of`], [`Disc::meets`] and [`Disc::meets_box`] are the only definition of what discs meet, beside that their boxes
//!     overlap. Every kernel must agree with it, bit for bit: each operation is rounded to f32, none is fused with another.
//! O2: A pair is refused only if its distance is a number above its reach. What rounds to NaN, or to infinity on
//!     both sides, or to nothing on both, is not, so that the boxes alone decide it.
//! O3: Which of two discs comes first does not matter: a difference and its opposite have one square, sums have no order.
//!     Nor does it matter if x and y are exchanged, as long as the radius is that of the same axis.

use crate::geometry::RawAabb;

/// The axis of a box on which its disc is measured: x; where x and y of all boxes are exchanged, y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RadiusAxis {
    X,
    Y,
}

impl RadiusAxis {
    /// Of boxes that have x and y exchanged, or have not.
    pub(crate) fn of(transposed: bool) -> Self {
        if transposed { Self::Y } else { Self::X }
    }
}

/// A disc around the middle of a box, all of it twice as large: to halve it would cost and change nothing. Its numbers may be
/// infinite, and the centre NaN, where edges are infinite or sums of them are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Disc {
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) radius: f32,
}

impl Disc {
    /// O1: sums of edges. Where one is infinite, the other disc's is too or the reach is, if the boxes overlap (O2): numbers so
    /// large are farther apart than what has a square.
    #[inline(always)]
    pub(crate) fn of(&[min_x, min_y, max_x, max_y]: &RawAabb) -> Self {
        Self { x: min_x + max_x, y: min_y + max_y, radius: max_x - min_x }
    }

    /// O1: whether discs meet whose boxes overlap.
    #[inline(always)]
    pub(crate) fn meets(&self, other: &Self) -> bool {
        let (x, y, reach) = (self.x - other.x, self.y - other.y, self.radius + other.radius);
        !is_above(x * x + y * y, reach * reach)
    }

    /// O1: whether the disc meets a box that its own box overlaps.
    #[inline(always)]
    pub(crate) fn meets_box(&self, &[min_x, min_y, max_x, max_y]: &RawAabb) -> bool {
        let (x, y) = (apart(min_x + min_x, max_x + max_x, self.x), apart(min_y + min_y, max_y + max_y, self.y));
        !is_above(x * x + y * y, self.radius * self.radius)
    }
}

/// O2: false where one of both is NaN.
#[inline(always)]
fn is_above(distance: f32, reach: f32) -> bool {
    distance > reach
}

/// How far a number is outside of a range; of NaN, 0.
#[inline(always)]
fn apart(low: f32, high: f32, at: f32) -> f32 {
    larger(larger(low - at, at - high), 0.0)
}

/// The second one where one of both is NaN: what vector registers do too.
#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::oriented;

    const INF: f32 = f32::INFINITY;

    fn meet(a: RawAabb, b: RawAabb) -> bool {
        let met = Disc::of(&a).meets(&Disc::of(&b));
        assert_eq!(Disc::of(&b).meets(&Disc::of(&a)), met, "O3: {a:?}, {b:?}");
        met
    }

    #[test]
    fn touching_is_met_and_corners_are_not() {
        let unit = [-1.0, -1.0, 1.0, 1.0];
        assert!(meet(unit, [1.0, -1.0, 3.0, 1.0]), "side by side");
        // 3, 4, 5: the discs touch where a corner of each box lies in the other one.
        assert!(meet(unit, [-1.0, 0.0, 7.0, 8.0]));
        assert!(!meet(unit, [-0.999, 0.001, 7.001, 8.001]));
        assert!(!meet(unit, [0.9, 0.9, 2.9, 2.9]));
        assert!(meet([2.0; 4], [2.0; 4]), "points on each other");
        let corner = Disc::of(&unit);
        assert!(corner.meets_box(&[1.0, -5.0, 2.0, 5.0]) && corner.meets_box(&[-0.1, 0.1, 0.1, 0.2]));
        assert!(!corner.meets_box(&[0.9, 0.9, 2.0, 2.0]) && corner.meets_box(&[0.6, 0.8 - 1e-6, 2.0, 2.0]));
    }

    #[test]
    fn what_is_no_number_is_left_to_the_boxes() {
        let all = [-INF, -INF, INF, INF];
        assert!(meet(all, all) && meet(all, [0.0; 4]));
        // Reaches that are infinite, distances too.
        let huge = [-f32::MAX, -f32::MAX, f32::MAX, f32::MAX];
        assert!(meet(huge, huge) && meet(huge, [1e30, 1e30, 2e30, 2e30]));
        assert!(meet([0.0, 0.0, 1e20, 1e20], [0.9e20, 0.9e20, 2e20, 2e20]), "both overflow, and the boxes overlap");
        assert!(meet([0.0, 0.0, 1e-30, 1e-30], [0.9e-30, 0.9e-30, 2e-30, 2e-30]), "both underflow");
        assert!(!meet([0.0, 0.0, 1e-15, 1e-15], [0.9e-15, 0.9e-15, 2e-15, 2e-15]));
        // Infinite on y alone: the distance is, the reach is not.
        assert!(!meet([0.0, 0.0, 1.0, INF], [0.0, 0.0, 1.0, 1.0]));
        assert!(Disc::of(&all).meets_box(&[3.0, 3.0, 4.0, 4.0]));
        assert!(Disc::of(&[0.0, 0.0, INF, INF]).meets_box(&[-3.0, -3.0, 0.0, 0.0]));
    }

    #[test]
    fn the_radius_is_half_of_the_width() {
        // Wide ones are cut to their boxes, of tall ones the ends belong to none.
        assert!(meet([-2.0, -0.5, 2.0, 0.5], [1.5, -0.5, 2.5, 0.5]));
        assert!(!meet([-0.5, -2.0, 0.5, 2.0], [-0.5, 1.5, 0.5, 2.5]));
    }

    #[test]
    fn exchanged_boxes_have_exchanged_centres() {
        let aabb = [1.0, -2.5, 4.0, 7.0];
        let (disc, turned) = (Disc::of(&aabb), Disc::of(&oriented(aabb, true)));
        assert_eq!([disc.x, disc.y], [turned.y, turned.x]);
        assert_eq!([RadiusAxis::of(false), RadiusAxis::of(true)], [RadiusAxis::X, RadiusAxis::Y]);
    }
}
