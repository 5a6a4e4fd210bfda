//! Distributes the rows to bands: a pass that validates and counts, and a pass that writes records.
//!
//! - PARTITION-1: each valid row is filed once: in one band of one class, or as oversized.
//! - PARTITION-2: a *ghost* of a body is a copy in a band that does not own it. A body has one in
//!   every later band of its class that its box reaches into, and in every band of a smaller class
//!   that may own a body that overlaps it; such a body begins at most the longest side of its class
//!   before it. So two overlapping bodies are owned by one band, or exactly one of them has a ghost
//!   in the band of the other: within a class the one that begins first on the axis of the bands
//!   (BORDER-1), otherwise the one of the larger class. If a strip of a class is divided across,
//!   the same holds for its bands on the other axis; of two strips, every band of the later one
//!   that may own a body that overlaps it has the ghost.
//! - PARTITION-3: chunks of rows depend on the input alone, and each chunk has its own range in
//!   each destination, so the result does not depend on threads.
//! - PARTITION-4: a body has at most [`GHOSTS_MAX`](super::size_classes::GHOSTS_MAX) ghosts; one
//!   that would have more is oversized.
//!
//! Cost: two passes over the rows, and a write of 20 bytes for each record.

#![allow(unsafe_code)]

use crate::error::InvalidRow;
use crate::geometry::RawAabb;
use crate::geometry::band_box::BandAxes;
use crate::memory::body_record::BodyRecord;
use crate::memory::buffers::{buffers, plain_buffers};
use crate::memory::columns::SOA_PAD;
use crate::memory::disjoint::DisjointSlice;
use crate::parallel;
use crate::simd::{DetectedSimd, SimdJob, SimdRows};
use crate::tier::point_grid::band_borders::BATCH;
use crate::tier::point_grid::places::BandPlaces;
use crate::tier::point_grid::plan::{GridPlan, SizeClass};
use crate::tier::point_grid::route::{Route, route};
use std::ops::Range;

/// Rows in a chunk: enough to make the table of destinations cheap, few enough to distribute over
/// threads.
const CHUNK_LEN: usize = 8192;

/// Capacity for routed rows of a chunk at first; a few rows in a hundred are routed.
const ROUTED_RESERVE: usize = CHUNK_LEN / 16;

/// Band of a row whose body the smallest class does not own, or that was skipped.
const NO_BAND: u16 = u16::MAX;

/// Place of a row whose body the smallest class does not own, or that was skipped.
const NO_PLACE: usize = usize::MAX;

/// The axis that bands divide, a constant in the loops of [`assign_bands`].
const X: usize = 0;
const Y: usize = 1;

/// Options of a filing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileOptions {
    /// Whether invalid rows are left out; otherwise they are an error.
    pub(crate) skip_invalid: bool,
    /// The instruction set of filing, and of searches of the bands.
    pub(crate) level: DetectedSimd,
    pub(crate) parallel: bool,
}

/// Where the records of each destination are.
///
/// The destinations follow each other: the bodies of each band, with room for padding; the ghosts
/// of each band; the oversized bodies.
#[derive(Default)]
pub(super) struct Partition {
    band_count: usize,
    /// By chunk and destination: first the number of records, then the place of the next one.
    cursors: Vec<usize>,
    /// First record of each destination, and the end of the last.
    starts: Vec<usize>,
    chunks: Vec<Chunk>,
}

/// What the first pass records for the second.
#[derive(Default)]
struct Chunk {
    /// By row: the band of the smallest class that owns the body, or [`NO_BAND`].
    bands: Vec<u16>,
    /// Rows that go to other destinations, or to further ones.
    routed: Vec<u32>,
    /// These destinations, row by row.
    routes: Vec<Route>,
    invalid: Vec<InvalidRow>,
}

plain_buffers!(InvalidRow);
buffers!(Chunk { leveled: bands, routed, routes, invalid; own: ; plain: ; });
buffers!(Partition { leveled: cursors, starts, chunks; own: ; plain: band_count; });

