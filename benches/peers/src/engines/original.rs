//! The original: what the three structures of one description have in common.
//!
//! The structures are those of the answer to "Efficient (and well explained) implementation of a Quadtree for 2D
//! collision detection" on Stack Overflow (question 41946007): a tight quadtree, a loose
//! quadtree, and a loose/tight double grid. Written anew from the description, which speaks of whole numbers and of a
//! world whose extent is known; here boxes are f32 and exact wherever they lie.
//!
//! O1: rows are put in by an order that is near in space, so that what is near lies near in memory; it ages as bodies
//!     move.
//! O2: a step moves what moved, cleans up once, and then searches once for each body, in the order of leaves or cells.
//! O3: a search reports rows from a given one on: of two bodies only the lower row finds the other.
//! O4: the extent of the world is that of the boxes at the first step, with some room. It decides how good the cells
//!     are and never what is found: what lies outside belongs to the outermost ones.

use crate::boxes::body_boxes;
pub(crate) use crate::boxes::{Box4 as Bounds, overlaps};
use crate::engine::{Engine, Found, Frame};

/// No index.
pub(crate) const NONE: u32 = u32::MAX;
/// A box that covers nothing, to be grown.
pub(crate) const NOTHING: Bounds = [f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY];
/// Room around the first step's boxes, as a part of their extent.
const ROOM: f32 = 1.0 / 64.0;
/// Of quadtrees, whatever the sizes: over an extent of few mean sides, or of very many.
const DEPTH_MIN: u32 = 4;
const DEPTH_MAX: u32 = 24;
/// Extents end here, so that no difference of two of their coordinates overflows.
const EXTENT_MAX: f32 = f32::MAX / 8.0;

/// A row as a structure keeps it.
#[derive(Clone, Copy)]
pub(crate) struct Element {
    pub(crate) bounds: Bounds,
    pub(crate) row: u32,
}

/// One of the three.
pub(crate) trait Structure: Default {
    const NAME: &'static str;

    /// From scratch; the index of a box is its row.
    fn build(&mut self, boxes: &[Bounds]);

    /// As many boxes as before, anywhere; then cleans up.
    fn update(&mut self, boxes: &[Bounds]);

    /// O2: replaces `order` by all elements, leaf by leaf or cell by cell.
    fn gather(&mut self, order: &mut Vec<Element>);

    /// O3: visits every row from `first` on whose box overlaps, once.
    fn search(&mut self, bounds: Bounds, first: u32, visit: impl FnMut(u32));
}

/// A structure for the bodies, kept from step to step, and one for what never moves.
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

/// The smallest box over both.
#[inline]
pub(crate) fn union(a: &Bounds, b: &Bounds) -> Bounds {
    [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])]
}

/// The middle of a box, by halves: the sum of two edges may be more than f32 holds.
#[inline]
pub(crate) fn middle(bounds: &Bounds) -> [f32; 2] {
    [0.5 * bounds[0] + 0.5 * bounds[2], 0.5 * bounds[1] + 0.5 * bounds[3]]
}

/// O4: what the boxes cover, with room on every side; never wider than f32 holds. Zeros where there are none.
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

/// The mean length of the boxes' sides, of width and height together.
pub(crate) fn mean_side(boxes: &[Bounds]) -> f32 {
    let sum: f64 = boxes.iter().map(|b| 0.5 * (f64::from(within(b[2] - b[0])) + f64::from(within(b[3] - b[1])))).sum();
    (sum / boxes.len().max(1) as f64) as f32
}

/// How deep a quadtree over an extent goes, so that leaves are so many mean sides wide.
pub(crate) fn depth(extent: &Bounds, boxes: &[Bounds], leaf_sides: f32) -> u32 {
    let side = (extent[2] - extent[0]).max(extent[3] - extent[1]);
    ((side / (leaf_sides * mean_side(boxes))).log2() as u32).clamp(DEPTH_MIN, DEPTH_MAX)
}

/// Four contiguous nodes: the first of those that were freed, each group holding the `next` one, or new ones.
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

/// O1: the rows along a Z-curve through their middles.
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

/// The bits of a number, one apart.
fn spread(x: u16) -> u32 {
    let x = u32::from(x);
    let x = (x | x << 8) & 0x00ff_00ff;
    let x = (x | x << 4) & 0x0f0f_0f0f;
    let x = (x | x << 2) & 0x3333_3333;
    (x | x << 1) & 0x5555_5555
}

#[cfg(test)]
mod tests;
