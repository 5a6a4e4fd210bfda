//! The statics dealt out to a few roots, each with a cell that suits its own.
//!
//! R1: every row is in exactly one territory; so what one root reports, no other does.
//! R2: a territory's cell is the bounding box of its rows' centres. Boxes may reach out of it (T2).
//! R3: all but the last hold at least four fifths of the rows sampled from those left over; so a handful of roots
//!     follows a world whose parts lie at scales 1, 1e7 and 1e30, and a far outlier costs nobody resolution.
//!
//! Cost: O(n) a territory, and the usual world is a single one.

use super::node::row_number;
use crate::geometry::RawBox;

/// Most roots. A fifth of the rows or less is left over each time: after three, less than one in a hundred.
pub(super) const ROOT_COUNT_MAX: usize = 4;

/// Rows whose centres are sorted to see where most are. Fewer would let the tails' share vary by whole percents.
const SAMPLE_LEN: usize = 1024;

/// The share of the sample, one in so many, that each side of each axis may leave out: 5 percent.
const TAIL: usize = 20;

/// How far the core reaches beyond the sample's bulk, in widths of the bulk. Tails of ordinary distributions are then
/// inside; what it adds to the root's cell costs at most four levels.
const MARGIN: f32 = 8.0;

/// The rows of one root, ascending, and where most of what they are is.
pub(super) struct Territory {
    pub(super) rows: Vec<u32>,
    /// R2
    pub(super) cell: RawBox,
}

/// Deals out all rows of `boxes`, which are finite (checked before).
pub(super) fn territories(boxes: &[RawBox]) -> Vec<Territory> {
    let mut territories = Vec::new();
    let mut left: Vec<u32> = (0..boxes.len()).map(row_number).collect();
    while !left.is_empty() {
        let mut rows = left;
        left = Vec::new();
        if territories.len() + 1 < ROOT_COUNT_MAX {
            let core = core(boxes, &rows);
            let outside = |&row: &u32| !holds(&core, center(&boxes[row as usize]));
            if rows.iter().any(outside) {
                left = rows.iter().copied().filter(outside).collect();
                rows.retain(|row| !outside(row));
            }
        }
        let cell = rows.iter().map(|&row| center(&boxes[row as usize])).fold(NOWHERE, reach_out);
        territories.push(Territory { rows, cell });
    }
    territories
}

/// Where the bulk of a sample of `rows` has its centres, and `MARGIN` around; at least four fifths of the sample.
fn core(boxes: &[RawBox], rows: &[u32]) -> RawBox {
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

const NOWHERE: RawBox = [f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY];

fn reach_out(cell: RawBox, [x, y]: [f32; 2]) -> RawBox {
    [cell[0].min(x), cell[1].min(y), cell[2].max(x), cell[3].max(y)]
}

fn holds(cell: &RawBox, [x, y]: [f32; 2]) -> bool {
    cell[0] <= x && x <= cell[2] && cell[1] <= y && y <= cell[3]
}

fn center(b: &RawBox) -> [f32; 2] {
    [b[0] * 0.5 + b[2] * 0.5, b[1] * 0.5 + b[3] * 0.5]
}

/// The smallest box that covers `rows`, of which there is at least one.
pub(super) fn cover(boxes: &[RawBox], rows: &[u32]) -> RawBox {
    rows.iter().fold(NOWHERE, |all, &row| {
        let b = &boxes[row as usize];
        [all[0].min(b[0]), all[1].min(b[1]), all[2].max(b[2]), all[3].max(b[3])]
    })
}