/// The rows of one chunk, in one of the two passes.
struct ChunkRows<'a> {
    rows: &'a dyn SimdRows,
    plan: &'a GridPlan,
    level: DetectedSimd,
    number: usize,
    chunk: &'a mut Chunk,
}

impl Partition {
    /// Distributes all rows to destinations in `places`.
    ///
    /// If an invalid row is an error, the lowest one is returned, and `places` stays unchanged.
    pub(super) fn rebuild(
        &mut self,
        rows: &dyn SimdRows,
        plan: &GridPlan,
        FileOptions { skip_invalid, level, parallel }: FileOptions,
        places: &mut BandPlaces,
    ) -> Result<(), InvalidRow> {
        let destinations = 2 * plan.band_count() + 1;
        let chunk_count = rows.len().div_ceil(CHUNK_LEN);
        self.cursors.clear();
        self.cursors.resize(chunk_count * destinations, 0);
        self.chunks.iter_mut().for_each(|chunk| chunk.invalid.clear());
        if self.chunks.len() < chunk_count {
            self.chunks.resize_with(chunk_count, Chunk::default);
        }
        let chunks = &mut self.chunks[..chunk_count];
        parallel::for_each_chunk_and(parallel, &mut self.cursors, destinations, chunks, |number, counts, chunk| {
            level.run(CountPass { chunk: ChunkRows { rows, plan, level, number, chunk }, skip_invalid, counts });
        });
        if let (false, Some(first)) = (skip_invalid, self.invalid_rows().next()) {
            return Err(first);
        }
        self.place_chunks(chunk_count, destinations, plan.band_count());
        let records = DisjointSlice::new(places.records_mut(self.starts[destinations]));
        let chunks = &mut self.chunks[..chunk_count];
        parallel::for_each_chunk_and(parallel, &mut self.cursors, destinations, chunks, |number, cursors, chunk| {
            let chunk = ChunkRows { rows, plan, level, number, chunk };
            // SAFETY: the count pass over the same rows, with the same bands and routes, reserved
            // the places from `cursors` on: as many as are written, in bounds, and for this chunk
            // only.
            level.run(unsafe { ScatterPass::new(chunk, cursors, records) });
        });
        Ok(())
    }

    /// Turns counts into places: by destination, and within it by chunk (PARTITION-3).
    fn place_chunks(&mut self, chunks: usize, destinations: usize, band_count: usize) {
        self.band_count = band_count;
        self.starts.clear();
        let mut next = 0;
        for destination in 0..destinations {
            self.starts.push(next);
            for chunk in 0..chunks {
                let cursor = &mut self.cursors[chunk * destinations + destination];
                next += std::mem::replace(cursor, next);
            }
            if destination < band_count {
                next += SOA_PAD;
            }
        }
        self.starts.push(next);
    }

    /// Invalid rows that were skipped, ascending.
    pub(super) fn invalid_rows(&self) -> impl Iterator<Item = InvalidRow> + '_ {
        self.chunks.iter().flat_map(|chunk| &chunk.invalid).copied()
    }

    /// The records of a band, without the room for padding after them.
    ///
    /// They are in the order of rows, except that in each batch those that the smallest class does
    /// not own come last.
    pub(super) fn owned(&self, band: usize) -> Range<usize> {
        let padded = self.destination(band);
        padded.start..padded.end - SOA_PAD
    }

    /// The ghosts in a band.
    pub(super) fn ghosts(&self, band: usize) -> Range<usize> {
        self.destination(self.band_count + band)
    }

    /// The bodies that no class takes.
    pub(super) fn oversized(&self) -> Range<usize> {
        self.destination(2 * self.band_count)
    }

    fn destination(&self, destination: usize) -> Range<usize> {
        self.starts[destination]..self.starts[destination + 1]
    }
}

/// The first pass over a chunk: counts the records of each destination.
struct CountPass<'a> {
    chunk: ChunkRows<'a>,
    skip_invalid: bool,
    counts: &'a mut [usize],
}

