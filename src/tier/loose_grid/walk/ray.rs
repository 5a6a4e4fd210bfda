//! Casts: visits entities along a ray, or along the way of a moving box, piece by piece.
//!
//! LCAST-1: A box that the ray enters within a piece of the way overlaps the cover of that piece
//! ([`PreparedCast::swept_bounds`]), so both touch a common tight cell (LOOSE-4). The last piece has no end: its
//! cover is infinite ahead.
//!
//! LCAST-2: The covers of later pieces begin and end no earlier on each axis. So a tight cell that
//! was in any earlier range was in the one just before. A piece begins where the one before ends,
//! so some cell is in both ranges (WALK-1).
//!
//! LCAST-3: The search ends: there are at most twice as many pieces as columns and rows. Each leads
//! to the middle of another column or row unless rounding prevents it.
//!
//! Cost: O(tight cells along the way up to the result + what they list).

use crate::geometry::{INFINITE_AABB, Impact, PreparedCast, RawAabb, round_down, round_up};
use crate::tier::loose_grid::map::{CellMap, CellRange};
use crate::tier::loose_grid::walk::double_grid::{BoxVisitor, DoubleGrid, visit_range, visit_unlisted};

/// A way that touches at most this many tight cells is one piece.
const SHORT_WAY_CELLS: usize = 4;

/// Visits the entities that a cast hits.
pub(in crate::tier::loose_grid) struct CastVisitor<'c, 'v, V> {
    cast: &'c PreparedCast,
    /// The largest distance of interest.
    pub(in crate::tier::loose_grid) t_max: f64,
    visit: &'v mut V,
}

impl<'c, 'v, V> CastVisitor<'c, 'v, V> {
    /// `visit` takes a hit and where it is hit, and returns the new `t_max`.
    pub(in crate::tier::loose_grid) fn new(cast: &'c PreparedCast, t_max: f64, visit: &'v mut V) -> Self {
        Self { cast, t_max, visit }
    }

    /// Visits the entities of a grid, roughly first hit first.
    pub(in crate::tier::loose_grid) fn search<G: DoubleGrid>(&mut self, grid: G)
    where
        V: FnMut(G::Hit, Impact) -> f64,
    {
        visit_unlisted(grid, self);
        let way = Way::new(self.cast, grid.tight_map());
        let map = grid.tight_map();
        let end = way.exit_distance().min(self.t_max);
        if end < 0.0 {
            return;
        }
        let is_endless = self.t_max > end;
        let whole = map.touched(&way.cover(0.0, end, end, is_endless));
        if whole.count() <= SHORT_WAY_CELLS {
            return visit_range(grid, whole, None, whole.min, self);
        }
        let mut cover = way.cover(0.0, 0.0, end, false);
        let mut range = map.touched(&cover);
        visit_range(grid, range, None, range.min, self);
        let [columns, rows] = map.counts();
        let piece_count_max = 2 * (u64::from(columns) + u64::from(rows)); // LCAST-3
        let (mut from, mut piece_count) = (0.0, 0);
        while from <= self.t_max {
            piece_count += 1;
            let is_one_too_many = piece_count >= piece_count_max;
            let to = if is_one_too_many { f64::INFINITY } else { from + way.piece_length(&cover, &range) };
            let is_last = to >= end;
            cover = way.cover(from, to.min(end), end, is_last && is_endless);
            let before = std::mem::replace(&mut range, map.touched(&cover));
            // LCAST-2
            let shared = [0, 1].map(|axis| range.min[axis].max(before.min[axis]));
            visit_range(grid, range, Some(before), shared, self);
            if is_last {
                return;
            }
            from = to;
        }
    }
}

impl<H, V: FnMut(H, Impact) -> f64> BoxVisitor<H> for CastVisitor<'_, '_, V> {
    #[inline]
    fn reaches(&self, bounds: &RawAabb) -> bool {
        self.cast.interval(bounds, self.t_max).is_some()
    }

    #[inline]
    fn visit(&mut self, aabb: &RawAabb, hit: H) {
        if let Some(entry) = self.cast.impact(aabb, self.t_max) {
            self.t_max = (self.visit)(hit, entry);
        }
    }
}

/// The way of a cast through a tight grid.
struct Way<'g> {
    cast: &'g PreparedCast,
    map: &'g CellMap,
    directions: [Direction; 2],
}

/// Where a way leads on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Down,
    None,
    Up,
}

impl<'g> Way<'g> {
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

    /// Returns about the distance from which on the way stays in the cells at the border of the
    /// grid.
    ///
    /// It is finite. The last piece makes up for what it is off by (LCAST-1).
    fn exit_distance(&self) -> f64 {
        let exit = |axis: usize| {
            let [begin, end] = self.map.ends(axis);
            if self.directions[axis] == Direction::None || !(begin.is_finite() && end.is_finite()) {
                // Where no length is known, everything is in the first cell.
                return 0.0;
            }
            // A strip without sides on the other axis.
            let mut strip = INFINITE_AABB;
            (strip[axis], strip[axis + 2]) = (round_down(begin).max(f32::MIN), round_up(end).min(f32::MAX));
            self.cast.interval(&strip, f64::INFINITY).map_or(0.0, |[_, last]| last)
        };
        exit(0).max(exit(1))
    }

    /// Returns the cover of a piece; see [`PreparedCast::swept_bounds`]. It is infinite ahead if `is_endless`.
    fn cover(&self, from: f64, to: f64, end: f64, is_endless: bool) -> RawAabb {
        let mut cover = self.cast.swept_bounds(from, to, end);
        for (axis, direction) in self.directions.into_iter().enumerate().filter(|_| is_endless) {
            match direction {
                Direction::Down => cover[axis] = f32::NEG_INFINITY,
                Direction::None => {}
                Direction::Up => cover[axis + 2] = f32::INFINITY,
            }
        }
        cover
    }

    /// Returns the distance from the end of a piece to the middle of the next column or row, or
    /// infinity if there is none.
    fn piece_length(&self, cover: &RawAabb, range: &CellRange) -> f64 {
        let length = |axis: usize| {
            let (edge, next) = match self.directions[axis] {
                Direction::Down => (cover[axis], range.min[axis].wrapping_sub(1)),
                Direction::None => return f64::INFINITY,
                Direction::Up => (cover[axis + 2], range.max[axis] + 1),
            };
            let middle = self.map.middle(axis, next);
            middle.map_or(f64::INFINITY, |middle| (middle - f64::from(edge)).abs() / self.cast.speed(axis))
        };
        length(0).min(length(1))
    }
}
