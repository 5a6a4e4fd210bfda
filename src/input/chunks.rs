//! The caller's chunks as one run of rows.

use crate::error::{Column, Error, InvalidRow};
use crate::frame::frame::Index;
use crate::geometry::RawAabb;
use crate::input::bodies::{Bodies, Shape, check_box};
use crate::input::filter::Filter;
use crate::input::rows::{ROWS_MAX, Rows, finite, read_boxes};
use std::ops::Range;

/// Chunks, and the row that each begins at. Lengths have been checked.
pub(crate) struct Input<'i, 'a> {
    chunks: &'i [Bodies<'a>],
    /// One more than chunks: the last is the number of rows.
    starts: &'i [usize],
}

impl<'i, 'a> Input<'i, 'a> {
    /// Checks what can be checked without reading a row. `starts` is a buffer.
    pub(crate) fn new(chunks: &'i [Bodies<'a>], starts: &'i mut Vec<usize>) -> Result<Self, Error> {
        starts.clear();
        let mut len = 0usize;
        let mut with_ids = None;
        for (k, chunk) in chunks.iter().enumerate() {
            chunk.check_lengths(k)?;
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
    pub(crate) fn moves(&self) -> bool {
        self.chunks.iter().any(|chunk| chunk.displacements.is_some() && !chunk.is_empty())
    }

    /// Copies the id column.
    pub(crate) fn copy_ids(&self, ids: &mut Vec<u64>) {
        ids.clear();
        self.chunks.iter().filter_map(|chunk| chunk.ids).for_each(|column| ids.extend_from_slice(column));
    }

    /// Whether the rows of a range have these ids.
    pub(crate) fn has_ids(&self, rows: Range<usize>, mut ids: &[u64]) -> bool {
        self.parts(rows).all(|(_, part, chunk)| {
            let (these, rest) = ids.split_at(part.len());
            ids = rest;
            part.is_empty() || chunk.ids.is_some_and(|column| column[part] == *these)
        })
    }

    /// The copy of the id column in an index, if there is such a column.
    pub(crate) fn ids_of<'x>(&self, index: &'x Index) -> Option<&'x [u64]> {
        self.chunks.iter().any(|chunk| !chunk.is_empty() && chunk.ids.is_some()).then_some(&index.ids)
    }

    /// Copies the filter columns, with [`Filter::ALL`] for the rows of chunks that have none; leaves nothing where no chunk
    /// has one.
    pub(crate) fn copy_filters(&self, filters: &mut Vec<Filter>) {
        filters.clear();
        if self.chunks.iter().all(|chunk| chunk.filters.unwrap_or_default().is_empty()) {
            return;
        }
        if filters.capacity() < self.len() {
            // As for all large buffers, an eighth to spare and not twice what is needed.
            filters.reserve_exact(self.len() + self.len() / 8);
        }
        for (chunk, end) in self.chunks.iter().zip(&self.starts[1..]) {
            match chunk.filters {
                Some(column) => filters.extend_from_slice(column),
                None => filters.resize(*end, Filter::ALL),
            }
        }
    }

    /// Whether any row may be asleep.
    pub(crate) fn has_asleep(&self) -> bool {
        self.chunks.iter().any(|chunk| !chunk.asleep.unwrap_or_default().is_empty())
    }

    /// How many rows say that they are asleep.
    pub(crate) fn asleep_count(&self) -> usize {
        // As many as a byte can count, so that vectors of bytes do.
        let part = |part: &[bool]| usize::from(part.iter().map(|&asleep| u8::from(asleep)).sum::<u8>());
        let count = |column: &[bool]| column.chunks(u8::MAX.into()).map(part).sum::<usize>();
        self.chunks.iter().filter_map(|chunk| chunk.asleep).map(count).sum()
    }

    /// Writes which rows of a range say that they are asleep.
    #[inline(always)]
    pub(crate) fn read_asleep(&self, rows: Range<usize>, mut asleep: &mut [bool]) {
        for (_, part, chunk) in self.parts(rows) {
            let (now, rest) = asleep.split_at_mut(part.len());
            asleep = rest;
            match chunk.asleep {
                Some(column) => now.copy_from_slice(&column[part]),
                None => now.fill(false),
            }
        }
    }

    /// The part of each chunk that lies in `rows`: its first row's number, and the range within the chunk.
    fn parts(&self, rows: Range<usize>) -> impl Iterator<Item = (usize, Range<usize>, &'i Bodies<'a>)> {
        let first = self.starts[1..].partition_point(|&end| end <= rows.start);
        let last = self.starts[first..self.chunks.len()].partition_point(|&from| from < rows.end) + first;
        self.chunks[first..last].iter().zip(&self.starts[first..last]).map(move |(chunk, &from)| {
            (from, rows.start.max(from) - from..rows.end.min(from + chunk.len()) - from, chunk)
        })
    }
}

impl Rows for Input<'_, '_> {
    fn len(&self) -> usize {
        self.starts[self.chunks.len()]
    }

    fn check(&self, row: usize) -> Result<RawAabb, InvalidRow> {
        // Rows are numbered through, so there is a chunk for each.
        let k = self.starts[1..].partition_point(|&end| end <= row);
        let (chunk, at) = (&self.chunks[k], row - self.starts[k]);
        let displacement = chunk.displacements.map(|displacements| displacements[at]);
        if let Shape::Aabbs(aabbs) = chunk.shape {
            check_box(row as u32, &aabbs[at])?;
        }
        let checked = match chunk.shape {
            Shape::Centers { centers, half_extents } => centered(centers[at], half_extents[at], displacement),
            Shape::Uniform { centers, half_extents } => centered(centers[at], half_extents, displacement),
            Shape::Aabbs(aabbs) => boxed(aabbs[at], displacement),
        };
        checked.map_err(|(column, values, rule)| culprit(row as u32, column, values, rule))
    }

