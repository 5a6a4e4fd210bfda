//! The columns that a caller passes, validated and read as one run of rows.

pub(crate) mod bodies;
mod body_boxes;
pub(crate) mod changed_rows;
pub(crate) mod chunks;
pub(crate) mod duplicate_ids;
pub(crate) mod filter;
pub(crate) mod rows;
pub(crate) mod statics;
pub(crate) mod strided;
