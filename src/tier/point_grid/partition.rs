//! Distributes the rows to bands: one pass reads, checks and files each row.
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
//! - PARTITION-3: the records of each destination are in the order of rows, so the result does not
//!   depend on threads, or on earlier steps.
//! - PARTITION-4: a body has at most [`GHOSTS_MAX`](super::size_classes::GHOSTS_MAX) ghosts; one
//!   that would have more is oversized.
//!
//! Rows are divided into parts, which threads file at once, each into [rooms](super::rooms) of its
//! own.
//!
//! Cost: one pass over the rows, rarely two, and a write of 20 bytes for each record. If there are
//! several parts, records move together when their band is [measured](super::band::measure).

use crate::error::InvalidRow;
use crate::geometry::RawAabb;
use crate::memory::bits::{bits_of, set_bits};
use crate::memory::buffers::{buffers, plain_buffers};
use crate::parallel;
use crate::simd::{DetectedSimd, SimdJob, SimdRows};
use crate::tier::point_grid::band_borders::BATCH;
use crate::tier::point_grid::places::BandPlaces;
use crate::tier::point_grid::plan::{GridPlan, SizeClass};
use crate::tier::point_grid::rooms::{NO_BAND, PartRooms, RoomShape, Rooms};
use crate::tier::point_grid::route::{Route, route};
use std::ops::Range;

/// Fewest batches in a part but the last: enough to make the table of rooms cheap.
const PART_BATCHES_MIN: usize = 8;

/// Parts for each of several threads, if they have [`LONG_PART_BATCHES`]: more than one, as some
/// threads are slower, or have other work.
const PARTS_PER_THREAD: usize = 2;
const LONG_PART_BATCHES: usize = 32;

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
#[derive(Default)]
pub(super) struct Partition {
    pub(super) rooms: Rooms,
    /// By part. There may be unused ones after those of the last filing.
    outputs: Vec<PartOutput>,
}

/// What the pass over a part of the rows leaves besides records, and its scratch.
#[derive(Default)]
struct PartOutput {
    invalid: Vec<InvalidRow>,
    /// Scratch: destinations of a row that was set aside.
    routes: Vec<Route>,
}

plain_buffers!(InvalidRow);
buffers!(PartOutput { leveled: routes, invalid; own: ; plain: ; });
buffers!(Partition { leveled: rooms, outputs; own: ; plain: ; });

impl Partition {
    /// Distributes all rows to destinations in `places`, whose contents are lost.
    ///
    /// If an invalid row is an error, the lowest one is returned.
    pub(super) fn rebuild(
        &mut self,
        rows: &dyn SimdRows,
        plan: &GridPlan,
        FileOptions { skip_invalid, level, parallel }: FileOptions,
        places: &mut BandPlaces,
    ) -> Result<(), InvalidRow> {
        let batches = rows.len().div_ceil(BATCH);
        let part_len = BATCH * part_batches(batches, parallel::worker_count(parallel));
        let part_count = rows.len().div_ceil(part_len).max(1);
        if self.outputs.len() < part_count {
            self.outputs.resize_with(part_count, PartOutput::default);
        }
        let shape = RoomShape { rows: rows.len(), parts: part_count, destinations: plan.destinations() };
        let outputs = &mut self.outputs[..part_count];
        self.rooms.fill(parallel, shape, places, outputs, |k, rooms, output| {
            let part = k * part_len..rows.len().min((k + 1) * part_len);
            level.run(FilePart { rows, part, plan, level, skip_invalid, rooms, output });
        });
        match self.invalid_rows().next() {
            Some(first) if !skip_invalid => Err(first),
            _ => Ok(()),
        }
    }

    /// Invalid rows that were skipped, ascending.
    pub(super) fn invalid_rows(&self) -> impl Iterator<Item = InvalidRow> + '_ {
        self.outputs[..self.rooms.part_count()].iter().flat_map(|output| &output.invalid).copied()
    }
}

/// How many batches make a part. All parts but the last are of equal length, so that threads end at
/// about the same time.
fn part_batches(batches: usize, threads: usize) -> usize {
    let many = threads * PARTS_PER_THREAD;
    let parts = match threads {
        1 => 1,
        _ if batches >= many * LONG_PART_BATCHES => many,
        _ => threads.min(batches / PART_BATCHES_MIN).max(1),
    };
    batches.div_ceil(parts).max(1)
}

