//! Hands each body to its band: a pass over the rows that checks and counts, and one that writes.
//!
//! R1: each good row is filed once: in one band of one class, or among the oversized.
//! R2: a body also *visits*, as a copy, every later band of its class that its box reaches into, and every band of a
//! smaller class in which a body that overlaps it may be filed: bodies of that class begin at most its longest side before
//! it. So of two overlapping bodies of classes either both are filed in one band, or exactly one visits the band of
//! the other: within a class the one that begins first on the band axis (D1), else the larger class.
//! R3: chunks of rows are fixed by the input, and each has its own place in each destination: the result does not depend on
//! threads.
//! R4: a body makes at most [`VISITS_MAX`](crate::tier::point_grid::plan::VISITS_MAX) copies; one that would make more is oversized.
//!
//! Cost: two passes over the rows, one write of 20 bytes a copy.

#![allow(unsafe_code)]

use crate::error::InvalidRow;
use crate::geometry::RawAabb;
use crate::input::rows::BoxSource;
use crate::memory::buffers::grow;
use crate::memory::columns::SOA_PAD;
use crate::memory::disjoint::DisjointSlice;
use crate::memory::record::BodyRecord;
use crate::parallel;
use crate::simd::{DetectedSimd, SimdJob};
use crate::tier::point_grid::plan::{Class, Plan, longest_side};
use crate::tier::point_grid::route::route;
use crate::tier::point_grid::splitter::BATCH;
use std::ops::Range;

/// Rows in a chunk: enough to make the table of destinations cheap, few enough to share out.
const CHUNK: usize = 8192;

/// Rows of a chunk that there is room to route from the first; a few in a hundred are.
const ROUTED: usize = CHUNK / 16;

/// Where the records of all destinations are, one behind the other: the bodies of each band with room for padding, the
/// visitors of each, the oversized.
#[derive(Default)]
pub(crate) struct Partition {
    bands: usize,
    /// Per chunk and destination: first how many, then where the next goes.
    cursors: Vec<usize>,
    /// First record of each destination, and the end of the last.
    starts: Vec<usize>,
    chunks: Vec<Chunk>,
}

/// What the first pass leaves for the second.
#[derive(Default)]
struct Chunk {
    /// Per row: the band of a body that is filed by its key alone, or [`NONE`].
    keys: Vec<u16>,
    /// Rows that go elsewhere too, or instead.
    routed: Vec<u32>,
    bad: Vec<InvalidRow>,
}

/// The axis that bands divide, as a type of loops.
const X: usize = 0;
const Y: usize = 1;

/// Key of a row that is routed or left out.
const NONE: u16 = u16::MAX;

impl Chunk {
    fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.keys.capacity() * size_of::<u16>()
            + self.routed.capacity() * size_of::<u32>()
            + self.bad.capacity() * size_of::<InvalidRow>()
    }
}

/// Rows of one chunk in one of the two passes.
struct Part<'a, R: ?Sized> {
    rows: &'a R,
    plan: &'a Plan,
    number: usize,
    chunk: &'a mut Chunk,
}

/// The first pass over a chunk: counts where its rows go, and notes it.
struct Count<'a, R: ?Sized> {
    part: Part<'a, R>,
    skip: bool,
    counts: &'a mut [usize],
}

impl<R: BoxSource + ?Sized> Count<'_, R> {
    /// The loop over rows has no branch that is hard to predict: what needs more thought is put aside.
    #[inline(always)]
    fn along<const AXIS: usize>(self) {
        let Self { part: Part { rows, plan, number, chunk }, skip, counts } = self;
        chunk.keys.resize(CHUNK, NONE);
        chunk.routed.clear();
        chunk.routed.reserve(ROUTED);
        let Chunk { keys, routed, bad } = chunk;
        for_each_batch(rows, number, |from, boxes, good| {
            let keys = &mut keys[from % CHUNK..][..boxes.len()];
            let mut aside = [0u16; BATCH];
            let aside_count;
            if let (Some(class), true) = (plan.classes().first(), good) {
                aside_count = key_batch::<AXIS>(boxes, keys, counts, &mut aside, class);
            } else {
                keys.fill(NONE);
                aside_count = boxes.len();
                aside.iter_mut().enumerate().for_each(|(k, slot)| *slot = k as u16);
            }
            for &k in &aside[..aside_count] {
                let (k, row) = (usize::from(k), from + usize::from(k));
                if !good && let Err(row) = rows.check(row) {
                    // The lowest is enough to refuse.
                    if skip || bad.is_empty() {
                        bad.push(row);
                    }
                    continue;
                }
                // Counted already unless it turns out to be filed elsewhere.
                let mut filed = keys[k];
                route(plan, &boxes[k], &mut |destination, _| {
                    if destination == usize::from(filed) {
                        filed = NONE;
                    } else {
                        counts[destination] += 1;
                    }
                });
                if keys[k] != NONE && filed != NONE {
                    counts[usize::from(filed)] -= 1;
                    keys[k] = NONE;
                }
                routed.push(row as u32);
            }
        });
    }
}

