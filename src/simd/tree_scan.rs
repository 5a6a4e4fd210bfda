//! Searches of a packed tree of boxes.
//!
//! Compiled for every instruction set (`compile.rs`).

#![allow(unsafe_code)]

use crate::geometry::RawAabb;
use crate::memory::bits::set_bits;
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
    tree: &TreeView<'_>,
    probes: &[Probe],
    order: PairOrder,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    let columns = RawColumns::new(&tree.entries, tests.filters);
    let mut slots = OutputSlots::new(sink);
    for probe in probes {
        // SAFETY: the caller vouches for the instruction set; columns have filters if these are
        // tested.
        unsafe {
            let splat = SplatProbe::<B>::new(tests, order, probe);
            search(&splat, &probe.aabb, (tree, columns), 0, &mut slots)?;
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
    tree: &TreeView<'_>,
    probes: Range<usize>,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    let columns = RawColumns::new(&tree.entries, tests.filters);
    let mut slots = OutputSlots::new(sink);
    for at in probes.start..probes.end.min(tree.entries.len()) {
        // SAFETY: the entry is in the population; the caller vouches for the instruction set.
        unsafe {
            let probe = columns.skip(at).probe(tests.filters);
            let splat = SplatProbe::<B>::new(tests, PairOrder::Ascending, &probe);
            search(&splat, &probe.aabb, (tree, columns), at + 1, &mut slots)?;
        }
    }
    slots.finish();
    Some(())
}

/// Tests a probe with this box against the entries of a tree from number `from` on.
///
/// # Safety
///
/// The instruction set of `B` is available. The columns are those of the tree, with filters if the
/// probe tests these.
#[inline(always)]
unsafe fn search<B: Backend>(
    probe: &SplatProbe<B>,
    aabb: &RawAabb,
    (TreeView { entries, leaves, nodes, roots }, columns): (&TreeView<'_>, RawColumns),
    from: usize,
    slots: &mut OutputSlots<'_, '_>,
) -> Option<()> {
    let first_leaf = from / SOA_BLOCK_LEN;
    let first_node = first_leaf / SOA_BLOCK_LEN;
    let first_root = first_node / SOA_BLOCK_LEN;
    for (group, bounds) in roots.iter().enumerate().skip(first_root / SOA_BLOCK_LEN) {
        // SAFETY: the caller vouches for the instruction set.
        let found = unsafe { overlap_mask::<B>(bounds, aabb) };
        for root in set_bits(from_bit(found, first_root, group)) {
            let root = group * SOA_BLOCK_LEN + root;
            // SAFETY: as above.
            let found = unsafe { overlap_mask::<B>(&nodes[root], aabb) };
            for node in set_bits(from_bit(found, first_node, root)) {
                let node = root * SOA_BLOCK_LEN + node;
                // SAFETY: as above.
                let found = unsafe { overlap_mask::<B>(&leaves[node], aabb) };
                for leaf in set_bits(from_bit(found, first_leaf, node)) {
                    let leaf = node * SOA_BLOCK_LEN + leaf;
                    let end = ((leaf + 1) * SOA_BLOCK_LEN).min(entries.len());
                    let start = (leaf * SOA_BLOCK_LEN).max(from).min(end);
                    // SAFETY: the run is in the population; the caller vouches for the rest.
                    unsafe { probe.test_block(columns.skip(start), end - start, slots)? };
                }
            }
        }
    }
    Some(())
}

/// The bits of block number `block` from number `first` on, counted over all blocks.
#[inline(always)]
fn from_bit(mask: u32, first: usize, block: usize) -> u32 {
    if first / SOA_BLOCK_LEN == block { mask & (u32::MAX << (first % SOA_BLOCK_LEN)) } else { mask }
}
