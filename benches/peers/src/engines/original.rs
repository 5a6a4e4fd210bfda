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

use crate::engine::{Engine, Found, Frame};

/// Min x, min y, max x, max y; closed.
pub(crate) type Bounds = [f32; 4];

/// No index.
pub(crate) const NONE: u32 = u32::MAX;
/// A box that covers nothing, to be grown.
pub(crate) const NOTHING: Bounds = [f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY];
/// Room around the first step's boxes, as a part of their extent.
const ROOM: f32 = 1.0 / 64.0;
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
        self.boxes.extend(frame.centers.iter().zip(frame.half_extents).map(|(&center, &half)| around(center, half)));
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

fn around(center: [f32; 2], half: [f32; 2]) -> Bounds {
    [center[0] - half[0], center[1] - half[1], center[0] + half[0], center[1] + half[1]]
}

/// Whether two closed boxes overlap, without a branch.
#[inline]
pub(crate) fn overlaps(a: &Bounds, b: &Bounds) -> bool {
    (a[0] <= b[2]) & (b[0] <= a[2]) & (a[1] <= b[3]) & (b[1] <= a[3])
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
