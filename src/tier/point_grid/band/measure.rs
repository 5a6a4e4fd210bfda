//! Measures the records of a band, and moves them together on the way: they were filed in pieces.

use crate::geometry::band_box::BandBox;
use crate::memory::body_record::BodyRecord;
use crate::prefetch::prefetch_for_writing;
use crate::tier::point_grid::axis::Extent;
use glam::{Vec4, Vec4Swizzles};
use std::ops::Range;

/// How far ahead records are prefetched, about 16,000 bytes.
///
/// More than a page, because processors do not prefetch across its end, and less than half of a
/// first-level cache.
const PREFETCH_RECORDS: usize = 800;

/// Records measured at once: a minimum waits for the one before it.
const AT_ONCE: usize = 4;

/// What the boxes of a band cover.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    pub(super) bounds: BandBox,
    /// By axis.
    pub(super) extents: [Extent; 2],
}

/// The extremes of boxes, two at once: those of every other box in x and y, those of the rest in z
/// and w.
#[derive(Clone, Copy)]
struct Extremes {
    low_min: Vec4,
    low_max: Vec4,
    high_max: Vec4,
    side_max: Vec4,
}

impl Extremes {
    const NONE: Self = Self {
        low_min: Vec4::INFINITY,
        low_max: Vec4::NEG_INFINITY,
        high_max: Vec4::NEG_INFINITY,
        side_max: Vec4::ZERO,
    };

    /// No edge may be NaN, for which minimum and maximum would depend on the processor.
    #[inline(always)]
    fn add(&mut self, [a, b]: [&BodyRecord; 2]) {
        let (a, b) = (&a.aabb, &b.aabb);
        let (low, high) = (Vec4::new(a[0], a[1], b[0], b[1]), Vec4::new(a[2], a[3], b[2], b[3]));
        *self = self.with(Self { low_min: low, low_max: low, high_max: high, side_max: high - low });
    }

    #[inline(always)]
    fn with(self, other: Self) -> Self {
        Self {
            low_min: self.low_min.min(other.low_min),
            low_max: self.low_max.max(other.low_max),
            high_max: self.high_max.max(other.high_max),
            side_max: larger(self.side_max, other.side_max),
        }
    }

    fn measured(self) -> Measured {
        let all = self.with(Self {
            low_min: self.low_min.zwxy(),
            low_max: self.low_max.zwxy(),
            high_max: self.high_max.zwxy(),
            side_max: self.side_max.zwxy(),
        });
        // Whether the least of two zeros is the negative one depends on their order: none is.
        let [low, low_max, high] = [all.low_min, all.low_max, all.high_max].map(|edges| edges + Vec4::ZERO);
        let extent = |axis: usize| Extent { min: low[axis], max: low_max[axis], side: all.side_max[axis] };
        let bounds = BandBox::from_edges([low.x, low.y, high.x, high.y]);
        Measured { bounds, extents: [extent(0), extent(1)] }
    }
}

/// The larger numbers: that of `a` where both are zeros, or where `b` is NaN, as the side of a box
/// at infinity is.
#[inline(always)]
fn larger(a: Vec4, b: Vec4) -> Vec4 {
    let (a, b) = (a.to_array(), b.to_array());
    Vec4::from_array(std::array::from_fn(|k| if b[k] > a[k] { b[k] } else { a[k] }))
}

/// Moves the records of all `pieces`, which are ascending and apart from each other, to the start
/// of `records`, and measures their boxes.
///
/// # Panics
///
/// If there are no records.
// Not inlined: otherwise the minima may not stay in registers.
#[inline(never)]
pub(super) fn measure(records: &mut [BodyRecord], pieces: &[Range<usize>]) -> Measured {
    // Prefetches end at the last record: another thread may be writing after it.
    let records = &mut records[..pieces.last().map_or(0, |last| last.end)];
    let mut extremes = [Extremes::NONE; AT_ONCE / 2];
    let mut to = 0;
    for piece in pieces {
        let mut from = piece.start;
        while let Some([a, b, c, d]) = records[from..piece.end].first_chunk::<AT_ONCE>() {
            // For writing, because blocks will replace the records.
            if let Some(ahead) = records.get(from + PREFETCH_RECORDS) {
                prefetch_for_writing(ahead);
            }
            extremes[0].add([a, b]);
            extremes[1].add([c, d]);
            if from > to {
                records.copy_within(from..from + AT_ONCE, to);
            }
            (from, to) = (from + AT_ONCE, to + AT_ONCE);
        }
        for from in from..piece.end {
            extremes[0].add([&records[from]; 2]);
            records[to] = records[from];
            to += 1;
        }
    }
    assert!(to > 0, "a band that is built has bodies");
    extremes[0].with(extremes[1]).measured()
}

