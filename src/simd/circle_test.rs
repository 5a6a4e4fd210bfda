//! The circle test of [`BodyCircle`](crate::geometry::BodyCircle), lane by lane (CIRCLE-1).

#![allow(unsafe_code)]

use crate::simd::vector::{Vector, each_edge};

/// Which sides of a test are circles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CircleSides {
    pub(super) probe: bool,
    pub(super) entries: bool,
}

impl CircleSides {
    pub(super) const NONE: Self = Self { probe: false, entries: false };
    pub(super) const BOTH: Self = Self { probe: true, entries: true };
}

/// A [`BodyCircle`](crate::geometry::BodyCircle) in each lane, doubled as there.
#[derive(Clone, Copy)]
struct CircleLanes<V> {
    x: V,
    y: V,
    radius: V,
}

impl<V: Vector> CircleLanes<V> {
    #[inline(always)]
    fn of_boxes([min_x, min_y, max_x, max_y]: [V; 4]) -> Self {
        Self { x: min_x.add(max_x), y: min_y.add(max_y), radius: max_x.sub(min_x).larger(max_y.sub(min_y)) }
    }
}

/// The lanes whose shapes do not touch, although their boxes overlap. At least one side is a
/// circle.
#[inline(always)]
pub(super) fn separate<V: Vector>(sides: CircleSides, probe: [V; 4], entries: [V; 4]) -> V::Mask {
    let (x, y, reach) = match sides {
        CircleSides::BOTH => {
            let (a, b) = (CircleLanes::of_boxes(probe), CircleLanes::of_boxes(entries));
            (a.x.sub(b.x), a.y.sub(b.y), a.radius.add(b.radius))
        }
        _ => {
            let (circle, aabb) = if sides.probe { (probe, entries) } else { (entries, probe) };
            let (circle, [min_x, min_y, max_x, max_y]) =
                (CircleLanes::of_boxes(circle), each_edge!(edge => aabb[edge].add(aabb[edge])));
            (distance_to_range(min_x, max_x, circle.x), distance_to_range(min_y, max_y, circle.y), circle.radius)
        }
    };
    x.mul(x).add(y.mul(y)).gt(reach.mul(reach))
}

/// The distance of `at` from a range in each lane, 0 inside; 0 if it is NaN.
#[inline(always)]
fn distance_to_range<V: Vector>(low: V, high: V, at: V) -> V {
    // SAFETY: there is a vector, so its instruction set is available (VECTOR-1).
    let zero = unsafe { V::splat(0.0) };
    low.sub(at).larger(at.sub(high)).larger(zero)
}
