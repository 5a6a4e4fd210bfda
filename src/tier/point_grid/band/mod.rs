//! One band of a point grid: its cells, and the pairs found in them.

pub(crate) mod build;
pub(crate) mod built;
pub(crate) mod crowded;
mod keys;
mod layout;
