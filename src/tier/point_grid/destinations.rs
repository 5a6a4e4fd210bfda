//! Where the records of a filing go, by number.

/// The destinations of records: the bodies of each band, then the ghosts in each band, then the
/// oversized bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Destinations {
    pub(super) bands: usize,
}

impl Destinations {
    pub(super) fn count(self) -> usize {
        self.oversized() + 1
    }

    /// The bodies that a band owns: the number of the band, as `PartRooms::file_batch` relies on.
    #[inline(always)]
    pub(super) fn owned(self, band: usize) -> usize {
        band
    }

    pub(super) fn ghosts(self, band: usize) -> usize {
        self.bands + band
    }

    pub(super) fn oversized(self) -> usize {
        2 * self.bands
    }

    /// Whether a destination is the bodies that a band owns.
    pub(super) fn is_owned(self, destination: usize) -> bool {
        destination < self.bands
    }
}
