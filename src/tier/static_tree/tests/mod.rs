//! The tree against brute force.

mod edits;
mod queries;
pub(super) mod scenes;
mod tree;
