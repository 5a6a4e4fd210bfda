//! Casts: visits entities along a ray, or along the path of a moving box, section by section.
//!
//! LCAST-1: A box that the ray enters within a section of the path overlaps the bounds of that
//! section ([`PreparedCast::swept_bounds`]), so both touch a common tight cell (LOOSE-4). The last
//! section has no end: its bounds are infinite ahead.
//!
//! LCAST-2: The bounds of later sections begin and end no earlier on each axis. So a tight cell
//! that was in any earlier range was in the previous one. A section begins where the previous one
//! ends, so some cell is in both ranges (WALK-1).
//!
//! LCAST-3: The search ends: there are at most twice as many sections as columns and rows. Each
//! leads to the middle of another column or row unless rounding prevents it.
//!
//! Cost: O(tight cells along the path up to the result + loose cells listed in them).

use crate::geometry::{INFINITE_AABB, Impact, PreparedCast, RawAabb, round_down, round_up};
use crate::tier::loose_grid::map::{CellMap, CellRange};
use crate::tier::loose_grid::walk::double_grid::{BoxVisitor, DoubleGrid, visit_range, visit_unlisted};

/// A path that touches at most this many tight cells is one section.
const SHORT_PATH_CELLS: usize = 4;

/// Visits the entities that a cast hits.
pub(in crate::tier::loose_grid) struct CastVisitor<'c, 'v, V> {
    cast: &'c PreparedCast,
    /// The latest time of impact of interest.
    pub(in crate::tier::loose_grid) t_max: f64,
    visit: &'v mut V,
}

impl<'c, 'v, V> CastVisitor<'c, 'v, V> {
    /// `visit` takes a hit and its impact, and returns the new `t_max`.
    pub(in crate::tier::loose_grid) fn new(cast: &'c PreparedCast, t_max: f64, visit: &'v mut V) -> Self {
        Self { cast, t_max, visit }
    }

    /// Visits the entities of a grid, roughly earliest first.
    pub(in crate::tier::loose_grid) fn search<G: DoubleGrid>(&mut self, grid: G)
    where
        V: FnMut(u32, Impact) -> f64,
    {
        visit_unlisted(grid, self);
        let path = CastPath::new(self.cast, grid.tight_map());
        let map = grid.tight_map();
        let end = path.exit_distance().min(self.t_max);
        if end < 0.0 {
            return;
        }
        let is_endless = self.t_max > end;
        let whole = map.touched(&path.section_bounds(0.0, end, end, is_endless));
        if whole.count() <= SHORT_PATH_CELLS {
            return visit_range(grid, whole, None, whole.min, self);
        }
        let mut bounds = path.section_bounds(0.0, 0.0, end, false);
        let mut range = map.touched(&bounds);
        visit_range(grid, range, None, range.min, self);
        let [columns, rows] = map.counts();
        let section_count_max = 2 * (u64::from(columns) + u64::from(rows)); // LCAST-3
        let (mut from, mut section_count) = (0.0, 0);
        while from <= self.t_max {
            section_count += 1;
            let is_over_limit = section_count >= section_count_max;
            let to = if is_over_limit { f64::INFINITY } else { from + path.section_length(&bounds, &range) };
            let is_last = to >= end;
            bounds = path.section_bounds(from, to.min(end), end, is_last && is_endless);
            let before = std::mem::replace(&mut range, map.touched(&bounds));
            // Each loose cell in one range only (LCAST-2).
            let shared = [0, 1].map(|axis| range.min[axis].max(before.min[axis]));
            visit_range(grid, range, Some(before), shared, self);
            if is_last {
                return;
            }
            from = to;
        }
    }
}

impl<V: FnMut(u32, Impact) -> f64> BoxVisitor for CastVisitor<'_, '_, V> {
    #[inline]
    fn reaches(&self, bounds: &RawAabb) -> bool {
        self.cast.interval(bounds, self.t_max).is_some()
    }

    #[inline]
    fn visit(&mut self, aabb: &RawAabb, hit: u32) {
        if let Some(entry) = self.cast.impact(aabb, self.t_max) {
            self.t_max = (self.visit)(hit, entry);
        }
    }
}

/// The path of a cast through a tight grid.
struct CastPath<'g> {
    cast: &'g PreparedCast,
    map: &'g CellMap,
    directions: [Direction; 2],
}

/// The direction of a path on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Down,
    None,
    Up,
}

impl<'g> CastPath<'g> {
    fn new(cast: &'g PreparedCast, map: &'g CellMap) -> Self {
        let direction = |axis: usize| {
            if cast.speed(axis) == 0.0 {
                Direction::None
            } else if cast.ascends(axis) {
                Direction::Up
            } else {
                Direction::Down
            }
        };
        Self { cast, map, directions: [direction(0), direction(1)] }
    }

    /// Returns the approximate distance from which on the path stays in the cells at the border of
    /// the grid.
    ///
    /// It is finite. The endless last section compensates for the error (LCAST-1).
    fn exit_distance(&self) -> f64 {
        let exit = |axis: usize| {
            let [begin, end] = self.map.ends(axis);
            if self.directions[axis] == Direction::None || !(begin.is_finite() && end.is_finite()) {
                // If no length is known, everything is in the first cell.
                return 0.0;
            }
            // A strip without sides on the other axis.
            let mut strip = INFINITE_AABB;
            (strip[axis], strip[axis + 2]) = (round_down(begin).max(f32::MIN), round_up(end).min(f32::MAX));
            self.cast.interval(&strip, f64::INFINITY).map_or(0.0, |[_, last]| last)
        };
        exit(0).max(exit(1))
    }

    /// Returns the bounds of a section; see [`PreparedCast::swept_bounds`]. It is infinite ahead if
    /// `is_endless`.
    fn section_bounds(&self, from: f64, to: f64, end: f64, is_endless: bool) -> RawAabb {
        let mut bounds = self.cast.swept_bounds(from, to, end);
        for (axis, direction) in self.directions.into_iter().enumerate().filter(|_| is_endless) {
            match direction {
                Direction::Down => bounds[axis] = f32::NEG_INFINITY,
                Direction::None => {}
                Direction::Up => bounds[axis + 2] = f32::INFINITY,
            }
        }
        bounds
    }

    /// Returns the distance from the end of a section to the middle of the next column or row, or
    /// infinity if there is none.
    fn section_length(&self, bounds: &RawAabb, range: &CellRange) -> f64 {
        let length = |axis: usize| {
            let (edge, next) = match self.directions[axis] {
                Direction::Down => (bounds[axis], range.min[axis].wrapping_sub(1)),
                Direction::None => return f64::INFINITY,
                Direction::Up => (bounds[axis + 2], range.max[axis] + 1),
            };
            let middle = self.map.middle(axis, next);
            middle.map_or(f64::INFINITY, |middle| (middle - f64::from(edge)).abs() / self.cast.speed(axis))
        };
        length(0).min(length(1))
    }
}
