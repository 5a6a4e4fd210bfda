//! The point grid against brute force, on adversarial worlds of every kind.

mod cell_lists;
mod column_bands;
mod cross_search;
mod grid;
mod partition;
mod queries;
mod update;
