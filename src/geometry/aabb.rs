//! Closed axis-aligned boxes in f32.
//!
//! G1: an [`Aabb`] that exists is finite and not inverted; nothing downstream checks it again.
//! G2: [`overlaps`] is the only definition of contact. Every kernel must agree with it, bit for bit.
//! G3: [`distance_squared`] is the only definition of distance.

use crate::geometry::Point;
use glam::Vec2;
use std::fmt;

/// `[min_x, min_y, max_x, max_y]`: a box as the inner loops hold it. Edges may be infinite (an edge that was
/// computed may round to infinity) but are never NaN.
pub type RawAabb = [f32; 4];

/// Overlaps no finite box; united with another box it gives the other.
pub(crate) const EMPTY_AABB: RawAabb = [f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY];

/// Overlaps every box.
pub(crate) const INFINITE_AABB: RawAabb = [f32::NEG_INFINITY, f32::NEG_INFINITY, f32::INFINITY, f32::INFINITY];

/// A box that was refused: it is inverted, or has an edge that is NaN or infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct InvalidAabb {
    /// What was given.
    pub edges: RawAabb,
}

impl fmt::Display for InvalidAabb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [min_x, min_y, max_x, max_y] = self.edges;
        write!(f, "({min_x}, {min_y}) to ({max_x}, {max_y}) is not a box: edges must be finite and min <= max")
    }
}

impl std::error::Error for InvalidAabb {}

/// A closed axis-aligned box: its edges belong to it, so boxes that only touch overlap.
///
/// Edges are finite and `min <= max` on both axes; zero size is legal. In memory it is four f32,
/// `min_x, min_y, max_x, max_y`, so a `&[Aabb]` can be handed over wherever a column of boxes is taken.
///
/// ```
/// use triphase::Aabb;
/// let door = Aabb::new([0.0, 0.0], [1.0, 2.0])?;
/// let person = Aabb::from_half_extents([1.5, 1.0], [0.5, 0.5])?;
/// assert!(door.overlaps(&person)); // they touch at x = 1
/// assert!(Aabb::new([1.0, 0.0], [0.0, 2.0]).is_err());
/// # Ok::<(), triphase::Error>(())
/// ```
///
/// With the feature `serde` it is serialised as these four edges, and checked when it is read.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::NoUninit)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "RawAabb", into = "RawAabb"))]
#[repr(transparent)]
pub struct Aabb(RawAabb);

impl Aabb {
    /// The box from `min` to `max`, in world units.
    ///
    /// # Errors
    ///
    /// [`InvalidAabb`] when an edge is NaN or infinite, or `min > max` on an axis.
    pub fn new(min: impl Into<[f32; 2]>, max: impl Into<[f32; 2]>) -> Result<Self, InvalidAabb> {
        let ([min_x, min_y], [max_x, max_y]) = (min.into(), max.into());
        let raw = [min_x, min_y, max_x, max_y];
        let finite = raw.iter().all(|edge| edge.is_finite());
        if finite && min_x <= max_x && min_y <= max_y { Ok(Self(raw)) } else { Err(InvalidAabb { edges: raw }) }
    }

    /// The box from `center - half_extents` to `center + half_extents`, computed in f32.
    ///
    /// # Errors
    ///
    /// [`InvalidAabb`] when a computed edge is NaN or infinite, or a half-extent is negative.
    pub fn from_half_extents(
        center: impl Into<[f32; 2]>,
        half_extents: impl Into<[f32; 2]>,
    ) -> Result<Self, InvalidAabb> {
        let ([x, y], [half_x, half_y]) = (center.into(), half_extents.into());
        let edges = [x - half_x, y - half_y, x + half_x, y + half_y];
        // Far from the origin rounding would hide a negative one.
        if half_x < 0.0 || half_y < 0.0 {
            return Err(InvalidAabb { edges });
        }
        Self::new([edges[0], edges[1]], [edges[2], edges[3]])
    }

    /// The lower corner.
    pub fn min(&self) -> Vec2 {
        Vec2::new(self.0[0], self.0[1])
    }

    /// The upper corner.
    pub fn max(&self) -> Vec2 {
        Vec2::new(self.0[2], self.0[3])
    }

    /// The middle, computed without overflow.
    pub fn center(&self) -> Vec2 {
        self.min() * 0.5 + self.max() * 0.5
    }

    /// Whether the closed boxes share a point; touching is overlap.
    pub fn overlaps(&self, other: &Self) -> bool {
        overlaps(&self.0, &other.0)
    }

