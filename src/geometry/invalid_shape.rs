//! The error of invalid shapes.

use crate::geometry::axis_name;
use std::fmt;

/// A shape with an invalid value.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct InvalidShape {
    /// The shape: `"AABB"`, `"AABB cast"`, `"circle"`, `"point"` or `"ray"`.
    pub shape: &'static str,
    /// The name of the value, such as `"origin.x"`.
    pub part: &'static str,
    /// The value that was given, or that was computed from what was given.
    pub value: f32,
    /// The least value that is allowed; `None` if the value is not finite and must be.
    pub min: Option<f32>,
}

impl InvalidShape {
    /// The axis of the value: 0 for x, 1 for y; `None` for a value that has none, such as a radius.
    pub fn axis(&self) -> Option<usize> {
        (0..2).find(|&axis| self.part.ends_with(axis_name(axis)))
    }
}

impl fmt::Display for InvalidShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { shape, part, value, min } = self;
        match (min, part.strip_prefix("max.")) {
            (Some(min), Some(axis)) => write!(f, "{shape}: {part} is {value}; must be >= min.{axis}, which is {min}"),
            (None, _) => write!(f, "{shape}: {part} is {value}; must be finite"),
            (Some(min), None) => write!(f, "{shape}: {part} is {value}; must be >= {min}"),
        }
    }
}

impl std::error::Error for InvalidShape {}

/// Checks that both values are finite.
pub(super) fn check_finite(
    shape: &'static str,
    parts: [&'static str; 2],
    values: [f32; 2],
) -> Result<[f32; 2], InvalidShape> {
    match values.iter().zip(parts).find(|(value, _)| !value.is_finite()) {
        Some((&value, part)) => Err(InvalidShape { shape, part, value, min: None }),
        None => Ok(values),
    }
}

/// Checks that a value is not below `min` and not NaN; it may be infinite.
pub(super) fn check_min(shape: &'static str, part: &'static str, value: f32, min: f32) -> Result<f32, InvalidShape> {
    if value >= min { Ok(value) } else { Err(InvalidShape { shape, part, value, min: Some(min) }) }
}

#[cfg(test)]
mod tests {
    use crate::geometry::{Aabb, AabbCast, Circle, Point, Ray};

    #[test]
    fn messages_name_the_value_and_its_bounds() {
        let unit = Aabb::new([0.0, 0.0], [1.0, 1.0]).unwrap();
        let (nan, infinite) = (f32::NAN, f32::INFINITY);
        for (error, message) in [
            (Aabb::new([1.0, 0.0], [0.5, 1.0]).err(), "AABB: max.x is 0.5; must be >= min.x, which is 1"),
            (Aabb::new([0.0, nan], [1.0, 1.0]).err(), "AABB: min.y is NaN; must be finite"),
            (Aabb::from_half_extents([1e8, 1e8], [1.0, -1.0]).err(), "AABB: half-extent.y is -1; must be >= 0"),
            (Aabb::from_half_extents([3e38, 0.0], [3e38, 1.0]).err(), "AABB: max.x is inf; must be finite"),
            (Point::new([infinite, 0.0]).err(), "point: x is inf; must be finite"),
            (Circle::new([0.0, nan], 1.0).err(), "circle: center.y is NaN; must be finite"),
            (Circle::new([0.0, 0.0], -1.0).err(), "circle: radius is -1; must be >= 0"),
            (Ray::new([nan, 0.0], [1.0, 0.0], 1.0).err(), "ray: origin.x is NaN; must be finite"),
            (Ray::new([0.0, 0.0], [infinite, 0.0], 1.0).err(), "ray: direction.x is inf; must be finite"),
            (Ray::new([0.0, 0.0], [1.0, 0.0], nan).err(), "ray: max_time_of_impact is NaN; must be >= 0"),
            (AabbCast::new(unit, [0.0, infinite]).err(), "AABB cast: displacement.y is inf; must be finite"),
        ] {
            assert_eq!(error.map(|error| error.to_string()).as_deref(), Some(message));
            let axis = ["x is", "y is"].iter().position(|name| message.contains(name));
            assert_eq!(error.and_then(|error| error.axis()), axis, "{message}");
        }
    }
}
