//! How a cell is cut into four, and which of the four a box goes to.
//!
//! T1: at a cut value `mid` of an axis a whole box, never clipped, goes to the lower side iff `min <= mid` and to the
//!     upper side iff `max > mid`. Statics and query areas follow the same function, [`Split::reach`].
//! T2: two closed boxes that overlap share a child at every node. On each axis let `p` be the larger of their minima;
//!     it lies in both, `min <= p <= max`. If `p <= mid`, both minima are `<= mid` and both boxes go low. Otherwise
//!     both maxima are `>= p > mid` and both go high. So the child that the point `p` descends to gets both boxes, and
//!     by induction so does a leaf. Nothing in this asks where `mid` is or that a box lies in the cell: statics and
//!     areas may lie outside of the root's cell, and areas may have infinite edges.
//! T3: the cut values lie strictly between the cell's edges and ascend. So an edge of a cell equals the root's only
//!     if nothing was cut off on that side, and a chain of cuts narrows the cell at each step.
//!
//! Cost: a dozen floating point operations; the cells are derived on the way down, never stored.

use crate::geometry::RawAabb;
use crate::tier::static_tree::node::CHILD_COUNT;

/// The four children of a node. Slabs are two cuts of one axis: the middle, then the middles of both halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Two by two: child `k` is on the upper side of x if bit 0 of `k` is set, of y if bit 1 is.
    Quad,
    /// Four slabs side by side along x: no box is cut in y, which is what tall ones ask for.
    SlabsX,
    /// Four slabs one above the other along y, for wide boxes.
    SlabsY,
}

/// A kind of split, with its cut values in one cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Split {
    pub(super) kind: Kind,
    /// Quad: x, y, unused. Slabs: the three cuts, ascending.
    pub(super) at: [f32; 3],
}

impl Split {
    #[inline(always)]
    pub(super) fn new(kind: Kind, cell: &RawAabb) -> Self {
        let at = match kind {
            Kind::Quad => [middle(cell[0], cell[2]), middle(cell[1], cell[3]), 0.0],
            Kind::SlabsX => slabs(cell[0], cell[2]),
            Kind::SlabsY => slabs(cell[1], cell[3]),
        };
        Self { kind, at }
    }

    /// T1: the children that `area` goes to, a bit each.
    #[inline(always)]
    pub(super) fn reach(&self, area: &RawAabb) -> u32 {
        let [min_x, min_y, max_x, max_y] = *area;
        match self.kind {
            Kind::Quad => {
                let [mid_x, mid_y, _] = self.at;
                let x = (u32::from(min_x <= mid_x) * 0b0101) | (u32::from(max_x > mid_x) * 0b1010);
                let y = (u32::from(min_y <= mid_y) * 0b0011) | (u32::from(max_y > mid_y) * 0b1100);
                x & y
            }
            Kind::SlabsX => self.reach_slabs(min_x, max_x),
            Kind::SlabsY => self.reach_slabs(min_y, max_y),
        }
    }

    /// T1 at the middle and then at the middle of each half. By T3 the outer slabs' tests imply that at the middle.
    #[inline(always)]
    fn reach_slabs(&self, min: f32, max: f32) -> u32 {
        let [first, second, third] = self.at;
        u32::from(min <= first)
            | u32::from((max > first) & (min <= second)) << 1
            | u32::from((max > second) & (min <= third)) << 2
            | u32::from(max > third) << 3
    }

    /// The cell of child `k` of `cell`.
    #[inline(always)]
    pub(super) fn child(&self, cell: &RawAabb, k: u32) -> RawAabb {
        debug_assert!((k as usize) < CHILD_COUNT);
        let [min_x, min_y, max_x, max_y] = *cell;
        match self.kind {
            Kind::Quad => {
                let [mid_x, mid_y, _] = self.at;
                let (low_x, high_x) = if k & 1 == 0 { (min_x, mid_x) } else { (mid_x, max_x) };
                let (low_y, high_y) = if k & 2 == 0 { (min_y, mid_y) } else { (mid_y, max_y) };
                [low_x, low_y, high_x, high_y]
            }
            Kind::SlabsX => {
                let (low, high) = self.slab(min_x, max_x, k);
                [low, min_y, high, max_y]
            }
            Kind::SlabsY => {
                let (low, high) = self.slab(min_y, max_y, k);
                [min_x, low, max_x, high]
            }
        }
    }

    #[inline(always)]
    fn slab(&self, low: f32, high: f32, k: u32) -> (f32, f32) {
        let [first, second, third] = self.at;
        match k {
            0 => (low, first),
            1 => (first, second),
            2 => (second, third),
            _ => (third, high),
        }
    }

    /// T3: whether this split may be made in `cell`. Not where neighbouring floats leave nothing in between.
    pub(super) fn is_strict(&self, cell: &RawAabb) -> bool {
        let [first, second, third] = self.at;
        let slabs = |low: f32, high: f32| low < first && first < second && second < third && third < high;
        match self.kind {
            Kind::Quad => cell[0] < first && first < cell[2] && cell[1] < second && second < cell[3],
            Kind::SlabsX => slabs(cell[0], cell[2]),
            Kind::SlabsY => slabs(cell[1], cell[3]),
        }
    }
}

/// Halved before they are added: the sum of two huge edges would overflow.
#[inline(always)]
fn middle(low: f32, high: f32) -> f32 {
    low * 0.5 + high * 0.5
}

#[inline(always)]
fn slabs(low: f32, high: f32) -> [f32; 3] {
    let second = middle(low, high);
    [middle(low, second), second, middle(second, high)]
}
