//! The point grids of a frame. Each common body counts in exactly one of them.

use crate::frame::cached_bodies::CachedBodies;
use crate::frame::frame::Frame;
use crate::frame::moved::MovedBodies;
use crate::tier::point_grid::bands::Bands;

/// A point grid of a frame, of which some entries may not count.
#[derive(Clone, Copy)]
pub(crate) struct PointPart<'f> {
    pub(crate) bands: &'f Bands,
    entries: Entries<'f>,
}

/// Which entries count. The other bodies are in another grid, or do not exist any more.
#[derive(Clone, Copy)]
enum Entries<'f> {
    All,
    Current(&'f MovedBodies),
    Cached(&'f CachedBodies),
}

impl PointPart<'_> {
    /// Whether all entries count.
    #[inline(always)]
    pub(crate) fn has_all(&self) -> bool {
        matches!(self.entries, Entries::All)
    }

    /// Whether the entry of a row counts.
    #[inline(always)]
    pub(crate) fn has(&self, row: u32) -> bool {
        match self.entries {
            Entries::All => true,
            Entries::Current(moved) => !moved.is_outdated(row),
            Entries::Cached(cached) => cached.is_cached(row),
        }
    }
}

impl Frame {
    /// The most point grids of a frame.
    pub(crate) const POINT_PARTS_MAX: usize = 4;

    /// The point grid of a number below [`POINT_PARTS_MAX`](Self::POINT_PARTS_MAX), if the frame
    /// has it: the grid of the step that filed all rows last, those of the rows that have changed
    /// since, and that of cached sleepers.
    #[inline(always)]
    pub(crate) fn point_part(&self, number: usize) -> Option<PointPart<'_>> {
        let (bands, entries) = match number {
            0 if self.moved.was_updated() => (&self.bands, Entries::Current(&self.moved)),
            0 => (&self.bands, Entries::All),
            1 => (self.moved.changed_bands()?, Entries::All),
            2 => (self.moved.settled_bands()?, Entries::All),
            _ => (self.cached.bands()?, Entries::Cached(&self.cached)),
        };
        Some(PointPart { bands, entries })
    }

    /// All point grids, in the order in which they are searched.
    #[inline(always)]
    pub(crate) fn point_parts(&self) -> impl Iterator<Item = PointPart<'_>> {
        (0..Self::POINT_PARTS_MAX).filter_map(|number| self.point_part(number))
    }
}
