//! The caller's chunks as one run of rows.

use crate::bodies::{Bodies, Shape};
use crate::error::{BadRow, Column, Error};
use crate::geometry::RawBox;
use crate::storage::record::Record;
use crate::tier::point_grid::rows::Rows;
use std::ops::Range;

/// Rows that can be numbered: one number is kept for "none".
const ROWS_MAX: usize = u32::MAX as usize - 1;

/// Chunks, and the row that each begins at. Lengths have been checked.
pub(super) struct Input<'i, 'a> {
    chunks: &'i [Bodies<'a>],
    /// One more than chunks: the last is the number of rows.
    starts: &'i [usize],
}

impl<'i, 'a> Input<'i, 'a> {
    /// Checks what can be checked without reading a row. `starts` is a buffer.
    pub(super) fn new(chunks: &'i [Bodies<'a>], starts: &'i mut Vec<usize>) -> Result<Self, Error> {
        starts.clear();
        let mut len = 0usize;
        let mut with_ids = None;
        for (k, chunk) in chunks.iter().enumerate() {
            chunk.check_lengths(k)?;
            starts.push(len);
            len = len.saturating_add(chunk.len());
            if !chunk.is_empty() && *with_ids.get_or_insert(chunk.ids.is_some()) != chunk.ids.is_some() {
                return Err(Error::MixedIds { chunk: k });
            }
        }
        starts.push(len);
        if len > ROWS_MAX {
            return Err(Error::TooManyRows { rows: len, rows_max: ROWS_MAX });
        }
        Ok(Self { chunks, starts })
    }

    /// Copies the id column.
    pub(super) fn copy_ids(&self, ids: &mut Vec<u64>) {
        ids.clear();
        self.chunks.iter().filter_map(|chunk| chunk.ids).for_each(|column| ids.extend_from_slice(column));
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

    fn get(&self, row: usize) -> Option<RawBox> {
        let (from, part, chunk) = self.parts(row..row + 1).next()?;
        let mut found = None;
        visit(chunk, from, part, &mut |record: Record| found = Some(record.aabb), &mut |_| ());
        found
    }

    #[inline(always)]
    fn for_each(&self, rows: Range<usize>, mut good: impl FnMut(Record), mut bad: impl FnMut(BadRow)) {
        for (from, part, chunk) in self.parts(rows) {
            visit(chunk, from, part, &mut good, &mut bad);
        }
    }
}

/// Computes and checks the boxes of a part of a chunk: a loop of its own for each form.
#[inline(always)]
fn visit(
    chunk: &Bodies<'_>,
    from: usize,
    part: Range<usize>,
    good: &mut impl FnMut(Record),
    bad: &mut impl FnMut(BadRow),
) {
    let mut hand_on = |at: usize, result: Checked| {
        let row = (from + at) as u32;
        match result {
            Ok(aabb) => good(Record { aabb, row }),
            Err((column, values, rule)) => bad(culprit(row, column, values, rule)),
        }
    };
    match (chunk.shape, chunk.displacements) {
        (Shape::Centers { centers, half_extents }, None) => {
            let (centers, half_extents) = (&centers[part.clone()], &half_extents[part.clone()]);
            for (k, (&center, &half)) in centers.iter().zip(half_extents).enumerate() {
                hand_on(part.start + k, centered(center, half));
            }
        }
        (Shape::Centers { centers, half_extents }, Some(displacements)) => {
            for at in part {
                hand_on(at, swept(centers[at], half_extents[at], displacements[at]));
            }
        }
        (Shape::Uniform { centers, half_extents }, None) => {
            for at in part {
                hand_on(at, centered(centers[at], half_extents));
            }
        }
        (Shape::Uniform { centers, half_extents }, Some(displacements)) => {
            for at in part {
                hand_on(at, swept(centers[at], half_extents, displacements[at]));
            }
        }
        (Shape::Aabbs(aabbs), None) => {
            for at in part {
                hand_on(at, boxed(aabbs[at]));
            }
        }
        (Shape::Aabbs(aabbs), Some(displacements)) => {
            for at in part {
                hand_on(at, boxed_swept(aabbs[at], displacements[at]));
            }
        }
    }
}

/// What a value has to be.
#[derive(Clone, Copy)]
enum Rule {
    Finite,
    FiniteNotNegative,
    FiniteNotBelow([f32; 2]),
}

type Checked = Result<RawBox, (Column, [f32; 2], Rule)>;

#[inline(always)]
fn all_finite(v: [f32; 2]) -> bool {
    // One comparison for both: NaN and infinity survive the sum of magnitudes. So may two huge numbers, which is why
    // the precise check has the last word.
    (v[0].abs() + v[1].abs()) < f32::INFINITY || (v[0].is_finite() && v[1].is_finite())
}

#[inline(always)]
fn centered(center: [f32; 2], half: [f32; 2]) -> Checked {
    if !all_finite(center) {
        return Err((Column::Center, center, Rule::Finite));
    }
    if !(all_finite(half) && half[0] >= 0.0 && half[1] >= 0.0) {
        return Err((Column::HalfExtent, half, Rule::FiniteNotNegative));
    }
    Ok(around(center, half))
}

#[inline(always)]
fn around(center: [f32; 2], half: [f32; 2]) -> RawBox {
    [center[0] - half[0], center[1] - half[1], center[0] + half[0], center[1] + half[1]]
}

#[inline(always)]
fn swept(center: [f32; 2], half: [f32; 2], displacement: [f32; 2]) -> Checked {
    let here = centered(center, half)?;
    if !all_finite(displacement) {
        return Err((Column::Displacement, displacement, Rule::Finite));
    }
    // The far centre may round to infinity, and then so does an edge; half-extents are finite: no NaN.
    Ok(union(here, around([center[0] + displacement[0], center[1] + displacement[1]], half)))
}

#[inline(always)]
fn boxed(aabb: RawBox) -> Checked {
    let [min_x, min_y, max_x, max_y] = aabb;
    if !all_finite([min_x, min_y]) {
        return Err((Column::Min, [min_x, min_y], Rule::Finite));
    }
    if !(all_finite([max_x, max_y]) && min_x <= max_x && min_y <= max_y) {
        return Err((Column::Max, [max_x, max_y], Rule::FiniteNotBelow([min_x, min_y])));
    }
    Ok(aabb)
}

#[inline(always)]
fn boxed_swept(aabb: RawBox, displacement: [f32; 2]) -> Checked {
    let here = boxed(aabb)?;
    if !all_finite(displacement) {
        return Err((Column::Displacement, displacement, Rule::Finite));
    }
    let [x, y] = displacement;
    Ok(union(here, [aabb[0] + x, aabb[1] + y, aabb[2] + x, aabb[3] + y]))
}

#[inline(always)]
fn union(a: RawBox, b: RawBox) -> RawBox {
    [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])]
}

/// The first axis that breaks the rule.
#[cold]
#[inline(never)]
fn culprit(row: u32, column: Column, values: [f32; 2], rule: Rule) -> BadRow {
    let breaks = |axis: &usize| {
        let value = values[*axis];
        let below = match rule {
            Rule::Finite => f32::NEG_INFINITY,
            Rule::FiniteNotNegative => 0.0,
            Rule::FiniteNotBelow(min) => min[*axis],
        };
        !value.is_finite() || value < below
    };
    let axis = [0, 1].into_iter().find(breaks).unwrap_or(0);
    BadRow::new(row, column, axis, values[axis])
}
