//! The interface of both double grids to searches, and the code that all searches share.
//!
//! WALK-1: A search goes through ranges of tight cells, and in each range visits the cells that are
//! not in the previous range. A loose cell is visited in the tight cell that is nearest to a cell
//! `from` of both ranges ([`CellMap::is_nearest`]). If both ranges list it, that tight cell is in
//! both, so it is not a new one; if only the later range lists it, that tight cell is in this
//! range. So each loose cell is visited once, in the first range that lists it.
//!
//! A search skips bounds that are out of reach by the predicates of `geometry`: bounds are never
//! farther from a point than the boxes that they cover, and never hit later (CAST-1). The
//! approximate ends of tight cells affect only speed.

use crate::geometry::{INFINITE_AABB, RawAabb};
use crate::tier::DebugShape;
use crate::tier::loose_grid::indices::LooseIndex;
use crate::tier::loose_grid::map::{CellMap, CellRange};

/// A loose/tight double grid.
pub(in crate::tier::loose_grid) trait DoubleGrid: Copy {
    /// Returns the map of the tight grid.
    fn tight_map(&self) -> &CellMap;

    /// Returns the bounds of a loose cell.
    fn bounds(&self, cell: LooseIndex) -> &RawAabb;

    /// Returns the loose cells that a tight cell lists.
    fn listed(&self, x: u32, y: u32) -> impl Iterator<Item = LooseIndex>;

    /// Returns the loose cells that every search visits (LOOSE-3).
    fn unlisted(&self) -> &[LooseIndex];

    /// Visits the entities of a loose cell. Entities whose common bounds `visitor` does not reach
    /// may be left out.
    fn visit_cell(&self, cell: LooseIndex, visitor: &mut impl BoxVisitor);

    /// Visits the tight cells that list something.
    fn visit_tight_cells(&self, mut visitor: impl FnMut(DebugShape)) {
        for (x, y) in self.tight_map().touched(&INFINITE_AABB).cells() {
            let listed = self.listed(x, y).count();
            if listed > 0 {
                visitor(DebugShape::TightCell { aabb: self.tight_map().borders(x, y), listed });
            }
        }
    }
}

/// The part of a search that tests boxes.
pub(in crate::tier::loose_grid) trait BoxVisitor {
    /// Returns whether the search still needs this box or boxes inside it.
    fn reaches(&self, bounds: &RawAabb) -> bool;

    /// Tests the box of an entity; `hit` is its row, or the index of its slot.
    fn visit(&mut self, aabb: &RawAabb, hit: u32);
}

/// Visits the loose cells listed in `range` and not in the range `before`. The cell `from` is in
/// both (WALK-1).
pub(super) fn visit_range<G: DoubleGrid>(
    grid: G,
    range: CellRange,
    before: Option<CellRange>,
    from: [u32; 2],
    visitor: &mut impl BoxVisitor,
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

/// Visits the unlisted loose cells.
pub(super) fn visit_unlisted<G: DoubleGrid>(grid: G, visitor: &mut impl BoxVisitor) {
    for &cell in grid.unlisted() {
        if visitor.reaches(grid.bounds(cell)) {
            grid.visit_cell(cell, visitor);
        }
    }
}
