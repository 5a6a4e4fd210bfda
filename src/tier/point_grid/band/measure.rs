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
    let first = pieces.iter().find(|piece| !piece.is_empty()).expect("a band that is built has bodies");
    let first = Vec4::from_array(records[first.start].aabb);
    // All four edges as one vector; of the sides, only the first two elements count. No edge is
    // NaN, for which minimum and maximum would depend on the processor.
    let mut lanes = [(first, first, Vec4::ZERO); AT_ONCE];
    let add = |(low, high, side): &mut (Vec4, Vec4, Vec4), record: &BodyRecord| {
        let edges = Vec4::from_array(record.aabb);
        *low = low.min(edges);
        *high = high.max(edges);
        *side = side.max(edges.zwxy() - edges);
    };
    let mut to = 0;
    for piece in pieces {
        let mut from = piece.start;
        while let Some(&chunk) = records[from..piece.end].first_chunk::<AT_ONCE>() {
            // For writing, because blocks will replace the records.
            if let Some(ahead) = records.get(from + PREFETCH_RECORDS) {
                prefetch_for_writing(ahead);
            }
            lanes.iter_mut().zip(&chunk).for_each(|(lane, record)| add(lane, record));
            if from > to {
                records[to..to + AT_ONCE].copy_from_slice(&chunk);
            }
            (from, to) = (from + AT_ONCE, to + AT_ONCE);
        }
        for (lane, from) in lanes.iter_mut().zip(from..piece.end) {
            add(lane, &records[from]);
            records[to] = records[from];
            to += 1;
        }
    }
    let (low, high, side) =
        lanes.into_iter().fold(lanes[0], |all, lane| (all.0.min(lane.0), all.1.max(lane.1), all.2.max(lane.2)));
    // Whether the least of two zeros is the negative one depends on their order: neither is.
    let (low, high) = (low + Vec4::ZERO, high + Vec4::ZERO);
    let extent = |axis: usize| Extent { min: low[axis], max: high[axis], side: side[axis] };
    let bounds = BandBox::from_edges([low.x, low.y, high.z, high.w]);
    Measured { bounds, extents: [extent(0), extent(1)] }
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
            let mut records = zeros.map(|zero| BodyRecord { aabb: [zero; 4], row: 0 });
            let measured = measure(&mut records, std::slice::from_ref(&(0..2)));
            assert_eq!(measured.bounds.edges().map(f32::to_bits), [0; 4]);
            assert!(measured.extents.iter().all(|extent| extent.min.to_bits() == 0 && extent.max.to_bits() == 0));
        }
    }
}
