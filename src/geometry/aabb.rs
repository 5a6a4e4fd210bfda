//! Closed axis-aligned boxes, validated when they are created.
//!
//! The edges of an [`Aabb`] are finite and `min <= max`, so nothing checks them again.

use crate::geometry::invalid_shape::{InvalidShape, check_finite, check_min};
use crate::geometry::point::Point;
use crate::geometry::raw_box::{RawAabb, distance_squared, overlaps};

/// A closed axis-aligned box. Two boxes that only touch count as overlapping.
///
/// Edges are finite and `min <= max` on both axes; size 0 is allowed. In memory a box is four
/// `f32`, `[min_x, min_y, max_x, max_y]`, so a `&[Aabb]` is accepted wherever a column of boxes is.
///
/// With the feature `serde`, a box is serialized as these four edges, and validated when it is
/// read.
///
/// ```
/// use triphase::Aabb;
/// let door = Aabb::new([0.0, 0.0], [1.0, 2.0])?;
/// let person = Aabb::from_half_extents([1.5, 1.0], [0.5, 0.5])?;
/// assert!(door.overlaps(&person)); // they touch at x = 1
/// assert!(Aabb::new([1.0, 0.0], [0.0, 2.0]).is_err());
/// # Ok::<(), triphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "RawAabb", into = "RawAabb"))]
#[repr(transparent)]
pub struct Aabb(RawAabb);

impl Aabb {
    /// Creates a box from its corners, in world units.
    ///
    /// # Errors
    ///
    /// [`InvalidShape`] if an edge is NaN or infinite, or `min > max` on an axis.
    pub fn new(min: impl Into<[f32; 2]>, max: impl Into<[f32; 2]>) -> Result<Self, InvalidShape> {
        let [min_x, min_y] = check_finite("AABB", ["min.x", "min.y"], min.into())?;
        let [max_x, max_y] = check_finite("AABB", ["max.x", "max.y"], max.into())?;
        check_min("AABB", "max.x", max_x, min_x)?;
        check_min("AABB", "max.y", max_y, min_y)?;
        Ok(Self([min_x, min_y, max_x, max_y]))
    }

    /// Creates the box from `center - half_extents` to `center + half_extents`, computed in `f32`.
    ///
    /// # Errors
    ///
    /// [`InvalidShape`] if a half-extent is negative or NaN, or a computed edge is NaN or infinite.
    pub fn from_half_extents(
        center: impl Into<[f32; 2]>,
        half_extents: impl Into<[f32; 2]>,
    ) -> Result<Self, InvalidShape> {
        let ([x, y], [half_x, half_y]) = (center.into(), half_extents.into());
        // Far from the origin, rounding would hide a negative half-extent.
        check_min("AABB", "half-extent.x", half_x, 0.0)?;
        check_min("AABB", "half-extent.y", half_y, 0.0)?;
        Self::new([x - half_x, y - half_y], [x + half_x, y + half_y])
    }

    /// The lower corner, `[min_x, min_y]`.
    pub fn min(&self) -> [f32; 2] {
        [self.0[0], self.0[1]]
    }

    /// The upper corner, `[max_x, max_y]`.
    pub fn max(&self) -> [f32; 2] {
        [self.0[2], self.0[3]]
    }

    /// The center, `[x, y]`, computed without overflow. Halves of the smallest numbers become 0.
    pub fn center(&self) -> [f32; 2] {
        let [min_x, min_y, max_x, max_y] = self.0;
        [min_x * 0.5 + max_x * 0.5, min_y * 0.5 + max_y * 0.5]
    }

    /// Half of the width and half of the height, computed without overflow.
    pub fn half_extents(&self) -> [f32; 2] {
        let [min_x, min_y, max_x, max_y] = self.0;
        [max_x * 0.5 - min_x * 0.5, max_y * 0.5 - min_y * 0.5]
    }

    /// Returns whether two closed boxes overlap; touching counts.
    pub fn overlaps(&self, other: &Self) -> bool {
        overlaps(&self.0, &other.0)
    }

    /// Returns the square of the distance from `point` to the closed box, 0 inside.
    ///
    /// Computed in `f64` from the `f32` edges: on each axis `max(min - p, p - max, 0)`, where `p`
    /// is the coordinate of the point; then the sum of both squares.
    pub fn distance_squared(&self, point: Point) -> f64 {
        distance_squared(&self.0, point.to_array())
    }

    /// The four edges, `[min_x, min_y, max_x, max_y]`.
    pub fn to_array(self) -> RawAabb {
        self.0
    }
}

/// The inverse of [`Aabb::to_array`], validated like [`Aabb::new`].
impl TryFrom<RawAabb> for Aabb {
    type Error = InvalidShape;

    fn try_from([min_x, min_y, max_x, max_y]: RawAabb) -> Result<Self, InvalidShape> {
        Self::new([min_x, min_y], [max_x, max_y])
    }
}

impl From<Aabb> for RawAabb {
    fn from(aabb: Aabb) -> Self {
        aabb.0
    }
}

impl From<Aabb> for Point {
    /// The center of the box.
    fn from(aabb: Aabb) -> Self {
        Self(aabb.center())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn center_and_half_extents_round_trip() {
        for (center, half_extents) in [([1.5, -2.0], [0.5, 3.0]), ([0.0, 0.0], [f32::MAX, 0.0])] {
            let aabb = Aabb::from_half_extents(center, half_extents).unwrap();
            assert_eq!((aabb.center(), aabb.half_extents()), (center, half_extents));
        }
    }

    #[test]
    fn finite_boxes_that_are_not_inverted_are_valid() {
        assert!(Aabb::new([0.0, 0.0], [0.0, 0.0]).is_ok());
        for bad in [[f32::NAN, 0.0], [f32::INFINITY, 0.0], [1.0, 0.0]] {
            assert!(Aabb::new(bad, [0.5, 0.5]).is_err());
            assert!(Aabb::new([0.5, 0.5], [bad[0], -1.0]).is_err());
        }
        assert!(Aabb::from_half_extents([0.0, 0.0], [-1.0, 1.0]).is_err());
        assert!(Aabb::from_half_extents([1e8, 1e8], [-1.0, -1.0]).is_err());
        assert!(Aabb::from_half_extents([3e38, 0.0], [3e38, 1.0]).is_err());
    }
}
