//! Several sets of columns, read as one run of rows.

use crate::error::{Error, InvalidRow};
use crate::geometry::RawAabb;
use crate::input::bodies::{Bodies, BoxColumns, Ids};
use crate::input::body_boxes::{check_body, read_bodies, read_listed};
use crate::input::filter::Filter;
use crate::input::rows::{BoxSource, ROWS_MAX};
use crate::input::strided::StridedColumn;
use crate::parallel;
use std::ops::Range;

/// Rows whose ids a task copies: enough that to start a task costs little beside it.
const COPIED_ROWS: usize = 4096;

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

/// The rows of a list that are in one chunk.
struct ListedPart<'i, 'a> {
    chunk: &'i Bodies<'a>,
    /// The first row of the chunk.
    first: usize,
    /// Where the rows are in the list.
    places: Range<usize>,
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

    /// Copies the ids of all rows; leaves `ids` empty if the rows have none.
    pub(crate) fn copy_ids(&self, ids: &mut Vec<u64>, parallel: bool) {
        if !self.has_ids() {
            ids.clear();
            return;
        }
        reserve_rows(ids, self.len());
        ids.resize(self.len(), 0);
        parallel::for_each_chunk(parallel, ids, COPIED_ROWS, |k, ids| {
            let from = k * COPIED_ROWS;
            self.read_ids(from..from + ids.len(), ids);
        });
    }

    /// Writes the ids of a range of rows, which have ids.
    fn read_ids(&self, rows: Range<usize>, mut ids: &mut [u64]) {
        for ChunkPart { chunk, rows } in self.parts(rows) {
            let (part, rest) = ids.split_at_mut(rows.len());
            ids = rest;
            match chunk.ids {
                Some(Ids::Column(column)) => column.copy_rows(rows, part),
                Some(Ids::By(id_of_row)) => part.iter_mut().zip(rows).for_each(|(id, row)| *id = id_of_row(row)),
                None => debug_assert!(rows.is_empty(), "all rows have ids or none has"),
            }
        }
    }

