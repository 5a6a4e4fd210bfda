//! Contact pairs of a 2D world, once a frame, from slices.

pub mod config;
pub mod geometry;
pub mod reference;

mod bodies;
mod error;
mod kernel;
mod pair;
mod parallel;
mod storage;
pub mod tier;
mod world;

pub use bodies::{Bodies, Statics};
pub use config::{BadRows, Simd, WorldConfig};
pub use error::{BadRow, Column, Error};
pub use geometry::{Aabb, BadBox};
pub use glam;
pub use pair::{Hit, Pair, StaticPair};
pub use world::{Contacts, GridReport, Pairs, Phases, Report, World};
