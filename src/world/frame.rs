//! All that one step leaves behind: its index and its contacts.

use crate::storage::pages::Block;

#[derive(Default)]
pub(crate) struct Frame {
    pub(crate) row_count: usize,
    pub(crate) ids: Vec<u64>,
    pub(crate) body_blocks: Vec<Block>,
    pub(crate) static_blocks: Vec<Block>,
    pub(crate) body_pair_count: usize,
    pub(crate) static_pair_count: usize,
}
