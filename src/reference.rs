//! Brute force, for tests: slow and simple functions that define the correct results.

use crate::geometry::{RawAabb, overlaps};

/// Finds every `(i, j)` with `i < j` whose closed boxes overlap, in ascending order.
///
/// # Cost
///
/// n² / 2 tests.
///
/// ```
/// use triphase::reference::self_pairs;
/// let boxes = [[0.0, 0.0, 1.0, 1.0], [5.0, 5.0, 6.0, 6.0], [1.0, 0.0, 2.0, 1.0]];
/// assert_eq!(self_pairs(&boxes), [(0, 2)]);
/// ```
pub fn self_pairs(boxes: &[RawAabb]) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    for (i, a) in boxes.iter().enumerate() {
        for (j, b) in (i + 1..).zip(&boxes[i + 1..]) {
            if overlaps(a, b) {
                pairs.push((i as u32, j as u32));
            }
        }
    }
    pairs
}

/// Finds every `(i, j)` where box `i` of `a` and box `j` of `b` overlap, in ascending order.
///
/// # Cost
///
/// n * m tests.
pub fn cross_pairs(a: &[RawAabb], b: &[RawAabb]) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    for (i, first) in a.iter().enumerate() {
        for (j, second) in b.iter().enumerate() {
            if overlaps(first, second) {
                pairs.push((i as u32, j as u32));
            }
        }
    }
    pairs
}

/// Finds every `(i, j)` with `i < j` whose boxes and circles both overlap, in ascending order: the
/// body pairs of [`BodyShape::Circle`](crate::BodyShape::Circle).
///
/// The circle of a box has its center, and its longer side as diameter. Each operation rounds to
/// f32, at twice the size: the doubled center is the sum of two edges, the doubled radius the
/// longer side.
///
/// # Cost
///
/// n² / 2 tests.
pub fn circle_self_pairs(boxes: &[RawAabb]) -> Vec<(u32, u32)> {
    let mut pairs = self_pairs(boxes);
    pairs.retain(|&(i, j)| {
        let ([ax, ay], [bx, by]) = (doubled_center(boxes[i as usize]), doubled_center(boxes[j as usize]));
        let both = longer_side(boxes[i as usize]) + longer_side(boxes[j as usize]);
        let squared = square(ax - bx) + square(ay - by);
        squared.partial_cmp(&square(both)) != Some(std::cmp::Ordering::Greater)
    });
    pairs
}

/// Finds every `(i, j)` where box `i` of `bodies` overlaps box `j` of `statics` and its circle does
/// too, in ascending order: the static pairs of [`BodyShape::Circle`](crate::BodyShape::Circle).
///
/// # Cost
///
/// n * m tests.
pub fn circle_static_pairs(bodies: &[RawAabb], statics: &[RawAabb]) -> Vec<(u32, u32)> {
    let mut pairs = cross_pairs(bodies, statics);
    pairs.retain(|&(i, j)| {
        let (circle, static_row) = (bodies[i as usize], statics[j as usize]);
        let mut squared = 0.0;
        for axis in 0..2 {
            let at = doubled_center(circle)[axis];
            // If a difference is NaN, `max` ignores it.
            let outside = (2.0 * static_row[axis] - at).max(at - 2.0 * static_row[axis + 2]).max(0.0);
            squared += square(outside);
        }
        squared.partial_cmp(&square(longer_side(circle))) != Some(std::cmp::Ordering::Greater)
    });
    pairs
}

fn doubled_center(aabb: RawAabb) -> [f32; 2] {
    [0, 1].map(|axis| aabb[axis] + aabb[axis + 2])
}

fn square(x: f32) -> f32 {
    x * x
}

fn longer_side([min_x, min_y, max_x, max_y]: RawAabb) -> f32 {
    (max_x - min_x).max(max_y - min_y)
}

/// Computes the box of a body as a step does, in f32: `center - half` to `center + half`.
///
/// With a displacement, it is the smallest box that covers this box and the one at
/// `center + displacement`. Then the sign of an edge that is zero may differ from that of
/// [`World::aabb`](crate::World::aabb), whose box is equal.
pub fn body_aabb(center: [f32; 2], half: [f32; 2], displacement: Option<[f32; 2]>) -> RawAabb {
    let at = |c: [f32; 2]| [c[0] - half[0], c[1] - half[1], c[0] + half[0], c[1] + half[1]];
    let here = at(center);
    displacement.map_or(here, |d| union(here, at([center[0] + d[0], center[1] + d[1]])))
}

/// Computes the smallest box that covers two boxes.
pub fn union(a: RawAabb, b: RawAabb) -> RawAabb {
    [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])]
}

/// Computes the squared distance from a point to each closed box, with its row, nearest first.
///
/// At equal distances, the lower row comes first. Computed in f64: on each axis
/// `max(min - p, p - max, 0)`, where `p` is the coordinate of the point; then the sum of both
/// squares.
pub fn distances_squared(boxes: &[RawAabb], point: [f32; 2]) -> Vec<(f64, u32)> {
    let mut distances: Vec<(f64, u32)> = Vec::new();
    for (row, aabb) in boxes.iter().enumerate() {
        let mut squared = 0.0;
        for axis in 0..2 {
            let [low, high, at] = [aabb[axis], aabb[axis + 2], point[axis]].map(f64::from);
            let apart = (low - at).max(at - high).max(0.0);
            squared += apart * apart;
        }
        distances.push((squared, row as u32));
    }
    distances.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    distances
}

/// Casts the box `start` along `direction` against all boxes, up to the time of impact `max`.
///
/// Returns the time of impact in multiples of `direction`, the row, and the normal of the side that
/// is hit, or `[0, 0]` if `start` overlaps the box. Sorted by time, then by row. For a ray, `start`
/// is a box of size 0.
pub fn cast_all(boxes: &[RawAabb], start: RawAabb, direction: [f32; 2], max: f64) -> Vec<(f64, u32, [f32; 2])> {
    let mut hits = Vec::new();
    for (row, aabb) in boxes.iter().enumerate() {
        let (mut first, mut last, mut normal) = (0.0, max, [0.0, 0.0]);
        let mut is_hit = true;
        for axis in 0..2 {
            let [low, high, from, to] = [aabb[axis], aabb[axis + 2], start[axis], start[axis + 2]].map(f64::from);
            if direction[axis] == 0.0 {
                is_hit &= low <= to && from <= high;
                continue;
            }
            let inverse = 1.0 / f64::from(direction[axis]);
            let mut ends = [(low - to) * inverse, (high - from) * inverse];
            ends.sort_by(f64::total_cmp);
            if ends[0] > first {
                first = ends[0];
                normal = [0.0, 0.0];
                normal[axis] = -direction[axis].signum();
            }
            last = last.min(ends[1]);
        }
        if is_hit && first <= last && first < f64::INFINITY {
            hits.push((first, row as u32, normal));
        }
    }
    hits.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    hits
}
