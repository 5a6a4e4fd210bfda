//! Pieces of a ray, or of the way of a box.
//!
//! E1: what is met first between two distances overlaps the cover of that piece of the way, so they share a tight cell
//!     (T4). The last piece has no end: its cover is infinite ahead.
//! E2: covers of later pieces begin and end no earlier on each axis, so a tight cell of a piece that was in any before was
//!     in the one before. Where one ends the next begins, so some cell is in both (W1).
//! E3: it ends: there are no more pieces than twice the columns and rows, and each of them leads on to the middle of
//!     another column or row unless rounding is in the way.
//!
//! Cost: O(tight cells along the way up to the answer + what they list).

use crate::geometry::{Impact, PreparedCast, RawAabb, round_down, round_up};
use crate::tier::loose_grid::map::{CellRange, GridMap};
use crate::tier::loose_grid::walk::{DoubleGrid, Walk, look_everywhere, look_through};
use crate::tier::loose_grid::{ANYWHERE, LooseIndex};

/// A way that touches no more tight cells than this is one piece.
const CELLS_FEW: usize = 4;

/// So far that it is beyond every f32 in any direction, and squares of it are still finite.
const FAR: f64 = 1e100;

/// A walk along a ray.
pub(crate) struct Met<'c, 'v, G, V> {
    grid: G,
    cast: &'c PreparedCast,
    pub(crate) until: f64,
    visit: &'v mut V,
}

/// Which way a ray leads on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Down,
    Nowhere,
    Up,
}

impl Way {
    fn of(cast: &PreparedCast, axis: usize) -> Self {
        if cast.speed(axis) == 0.0 {
            Self::Nowhere
        } else if cast.swept_bounds(FAR, FAR, FAR)[axis] > 0.0 {
            Self::Up
        } else {
            Self::Down
        }
    }
}

impl<'c, 'v, G: DoubleGrid, V: FnMut(G::Hit, Impact) -> f64> Met<'c, 'v, G, V> {
    pub(crate) fn new(grid: G, cast: &'c PreparedCast, until: f64, visit: &'v mut V) -> Self {
        Self { grid, cast, until, visit }
    }

    /// Visits all there is to visit.
    pub(crate) fn walk(&mut self) {
        let (grid, cast) = (self.grid, self.cast);
        let map = grid.tight();
        look_everywhere(grid, self);
        let ways = [Way::of(cast, 0), Way::of(cast, 1)];
        let leaves = leaves(cast, ways, map);
        let end = leaves.min(self.until);
        if end < 0.0 {
            return;
        }
        let endless = self.until > leaves;
        let whole = map.range(&ahead(cast.swept_bounds(0.0, end, end), ways, endless));
        if whole.count() <= CELLS_FEW {
            return look_through(grid, whole, None, whole.min, self);
        }
        let mut cover = cast.swept_bounds(0.0, 0.0, end);
        let mut range = map.range(&cover);
        look_through(grid, range, None, range.min, self);
        let [columns, rows] = map.counts();
        let pieces_max = 2 * (u64::from(columns) + u64::from(rows)); // E3
        let (mut from, mut piece) = (0.0, 0);
        while from <= self.until {
            piece += 1;
            let to = if piece < pieces_max { from + step(cast, ways, map, &cover, &range) } else { f64::INFINITY };
            let is_last = to >= end;
            cover = ahead(cast.swept_bounds(from, to.min(end), end), ways, is_last && endless);
            let before = std::mem::replace(&mut range, map.range(&cover));
            let both = [0, 1].map(|axis| range.min[axis].max(before.min[axis]));
            look_through(grid, range, Some(before), both, self);
            if is_last {
                return;
            }
            from = to;
        }
    }
}

impl<G: DoubleGrid, V: FnMut(G::Hit, Impact) -> f64> Walk for Met<'_, '_, G, V> {
    #[inline]
    fn reaches(&self, bounds: &RawAabb) -> bool {
        self.cast.interval(bounds, self.until).is_some()
    }

    #[inline]
    fn look_into(&mut self, cell: LooseIndex) {
        let Self { grid, cast, visit, .. } = self;
        let until = std::cell::Cell::new(self.until);
        let reach = |bounds: &RawAabb| cast.interval(bounds, until.get()).is_some();
        grid.visit_filed(cell, reach, |bounds, hit| {
            if let Some(entry) = cast.impact(bounds, until.get()) {
                until.set(visit(hit, entry));
            }
        });
        self.until = until.get();
    }
}

/// About the distance from which on a way stays in the cells at the rim; finite. The last piece makes up for what this
/// is off by (E1).
fn leaves(cast: &PreparedCast, ways: [Way; 2], map: &GridMap) -> f64 {
    let on = |axis: usize| {
        let [begin, end] = map.ends(axis);
        if ways[axis] == Way::Nowhere || !(begin.is_finite() && end.is_finite()) {
            // Without a length that is known, all is in the first cell.
            return 0.0;
        }
        // Only this axis counts: on the other the strip has no sides.
        let mut strip = ANYWHERE;
        (strip[axis], strip[axis + 2]) = (round_down(begin).max(f32::MIN), round_up(end).min(f32::MAX));
        cast.interval(&strip, f64::INFINITY).map_or(0.0, |[_, last]| last)
    };
    on(0).max(on(1))
}

/// E1: a cover without an end ahead.
fn ahead(mut cover: RawAabb, ways: [Way; 2], endless: bool) -> RawAabb {
    for (axis, way) in ways.into_iter().enumerate().filter(|_| endless) {
        match way {
            Way::Down => cover[axis] = f32::NEG_INFINITY,
            Way::Nowhere => {}
            Way::Up => cover[axis + 2] = f32::INFINITY,
        }
    }
    cover
}

/// From the end of a piece, how far it is to the middle of the next column or row; infinite where there is none.
fn step(cast: &PreparedCast, ways: [Way; 2], map: &GridMap, cover: &RawAabb, range: &CellRange) -> f64 {
    let on = |axis: usize| {
        let (edge, next) = match ways[axis] {
            Way::Down => (cover[axis], range.min[axis].wrapping_sub(1)),
            Way::Nowhere => return f64::INFINITY,
            Way::Up => (cover[axis + 2], range.max[axis] + 1),
        };
        let middle = map.middle(axis, next);
        middle.map_or(f64::INFINITY, |middle| (middle - f64::from(edge)).abs() / cast.speed(axis))
    };
    on(0).min(on(1))
}
