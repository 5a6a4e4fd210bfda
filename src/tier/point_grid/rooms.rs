//! Where the parts of the rows have their records: a *room* for each part in each destination.
//!
//! A room has places for as many records as its part filed there not long ago, and some to spare.
//! Records that do not fit are only counted, and all rows are filed again, in rooms that are large
//! enough. If no filing was alike, a first pass counts and writes nothing: so it is in the first
//! filing, or if the number of bands or of parts changes, or that of rows by much.
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
use crate::tier::point_grid::band_borders::{BATCH, UNROLLED};
use crate::tier::point_grid::destinations::Destinations;
use crate::tier::point_grid::places::BandPlaces;
use std::ops::Range;

/// The limits of [`Rooms::spare_roots`].
const SPARE_ROOTS_MIN: f32 = 6.0;
const SPARE_ROOTS_MAX: f32 = 48.0;

/// What [`Rooms::spare_roots`] is multiplied by in each filing.
const SPARE_DECAY: f32 = 0.99;

/// There are more places to spare if records had no room twice within this many filings.
const CALM_MAX: u32 = 12;

/// Places to spare in any room besides.
const SPARE_PLACES: usize = 16;

/// A room that is larger than its records need shrinks by one in this many of its places in each
/// filing. So it is still large enough if two plans take turns, as where bodies move to and fro
/// over a border.
const SHRINK_IN: usize = 32;

/// The sizes of the rooms of an earlier filing are used again if its number of rows differs by at
/// most one in this many.
const ROWS_ALIKE_WITHIN: usize = 8;

/// In place of a band, for a row that [`PartRooms::file_batch`] leaves out.
pub(super) const NO_BAND: u16 = u16::MAX;

/// Stands for a place if a room is full.
const NO_PLACE: usize = usize::MAX;

/// The places for the records of one part in one destination.
#[derive(Clone, Copy, Debug, Default)]
struct Room {
    start: usize,
    /// The place of the next record. Records whose place would be `end` or later did not fit.
    next: usize,
    end: usize,
    /// How many records it was laid out for, besides the places to spare.
    expected: usize,
}

impl Room {
    /// Number of its records, with those that did not fit.
    fn len(&self) -> usize {
        self.next - self.start
    }

    fn fits(&self) -> bool {
        self.next <= self.end
    }
}

/// What decides whether the rooms of one filing suit another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RoomShape {
    pub(super) rows: usize,
    pub(super) parts: usize,
    pub(super) destinations: Destinations,
}

impl RoomShape {
    fn room_count(&self) -> usize {
        self.parts * self.destinations.count()
    }

    fn is_alike(&self, other: &Self) -> bool {
        let difference = self.rows.abs_diff(other.rows);
        (self.parts, self.destinations) == (other.parts, other.destinations)
            && difference <= self.rows / ROWS_ALIKE_WITHIN
    }
}

/// The rooms of one filing.
#[derive(Debug, Default)]
struct RoomTable {
    shape: RoomShape,
    /// By part and destination.
    rooms: Vec<Room>,
}

/// The rooms of the last filing. What is filled of a room is a *piece* of its destination.
#[derive(Debug, Default)]
pub(super) struct Rooms {
    last: RoomTable,
    /// Those of an earlier filing, as filings may take turns: by two plans, or of all rows and of
    /// some of them.
    earlier: RoomTable,
    /// Places to spare in a room for ghosts or oversized bodies, for each square root of its
    /// records. If each record were in a room by chance, their number would change by about that
    /// root. A room for a band's own bodies has half as many to spare: a border that moves changes
    /// most of the ghosts, and few of the bodies.
    spare_roots: f32,
    /// Number of filings since records had no room. The first filing counts as one of these.
    calm: u32,
}

plain_buffers!(Room, RoomShape);
buffers!(RoomTable { leveled: rooms; own: ; plain: shape; });
buffers!(Rooms { leveled: last, earlier; own: ; plain: spare_roots, calm; });

