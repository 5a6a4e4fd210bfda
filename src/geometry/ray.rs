//! Where a ray, or a box in motion, meets a box.
//!
//! C1: the interval of distances of a box is computed in f64 by operations that are monotone in each edge (a difference, a
//!     product with one number, minima and maxima). So a box that covers another begins no later and ends no earlier,
//!     roundings included, and what misses a cover misses everything in it.
//! C2: no NaN: the inverse of a component is finite and not 0, and an axis without motion is compared, not divided by.
//! C3: distances are never -0, which `f64::max` may or may not give: it would come before 0 where ties are ordered.

use crate::geometry::RawAabb;
use crate::geometry::shapes::{ROUNDING, round_down, round_up};
use glam::Vec2;

/// A ray or a sweep, ready to be asked with.
#[derive(Clone, Copy, Debug)]
pub struct Cast {
    /// Where it starts: a point, or a box in motion.
    start: RawAabb,
    direction: [f64; 2],
    /// One over the direction, 0 where that is 0 (C2).
    inverse: [f64; 2],
    /// x and y are exchanged here, but not in the normals of what is met.
    transposed: bool,
    pub(crate) max: f64,
}

/// Where a box is met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    pub(crate) distance: f64,
    /// The axis whose side is met, x where both are; none from within. Of the cast as it was made.
    axis: Option<u8>,
}

impl Cast {
    pub(crate) fn new(start: RawAabb, direction: [f32; 2], max: f64) -> Self {
        let direction = direction.map(f64::from);
        let inverse = direction.map(|v| if v == 0.0 { 0.0 } else { 1.0 / v });
        Self { start, direction, inverse, transposed: false, max }
    }

    /// x and y exchanged if `transposed`.
    #[inline]
    pub(crate) fn oriented(&self, transposed: bool) -> Self {
        let turned = |[x, y]: [f64; 2]| if transposed { [y, x] } else { [x, y] };
        Self {
            start: crate::geometry::oriented(self.start, transposed),
            direction: turned(self.direction),
            inverse: turned(self.inverse),
            transposed: self.transposed != transposed,
            max: self.max,
        }
    }

    /// The distances at which a box is met on an axis, first and last; empty if first is above last.
    #[inline(always)]
    fn slab(&self, aabb: &RawAabb, axis: usize) -> (f64, f64) {
        let (low, high) = (aabb[axis], aabb[axis + 2]);
        let (start_low, start_high) = (self.start[axis], self.start[axis + 2]);
        let inverse = self.inverse[axis];
        if inverse == 0.0 {
            let met = (low <= start_high) & (start_low <= high);
            return if met { (f64::NEG_INFINITY, f64::INFINITY) } else { (f64::INFINITY, f64::NEG_INFINITY) };
        }
        let first = (f64::from(low) - f64::from(start_high)) * inverse;
        let last = (f64::from(high) - f64::from(start_low)) * inverse;
        if inverse > 0.0 { (first, last) } else { (last, first) }
    }

    /// From where to where a box, or a cover of boxes (C1), is met, from 0 on and not after `until`.
    #[inline(always)]
    pub(crate) fn span(&self, aabb: &RawAabb, until: f64) -> Option<[f64; 2]> {
        let ((x_first, x_last), (y_first, y_last)) = (self.slab(aabb, 0), self.slab(aabb, 1));
        let (first, last) = (from_start(x_first.max(y_first)), x_last.min(y_last).min(until));
        (first <= last && first < f64::INFINITY).then_some([first, last])
    }

    /// Where a box is met, if not after `until`.
    #[inline(always)]
    pub(crate) fn entry(&self, aabb: &RawAabb, until: f64) -> Option<Entry> {
        let ((x_first, x_last), (y_first, y_last)) = (self.slab(aabb, 0), self.slab(aabb, 1));
        let first = x_first.max(y_first);
        let (distance, last) = (from_start(first), x_last.min(y_last).min(until));
        if !(distance <= last && distance < f64::INFINITY) {
            return None;
        }
        let is_y = if self.transposed { x_first > y_first } else { y_first > x_first };
        let axis = (first > 0.0).then_some(u8::from(is_y));
        Some(Entry { distance, axis })
    }

