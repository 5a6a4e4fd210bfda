//! Tier 1: point grids, for boxes of about one size.
//!
//! A box is filed once, as a point, in the one cell that holds its lower corner; cells are at least as wide as the
//! largest box, so partners are at most one cell away, and neighbouring cells of a row are contiguous: a search reads
//! runs. Sizes that differ too much to share cells are classes, a grid each. The rows of a grid are cut into bands that
//! are built and searched in the cache; within the crate they are the units of parallel work too.
//!
//! Grids that file each object in one cell, one grid for each range of sizes, are described by Christer Ericson in
//! *Real-Time Collision Detection* (7.1 and 7.2); sorting by cell, so that what is near is contiguous, by Simon Green in
//! *Particle Simulation using CUDA*. Classes chosen by estimate, bands of equal population, and cells that are joined
//! or found by comparison where a world is uneven are added.
//!
//! The steps, in order, each with its invariants: `plan` (N: classes and bands from a sample, by `classes` and
//! `splitter`), `partition` (R: each body to its band), `band` (P: cells over `axis`, A), `pass` (the pairs of a band),
//! `index` (what is kept), `directory` (D: which bands an area meets), `search` (S), `near` (E) and `met` (M: the walks of
//! questions), `meet` (two grids). [`PointGrid`] is all of them as one type.

pub(crate) mod axis;
pub(crate) mod band;
pub(crate) mod bands;
pub(crate) mod box_query;
mod classes;
pub(crate) mod cross;
mod directory;
pub(crate) mod nearest;
pub(crate) mod partition;
pub(crate) mod parts;
pub(crate) mod plan;
pub(crate) mod point_grid;
pub(crate) mod ray;
mod route;
pub(crate) mod splitter;
#[cfg(test)]
mod tests;

pub use crate::tier::point_grid::point_grid::PointGrid;
