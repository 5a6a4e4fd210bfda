//! A packed tree of boxes, as the kernels read it.

use crate::memory::blocks::SOA_BLOCK_WORDS;
use crate::memory::columns::SoaColumns;

/// The boxes of a packed tree, and the bounds of its leaves, nodes and roots in SoA blocks.
///
/// A leaf is [`SOA_BLOCK_LEN`](crate::memory::blocks::SOA_BLOCK_LEN) entries, the leaves of a node
/// are one block, and so are the nodes of a root. Bounds that there are not are NaN.
#[derive(Clone, Copy)]
pub(crate) struct TreeView<'a> {
    pub(crate) entries: SoaColumns<'a>,
    pub(crate) leaves: &'a [[u32; SOA_BLOCK_WORDS]],
    pub(crate) nodes: &'a [[u32; SOA_BLOCK_WORDS]],
    pub(crate) roots: &'a [[u32; SOA_BLOCK_WORDS]],
}
