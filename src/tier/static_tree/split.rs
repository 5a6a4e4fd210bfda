//! Splits a cell into four children, and determines the children that a box belongs to.
//!
//! Boxes are never clipped, so a box may belong to several children. Statics and the areas of
//! searches follow the same rule, [`Split::touched_children`].
//!
//! CUT-1: At a cut of an axis, a box belongs to the lower side if `min <= cut` and to the upper
//! side if `max > cut`.
//!
//! CUT-2: Two closed boxes that overlap share a child of every node. On each axis, let `p` be the
//! larger of their minima; it is in both boxes, `min <= p <= max`. If `p <= cut`, both minima are
//! `<= cut` and both boxes belong to the lower side. Otherwise both maxima are `>= p > cut` and
//! both belong to the upper side. So the child that the point `p` belongs to contains both boxes,
//! and by induction so does a leaf. This is true for any position of the cut: boxes may extend
//! beyond the cell and areas may have infinite edges.
//!
//! CUT-3: The cuts lie strictly between the edges of the cell and ascend. So an edge of a cell
//! equals an edge of the root's cell only if nothing was cut off on that side, and every cut on an
//! axis makes the cell narrower.
//!
//! Cost: a dozen floating point operations. Cells are derived during the descent, never stored.

use crate::geometry::{INFINITE_AABB, RawAabb};

/// Children of an inner node.
pub(super) const CHILD_COUNT: usize = 4;

/// How a cell is divided into four children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SplitKind {
    /// Two by two quadrants: child `k` is on the upper side of x if bit 0 of `k` is set, and on
    /// the upper side of y if bit 1 is set.
    Quad,
    /// Four slabs along x: cut at the middle, then at the middles of both halves. For tall boxes,
    /// which a cut of y would divide.
    SlabsX,
    /// Four slabs along y, for wide boxes.
    SlabsY,
}

/// The cuts that a kind of split makes in one cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Split {
    pub(super) kind: SplitKind,
    /// Quad: the cut of x, that of y, and 0. Slabs: the three cuts of their axis, ascending.
    pub(super) cuts: [f32; 3],
}

impl Split {
    #[inline(always)]
    pub(super) fn new(kind: SplitKind, cell: &RawAabb) -> Self {
        let cuts = match kind {
            SplitKind::Quad => [middle(cell[0], cell[2]), middle(cell[1], cell[3]), 0.0],
            SplitKind::SlabsX => slab_cuts(cell[0], cell[2]),
            SplitKind::SlabsY => slab_cuts(cell[1], cell[3]),
        };
        Self { kind, cuts }
    }

    /// Returns the children that a box belongs to, as one bit each (CUT-1).
    #[inline(always)]
    pub(super) fn touched_children(&self, aabb: &RawAabb) -> u32 {
        let [min_x, min_y, max_x, max_y] = *aabb;
        match self.kind {
            SplitKind::Quad => {
                let [cut_x, cut_y, _] = self.cuts;
                let x = (u32::from(min_x <= cut_x) * 0b0101) | (u32::from(max_x > cut_x) * 0b1010);
                let y = (u32::from(min_y <= cut_y) * 0b0011) | (u32::from(max_y > cut_y) * 0b1100);
                x & y
            }
            SplitKind::SlabsX => self.touched_slabs(min_x, max_x),
            SplitKind::SlabsY => self.touched_slabs(min_y, max_y),
        }
    }

    /// Applies CUT-1 at the middle and then at the middle of each half.
    #[inline(always)]
    fn touched_slabs(&self, min: f32, max: f32) -> u32 {
        let [first, second, third] = self.cuts;
        // As cuts ascend (CUT-3), the tests of the outer slabs imply that at the middle.
        u32::from(min <= first)
            | u32::from((max > first) & (min <= second)) << 1
            | u32::from((max > second) & (min <= third)) << 2
            | u32::from(max > third) << 3
    }

    /// Returns the cell of child `k` of `cell`.
    #[inline(always)]
    pub(super) fn child_cell(&self, cell: &RawAabb, k: usize) -> RawAabb {
        debug_assert!(k < CHILD_COUNT);
        let [min_x, min_y, max_x, max_y] = *cell;
        match self.kind {
            SplitKind::Quad => {
                let [cut_x, cut_y, _] = self.cuts;
                let (low_x, high_x) = if k & 1 == 0 { (min_x, cut_x) } else { (cut_x, max_x) };
                let (low_y, high_y) = if k & 2 == 0 { (min_y, cut_y) } else { (cut_y, max_y) };
                [low_x, low_y, high_x, high_y]
            }
            SplitKind::SlabsX => {
                let (low, high) = self.slab(min_x, max_x, k);
                [low, min_y, high, max_y]
            }
            SplitKind::SlabsY => {
                let (low, high) = self.slab(min_y, max_y, k);
                [min_x, low, max_x, high]
            }
        }
    }

    #[inline(always)]
    fn slab(&self, low: f32, high: f32, k: usize) -> (f32, f32) {
        let [first, second, third] = self.cuts;
        match k {
            0 => (low, first),
            1 => (first, second),
            2 => (second, third),
            _ => (third, high),
        }
    }

    /// Returns whether the cuts satisfy CUT-3. They do not if edges of `cell` are neighboring
    /// floats.
    pub(super) fn is_strict(&self, cell: &RawAabb) -> bool {
        let [first, second, third] = self.cuts;
        let slabs = |low: f32, high: f32| low < first && first < second && second < third && third < high;
        match self.kind {
            SplitKind::Quad => cell[0] < first && first < cell[2] && cell[1] < second && second < cell[3],
            SplitKind::SlabsX => slabs(cell[0], cell[2]),
            SplitKind::SlabsY => slabs(cell[1], cell[3]),
        }
    }
}

/// Returns a cell without its edges on the outer sides of the root's cell.
#[inline]
pub(super) fn without_outer_edges(cell: &RawAabb, root_cell: &RawAabb) -> RawAabb {
    // An edge equals the root's only on an outer side (CUT-3).
    std::array::from_fn(|edge| if cell[edge] == root_cell[edge] { INFINITE_AABB[edge] } else { cell[edge] })
}

/// Returns the middle of two edges, whose sum may overflow.
#[inline(always)]
fn middle(low: f32, high: f32) -> f32 {
    low * 0.5 + high * 0.5
}

#[inline(always)]
fn slab_cuts(low: f32, high: f32) -> [f32; 3] {
    let second = middle(low, high);
    [middle(low, second), second, middle(second, high)]
}
