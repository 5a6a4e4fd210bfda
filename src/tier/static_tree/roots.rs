//! Divides statics between a few roots, each with a cell that suits its statics.
//!
//! ROOT-1: Every row is below exactly one root, so roots never report the same static.
//!
//! ROOT-2: The cell of a root is the bounding box of the centers of its rows. Boxes may extend
//! beyond it (CUT-2).
//!
//! Rows are divided by distance first: each part takes at least four fifths of a sample of the
//! remaining rows. So a few roots suffice for a world whose regions have scales of 1, 1e7 and 1e30,
//! and a far outlier does not coarsen the rest.
//!
//! ROOT-3: Each part is then divided by shape if long thin boxes would add too many entries: wide
//! boxes, tall boxes, and the rest. Boxes of one direction are split into slabs whose cuts hardly
//! any of them crosses, while any split of a lattice of both directions doubles its entries.
//!
//! Cost: O(n) for each part. Most sets have a single root.

use crate::geometry::{RawAabb, contains, sides, union};
use crate::memory::radix::FloatSort;
use crate::tier::static_tree::node::row_number;
use crate::tier::static_tree::subtree::LEAF_MAX;

/// Most parts by distance. Each leaves a fifth of the rows or less to the next, so the last of
/// four takes less than one row in a hundred.
const PART_COUNT_MAX: usize = 4;

/// Parts by shape: one for each [`Shape`].
const SHAPE_COUNT: usize = 3;

/// Most roots of a tree.
pub(super) const ROOT_COUNT_MAX: usize = PART_COUNT_MAX * SHAPE_COUNT;

/// Rows whose centers are sorted to find the bulk. With fewer, the fraction of rows in the tails
/// would vary by several percent.
const SAMPLE_LEN: usize = 1024;

/// One in this many sampled centers may lie outside of the bulk, on each side of each axis.
const TAIL_PART: usize = 20;

/// Distance from the bulk to the edge of its part, in widths of the bulk. Tails of ordinary
/// distributions are then inside, and the larger cell of the root costs at most four levels.
const BULK_MARGIN: f32 = 8.0;

/// A box is long if it spans more than this many leaves, were all leaves equal squares, and is
/// this many times as long as it is thick. Shorter boxes add few entries, thicker ones are crossed
/// by any split.
const LONG_FACTOR: f64 = 8.0;

/// Long boxes get a root of their own if they would add more entries than this for each static.
/// A further root costs each search a descent.
const LONG_ENTRIES_MAX: f64 = 0.25;

/// The rows of one root, ascending, and the cell that they are divided in.
pub(super) struct RootRegion {
    pub(super) rows: Vec<u32>,
    /// See ROOT-2.
    pub(super) cell: RawAabb,
}

#[derive(Clone, Copy)]
enum Shape {
    Compact,
    Wide,
    Tall,
}

/// Divides all rows of `boxes`, which must be finite, between roots.
pub(super) fn root_regions(boxes: &[RawAabb]) -> Vec<RootRegion> {
    let mut regions = Vec::new();
    let mut remaining: Vec<u32> = (0..boxes.len()).map(row_number).collect();
    for part in 1..=PART_COUNT_MAX {
        let mut rows = std::mem::take(&mut remaining);
        if rows.is_empty() {
            break;
        }
        if part < PART_COUNT_MAX {
            let core = core_area(boxes, &rows);
            let is_outside = |&row: &u32| !contains(&core, &center_of(&boxes[row as usize]));
            if rows.iter().any(is_outside) {
                remaining = rows.iter().copied().filter(is_outside).collect();
                rows.retain(|row| !is_outside(row));
            }
        }
        let shapes = divide_by_shape(boxes, rows).into_iter().filter(|rows| !rows.is_empty());
        regions.extend(shapes.map(|rows| RootRegion { cell: bounds_of_centers(boxes, &rows), rows }));
    }
    debug_assert!(regions.len() <= ROOT_COUNT_MAX);
    regions
}

