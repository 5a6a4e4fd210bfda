//! Boxes as every engine computes them, and the test of overlap.

use crate::engine::Frame;

/// `[min x, min y, max x, max y]`.
pub type Box4 = [f32; 4];

/// The box of one body, in f32.
#[inline(always)]
pub fn body_aabb(center: [f32; 2], half: [f32; 2]) -> Box4 {
    [center[0] - half[0], center[1] - half[1], center[0] + half[0], center[1] + half[1]]
}

/// The boxes of all bodies of a frame, by row.
#[inline(always)]
pub fn body_boxes(frame: Frame<'_>) -> impl ExactSizeIterator<Item = Box4> {
    frame.centers.iter().zip(frame.half_extents).map(|(&center, &half)| body_aabb(center, half))
}

/// Whether two closed boxes overlap; touching is overlap.
#[inline(always)]
pub fn overlaps(a: &Box4, b: &Box4) -> bool {
    // Bitwise and: four comparisons without branches in between.
    (a[0] <= b[2]) & (b[0] <= a[2]) & (a[1] <= b[3]) & (b[1] <= a[3])
}

/// Returns the pair with the lower row first.
#[inline(always)]
pub fn ordered(a: u32, b: u32) -> [u32; 2] {
    if a < b { [a, b] } else { [b, a] }
}
