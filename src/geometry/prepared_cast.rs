//! Ray casts and AABB casts, prepared for many boxes: the slab test.
//!
//! CAST-1: the interval of times in which a box is hit is computed in f64 by operations that are
//! monotone in each edge: a difference, a product with one number, minima and maxima. So a box that
//! contains another is hit no later and left no earlier, rounding included, and a cast that misses
//! bounds misses everything in them.
//!
//! CAST-2: no NaN occurs. The inverse of a component is finite and not 0, and an axis without
//! motion is compared, not divided by.
//!
//! CAST-3: times are never -0, which `f64::max` may return: it would precede 0 in a total order.

use crate::geometry::band_box::BandAxes;
use crate::geometry::raw_box::RawAabb;
use crate::geometry::rounding::{ROUNDING, round_down, round_up};

/// An interval of times, first and last; empty if the first is the greater one.
pub(crate) type Interval = [f64; 2];

const EMPTY: Interval = [f64::INFINITY, f64::NEG_INFINITY];

/// A ray or a moving box, with the inverse of its direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PreparedCast {
    /// A point, as a box of size 0, or the moving box at time 0.
    start: RawAabb,
    direction: [f64; 2],
    /// One over the direction, 0 where that is 0 (CAST-2).
    inverse: [f64; 2],
    /// The axes of `start` and `direction`. Normals are in the axes of the world.
    axes: BandAxes,
    pub(crate) max_time: f64,
}

/// The time of impact on a box, and the side that is hit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Impact {
    pub(crate) time: f64,
    /// The axis of the world whose side is hit, x at a corner; none if the cast starts inside.
    axis: Option<u8>,
}

impl PreparedCast {
    pub(crate) fn new(start: RawAabb, direction: [f32; 2], max_time: f64) -> Self {
        let direction = direction.map(f64::from);
        let inverse = direction.map(|v| if v == 0.0 { 0.0 } else { 1.0 / v });
        Self { start, direction, inverse, axes: BandAxes::default(), max_time }
    }

    /// Converts this cast from the axes of the world to those of a band.
    #[inline]
    pub(crate) fn to_band(self, axes: BandAxes) -> Self {
        debug_assert_eq!(self.axes, BandAxes::default(), "a cast in the axes of the world");
        Self {
            start: *axes.box_to_band(self.start).edges(),
            direction: axes.point_to_band(self.direction),
            inverse: axes.point_to_band(self.inverse),
            axes,
            ..self
        }
    }

    /// The interval in which a box is hit on one axis.
    #[inline(always)]
    fn interval_on_axis(&self, aabb: &RawAabb, axis: usize) -> Interval {
        let (low, high) = (aabb[axis], aabb[axis + 2]);
        let (start_low, start_high) = (self.start[axis], self.start[axis + 2]);
        let inverse = self.inverse[axis];
        if inverse == 0.0 {
            let overlaps = (low <= start_high) & (start_low <= high);
            return if overlaps { [f64::NEG_INFINITY, f64::INFINITY] } else { EMPTY };
        }
        let low = (f64::from(low) - f64::from(start_high)) * inverse;
        let high = (f64::from(high) - f64::from(start_low)) * inverse;
        if inverse > 0.0 { [low, high] } else { [high, low] }
    }

    /// The interval in which a box, or any box inside it (CAST-1), is hit, up to `max_time`.
    #[inline(always)]
    pub(crate) fn interval(&self, aabb: &RawAabb, max_time: f64) -> Option<Interval> {
        let ([x_first, x_last], [y_first, y_last]) = (self.interval_on_axis(aabb, 0), self.interval_on_axis(aabb, 1));
        let (first, last) = (from_start(x_first.max(y_first)), x_last.min(y_last).min(max_time));
        (first <= last && first < f64::INFINITY).then_some([first, last])
    }

    /// The impact on a box, if it is not after `max_time`.
    #[inline(always)]
    pub(crate) fn impact(&self, aabb: &RawAabb, max_time: f64) -> Option<Impact> {
        let ([x_first, x_last], [y_first, y_last]) = (self.interval_on_axis(aabb, 0), self.interval_on_axis(aabb, 1));
        let first = x_first.max(y_first);
        let (time, last) = (from_start(first), x_last.min(y_last).min(max_time));
        if !(time <= last && time < f64::INFINITY) {
            return None;
        }
        let [x_first, y_first] = self.axes.point_to_world([x_first, y_first]);
        let axis = (first > 0.0).then_some(u8::from(y_first > x_first));
        Some(Impact { time, axis })
    }

