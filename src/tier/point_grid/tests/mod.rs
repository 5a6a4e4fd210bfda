//! The point grid against brute force, on adversarial worlds of every kind.

mod ask;
mod cross_search;
mod grid;
mod partition;
pub(super) mod scenes;
