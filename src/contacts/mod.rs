//! What becomes of the pairs of a step: views, partners, events, islands, loops with mutable rows, streams.

pub(crate) mod by_row;
pub(crate) mod contacts;
pub(crate) mod events;
pub(crate) mod exclusive;
pub(crate) mod islands;
pub(crate) mod partners;
pub mod stream;