    /// The square of the distance from a point to the closed box, 0 inside; in f64 from the f32 edges: on each axis
    /// `max(min - p, p - max, 0)`, then the sum of both squares.
    pub fn distance_squared(&self, point: Point) -> f64 {
        distance_squared(&self.0, point.to_array())
    }

    /// The four edges, `[min_x, min_y, max_x, max_y]`.
    pub fn to_array(self) -> RawAabb {
        self.0
    }
}

/// The box of four edges, `[min_x, min_y, max_x, max_y]`, as [`Aabb::new`].
impl TryFrom<RawAabb> for Aabb {
    type Error = InvalidAabb;

    fn try_from([min_x, min_y, max_x, max_y]: RawAabb) -> Result<Self, InvalidAabb> {
        Self::new([min_x, min_y], [max_x, max_y])
    }
}

impl From<Aabb> for RawAabb {
    fn from(aabb: Aabb) -> Self {
        aabb.0
    }
}

/// G2: closed overlap on both axes. False when an edge is NaN.
#[inline(always)]
pub(crate) fn overlaps(a: &RawAabb, b: &RawAabb) -> bool {
    // Bitwise and: four comparisons without a branch between them.
    (a[0] <= b[2]) & (b[0] <= a[2]) & (a[1] <= b[3]) & (b[1] <= a[3])
}

/// The smallest box that covers both.
#[inline(always)]
pub(crate) fn union(a: &RawAabb, b: &RawAabb) -> RawAabb {
    [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])]
}

/// Whether `outer` holds all of `inner`, edges included.
#[inline(always)]
pub(crate) fn holds(outer: &RawAabb, inner: &RawAabb) -> bool {
    (outer[0] <= inner[0]) & (inner[2] <= outer[2]) & (outer[1] <= inner[1]) & (inner[3] <= outer[3])
}

/// G3. Monotone in each edge, roundings included, so a box that covers another is no farther. Edges may be infinite.
#[inline(always)]
pub(crate) fn distance_squared(aabb: &RawAabb, [x, y]: [f32; 2]) -> f64 {
    let apart = |low: f32, high: f32, at: f32| {
        let (below, above) = (f64::from(low) - f64::from(at), f64::from(at) - f64::from(high));
        let most = if below > above { below } else { above };
        if most > 0.0 { most } else { 0.0 }
    };
    let (x, y) = (apart(aabb[0], aabb[2], x), apart(aabb[1], aabb[3], y));
    x * x + y * y
}

/// A box seen from the origin `by`: edge by edge, in f32. Monotone, so `min <= max` stays; a finite edge may become infinite.
#[inline(always)]
pub(crate) fn shifted(aabb: &RawAabb, by: [f32; 2]) -> RawAabb {
    [aabb[0] - by[0], aabb[1] - by[1], aabb[2] - by[0], aabb[3] - by[1]]
}

/// x and y exchanged if `transposed`.
#[inline(always)]
pub(crate) fn oriented(aabb: RawAabb, transposed: bool) -> RawAabb {
    if transposed { [aabb[1], aabb[0], aabb[3], aabb[2]] } else { aabb }
}

/// "x" or "y", for messages.
pub(crate) fn axis_name(axis: usize) -> &'static str {
    ["x", "y"][axis & 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touching_is_overlap_and_apart_is_not() {
        let a = [0.0, 0.0, 1.0, 1.0];
        assert!(overlaps(&a, &[1.0, 1.0, 2.0, 2.0]));
        assert!(!overlaps(&a, &[1.0f32.next_up(), 0.0, 2.0, 1.0]));
        assert!(overlaps(&a, &[-0.0, -1.0, 0.0, 0.0]));
        assert!(overlaps(&[f32::NEG_INFINITY, 0.0, f32::INFINITY, 0.0], &a));
        assert!(!overlaps(&a, &[f32::NAN, 0.0, 2.0, 1.0]));
    }

    #[test]
    fn boxes_are_validated_when_made() {
        assert!(Aabb::new([0.0, 0.0], [0.0, 0.0]).is_ok());
        for bad in [[f32::NAN, 0.0], [f32::INFINITY, 0.0], [1.0, 0.0]] {
            assert!(Aabb::new(bad, [0.5, 0.5]).is_err());
        }
        assert!(Aabb::from_half_extents([0.0, 0.0], [-1.0, 1.0]).is_err());
        assert!(Aabb::from_half_extents([1e8, 1e8], [-1.0, -1.0]).is_err());
        assert!(Aabb::from_half_extents([3e38, 0.0], [3e38, 1.0]).is_err());
    }
}
