//! Both double grids against brute force, on worlds of every awkward kind.

mod handles;
mod rebuilt;
mod scenes;
