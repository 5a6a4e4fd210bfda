//! The statics dealt out to a few roots, each with a cell that suits its own.
//!
//! R1: every row is in exactly one territory; so what one root reports, no other does.
//! R2: a territory's cell is the bounding box of its rows' centres. Boxes may reach out of it (T2).
//! R3: rows are parted by distance first. Each part but the last holds at least four fifths of the rows sampled from
//!     those left over; so a handful of roots follows a world whose pieces lie at scales 1, 1e7 and 1e30, and a far
//!     outlier costs nobody resolution.
//! R4: each part is parted by shape then, where long thin boxes would add too many entries: wide ones, tall ones, and
//!     the rest. Among themselves they are cut into slabs that hardly any of them crosses, while any cut of a lattice
//!     of both doubles its entries.
//!
//! Cost: O(n) a territory, and the usual world is a single one.

use crate::geometry::RawAabb;
use crate::tier::static_tree::node::row_number;
use crate::tier::static_tree::subtree::LEAF_MAX;

/// Most parts by distance. A fifth of the rows or less is left over each time: after three, less than one in a hundred.
const PART_COUNT_MAX: usize = 4;

/// Parts by shape: the rest, wide, tall.
const SHAPE_COUNT: usize = 3;

/// Most roots.
pub(super) const ROOT_COUNT_MAX: usize = PART_COUNT_MAX * SHAPE_COUNT;

/// Rows whose centres are sorted to see where most are. Fewer would let the tails' share vary by whole percents.
const SAMPLE_LEN: usize = 1024;

/// The share of the sample, one in so many, that each side of each axis may leave out: 5 percent.
const TAIL: usize = 20;

/// How far the core reaches beyond the sample's bulk, in widths of the bulk. Tails of ordinary distributions are then
/// inside; what it adds to the root's cell costs at most four levels.
const MARGIN: f32 = 8.0;

/// A box is long if it spans more leaves than this, were all leaves equal squares, and is thinner by this factor.
/// Shorter ones cost few entries wherever they are, thicker ones are cut by any split.
const LONG: f64 = 8.0;

/// Entries a static that long boxes may add before they get a root of their own, which costs each search a walk.
const LONG_SHARE: f64 = 0.25;

/// What covers nothing, to start from.
const NOWHERE: RawAabb = [f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY];

/// The rows of one root, ascending, and the cell they are cut in.
pub(super) struct Territory {
    pub(super) rows: Vec<u32>,
    /// R2
    pub(super) cell: RawAabb,
}

/// Deals out all rows of `boxes`, which are finite (checked before).
pub(super) fn territories(boxes: &[RawAabb]) -> Vec<Territory> {
    let mut territories = Vec::new();
    let mut left: Vec<u32> = (0..boxes.len()).map(row_number).collect();
    for part in 1..=PART_COUNT_MAX {
        if left.is_empty() {
            break;
        }
        let mut rows = std::mem::take(&mut left);
        if part < PART_COUNT_MAX {
            let core = core(boxes, &rows);
            let outside = |&row: &u32| !holds(&core, center(&boxes[row as usize]));
            if rows.iter().any(outside) {
                left = rows.iter().copied().filter(outside).collect();
                rows.retain(|row| !outside(row));
            }
        }
        let shapes = by_shape(boxes, rows).into_iter().filter(|rows| !rows.is_empty());
        territories.extend(shapes.map(|rows| Territory { cell: cover_centers(boxes, &rows), rows }));
    }
    debug_assert!(territories.len() <= ROOT_COUNT_MAX);
    territories
}