impl SimdJob for CountPass<'_> {
    type Output = ();

    /// The loop over rows has no unpredictable branch: rows that need more work are set aside.
    #[inline(always)]
    fn run(self) {
        let Self { chunk: ChunkRows { rows, plan, level, number, chunk }, skip_invalid, counts } = self;
        chunk.bands.resize(CHUNK_LEN, NO_BAND);
        chunk.routed.clear();
        chunk.routed.reserve(ROUTED_RESERVE);
        chunk.routes.clear();
        chunk.routes.reserve(ROUTED_RESERVE);
        let Chunk { bands, routed, routes, invalid } = chunk;
        let are_exchanged = plan.smallest_axes().is_exchanged();
        for_each_batch((rows, level), number, |from, boxes, all_valid| {
            let bands = &mut bands[from % CHUNK_LEN..][..boxes.len()];
            let mut aside = [0u16; BATCH];
            let aside_count;
            if let (Some(class), true) = (plan.classes().first(), all_valid) {
                aside_count = if are_exchanged {
                    assign_bands::<X>(boxes, bands, counts, &mut aside, class)
                } else {
                    assign_bands::<Y>(boxes, bands, counts, &mut aside, class)
                };
            } else {
                bands.fill(NO_BAND);
                aside_count = boxes.len();
                aside.iter_mut().enumerate().for_each(|(k, slot)| *slot = k as u16);
            }
            for &k in &aside[..aside_count] {
                let (k, row) = (usize::from(k), from + usize::from(k));
                if !all_valid && let Err(error) = rows.checked_box(row) {
                    // For an error, the lowest one is enough.
                    if skip_invalid || invalid.is_empty() {
                        invalid.push(error);
                    }
                } else if route_aside(plan, &boxes[k], &mut bands[k], counts, routes) {
                    routed.push(row as u32);
                }
            }
        });
    }
}

/// Counts the destinations of a box that was set aside, and appends those that are not its `band`.
/// Returns whether there are any. A band that does not own it becomes [`NO_BAND`].
#[inline(always)]
fn route_aside(plan: &GridPlan, aabb: &RawAabb, band: &mut u16, counts: &mut [usize], routes: &mut Vec<Route>) -> bool {
    let before = routes.len();
    let own = route(plan, aabb, routes);
    if own.destination() != usize::from(*band) {
        if *band != NO_BAND {
            counts[usize::from(*band)] -= 1;
            *band = NO_BAND;
        }
        routes.push(own);
    }
    let added = &mut routes[before..];
    added.iter().for_each(|route| counts[route.destination()] += 1);
    added.last_mut().map(Route::mark_last).is_some()
}

/// The second pass over a chunk: writes its records.
struct ScatterPass<'a> {
    chunk: ChunkRows<'a>,
    cursors: &'a mut [usize],
    records: DisjointSlice<'a, BodyRecord>,
}

impl<'a> ScatterPass<'a> {
    /// # Safety
    ///
    /// From each cursor on, `records` must have as many places as [`CountPass`] counted for the
    /// chunk, in bounds and used by nothing else.
    unsafe fn new(chunk: ChunkRows<'a>, cursors: &'a mut [usize], records: DisjointSlice<'a, BodyRecord>) -> Self {
        Self { chunk, cursors, records }
    }
}

