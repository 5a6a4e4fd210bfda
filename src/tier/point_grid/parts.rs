//! The parts of point grids for drawing, and the order of places.

use crate::geometry::oriented;
use crate::tier::DebugShape;
use crate::tier::point_grid::PointGrid;
use crate::tier::point_grid::bands::GridIndex;

impl PointGrid {
    /// Visits the bands and their cells, each cell after its band, for drawing and debugging.
    pub fn visit_debug_shapes(&self, mut visitor: impl FnMut(DebugShape)) {
        self.index.visit_debug_shapes(&mut visitor);
        self.rest.visit_debug_shapes(&mut visitor);
    }
}

impl GridIndex {
    /// Where the table of cells has the one in which a body that begins at a point is or would be filed.
    pub(crate) fn place(&self, [x, y]: [f32; 2]) -> u64 {
        let Some(class) = self.directory.classes().next() else { return 0 };
        let [x, y] = if class.transposed { [y, x] } else { [x, y] };
        let home = self.directory.home(class, y);
        let slot = &self.slots[home];
        let cell = match slot.band.population {
            0 => 0,
            _ => slot.band.cell(self.words_of(slot), [x, y]),
        };
        (slot.words.start + cell) as u64
    }

    /// Whether nothing is filed.
    pub(crate) fn is_empty(&self) -> bool {
        self.directory.classes().next().is_none()
    }

    pub(crate) fn visit_debug_shapes(&self, visitor: &mut impl FnMut(DebugShape)) {
        for slot in self.slots.iter().filter(|slot| slot.band.population > 0) {
            let (band, words, cells) = (&slot.band, self.words_of(slot), self.cells(slot));
            let aabb = oriented(band.bounds, slot.transposed);
            visitor(DebugShape::Band { aabb, population: band.population, cells: [band.columns(), band.rows()] });
            for (row, column) in (0..band.rows()).flat_map(|row| (0..band.columns()).map(move |column| (row, column))) {
                let population = cells.run(row, &(column..column + 1)).len();
                if population > 0 {
                    let [low, high] = [[column, row], [column + 1, row + 1]].map(|cell| band.corner(words, cell));
                    let aabb = [low[0], low[1], high[0], high[1]].map(|edge| edge as f32);
                    visitor(DebugShape::Cell { aabb: oriented(aabb, slot.transposed), population });
                }
            }
        }
    }
}
