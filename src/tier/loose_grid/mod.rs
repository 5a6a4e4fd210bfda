//! Tier 2: a loose/tight double grid, for boxes of any size.
//!
//! A box is filed once, however large, in the loose cell that holds its centre; the cell's own box grows to cover
//! what is filed in it. A coarser tight grid lists, in each tight cell, the loose cells whose box touches it. A search
//! reads the lists of the tight cells it touches and opens the loose cells whose box it meets.
//!
//! The idea of a grid whose cells expand to fit what they hold, under a coarser grid that finds those cells, was
//! described by the author known as "Dragon Energy" in an answer on Stack Overflow about quadtrees and grids for
//! collision detection. The bounds on its size, the sweep of crowded cells and the layout rebuilt each step are added.
//!
//! Two structures share it: [`LooseGrid`] is kept over time and changed by handle; `RebuiltGrid` is made anew from a
//! slice each step, and so holds everything in contiguous runs. What is near and what a ray meets is found in both by the
//! same walks (`walk`).
//!
//! T1: an entity is filed in exactly one loose cell: that of its box's centre.
//! T2: the box of a loose cell covers the boxes of all entities filed in it.
//! T3: a loose cell is listed once in each tight cell that its box touches, and nowhere else. In [`LooseGrid`] it may
//!     instead be in the list of cells that every search visits, and then in no tight cell.
//! T4: grid maps are monotone and clamped. So boxes that share a point both touch the tight cell of that point, and
//!     what lies outside of the area of the grid is filed at its border and still found.
//! T5: there are at most `ENTRIES_PER_ENTITY` entries in the tight grid for each entity, plus `ENTRIES_SLACK`,
//!     whatever the shapes: where there would be more, tight cells are made larger.
//!
//! Cost: filing O(1) an entity; a search, the loose cells listed where it looks and the entities of those it meets.

pub(crate) mod handles;
mod index;
mod map;
pub(crate) mod rebuilt;
#[cfg(test)]
mod tests;
mod walk;

pub use crate::tier::loose_grid::handles::grid::{LooseGrid, LooseHandle};
pub(crate) use rebuilt::RebuiltGrid;

use crate::geometry::{RawAabb, union};
use index::{EntityIndex, LooseIndex, narrow};

/// T5. An ordinary crowd has one or two; long boxes are let have some more before cells grow for all.
const ENTRIES_PER_ENTITY: usize = 8;

/// Entries allowed beside those counted by entity: a handful of large boxes are not crammed into one tight cell.
const ENTRIES_SLACK: usize = 256;

/// A tight cell is 2^this loose cells wide. With 0, a loose cell is listed in four to nine tight cells; with 2, a
/// search meets three times the loose cells it needs.
const TIGHT_SHIFT: u32 = 1;

/// The box that covers nothing: united with another it gives the other, and it overlaps no finite one.
const NOTHING: RawAabb = [f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY];

/// The box that overlaps all others.
const ANYWHERE: RawAabb = [f32::NEG_INFINITY, f32::NEG_INFINITY, f32::INFINITY, f32::INFINITY];

/// A loose cell: a box that grows, and where its entities begin.
#[derive(Clone, Copy, Debug)]
struct LooseCell {
    bounds: RawAabb,
    /// The first of its list in a [`LooseGrid`], the start of its run in a `RebuiltGrid`.
    head: EntityIndex,
}

const _: () = assert!(size_of::<LooseCell>() == 20);

impl LooseCell {
    const EMPTY: Self = Self { bounds: NOTHING, head: EntityIndex::NONE };
}

/// The middle of a box on an axis, without overflow. NaN from minus to plus infinity, which is filed in cell 0.
#[inline(always)]
fn center(bounds: &RawAabb, axis: usize) -> f32 {
    bounds[axis] * 0.5 + bounds[axis + 2] * 0.5
}
