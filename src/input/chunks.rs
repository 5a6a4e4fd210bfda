//! Several sets of columns, read as one run of rows.

use crate::error::{Column, Error, InvalidRow};
use crate::geometry::RawAabb;
use crate::input::bodies::{Bodies, BoxColumns, Ids, check_box};
use crate::input::filter::Filter;
use crate::input::rows::{BoxSource, ROWS_MAX, is_finite, read_boxes};
use crate::prefetch::prefetch;
use std::ops::Range;

/// The chunks of one step, with lengths that agree. Rows are numbered through all chunks.
pub(crate) struct Chunks<'i, 'a> {
    chunks: &'i [Bodies<'a>],
    /// First row of each chunk, then the number of rows.
    starts: &'i [usize],
}

/// The part of a chunk in a range of rows.
struct ChunkPart<'i, 'a> {
    chunk: &'i Bodies<'a>,
    rows: Range<usize>,
}

impl<'i, 'a> Chunks<'i, 'a> {
    /// Checks everything that can be checked without reading a row. `starts` is a reused buffer.
    pub(crate) fn new(chunks: &'i [Bodies<'a>], starts: &'i mut Vec<usize>) -> Result<Self, Error> {
        starts.clear();
        let mut len = 0usize;
        let mut with_ids = None;
        for (k, chunk) in chunks.iter().enumerate() {
            chunk.check_lengths((chunks.len() > 1).then_some(k))?;
            starts.push(len);
            len = len.saturating_add(chunk.len());
            if !chunk.is_empty() && *with_ids.get_or_insert(chunk.ids.is_some()) != chunk.ids.is_some() {
                return Err(Error::InconsistentIds { chunk: k });
            }
        }
        starts.push(len);
        if len > ROWS_MAX {
            return Err(Error::TooManyRows { rows: len, rows_max: ROWS_MAX });
        }
        Ok(Self { chunks, starts })
    }

    /// Whether any row has a displacement, so that its box covers a motion.
    pub(crate) fn has_displacements(&self) -> bool {
        self.chunks.iter().any(|chunk| chunk.displacements.is_some() && !chunk.is_empty())
    }

    /// Whether the rows have ids.
    pub(crate) fn has_ids(&self) -> bool {
        self.chunks.iter().any(|chunk| chunk.ids.is_some() && !chunk.is_empty())
    }

    /// Whether ids are returned by a function of the caller, which may panic.
    pub(crate) fn has_id_functions(&self) -> bool {
        self.chunks.iter().any(|chunk| matches!(chunk.ids, Some(Ids::By(_))))
    }

    /// Copies the ids of all rows.
    pub(crate) fn copy_ids(&self, ids: &mut Vec<u64>) {
        ids.clear();
        for chunk in self.chunks {
            match chunk.ids {
                Some(Ids::Column(column)) => ids.extend_from_slice(column),
                Some(Ids::By(id_of_row)) => ids.extend((0..chunk.len()).map(id_of_row)),
                None => {}
            }
        }
    }

    /// Whether the rows of a range have these ids.
    pub(crate) fn ids_equal(&self, rows: Range<usize>, mut ids: &[u64]) -> bool {
        self.parts(rows).all(|ChunkPart { chunk, rows }| {
            let (expected, rest) = ids.split_at(rows.len());
            ids = rest;
            match chunk.ids {
                Some(Ids::Column(column)) => column[rows] == *expected,
                Some(Ids::By(id_of_row)) => rows.map(id_of_row).eq(expected.iter().copied()),
                None => rows.is_empty(),
            }
        })
    }

    /// Copies the filters of all rows; leaves `filters` empty if no chunk has any.
    pub(crate) fn copy_filters(&self, filters: &mut Vec<Filter>) {
        filters.clear();
        if !self.has_filters() {
            return;
        }
        if filters.capacity() < self.len() {
            // An eighth to spare, as in all large buffers, instead of doubling.
            filters.reserve_exact(self.len() + self.len() / 8);
        }
        for (chunk, end) in self.chunks.iter().zip(&self.starts[1..]) {
            match chunk.filters {
                Some(column) => filters.extend_from_slice(column),
                None => filters.resize(*end, Filter::ALL),
            }
        }
    }

    /// Whether any row may have a filter.
    pub(crate) fn has_filters(&self) -> bool {
        !self.chunks.iter().all(|chunk| chunk.filters.unwrap_or_default().is_empty())
    }

    /// The filter of a row.
    pub(crate) fn filter(&self, row: u32) -> Filter {
        let (chunk, at) = self.chunk_of(row as usize);
        self.chunks[chunk].filters.map_or(Filter::ALL, |filters| filters[at])
    }

    /// Loads what is read of a row.
    #[inline(always)]
    pub(crate) fn prefetch(&self, row: u32) {
        let (chunk, at) = self.chunk_of(row as usize);
        let Bodies { boxes, filters, .. } = self.chunks[chunk];
        match boxes {
            BoxColumns::Centers { centers, half_extents } => {
                prefetch(&centers[at..=at]);
                prefetch(&half_extents[at..=at]);
            }
            BoxColumns::Uniform { centers, .. } => prefetch(&centers[at..=at]),
            BoxColumns::Aabbs(aabbs) => prefetch(&aabbs[at..=at]),
        }
        if let Some(filters) = filters {
            prefetch(&filters[at..=at]);
        }
    }

    /// The id of a row; the row itself if there are no ids.
    pub(crate) fn id(&self, row: u32) -> u64 {
        let (chunk, at) = self.chunk_of(row as usize);
        match self.chunks[chunk].ids {
            Some(Ids::Column(column)) => column[at],
            Some(Ids::By(id_of_row)) => id_of_row(at),
            None => u64::from(row),
        }
    }

    /// The chunk of a row, and the row within it.
    fn chunk_of(&self, row: usize) -> (usize, usize) {
        let k = self.starts[1..].partition_point(|&end| end <= row);
        (k, row - self.starts[k])
    }

    /// Whether any row may be marked as asleep.
    pub(crate) fn has_asleep(&self) -> bool {
        self.chunks.iter().any(|chunk| !chunk.asleep.unwrap_or_default().is_empty())
    }

    /// Number of rows marked as asleep.
    pub(crate) fn asleep_count(&self) -> usize {
        // Runs short enough to be counted in bytes, so that the loop vectorizes.
        let count_run = |run: &[bool]| usize::from(run.iter().map(|&asleep| u8::from(asleep)).sum::<u8>());
        let count = |column: &[bool]| column.chunks(u8::MAX.into()).map(count_run).sum::<usize>();
        self.chunks.iter().filter_map(|chunk| chunk.asleep).map(count).sum()
    }

    /// Writes which rows of a range are marked as asleep.
    #[inline(always)]
    pub(crate) fn read_asleep(&self, rows: Range<usize>, mut asleep: &mut [bool]) {
        for ChunkPart { chunk, rows } in self.parts(rows) {
            let (part, rest) = asleep.split_at_mut(rows.len());
            asleep = rest;
            match chunk.asleep {
                Some(column) => part.copy_from_slice(&column[rows]),
                None => part.fill(false),
            }
        }
    }

    /// The part of each chunk in `rows`.
    fn parts(&self, rows: Range<usize>) -> impl Iterator<Item = ChunkPart<'i, 'a>> {
        let first = self.starts[1..].partition_point(|&end| end <= rows.start);
        let last = self.starts[first..self.chunks.len()].partition_point(|&from| from < rows.end) + first;
        self.chunks[first..last].iter().zip(&self.starts[first..last]).map(move |(chunk, &from)| ChunkPart {
            chunk,
            rows: rows.start.max(from) - from..rows.end.min(from + chunk.len()) - from,
        })
    }
}