impl SimdJob for ScatterPass<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { chunk: ChunkRows { rows, plan, level, number, chunk }, cursors, records } = self;
        let common_axes = plan.smallest_axes();
        let (bands, mut routed, mut routes) = (&chunk.bands, chunk.routed.iter().peekable(), chunk.routes.iter());
        let mut rows_of_step = [0; BATCH];
        let put = |place: usize, axes: BandAxes, aabb: RawAabb, row: u32| {
            let record = BodyRecord { aabb: *axes.box_to_band(aabb).edges(), row };
            // SAFETY: the place comes from a cursor and is used once. By the contract of `new`,
            // there is one in bounds, for this chunk only, for each record that the count pass
            // counted, and this pass writes the same ones.
            unsafe { records.write(place, record) };
        };
        let mut next_place = |destination: usize| {
            let cursor = &mut cursors[destination];
            let place = *cursor;
            *cursor += 1;
            place
        };
        for_each_batch((rows, level), number, |from, boxes, _| {
            let bands = &bands[from % CHUNK_LEN..][..boxes.len()];
            let are_others = rows.write_rows(from..from + boxes.len(), &mut rows_of_step[..boxes.len()]);
            let row_at = |k: usize| if are_others { rows_of_step[k] } else { (from + k) as u32 };
            // All places before any record: on some processors, a write to a place that is not yet
            // known delays the load of the next cursor.
            let mut places = [NO_PLACE; BATCH];
            for (place, &band) in places.iter_mut().zip(bands) {
                *place = if band == NO_BAND { NO_PLACE } else { next_place(usize::from(band)) };
            }
            for (k, (&aabb, &place)) in boxes.iter().zip(&places).enumerate() {
                if place != NO_PLACE {
                    put(place, common_axes, aabb, row_at(k));
                }
            }
            while let Some(&row) = routed.next_if(|&&row| (row as usize) < from + boxes.len()) {
                let k = row as usize - from;
                for route in routes.by_ref() {
                    put(next_place(route.destination()), route.axes(), boxes[k], row_at(k));
                    if route.is_last() {
                        break;
                    }
                }
            }
        });
    }
}

/// Assigns bands to a batch as if all boxes were of the smallest class, as most are in most worlds,
/// and reached into no other band. Returns how many are set aside because this is not so.
#[inline(always)]
fn assign_bands<const AXIS: usize>(
    boxes: &[RawAabb],
    bands: &mut [u16],
    counts: &mut [usize],
    aside: &mut [u16; BATCH],
    class: &SizeClass,
) -> usize {
    let mut marks = [false; BATCH];
    let marks = &mut marks[..boxes.len()];
    // Sides are tested in the loop that computes bands, so that it loads all edges once.
    let marked_edges = boxes.iter().map(|aabb| (aabb[AXIS], aabb[AXIS + 2], !class.takes(aabb)));
    class.borders.find_bands(marked_edges, bands, marks);
    if class.is_divided() {
        divide_strips::<AXIS>(boxes, bands, marks, class);
    }
    // Loops of their own: a single one would run out of registers.
    bands.iter().for_each(|&band| counts[usize::from(band)] += 1);
    let mut aside_count = 0;
    for (k, &is_aside) in marks.iter().enumerate() {
        aside[aside_count] = k as u16;
        aside_count += usize::from(is_aside);
    }
    aside_count
}

/// Replaces the strip of each box by its band in that strip, and marks boxes that reach into
/// another band of it.
// Not inlined, to keep the loops of undivided classes as they are without it.
#[cold]
#[inline(never)]
fn divide_strips<const AXIS: usize>(boxes: &[RawAabb], bands: &mut [u16], marks: &mut [bool], class: &SizeClass) {
    for ((band, mark), aabb) in bands.iter_mut().zip(marks).zip(boxes) {
        let within = class.bands_across(usize::from(*band), [aabb[1 - AXIS], aabb[3 - AXIS]]);
        *band = within.start as u16;
        *mark |= within.len() > 1;
    }
}

/// Calls `batch` for each batch of a chunk, with its first row, its boxes, and whether all of them
/// are certainly valid.
#[inline(always)]
fn for_each_batch(
    (rows, level): (&dyn SimdRows, DetectedSimd),
    chunk: usize,
    mut batch: impl FnMut(usize, &[RawAabb], bool),
) {
    let end = rows.len().min((chunk + 1) * CHUNK_LEN);
    let mut buffer = [[0.0; 4]; BATCH];
    for from in (chunk * CHUNK_LEN..end).step_by(BATCH) {
        let boxes = &mut buffer[..BATCH.min(end - from)];
        let all_valid = rows.read_with(level, from..from + boxes.len(), boxes);
        batch(from, boxes, all_valid);
    }
}