    /// The normal of the side that is met; none from within. Asked of the cast as it was made.
    pub(crate) fn normal(&self, entry: &Entry) -> Option<Vec2> {
        let against = |axis: usize| if self.direction[axis] > 0.0 { -1.0 } else { 1.0 };
        entry.axis.map(|axis| if axis == 0 { Vec2::new(against(0), 0.0) } else { Vec2::new(0.0, against(1)) })
    }

    /// A box that overlaps every box that is met first between two distances. `end` is the last distance of all that are
    /// asked for: boxes of later parts then begin and end no earlier.
    #[inline]
    pub(crate) fn cover(&self, from: f64, to: f64, end: f64) -> RawAabb {
        let edges = |axis: usize| {
            let (low, high) = (f64::from(self.start[axis]), f64::from(self.start[axis + 2]));
            let by = self.direction[axis];
            if by == 0.0 {
                // Infinity times 0 is NaN (C2).
                return (low, high);
            }
            let rounding = (low.abs().max(high.abs()) + by.abs() * end) * ROUNDING;
            let (a, b) = (by * from, by * to);
            (low + a.min(b) - rounding, high + a.max(b) + rounding)
        };
        let ((x_low, x_high), (y_low, y_high)) = (edges(0), edges(1));
        [round_down(x_low), round_down(y_low), round_up(x_high), round_up(y_high)]
    }

    /// Whether the way leads up on an axis.
    #[inline]
    pub(crate) fn ascends(&self, axis: usize) -> bool {
        self.direction[axis] > 0.0
    }

    /// How far on an axis a distance of 1 leads.
    #[inline]
    pub(crate) fn speed(&self, axis: usize) -> f64 {
        self.direction[axis].abs()
    }

    /// At a cut of an axis: the parts of `[first, last]` in which boxes of the lower and the upper side are met, by the rule
    /// of trees that give a box to the lower side when `min <= cut` and to the upper when `max > cut`. Either may be empty
    /// (first above last).
    #[inline]
    pub(crate) fn cut(&self, axis: usize, cut: f32, [first, last]: [f64; 2]) -> [[f64; 2]; 2] {
        const NONE: [f64; 2] = [f64::INFINITY, f64::NEG_INFINITY];
        let inverse = self.inverse[axis];
        let (start_low, start_high) = (self.start[axis], self.start[axis + 2]);
        if inverse == 0.0 {
            let (low, high) = (start_low <= cut, start_high > cut);
            return [if low { [first, last] } else { NONE }, if high { [first, last] } else { NONE }];
        }
        // A box of the lower side alone ends at or before the cut, one of the upper side alone begins after it: each is
        // met on this side of the distance at which the cut itself would be (C1).
        let low = (f64::from(cut) - f64::from(start_low)) * inverse;
        let high = (f64::from(cut) - f64::from(start_high)) * inverse;
        if inverse > 0.0 {
            [[first, last.min(low)], [first.max(high), last]]
        } else {
            [[first.max(low), last], [first, last.min(high)]]
        }
    }
}

/// C3
#[inline(always)]
fn from_start(first: f64) -> f64 {
    if first > 0.0 { first } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_met_at_the_start_is_at_zero_not_at_minus_zero() {
        // From the upper right corner to the left: both 0 and -0 come of it, on this axis or that.
        for direction in [[-1.0, 0.0], [-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [0.0, -1.0]] {
            let cast = Cast::new([1.0; 4], direction, 1.0);
            for aabb in [[0.0, 0.0, 1.0, 1.0], [1.0, 1.0, 2.0, 2.0], [0.0, 1.0, 3.0, 1.0], [0.0, 0.0, 9.0, 9.0]] {
                let entry = cast.entry(&aabb, 1.0).expect("it holds the start");
                let [first, _] = cast.span(&aabb, 1.0).expect("it holds the start");
                assert_eq!([entry.distance.to_bits(), first.to_bits()], [0, 0], "{direction:?} {aabb:?}");
            }
        }
    }
}
