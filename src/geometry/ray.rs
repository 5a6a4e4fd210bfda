//! Rays and moving boxes of queries.

use crate::geometry::aabb::Aabb;
use crate::geometry::invalid_shape::{InvalidShape, check_finite, check_min};
use crate::geometry::prepared_cast::PreparedCast;

/// A ray from `origin` along `direction`, up to a maximum time of impact.
///
/// A point moves along the ray by one `direction` per unit of time. The direction need not be of
/// length 1. If it is the motion of one step, and `max_time_of_impact` is 1, then times are
/// fractions of the step. If the direction is zero, or `max_time_of_impact` is 0, the ray hits the
/// boxes that contain its origin. `max_time_of_impact` may be infinite.
///
/// A ray hits a box if they have a point in common; the edges and corners of the box count. This is
/// computed in `f64` from the `f32` edges. On each axis on which the direction is not zero, the
/// times `(edge - origin) * (1 / direction)` of both edges are the ends of an interval; on other
/// axes the box must contain the origin. The ray hits the box if these intervals and `0` to
/// `max_time_of_impact` have a time in common, and the time of impact is the first such time.
///
/// ```
/// use triphase::Ray;
/// let ray = Ray::new([0.0, 1.0], [3.0, 4.0], f32::INFINITY)?;
/// assert_eq!(ray.point_at(2.0), [6.0, 9.0]);
/// assert!(Ray::new([0.0, 0.0], [f32::INFINITY, 0.0], 1.0).is_err());
/// # Ok::<(), triphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    origin: [f32; 2],
    direction: [f32; 2],
    max_time_of_impact: f32,
}

impl Ray {
    /// Creates a ray.
    ///
    /// # Errors
    ///
    /// [`InvalidShape`] if a coordinate of `origin` or `direction` is NaN or infinite, or
    /// `max_time_of_impact` is NaN or negative.
    pub fn new(
        origin: impl Into<[f32; 2]>,
        direction: impl Into<[f32; 2]>,
        max_time_of_impact: f32,
    ) -> Result<Self, InvalidShape> {
        Ok(Self {
            origin: check_finite("ray", ["origin.x", "origin.y"], origin.into())?,
            direction: check_finite("ray", ["direction.x", "direction.y"], direction.into())?,
            max_time_of_impact: check_min("ray", "max_time_of_impact", max_time_of_impact, 0.0)?,
        })
    }

    /// Creates the ray from one point to another, for a line of sight: times of impact are
    /// fractions of the way.
    ///
    /// ```
    /// use triphase::{Bodies, Ray, World};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[5.0f32, 0.0]], [0.5, 0.5]))?;
    /// let sight = Ray::between([0.0, 0.0], [9.0, 0.0])?;
    /// assert_eq!(world.cast_ray(sight).map(|hit| hit.time_of_impact), Some(0.5));
    /// assert_eq!(world.cast_ray(Ray::between([0.0, 0.0], [4.0, 0.0])?), None);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidShape`] if a coordinate is NaN or infinite, or the difference of two coordinates
    /// rounds to infinity.
    pub fn between(from: impl Into<[f32; 2]>, to: impl Into<[f32; 2]>) -> Result<Self, InvalidShape> {
        let (from, to) = (from.into(), check_finite("ray", ["end.x", "end.y"], to.into())?);
        Self::new(from, [to[0] - from[0], to[1] - from[1]], 1.0)
    }

    /// The origin, `[x, y]`.
    pub fn origin(&self) -> [f32; 2] {
        self.origin
    }

    /// The direction as it was given, `[x, y]`, not normalized.
    pub fn direction(&self) -> [f32; 2] {
        self.direction
    }

    /// The largest time of impact, in multiples of the direction.
    pub fn max_time_of_impact(&self) -> f32 {
        self.max_time_of_impact
    }

    /// The point at a time of impact, `origin + direction * time`, rounded to `f32`.
    pub fn point_at(&self, time: f64) -> [f32; 2] {
        [0, 1].map(|axis| (f64::from(self.origin[axis]) + f64::from(self.direction[axis]) * time) as f32)
    }
}

impl From<Ray> for PreparedCast {
    fn from(ray: Ray) -> Self {
        let [x, y] = ray.origin;
        Self::new([x, y, x, y], ray.direction, f64::from(ray.max_time_of_impact))
    }
}

/// A shape cast of a box: it moves along a displacement, without rotation, to find what it hits.
///
/// At time 0 it is at its start, at time 1 it has moved by the whole displacement. Hits are defined
/// as for a [`Ray`], with the moving box in place of the origin: on each axis the ends of the
/// interval are `(min - moving.max) * (1 / displacement)` and
/// `(max - moving.min) * (1 / displacement)`, where `min` and `max` are the edges of the other box.
///
/// ```
/// use triphase::{Aabb, AabbCast};
/// let door = Aabb::new([0.0, 0.0], [1.0, 2.0])?;
/// let cast = AabbCast::new(door, [3.0, 0.0])?;
/// assert_eq!(cast.displacement(), [3.0, 0.0]);
/// assert!(AabbCast::new(door, [f32::NAN, 0.0]).is_err());
/// # Ok::<(), triphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AabbCast {
    aabb: Aabb,
    displacement: [f32; 2],
}

impl AabbCast {
    /// Creates the cast of `aabb` along `displacement`, in world units.
    ///
    /// # Errors
    ///
    /// [`InvalidShape`] if a component of `displacement` is NaN or infinite.
    pub fn new(aabb: Aabb, displacement: impl Into<[f32; 2]>) -> Result<Self, InvalidShape> {
        let displacement = check_finite("AABB cast", ["displacement.x", "displacement.y"], displacement.into())?;
        Ok(Self { aabb, displacement })
    }

    /// The box at the start.
    pub fn aabb(&self) -> Aabb {
        self.aabb
    }

    /// The whole displacement, `[x, y]`.
    pub fn displacement(&self) -> [f32; 2] {
        self.displacement
    }
}

impl From<AabbCast> for PreparedCast {
    fn from(cast: AabbCast) -> Self {
        Self::new(cast.aabb.to_array(), cast.displacement, 1.0)
    }
}
