//! Nearest queries and casts, once for both double grids.

pub(super) mod double_grid;
pub(super) mod nearest;
pub(super) mod ray;
