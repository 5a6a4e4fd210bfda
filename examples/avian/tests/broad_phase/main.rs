//! triphase's plugin and avian's own broad phase in the same worlds, with the same pairs.

mod edges;
mod soup;
mod twins;
