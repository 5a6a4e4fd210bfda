//! The test of a box query, once for all tiers.

use crate::geometry::{RawAabb, contains, distance_squared};

/// The condition of a box query on the boxes filed in the cells or leaves that its area touches.
///
/// All but `Untested` imply that the box overlaps the area. So tiers test for overlap first,
/// several boxes at once, and apply [`accepts`](Self::accepts) only to boxes that overlap.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BoxTest {
    /// Accepts every box that is filed there.
    Untested,
    /// Accepts boxes that overlap the area.
    Overlap,
    /// Accepts boxes inside this box, which is the area.
    ContainedIn(RawAabb),
    /// Accepts boxes that contain this box, whose lower corner is the area.
    Containing(RawAabb),
    /// Accepts boxes that overlap this circle, which the area covers.
    Circle { center: [f32; 2], radius_squared: f64 },
}

impl BoxTest {
    /// Whether boxes must overlap the area.
    #[inline(always)]
    pub(crate) fn needs_overlap(&self) -> bool {
        !matches!(self, Self::Untested)
    }

    /// Whether every box passes, if it overlaps the area where that is
    /// [needed](Self::needs_overlap).
    #[inline(always)]
    pub(crate) fn accepts_all(&self) -> bool {
        matches!(self, Self::Untested | Self::Overlap)
    }

    /// Whether a box passes the test. If [needed](Self::needs_overlap), it must overlap the area.
    ///
    /// All conditions are predicates of `geometry` (QUERY-1).
    #[inline(always)]
    pub(crate) fn accepts(&self, aabb: impl FnOnce() -> RawAabb) -> bool {
        match self {
            Self::Untested | Self::Overlap => true,
            Self::ContainedIn(area) => contains(area, &aabb()),
            Self::Containing(inner) => contains(&aabb(), inner),
            Self::Circle { center, radius_squared } => distance_squared(&aabb(), *center) <= *radius_squared,
        }
    }
}