impl Rooms {
    /// Calls `file` for each part of the rows, with its number, its rooms and its item of `parts`,
    /// until all records have places. It may be called twice for a part, and must file the same
    /// records each time.
    pub(super) fn fill<P: Send>(
        &mut self,
        parallel: bool,
        shape: RoomShape,
        places: &mut BandPlaces,
        parts: &mut [P],
        file: impl Fn(usize, PartRooms<'_>, &mut P) + Sync,
    ) {
        let is_known = self.recall(shape);
        assert_eq!((parts.len(), self.last.rooms.len()), (shape.parts, shape.room_count()));
        self.spare_roots = (SPARE_DECAY * self.spare_roots).max(SPARE_ROOTS_MIN);
        let mut only_counts = !is_known;
        self.calm = self.calm.saturating_add(1);
        loop {
            let end = self.last.lay_out(self.spare_roots);
            let records = DisjointSlice::new(places.records_mut(if only_counts { 0 } else { end }));
            let rooms = &mut self.last.rooms;
            parallel::for_each_chunk_and(parallel, rooms, shape.destinations.count(), parts, |k, rooms, part| {
                file(k, PartRooms { rooms, records }, part);
            });
            if !only_counts && rooms.iter().all(Room::fits) {
                return;
            }
            // If it is rare, filing again costs less than larger rooms. If no spare would have
            // been enough, more of it is of no use.
            let needed = self.last.spare_roots_needed();
            if is_known && self.calm <= CALM_MAX && needed <= SPARE_ROOTS_MAX {
                self.spare_roots = (2.0 * self.spare_roots).clamp(needed, SPARE_ROOTS_MAX);
            }
            self.calm = 0;
            only_counts = false;
        }
    }

    /// Makes `last` the rooms of an earlier filing that was alike. If there was none, they are
    /// empty, and it returns false.
    fn recall(&mut self, shape: RoomShape) -> bool {
        if !shape.is_alike(&self.last.shape) {
            std::mem::swap(&mut self.last, &mut self.earlier);
        }
        let is_known = shape.is_alike(&self.last.shape);
        self.last.shape = shape;
        if !is_known {
            self.last.rooms.clear();
            self.last.rooms.resize(shape.room_count(), Room::default());
        }
        is_known
    }

    /// Number of parts, and so of the pieces of each destination.
    pub(super) fn part_count(&self) -> usize {
        self.last.shape.parts
    }

    pub(super) fn destinations(&self) -> Destinations {
        self.last.shape.destinations
    }

    /// The records of a destination, part by part, counted from its first place.
    pub(super) fn pieces(&self, destination: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        self.last.pieces(destination)
    }

    /// The places of the pieces of a destination, once the gaps between them are closed.
    pub(super) fn joined(&self, destination: usize) -> Range<usize> {
        let start = self.last.start(destination);
        start..start + self.pieces(destination).map(|piece| piece.len()).sum::<usize>()
    }
}

impl RoomTable {
    /// Empties all rooms and gives each places for as many records as it had, or had not long ago,
    /// and some to spare (ROOM-1): by destination, and within it by part (PARTITION-3). Returns the
    /// end of the last one.
    fn lay_out(&mut self, spare_roots: f32) -> usize {
        let (destinations, mut next) = (self.shape.destinations, 0usize);
        for destination in 0..destinations.count() {
            let is_owned = destinations.is_owned(destination);
            let roots = if is_owned { spare_roots / 2.0 } else { spare_roots };
            for room in self.rooms.iter_mut().skip(destination).step_by(destinations.count()) {
                let expected = room.len().max(room.expected - room.expected / SHRINK_IN);
                let capacity = expected + (roots * root(expected)) as usize + SPARE_PLACES;
                // More than memory has, if it overflows: then there is no room for the records.
                let end = next.saturating_add(capacity);
                *room = Room { start: next, next, end, expected };
                next = end;
            }
            if is_owned {
                next = next.saturating_add(SOA_PAD);
            }
        }
        next
    }

