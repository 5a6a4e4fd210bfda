//! The tree against brute force.

mod edits;
mod queries;
mod scenes;
mod tree;