/// The pass over one part.
struct FilePart<'a> {
    rows: &'a dyn SimdRows,
    part: Range<usize>,
    plan: &'a GridPlan,
    level: DetectedSimd,
    skip_invalid: bool,
    rooms: PartRooms<'a>,
    output: &'a mut PartOutput,
}

impl SimdJob for FilePart<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { rows, part, plan, level, skip_invalid, mut rooms, output } = self;
        let PartOutput { invalid, routes } = output;
        invalid.clear();
        let (mut boxes, mut bands, mut rows_of_step) = ([[0.0; 4]; BATCH], [NO_BAND; BATCH], [0u32; BATCH]);
        for from in part.clone().step_by(BATCH) {
            let len = BATCH.min(part.end - from);
            let (boxes, rows_of_step) = (&mut boxes[..len], &mut rows_of_step[..len]);
            bands[len..].fill(NO_BAND);
            let all_valid = rows.read_with(level, from..from + len, boxes);
            if !rows.write_rows(from..from + len, rows_of_step) {
                rows_of_step.iter_mut().enumerate().for_each(|(k, row)| *row = (from + k) as u32);
            }
            // Most rows go to one band of the smallest class. The others are set aside, so that the
            // loop over all rows has no unpredictable branch.
            let mut are_aside = [false; BATCH];
            match plan.classes().first() {
                Some(class) if all_valid => assign_bands(boxes, &mut bands[..len], &mut are_aside[..len], class),
                _ => {
                    bands.fill(NO_BAND);
                    are_aside[..len].fill(true);
                }
            }
            for k in set_positions(&are_aside) {
                if !all_valid && let Err(error) = rows.checked_box(from + k) {
                    // For an error, the lowest one is enough.
                    if skip_invalid || invalid.is_empty() {
                        invalid.push(error);
                    }
                    continue;
                }
                let own = route(plan, &boxes[k], routes);
                // A body of the smallest class keeps its band: filed here, it would come before
                // earlier rows of its batch (PARTITION-3). No destination is `NO_BAND`.
                if own.destination() != plan.destinations().owned(usize::from(bands[k])) {
                    bands[k] = NO_BAND;
                    routes.push(own);
                }
                for route in routes.drain(..) {
                    rooms.file(route.destination(), route.axes(), boxes[k], rows_of_step[k]);
                }
            }
            rooms.file_batch(&bands, plan.smallest_axes(), boxes, rows_of_step);
        }
    }
}

/// Assigns bands to a batch as if all boxes were of the smallest class, as most are in most worlds,
/// and reached into no other band. Marks the others, which are set aside.
#[inline(always)]
fn assign_bands(boxes: &[RawAabb], bands: &mut [u16], are_aside: &mut [bool], class: &SizeClass) {
    if class.axes.is_exchanged() {
        assign_bands_along::<X>(boxes, bands, are_aside, class);
    } else {
        assign_bands_along::<Y>(boxes, bands, are_aside, class);
    }
}

/// As [`assign_bands`], for strips that divide an axis.
#[inline(always)]
fn assign_bands_along<const AXIS: usize>(
    boxes: &[RawAabb],
    bands: &mut [u16],
    are_aside: &mut [bool],
    class: &SizeClass,
) {
    // Sides are tested in the loop that computes bands, so that it loads all edges once.
    let marked_edges = boxes.iter().map(|aabb| (aabb[AXIS], aabb[AXIS + 2], !class.takes(aabb)));
    class.borders.find_bands(marked_edges, bands, are_aside);
    if class.is_divided() {
        divide_strips::<AXIS>(boxes, bands, are_aside, class);
    }
}

/// Where the marks are set, ascending.
#[inline(always)]
fn set_positions(marks: &[bool; BATCH]) -> impl Iterator<Item = usize> + use<> {
    let words: [u64; BATCH / 64] = std::array::from_fn(|k| bits_of(&marks[64 * k..64 * (k + 1)]));
    (0..).zip(words).flat_map(|(k, word)| set_bits(word).map(move |bit| 64 * k + bit))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thread_has_one_part_or_two_of_equal_length() {
        let cases = [(0, 2), (79, 1), (15, 2), (16, 2), (79, 2), (127, 2), (128, 2), (39, 8)];
        assert_eq!(cases.map(|(batches, threads)| part_batches(batches, threads)), [1, 79, 15, 8, 40, 64, 32, 10]);
    }
}
