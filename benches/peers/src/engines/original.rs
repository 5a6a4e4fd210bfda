//! What three classic structures of one description have in common.
//!
//! The structures are those of the answer to "Efficient (and well explained) implementation of a
//! Quadtree for 2D collision detection" on Stack Overflow (question 41946007): a tight quadtree, a
//! loose quadtree, and a loose/tight double grid. They are written from the description, which has
//! integer coordinates and a world of known extent; here boxes are f32, and results are exact
//! wherever they lie.
//!
//! ORIGINAL-1: elements are inserted in spatial order, so that neighbors are close in memory. The
//! order degrades as bodies move.
//!
//! ORIGINAL-2: a step moves the elements that moved, cleans up once, and then searches once for
//! each body, in the order of leaves or cells.
//!
//! ORIGINAL-3: a search reports rows from a given one on, so of two bodies only the lower row finds
//! the other.
//!
//! ORIGINAL-4: the extent of the world is that of the boxes in the first step, with some room. It
//! decides how well cells fit, never what is found: what lies outside of it belongs to the
//! outermost cells.

use crate::boxes::body_boxes;
pub(crate) use crate::boxes::{Box4 as Bounds, overlaps};
use crate::engine::{Engine, Found, Frame};

/// No index.
pub(crate) const NONE: u32 = u32::MAX;
/// An empty box, for unions.
pub(crate) const NOTHING: Bounds = [f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY];
/// Room around the boxes of the first step, as a share of their extent.
const ROOM: f32 = 1.0 / 64.0;
/// Limits of the depth of quadtrees, for extents of few or of very many mean sides.
const DEPTH_MIN: u32 = 4;
const DEPTH_MAX: u32 = 24;
/// Largest coordinate of an extent, so that no difference of two coordinates overflows.
const EXTENT_MAX: f32 = f32::MAX / 8.0;

/// The box of a row.
#[derive(Clone, Copy)]
pub(crate) struct Element {
    pub(crate) bounds: Bounds,
    pub(crate) row: u32,
}

/// One of the three structures.
pub(crate) trait Structure: Default {
    const NAME: &'static str;

    /// Builds from scratch; the index of a box is its row.
    fn build(&mut self, boxes: &[Bounds]);

    /// Moves all elements to new boxes, as many as before, then cleans up.
    fn update(&mut self, boxes: &[Bounds]);

    /// Replaces `order` by all elements, leaf by leaf or cell by cell (ORIGINAL-2).
    fn gather(&mut self, order: &mut Vec<Element>);

    /// Visits each row from `first` on whose box overlaps, once (ORIGINAL-3).
    fn search(&mut self, bounds: Bounds, first: u32, visit: impl FnMut(u32));
}

/// A structure of the bodies, updated in each step, and one of the statics.
#[derive(Default)]
pub(crate) struct Original<S> {
    bodies: S,
    statics: S,
    static_count: usize,
    boxes: Vec<Bounds>,
    order: Vec<Element>,
}

impl<S: Structure> Engine for Original<S> {
    fn name(&self) -> &'static str {
        S::NAME
    }

    fn set_statics(&mut self, statics: &[[f32; 4]]) {
        self.static_count = statics.len();
        self.statics.build(statics);
    }

    fn step(&mut self, frame: Frame<'_>, found: &mut Found) {
        let known = self.boxes.len();
        self.boxes.clear();
        self.boxes.extend(body_boxes(frame));
        if known > 0 && self.boxes.len() == known {
            self.bodies.update(&self.boxes);
        } else {
            self.bodies.build(&self.boxes);
        }

        found.bodies.clear();
        found.statics.clear();
        self.bodies.gather(&mut self.order);
        for &Element { bounds, row } in &self.order {
            self.bodies.search(bounds, row + 1, |other| found.bodies.push([row, other]));
        }
        if self.static_count > 0 {
            for &Element { bounds, row } in &self.order {
                self.statics.search(bounds, 0, |fixed| found.statics.push([row, fixed]));
            }
        }
    }
}

/// The smallest box that covers both.
#[inline]
pub(crate) fn union(a: &Bounds, b: &Bounds) -> Bounds {
    [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])]
}

/// The center of a box. It is computed from halves, as the sum of two edges may overflow.
#[inline]
pub(crate) fn middle(bounds: &Bounds) -> [f32; 2] {
    [0.5 * bounds[0] + 0.5 * bounds[2], 0.5 * bounds[1] + 0.5 * bounds[3]]
}

/// The extent of the boxes with room on every side (ORIGINAL-4); zeros without boxes.
pub(crate) fn extent(boxes: &[Bounds]) -> Bounds {
    if boxes.is_empty() {
        return [0.0; 4];
    }
    let all = boxes.iter().fold(NOTHING, |all, bounds| union(&all, bounds)).map(within);
    let room = [(all[2] - all[0]) * ROOM, (all[3] - all[1]) * ROOM];
    [all[0] - room[0], all[1] - room[1], all[2] + room[0], all[3] + room[1]].map(within)
}

fn within(x: f32) -> f32 {
    x.clamp(-EXTENT_MAX, EXTENT_MAX)
}

/// The mean of all widths and heights.
pub(crate) fn mean_side(boxes: &[Bounds]) -> f32 {
    let sum: f64 = boxes.iter().map(|b| 0.5 * (f64::from(within(b[2] - b[0])) + f64::from(within(b[3] - b[1])))).sum();
    (sum / boxes.len().max(1) as f64) as f32
}

/// The depth of a quadtree over an extent whose leaves are about `leaf_sides` mean sides wide.
pub(crate) fn depth(extent: &Bounds, boxes: &[Bounds], leaf_sides: f32) -> u32 {
    let side = (extent[2] - extent[0]).max(extent[3] - extent[1]);
    ((side / (leaf_sides * mean_side(boxes))).log2() as u32).clamp(DEPTH_MIN, DEPTH_MAX)
}

/// Takes four contiguous nodes: the first freed group, which knows the `next` one, or new nodes.
pub(crate) fn take_four<N: Copy>(nodes: &mut Vec<N>, free: &mut u32, empty: N, next: impl Fn(&N) -> u32) -> u32 {
    if *free == NONE {
        nodes.extend([empty; 4]);
        return nodes.len() as u32 - 4;
    }
    let first = *free;
    *free = next(&nodes[first as usize]);
    nodes[first as usize..first as usize + 4].fill(empty);
    first
}

/// All elements along a Z-curve through their centers (ORIGINAL-1).
pub(crate) fn near_in_space(boxes: &[Bounds], extent: &Bounds) -> Vec<Element> {
    let place = |x: f32, low: f32, high: f32| ((x - low) / (high - low) * 65536.0) as u16;
    let mut keyed: Vec<(u32, u32)> = boxes
        .iter()
        .zip(0..)
        .map(|(bounds, row)| {
            let [x, y] = middle(bounds);
            let [column, line] = [place(x, extent[0], extent[2]), place(y, extent[1], extent[3])];
            (spread(column) | spread(line) << 1, row)
        })
        .collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, row)| Element { bounds: boxes[row as usize], row }).collect()
}

/// Spreads the bits of a number, with a zero between each two.
fn spread(x: u16) -> u32 {
    let x = u32::from(x);
    let x = (x | x << 8) & 0x00ff_00ff;
    let x = (x | x << 4) & 0x0f0f_0f0f;
    let x = (x | x << 2) & 0x3333_3333;
    (x | x << 1) & 0x5555_5555
}

#[cfg(test)]
mod tests;
