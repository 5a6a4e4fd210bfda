//! A coarse grid that remembers in which step something last changed in each of its cells.
//!
//! - DIRTY-1: if two boxes overlap, some cell is touched by both: the map from coordinates to cells
//!   is monotone over all of f32, and clamped at its ends.
//!
//! Cost: a store for each cell that a change touches, and a load for each cell of an area that is
//! asked about. A change that touches many cells counts as one everywhere.

use crate::geometry::RawAabb;
use crate::memory::buffers::{buffers, plain_buffers};
use std::ops::RangeInclusive;

/// Most cells on an axis: their numbers fit a byte.
const SIDE_MAX: usize = 256;

/// Bodies for each cell, on average, where there are not too many bodies for that.
const BODIES_PER_CELL: usize = 16;

/// A change that touches more cells counts as one everywhere: it would take longer than the lists
/// are worth that it leaves valid.
const MARKED_MAX: usize = 1024;

/// See the [module](self).
#[derive(Debug, Default)]
pub(crate) struct DirtyCells {
    origin: [f32; 2],
    /// Cells per unit of length.
    scale: [f32; 2],
    /// Number of cells on an axis.
    side: usize,
    /// The step of the last change in each cell, row by row.
    steps: Vec<u32>,
    /// The step of the last change that counts everywhere, and of the last one of all.
    everywhere: u32,
    latest: u32,
}

buffers!(DirtyCells { leveled: steps; own: ; plain: origin, scale, side, everywhere, latest; });

/// The cells that a box touches: the first and the last on each axis.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DirtyRect {
    x: [u8; 2],
    y: [u8; 2],
}

plain_buffers!(DirtyRect);

impl DirtyRect {
    /// One cell.
    pub(crate) const ZERO: Self = Self { x: [0; 2], y: [0; 2] };
}

impl DirtyCells {
    /// Starts from a world with these bounds, if it has any, in which nothing has changed yet.
    pub(crate) fn begin(&mut self, bounds: Option<RawAabb>, bodies: usize) {
        let side = (bodies / BODIES_PER_CELL).isqrt().next_power_of_two().clamp(1, SIDE_MAX);
        let [left, top, right, bottom] = bounds.unwrap_or_default();
        let scale = |length: f32| if length > 0.0 { side as f32 / length } else { 0.0 };
        *self = Self {
            origin: [left, top],
            scale: [scale(right - left), scale(bottom - top)],
            side,
            steps: std::mem::take(&mut self.steps),
            everywhere: 0,
            latest: 0,
        };
        self.steps.clear();
        self.steps.resize(side * side, 0);
    }

    /// The cells that a box touches. It must not be NaN.
    #[inline]
    pub(crate) fn rect(&self, &[left, top, right, bottom]: &RawAabb) -> DirtyRect {
        // A conversion to an integer clamps what is out of its range.
        let cell =
            |v: f32, axis: usize| (((v - self.origin[axis]) * self.scale[axis]) as usize).min(self.side - 1) as u8;
        DirtyRect { x: [cell(left, 0), cell(right, 0)], y: [cell(top, 1), cell(bottom, 1)] }
    }

    /// Notes that a body appeared or disappeared in a box, in a step that is not before the ones
    /// that were noted.
    pub(crate) fn mark(&mut self, aabb: &RawAabb, step: u32) {
        let DirtyRect { x, y } = self.rect(aabb);
        self.latest = step;
        if span(x).count() * span(y).count() > MARKED_MAX {
            self.everywhere = step;
            return;
        }
        for y in span(y) {
            self.steps[y * self.side..][span(x)].fill(step);
        }
    }

    /// Whether nothing was noted after a step in the cells that a box touches.
    #[inline(always)]
    pub(crate) fn is_clean(&self, rect: &DirtyRect, since: u32) -> bool {
        self.latest <= since || self.is_unmarked(rect, since)
    }

    fn is_unmarked(&self, &DirtyRect { x, y }: &DirtyRect, since: u32) -> bool {
        let is_clean = |y: usize| self.steps[y * self.side..][span(x)].iter().all(|&step| step <= since);
        self.everywhere <= since && span(y).all(is_clean)
    }
}

#[inline(always)]
fn span([first, last]: [u8; 2]) -> RangeInclusive<usize> {
    usize::from(first)..=usize::from(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::overlaps;
    use triphase_scenes::SplitMix64;

    #[test]
    fn a_change_is_seen_by_all_boxes_that_overlap_it() {
        let mut random = SplitMix64::new(3);
        let bounds = [Some([-8.0, 1.0, 8.0, 3.0]), Some([2.0; 4]), Some([f32::MIN, 0.0, f32::MAX, 1e-40]), None];
        for bounds in bounds {
            for bodies in [0, 100, 5_000, 10_000_000] {
                let mut cells = DirtyCells::default();
                cells.begin(bounds, bodies);
                for step in 1..200 {
                    let mut edge = || match random.below(12) {
                        0 => f32::INFINITY,
                        1 => f32::NEG_INFINITY,
                        2 => f32::MAX,
                        _ => random.below(40) as f32 / 2.0 - 10.0,
                    };
                    let mut aabb = || {
                        let [a, b, c, d] = [edge(), edge(), edge(), edge()];
                        [a.min(b), c.min(d), a.max(b), c.max(d)]
                    };
                    let (change, other) = (aabb(), aabb());
                    let rect = cells.rect(&other);
                    cells.mark(&change, step);
                    assert!(!overlaps(&change, &other) || !cells.is_clean(&rect, step - 1), "{change:?} {other:?}");
                    assert!(cells.is_clean(&rect, step));
                }
            }
        }
    }

    #[test]
    fn a_small_change_is_not_seen_elsewhere() {
        let mut cells = DirtyCells::default();
        cells.begin(Some([0.0, 0.0, 100.0, 100.0]), 100_000);
        cells.mark(&[10.0, 10.0, 11.0, 11.0], 5);
        assert!(cells.is_clean(&cells.rect(&[20.0, 10.0, 21.0, 11.0]), 4));
        assert!(cells.is_clean(&cells.rect(&[10.0, 20.0, 11.0, 21.0]), 4));
        assert!(!cells.is_clean(&cells.rect(&[11.0, 11.0, 12.0, 12.0]), 4));
        cells.mark(&[0.0, 0.0, 100.0, 100.0], 6);
        assert!(!cells.is_clean(&cells.rect(&[20.0, 10.0, 21.0, 11.0]), 5));
    }
}
