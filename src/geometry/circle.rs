//! Circles of queries.

use crate::geometry::invalid_shape::{InvalidShape, check_finite, check_min};
use crate::geometry::point::Point;
use crate::geometry::raw_box::RawAabb;
use crate::geometry::rounding::{ROUNDING, round_down, round_up};

/// A closed circle to query with, in world units.
///
/// A box overlaps it if the square of its distance from the center is at most that of the radius;
/// see [`Aabb::distance_squared`](crate::Aabb::distance_squared).
///
/// ```
/// use triphase::Circle;
/// let circle = Circle::new([1.0, 2.0], 0.5)?;
/// assert_eq!((circle.center(), circle.radius()), ([1.0, 2.0], 0.5));
/// assert!(Circle::new([1.0, 2.0], -1.0).is_err());
/// # Ok::<(), triphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Circle {
    center: [f32; 2],
    radius: f32,
}

impl Circle {
    /// Creates a circle; the radius may be 0 or infinite.
    ///
    /// # Errors
    ///
    /// [`InvalidShape`] if a coordinate is NaN or infinite, or the radius is NaN or negative.
    pub fn new(center: impl Into<[f32; 2]>, radius: f32) -> Result<Self, InvalidShape> {
        let center = check_finite("circle", ["center.x", "center.y"], center.into())?;
        Ok(Self { center, radius: check_min("circle", "radius", radius, 0.0)? })
    }

    /// The center, `[x, y]`.
    pub fn center(&self) -> [f32; 2] {
        self.center
    }

    /// The radius, in world units.
    pub fn radius(&self) -> f32 {
        self.radius
    }

    /// The square of the radius, exactly.
    pub(crate) fn radius_squared(&self) -> f64 {
        f64::from(self.radius) * f64::from(self.radius)
    }

    /// A box that overlaps every box that the circle overlaps, rounding of distances included.
    pub(crate) fn bounds(&self) -> RawAabb {
        let [x, y] = self.center.map(f64::from);
        // Distances are rounded twice, by 2^-53 of the numbers that they are computed from.
        let radius = |center: f64| f64::from(self.radius) + (center.abs() + f64::from(self.radius)) * ROUNDING;
        let (x_radius, y_radius) = (radius(x), radius(y));
        [round_down(x - x_radius), round_down(y - y_radius), round_up(x + x_radius), round_up(y + y_radius)]
    }
}

impl From<Point> for Circle {
    /// The circle of infinite radius around the point, which overlaps every box.
    fn from(point: Point) -> Self {
        Self { center: point.to_array(), radius: f32::INFINITY }
    }
}