    /// Whether the rows of a range have these ids.
    pub(crate) fn ids_equal(&self, rows: Range<usize>, mut ids: &[u64]) -> bool {
        self.parts(rows).all(|ChunkPart { chunk, rows }| {
            let (expected, rest) = ids.split_at(rows.len());
            ids = rest;
            match chunk.ids {
                Some(Ids::Column(column)) => column.rows_equal(rows, expected),
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
        reserve_rows(filters, self.len());
        for (chunk, end) in self.chunks.iter().zip(&self.starts[1..]) {
            match chunk.filters {
                Some(column) => column.append_to(filters),
                None => filters.resize(*end, Filter::ALL),
            }
        }
    }

    /// Whether any row may have a filter.
    pub(crate) fn has_filters(&self) -> bool {
        self.chunks.iter().any(|chunk| chunk.filters.is_some_and(|column| !column.is_empty()))
    }

    /// The filter of a row.
    #[cfg(debug_assertions)]
    pub(crate) fn filter(&self, row: u32) -> Filter {
        let (chunk, at) = self.chunk_of(row as usize);
        self.chunks[chunk].filters.map_or(Filter::ALL, |filters| filters.at(at))
    }

    /// Reads the boxes of an ascending list of rows, and returns whether all are certainly valid.
    /// If not, [`checked_box`](BoxSource::checked_box) decides about each row.
    pub(crate) fn read_listed(&self, rows: &[u32], boxes: &mut [RawAabb]) -> bool {
        let mut valid = true;
        for ListedPart { chunk, first, places } in self.listed_parts(rows) {
            valid &= read_listed(chunk, &rows[places.clone()], first, &mut boxes[places]);
        }
        valid
    }

    /// For each row of an ascending list that may have a filter, calls `write` with its place in
    /// the list and the filter.
    pub(crate) fn read_listed_filters(&self, rows: &[u32], mut write: impl FnMut(usize, Filter)) {
        for ListedPart { chunk, first, places } in self.listed_parts(rows) {
            if let Some(filters) = chunk.filters {
                places.for_each(|k| write(k, filters.at(rows[k] as usize - first)));
            }
        }
    }

    /// For each row of an ascending list that has an id, calls `write` with its place in the list
    /// and the id.
    pub(crate) fn read_listed_ids(&self, rows: &[u32], mut write: impl FnMut(usize, u64)) {
        for ListedPart { chunk, first, places } in self.listed_parts(rows) {
            if let Some(ids) = chunk.ids {
                places.for_each(|k| write(k, ids.at(rows[k] as usize - first)));
            }
        }
    }

    /// The parts of an ascending list of rows, one for each chunk that has any of them.
    fn listed_parts(&self, rows: &[u32]) -> impl Iterator<Item = ListedPart<'i, 'a>> {
        let mut next = 0;
        std::iter::from_fn(move || {
            let (k, _) = self.chunk_of(*rows.get(next)? as usize);
            let len = rows[next..].partition_point(|&row| (row as usize) < self.starts[k + 1]);
            let places = next..next + len;
            next = places.end;
            Some(ListedPart { chunk: &self.chunks[k], first: self.starts[k], places })
        })
    }

    /// Loads what is read of a row.
    #[inline(always)]
    pub(crate) fn prefetch(&self, row: u32) {
        let (chunk, at) = self.chunk_of(row as usize);
        let Bodies { boxes, filters, .. } = self.chunks[chunk];
        match boxes {
            BoxColumns::Centers { centers, half_extents } => {
                centers.prefetch(at);
                half_extents.prefetch(at);
            }
            BoxColumns::Uniform { centers, .. } => centers.prefetch(at),
            BoxColumns::Aabbs(aabbs) => aabbs.prefetch(at),
        }
        if let Some(filters) = filters {
            filters.prefetch(at);
        }
    }

    /// The id of a row; the row itself if there are no ids.
    #[cfg(debug_assertions)]
    pub(crate) fn id(&self, row: u32) -> u64 {
        let (chunk, at) = self.chunk_of(row as usize);
        self.chunks[chunk].ids.map_or(u64::from(row), |ids| ids.at(at))
    }

    /// The chunk of a row, and the row within it.
    fn chunk_of(&self, row: usize) -> (usize, usize) {
        let k = self.starts[1..].partition_point(|&end| end <= row);
        (k, row - self.starts[k])
    }

    /// Whether any row may be marked as asleep.
    pub(crate) fn has_asleep(&self) -> bool {
        self.chunks.iter().any(|chunk| chunk.asleep.is_some_and(|column| !column.is_empty()))
    }

    /// Number of rows marked as asleep.
    pub(crate) fn asleep_count(&self) -> usize {
        // Runs short enough to be counted in bytes, so that the loop vectorizes.
        let count_run = |run: &[u8]| usize::from(run.iter().map(|&flag| u8::from(flag != 0)).sum::<u8>());
        let count = |column: StridedColumn<'_, u8>| match column.contiguous() {
            Some(column) => column.chunks(u8::MAX.into()).map(count_run).sum::<usize>(),
            None => (0..column.len()).filter(|&row| column.at(row) != 0).count(),
        };
        self.chunks.iter().filter_map(|chunk| chunk.asleep).map(count).sum()
    }

    /// Writes which rows of a range are marked as asleep.
    #[inline(always)]
    pub(crate) fn read_asleep(&self, rows: Range<usize>, mut asleep: &mut [bool]) {
        for ChunkPart { chunk, rows } in self.parts(rows) {
            let (part, rest) = asleep.split_at_mut(rows.len());
            asleep = rest;
            match chunk.asleep {
                Some(column) => match column.contiguous() {
                    Some(column) => part.iter_mut().zip(&column[rows]).for_each(|(slot, &flag)| *slot = flag != 0),
                    None => part.iter_mut().zip(rows).for_each(|(slot, row)| *slot = column.at(row) != 0),
                },
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

/// Makes room for `len` rows. The contents may be lost.
fn reserve_rows<T>(column: &mut Vec<T>, len: usize) {
    if column.capacity() < len {
        // The contents are not copied to the new memory.
        column.clear();
        // As `memory::buffers::with_spare`, which this folder does not import.
        column.reserve_exact(len + len / 16);
    }
}

impl BoxSource for Chunks<'_, '_> {
    fn len(&self) -> usize {
        self.starts[self.chunks.len()]
    }

    fn checked_box(&self, row: usize) -> Result<RawAabb, InvalidRow> {
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
