//! avian2d with triphase as its broad phase, and a comparison of the two.

pub mod plugin;
pub mod scene;
pub mod simulation;
