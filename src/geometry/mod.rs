//! Boxes, the shapes that questions are asked with, and the predicates that everything else is held to.

mod aabb;
pub(crate) mod band_box;
pub(crate) mod circle;
pub(crate) mod ray;
mod shapes;

pub(crate) use crate::geometry::circle::BodyCircle;
#[doc(hidden)]
pub use crate::geometry::ray::Cast;
#[doc(hidden)]
pub use crate::geometry::ray::Entry;
pub use aabb::{Aabb, InvalidAabb, RawAabb};
pub(crate) use aabb::{
    EMPTY_AABB, INFINITE_AABB, axis_name, distance_squared, holds, oriented, overlaps, shifted, union,
};
pub use shapes::{AabbCast, Circle, InvalidShape, Point, Ray};
pub(crate) use shapes::{ROOT, round_down, round_up, square};
