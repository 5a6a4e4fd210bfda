//! Queries, once for all that can be asked: the tiers alone, and the world of all three.
//!
//! Whoever can be asked offers a few walks; every question is one of them with a test of its own.
//!
//! U1: what is asked for is decided by the predicates of `geometry` alone. How boxes are filed decides which of them are
//!     looked at, and in which order, never which are found.
//! U2: each is reported once, without a memory of what was: structures that list a box in several places report it in the
//!     one that a rule singles out. Rays alone may meet a box again, which changes nothing.
//!
//! - `questions`: [`QueryBuilder`], the builder, and questions of areas.
//! - `hits`: an answer that is drawn one by one, visited, or appended.
//! - `accept`: what hits have to satisfy beside.
//! - `nearest`: the k nearest.
//! - `casts`: rays and sweeps.
//! - `batch`: many questions at once (V).
//! - `walks`: what a structure offers.
//! - `part`: what structures are made of, for people to look at.

mod accept;
mod batch;
pub(crate) mod builder;
pub(crate) mod frame;
mod hits;
mod nearest;
pub(crate) mod ray;
pub(crate) mod source;

pub use crate::query::builder::{Inner, QueryBuilder};
pub use crate::query::ray::CastHit;
pub(crate) use crate::query::source::Search;

pub use accept::{Accept, Anything, Matching};
pub use batch::BatchResults;
pub use hits::Hits;
pub use nearest::Neighbor;

/// What can be asked: [`StaticTree`](crate::tier::static_tree::StaticTree),
/// [`LooseGrid`](crate::tier::loose_grid::LooseGrid), [`PointGrid`](crate::tier::point_grid::PointGrid), and the
/// [`World`](crate::World) of all three. Nothing else can implement it.
pub trait Searchable: Search {}

impl<S: Search> Searchable for S {}
