//! The pieces in which the records of each band were filed, before these are built.

use crate::memory::buffers::{buffers, plain_buffers};
use crate::tier::point_grid::rooms::Rooms;
use std::ops::Range;

/// The pieces of each band, and of the ghosts in each band, counted from the first place of these.
#[derive(Clone, Debug, Default)]
pub(super) struct Pieces {
    /// Pieces of each.
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
    pub(super) fn set(&mut self, rooms: &Rooms) {
        self.clear();
        (self.of_each, self.band_count) = (rooms.part_count(), rooms.band_count());
        self.places.extend(rooms.band_pieces());
    }

    /// Replaces the contents with a single piece of a single band, without ghosts.
    pub(super) fn set_single(&mut self, len: usize) {
        self.clear();
        (self.of_each, self.band_count) = (1, 1);
        self.places.extend([0..len, 0..0]);
    }

    pub(super) fn of_band(&self, band: usize) -> &[Range<usize>] {
        &self.places[band * self.of_each..][..self.of_each]
    }

    pub(super) fn of_ghosts(&self, band: usize) -> &[Range<usize>] {
        self.of_band(self.band_count + band)
    }
}
