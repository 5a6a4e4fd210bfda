//! The instruction set of this machine, detected once, and the choice of kernels by it.

#![allow(unsafe_code)]

use crate::config::SimdLevel;
use crate::geometry::RawAabb;
use crate::memory::blocks::SOA_BLOCK_WORDS;
use crate::memory::box_group::GroupEdges;
use crate::memory::box_octet::OctetEdges;
use crate::memory::columns::SoaColumns;
use crate::memory::list_columns::ListColumns;
use crate::memory::pair_sink::PairSink;
use crate::simd::batch_test::Tests;
use crate::simd::cell_view::{CellRect, CellView};
use crate::simd::circle_test::CircleSides;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
use crate::simd::neon;
#[cfg(any(not(target_arch = "x86_64"), debug_assertions, test))]
use crate::simd::portable as lowest;
use crate::simd::probe::{PairOrder, Probe, ProbeBatch};
#[cfg(all(target_arch = "x86_64", not(any(debug_assertions, test))))]
use crate::simd::sse2 as lowest;
use crate::simd::tree_view::TreeView;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::simd::wasm128;
#[cfg(target_arch = "x86_64")]
use crate::simd::{avx2, avx512, sse2};
use std::ops::Range;

/// The levels that code is compiled for, in ascending order.
///
/// Every x86-64 has SSE2, so there the portable kernels are for tests only.
pub(super) const TARGET_LEVELS: &[SimdLevel] = &[
    #[cfg(any(not(target_arch = "x86_64"), debug_assertions, test))]
    SimdLevel::Portable,
    #[cfg(target_arch = "x86_64")]
    SimdLevel::Sse2,
    #[cfg(target_arch = "x86_64")]
    SimdLevel::Avx2,
    #[cfg(target_arch = "x86_64")]
    SimdLevel::Avx512,
    #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
    SimdLevel::Neon,
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    SimdLevel::Simd128,
];

/// A SIMD level that this machine supports.
///
/// DETECTED-1: values are created by detection only, so the instruction set is available.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DetectedSimd(SimdLevel);

/// Code that is compiled for each instruction set, so that the compiler vectorizes it with that
/// set.
///
/// `run` and the functions that it calls in loops must be `#[inline(always)]`: only what is inlined
/// into the caller is compiled with the caller's features.
pub(crate) trait SimdJob {
    type Output;

    fn run(self) -> Self::Output;
}

impl Default for DetectedSimd {
    fn default() -> Self {
        Self::detect(None)
    }
}

/// Calls a kernel of the given level.
macro_rules! dispatch {
    ($simd:expr, $kernel:ident $(::<$($generic:tt),+>)? ($($argument:expr),*)) => {
        match $simd.0 {
            // SAFETY: the instruction set is available (DETECTED-1).
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx512 => unsafe { avx512::$kernel$(::<$($generic),+>)?($($argument),*) },
            // SAFETY: the instruction set is available (DETECTED-1).
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx2 => unsafe { avx2::$kernel$(::<$($generic),+>)?($($argument),*) },
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Sse2 => sse2::$kernel$(::<$($generic),+>)?($($argument),*),
            #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
            SimdLevel::Neon => neon::$kernel$(::<$($generic),+>)?($($argument),*),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            SimdLevel::Simd128 => wasm128::$kernel$(::<$($generic),+>)?($($argument),*),
            _ => lowest::$kernel$(::<$($generic),+>)?($($argument),*),
        }
    };
}

/// Calls a scan of the given level, with these tests.
macro_rules! dispatch_scan {
    ($simd:expr, $scan:ident($tests:expr, $($argument:expr),*)) => {{
        let tests = $tests;
        if tests == Tests::BOXES {
            dispatch!($simd, $scan::<true>(tests, $($argument),*))
        } else {
            dispatch!($simd, $scan::<false>(tests, $($argument),*))
        }
    }};
}

impl DetectedSimd {
    /// The best level of this machine that is at most `max`. A `max` of another target is no limit.
    pub(crate) fn detect(max: Option<SimdLevel>) -> Self {
        let best = best_level();
        let is_of_target = |max: &SimdLevel| *max == SimdLevel::Portable || TARGET_LEVELS.contains(max);
        let level = max.filter(is_of_target).map_or(best, |max| best.min(max));
        Self(level.max(TARGET_LEVELS[0]))
    }

    /// Runs a job, compiled for this level.
    #[inline]
    pub(crate) fn run<J: SimdJob>(self, job: J) -> J::Output {
        dispatch!(self, run(job))
    }

    /// Reports the pairs of each of the `probes` with a later entry of a grid of cells that
    /// overlaps it, rows ascending in each pair.
    ///
    /// `keys` are those of the entries, in their order. `None` once the pair limit is exceeded.
    #[inline]
    pub(crate) fn scan_cells(
        self,
        cells: &CellView<'_>,
        keys: &[u32],
        probes: Range<usize>,
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        match (cells.columns().filters().is_some(), cells.columns().circles()) {
            (false, false) => dispatch!(self, scan_cells::<false, false>(cells, keys, probes, sink)),
            (false, true) => dispatch!(self, scan_cells::<false, true>(cells, keys, probes, sink)),
            (true, false) => dispatch!(self, scan_cells::<true, false>(cells, keys, probes, sink)),
            (true, true) => dispatch!(self, scan_cells::<true, true>(cells, keys, probes, sink)),
        }
    }

    /// Reports the entries in rectangles of cells that overlap the probe of each, by probe.
    ///
    /// Probes are circles if `are_circles`, entries if their columns say so. `None` once the pair
    /// limit is exceeded.
    #[inline]
    pub(crate) fn scan_rects(
        self,
        cells: &CellView<'_>,
        searches: &[(CellRect, Probe)],
        order: PairOrder,
        are_circles: bool,
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        dispatch_scan!(self, scan_rects(Tests::of(cells.columns(), are_circles), cells, searches, order, sink))
    }

