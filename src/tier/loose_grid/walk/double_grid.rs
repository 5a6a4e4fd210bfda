//! What both double grids offer to searches, and the part that all searches share.
//!
//! WALK-1: A search goes through ranges of tight cells, and in each range looks at the cells that
//! the range before it did not have. A loose cell is visited in the tight cell that is nearest to a
//! cell `from` of both ranges ([`CellMap::is_nearest`]). If both ranges list it, that tight cell is
//! in both, so it is not a new one; if only the later range lists it, that tight cell is in this
//! range. So each loose cell is visited once, in the first range that lists it.
//!
//! A search skips what is out of reach by the predicates of `geometry` on bounds, which are never
//! farther (AABB-3) and never hit later (CAST-1) than what they cover. Where tight cells end
//! (MAP-3) decides nothing.

use crate::geometry::{INFINITE_AABB, RawAabb};
use crate::query::Part;
use crate::tier::loose_grid::indices::LooseIndex;
use crate::tier::loose_grid::map::{CellMap, CellRange};

/// A loose/tight double grid.
pub(in crate::tier::loose_grid) trait DoubleGrid: Copy {
    /// What the grid calls an entity.
    type Hit;

    /// Returns the map of the tight grid.
    fn tight_map(&self) -> &CellMap;

    /// Returns the bounds of a loose cell.
    fn bounds(&self, cell: LooseIndex) -> &RawAabb;

    /// Returns the loose cells that a tight cell lists.
    fn listed(&self, x: u32, y: u32) -> impl Iterator<Item = LooseIndex>;

    /// Returns the loose cells that every search visits (LOOSE-3).
    fn unlisted(&self) -> &[LooseIndex];

    /// Visits the entities of a loose cell, except some whose common bounds `visitor` does not reach.
    fn visit_cell(&self, cell: LooseIndex, visitor: &mut impl BoxVisitor<Self::Hit>);

    /// Visits the tight cells that list something.
    fn visit_tight_cells(&self, mut visitor: impl FnMut(Part)) {
        for (x, y) in self.tight_map().touched(&INFINITE_AABB).cells() {
            let listed = self.listed(x, y).count();
            if listed > 0 {
                visitor(Part::TightCell { aabb: self.tight_map().borders(x, y), listed });
            }
        }
    }

    /// Returns a number that sorts points by the tight cell that holds them.
    fn tight_cell_number(&self, point: [f32; 2]) -> u64 {
        let [x, y] = self.tight_map().cell_of_point(point);
        self.tight_map().number(x, y) as u64
    }
}

/// The part of a search that looks at boxes.
pub(in crate::tier::loose_grid) trait BoxVisitor<H> {
    /// Returns whether a box, or any box that it covers, may still be of interest.
    fn reaches(&self, bounds: &RawAabb) -> bool;

    /// Looks at the box of an entity.
    fn visit(&mut self, aabb: &RawAabb, hit: H);
}

/// Visits the loose cells listed in `range` and not in the range `before`. The cell `from` is in
/// both (WALK-1).
pub(super) fn visit_range<G: DoubleGrid>(
    grid: G,
    range: CellRange,
    before: Option<CellRange>,
    from: [u32; 2],
    visitor: &mut impl BoxVisitor<G::Hit>,
) {
    let map = grid.tight_map();
    let visit_tight_cell = |(x, y)| {
        for cell in grid.listed(x, y) {
            let bounds = grid.bounds(cell);
            if visitor.reaches(bounds) && map.is_nearest(from, bounds, x, y) {
                grid.visit_cell(cell, visitor);
            }
        }
    };
    match before {
        None => range.cells().for_each(visit_tight_cell),
        Some(before) => range.cells_without(before).for_each(visit_tight_cell),
    }
}

/// Visits the loose cells that no tight cell lists.
pub(super) fn visit_unlisted<G: DoubleGrid>(grid: G, visitor: &mut impl BoxVisitor<G::Hit>) {
    for &cell in grid.unlisted() {
        if visitor.reaches(grid.bounds(cell)) {
            grid.visit_cell(cell, visitor);
        }
    }
}