#[cfg(test)]
mod tests {
    use super::*;
    use triphase_scenes::SplitMix64;

    fn bits(records: &[BodyRecord]) -> Vec<([u32; 4], u32)> {
        records.iter().map(|record| (record.aabb.map(f32::to_bits), record.row)).collect()
    }

    #[test]
    fn pieces_are_moved_together_and_measured() {
        let mut random = SplitMix64::new(5);
        for case in 0..300 {
            let (mut places, mut pieces) = (Vec::new(), Vec::new());
            for _ in 0..random.below(6) {
                // What is in gaps must not be measured.
                let gap = BodyRecord { aabb: [-1e9, -1e9, 1e9, 1e9], row: u32::MAX };
                let gap_len = if case % 3 == 0 { 0 } else { random.below(30) };
                places.extend(std::iter::repeat_n(gap, gap_len));
                let start = places.len();
                for row in 0..random.below(if case % 10 == 0 { 2000 } else { 20 }) {
                    let [low, sides] = [random.point(-5.0, 5.0), random.point(0.0, 2.0)];
                    let aabb = [low[0], low[1], low[0] + sides[0], low[1] + sides[1]];
                    places.push(BodyRecord { aabb, row: row as u32 });
                }
                pieces.push(start..places.len());
            }
            let expected: Vec<BodyRecord> = pieces.iter().flat_map(|piece| &places[piece.clone()]).copied().collect();
            if expected.is_empty() {
                continue;
            }
            let Measured { bounds, extents } = measure(&mut places, &pieces);
            assert_eq!(bits(&places[..expected.len()]), bits(&expected));
            let least = |edge: usize| expected.iter().map(|record| record.aabb[edge]).fold(f32::INFINITY, f32::min);
            let most = |edge: usize| expected.iter().map(|record| record.aabb[edge]).fold(f32::NEG_INFINITY, f32::max);
            assert_eq!(bounds.edges(), &[least(0), least(1), most(2), most(3)]);
            for (axis, extent) in extents.iter().enumerate() {
                let side = expected.iter().map(|record| record.aabb[axis + 2] - record.aabb[axis]).fold(0.0, f32::max);
                assert_eq!([extent.min, extent.max, extent.side], [least(axis), most(axis), side]);
            }
        }
    }

    #[test]
    fn bounds_do_not_depend_on_the_order_of_zeros() {
        for zeros in [[0.0, -0.0], [-0.0, 0.0]] {
            let mut records = zeros.map(|zero| BodyRecord { aabb: [0.0, zero, zero, zero], row: 0 });
            let measured = measure(&mut records, std::slice::from_ref(&(0..2)));
            assert_eq!(measured.bounds.edges().map(f32::to_bits), [0; 4]);
            let zeros = measured.extents.iter().flat_map(|extent| [extent.min, extent.max, extent.side]);
            assert!(zeros.map(f32::to_bits).all(|bits| bits == 0));
        }
    }

    #[test]
    fn a_box_at_infinity_does_not_hide_the_longest_side() {
        let boxes = [[0.0, 0.0, 2.0, 3.0], [f32::INFINITY; 4], [1.0; 4], [2.0; 4], [3.0; 4]];
        for first in 0..boxes.len() {
            let mut records = boxes.map(|aabb| BodyRecord { aabb, row: 0 });
            records.rotate_left(first);
            let measured = measure(&mut records, std::slice::from_ref(&(0..boxes.len())));
            assert_eq!(measured.extents.map(|extent| extent.side), [2.0, 3.0]);
        }
    }
}
