//! The point grid against brute force, on adversarial worlds of every kind.

mod cross_search;
mod grid;
mod partition;
mod queries;
