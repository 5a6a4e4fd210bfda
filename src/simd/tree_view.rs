//! A packed tree of boxes, as the kernels read it.

use crate::memory::blocks::SOA_BLOCK_WORDS;
use crate::memory::columns::SoaColumns;

/// The boxes of a packed tree, and the bounds of its leaves and nodes in SoA blocks.
///
/// A leaf is [`SOA_BLOCK_LEN`](crate::memory::blocks::SOA_BLOCK_LEN) entries, and the leaves of a
/// node are one block. Bounds of leaves and nodes that there are not are NaN.
#[derive(Clone, Copy)]
pub(crate) struct TreeView<'a> {
    pub(crate) entries: SoaColumns<'a>,
    pub(crate) leaves: &'a [[u32; SOA_BLOCK_WORDS]],
    pub(crate) nodes: &'a [[u32; SOA_BLOCK_WORDS]],
}
