//! The pieces in which the records of each band were filed, before these are built.

use crate::memory::buffers::{buffers, plain_buffers};
use crate::tier::point_grid::destinations::Destinations;
use crate::tier::point_grid::rooms::Rooms;
use std::ops::Range;

/// The pieces of each band, and of the ghosts in each band, counted from the first place of these.
#[derive(Clone, Debug, Default)]
pub(super) struct Pieces {
    /// Pieces of each.
    of_each: usize,
    destinations: Destinations,
    /// By destination, without the oversized bodies.
    places: Vec<Range<usize>>,
}

plain_buffers!(Range<usize>);
buffers!(Pieces { leveled: places; own: ; plain: of_each, destinations; });

impl Pieces {
    pub(super) fn clear(&mut self) {
        self.places.clear();
        self.of_each = 0;
    }

    /// Replaces the contents with what was filed in rooms.
    pub(super) fn set(&mut self, rooms: &Rooms) {
        self.clear();
        (self.of_each, self.destinations) = (rooms.part_count(), rooms.destinations());
        let of_bands = 0..self.destinations.oversized();
        self.places.extend(of_bands.flat_map(|destination| rooms.pieces(destination)));
    }

    /// Replaces the contents with a single piece of a single band, without ghosts.
    pub(super) fn set_single(&mut self, len: usize) {
        self.clear();
        (self.of_each, self.destinations) = (1, Destinations { bands: 1 });
        self.places.extend([0..len, 0..0]);
    }

    /// The pieces of the bodies that a band owns.
    pub(super) fn owned(&self, band: usize) -> &[Range<usize>] {
        self.of(self.destinations.owned(band))
    }

    /// The pieces of the ghosts in a band.
    pub(super) fn ghosts(&self, band: usize) -> &[Range<usize>] {
        self.of(self.destinations.ghosts(band))
    }

    fn of(&self, destination: usize) -> &[Range<usize>] {
        &self.places[destination * self.of_each..][..self.of_each]
    }
}
