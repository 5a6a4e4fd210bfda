//! Pairs in parallel, each with both of its rows to change.
//!
//! The schedule (`schedule.rs`) decides which pairs may be processed at the same time. The only
//! code that hands out rows is in `columns.rs`, with the argument why that is sound.

pub(crate) mod columns;
pub(crate) mod for_each;
pub(crate) mod regions;
pub(crate) mod schedule;
pub(crate) mod schedules;
#[cfg(test)]
mod tests;
