//! The shapes that questions are asked with.
//!
//! S1: a shape that exists can be asked with: it was checked when it was made, so no question can fail.

use crate::geometry::{Aabb, RawAabb};
use glam::Vec2;
use std::fmt;

/// A shape that was refused: a value is NaN, infinite or negative where it may not be.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct InvalidShape {
    /// What was to be made: "ray", say.
    pub shape: &'static str,
    /// Which part of it.
    pub part: &'static str,
    /// What was given.
    pub value: f32,
    /// What was expected.
    pub expected: &'static str,
}

impl fmt::Display for InvalidShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} is {}, expected {}", self.shape, self.part, self.value, self.expected)
    }
}

impl std::error::Error for InvalidShape {}

fn finite(shape: &'static str, parts: [&'static str; 2], values: [f32; 2]) -> Result<[f32; 2], InvalidShape> {
    match values.iter().zip(parts).find(|(value, _)| !value.is_finite()) {
        Some((&value, part)) => Err(InvalidShape { shape, part, value, expected: "a finite number" }),
        None => Ok(values),
    }
}

/// Not NaN and not negative; infinity is legal.
fn extent(shape: &'static str, part: &'static str, value: f32) -> Result<f32, InvalidShape> {
    if value >= 0.0 { Ok(value) } else { Err(InvalidShape { shape, part, value, expected: "a number of at least 0" }) }
}

/// A place in world units, finite.
///
/// ```
/// use triphase::Point;
/// assert!(Point::new([1.0, 2.0]).is_ok());
/// assert!(Point::new([f32::NAN, 2.0]).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point([f32; 2]);

impl Point {
    /// The point at `at`, in world units.
    ///
    /// # Errors
    ///
    /// [`InvalidShape`] when a coordinate is NaN or infinite.
    pub fn new(at: impl Into<[f32; 2]>) -> Result<Self, InvalidShape> {
        finite("point", ["x", "y"], at.into()).map(Self)
    }

    /// Its coordinates.
    pub fn to_array(self) -> [f32; 2] {
        self.0
    }
}

impl From<Aabb> for Point {
    /// The middle.
    fn from(aabb: Aabb) -> Self {
        Self(aabb.center().to_array())
    }
}

/// A closed disc: a centre, and a radius of at least 0 that may be infinite, in world units.
///
/// A box is met when the square of its distance is at most that of the radius; see [`Aabb::distance_squared`].
///
/// ```
/// use triphase::Circle;
/// assert!(Circle::new([1.0, 2.0], 0.0).is_ok());
/// assert!(Circle::new([1.0, 2.0], -1.0).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Circle {
    center: [f32; 2],
    radius: f32,
}

impl Circle {
    /// The disc around `center`.
    ///
    /// # Errors
    ///
    /// [`InvalidShape`] when a coordinate is NaN or infinite, or the radius is NaN or negative.
    pub fn new(center: impl Into<[f32; 2]>, radius: f32) -> Result<Self, InvalidShape> {
        let center = finite("circle", ["center x", "center y"], center.into())?;
        Ok(Self { center, radius: extent("circle", "radius", radius)? })
    }

    /// Its centre.
    pub fn center(&self) -> Vec2 {
        Vec2::from_array(self.center)
    }

    /// Its radius.
    pub fn radius(&self) -> f32 {
        self.radius
    }

    /// The square of the radius, exactly.
    pub(crate) fn radius_squared(&self) -> f64 {
        f64::from(self.radius) * f64::from(self.radius)
    }

    /// A box that overlaps every box that the disc meets, roundings of the distance included.
    pub(crate) fn cover(&self) -> RawAabb {
        let [x, y] = self.center.map(f64::from);
        // A distance is rounded twice, by 2^-53 of the numbers it is made of.
        let radius = |center: f64| f64::from(self.radius) + (center.abs() + f64::from(self.radius)) * ROUNDING;
        let ((x_radius, y_radius), low, high) = ((radius(x), radius(y)), round_down, round_up);
        [low(x - x_radius), low(y - y_radius), high(x + x_radius), high(y + y_radius)]
    }
}

impl From<Point> for Circle {
    /// Everything, however far from the point.
    fn from(point: Point) -> Self {
        Self { center: point.0, radius: f32::INFINITY }
    }
}

