//! Squares around a point.
//!
//! N1: a loose cell is looked into in the tight cell that has the place of its box nearest to the point. As maps are
//!     monotone, that is the one of its cells nearest to the point's (W1).
//! N2: if that cell is outside of the range of a square, that place is outside of the square (M1), so on some axis beyond
//!     its edge, and G3, monotone too, finds it at least as far as the edge. Squares grow until that is too far.
//! N3: it ends: a square twice as large each time has all cells after some 300 at most, and one large enough for what
//!     the distance has to be within is the last.
//!
//! Cost: O(tight cells within twice the distance of the answer + what they list). Far from all cells, a step for each
//! doubling until the square gets there.

use crate::geometry::{RawAabb, distance_squared, round_down, round_up};
use crate::tier::loose_grid::walk::{DoubleGrid, Walk, look_everywhere, look_through};
use crate::tier::loose_grid::{ANYWHERE, LooseIndex};

/// A square that is to be the last is larger by so much than roots lose in rounding.
const MORE: f64 = 1.0 + 1e-6;

/// A walk to what is nearest.
pub(crate) struct Near<'v, G, V> {
    grid: G,
    point: [f32; 2],
    pub(crate) within: f64,
    visit: &'v mut V,
}

impl<'v, G: DoubleGrid, V: FnMut(G::Hit, f64) -> f64> Near<'v, G, V> {
    pub(crate) fn new(grid: G, point: [f32; 2], within: f64, visit: &'v mut V) -> Self {
        Self { grid, point, within, visit }
    }

    /// Visits all there is to visit.
    pub(crate) fn walk(&mut self) {
        let (grid, [x, y]) = (self.grid, self.point);
        let map = grid.tight();
        let from = map.min_cell(&[x, y, x, y]);
        let mut radius = map.side(from) * 0.5;
        let mut before = None;
        loop {
            let square = square(self.point, radius.min(self.within.sqrt() * MORE));
            let range = map.range(&square);
            look_through(grid, range, before, from, self);
            if before.is_none() {
                // Not before there is something to compare with.
                look_everywhere(grid, self);
            }
            let reach = reach(&square, self.point);
            // N2, N3
            if reach * reach > self.within || range == map.range(&ANYWHERE) {
                return;
            }
            before = Some(range);
            radius *= 2.0;
        }
    }
}

impl<G: DoubleGrid, V: FnMut(G::Hit, f64) -> f64> Walk for Near<'_, G, V> {
    #[inline]
    fn reaches(&self, bounds: &RawAabb) -> bool {
        distance_squared(bounds, self.point) <= self.within
    }

    #[inline]
    fn look_into(&mut self, cell: LooseIndex) {
        let Self { grid, point, visit, .. } = self;
        let within = std::cell::Cell::new(self.within);
        let reach = |bounds: &RawAabb| distance_squared(bounds, *point) <= within.get();
        grid.visit_filed(cell, reach, |bounds, hit| {
            let distance = distance_squared(bounds, *point);
            if distance <= within.get() {
                within.set(visit(hit, distance));
            }
        });
        self.within = within.get();
    }
}

/// A square whose edges are all farther than `radius`.
fn square([x, y]: [f32; 2], radius: f64) -> RawAabb {
    let low = |at: f32| round_down(f64::from(at) - radius).next_down();
    let high = |at: f32| round_up(f64::from(at) + radius).next_up();
    [low(x), low(y), high(x), high(y)]
}

/// How far the nearest edge of a square is, as G3 has it.
fn reach(square: &RawAabb, point: [f32; 2]) -> f64 {
    let on = |axis: usize| {
        let (low, at, high) = (f64::from(square[axis]), f64::from(point[axis]), f64::from(square[axis + 2]));
        (at - low).min(high - at)
    };
    on(0).min(on(1))
}
