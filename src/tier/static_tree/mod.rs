//! Tier 3: a quadtree of statics, which is built once.
//!
//! Nodes are 8 bytes and contain no boxes: cells are derived during the descent. Four siblings are
//! contiguous, the lists of all leaves are one array, and the boxes of the statics are stored by
//! row and once more by leaf, so a search touches little memory.

pub(crate) mod box_query;
mod build;
mod nearest;
mod node;
mod parts;
mod ray;
mod roots;
mod shift;
mod split;
mod subtree;
#[cfg(test)]
mod tests;
pub(crate) mod tree;
#[cfg(test)]
mod validate;

pub use tree::StaticTree;
