//! The double grid of one step: rebuilt from a slice of boxes, everything contiguous.

mod build;
pub(crate) mod grid;
mod plan;
pub(crate) mod query;
#[cfg(test)]
mod validate;
