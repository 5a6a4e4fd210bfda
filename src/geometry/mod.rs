//! Boxes, and the shapes that queries take.

mod aabb;
pub(crate) mod band_box;
mod body_circle;
mod circle;
mod invalid_shape;
mod point;
mod prepared_cast;
mod raw_box;
mod ray;
mod rounding;

pub use aabb::Aabb;
pub(crate) use body_circle::BodyCircle;
pub use circle::Circle;
pub use invalid_shape::InvalidShape;
pub use point::Point;
pub(crate) use prepared_cast::{Impact, PreparedCast};
pub use raw_box::RawAabb;
pub(crate) use raw_box::{
    EMPTY_AABB, INFINITE_AABB, NO_BOX, axis_name, contains, distance_squared, is_no_box, overlaps, side, sides,
    translated, union,
};
pub use ray::{AabbCast, Ray};
pub(crate) use rounding::{ROOT, ball_box, round_down, round_up, square};