/// R4: the rest, the wide, the tall; the latter are empty where parting does not pay.
fn by_shape(boxes: &[RawAabb], rows: Vec<u32>) -> [Vec<u32>; SHAPE_COUNT] {
    let side = leaf_side(&cover_centers(boxes, &rows), rows.len());
    // In entries. That of the rest is not asked for.
    let mut added = [0.0; SHAPE_COUNT];
    for &row in &rows {
        let (shape, length) = shape(&boxes[row as usize], side);
        added[shape] += length / side;
    }
    let apart: [bool; SHAPE_COUNT] = std::array::from_fn(|k| k > 0 && added[k] > LONG_SHARE * rows.len() as f64);
    if apart == [false; SHAPE_COUNT] {
        return [rows, Vec::new(), Vec::new()];
    }
    let mut shapes = [Vec::new(), Vec::new(), Vec::new()];
    for row in rows {
        let (shape, _) = shape(&boxes[row as usize], side);
        shapes[if apart[shape] { shape } else { 0 }].push(row);
    }
    shapes
}

/// R4: 1 for a wide box, 2 for a tall one, 0 for any other; and how long it is. Leaves have this `side`.
fn shape(b: &RawAabb, side: f64) -> (usize, f64) {
    let [width, height] = [0, 1].map(|axis| f64::from(b[axis + 2]) - f64::from(b[axis]));
    let is_long = |length: f64, thickness: f64| length > LONG * side && length > LONG * thickness;
    match (is_long(width, height), is_long(height, width)) {
        (true, _) => (1, width),
        (_, true) => (2, height),
        _ => (0, width.max(height)),
    }
}

/// The side of a leaf, were `count` centres spread evenly over `cell`, or along it if it is thin.
fn leaf_side(cell: &RawAabb, count: usize) -> f64 {
    let [width, height] = [0, 1].map(|axis| f64::from(cell[axis + 2]) - f64::from(cell[axis]));
    let leaf_count = (count as f64 / LEAF_MAX as f64).max(1.0);
    (width * height / leaf_count).sqrt().max(width.max(height) / leaf_count)
}

/// Where the bulk of a sample of `rows` has its centres, and `MARGIN` around; at least four fifths of the sample.
fn core(boxes: &[RawAabb], rows: &[u32]) -> RawAabb {
    let stride = rows.len().div_ceil(SAMPLE_LEN);
    let sample = || rows.iter().step_by(stride).map(|&row| center(&boxes[row as usize]));
    let bulk = |axis: usize| {
        let mut sorted: Vec<f32> = sample().map(|center| center[axis]).collect();
        sorted.sort_unstable_by(f32::total_cmp);
        let tail = sorted.len() / TAIL;
        (sorted[tail], sorted[sorted.len() - 1 - tail])
    };
    let ((low_x, high_x), (low_y, high_y)) = (bulk(0), bulk(1));
    // May be infinite, and then everything is inside; never NaN, for the edges are finite.
    let margin = MARGIN * (high_x - low_x).max(high_y - low_y);
    [low_x - margin, low_y - margin, high_x + margin, high_y + margin]
}

/// R2: of at least one row.
fn cover_centers(boxes: &[RawAabb], rows: &[u32]) -> RawAabb {
    rows.iter()
        .map(|&row| center(&boxes[row as usize]))
        .fold(NOWHERE, |cell, [x, y]| [cell[0].min(x), cell[1].min(y), cell[2].max(x), cell[3].max(y)])
}

fn holds(cell: &RawAabb, [x, y]: [f32; 2]) -> bool {
    cell[0] <= x && x <= cell[2] && cell[1] <= y && y <= cell[3]
}

fn center(b: &RawAabb) -> [f32; 2] {
    [b[0] * 0.5 + b[2] * 0.5, b[1] * 0.5 + b[3] * 0.5]
}

/// The smallest box that covers `rows`, of which there is at least one.
pub(super) fn cover(boxes: &[RawAabb], rows: &[u32]) -> RawAabb {
    rows.iter().fold(NOWHERE, |all, &row| {
        let b = &boxes[row as usize];
        [all[0].min(b[0]), all[1].min(b[1]), all[2].max(b[2]), all[3].max(b[3])]
    })
}
