//! The tree against brute force.

mod queries;
mod scenes;
mod tree;
