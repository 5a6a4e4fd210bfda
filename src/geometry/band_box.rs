//! Boxes in the axes of a band.
//!
//! A size class is divided into bands along y. If it is better divided along x
//! (`point_grid::sampled_strips`), x and y of its boxes are exchanged, so that the code of a band
//! exists once. The types here keep
//! both kinds of boxes apart: a [`RawAabb`] is in the axes of the world, a [`BandBox`] in those of
//! a band, and [`BandAxes`] converts between them.

use crate::geometry::raw_box::{RawAabb, contains, overlaps, union};
use glam::{Vec4, Vec4Swizzles};

/// The axes of a band: those of the world, or x and y exchanged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BandAxes {
    exchanged: bool,
}

impl BandAxes {
    pub(crate) fn new(exchanged: bool) -> Self {
        Self { exchanged }
    }

    /// Whether x and y are exchanged.
    #[inline(always)]
    pub(crate) fn is_exchanged(self) -> bool {
        self.exchanged
    }

    #[inline(always)]
    pub(crate) fn box_to_band(self, aabb: RawAabb) -> BandBox {
        BandBox(self.exchange(aabb))
    }

    #[inline(always)]
    pub(crate) fn box_to_world(self, aabb: BandBox) -> RawAabb {
        self.exchange(aabb.0)
    }

    #[inline(always)]
    pub(crate) fn point_to_band<T>(self, [x, y]: [T; 2]) -> [T; 2] {
        if self.exchanged { [y, x] } else { [x, y] }
    }

    #[inline(always)]
    pub(crate) fn point_to_world<T>(self, point: [T; 2]) -> [T; 2] {
        self.point_to_band(point)
    }

    #[inline(always)]
    fn exchange(self, aabb: RawAabb) -> RawAabb {
        let edges = Vec4::from_array(aabb);
        (if self.exchanged { edges.yxwz() } else { edges }).to_array()
    }
}

/// A box in the axes of a band.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(transparent)]
pub(crate) struct BandBox(RawAabb);

impl BandBox {
    /// Creates a box from edges that are already in the axes of the band, like those of its records
    /// and columns.
    #[inline(always)]
    pub(crate) fn from_edges(edges: RawAabb) -> Self {
        Self(edges)
    }

    /// The edges in the axes of the band, for its records and columns and for SIMD kernels.
    #[inline(always)]
    pub(crate) fn edges(&self) -> &RawAabb {
        &self.0
    }

    /// The smallest box that covers both.
    pub(crate) fn union(&self, other: &Self) -> Self {
        Self(union(&self.0, &other.0))
    }

    /// Whether `other` is inside this box; edges may be equal.
    #[inline(always)]
    pub(crate) fn contains(&self, other: &Self) -> bool {
        contains(&self.0, &other.0)
    }

    /// Whether two closed boxes of one band overlap.
    #[inline(always)]
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        overlaps(&self.0, &other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AABB: RawAabb = [1.0, 2.0, 3.0, 5.0];

    #[test]
    fn exchanged_axes_exchange_x_and_y_and_back() {
        for (axes, expected) in
            [(BandAxes::new(false), AABB), (BandAxes::default(), AABB), (BandAxes::new(true), [2.0, 1.0, 5.0, 3.0])]
        {
            let in_band = axes.box_to_band(AABB);
            assert_eq!(*in_band.edges(), expected);
            assert_eq!(in_band, BandBox::from_edges(expected));
            assert_eq!(axes.box_to_world(in_band), AABB);
            let point = axes.point_to_band([AABB[0], AABB[1]]);
            assert_eq!(point, [expected[0], expected[1]]);
            assert_eq!(axes.point_to_world(point), [AABB[0], AABB[1]]);
        }
    }

    #[test]
    fn boxes_of_a_band_overlap_as_those_of_the_world() {
        for other in [[3.0, 5.0, 4.0, 6.0], [4.0, 2.0, 5.0, 5.0], [1.0, 6.0, 3.0, 7.0]] {
            for axes in [BandAxes::new(false), BandAxes::new(true)] {
                let (a, b) = (axes.box_to_band(AABB), axes.box_to_band(other));
                assert_eq!(a.overlaps(&b), overlaps(&AABB, &other), "{axes:?}, {other:?}");
            }
        }
    }
}