    /// The least [`Rooms::spare_roots`] with which all records would have had room.
    fn spare_roots_needed(&self) -> f32 {
        let destinations = self.shape.destinations;
        let needed = self.rooms.iter().enumerate().map(|(k, room)| {
            let is_owned = destinations.is_owned(k % destinations.count());
            let spare = room.len().saturating_sub(room.expected + SPARE_PLACES) as f32;
            spare / root(room.expected) * if is_owned { 2.0 } else { 1.0 }
        });
        needed.fold(0.0, f32::max)
    }

    fn pieces(&self, destination: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        let start = self.start(destination);
        let rooms = self.rooms.iter().skip(destination).step_by(self.shape.destinations.count());
        rooms.map(move |room| room.start - start..room.next - start)
    }

    /// The first place of a destination: that of its first room.
    fn start(&self, destination: usize) -> usize {
        self.rooms[destination].start
    }
}

/// The square root of a number of records, of 1 for none.
fn root(records: usize) -> f32 {
    (records.max(1) as f32).sqrt()
}

/// The rooms of one part, by destination, and the memory in which they were laid out.
pub(super) struct PartRooms<'a> {
    /// No other task has the places of these (ROOM-1).
    rooms: &'a mut [Room],
    /// Empty while records are only counted.
    records: DisjointSlice<'a, BodyRecord>,
}

