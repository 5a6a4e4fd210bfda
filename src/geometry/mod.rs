//! Boxes, and the one predicate that everything else is held to.

mod aabb;

pub use aabb::{Aabb, BadBox, RawBox};
pub(crate) use aabb::{axis_name, oriented, overlaps};
