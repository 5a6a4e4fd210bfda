//! Points of queries.

use crate::geometry::invalid_shape::{InvalidShape, check_finite};

/// A finite point, in world units.
///
/// ```
/// use triphase::Point;
/// let point = Point::new([1.0, 2.0])?;
/// assert_eq!(point.to_array(), [1.0, 2.0]);
/// assert!(Point::new([f32::NAN, 2.0]).is_err());
/// # Ok::<(), triphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point(pub(super) [f32; 2]);

impl Point {
    /// Creates a point from its coordinates.
    ///
    /// # Errors
    ///
    /// [`InvalidShape`] if a coordinate is NaN or infinite.
    pub fn new(coordinates: impl Into<[f32; 2]>) -> Result<Self, InvalidShape> {
        check_finite("point", ["x", "y"], coordinates.into()).map(Self)
    }

    /// The coordinates, `[x, y]`.
    pub fn to_array(self) -> [f32; 2] {
        self.0
    }
}