impl<R: BoxSource + ?Sized> SimdJob for Count<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        if self.part.plan.divides_x() { self.along::<X>() } else { self.along::<Y>() }
    }
}

/// The second pass over a chunk: writes its rows to where they go.
struct Scatter<'a, R: ?Sized> {
    part: Part<'a, R>,
    cursors: &'a mut [usize],
    places: DisjointSlice<'a, BodyRecord>,
}

impl<'a, R: BoxSource + ?Sized> Scatter<'a, R> {
    /// # Safety
    ///
    /// `cursors` are the places that [`Count`] of the same rows asked for, and no one else's.
    unsafe fn new(part: Part<'a, R>, cursors: &'a mut [usize], places: DisjointSlice<'a, BodyRecord>) -> Self {
        Self { part, cursors, places }
    }

    #[inline(always)]
    fn along<const AXIS: usize>(self) {
        let Self { part: Part { rows, plan, number, chunk }, cursors, places } = self;
        let (keys, mut routed) = (&chunk.keys, chunk.routed.iter().peekable());
        let mut put = move |destination: usize, record: BodyRecord| {
            let cursor = &mut cursors[destination];
            // SAFETY: by the contract of `new`.
            unsafe { places.write(*cursor, record) };
            *cursor += 1;
        };
        for_each_batch(rows, number, |from, boxes, _| {
            let keys = &keys[from % CHUNK..][..boxes.len()];
            for (k, (&aabb, &key)) in boxes.iter().zip(keys).enumerate() {
                if key != NONE {
                    let record = BodyRecord { aabb, row: rows.number(from + k) };
                    put(usize::from(key), if AXIS == X { record.transposed() } else { record });
                }
            }
            while let Some(&row) = routed.next_if(|&&row| (row as usize) < from + boxes.len()) {
                let k = row as usize - from;
                let record = BodyRecord { aabb: boxes[k], row: rows.number(row as usize) };
                let filed = usize::from(keys[k]);
                route(plan, &boxes[k], &mut |destination, transposed| {
                    if destination != filed {
                        put(destination, if transposed { record.transposed() } else { record });
                    }
                });
            }
        });
    }
}

impl<R: BoxSource + ?Sized> SimdJob for Scatter<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        if self.part.plan.divides_x() { self.along::<X>() } else { self.along::<Y>() }
    }
}

impl Partition {
    /// Distributes all rows to places in `records`, where [`own`](Self::own) and the like say. Under `skip` bad rows are
    /// left out; else the lowest is the error, and `records` was not touched.
    pub(crate) fn run(
        &mut self,
        rows: &(impl BoxSource + ?Sized),
        plan: &Plan,
        skip: bool,
        level: DetectedSimd,
        parallel: bool,
        records: &mut Vec<BodyRecord>,
    ) -> Result<(), InvalidRow> {
        let destinations = 2 * plan.band_count() + 1;
        let chunks = rows.len().div_ceil(CHUNK);
        self.cursors.clear();
        self.cursors.resize(chunks * destinations, 0);
        self.chunks.iter_mut().for_each(|chunk| chunk.bad.clear());
        if self.chunks.len() < chunks {
            self.chunks.resize_with(chunks, Chunk::default);
        }
        let parts = &mut self.chunks[..chunks];
        parallel::for_each_chunk_and(parallel, &mut self.cursors, destinations, parts, |number, counts, chunk| {
            level.run(Count { part: Part { rows, plan, number, chunk }, skip, counts });
        });
        if let (false, Some(first)) = (skip, self.invalid_rows().next()) {
            return Err(first);
        }
        self.lay_out(chunks, destinations, plan.band_count());
        let total = self.starts[destinations];
        grow(records, total);
        let places = DisjointSlice::new(&mut records[..total]);
        let parts = &mut self.chunks[..chunks];
        parallel::for_each_chunk_and(parallel, &mut self.cursors, destinations, parts, |number, cursors, chunk| {
            // SAFETY: these are the places that the count pass asked for, by the same keys and routes: by R3 this chunk's
            // alone, and in bounds.
            level.run(unsafe { Scatter::new(Part { rows, plan, number, chunk }, cursors, places) });
        });
        Ok(())
    }

