//! Vectors, boxes and the shapes of queries, in world units.

use crate::error::Failure;
use broad_phase::{Aabb, AabbCast, Circle, Error, InvalidShape, Point, Ray};
use bytemuck::{Pod, Zeroable};

/// A vector or a point, in world units.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct tp_vec2 {
    /// Along x.
    pub x: f32,
    /// Along y.
    pub y: f32,
}

/// A closed axis-aligned box, in world units: two boxes that only touch overlap.
///
/// Edges must be finite, and min must not exceed max.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct tp_box {
    /// The left edge.
    pub min_x: f32,
    /// The lower edge.
    pub min_y: f32,
    /// The right edge.
    pub max_x: f32,
    /// The upper edge.
    pub max_y: f32,
}

/// A circle to query with, in world units. The radius may be 0 or infinite, not negative.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct tp_circle {
    /// The center.
    pub center: tp_vec2,
    /// The radius.
    pub radius: f32,
}

/// A ray from `origin` along `direction`.
///
/// A point moves along it by one `direction`, of any length, per unit of time. It hits the boxes
/// that it reaches at times from 0 to `max_time`, which may be infinite.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct tp_ray {
    /// Where the ray begins.
    pub origin: tp_vec2,
    /// Motion per unit of time.
    pub direction: tp_vec2,
    /// The last time at which a hit counts; INFINITY for all. With 0 only boxes that contain the
    /// origin are hit.
    pub max_time: f32,
}

/// A box that moves by `displacement` from time 0 to time 1.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct tp_box_cast {
    /// The box at time 0.
    pub start: tp_box,
    /// The whole motion.
    pub displacement: tp_vec2,
}

impl From<tp_vec2> for [f32; 2] {
    fn from(v: tp_vec2) -> Self {
        [v.x, v.y]
    }
}

impl From<[f32; 4]> for tp_box {
    fn from([min_x, min_y, max_x, max_y]: [f32; 4]) -> Self {
        Self { min_x, min_y, max_x, max_y }
    }
}

impl TryFrom<tp_vec2> for Point {
    type Error = InvalidShape;
    fn try_from(point: tp_vec2) -> Result<Self, InvalidShape> {
        Point::new(point)
    }
}

impl TryFrom<tp_box> for Aabb {
    type Error = InvalidShape;
    fn try_from(b: tp_box) -> Result<Self, InvalidShape> {
        Aabb::new([b.min_x, b.min_y], [b.max_x, b.max_y])
    }
}

impl TryFrom<tp_circle> for Circle {
    type Error = InvalidShape;
    fn try_from(circle: tp_circle) -> Result<Self, InvalidShape> {
        Circle::new(circle.center, circle.radius)
    }
}

impl TryFrom<tp_ray> for Ray {
    type Error = InvalidShape;
    fn try_from(ray: tp_ray) -> Result<Self, InvalidShape> {
        Ray::new(ray.origin, ray.direction, ray.max_time)
    }
}

impl TryFrom<tp_box_cast> for AabbCast {
    type Error = InvalidShape;
    fn try_from(cast: tp_box_cast) -> Result<Self, InvalidShape> {
        AabbCast::new(cast.start.try_into()?, cast.displacement)
    }
}

/// Checks a shape.
pub(crate) fn shape<C, S: TryFrom<C, Error = InvalidShape>>(shape: C) -> Result<S, Failure> {
    Ok(S::try_from(shape).map_err(Error::from)?)
}

/// Checks the shapes of a batch; an error names the index of the first invalid one.
pub(crate) fn shapes<C: Copy, S: TryFrom<C, Error = InvalidShape>>(from: &[C], to: &mut Vec<S>) -> Result<(), Failure> {
    to.clear();
    to.reserve(from.len());
    for (index, &one) in from.iter().enumerate() {
        to.push(shape(one).map_err(|mut failure: Failure| {
            failure.details.row = u32::try_from(index).unwrap_or(u32::MAX);
            failure.message = format!("query {index}: {}", failure.message);
            failure
        })?);
    }
    Ok(())
}
