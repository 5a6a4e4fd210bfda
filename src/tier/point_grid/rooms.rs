//! Where each part of the rows has its records: a *room* in each destination.
//!
//! A room has as many places as its part filled in the last filing, and some to spare. Records that
//! do not fit are only counted, and all rows are filed again, in rooms that are large enough: so it
//! is in the first filing, and when the number of bands or parts has changed.
//!
//! ROOM-1: rooms are apart from each other, and one task has those of a part.

#![allow(unsafe_code)]

use crate::geometry::RawAabb;
use crate::geometry::band_box::BandAxes;
use crate::memory::body_record::BodyRecord;
use crate::memory::buffers::{buffers, plain_buffers};
use crate::memory::columns::SOA_PAD;
use crate::memory::disjoint::DisjointSlice;
use crate::parallel;
use crate::tier::point_grid::places::BandPlaces;
use std::ops::Range;

/// Places to spare in a room, as a multiple of the square root of its records: at least, and at
/// most. If each record were in a room by chance, their number would change by about that root.
const SPARE_ROOTS_MIN: f32 = 6.0;
const SPARE_ROOTS_MAX: f32 = 48.0;

/// What remains of them after each filing.
const SPARE_KEPT: f32 = 0.99;

/// Places to spare in any room besides.
const SPARE_PLACES: usize = 32;

/// The rooms of earlier rows are of use if there are more or fewer of them by one in this many, or
/// less.
const ROWS_ALIKE_WITHIN: usize = 8;

/// The places for the records of one part in one destination.
#[derive(Clone, Copy, Debug, Default)]
struct Room {
    start: usize,
    /// The place of the next record. Those from `end` on are counted, and not written.
    next: usize,
    end: usize,
}

impl Room {
    /// The places of its records.
    fn filled(&self) -> Range<usize> {
        self.start..self.next
    }
}

/// What rooms are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Filed {
    pub(super) rows: usize,
    pub(super) parts: usize,
    pub(super) bands: usize,
}

impl Filed {
    /// The bodies of each band; the ghosts in each band; the oversized bodies.
    fn destinations(&self) -> usize {
        2 * self.bands + 1
    }

    fn is_alike(&self, other: &Self) -> bool {
        let rows_between = self.rows.abs_diff(other.rows);
        (self.parts, self.bands) == (other.parts, other.bands) && rows_between <= self.rows / ROWS_ALIKE_WITHIN
    }
}

/// The rooms of one filing.
#[derive(Debug, Default)]
struct RoomTable {
    filed: Filed,
    /// By part and destination.
    rooms: Vec<Room>,
}

/// The rooms of the last filing.
#[derive(Debug, Default)]
pub(super) struct Rooms {
    last: RoomTable,
    /// Those of an earlier filing, as plans may alternate.
    earlier: RoomTable,
    /// Places to spare, as a multiple of a square root (see [`SPARE_ROOTS_MIN`]): twice as many
    /// each time that a room is too small, and slowly fewer again.
    spare_roots: f32,
}

plain_buffers!(Room, Filed);
buffers!(RoomTable { leveled: rooms; own: ; plain: filed; });
buffers!(Rooms { leveled: last, earlier; own: ; plain: spare_roots; });

