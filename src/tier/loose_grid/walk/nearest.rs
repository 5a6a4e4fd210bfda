//! Nearest queries: visits entities around a point in growing squares.
//!
//! LNEAREST-1: A loose cell is visited in the tight cell that contains the point `p` of its bounds
//! nearest to the query point: as maps are monotone, that is the touched cell nearest to the query
//! point's (WALK-1). If it is outside of the range of a square, `p` is outside of the square
//! (MAP-1), so the bounds do not overlap the square and are at least as far away as the square's
//! radius (see [`square`]). Squares grow until that is too far.
//!
//! The search ends: the radius doubles until the square touches all tight cells, or contains
//! everything near enough.
//!
//! Cost: O(tight cells within twice the distance of the result + what they list). Far from all
//! cells, a step for each doubling until a square reaches them.

use crate::geometry::{INFINITE_AABB, ROOT, RawAabb, distance_squared, square};
use crate::tier::loose_grid::walk::double_grid::{BoxVisitor, DoubleGrid, visit_range, visit_unlisted};

/// Visits the entities within a distance of a point.
pub(in crate::tier::loose_grid) struct NearestVisitor<'v, V> {
    point: [f32; 2],
    /// The largest squared distance of interest.
    pub(in crate::tier::loose_grid) within: f64,
    visit: &'v mut V,
}

impl<'v, V> NearestVisitor<'v, V> {
    /// `visit` takes a hit and its squared distance, and returns the new `within`.
    pub(in crate::tier::loose_grid) fn new(point: [f32; 2], within: f64, visit: &'v mut V) -> Self {
        Self { point, within, visit }
    }

    /// Visits the entities of a grid, roughly nearest first.
    pub(in crate::tier::loose_grid) fn search<G: DoubleGrid>(&mut self, grid: G)
    where
        V: FnMut(u32, f64) -> f64,
    {
        let map = grid.tight_map();
        let from = map.cell_of_point(self.point);
        let everything = map.touched(&INFINITE_AABB);
        let mut radius = map.shorter_side(from) * 0.5;
        let mut before = None;
        loop {
            // Everything within the distance overlaps a square of this radius.
            let radius_max = self.within.sqrt() * ROOT;
            let range = map.touched(&square(self.point, radius.min(radius_max)));
            visit_range(grid, range, before, from, self);
            if before.is_none() {
                // After the others, as most are out of reach once a near entity is found.
                visit_unlisted(grid, self);
            }
            // Each loose cell in one range only (LNEAREST-1).
            if radius >= radius_max || radius * radius > self.within || range == everything {
                return;
            }
            before = Some(range);
            radius *= 2.0;
        }
    }
}

impl<V: FnMut(u32, f64) -> f64> BoxVisitor for NearestVisitor<'_, V> {
    #[inline]
    fn reaches(&self, bounds: &RawAabb) -> bool {
        distance_squared(bounds, self.point) <= self.within
    }

    #[inline]
    fn visit(&mut self, aabb: &RawAabb, hit: u32) {
        let distance = distance_squared(aabb, self.point);
        if distance <= self.within {
            self.within = (self.visit)(hit, distance);
        }
    }
}