impl BoxSource for Chunks<'_, '_> {
    fn len(&self) -> usize {
        self.starts[self.chunks.len()]
    }

    fn check(&self, row: usize) -> Result<RawAabb, InvalidRow> {
        let (k, in_chunk) = self.chunk_of(row);
        check_body(&self.chunks[k], in_chunk, row as u32)
            .map_err(|error| if self.chunks.len() > 1 { error.in_chunk(k, in_chunk) } else { error })
    }

    #[inline(always)]
    fn read(&self, rows: Range<usize>, mut boxes: &mut [RawAabb]) -> bool {
        let mut valid = true;
        for ChunkPart { chunk, rows } in self.parts(rows) {
            let (part, rest) = boxes.split_at_mut(rows.len());
            boxes = rest;
            valid &= read_bodies(chunk, rows, part);
        }
        valid
    }
}

/// Computes the boxes of some rows of a chunk, with one loop for each form of input and no branch
/// per row.
#[inline(always)]
fn read_bodies(chunk: &Bodies<'_>, rows: Range<usize>, boxes: &mut [RawAabb]) -> bool {
    let mut valid = true;
    match chunk.boxes {
        BoxColumns::Centers { centers, half_extents } => {
            let columns = centers[rows.clone()].iter().zip(&half_extents[rows.clone()]);
            for (slot, (&center, &half)) in boxes.iter_mut().zip(columns) {
                *slot = box_around(center, half);
                valid &= is_finite(slot) & (half[0] >= 0.0) & (half[1] >= 0.0);
            }
        }
        BoxColumns::Uniform { centers, half_extents: half } => {
            for (slot, &center) in boxes.iter_mut().zip(&centers[rows.clone()]) {
                *slot = box_around(center, half);
                valid &= is_finite(slot);
            }
            valid &= half[0] >= 0.0 && half[1] >= 0.0;
        }
        BoxColumns::Aabbs(aabbs) => valid &= read_boxes(&aabbs[rows.clone()], boxes),
    }
    match chunk.displacements {
        Some(displacements) => valid & extend_by_motion(chunk, &displacements[rows.clone()], rows, boxes),
        None => valid,
    }
}

