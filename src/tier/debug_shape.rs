//! The parts of the tiers' structures, for debug drawing.

use crate::geometry::RawAabb;

/// A part of a tier's structure, for drawing and debugging.
///
/// Boxes are `min_x, min_y, max_x, max_y` in world units. Which parts a structure has may change
/// between versions of this crate.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum DebugShape {
    /// A band of a point grid: the cell rows that one task handles.
    Band {
        /// The smallest box that covers its bodies.
        aabb: RawAabb,
        /// Number of bodies filed in it.
        population: usize,
        /// Number of columns and rows of cells.
        cells: [usize; 2],
    },
    /// A cell with bodies, in the last band reported before it.
    Cell {
        /// Its borders up to rounding, clipped to the lower corners of the band's bodies.
        aabb: RawAabb,
        /// Number of bodies whose lower corner is in it.
        population: usize,
    },
    /// A loose cell with boxes in it.
    LooseCell {
        /// The bounds, which have grown to cover its contents.
        aabb: RawAabb,
        /// Number of boxes filed in it.
        population: usize,
    },
    /// A tight cell that lists loose cells.
    TightCell {
        /// Its borders; infinite at the rim of the grid, where it includes everything beyond.
        aabb: RawAabb,
        /// Number of loose cells that it lists.
        listed: usize,
    },
    /// An inner node of the static tree; its descendants follow it.
    Node {
        /// Its cell. Statics may extend beyond it.
        aabb: RawAabb,
        /// Number of nodes above it.
        depth: usize,
    },
    /// A leaf of the static tree.
    Leaf {
        /// Its cell. Statics may extend beyond it.
        aabb: RawAabb,
        /// Number of nodes above it.
        depth: usize,
        /// Number of statics that it lists, disabled ones included.
        population: usize,
    },
}
