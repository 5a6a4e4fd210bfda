//! Which boxes of a SoA block overlap an area, as a bit mask: the kernel of queries.

#![allow(unsafe_code)]

use crate::geometry::RawAabb;
use crate::memory::blocks::{SOA_BLOCK_LEN, SOA_BLOCK_WORDS};
use crate::memory::box_group::{GROUP_MAX, GroupEdges};
use crate::memory::box_octet::{OCTET_LEN, OctetEdges};
use crate::simd::backend::Backend;
use crate::simd::batch_test::{Side, hits};
use crate::simd::circle_test::CircleSides;
use crate::simd::vector::{Vector, each_edge};

/// Bit `k` is set if entry `k` of the block overlaps the area. Bits of padding are unspecified.
///
/// # Safety
///
/// The instruction set of `B` is available.
#[inline(always)]
pub(super) unsafe fn overlap_mask<B: Backend>(block: &[u32; SOA_BLOCK_WORDS], area: &RawAabb) -> u32 {
    let columns: &[[f32; SOA_BLOCK_LEN]] = bytemuck::cast_slice(block.as_chunks::<SOA_BLOCK_LEN>().0);
    // SAFETY: the caller vouches for the instruction set.
    unsafe { columns_mask::<B::BlockVector, SOA_BLOCK_LEN>(columns, area) as u32 }
}

/// Bit `k` is set if box `k` of the group overlaps the area. Bits after its boxes are unspecified.
///
/// # Safety
///
/// The instruction set of `B` is available.
#[inline(always)]
pub(super) unsafe fn group_mask<B: Backend>(group: &GroupEdges, area: &RawAabb) -> u64 {
    // SAFETY: the caller vouches for the instruction set.
    unsafe { columns_mask::<B::BlockVector, GROUP_MAX>(group, area) }
}

/// Bit `k` is set if box `k` of the octet overlaps the area.
///
/// # Safety
///
/// The instruction set of `B` is available.
#[inline(always)]
pub(super) unsafe fn octet_mask<B: Backend>(octet: &OctetEdges, area: &RawAabb) -> u32 {
    // SAFETY: the caller vouches for the instruction set.
    unsafe { columns_mask::<B::Vector, OCTET_LEN>(octet, area) as u32 }
}

/// Which boxes overlap the area, as bits. The first four columns are their edges. `LEN` is a
/// multiple of the lanes, and at most 64.
///
/// # Safety
///
/// The instruction set of `V` is available.
#[inline(always)]
unsafe fn columns_mask<V: Vector, const LEN: usize>(columns: &[[f32; LEN]], area: &RawAabb) -> u64 {
    // SAFETY: the caller vouches for the instruction set.
    let area = Side { edges: each_edge!(edge => unsafe { V::splat(area[edge]) }), filters: None };
    let mut mask = 0;
    for lane in (0..LEN).step_by(V::LANES) {
        let edges = each_edge!(edge => {
            let edges = &columns[edge][lane..][..V::LANES];
            // SAFETY: the caller vouches for the instruction set; the slice is as long as a vector.
            unsafe { V::load(edges.as_ptr()) }
        });
        let hits = hits(CircleSides::NONE, &area, &Side { edges, filters: None });
        mask |= u64::from(V::bits(hits)) << lane;
    }
    mask
}

/// [`overlap_mask`] of two blocks, the second one in the upper half.
///
/// # Safety
///
/// The instruction set of `B` is available.
#[inline(always)]
pub(super) unsafe fn overlap_masks<B: Backend>([first, second]: [&[u32; SOA_BLOCK_WORDS]; 2], area: &RawAabb) -> u32 {
    // SAFETY: the caller vouches for the instruction set.
    unsafe { overlap_mask::<B>(first, area) | overlap_mask::<B>(second, area) << SOA_BLOCK_LEN }
}
