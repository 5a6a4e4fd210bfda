//! The point grid against brute force, on worlds of every awkward kind.

mod grid;
pub(super) mod scenes;
