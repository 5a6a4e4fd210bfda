//! The parts of a structure, for people to look at.

use crate::geometry::RawAabb;

/// A part of a tier's structure, for drawing and debugging. Boxes are `min_x, min_y, max_x, max_y` in world units.
///
/// What a structure is made of may change between versions.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Part {
    /// A band of a point grid: the unit of parallel work.
    Band {
        /// The smallest box that covers its bodies.
        aabb: RawAabb,
        /// Bodies filed in it.
        population: usize,
        /// Columns and rows of cells.
        cells: [usize; 2],
    },
    /// A cell of the band before it, with bodies in it.
    Cell {
        /// Its borders, but for rounding, as far as lower corners of bodies of the band lie.
        aabb: RawAabb,
        /// Bodies whose lower corner lies in it.
        population: usize,
    },
    /// A loose cell with bodies in it.
    LooseCell {
        /// The box that has grown around its bodies.
        aabb: RawAabb,
        /// Bodies filed in it.
        population: usize,
    },
    /// A tight cell that lists loose cells.
    TightCell {
        /// Its borders; infinite at the rim, where it holds whatever lies outside.
        aabb: RawAabb,
        /// Loose cells that it lists.
        listed: usize,
    },
    /// An inner node of the static tree; what is below it follows.
    Node {
        /// Its cell, derived on the way down. Statics may reach out of it.
        aabb: RawAabb,
        /// Nodes above it.
        depth: usize,
    },
    /// A leaf of the static tree.
    Leaf {
        /// Its cell, derived on the way down. Statics may reach out of it.
        aabb: RawAabb,
        /// Nodes above it.
        depth: usize,
        /// Statics that it lists, disabled ones included.
        population: usize,
    },
}
