//! Boxes as four plain numbers, the form that inner loops work on.
//!
//! BOX-1: [`overlaps`] is the only definition of overlap. Kernels agree with it bit for bit.
//!
//! BOX-2: [`distance_squared`] is the only definition of distance from a box.

/// A box as `[min_x, min_y, max_x, max_y]`.
///
/// A computed edge may have rounded to infinity, but is never NaN.
pub type RawAabb = [f32; 4];

/// Overlaps no finite box; its union with another box is that box.
pub(crate) const EMPTY_AABB: RawAabb = [f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY];

/// The box of a row that does not exist, or was skipped: it overlaps nothing.
pub(crate) const NO_BOX: RawAabb = [f32::NAN; 4];

/// Whether this is [`NO_BOX`]: edges of other boxes are never NaN.
#[inline(always)]
pub(crate) fn is_no_box(aabb: &RawAabb) -> bool {
    aabb[0].is_nan()
}

/// The length of a box on an axis.
#[inline(always)]
pub(crate) fn side(aabb: &RawAabb, axis: usize) -> f64 {
    f64::from(aabb[axis + 2]) - f64::from(aabb[axis])
}

/// The width and the height of a box.
#[inline(always)]
pub(crate) fn sides(aabb: &RawAabb) -> [f64; 2] {
    [side(aabb, 0), side(aabb, 1)]
}

/// Overlaps every box.
pub(crate) const INFINITE_AABB: RawAabb = [f32::NEG_INFINITY, f32::NEG_INFINITY, f32::INFINITY, f32::INFINITY];

/// Whether two closed boxes overlap on both axes (BOX-1). False if an edge is NaN.
#[inline(always)]
pub(crate) fn overlaps(a: &RawAabb, b: &RawAabb) -> bool {
    // Bitwise: four comparisons without a branch between them.
    (a[0] <= b[2]) & (b[0] <= a[2]) & (a[1] <= b[3]) & (b[1] <= a[3])
}

/// The smallest box that contains both.
#[inline(always)]
pub(crate) fn union(a: &RawAabb, b: &RawAabb) -> RawAabb {
    [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])]
}

/// Whether `outer` contains all of `inner`, edges included.
#[inline(always)]
pub(crate) fn contains(outer: &RawAabb, inner: &RawAabb) -> bool {
    (outer[0] <= inner[0]) & (inner[2] <= outer[2]) & (outer[1] <= inner[1]) & (inner[3] <= outer[3])
}

/// The square of the distance from a point to a closed box, 0 inside (BOX-2).
///
/// Monotone in each edge, rounding included: a box that contains another is never farther away.
#[inline(always)]
pub(crate) fn distance_squared(aabb: &RawAabb, [x, y]: [f32; 2]) -> f64 {
    let on_axis = |low: f32, high: f32, at: f32| {
        let (below, above) = (f64::from(low) - f64::from(at), f64::from(at) - f64::from(high));
        let distance = if below > above { below } else { above };
        if distance > 0.0 { distance } else { 0.0 }
    };
    let (x, y) = (on_axis(aabb[0], aabb[2], x), on_axis(aabb[1], aabb[3], y));
    x * x + y * y
}

/// The box in coordinates with this origin.
///
/// Rounds each edge, which is monotone, so `min <= max` remains true. A finite edge may become
/// infinite.
#[inline(always)]
pub(crate) fn translated(aabb: &RawAabb, origin: [f32; 2]) -> RawAabb {
    [aabb[0] - origin[0], aabb[1] - origin[1], aabb[2] - origin[0], aabb[3] - origin[1]]
}

/// "x" or "y", for messages.
pub(crate) fn axis_name(axis: usize) -> &'static str {
    ["x", "y"][axis & 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touching_boxes_overlap_and_separate_ones_do_not() {
        let a = [0.0, 0.0, 1.0, 1.0];
        assert!(overlaps(&a, &[1.0, 1.0, 2.0, 2.0]));
        assert!(!overlaps(&a, &[1.0f32.next_up(), 0.0, 2.0, 1.0]));
        assert!(overlaps(&a, &[-0.0, -1.0, 0.0, 0.0]));
        assert!(overlaps(&[f32::NEG_INFINITY, 0.0, f32::INFINITY, 0.0], &a));
        assert!(!overlaps(&a, &[f32::NAN, 0.0, 2.0, 1.0]));
    }
}