/// Returns the bounds of `rows`, which must not be empty.
pub(super) fn bounds_of(boxes: &[RawAabb], rows: &[u32]) -> RawAabb {
    rows.iter().map(|&row| boxes[row as usize]).reduce(|all, aabb| union(&all, &aabb)).unwrap_or_default()
}

fn bounds_of_centers(boxes: &[RawAabb], rows: &[u32]) -> RawAabb {
    let centers = rows.iter().map(|&row| center_of(&boxes[row as usize]));
    centers.reduce(|all, center| union(&all, &center)).unwrap_or_default()
}

/// Returns the center of a box, as a box.
fn center_of(b: &RawAabb) -> RawAabb {
    let [x, y] = [b[0] * 0.5 + b[2] * 0.5, b[1] * 0.5 + b[3] * 0.5];
    [x, y, x, y]
}

/// Returns the area around the bulk of the centers: at least four fifths of a sample.
fn core_area(boxes: &[RawAabb], rows: &[u32]) -> RawAabb {
    let stride = rows.len().div_ceil(SAMPLE_LEN);
    let bulk = |axis: usize| {
        let sample = rows.iter().step_by(stride).map(|&row| center_of(&boxes[row as usize])[axis]);
        let mut sorted: Vec<f32> = sample.collect();
        FloatSort::default().sort(&mut sorted);
        let tail = sorted.len() / TAIL_PART;
        (sorted[tail], sorted[sorted.len() - 1 - tail])
    };
    let ((low_x, high_x), (low_y, high_y)) = (bulk(0), bulk(1));
    // May be infinite, and then contains everything. Never NaN, as the centers are finite.
    let margin = BULK_MARGIN * (high_x - low_x).max(high_y - low_y);
    [low_x - margin, low_y - margin, high_x + margin, high_y + margin]
}

/// Divides rows by [`Shape`] (ROOT-3). Shapes that do not pay count as compact.
fn divide_by_shape(boxes: &[RawAabb], rows: Vec<u32>) -> [Vec<u32>; SHAPE_COUNT] {
    let leaf_side = leaf_side(&bounds_of_centers(boxes, &rows), rows.len());
    let mut added_entries = [0.0; SHAPE_COUNT];
    for &row in &rows {
        let (shape, length) = shape_of(&boxes[row as usize], leaf_side);
        added_entries[shape as usize] += length / leaf_side;
    }
    let pays = |shape: Shape| added_entries[shape as usize] > LONG_ENTRIES_MAX * rows.len() as f64;
    let (wide_pays, tall_pays) = (pays(Shape::Wide), pays(Shape::Tall));
    let [mut compact, mut wide, mut tall] = [const { Vec::new() }; SHAPE_COUNT];
    if !wide_pays && !tall_pays {
        return [rows, wide, tall];
    }
    for row in rows {
        match shape_of(&boxes[row as usize], leaf_side).0 {
            Shape::Wide if wide_pays => wide.push(row),
            Shape::Tall if tall_pays => tall.push(row),
            _ => compact.push(row),
        }
    }
    [compact, wide, tall]
}

/// Returns the shape of a box, and its longer side.
fn shape_of(b: &RawAabb, leaf_side: f64) -> (Shape, f64) {
    let [width, height] = sides(b);
    let is_long = |length: f64, thickness: f64| length > LONG_FACTOR * leaf_side.max(thickness);
    match (is_long(width, height), is_long(height, width)) {
        (true, _) => (Shape::Wide, width),
        (_, true) => (Shape::Tall, height),
        _ => (Shape::Compact, width.max(height)),
    }
}

/// Returns the side of a leaf if `count` centers were evenly distributed over `cell`, or along it
/// if it is thin.
fn leaf_side(cell: &RawAabb, count: usize) -> f64 {
    let [width, height] = sides(cell);
    let leaf_count = (count as f64 / LEAF_MAX as f64).max(1.0);
    (width * height / leaf_count).sqrt().max(width.max(height) / leaf_count)
}
