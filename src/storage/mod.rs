//! Memory that outlives a step: pages of pairs, bit sets, arenas.

pub(crate) mod bitset;
pub(crate) mod pages;
