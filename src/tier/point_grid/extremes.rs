//! The extremes of the boxes of a sample.

use crate::geometry::RawAabb;
use glam::{Vec4, Vec4Swizzles};

/// The extremes of some boxes on each axis. Of no boxes, the longest side is 0 and the other
/// extremes are infinite.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extremes {
    /// The first and the last lower edge.
    pub(super) first: [f32; 2],
    pub(super) last: [f32; 2],
    pub(super) shortest_side: [f32; 2],
    pub(super) longest_side: [f32; 2],
}

impl Extremes {
    /// The extremes of finite boxes.
    pub(super) fn of<'a>(boxes: impl Iterator<Item = &'a RawAabb>) -> Self {
        let (mut first, mut last) = (Vec4::INFINITY, Vec4::NEG_INFINITY);
        let (mut shortest, mut longest) = (Vec4::INFINITY, Vec4::ZERO);
        for aabb in boxes {
            let edges = Vec4::from_array(*aabb);
            let sides = edges.zwxy() - edges;
            (first, last) = (first.min(edges), last.max(edges));
            (shortest, longest) = (shortest.min(sides), longest.max(sides));
        }
        let [first, last, shortest_side, longest_side] = [first, last, shortest, longest].map(|v| v.xy().to_array());
        Self { first, last, shortest_side, longest_side }
    }

    /// The distance of the first lower edge from the last.
    pub(super) fn extent(&self, axis: usize) -> f64 {
        f64::from(self.last[axis]) - f64::from(self.first[axis])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_are_those_of_each_axis() {
        let extremes = Extremes::of([[3.0, -1.0, 4.0, 5.0], [-7.0, 2.0, -5.0, 2.5], [0.0, 0.0, 1.5, 1.0]].iter());
        assert_eq!((extremes.first, extremes.last), ([-7.0, -1.0], [3.0, 2.0]));
        assert_eq!((extremes.shortest_side, extremes.longest_side), ([1.0, 0.5], [2.0, 6.0]));
        assert_eq!([0, 1].map(|axis| extremes.extent(axis)), [10.0, 3.0]);
        assert_eq!(Extremes::of([].iter()).longest_side, [0.0; 2]);
    }
}
