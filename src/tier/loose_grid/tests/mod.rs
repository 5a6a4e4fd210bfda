//! Both double grids against brute force, on worlds of every awkward kind.

mod handles;
mod questions;
mod rebuilt;
mod scenes;
mod walks;
