//! Which boxes of a block overlap an area, as a mask of bits: what questions are made of.

#![allow(unsafe_code)]

use super::*;
use crate::memory::blocks::{SOA_BLOCK_LEN, SOA_BLOCK_WORDS, SoaBlocks};

/// The words of a block (X1).
type Block = [u32; SOA_BLOCK_WORDS];

/// The bits of the entries of a range that are in the block with this number.
#[inline(always)]
pub(crate) fn run_mask(run: &Range<usize>, block: usize) -> u32 {
    let base = block * SOA_BLOCK_LEN;
    let (first, end) = (run.start.saturating_sub(base), (run.end - base).min(SOA_BLOCK_LEN));
    ((1 << end) - 1) & !((1 << first) - 1)
}

/// Bytes of a cache line.
const LINE: usize = 64;

/// Asks for the memory of some items, of a block say, which will be read soon.
#[inline(always)]
pub(crate) fn prefetch<T>(items: &[T]) {
    #[cfg(target_arch = "x86_64")]
    for line in items.chunks((LINE / size_of::<T>()).max(1)) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing that the program can see, and processors without it do nothing instead.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = items;
}

#[inline(always)]
pub(crate) fn portable(block: &Block, area: &RawAabb) -> u32 {
    let edge = |edge: usize, lane: usize| f32::from_bits(block[edge * SOA_BLOCK_LEN + lane]);
    let mut mask = 0;
    for lane in 0..SOA_BLOCK_LEN {
        let x = (area[0] <= edge(2, lane)) & (area[2] >= edge(0, lane));
        let y = (area[1] <= edge(3, lane)) & (area[3] >= edge(1, lane));
        mask |= u32::from(x & y) << lane;
    }
    mask
}

/// The entries of blocks that overlap an area, one by one.
#[derive(Clone)]
pub(crate) struct OverlapIter<'a> {
    level: DetectedSimd,
    blocks: SoaBlocks<'a>,
    area: RawAabb,
    /// Blocks before this one were tested.
    tested: usize,
    /// Those of the last one tested that overlap and were not handed on yet.
    mask: u32,
}

impl<'a> OverlapIter<'a> {
    pub(crate) fn new(level: DetectedSimd, blocks: SoaBlocks<'a>, area: RawAabb) -> Self {
        Self { level, blocks, area, tested: 0, mask: 0 }
    }
}

impl Iterator for OverlapIter<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.mask == 0 {
            if self.tested * SOA_BLOCK_LEN >= self.blocks.len() {
                return None;
            }
            let held = run_mask(&(0..self.blocks.len()), self.tested);
            self.mask = self.level.overlap_mask(self.blocks.block(self.tested), &self.area) & held;
            self.tested += 1;
        }
        let entry = (self.tested - 1) * SOA_BLOCK_LEN + self.mask.trailing_zeros() as usize;
        self.mask &= self.mask - 1;
        Some(entry)
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use x86::*;

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::*;
    use std::arch::x86_64::*;

    /// The four edges of the entries from a lane on. Each vector that is read from there lies in the block, as long as it
    /// ends with the lanes.
    #[inline(always)]
    fn edges(block: &Block, lane: usize) -> [*const f32; 4] {
        debug_assert!(lane < SOA_BLOCK_LEN);
        [0, 1, 2, 3].map(|edge| block[edge * SOA_BLOCK_LEN + lane..].as_ptr().cast())
    }

    #[inline(always)]
    pub(crate) fn sse2(block: &Block, area: &RawAabb) -> u32 {
        let mut mask = 0;
        // SAFETY: `SOA_BLOCK_LEN` is a multiple of 4, so vectors end within the block; every x86-64 has SSE2.
        unsafe {
            let [low_x, low_y, high_x, high_y] = area.map(|edge| _mm_set1_ps(edge));
            for lane in (0..SOA_BLOCK_LEN).step_by(4) {
                let [min_x, min_y, max_x, max_y] = edges(block, lane).map(|edge| _mm_loadu_ps(edge));
                let x = _mm_and_ps(_mm_cmple_ps(low_x, max_x), _mm_cmpge_ps(high_x, min_x));
                let y = _mm_and_ps(_mm_cmple_ps(low_y, max_y), _mm_cmpge_ps(high_y, min_y));
                mask |= (_mm_movemask_ps(_mm_and_ps(x, y)) as u32) << lane;
            }
        }
        mask
    }

    #[target_feature(enable = "avx2")]
    pub(crate) fn avx2(block: &Block, area: &RawAabb) -> u32 {
        let mut mask = 0;
        let [low_x, low_y, high_x, high_y] = area.map(|edge| _mm256_set1_ps(edge));
        for lane in (0..SOA_BLOCK_LEN).step_by(8) {
            // SAFETY: `SOA_BLOCK_LEN` is a multiple of 8, so vectors end within the block.
            let [min_x, min_y, max_x, max_y] = edges(block, lane).map(|edge| unsafe { _mm256_loadu_ps(edge) });
            let x =
                _mm256_and_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(low_x, max_x), _mm256_cmp_ps::<_CMP_GE_OQ>(high_x, min_x));
            let y =
                _mm256_and_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(low_y, max_y), _mm256_cmp_ps::<_CMP_GE_OQ>(high_y, min_y));
            mask |= (_mm256_movemask_ps(_mm256_and_ps(x, y)) as u32) << lane;
        }
        mask
    }

    #[target_feature(enable = "avx512f")]
    pub(crate) fn avx512(block: &Block, area: &RawAabb) -> u32 {
        let [low_x, low_y, high_x, high_y] = area.map(|edge| _mm512_set1_ps(edge));
        // SAFETY: a vector is as long as a block has lanes.
        let [min_x, min_y, max_x, max_y] = edges(block, 0).map(|edge| unsafe { _mm512_loadu_ps(edge) });
        let x = _mm512_cmp_ps_mask::<_CMP_LE_OQ>(low_x, max_x);
        let x = _mm512_mask_cmp_ps_mask::<_CMP_GE_OQ>(x, high_x, min_x);
        let y = _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(x, low_y, max_y);
        u32::from(_mm512_mask_cmp_ps_mask::<_CMP_GE_OQ>(y, high_y, min_y))
    }

    #[target_feature(enable = "avx512f")]
    pub(crate) fn avx512_two(first: &Block, second: &Block, area: &RawAabb) -> u32 {
        avx512(first, area) | avx512(second, area) << SOA_BLOCK_LEN
    }
}
