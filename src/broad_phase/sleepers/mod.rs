//! Bodies that sleep: filed once, and left where they are while they are unchanged.
//!
//! Beside the bands that each step builds there are bands of *cached* bodies, with the pairs of those
//! with each other and with statics. A step compares all rows with what is cached. A row that is equal
//! costs no more than that. All other rows are *awake*: they go through the phases of a step as if
//! they were all bodies, and are then searched for in the bands of cached bodies. A cached body that
//! has changed is *stale*: it stays in those bands until they are rebuilt, and is left out of results.
//!
//! In the order of a step: `cached_rows` compares, `policy` decides, `cache` rebuilds and steps,
//! `cached_pairs` drops the pairs of stale rows, `cross` finds the pairs of awake and cached bodies.

pub(crate) mod cache;
pub(crate) mod cached_pairs;
pub(crate) mod cached_rows;
pub(crate) mod cross;
pub(crate) mod policy;

pub(crate) use crate::broad_phase::sleepers::cached_pairs::StandingPairs;