/// Extends boxes to cover the motion of their bodies.
#[inline(always)]
fn extend_by_motion(chunk: &Bodies<'_>, displacements: &[[f32; 2]], rows: Range<usize>, boxes: &mut [RawAabb]) -> bool {
    let mut valid = true;
    match chunk.boxes {
        // The far box is computed from the far center: translating the near box would round
        // differently.
        BoxColumns::Centers { centers, half_extents } => {
            let columns = centers[rows.clone()].iter().zip(&half_extents[rows]);
            for ((slot, (&center, &half)), &by) in boxes.iter_mut().zip(columns).zip(displacements) {
                *slot = union(*slot, box_around(add(center, by), half));
                valid &= is_finite(slot) & both_finite(by);
            }
        }
        BoxColumns::Uniform { centers, half_extents: half } => {
            for ((slot, &center), &by) in boxes.iter_mut().zip(&centers[rows]).zip(displacements) {
                *slot = union(*slot, box_around(add(center, by), half));
                valid &= is_finite(slot) & both_finite(by);
            }
        }
        BoxColumns::Aabbs(_) => {
            for (slot, &by) in boxes.iter_mut().zip(displacements) {
                *slot = union(*slot, translated(*slot, by));
                valid &= is_finite(slot) & both_finite(by);
            }
        }
    }
    valid
}

/// Computes the box of one body, or names its first invalid value.
fn check_body(chunk: &Bodies<'_>, at: usize, row: u32) -> Result<RawAabb, InvalidRow> {
    let displacement = chunk.displacements.map(|displacements| displacements[at]);
    match chunk.boxes {
        BoxColumns::Centers { centers, half_extents } => check_center(row, centers[at], half_extents[at], displacement),
        BoxColumns::Uniform { centers, half_extents } => check_center(row, centers[at], half_extents, displacement),
        BoxColumns::Aabbs(aabbs) => {
            check_box(row, &aabbs[at])?;
            check_axes(row, Column::Displacement, displacement.unwrap_or_default(), f32::is_finite)?;
            Ok(displacement.map_or(aabbs[at], |by| union(aabbs[at], translated(aabbs[at], by))))
        }
    }
}

fn check_center(
    row: u32,
    center: [f32; 2],
    half: [f32; 2],
    displacement: Option<[f32; 2]>,
) -> Result<RawAabb, InvalidRow> {
    check_axes(row, Column::Center, center, f32::is_finite)?;
    check_axes(row, Column::HalfExtent, half, |v| v.is_finite() && v >= 0.0)?;
    check_axes(row, Column::Displacement, displacement.unwrap_or_default(), f32::is_finite)?;
    let aabb = box_around(center, half);
    // The far center may round to infinity, and so may an edge; half-extents are finite, so no edge
    // is NaN.
    Ok(displacement.map_or(aabb, |by| union(aabb, box_around(add(center, by), half))))
}

/// Names the first axis whose value is invalid.
fn check_axes(row: u32, column: Column, values: [f32; 2], is_valid: impl Fn(f32) -> bool) -> Result<(), InvalidRow> {
    match (0..2).find(|&axis| !is_valid(values[axis])) {
        Some(axis) => Err(InvalidRow::new(row, column, axis, values[axis])),
        None => Ok(()),
    }
}

#[inline(always)]
fn both_finite(v: [f32; 2]) -> bool {
    v[0].is_finite() & v[1].is_finite()
}

#[inline(always)]
fn box_around(center: [f32; 2], half: [f32; 2]) -> RawAabb {
    [center[0] - half[0], center[1] - half[1], center[0] + half[0], center[1] + half[1]]
}

#[inline(always)]
fn add(a: [f32; 2], b: [f32; 2]) -> [f32; 2] {
    [a[0] + b[0], a[1] + b[1]]
}

#[inline(always)]
fn translated(aabb: RawAabb, by: [f32; 2]) -> RawAabb {
    [aabb[0] + by[0], aabb[1] + by[1], aabb[2] + by[0], aabb[3] + by[1]]
}

/// The union of two boxes without NaN, by comparisons that vectorize.
#[inline(always)]
fn union(a: RawAabb, b: RawAabb) -> RawAabb {
    let low = |a: f32, b: f32| if a < b { a } else { b };
    let high = |a: f32, b: f32| if a > b { a } else { b };
    [low(a[0], b[0]), low(a[1], b[1]), high(a[2], b[2]), high(a[3], b[3])]
}
