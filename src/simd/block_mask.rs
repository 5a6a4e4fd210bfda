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
    let lanes = B::BlockVector::LANES;
    // SAFETY: the caller vouches for the instruction set.
    let area = Side { edges: each_edge!(edge => unsafe { B::BlockVector::splat(area[edge]) }), filters: None };
    let mut mask = 0;
    for lane in (0..SOA_BLOCK_LEN).step_by(lanes) {
        let edges = each_edge!(edge => {
            let edges: &[f32] = bytemuck::cast_slice(&block[edge * SOA_BLOCK_LEN + lane..][..lanes]);
            // SAFETY: the caller vouches for the instruction set; the slice is as long as a vector.
            unsafe { B::BlockVector::load(edges.as_ptr()) }
        });
        let hits = hits(CircleSides::NONE, &area, &Side { edges, filters: None });
        mask |= B::BlockVector::bits(hits) << lane;
    }
    mask
}

/// Bit `k` is set if box `k` of the group overlaps the area. Bits after its boxes are unspecified.
///
/// # Safety
///
/// The instruction set of `B` is available.
#[inline(always)]
pub(super) unsafe fn group_mask<B: Backend>(group: &GroupEdges, area: &RawAabb) -> u64 {
    let lanes = B::BlockVector::LANES;
    // SAFETY: the caller vouches for the instruction set.
    let area = Side { edges: each_edge!(edge => unsafe { B::BlockVector::splat(area[edge]) }), filters: None };
    let mut mask = 0;
    for lane in (0..GROUP_MAX).step_by(lanes) {
        let edges = each_edge!(edge => {
            let edges = &group[edge][lane..][..lanes];
            // SAFETY: the caller vouches for the instruction set; the slice is as long as a vector.
            unsafe { B::BlockVector::load(edges.as_ptr()) }
        });
        let hits = hits(CircleSides::NONE, &area, &Side { edges, filters: None });
        mask |= u64::from(B::BlockVector::bits(hits)) << lane;
    }
    mask
}

/// Bit `k` is set if box `k` of the octet overlaps the area.
///
/// # Safety
///
/// The instruction set of `B` is available.
#[inline(always)]
pub(super) unsafe fn octet_mask<B: Backend>(octet: &OctetEdges, area: &RawAabb) -> u32 {
    let lanes = B::Vector::LANES;
    // SAFETY: the caller vouches for the instruction set.
    let area = Side { edges: each_edge!(edge => unsafe { B::Vector::splat(area[edge]) }), filters: None };
    let mut mask = 0;
    for lane in (0..OCTET_LEN).step_by(lanes) {
        let edges = each_edge!(edge => {
            let edges = &octet[edge][lane..][..lanes];
            // SAFETY: the caller vouches for the instruction set; the slice is as long as a vector.
            unsafe { B::Vector::load(edges.as_ptr()) }
        });
        let hits = hits(CircleSides::NONE, &area, &Side { edges, filters: None });
        mask |= B::Vector::bits(hits) << lane;
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
