//! The three tiers of a [`World`](crate::World), each usable alone.

// They never import each other: what two of them do together is in `broad_phase`, and queries are
// in `query`.

pub(crate) mod box_test;
mod debug_shape;
pub(crate) mod fixed_boxes;
pub mod loose_grid;
pub mod point_grid;
pub mod static_tree;
pub(crate) mod sweep;

pub use debug_shape::DebugShape;
