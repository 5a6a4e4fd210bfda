//! The debug shapes of point grids.

use crate::geometry::band_box::BandBox;
use crate::tier::DebugShape;
use crate::tier::point_grid::PointGrid;
use crate::tier::point_grid::bands::Bands;

impl PointGrid {
    /// Visits the bands, for debug drawing, each followed by its cells and its ghosts.
    pub fn visit_debug_shapes(&self, mut visitor: impl FnMut(DebugShape)) {
        self.bands.visit_debug_shapes(&mut visitor);
        self.larger.visit_debug_shapes(&mut visitor);
    }
}

impl Bands {
    pub(crate) fn visit_debug_shapes(&self, visitor: &mut impl FnMut(DebugShape)) {
        for slot in self.slots.iter().filter(|slot| slot.population() > 0) {
            let (band, tables, cells) = (&slot.band, self.tables_of(slot), self.cells(slot));
            visitor(DebugShape::Band {
                aabb: slot.bounds(),
                population: slot.population(),
                cells: band.cell_counts(),
                ghosts: slot.ghost_count(),
                thread: slot.thread as usize,
            });
            for (row, column) in
                (0..band.row_count()).flat_map(|row| (0..band.column_count()).map(move |column| (row, column)))
            {
                let population = cells.run(row, &(column..column + 1)).len();
                if population > 0 {
                    let [low, high] = [[column, row], [column + 1, row + 1]].map(|cell| band.corner(tables, cell));
                    let aabb = [low[0], low[1], high[0], high[1]].map(|edge| edge as f32);
                    visitor(DebugShape::Cell { aabb: slot.axes.box_to_world(BandBox::from_edges(aabb)), population });
                }
            }
            for ghost in self.places.records_if_kept(slot.ghosts.clone()) {
                let aabb = slot.axes.box_to_world(BandBox::from_edges(ghost.aabb));
                visitor(DebugShape::Ghost { aabb, row: ghost.row });
            }
        }
    }
}
