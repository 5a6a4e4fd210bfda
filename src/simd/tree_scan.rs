//! Searches of a packed tree of boxes.
//!
//! Compiled for every instruction set (`compile.rs`).

#![allow(unsafe_code)]

use crate::memory::blocks::SOA_BLOCK_LEN;
use crate::memory::pair_sink::PairSink;
use crate::simd::backend::Backend;
use crate::simd::batch_test::Tests;
use crate::simd::block_mask::overlap_mask;
use crate::simd::output_slots::OutputSlots;
use crate::simd::probe::{PairOrder, Probe};
use crate::simd::raw_columns::RawColumns;
use crate::simd::splat_probe::SplatProbe;
use crate::simd::tree_view::TreeView;
use std::ops::Range;

/// Reports the entries of a tree that overlap each of the probes.
///
/// # Safety
///
/// The instruction set of `B` is available.
#[inline(always)]
pub(super) unsafe fn scan_tree<B: Backend>(
    tests: Tests,
    TreeView { entries, leaves, nodes, roots }: &TreeView<'_>,
    probes: &[Probe],
    order: PairOrder,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    let columns = RawColumns::new(entries, tests.filters);
    let mut slots = OutputSlots::new(sink);
    for probe in probes {
        // SAFETY: the caller vouches for the instruction set.
        let splat = unsafe { SplatProbe::<B>::new(tests, order, probe) };
        for (group, bounds) in roots.iter().enumerate() {
            // SAFETY: the caller vouches for the instruction set.
            for root in set_bits(unsafe { overlap_mask::<B>(bounds, &probe.aabb) }) {
                let root = group * SOA_BLOCK_LEN + root;
                // SAFETY: as above.
                for node in set_bits(unsafe { overlap_mask::<B>(&nodes[root], &probe.aabb) }) {
                    let node = root * SOA_BLOCK_LEN + node;
                    // SAFETY: as above.
                    for leaf in set_bits(unsafe { overlap_mask::<B>(&leaves[node], &probe.aabb) }) {
                        let start = ((node * SOA_BLOCK_LEN + leaf) * SOA_BLOCK_LEN).min(entries.len());
                        let count = (entries.len() - start).min(SOA_BLOCK_LEN);
                        // SAFETY: the run is in the population; columns have filters if these are
                        // tested.
                        unsafe { splat.test_block(columns.skip(start), count, &mut slots)? };
                    }
                }
            }
        }
    }
    slots.finish();
    Some(())
}

/// Reports every overlapping pair of one of the `probes` of a tree and a later entry.
///
/// # Safety
///
/// The instruction set of `B` is available.
#[inline(always)]
pub(super) unsafe fn scan_tree_pairs<B: Backend>(
    tests: Tests,
    TreeView { entries, leaves, nodes, roots }: &TreeView<'_>,
    probes: Range<usize>,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    let columns = RawColumns::new(entries, tests.filters);
    let mut slots = OutputSlots::new(sink);
    for at in probes.start..probes.end.min(entries.len()) {
        // SAFETY: the entry is in the population; the caller vouches for the instruction set.
        let (probe, splat) = unsafe {
            let probe = columns.skip(at).probe(tests.filters);
            (probe, SplatProbe::<B>::new(tests, PairOrder::Ascending, &probe))
        };
        let own_leaf = at / SOA_BLOCK_LEN;
        let own_node = own_leaf / SOA_BLOCK_LEN;
        let own_root = own_node / SOA_BLOCK_LEN;
        for (group, bounds) in roots.iter().enumerate().skip(own_root / SOA_BLOCK_LEN) {
            // SAFETY: the caller vouches for the instruction set.
            let found = unsafe { overlap_mask::<B>(bounds, &probe.aabb) };
            for root in set_bits(from_bit(found, own_root, group)) {
                let root = group * SOA_BLOCK_LEN + root;
                // SAFETY: as above.
                let found = unsafe { overlap_mask::<B>(&nodes[root], &probe.aabb) };
                for node in set_bits(from_bit(found, own_node, root)) {
                    let node = root * SOA_BLOCK_LEN + node;
                    // SAFETY: as above.
                    let found = unsafe { overlap_mask::<B>(&leaves[node], &probe.aabb) };
                    for leaf in set_bits(from_bit(found, own_leaf, node)) {
                        let leaf = node * SOA_BLOCK_LEN + leaf;
                        let end = ((leaf + 1) * SOA_BLOCK_LEN).min(entries.len());
                        let start = (leaf * SOA_BLOCK_LEN).max(at + 1).min(end);
                        // SAFETY: the run is in the population; columns have filters if these are
                        // tested.
                        unsafe { splat.test_block(columns.skip(start), end - start, &mut slots)? };
                    }
                }
            }
        }
    }
    slots.finish();
    Some(())
}

/// The bits of block number `block` from number `first` on, counted over all blocks.
#[inline(always)]
fn from_bit(mask: u32, first: usize, block: usize) -> u32 {
    if first / SOA_BLOCK_LEN == block { mask & (u32::MAX << (first % SOA_BLOCK_LEN)) } else { mask }
}

/// The numbers of the bits that are set, from the lowest on.
#[inline(always)]
fn set_bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (bit < u32::BITS).then_some(bit as usize)
    })
}