impl Rooms {
    /// Calls `file` for each part of the rows, with its number, its rooms and its item of `parts`,
    /// until all records have places. So it must file the same records each time.
    pub(super) fn fill<P: Send>(
        &mut self,
        parallel: bool,
        filed: Filed,
        places: &mut BandPlaces,
        parts: &mut [P],
        file: impl Fn(usize, PartRooms<'_>, &mut P) + Sync,
    ) {
        assert_eq!(parts.len(), filed.parts);
        let are_known = self.recall(filed);
        self.spare_roots = (self.spare_roots * SPARE_KEPT).max(SPARE_ROOTS_MIN);
        loop {
            let end = self.last.lay_out(self.spare_roots);
            let records = DisjointSlice::new(places.records_mut(end));
            let rooms = &mut self.last.rooms;
            parallel::for_each_chunk_and(parallel, rooms, filed.destinations(), parts, |k, rooms, part| {
                file(k, PartRooms { rooms, records }, part);
            });
            if rooms.iter().all(|room| room.next <= room.end) {
                return;
            }
            if are_known {
                self.spare_roots = (2.0 * self.spare_roots).min(SPARE_ROOTS_MAX);
            }
        }
    }

    /// Makes `last` the rooms of an earlier filing that was alike. If there was none, they are
    /// empty, and it returns false.
    fn recall(&mut self, filed: Filed) -> bool {
        if !filed.is_alike(&self.last.filed) {
            std::mem::swap(&mut self.last, &mut self.earlier);
        }
        let are_known = filed.is_alike(&self.last.filed);
        if !are_known {
            self.last.rooms.clear();
            self.last.rooms.resize(filed.parts * filed.destinations(), Room::default());
        }
        self.last.filed = filed;
        are_known
    }

    /// Number of pieces in which the records of each destination were written: one for each part.
    pub(super) fn piece_count(&self) -> usize {
        self.last.filed.parts
    }

    /// The pieces of all bands, and then those of the ghosts in all bands.
    pub(super) fn band_pieces(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        (0..2 * self.last.filed.bands).flat_map(|destination| self.last.pieces(destination))
    }

    /// The pieces of the oversized bodies.
    pub(super) fn oversized_pieces(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.last.pieces(2 * self.last.filed.bands)
    }

    /// The records of a band, once the gaps between its pieces are closed.
    pub(super) fn owned(&self, band: usize) -> Range<usize> {
        self.last.joined(band)
    }

    /// The ghosts in a band, the same.
    pub(super) fn ghosts(&self, band: usize) -> Range<usize> {
        self.last.joined(self.last.filed.bands + band)
    }

    /// The oversized bodies, the same.
    pub(super) fn oversized(&self) -> Range<usize> {
        self.last.joined(2 * self.last.filed.bands)
    }
}

impl RoomTable {
    /// Places empty rooms for as many records as they had before, and some to spare (ROOM-1): by
    /// destination, and within it by part (PARTITION-3). Returns the end of the last one.
    fn lay_out(&mut self, spare_roots: f32) -> usize {
        let (destinations, mut next) = (self.filed.destinations(), 0);
        for destination in 0..destinations {
            let is_band = destination < self.filed.bands;
            // A border that moves changes most of the ghosts, and few of the bodies.
            let roots = if is_band { spare_roots / 2.0 } else { spare_roots };
            for room in self.rooms.iter_mut().skip(destination).step_by(destinations) {
                let count = room.filled().len();
                let end = next + count + (roots * (count as f32).sqrt()) as usize + SPARE_PLACES;
                *room = Room { start: next, next, end };
                next = end;
            }
            if is_band {
                next += SOA_PAD;
            }
        }
        next
    }

    /// The records of a destination, part by part: one piece for each.
    fn pieces(&self, destination: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        self.rooms.iter().skip(destination).step_by(self.filed.destinations()).map(Room::filled)
    }

    /// The places of the pieces, once the gaps between them are closed.
    fn joined(&self, destination: usize) -> Range<usize> {
        let start = self.rooms[destination].start;
        start..start + self.pieces(destination).map(|piece| piece.len()).sum::<usize>()
    }
}

/// The rooms of one part, by destination.
pub(super) struct PartRooms<'a> {
    /// These are in bounds of `records`, and no other task has them (ROOM-1).
    rooms: &'a mut [Room],
    records: DisjointSlice<'a, BodyRecord>,
}

/// A place that a room gave for one record, unless it was full.
#[derive(Clone, Copy)]
pub(super) struct Place(usize);

impl Place {
    pub(super) const NONE: Self = Self(usize::MAX);
}

impl PartRooms<'_> {
    /// The place of the next record of a destination.
    #[inline(always)]
    pub(super) fn next_place(&mut self, destination: usize) -> Place {
        let room = &mut self.rooms[destination];
        let place = room.next;
        room.next += 1;
        if place < room.end { Place(place) } else { Place::NONE }
    }

    /// Writes a record to a place that these rooms gave, if there is one.
    #[inline(always)]
    pub(super) fn write(&mut self, place: Place, axes: BandAxes, aabb: RawAabb, row: u32) {
        if place.0 != Place::NONE.0 {
            let record = BodyRecord { aabb: *axes.box_to_band(aabb).edges(), row };
            // SAFETY: only `next_place` makes places, of these rooms: they are in bounds, and no
            // other task has them.
            unsafe { self.records.write(place.0, record) };
        }
    }
}
