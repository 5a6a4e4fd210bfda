//! The entries of SoA blocks that overlap an area.

use crate::geometry::RawAabb;
use crate::memory::blocks::{SOA_BLOCK_LEN, SoaBlocks};
use crate::simd::detected::DetectedSimd;
use std::ops::Range;

/// The bits of the entries of a run that are in the block number `block`.
///
/// The run must have entries in that block.
#[inline(always)]
pub(crate) fn run_mask(run: &Range<usize>, block: usize) -> u32 {
    let base = block * SOA_BLOCK_LEN;
    let (first, end) = (run.start.saturating_sub(base), (run.end - base).min(SOA_BLOCK_LEN));
    ((1 << end) - 1) & !((1 << first) - 1)
}

/// An iterator over the entries of blocks that overlap an area.
#[derive(Clone)]
pub(crate) struct OverlapIter<'a> {
    simd: DetectedSimd,
    blocks: SoaBlocks<'a>,
    area: RawAabb,
    /// The first block that has not been tested yet.
    next_block: usize,
    /// The entries of the block before it that overlap and have not been returned yet.
    mask: u32,
}

impl<'a> OverlapIter<'a> {
    pub(crate) fn new(simd: DetectedSimd, blocks: SoaBlocks<'a>, area: RawAabb) -> Self {
        Self { simd, blocks, area, next_block: 0, mask: 0 }
    }
}

impl Iterator for OverlapIter<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.mask == 0 {
            if self.next_block * SOA_BLOCK_LEN >= self.blocks.len() {
                return None;
            }
            let entries = run_mask(&(0..self.blocks.len()), self.next_block);
            self.mask = self.simd.overlap_mask(self.blocks.block(self.next_block), &self.area) & entries;
            self.next_block += 1;
        }
        let entry = (self.next_block - 1) * SOA_BLOCK_LEN + self.mask.trailing_zeros() as usize;
        self.mask &= self.mask - 1;
        Some(entry)
    }
}
