//! What a world tells about its last step.

use std::fmt;
use std::time::Duration;

/// Time per phase of the last good step. Phases that run in parallel are summed over threads. All zero where the
/// target has no clock.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Phases {
    /// From the call to the return.
    pub total: Duration,
}

/// What the last good step found and how the world stands; `Display` prints it readably.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// Bodies in each point grid (tier 1), smallest bound first.
    pub common: Vec<usize>,
    /// Bodies in the loose grid (tier 2).
    pub oversized: usize,
    /// Statics (tier 3).
    pub statics: usize,
    /// Rows that were skipped.
    pub skipped: usize,
    /// Pairs of bodies.
    pub body_pairs: usize,
    /// Pairs of a body and a static.
    pub static_pairs: usize,
    /// Bytes held for bodies: index, scratch and the previous frame, pairs not counted.
    pub bytes_bodies: usize,
    /// Bytes held for statics.
    pub bytes_statics: usize,
    /// Bytes held for pairs.
    pub bytes_pairs: usize,
    /// Time per phase.
    pub phases: Phases,
    /// What could be set better, if anything.
    pub advice: Option<String>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} oversized, {} statics", self.oversized, self.statics)
    }
}
