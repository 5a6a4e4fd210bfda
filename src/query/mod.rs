//! Queries between steps: boxes in an area, nearest boxes, ray casts and shape casts.
//!
//! [`QueryBuilder`] has every restriction and every query. [`World`](crate::World) and
//! [`Snapshot`](crate::Snapshot) return one that finds [`Hit`](crate::Hit)s; a tier that is used
//! alone returns one that finds its own rows or handles.
//!
//! What a query finds depends only on the boxes and the shape. The structures that store the boxes
//! determine the order of hits. Each box is found once.

// QUERY-1: the predicates of `geometry` alone decide what a query finds. How boxes are filed
// decides only which of them are tested, and in which order.
//
// QUERY-2: each box is reported once, without a set of visited boxes: a structure that lists a box
// in several places reports it from one of them. Only casts may visit a box twice.

mod batch;
mod box_queries;
mod builder;
mod cast;
mod cast_hit;
mod frame;
mod hits;
mod nearest;
mod neighbor;
pub(crate) mod source;
mod tiers;

pub use batch::BatchResults;
pub use builder::{QueryBuilder, Tier};
pub use cast_hit::CastHit;
pub use hits::Hits;
pub use neighbor::Neighbor;
