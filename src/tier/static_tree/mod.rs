//! Tier 3: a quadtree of statics. Statics that change after it was built are in a second, small
//! quadtree, until so many have changed that one tree of all is built again.
//!
//! Nodes are 8 bytes and contain no boxes: the cell of a node is derived while a search descends to
//! it. The four children of a node are contiguous, and so are the lists of all leaves. The boxes of
//! the statics are stored by row and once more by leaf, so a search reads little memory.

mod batches;
pub(crate) mod box_query;
mod build;
mod debug_shapes;
mod edit;
pub(crate) mod group_search;
mod nearest;
mod node;
mod ray;
#[cfg(any(feature = "record", feature = "serde"))]
pub(crate) mod restore;
mod roots;
pub(crate) mod rows;
mod shift;
mod split;
mod subtree;
#[cfg(test)]
mod tests;
pub(crate) mod tree;
pub(crate) mod unique_ids;
#[cfg(test)]
mod validate;

pub use tree::StaticTree;