impl PartRooms<'_> {
    /// Files a record.
    #[inline(always)]
    pub(super) fn file(&mut self, destination: usize, axes: BandAxes, aabb: RawAabb, row: u32) {
        let place = self.next_place(destination);
        // SAFETY: the place is what `next_place` returned.
        unsafe { self.write(place, axes, aabb, row) };
    }

    /// Files a batch of records, each in the band that is given for it, unless that is [`NO_BAND`],
    /// which it must be after the last box.
    #[inline(always)]
    pub(super) fn file_batch(&mut self, bands: &[u16; BATCH], axes: BandAxes, boxes: &[RawAabb], rows: &[u32]) {
        // All places before any record: on some processors, a write to a place that is not yet
        // known delays the load of the next one.
        let mut places = [NO_PLACE; BATCH];
        debug_assert!(bands[boxes.len()..].iter().all(|&band| band == NO_BAND));
        let groups = boxes.len().div_ceil(UNROLLED);
        let places_and_bands = places.as_chunks_mut::<UNROLLED>().0.iter_mut().zip(bands.as_chunks::<UNROLLED>().0);
        for (places, bands) in places_and_bands.take(groups) {
            for k in 0..UNROLLED {
                places[k] = if bands[k] == NO_BAND { NO_PLACE } else { self.next_place(usize::from(bands[k])) };
            }
        }
        // A loop for either kind of axes, so that it has no branch for them.
        // SAFETY: the places are what `next_place` returned.
        unsafe {
            if axes.is_exchanged() {
                self.write_all(&places, BandAxes::new(true), boxes, rows);
            } else {
                self.write_all(&places, BandAxes::new(false), boxes, rows);
            }
        }
    }

    /// Writes a batch of records to their places.
    ///
    /// # Safety
    ///
    /// The places are what [`next_place`](Self::next_place) of these rooms returned.
    #[inline(always)]
    unsafe fn write_all(&self, places: &[usize; BATCH], axes: BandAxes, boxes: &[RawAabb], rows: &[u32]) {
        for ((&place, &aabb), &row) in places.iter().zip(boxes).zip(rows) {
            // SAFETY: the caller's promise.
            unsafe { self.write(place, axes, aabb, row) };
        }
    }

    /// The place of the next record of a destination, or [`NO_PLACE`] if its room is full.
    #[inline(always)]
    fn next_place(&mut self, destination: usize) -> usize {
        let room = &mut self.rooms[destination];
        let place = room.next;
        room.next += 1;
        if place < room.end { place } else { NO_PLACE }
    }

    /// Writes a record to a place, if there is one.
    ///
    /// # Safety
    ///
    /// The place is what [`next_place`](Self::next_place) of these rooms returned.
    #[inline(always)]
    unsafe fn write(&self, place: usize, axes: BandAxes, aabb: RawAabb, row: u32) {
        // Also false if there is no place.
        if place < self.records.len() {
            let record = BodyRecord { aabb: *axes.box_to_band(aabb).edges(), row };
            // SAFETY: in bounds. The place is in a room of this part, so no other task has it.
            unsafe { self.records.write(place, record) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use triphase_scenes::SplitMix64;

    /// Files as many records as `counts` has for each part and destination, all different. Returns
    /// the number of passes.
    fn fill(parallel: bool, rooms: &mut Rooms, bands: usize, counts: &[Vec<usize>]) -> usize {
        let rows = counts.iter().flatten().sum();
        let shape = RoomShape { rows, parts: counts.len(), destinations: Destinations { bands } };
        let (mut places, passes) = (BandPlaces::default(), AtomicUsize::new(0));
        let row_of = |part: usize, destination: usize, k: usize| ((part * 100 + destination) * 100_000 + k) as u32;
        rooms.fill(parallel, shape, &mut places, &mut vec![(); counts.len()], |part, mut rooms, ()| {
            passes.fetch_add(1, Ordering::Relaxed);
            for (destination, &count) in counts[part].iter().enumerate() {
                // Half of those of bands in batches, with other rows between them.
                let in_batches = if destination < bands { count / 2 } else { 0 };
                let (axes, alone) = (BandAxes::default(), count - in_batches);
                (0..alone).for_each(|k| rooms.file(destination, axes, [0.0; 4], row_of(part, destination, k)));
                for first in (alone..count).step_by(BATCH / 2) {
                    let len = 2 * (count - first).min(BATCH / 2);
                    let mut bands = [NO_BAND; BATCH];
                    bands[..len].iter_mut().step_by(2).for_each(|band| *band = destination as u16);
                    let rows: Vec<u32> = (0..len).map(|k| row_of(part, destination, first + k / 2)).collect();
                    rooms.file_batch(&bands, axes, &[[0.0; 4]; BATCH][..len], &rows);
                }
            }
        });
        for destination in 0..shape.destinations.count() {
            let (start, mut pieces) = (rooms.last.start(destination), rooms.pieces(destination));
            if destination < bands {
                let next = rooms.last.start(destination + 1);
                assert!(rooms.joined(destination).end + SOA_PAD <= next, "there are places for padding");
            }
            for (part, counts) in counts.iter().enumerate() {
                let expected = (0..counts[destination]).map(|k| row_of(part, destination, k));
                let piece = pieces.next().expect("a piece for each part");
                let piece = start + piece.start..start + piece.end;
                assert!(places.records(piece).iter().map(|record| record.row).eq(expected));
            }
        }
        passes.into_inner() / counts.len()
    }

    /// Few records, so that Miri can run it.
    #[test]
    fn all_records_have_places_in_the_order_of_parts() {
        let check = |parallel: bool| {
            let (mut random, mut rooms) = (SplitMix64::new(8), Rooms::default());
            for (parts, bands) in [(1, 1), (3, 2), (3, 2), (2, 0), (3, 2), (1, 4)] {
                for most in [0, 1, 40, 300, 250] {
                    let mut counts = || (0..2 * bands + 1).map(|_| random.below(most + 1)).collect();
                    let counts: Vec<Vec<usize>> = (0..parts).map(|_| counts()).collect();
                    assert!(fill(parallel, &mut rooms, bands, &counts) <= 2);
                }
            }
        };
        check(false);
        #[cfg(all(feature = "parallel", not(target_family = "wasm")))]
        parallel::with_threads(2, || check(true));
    }

    #[test]
    fn a_room_has_as_many_places_as_it_should() {
        let mut rooms = [Room { start: 7, next: 7, end: 9, expected: 0 }];
        let mut part = PartRooms { rooms: &mut rooms, records: DisjointSlice::new(&mut []) };
        assert_eq!([(); 4].map(|()| part.next_place(0)), [7, 8, NO_PLACE, NO_PLACE]);
        assert!(rooms[0].len() == 4 && !rooms[0].fits());
    }

    #[test]
    fn rooms_are_filled_in_one_pass_if_they_were_large_enough() {
        let mut rooms = Rooms::default();
        let mut passes = |bands: usize, count: usize| fill(false, &mut rooms, bands, &[vec![count; 2 * bands + 1]]);
        // There are 3 roots and 16 places to spare.
        assert_eq!([passes(1, 1000), passes(1, 1000), passes(1, 1110)], [2, 1, 1]);
        // Two plans may alternate; a third one forgets the first.
        assert_eq!([passes(2, 500), passes(1, 1000), passes(2, 500), passes(1, 1000)], [2, 1, 1, 1]);
        assert_eq!([passes(3, 500), passes(2, 500)], [2, 2]);
        // Other numbers of rows tell nothing, not even if they are larger; but up to an eighth.
        assert_eq!([passes(2, 700), passes(2, 700), passes(2, 600), passes(2, 560)], [2, 1, 2, 1]);
    }

    #[test]
    fn spare_places_become_more_only_if_these_are_enough() {
        let mut rooms = Rooms::default();
        let mut spare_after = |own: usize, ghosts: usize| {
            fill(false, &mut rooms, 1, &[vec![own, ghosts, 20_000]]);
            rooms.spare_roots
        };
        assert_eq!([spare_after(10_000, 400), spare_after(10_000, 400)], [SPARE_ROOTS_MIN; 2]);
        // With 6 roots there are 136 spare places for ghosts, and 316 for bodies.
        assert_eq!(spare_after(10_300, 530), SPARE_ROOTS_MIN);
        assert_eq!(spare_after(10_300, 400), SPARE_ROOTS_MIN);
        // The room is for 530 less a 32nd.
        assert_eq!(spare_after(10_300, 1000), (1000.0 - 530.0) / 514f32.sqrt());
        let before = spare_after(10_300, 400);
        assert!(before < 20.7 && before > 12.0, "{before}");
        // No spare would have been enough.
        assert!(spare_after(10_300, 4000) < before);
    }

    #[test]
    fn spare_places_stay_few_if_records_rarely_have_no_room() {
        let mut rooms = Rooms::default();
        let mut spare_after = |filings: u32, ghosts: usize| {
            (0..filings).for_each(|_| _ = fill(false, &mut rooms, 1, &[vec![10_000, ghosts, 0]]));
            rooms.spare_roots
        };
        // Those for 200 and 400 have no room in their first filing.
        let few = [spare_after(1 + CALM_MAX, 100), spare_after(1 + CALM_MAX, 200), spare_after(CALM_MAX, 400)];
        assert_eq!(few, [SPARE_ROOTS_MIN; 3]);
        assert!(spare_after(1, 800) > SPARE_ROOTS_MIN);
    }

    #[test]
    fn rooms_that_were_larger_not_long_ago_are_still_large_enough() {
        let mut rooms = Rooms::default();
        let mut passes = |own: usize| fill(false, &mut rooms, 1, &[vec![own, 0, 3000 - own]]);
        assert_eq!([2000, 1000, 1000, 2000, 2000, 1000].map(&mut passes), [2, 2, 1, 1, 1, 1]);
        // But not for ever: only by chance would they be of that size again.
        (0..70).for_each(|_| _ = passes(1000));
        assert_eq!([passes(2000), passes(1000)], [2, 1]);
    }

    #[test]
    fn spare_places_are_doubled_up_to_a_limit() {
        // Spare before, records of an own room and of one for ghosts, and then, spare after.
        for (before, first, then, after) in [
            (6.0, [10_000, 400], [10_000, 556], 12.0),
            (6.0, [10_000, 400], [10_317, 400], 12.0),
            (6.0, [10_000, 400], [10_316, 400], 6.0),
            (30.0, [10_000, 400], [10_000, 1036], SPARE_ROOTS_MAX),
        ] {
            let mut rooms = Rooms::default();
            let counts = |[own, ghosts]: [usize; 2]| [vec![own, ghosts, 20_000]];
            fill(false, &mut rooms, 1, &counts(first));
            assert_eq!(rooms.spare_roots, SPARE_ROOTS_MIN, "the first filing tells nothing");
            rooms.spare_roots = before / SPARE_DECAY;
            fill(false, &mut rooms, 1, &counts(then));
            assert_eq!(rooms.spare_roots, after, "{then:?}");
        }
    }
}
