//! The boxes of bodies, computed from the columns of a chunk.

use crate::error::{Column, InvalidRow};
use crate::geometry::RawAabb;
use crate::input::bodies::{Bodies, BoxColumns, check_box};
use crate::input::rows::{is_finite, read_boxes};
use crate::input::strided::StridedColumn;
use bytemuck::AnyBitPattern;
use std::ops::Range;

/// Rows that are gathered at a time: enough for the loops that read them, and few enough to stay in
/// the first cache.
const GATHERED_ROWS: usize = 64;

/// Boxes that are computed at once: enough for two of the longest vectors.
const GROUP: usize = 16;

/// Rows of a chunk, as slices of the same length.
struct BodyRows<'r> {
    boxes: BoxColumns<&'r [[f32; 2]], &'r [RawAabb]>,
    displacements: Option<&'r [[f32; 2]]>,
}

/// Computes the boxes of some rows of a chunk.
#[inline(always)]
pub(super) fn read_bodies(chunk: &Bodies<'_>, rows: Range<usize>, boxes: &mut [RawAabb]) -> bool {
    match contiguous_rows(chunk, rows.clone()) {
        Some(rows) => read_rows(&rows, boxes),
        None => read_strided(chunk, rows, boxes),
    }
}

/// Some rows of a chunk, if all its columns are contiguous.
#[inline(always)]
fn contiguous_rows<'a>(chunk: &Bodies<'a>, rows: Range<usize>) -> Option<BodyRows<'a>> {
    let vectors = |column: StridedColumn<'a, [f32; 2]>| column.contiguous().map(|column| &column[rows.clone()]);
    let boxes = match chunk.boxes {
        BoxColumns::Centers { centers, half_extents } => {
            BoxColumns::Centers { centers: vectors(centers)?, half_extents: vectors(half_extents)? }
        }
        BoxColumns::Uniform { centers, half_extents } => {
            BoxColumns::Uniform { centers: vectors(centers)?, half_extents }
        }
        BoxColumns::Aabbs(aabbs) => BoxColumns::Aabbs(&aabbs.contiguous()?[rows.clone()]),
    };
    let displacements = match chunk.displacements {
        Some(column) => Some(vectors(column)?),
        None => None,
    };
    Some(BodyRows { boxes, displacements })
}

/// Computes boxes of a chunk with strided columns.
#[inline(never)]
fn read_strided(chunk: &Bodies<'_>, rows: Range<usize>, boxes: &mut [RawAabb]) -> bool {
    let mut valid = true;
    for (from, boxes) in rows.step_by(GATHERED_ROWS).zip(boxes.chunks_mut(GATHERED_ROWS)) {
        valid &= read_gathered(chunk, &(from..from + boxes.len()), boxes);
    }
    valid
}

/// Computes the boxes of some of the step's rows, all in a chunk that begins at row `first`, and
/// returns whether all are certainly valid.
#[inline(never)]
pub(super) fn read_listed(chunk: &Bodies<'_>, rows: &[u32], first: usize, boxes: &mut [RawAabb]) -> bool {
    let mut valid = true;
    for (rows, boxes) in rows.chunks(GATHERED_ROWS).zip(boxes.chunks_mut(GATHERED_ROWS)) {
        valid &= read_gathered(chunk, &ListedRows { rows, first }, boxes);
    }
    valid
}

/// Rows of a chunk that can be copied from each of its columns.
trait CopyRows {
    fn copy<T: AnyBitPattern>(&self, column: StridedColumn<'_, T>, to: &mut [T]);
}

impl CopyRows for Range<usize> {
    #[inline(always)]
    fn copy<T: AnyBitPattern>(&self, column: StridedColumn<'_, T>, to: &mut [T]) {
        column.copy_rows(self.clone(), to);
    }
}

/// Rows of a step in a chunk whose first row is `first`.
struct ListedRows<'r> {
    rows: &'r [u32],
    first: usize,
}

impl CopyRows for ListedRows<'_> {
    #[inline(always)]
    fn copy<T: AnyBitPattern>(&self, column: StridedColumn<'_, T>, to: &mut [T]) {
        column.copy_listed(self.rows.iter().map(|&row| row as usize - self.first), to);
    }
}

/// Gathers up to [`GATHERED_ROWS`] rows, which stay in the cache, and reads them as contiguous
/// ones.
#[inline(always)]
fn read_gathered(chunk: &Bodies<'_>, rows: &impl CopyRows, boxes: &mut [RawAabb]) -> bool {
    let (mut vectors, mut raw_boxes) = ([[[0.0; 2]; GATHERED_ROWS]; 3], [[0.0; 4]; GATHERED_ROWS]);
    let [centers, half_extents, displacements] = vectors.each_mut().map(|column| &mut column[..boxes.len()]);
    let gathered = BodyRows {
        boxes: match chunk.boxes {
            BoxColumns::Centers { centers: from_centers, half_extents: from_halves } => {
                rows.copy(from_centers, centers);
                rows.copy(from_halves, half_extents);
                BoxColumns::Centers { centers, half_extents }
            }
            BoxColumns::Uniform { centers: from_centers, half_extents } => {
                rows.copy(from_centers, centers);
                BoxColumns::Uniform { centers, half_extents }
            }
            BoxColumns::Aabbs(aabbs) => {
                let raw_boxes = &mut raw_boxes[..boxes.len()];
                rows.copy(aabbs, raw_boxes);
                BoxColumns::Aabbs(raw_boxes)
            }
        },
        displacements: chunk.displacements.map(|column| {
            rows.copy(column, displacements);
            &*displacements
        }),
    };
    read_rows(&gathered, boxes)
}

