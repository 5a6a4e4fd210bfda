//! Brute force: the oracle. Slow, obvious, and the definition of a right answer.

use crate::geometry::{RawBox, overlaps};

/// Every `(i, j)` with `i < j` whose closed boxes overlap, in ascending order.
///
/// # Cost
///
/// n² / 2 tests.
pub fn self_pairs(boxes: &[RawBox]) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    for (i, a) in boxes.iter().enumerate() {
        for (j, b) in boxes.iter().enumerate().skip(i + 1) {
            if overlaps(a, b) {
                pairs.push((i as u32, j as u32));
            }
        }
    }
    pairs
}

/// Every `(i, j)` where box `i` of `a` and box `j` of `b` overlap, in ascending order.
///
/// # Cost
///
/// n * m tests.
pub fn cross_pairs(a: &[RawBox], b: &[RawBox]) -> Vec<(u32, u32)> {
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

/// The box of a body as a step computes it, in f32: `center - half` to `center + half`; with a displacement,
/// the smallest box that covers it here and at `center + displacement`.
pub fn body_box(center: [f32; 2], half: [f32; 2], displacement: Option<[f32; 2]>) -> RawBox {
    let at = |c: [f32; 2]| [c[0] - half[0], c[1] - half[1], c[0] + half[0], c[1] + half[1]];
    let here = at(center);
    displacement.map_or(here, |d| union(here, at([center[0] + d[0], center[1] + d[1]])))
}

/// The smallest box that holds both.
pub fn union(a: RawBox, b: RawBox) -> RawBox {
    [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])]
}