/// A ray: from `origin` along `direction`, up to `max` times the direction.
///
/// The direction need not be of length 1: distances along the ray are multiples of its length, so with the motion of a
/// frame as direction and a `max` of 1 they are fractions of the frame. A direction of zero, or a `max` of 0, asks for the
/// boxes that hold the origin. `max` may be infinite.
///
/// A box is hit where the closed box and the ray share a point, edges and corners included, computed in f64 from the f32
/// edges: on each axis where the direction is not zero, `(edge - origin) * (1 / direction)` for both edges is an interval
/// of distances, on the others the box must hold the origin; the hit is where all intervals, and 0 to `max`, have begun,
/// unless one has ended before.
///
/// ```
/// use triphase::Ray;
/// assert!(Ray::new([0.0, 0.0], [3.0, 4.0], f32::INFINITY).is_ok());
/// assert!(Ray::new([0.0, 0.0], [f32::INFINITY, 0.0], 1.0).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    origin: [f32; 2],
    direction: [f32; 2],
    max: f32,
}

impl Ray {
    /// The ray from `origin`.
    ///
    /// # Errors
    ///
    /// [`InvalidShape`] when a coordinate or a component is NaN or infinite, or `max` is NaN or negative.
    pub fn new(origin: impl Into<[f32; 2]>, direction: impl Into<[f32; 2]>, max: f32) -> Result<Self, InvalidShape> {
        let origin = finite("ray", ["origin x", "origin y"], origin.into())?;
        let direction = finite("ray", ["direction x", "direction y"], direction.into())?;
        Ok(Self { origin, direction, max: extent("ray", "max", max)? })
    }

    /// Where it starts.
    pub fn origin(&self) -> Vec2 {
        Vec2::from_array(self.origin)
    }

    /// Where it goes; not of length 1 unless it was given so.
    pub fn direction(&self) -> Vec2 {
        Vec2::from_array(self.direction)
    }

    /// How far it goes, in multiples of the direction.
    pub fn max(&self) -> f32 {
        self.max
    }

    /// The point at a distance in multiples of the direction, rounded to f32.
    pub fn at(&self, distance: f64) -> Vec2 {
        let at = |k: usize| (f64::from(self.origin[k]) + f64::from(self.direction[k]) * distance) as f32;
        Vec2::new(at(0), at(1))
    }
}

/// A box in motion: from where it is to where `displacement` brings it.
///
/// What it meets is what a [`Ray`] from a point meets whose origin is the whole box: on each axis the interval of distances
/// is from `(min - box max) * (1 / displacement)` to `(max - box min) * (1 / displacement)`, or back, with a distance of 1
/// for the whole way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AabbCast {
    aabb: Aabb,
    displacement: [f32; 2],
}

impl AabbCast {
    /// The way of `aabb` along `displacement`, in world units.
    ///
    /// # Errors
    ///
    /// [`InvalidShape`] when a component is NaN or infinite.
    pub fn new(aabb: Aabb, displacement: impl Into<[f32; 2]>) -> Result<Self, InvalidShape> {
        let displacement = finite("sweep", ["displacement x", "displacement y"], displacement.into())?;
        Ok(Self { aabb, displacement })
    }

    /// The box at the start.
    pub fn aabb(&self) -> Aabb {
        self.aabb
    }

    /// The whole way.
    pub fn displacement(&self) -> Vec2 {
        Vec2::from_array(self.displacement)
    }
}

impl From<Ray> for crate::geometry::Cast {
    fn from(ray: Ray) -> Self {
        let [x, y] = ray.origin;
        Self::new([x, y, x, y], ray.direction, f64::from(ray.max))
    }
}

impl From<AabbCast> for crate::geometry::Cast {
    fn from(sweep: AabbCast) -> Self {
        Self::new(sweep.aabb.to_array(), sweep.displacement, 1.0)
    }
}

/// Far above what sums and products of a few f64 lose, far below what f32 can tell.
pub(super) const ROUNDING: f64 = 1.0 / (1u64 << 48) as f64;

/// The square of half side `radius` around a point, rounded outward. What does not overlap it is at least as far as `radius`
/// on an axis, as distances are computed: its edge lies beyond the square's, and rounding keeps the order of differences.
pub(crate) fn square([x, y]: [f32; 2], radius: f64) -> RawAabb {
    let (x, y) = (f64::from(x), f64::from(y));
    [round_down(x - radius), round_down(y - radius), round_up(x + radius), round_up(y + radius)]
}

/// What rounding takes from a root, and more.
pub(crate) const ROOT: f64 = 1.0 + 1e-12;

/// The greatest f32 that is not above.
pub(crate) fn round_down(v: f64) -> f32 {
    let near = v as f32;
    if f64::from(near) > v { near.next_down() } else { near }
}

/// The least f32 that is not below.
pub(crate) fn round_up(v: f64) -> f32 {
    let near = v as f32;
    if f64::from(near) < v { near.next_up() } else { near }
}
