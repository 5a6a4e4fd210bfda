//! Tier 1: point grids, for boxes of about one size.
//!
//! A box is filed once, as a point, in the cell that contains its lower corner. Cells are at least
//! as wide as the largest box, so overlapping boxes are at most one cell apart. Adjacent cells of a
//! row are contiguous in memory, so a search reads whole runs of boxes. Boxes whose sizes differ
//! too much to share cells are divided into *size classes*, with a grid each; so are wide and tall
//! boxes of one size. A grid is divided into *bands*: strips with about as many boxes each, which
//! are divided across too where they are crowded. Each band has cells of its own and fits the
//! cache, and one task builds and searches it. Where it is faster, boxes of many sizes share a band
//! with columns that are finer than boxes.
//!
//! Source: grids that file each object in one cell, one grid for each range of sizes, are described
//! by Christer Ericson in *Real-Time Collision Detection* (7.1 and 7.2); sorting by cell, so that
//! neighbors are contiguous, by Simon Green in *Particle Simulation using CUDA*. Size classes
//! chosen by estimated cost, bands of equal population, and cells that are merged or found by
//! comparison in uneven worlds are this crate's.

// In the order of a step: `filing` plans size classes and bands from a sample (`size_classes`,
// `orientation`, `planner`) and distributes bodies to bands (`route`, `partition`); each band
// chooses its cells (`band/cell_layout`, `band/fine_columns`), sorts its bodies (`band/build`) and
// finds its pairs (`band/own_method`, `band/other_method`); `bands` keeps all of them for queries
// (`box_query`, `nearest`, `ray`).
// `PointGrid` is all of this as one public type.

mod axis;
pub(crate) mod band;
mod band_borders;
mod band_count;
pub(crate) mod bands;
pub(crate) mod box_query;
pub(crate) mod cell_lists;
pub(crate) mod column_bands;
pub(crate) mod cross_search;
pub(crate) mod debug_shapes;
mod destinations;
mod directory;
mod extremes;
pub(crate) mod filing;
pub(crate) mod nearest;
mod orientation;
pub(crate) mod partition;
mod pieces;
mod places;
mod plan;
mod planner;
pub(crate) mod point_grid;
pub(crate) mod ray;
mod rooms;
mod route;
mod sampled_strips;
pub(crate) mod size_classes;
#[cfg(test)]
mod tests;
pub(crate) mod update;

pub use crate::tier::point_grid::point_grid::PointGrid;
