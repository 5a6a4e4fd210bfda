//! One band of a point grid: its cells, and the pairs found in them.
//!
//! | type | what it is | where it is |
//! |---|---|---|
//! | `BandSlot` | a band of `Bands`: its `Band`, axes, and ranges of places and tables | the frame |
//! | `Band` | its cells, bounds and reach; neither bodies nor tables | the slot |
//! | `RawBand` | a band as it was filed: records in pieces | its task, until `build` |
//! | `BuiltBand` | its bodies sorted by cell, whose pairs can be found | its task, until `keep` |
//! | `CellGrid` | the numbers of columns and rows, and the map of each axis | `Band` |
//! | `CellStarts` | the table of where the bodies of each cell begin | the tables |
//! | `CellLookup` | finds the cells of a box | made for a search |
//! | `CellView`, `FiledCells` | `CellStarts` with the bodies in columns, in blocks | made for a search |

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
