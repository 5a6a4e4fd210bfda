//! A band and the location of its memory.

use crate::geometry::RawAabb;
use crate::geometry::band_box::BandAxes;
use crate::memory::buffers::plain_buffers;
use crate::memory::columns::SOA_PAD;
use crate::tier::point_grid::band::build::Band;
use std::ops::Range;

/// A band, its axes, and the ranges of memory that belong to it.
#[derive(Clone, Debug, Default)]
pub(crate) struct BandSlot {
    /// Empty until the band is built.
    pub(in crate::tier::point_grid) band: Band,
    pub(in crate::tier::point_grid) axes: BandAxes,
    /// The places of its own bodies, with room for padding after them.
    pub(in crate::tier::point_grid) places: Range<usize>,
    /// The places of its ghosts.
    pub(in crate::tier::point_grid) ghosts: Range<usize>,
    /// The words of its tables, once it is built.
    pub(in crate::tier::point_grid) table_range: Range<usize>,
    /// The thread that built the band.
    pub(in crate::tier::point_grid) thread: u32,
}

plain_buffers!(BandSlot);

impl BandSlot {
    /// A band whose records were filed. It has no tables yet.
    pub(in crate::tier::point_grid) fn unbuilt(axes: BandAxes, places: Range<usize>, ghosts: Range<usize>) -> Self {
        Self { axes, places, ghosts, ..Self::default() }
    }

    /// Number of bodies that were filed in the band, built or not.
    pub(in crate::tier::point_grid) fn filed_count(&self) -> usize {
        self.places.len() - SOA_PAD
    }

    /// Number of bodies in the built band.
    pub(crate) fn population(&self) -> usize {
        self.band.population()
    }

    /// Number of ghosts that were filed in the band.
    pub(crate) fn ghost_count(&self) -> usize {
        self.ghosts.len()
    }

    /// The smallest box that covers all bodies.
    pub(crate) fn bounds(&self) -> RawAabb {
        self.axes.box_to_world(self.band.bounds())
    }

    /// Number of cells.
    pub(crate) fn cell_count(&self) -> usize {
        self.band.column_count() * self.band.row_count()
    }

    /// Mean width and height of the cells.
    pub(crate) fn mean_cell_size(&self) -> [f64; 2] {
        let &[left, top, right, bottom] = self.band.bounds().edges();
        let (width, height) = (f64::from(right - left), f64::from(bottom - top));
        let [x_count, y_count] = self.band.cell_counts();
        self.axes.point_to_world([width / x_count as f64, height / y_count as f64])
    }
}
