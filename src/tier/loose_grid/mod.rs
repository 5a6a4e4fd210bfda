//! Tier 2: loose/tight double grids, for boxes of any size.
//!
//! A box is filed once, however large it is, in the loose cell that contains its center. The bounds
//! of a loose cell grow to cover all boxes filed in it. In a coarser tight grid, each tight cell
//! lists the loose cells whose bounds touch it. A search reads the lists of the tight cells that it
//! touches, and visits the loose cells whose bounds it overlaps.
//!
//! Two structures are built this way. [`LooseGrid`] persists over many frames and is changed
//! through handles. The grid inside a [`World`](crate::World) is rebuilt in each step, so its boxes
//! and lists are contiguous in memory.
//!
//! # Source
//!
//! A grid of cells that expand to fit their contents, under a coarser grid that finds those cells,
//! was described by the author known as "Dragon Energy", in an answer on Stack Overflow about
//! quadtrees and grids for collision detection. The limits on memory, the groups of crowded
//! cells and the layout of the rebuilt grid are this crate's.

mod axis;
mod cell;
pub(crate) mod handles;
mod indices;
mod map;
pub(crate) mod rebuilt;
#[cfg(test)]
mod tests;
mod walk;

pub use handles::grid::LooseGrid;
pub use handles::slots::LooseHandle;
