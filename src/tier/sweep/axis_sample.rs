//! How many boxes are beside each other on an axis, estimated from samples.

use crate::geometry::{RawAabb, overlaps};
use crate::memory::body_record::BodyRecord;

/// Boxes of the sample.
pub(crate) const SAMPLED: usize = 256;

/// Boxes that are compared with the sample, to choose an axis.
pub(crate) const COMPARED: usize = 16;

/// Every so many boxes of the sample are compared with it on both axes: fewer are near each other
/// on both than on one.
const AROUND_ONE_IN: usize = 4;

/// A sample of boxes on an axis, in columns, so that loops over it are vectorized.
pub(crate) struct AxisSample {
    axis: usize,
    lows: [f32; SAMPLED],
    highs: [f32; SAMPLED],
    len: usize,
}

impl AxisSample {
    pub(crate) fn new(axis: usize, boxes: &[BodyRecord]) -> Self {
        let mut sample = Self { axis, lows: [0.0; SAMPLED], highs: [0.0; SAMPLED], len: 0 };
        for BodyRecord { aabb, .. } in some_of(boxes, SAMPLED) {
            (sample.lows[sample.len], sample.highs[sample.len]) = (aabb[axis], aabb[axis + 2]);
            sample.len += 1;
        }
        sample
    }

    /// On which length most of the boxes begin.
    pub(crate) fn spread(&self) -> f64 {
        spread(&mut { self.lows }[..self.len])
    }

    /// The share of the boxes that a body is tested with in a sweep, on average: those up to
    /// `longest` that begin at most `before` it, or in it.
    pub(crate) fn tested(&self, bodies: impl Iterator<Item = RawAabb>, longest: f64, before: f64) -> f64 {
        let (longest, before) = (longest as f32, before as f32);
        self.share(bodies, |[from, to], [low, high]| (low <= to) & (from - before <= low) & (high - low <= longest))
    }

    /// The share of the boxes that are beside a body, on average.
    fn beside(&self, bodies: impl Iterator<Item = RawAabb>) -> f64 {
        self.share(bodies, |[from, to], [low, high]| (low <= to) & (from <= high))
    }

    /// The share of the pairs of a body and a box that pass a test of their edges on the axis.
    #[inline(always)]
    fn share(&self, bodies: impl Iterator<Item = RawAabb>, test: impl Fn([f32; 2], [f32; 2]) -> bool) -> f64 {
        let (mut passed, mut pairs) = (0u32, 0);
        for aabb in bodies {
            let body = [aabb[self.axis], aabb[self.axis + 2]];
            let boxes = self.lows[..self.len].iter().zip(&self.highs[..self.len]);
            passed += boxes.map(|(&low, &high)| u32::from(test(body, [low, high]))).sum::<u32>();
            pairs += self.len;
        }
        f64::from(passed) / pairs.max(1) as f64
    }
}

/// On which length most of some coordinates lie: twice that on which half of them do, in the
/// middle. Changes their order.
pub(crate) fn spread(coordinates: &mut [f32]) -> f64 {
    let quarter = coordinates.len() / 4;
    let upper = coordinates.len() - quarter;
    if upper - quarter < 2 {
        return 0.0;
    }
    let (lower, &mut to, _) = coordinates.select_nth_unstable_by(upper - 1, f32::total_cmp);
    let (_, &mut from, _) = lower.select_nth_unstable_by(quarter, f32::total_cmp);
    2.0 * (f64::from(to) - f64::from(from))
}

/// About how many of some boxes begin in one of them on an axis, or up to `beyond` behind it.
pub(crate) fn beginning_in(axis: usize, boxes: &[BodyRecord], beyond: f32) -> f64 {
    let compared = some_of(boxes, COMPARED).map(|record| record.aabb);
    let share =
        AxisSample::new(axis, boxes).share(compared, |[from, to], [low, _]| (from <= low) & (low <= to + beyond));
    share * boxes.len() as f64
}

/// About how many others of some boxes begin in an area of the given width and height around the
/// lower corner of one of them.
pub(crate) fn beginning_around(boxes: &[BodyRecord], sides: [f32; 2]) -> f64 {
    let [x_max, y_max] = sides.map(|side| 0.5 * side);
    let samples = [0, 1].map(|axis| AxisSample::new(axis, boxes));
    let [xs, ys] = samples.each_ref().map(|sample| &sample.lows[..sample.len]);
    let (mut found, mut pairs) = (0u32, 0);
    for k in (0..xs.len()).step_by(AROUND_ONE_IN) {
        let (x, y) = (xs[k], ys[k]);
        let is_near = |(&a, &b): (&f32, &f32)| u32::from(((a - x).abs() <= x_max) & ((b - y).abs() <= y_max));
        // A box is near itself, unless its coordinates are infinite.
        found += xs.iter().zip(ys).map(is_near).sum::<u32>().saturating_sub(1);
        pairs += xs.len();
    }
    f64::from(found) / pairs.max(1) as f64 * boxes.len() as f64
}

/// The axis on which few of some boxes are beside each other, and about how many are beside one.
pub(crate) fn sparse_axis(boxes: &[BodyRecord]) -> (usize, f64) {
    let beside = [0, 1].map(|axis| {
        let compared = some_of(boxes, COMPARED).map(|record| record.aabb);
        AxisSample::new(axis, boxes).beside(compared) * boxes.len() as f64
    });
    let axis = usize::from(beside[1] < beside[0]);
    (axis, beside[axis])
}

/// About how many other boxes overlap one of some boxes.
pub(crate) fn overlapping(boxes: &[BodyRecord]) -> f64 {
    let (mut hits, mut tests) = (0, 0);
    for one in some_of(boxes, SAMPLED / 4) {
        let others = some_of(boxes, SAMPLED).filter(|other| other.row != one.row);
        hits += others.filter(|other| overlaps(&one.aabb, &other.aabb)).count();
        tests += some_of(boxes, SAMPLED).len();
    }
    hits as f64 / tests.max(1) as f64 * boxes.len() as f64
}

/// Up to `count` of some boxes, evenly.
pub(crate) fn some_of(boxes: &[BodyRecord], count: usize) -> impl ExactSizeIterator<Item = &BodyRecord> {
    boxes.iter().step_by(boxes.len().div_ceil(count).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(boxes: impl Iterator<Item = RawAabb>) -> Vec<BodyRecord> {
        (0..).zip(boxes).map(|(row, aabb)| BodyRecord { aabb, row }).collect()
    }

    #[test]
    fn samples_tell_how_many_begin_in_a_box() {
        let boxes = records((0..1000u16).map(|k| [f32::from(k), 0.0, f32::from(k) + 9.5, 1.0]));
        let [few, more] = [0.0, 40.0].map(|beyond| beginning_in(0, &boxes, beyond));
        assert!((8.0..13.0).contains(&few) && (40.0..60.0).contains(&more), "{few} {more}");
    }

    #[test]
    fn samples_tell_how_many_overlap_a_box() {
        // Half of the boxes are in one place. The sample has 129 of 257 boxes, and 250 of 5,000.
        for count in [100u16, 257, 513, 5000] {
            let boxes = records((0..count).map(|k| if k < count / 2 { [-1.0; 4] } else { [f32::from(k); 4] }));
            let share = overlapping(&boxes) / f64::from(count);
            assert!((0.2..0.3).contains(&share), "{share} of {count}");
        }
    }
}
