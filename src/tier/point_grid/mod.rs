//! Tier 1: bodies of common size, each filed once, as a point.

pub(crate) mod axis;
pub(crate) mod band;
mod classes;
pub(crate) mod index;
pub(crate) mod partition;
pub(crate) mod plan;
pub(crate) mod rows;
pub(crate) mod splitter;
