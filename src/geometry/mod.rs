//! Boxes, the shapes that questions are asked with, and the predicates that everything else is held to.

mod aabb;
mod cast;
mod disc;
mod shapes;

pub use aabb::{Aabb, BadBox, RawBox};
pub(crate) use aabb::{axis_name, distance_squared, holds, oriented, overlaps, shifted, union};
#[doc(hidden)]
pub use cast::{Cast, Entry};
pub(crate) use disc::{Disc, RadiusAxis};
pub use shapes::{BadShape, Circle, Point, Ray, Sweep};
pub(crate) use shapes::{ROOT, round_down, round_up, square};