/// Computes the boxes of rows, with one loop for each form of input and no branch per row.
#[inline(always)]
fn read_rows(rows: &BodyRows<'_>, boxes: &mut [RawAabb]) -> bool {
    let valid = match rows.boxes {
        BoxColumns::Centers { centers, half_extents } => {
            let (groups, last) = half_extents.as_chunks();
            read_around(centers, groups.iter(), last, boxes)
        }
        BoxColumns::Uniform { centers, half_extents } => {
            let group = [half_extents; GROUP];
            read_around(centers, std::iter::repeat(&group), &group, boxes)
        }
        BoxColumns::Aabbs(aabbs) => read_boxes(aabbs, boxes),
    };
    match rows.displacements {
        Some(displacements) => valid & extend_by_motion(&rows.boxes, displacements, boxes),
        None => valid,
    }
}

/// Computes boxes around centers, a group at a time, and returns whether all are certainly valid.
/// `last_halves` are the half-extents of the boxes after the last whole group, or more.
#[inline(always)]
fn read_around<'h>(
    centers: &[[f32; 2]],
    half_groups: impl Iterator<Item = &'h [[f32; 2]; GROUP]>,
    last_halves: &[[f32; 2]],
    boxes: &mut [RawAabb],
) -> bool {
    let ((box_groups, last_boxes), (center_groups, last_centers)) = (boxes.as_chunks_mut(), centers.as_chunks());
    let mut valid = true;
    for (boxes, (centers, halves)) in box_groups.iter_mut().zip(center_groups.iter().zip(half_groups)) {
        valid &= read_group(centers, halves, boxes);
    }
    let len = last_boxes.len();
    if len > 0 {
        let ([mut centers, mut halves], mut boxes) = ([[[0.0; 2]; GROUP]; 2], [[0.0; 4]; GROUP]);
        centers[..len].copy_from_slice(last_centers);
        halves[..len].copy_from_slice(&last_halves[..len]);
        valid &= read_group(&centers, &halves, &mut boxes);
        last_boxes.copy_from_slice(&boxes[..len]);
    }
    valid
}

/// As [`read_around`], for one group.
///
/// The first loop is for all coordinates alike, in the order of memory, so that they fill vectors.
/// The second moves two of them at a time.
#[inline(always)]
fn read_group(centers: &[[f32; 2]; GROUP], halves: &[[f32; 2]; GROUP], boxes: &mut [RawAabb; GROUP]) -> bool {
    let [mut lows, mut highs] = [[[0.0f32; 2]; GROUP]; 2];
    let edges = lows.as_flattened_mut().iter_mut().zip(highs.as_flattened_mut());
    let mut valid = true;
    for ((low, high), (center, half)) in edges.zip(centers.as_flattened().iter().zip(halves.as_flattened())) {
        (*low, *high) = (center - half, center + half);
        // A value that is not finite makes an edge NaN or infinite.
        valid &= (*low >= f32::MIN) & (*high <= f32::MAX) & (*half >= 0.0);
    }
    for (slot, (low, high)) in boxes.iter_mut().zip(lows.iter().zip(&highs)) {
        let corners = [*low, *high].map(bytemuck::cast::<[f32; 2], u64>);
        *slot = bytemuck::cast(corners);
    }
    valid
}

/// Extends boxes to cover the motion of their bodies.
#[inline(always)]
fn extend_by_motion(
    rows: &BoxColumns<&[[f32; 2]], &[RawAabb]>,
    displacements: &[[f32; 2]],
    boxes: &mut [RawAabb],
) -> bool {
    let mut valid = true;
    match *rows {
        // The far box is computed from the far center: translating the near box would round
        // differently.
        BoxColumns::Centers { centers, half_extents } => {
            let columns = centers.iter().zip(half_extents);
            for ((slot, (&center, &half)), &by) in boxes.iter_mut().zip(columns).zip(displacements) {
                *slot = union(*slot, box_around(add(center, by), half));
                valid &= is_finite(slot) & both_finite(by);
            }
        }
        BoxColumns::Uniform { centers, half_extents: half } => {
            for ((slot, &center), &by) in boxes.iter_mut().zip(centers).zip(displacements) {
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
pub(super) fn check_body(chunk: &Bodies<'_>, at: usize, row: u32) -> Result<RawAabb, InvalidRow> {
    let displacement = chunk.displacements.map(|displacements| displacements.at(at));
    match chunk.boxes {
        BoxColumns::Centers { centers, half_extents } => {
            check_center(row, centers.at(at), half_extents.at(at), displacement)
        }
        BoxColumns::Uniform { centers, half_extents } => check_center(row, centers.at(at), half_extents, displacement),
        BoxColumns::Aabbs(aabbs) => {
            let aabb = aabbs.at(at);
            check_box(row, &aabb)?;
            check_axes(row, Column::Displacement, displacement.unwrap_or_default(), f32::is_finite)?;
            Ok(displacement.map_or(aabb, |by| union(aabb, translated(aabb, by))))
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
