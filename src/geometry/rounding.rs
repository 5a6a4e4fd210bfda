//! Conversions from f64 to f32 that round outward, and allowances for rounding.

use crate::geometry::raw_box::RawAabb;

/// Far more than a few sums and products of f64 lose, far less than f32 can resolve.
pub(super) const ROUNDING: f64 = 1.0 / (1u64 << 48) as f64;

/// A square root times this is not below the exact root.
pub(crate) const ROOT: f64 = 1.0 + 1e-12;

/// The greatest f32 that is not above `v`.
pub(crate) fn round_down(v: f64) -> f32 {
    let nearest = v as f32;
    if f64::from(nearest) > v { nearest.next_down() } else { nearest }
}

/// The least f32 that is not below `v`.
pub(crate) fn round_up(v: f64) -> f32 {
    let nearest = v as f32;
    if f64::from(nearest) < v { nearest.next_up() } else { nearest }
}

/// A square around a point whose sides are at least `half_side` away.
///
/// A box that does not overlap it is at least `half_side` away on one axis: its edge is beyond the
/// square's, and the rounding of distances is monotone.
pub(crate) fn square([x, y]: [f32; 2], half_side: f64) -> RawAabb {
    let (x, y) = (f64::from(x), f64::from(y));
    [round_down(x - half_side), round_down(y - half_side), round_up(x + half_side), round_up(y + half_side)]
}
