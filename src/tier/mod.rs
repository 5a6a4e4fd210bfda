//! The three tiers, each usable alone. They never import each other: what two of them do together lives in `world`.

pub mod loose_grid;
pub(crate) mod part;
pub mod point_grid;
pub mod static_tree;