    /// The normal of the side that was hit, `[x, y]`; none if the cast starts inside.
    ///
    /// This cast must be in the axes of the world.
    pub(crate) fn normal(&self, impact: &Impact) -> Option<[f32; 2]> {
        debug_assert_eq!(self.axes, BandAxes::default(), "a cast in the axes of the world");
        let against = |axis: usize| if self.direction[axis] > 0.0 { -1.0 } else { 1.0 };
        impact.axis.map(|axis| if axis == 0 { [against(0), 0.0] } else { [0.0, against(1)] })
    }

    /// A box that overlaps every box whose impact is between two times.
    ///
    /// `end` is the last time of interest: with the same `end`, the bounds of later intervals
    /// begin and end no earlier.
    #[inline]
    pub(crate) fn swept_bounds(&self, from: f64, to: f64, end: f64) -> RawAabb {
        let on_axis = |axis: usize| {
            let (low, high) = (f64::from(self.start[axis]), f64::from(self.start[axis + 2]));
            let speed = self.direction[axis];
            if speed == 0.0 {
                // Infinity times 0 is NaN (CAST-2).
                return (low, high);
            }
            let rounding = (low.abs().max(high.abs()) + speed.abs() * end) * ROUNDING;
            let (a, b) = (speed * from, speed * to);
            (low + a.min(b) - rounding, high + a.max(b) + rounding)
        };
        let ((x_low, x_high), (y_low, y_high)) = (on_axis(0), on_axis(1));
        [round_down(x_low), round_down(y_low), round_up(x_high), round_up(y_high)]
    }

    /// Whether the cast moves toward greater coordinates on an axis.
    #[inline]
    pub(crate) fn ascends(&self, axis: usize) -> bool {
        self.direction[axis] > 0.0
    }

    /// The distance that is covered on an axis in one unit of time.
    #[inline]
    pub(crate) fn speed(&self, axis: usize) -> f64 {
        self.direction[axis].abs()
    }

    /// Splits an interval at a line across an axis: the parts in which boxes of the lower and of
    /// the upper side are hit. Either may be empty.
    ///
    /// A box belongs to the lower side if `min <= cut`, and to the upper side if `max > cut`.
    #[inline]
    pub(crate) fn split_interval(&self, axis: usize, cut: f32, [first, last]: Interval) -> [Interval; 2] {
        let inverse = self.inverse[axis];
        let (start_low, start_high) = (self.start[axis], self.start[axis + 2]);
        if inverse == 0.0 {
            let (low, high) = (start_low <= cut, start_high > cut);
            return [if low { [first, last] } else { EMPTY }, if high { [first, last] } else { EMPTY }];
        }
        // A box of the lower side alone ends at or before the cut, one of the upper side alone
        // begins after it. So each is hit on its side of the time at which the cut itself would be
        // hit (CAST-1).
        let low = (f64::from(cut) - f64::from(start_low)) * inverse;
        let high = (f64::from(cut) - f64::from(start_high)) * inverse;
        if inverse > 0.0 {
            [[first, last.min(low)], [first.max(high), last]]
        } else {
            [[first.max(low), last], [first, last.min(high)]]
        }
    }
}

/// A time, 0 if it is before the start or -0 (CAST-3).
#[inline(always)]
fn from_start(first: f64) -> f64 {
    if first > 0.0 { first } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impacts_at_the_start_have_time_zero_not_minus_zero() {
        // From the upper right corner to the left: both 0 and -0 result, on either axis.
        for direction in [[-1.0, 0.0], [-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [0.0, -1.0]] {
            let cast = PreparedCast::new([1.0; 4], direction, 1.0);
            for aabb in [[0.0, 0.0, 1.0, 1.0], [1.0, 1.0, 2.0, 2.0], [0.0, 1.0, 3.0, 1.0], [0.0, 0.0, 9.0, 9.0]] {
                let impact = cast.impact(&aabb, 1.0).expect("the box contains the start");
                let [first, _] = cast.interval(&aabb, 1.0).expect("the box contains the start");
                assert_eq!([impact.time.to_bits(), first.to_bits()], [0, 0], "{direction:?} {aabb:?}");
            }
        }
    }

    #[test]
    fn casts_in_exchanged_axes_have_the_same_impacts() {
        for (direction, aabb) in [
            ([1.0, 0.25], [2.0, 0.0, 3.0, 3.0]),
            ([0.25, 1.0], [0.0, 2.0, 3.0, 3.0]),
            ([1.0, 1.0], [2.0, 2.0, 3.0, 3.0]),
            ([-1.0, 0.5], [-4.0, 0.0, -3.0, 9.0]),
        ] {
            let cast = PreparedCast::new([0.0; 4], direction, 9.0);
            let axes = BandAxes::new(true);
            let impact = cast.impact(&aabb, 9.0).expect("the box is on the path");
            assert_eq!(cast.to_band(axes).impact(axes.box_to_band(aabb).edges(), 9.0), Some(impact));
        }
    }
}
