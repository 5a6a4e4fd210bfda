//! Walks by tight cells, once for both double grids.
//!
//! W1: a walk goes by ranges of tight cells, in each of which it looks at the cells that the one before had not. A loose
//!     cell is looked into in the tight cell nearest to one that lies in the range and in the one before it
//!     ([`GridMap::is_nearest`]). Of what is listed in both ranges that one is in both, and so no new one; of what is
//!     listed in this one alone, it is in this one. So each is looked into once, in the first range that has it.
//! W2: what is given up was out of reach as the predicates of `geometry` have it: a cover is no farther (G3) and met no
//!     later (C1) than what it covers, and where tight cells end (M3) decides nothing.
//!
//! - `near`: squares around a point, each twice as large as the one before.
//! - `met`: pieces of a ray, each about a tight cell long.

pub(crate) mod nearest;
pub(crate) mod ray;
pub(super) use crate::tier::loose_grid::walk::nearest::Near;
pub(super) use crate::tier::loose_grid::walk::ray::Met;

use crate::geometry::RawAabb;
use crate::tier::DebugShape;
use crate::tier::loose_grid::map::{CellRange, GridMap};
use crate::tier::loose_grid::{ANYWHERE, LooseIndex};

/// What both double grids offer.
pub(super) trait DoubleGrid: Copy {
    /// What it calls a box.
    type Hit;

    /// The tight grid.
    fn tight(&self) -> &GridMap;

    /// The box of a loose cell.
    fn bounds(&self, cell: LooseIndex) -> &RawAabb;

    /// The loose cells that a tight cell lists.
    fn listed(&self, x: u32, y: u32) -> impl Iterator<Item = LooseIndex>;

    /// The loose cells that no tight cell lists, as every walk looks at them.
    fn everywhere(&self) -> &[LooseIndex];

    /// Visits what is filed in a loose cell, except some that `reach` says no to of a box that covers it.
    fn visit_filed(&self, cell: LooseIndex, reach: impl Fn(&RawAabb) -> bool, visit: impl FnMut(&RawAabb, Self::Hit));

    /// The tight cells that list something.
    fn visit_tight_parts(&self, mut visitor: impl FnMut(DebugShape)) {
        for (x, y) in self.tight().range(&ANYWHERE).cells() {
            let listed = self.listed(x, y).count();
            if listed > 0 {
                visitor(DebugShape::TightCell { aabb: self.tight().borders(x, y), listed });
            }
        }
    }

    /// The number of the tight cell that a point is in.
    fn place_of(&self, [x, y]: [f32; 2]) -> u64 {
        let [column, row] = self.tight().min_cell(&[x, y, x, y]);
        self.tight().number(column, row) as u64
    }
}

/// A walk.
pub(super) trait Walk {
    /// Whether something in a box, or in what it covers, is still to be visited.
    fn reaches(&self, bounds: &RawAabb) -> bool;

    /// Visits what is filed in a loose cell and is still to be visited.
    fn look_into(&mut self, cell: LooseIndex);
}

/// Looks into the loose cells that a range of tight cells has and the range `before` has not. `from` is in both (W1).
fn look_through<G: DoubleGrid>(
    grid: G,
    range: CellRange,
    before: Option<CellRange>,
    from: [u32; 2],
    walk: &mut impl Walk,
) {
    let map = grid.tight();
    let look_at = |(x, y)| {
        for cell in grid.listed(x, y) {
            let bounds = grid.bounds(cell);
            if walk.reaches(bounds) && map.is_nearest(from, bounds, x, y) {
                walk.look_into(cell);
            }
        }
    };
    match before {
        None => range.cells().for_each(look_at),
        Some(before) => range.cells_without(before).for_each(look_at),
    }
}

/// Looks into the loose cells that no tight cell lists.
fn look_everywhere<G: DoubleGrid>(grid: G, walk: &mut impl Walk) {
    for &cell in grid.everywhere() {
        if walk.reaches(grid.bounds(cell)) {
            walk.look_into(cell);
        }
    }
}