    #[inline(always)]
    fn read(&self, rows: Range<usize>, mut boxes: &mut [RawAabb]) -> bool {
        let mut good = true;
        for (_, part, chunk) in self.parts(rows) {
            let (now, rest) = boxes.split_at_mut(part.len());
            boxes = rest;
            good &= read_part(chunk, part, now);
        }
        good
    }
}

/// Computes the boxes of a part of a chunk, without a branch per row: a loop of its own for each form.
#[inline(always)]
fn read_part(chunk: &Bodies<'_>, part: Range<usize>, boxes: &mut [RawAabb]) -> bool {
    let mut good = true;
    match chunk.shape {
        Shape::Centers { centers, half_extents } => {
            for ((slot, &center), &half) in
                boxes.iter_mut().zip(&centers[part.clone()]).zip(&half_extents[part.clone()])
            {
                *slot = around(center, half);
                good &= finite(slot) & (half[0] >= 0.0) & (half[1] >= 0.0);
            }
        }
        Shape::Uniform { centers, half_extents: half } => {
            for (slot, &center) in boxes.iter_mut().zip(&centers[part.clone()]) {
                *slot = around(center, half);
                good &= finite(slot);
            }
            good &= half[0] >= 0.0 && half[1] >= 0.0;
        }
        Shape::Aabbs(aabbs) => {
            good &= read_boxes(&aabbs[part.clone()], boxes);
        }
    }
    if let Some(displacements) = chunk.displacements {
        let displacements = &displacements[part.clone()];
        match chunk.shape {
            // The far box is computed from the far centre, which is not the near box moved: rounding differs.
            Shape::Centers { centers, half_extents } => {
                let rows = centers[part.clone()].iter().zip(&half_extents[part]);
                for ((slot, (&center, &half)), &by) in boxes.iter_mut().zip(rows).zip(displacements) {
                    *slot = union(*slot, around(moved(center, by), half));
                    good &= finite(slot) & all_finite(by);
                }
            }
            Shape::Uniform { centers, half_extents: half } => {
                for ((slot, &center), &by) in boxes.iter_mut().zip(&centers[part]).zip(displacements) {
                    *slot = union(*slot, around(moved(center, by), half));
                    good &= finite(slot) & all_finite(by);
                }
            }
            Shape::Aabbs(_) => {
                for (slot, &by) in boxes.iter_mut().zip(displacements) {
                    *slot = union(*slot, shifted(*slot, by));
                    good &= finite(slot) & all_finite(by);
                }
            }
        }
    }
    good
}

/// What a value has to be.
#[derive(Clone, Copy)]
enum Rule {
    Finite,
    FiniteNotNegative,
}

type Checked = Result<RawAabb, (Column, [f32; 2], Rule)>;

#[inline(always)]
fn all_finite(v: [f32; 2]) -> bool {
    v[0].is_finite() & v[1].is_finite()
}

#[inline(always)]
fn around(center: [f32; 2], half: [f32; 2]) -> RawAabb {
    [center[0] - half[0], center[1] - half[1], center[0] + half[0], center[1] + half[1]]
}

#[inline(always)]
fn moved(center: [f32; 2], by: [f32; 2]) -> [f32; 2] {
    [center[0] + by[0], center[1] + by[1]]
}

#[inline(always)]
fn shifted(aabb: RawAabb, by: [f32; 2]) -> RawAabb {
    [aabb[0] + by[0], aabb[1] + by[1], aabb[2] + by[0], aabb[3] + by[1]]
}

fn centered(center: [f32; 2], half: [f32; 2], displacement: Option<[f32; 2]>) -> Checked {
    if !all_finite(center) {
        return Err((Column::Center, center, Rule::Finite));
    }
    if !(all_finite(half) && half[0] >= 0.0 && half[1] >= 0.0) {
        return Err((Column::HalfExtent, half, Rule::FiniteNotNegative));
    }
    let here = around(center, half);
    match displacement {
        None => Ok(here),
        Some(by) if !all_finite(by) => Err((Column::Displacement, by, Rule::Finite)),
        // The far centre may round to infinity, and then so does an edge; half-extents are finite: no NaN.
        Some(by) => Ok(union(here, around(moved(center, by), half))),
    }
}

/// Of a box that was checked.
fn boxed(aabb: RawAabb, displacement: Option<[f32; 2]>) -> Checked {
    match displacement {
        None => Ok(aabb),
        Some(by) if !all_finite(by) => Err((Column::Displacement, by, Rule::Finite)),
        Some(by) => Ok(union(aabb, shifted(aabb, by))),
    }
}

#[inline(always)]
fn union(a: RawAabb, b: RawAabb) -> RawAabb {
    let (low, high) = (|a: f32, b: f32| if a < b { a } else { b }, |a: f32, b: f32| if a > b { a } else { b });
    [low(a[0], b[0]), low(a[1], b[1]), high(a[2], b[2]), high(a[3], b[3])]
}

/// The first axis that breaks the rule.
#[cold]
#[inline(never)]
fn culprit(row: u32, column: Column, values: [f32; 2], rule: Rule) -> InvalidRow {
    let breaks = |axis: &usize| {
        let value = values[*axis];
        let below = match rule {
            Rule::Finite => f32::NEG_INFINITY,
            Rule::FiniteNotNegative => 0.0,
        };
        !value.is_finite() || value < below
    };
    let axis = [0, 1].into_iter().find(breaks).unwrap_or(0);
    InvalidRow::new(row, column, axis, values[axis])
}
