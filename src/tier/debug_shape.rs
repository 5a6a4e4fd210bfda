//! The parts that the tiers are made of, for drawing and debugging.

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
        /// How many bodies are filed in it.
        population: usize,
        /// How many columns and rows of cells it has.
        cells: [usize; 2],
    },
    /// A cell with bodies in it, of the last band before it.
    Cell {
        /// Its borders up to rounding, clipped to where lower corners of the band's bodies lie.
        aabb: RawAabb,
        /// How many bodies have their lower corner in it.
        population: usize,
    },
    /// A loose cell with boxes in it.
    LooseCell {
        /// The box that has grown to cover its contents.
        aabb: RawAabb,
        /// How many boxes are filed in it.
        population: usize,
    },
    /// A tight cell that lists loose cells.
    TightCell {
        /// Its borders; infinite at the rim of the grid, which takes in everything beyond.
        aabb: RawAabb,
        /// How many loose cells it lists.
        listed: usize,
    },
    /// An inner node of the static tree; its descendants follow it.
    Node {
        /// Its cell. Statics may reach out of it.
        aabb: RawAabb,
        /// How many nodes are above it.
        depth: usize,
    },
    /// A leaf of the static tree.
    Leaf {
        /// Its cell. Statics may reach out of it.
        aabb: RawAabb,
        /// How many nodes are above it.
        depth: usize,
        /// How many statics it lists, disabled ones included.
        population: usize,
    },
}
