//! Equal cells, and how large they are to be.

use crate::tier::point_grid::axis::Extent;
use crate::tier::point_grid::band::cell_grid::CellGrid;

/// Mean number of bodies in a cell.
///
/// With fewer, the tables grow, and more boxes extend out of their cells. With more, a run of cells
/// often needs more than one vector of eight, and the branch on that is hard to predict.
pub(super) const POPULATION: f32 = 2.1;

/// Cells are this many times as high as square ones, and narrower by the same factor.
///
/// The three cells below a body's cell then fit one vector more often, and fewer boxes extend into
/// them.
pub(super) const SLENDER: f32 = 1.6;

/// How large cells are to be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CellSize {
    /// As suits the pairs of a band's own bodies. Long beams get long, low cells.
    ForOwnPairs,
    /// As suits searches for boxes that are shorter than long beams: with low cells, each would
    /// take many rows of them.
    ForSearches,
    /// This wide and high, or more where boxes or the memory for tables demand it. Ignored if
    /// bodies are not evenly distributed.
    Given(f32),
}

impl CellSize {
    /// Whether a band may get columns that are finer than its bodies.
    pub(in crate::tier::point_grid) fn may_have_fine_columns(self) -> bool {
        matches!(self, Self::ForOwnPairs)
    }

    /// Those of the bodies of a step. `side` is the cell size that is configured, if any.
    pub(crate) fn for_bodies(side: Option<f32>) -> Self {
        side.map_or(Self::ForOwnPairs, Self::Given)
    }
}

/// Equal cells of [`POPULATION`] bodies in the mean, or as `cell_size` demands.
pub(super) fn equal_cells(population: usize, [x, y]: [Extent; 2], cell_size: CellSize) -> CellGrid {
    let (x_max, y_max) = (x.cells_max(population), y.cells_max(population));
    let (x_spread, y_spread) = (f64::from(x.max - x.min), f64::from(y.max - y.min));
    let cells = (population as f64 / f64::from(POPULATION)).max(1.0);
    let side = match cell_size {
        CellSize::Given(side) => f64::from(side),
        _ => (x_spread * y_spread / cells).sqrt(),
    };
    // Rows first, then as many columns as there are cells left; then perhaps rows again, as the
    // size of boxes may limit the columns.
    let mut rows = ((y_spread / (side * f64::from(SLENDER))) as usize).clamp(1, y_max);
    let mut columns = ((cells / rows as f64) as usize).clamp(1, x_max);
    match cell_size {
        CellSize::ForOwnPairs => rows = ((cells / columns as f64) as usize).clamp(1, y_max),
        CellSize::ForSearches => {}
        CellSize::Given(_) => {
            rows = ((y_spread / side) as usize).clamp(1, y_max);
            columns = ((x_spread / side) as usize).clamp(1, x_max);
        }
    }
    while !CellGrid::fits(population, columns, rows) {
        let longer = if columns > rows { &mut columns } else { &mut rows };
        *longer = (*longer * 3 / 4).max(1);
    }
    CellGrid::equal(population, [x, y], [columns, rows])
}