    /// Turns counts into places: destination by destination, and within it chunk by chunk (R3).
    fn lay_out(&mut self, chunks: usize, destinations: usize, bands: usize) {
        self.bands = bands;
        self.starts.clear();
        let mut next = 0;
        for destination in 0..destinations {
            self.starts.push(next);
            for chunk in 0..chunks {
                let cursor = &mut self.cursors[chunk * destinations + destination];
                next += std::mem::replace(cursor, next);
            }
            if destination < bands {
                next += SOA_PAD;
            }
        }
        self.starts.push(next);
    }

    /// Bad rows that were left out, ascending.
    pub(crate) fn invalid_rows(&self) -> impl Iterator<Item = InvalidRow> + '_ {
        self.chunks.iter().flat_map(|chunk| &chunk.bad).copied()
    }

    /// Where the bodies filed in a band are, in the order of rows but for those of a batch that are routed, which follow the
    /// others of the batch; behind them is room for the padding of columns.
    pub(crate) fn own(&self, band: usize) -> Range<usize> {
        let padded = self.range(band);
        padded.start..padded.end - SOA_PAD
    }

    /// Where the bodies that visit a band are.
    pub(crate) fn visitors(&self, band: usize) -> Range<usize> {
        self.range(self.bands + band)
    }

    /// Where the bodies are that no class takes.
    pub(crate) fn oversized(&self) -> Range<usize> {
        self.range(2 * self.bands)
    }

    fn range(&self, destination: usize) -> Range<usize> {
        self.starts[destination]..self.starts[destination + 1]
    }

    pub(crate) fn bytes(&self) -> usize {
        (self.cursors.capacity() + self.starts.capacity()) * size_of::<usize>()
            + self.chunks.iter().map(Chunk::bytes).sum::<usize>()
    }

    /// Drops everything: what a step needs, it takes again.
    pub(crate) fn release(&mut self) {
        *self = Self::default();
    }
}

/// Keys a batch as if all were bodies of the smallest class, which in most worlds takes most, that reach into no other
/// band. Returns how many were put aside because they are not.
#[inline(always)]
fn key_batch<const AXIS: usize>(
    boxes: &[RawAabb],
    keys: &mut [u16],
    counts: &mut [usize],
    aside: &mut [u16; BATCH],
    class: &Class,
) -> usize {
    let mut larger = [false; BATCH];
    larger.iter_mut().zip(boxes).for_each(|(larger, aabb)| *larger = longest_side(aabb) > class.side_max);
    let mut aside_count = 0;
    class.splitter.for_each(boxes.iter().map(|aabb| (aabb[AXIS], aabb[AXIS + 2])), |k, band, reaches| {
        keys[k] = band;
        counts[usize::from(band)] += 1;
        aside[aside_count] = k as u16;
        aside_count += usize::from(reaches | larger[k]);
    });
    aside_count
}

/// Hands the boxes of a chunk on, a batch at a time: the first row, the boxes, and whether all are good for sure.
#[inline(always)]
fn for_each_batch(rows: &(impl BoxSource + ?Sized), chunk: usize, mut batch: impl FnMut(usize, &[RawAabb], bool)) {
    let end = rows.len().min((chunk + 1) * CHUNK);
    let mut buffer = [[0.0; 4]; BATCH];
    for from in (chunk * CHUNK..end).step_by(BATCH) {
        let boxes = &mut buffer[..BATCH.min(end - from)];
        let good = rows.read(from..from + boxes.len(), boxes);
        batch(from, boxes, good);
    }
}
