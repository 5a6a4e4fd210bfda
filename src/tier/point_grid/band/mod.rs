//! One band of a point grid: its cells, and the pairs found in them.

pub(crate) mod build;
pub(crate) mod built_band;
pub(crate) mod cell_grid;
pub(crate) mod cell_layout;
mod cell_order;
pub(super) mod cell_searches;
pub(super) mod division;
pub(crate) mod equal_cells;
pub(super) mod fine_columns;
mod keys;
pub(super) mod measure;
pub(crate) mod other_method;
mod own_method;
pub(crate) mod pairs;
pub(crate) mod scratch;
pub(crate) mod slot;
pub(super) mod sweep;
pub(super) mod tables;
