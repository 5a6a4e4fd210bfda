//! The parts of the tiers' structures, for debug drawing.

use crate::geometry::RawAabb;

/// A part of a tier's structure, for debug drawing.
///
/// Boxes are `min_x, min_y, max_x, max_y` in world units. Which parts a structure has may change
/// between versions of this crate.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum DebugShape {
    /// A band of a point grid: a part with cells of its own, which one task handles.
    Band {
        /// The smallest box that covers its bodies.
        aabb: RawAabb,
        /// Number of bodies filed in it.
        population: usize,
        /// Number of columns of cells, and of rows.
        cells: [usize; 2],
        /// Number of ghosts filed in it: copies of bodies of other bands that may reach into it.
        ghosts: usize,
        /// Index, in the rayon pool of the step, of the thread that built it and searched for its
        /// pairs, or the number of its threads for a thread that called the step from outside. It
        /// depends on timing. 0 if the step used one thread.
        thread: usize,
    },
    /// A ghost in the band visited last: a copy of a body of another band that may reach into it.
    ///
    /// It is as it was when all rows were filed last; a
    /// [`World::step_changed`](crate::World::step_changed) does not change it. Not visited after
    /// `shrink_to_fit`, or after a shift of the origin.
    Ghost {
        /// The box of the body.
        aabb: RawAabb,
        /// Row of the body.
        row: u32,
    },
    /// A cell with bodies. It belongs to the band visited last.
    Cell {
        /// Its edges up to rounding, clipped to the box around the lower corners of the band's
        /// bodies.
        aabb: RawAabb,
        /// Number of bodies whose lower corner is in it.
        population: usize,
    },
    /// A loose cell with boxes in it.
    LooseCell {
        /// Its box, which has grown to cover its contents.
        aabb: RawAabb,
        /// Number of boxes filed in it.
        population: usize,
    },
    /// A tight cell that lists loose cells.
    TightCell {
        /// Its edges. Those at the edge of the grid are infinite.
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
