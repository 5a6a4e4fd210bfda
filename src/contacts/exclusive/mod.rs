//! Parallel loops over pairs that may change both rows of each.
//!
//! The schedule (`schedule.rs`) determines which pairs may be processed at the same time. The only
//! code that lends rows is in `columns.rs`, with the argument for its soundness.

pub(crate) mod columns;
pub(crate) mod for_each;
pub(crate) mod regions;
pub(crate) mod schedule;
pub(crate) mod schedules;
#[cfg(test)]
mod tests;
