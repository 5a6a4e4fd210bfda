//! Sleeping bodies: filed once, and kept there while they are unchanged.
//!
//! Besides the bands that each step builds, there are bands of *cached* bodies, with the pairs of
//! these bodies with each other and with statics. A step compares all rows with the cached ones. A
//! row that is equal costs no more than this. All other rows are *awake*: they go through the
//! phases of a step as if there were no others, and then search the bands of cached bodies. A
//! cached body that has changed is *stale*: it stays in those bands until they are rebuilt, and is
//! excluded from results.
//!
//! In the order of a step: `cached_rows` compares, `policy` decides, `cache` rebuilds and steps,
//! `cached_pairs` drops the pairs of stale rows, `cross` finds the pairs of awake and cached
//! bodies.

pub(crate) mod cache;
pub(crate) mod cached_pairs;
pub(crate) mod cached_rows;
pub(crate) mod cross;
pub(crate) mod policy;
