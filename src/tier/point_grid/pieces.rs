//! The pieces in which the records of each band were filed, before these are built.

use crate::memory::buffers::{buffers, plain_buffers};
use crate::tier::point_grid::rooms::Rooms;
use std::ops::Range;

/// The places of the pieces of each band, and of the ghosts in each band.
#[derive(Clone, Debug, Default)]
pub(super) struct Pieces {
    /// Pieces of each; none if each has a single one, so that there are no gaps.
    of_each: usize,
    band_count: usize,
    /// Those of all bands, then those of the ghosts in all bands.
    places: Vec<Range<usize>>,
}

plain_buffers!(Range<usize>);
buffers!(Pieces { leveled: places; own: ; plain: of_each, band_count; });

impl Pieces {
    pub(super) fn clear(&mut self) {
        self.places.clear();
        self.of_each = 0;
    }

    /// Replaces the contents with what was filed in rooms.
    pub(super) fn set(&mut self, rooms: &Rooms, band_count: usize) {
        self.clear();
        self.band_count = band_count;
        if rooms.part_count() > 1 {
            self.of_each = rooms.part_count();
            self.places.extend(rooms.band_pieces());
        }
    }

    pub(super) fn are_single(&self) -> bool {
        self.of_each == 0
    }

    pub(super) fn of_band(&self, band: usize) -> &[Range<usize>] {
        &self.places[band * self.of_each..][..self.of_each]
    }

    pub(super) fn of_ghosts(&self, band: usize) -> &[Range<usize>] {
        self.of_band(self.band_count + band)
    }
}