    /// Reports the entries of a tree that overlap each of the probes, by probe.
    ///
    /// Probes are circles if `are_circles`, entries if their columns say so. `None` once the pair
    /// limit is exceeded.
    #[inline]
    pub(crate) fn scan_tree(
        self,
        tree: &TreeView<'_>,
        probes: &[Probe],
        order: PairOrder,
        are_circles: bool,
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        dispatch_scan!(self, scan_tree(Tests::of(&tree.entries, are_circles), tree, probes, order, sink))
    }

    /// Reports every overlapping pair of one of the `probes` of a tree and a later entry, rows
    /// ascending in each pair. `None` once the pair limit is exceeded.
    #[inline]
    pub(crate) fn scan_tree_pairs(
        self,
        tree: &TreeView<'_>,
        probes: Range<usize>,
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        dispatch_scan!(self, scan_tree_pairs(Tests::of(&tree.entries, tree.entries.circles()), tree, probes, sink))
    }

    /// Reports the pairs of a probe and an entry of its list that overlap, by probe, the row of the
    /// probe first.
    ///
    /// `ranges` has the start and the end of a list for each of the probes from `first` on. With
    /// `are_exchanged`, x and y of the probes are. Probes may be circles; either side may have
    /// filters. `None` once the pair limit is exceeded.
    #[inline]
    pub(crate) fn scan_lists(
        self,
        probes: (&SoaColumns<'_>, usize),
        (lists, ranges): (&ListColumns, &[[u32; 2]]),
        are_exchanged: bool,
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        let circles = CircleSides { probe: probes.0.circles(), entries: false };
        let tests = Tests { filters: lists.filters().is_some(), circles };
        dispatch_scan!(self, scan_lists(tests, probes, (lists, ranges), are_exchanged, sink))
    }

    /// Reports the pairs of a probe and an entry that overlap, by probe. Entries are sorted by
    /// their lower edges on an axis.
    ///
    /// `reach` has the largest upper edge on that axis of each entry and those before it. Both may
    /// be circles. Both have filters, or neither has. `None` once the pair limit is exceeded.
    #[inline]
    pub(crate) fn scan_beside(
        self,
        probes: &SoaColumns<'_>,
        (entries, reach): (&SoaColumns<'_>, &[f32]),
        (axis, order): (usize, PairOrder),
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        // Filters are those of the probes: a test of these fails if entries have none.
        let tests = Tests { filters: probes.filters().is_some(), ..Tests::of(entries, probes.circles()) };
        dispatch_scan!(self, scan_beside(tests, probes, (entries, reach), (axis, order), sink))
    }

    /// Reports every overlapping pair of one of the `probes` and a later entry, rows ascending in
    /// each pair. Entries are sorted by their lower edges on `axis`. `None` once the pair limit is
    /// exceeded.
    #[inline]
    pub(crate) fn scan_sorted(
        self,
        entries: &SoaColumns<'_>,
        probes: Range<usize>,
        axis: usize,
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        dispatch_scan!(self, scan_sorted(Tests::of(entries, entries.circles()), entries, probes, axis, sink))
    }

    /// Reports the pairs of an entry and a chosen probe that overlap, if the lower corner of the
    /// overlap is above `above` on both axes: by probe, and the entry first in each pair. `None`
    /// once the pair limit is exceeded.
    ///
    /// Entries may be circles, probes are boxes. There are at most 240 entries.
    #[inline]
    pub(crate) fn scan_above(
        self,
        entries: &SoaColumns<'_>,
        probes: &ProbeBatch<'_>,
        above: [f32; 2],
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        dispatch_scan!(self, scan_above(Tests::of(entries, false), entries, probes, above, sink))
    }

    /// Bit `k` is set if entry `k` of a block overlaps the area. Bits of padding are unspecified.
    #[inline]
    pub(crate) fn overlap_mask(self, block: &[u32; SOA_BLOCK_WORDS], area: &RawAabb) -> u32 {
        dispatch!(self, overlap_mask(block, area))
    }

    /// Bit `k` is set if box `k` of a group overlaps the area. Bits after its boxes are
    /// unspecified.
    #[inline]
    pub(crate) fn group_mask(self, group: &GroupEdges, area: &RawAabb) -> u64 {
        dispatch!(self, group_mask(group, area))
    }

    /// Bit `k` is set if box `k` of an octet overlaps the area.
    #[inline]
    pub(crate) fn octet_mask(self, octet: &OctetEdges, area: &RawAabb) -> u32 {
        dispatch!(self, octet_mask(octet, area))
    }

    /// [`overlap_mask`](Self::overlap_mask) of two blocks, the second one in the upper half.
    #[inline]
    pub(crate) fn overlap_masks(self, blocks: [&[u32; SOA_BLOCK_WORDS]; 2], area: &RawAabb) -> u32 {
        dispatch!(self, overlap_masks(blocks, area))
    }
}

#[cfg(target_arch = "x86_64")]
fn best_level() -> SimdLevel {
    let avx2 = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt");
    let avx512 = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq");
    match (avx2, avx512) {
        (true, true) => SimdLevel::Avx512,
        (true, false) => SimdLevel::Avx2,
        // Every x86-64 has SSE2.
        _ => SimdLevel::Sse2,
    }
}

/// The last level of the target: there is nothing to detect.
#[cfg(not(target_arch = "x86_64"))]
fn best_level() -> SimdLevel {
    TARGET_LEVELS[TARGET_LEVELS.len() - 1]
}
