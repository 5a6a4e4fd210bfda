//! The contacts of a step: views, partner lists, events, islands, loops that change rows, streams.

pub(crate) mod by_row;
pub(crate) mod changes;
#[allow(clippy::module_inception, reason = "the view of contacts")]
pub(crate) mod contacts;
pub(crate) mod events;
pub(crate) mod exclusive;
pub(crate) mod islands;
pub(crate) mod partners;
pub(crate) mod store;
pub mod stream;
