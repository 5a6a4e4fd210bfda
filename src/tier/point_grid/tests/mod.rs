//! The point grid against brute force, on worlds of every awkward kind.

mod ask;
mod grid;
mod meet;
mod partition;
