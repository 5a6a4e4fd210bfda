//! Which instruction set, decided once.

#![allow(unsafe_code)]

use super::*;
use crate::config::SimdLevel;
use crate::memory::blocks::{SOA_BLOCK_LEN, SOA_BLOCK_WORDS};
use crate::simd::circle_test::{Boxes, DiscEntries, DiscProbe, Discs, Rule};
use crate::simd::vector::{Ascending, EntryFirst, Filtered, PairOrderTag, Unfiltered};

/// An instruction set that this machine has: a `DetectedSimd` is made by detection only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DetectedSimd(SimdLevel);

impl Default for DetectedSimd {
    fn default() -> Self {
        Self::detect(None)
    }
}

/// Calls a scan of the level's implementation.
macro_rules! dispatch {
    ($level:expr, $scan:ident $(::<$($how:ty),+>)? ($($argument:expr),*)) => {
        match $level {
            // SAFETY: a `DetectedSimd` holds only what `detect` found on this machine.
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx512 => unsafe { avx512::$scan$(::<$($how),+>)?($($argument),*) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx2 => unsafe { avx2::$scan$(::<$($how),+>)?($($argument),*) },
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Sse2 => sse2::$scan$(::<$($how),+>)?($($argument),*),
            _ => portable::$scan$(::<$($how),+>)?($($argument),*),
        }
    };
}

/// SimdJob that is worth compiling for each instruction set: plain code, which the compiler then vectorises with it.
///
/// `run` and what it calls in loops must be `#[inline(always)]`: only what becomes part of the caller is compiled with the
/// caller's features.
pub(crate) trait SimdJob {
    type Output;
    fn run(self) -> Self::Output;
}

impl DetectedSimd {
    /// Runs the work as compiled for this level.
    #[inline]
    pub(crate) fn run<W: SimdJob>(self, work: W) -> W::Output {
        dispatch!(self.0, run(work))
    }

    /// The best that this machine has, and at most `at_most`.
    pub(crate) fn detect(at_most: Option<SimdLevel>) -> Self {
        let best = detected();
        Self(at_most.map_or(best, |at_most| best.min(at_most)))
    }

    /// Every overlapping pair among the entries of a grid of cells, whose keys are in the order of entries; `below` is a
    /// buffer. `None` when the sink is spent.
    #[inline]
    pub(crate) fn scan_cells(
        self,
        cells: &CellView<'_>,
        keys: &[u32],
        below: &mut Vec<u32>,
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        if cells.columns().circles() {
            self.cells::<Discs>(cells, keys, below, sink)
        } else {
            self.cells::<Boxes>(cells, keys, below, sink)
        }
    }

    #[inline]
    fn cells<R: Rule>(
        self,
        cells: &CellView<'_>,
        keys: &[u32],
        below: &mut Vec<u32>,
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        if cells.columns().filters().is_none() {
            dispatch!(self.0, scan_cells::<Unfiltered, R>(cells, keys, below, sink))
        } else {
            dispatch!(self.0, scan_cells::<Filtered, R>(cells, keys, below, sink))
        }
    }

    /// The entries in a rectangle of cells that overlap the probe, which is what they are if the order is ascending, else a box.
    /// `None` when the sink is spent.
    #[inline]
    pub(crate) fn scan_rect(
        self,
        cells: &CellView<'_>,
        rect: &CellRect,
        probe: Probe,
        order: PairOrder,
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        match (order, cells.columns().circles()) {
            (PairOrder::Ascending, false) => self.rect::<Ascending, Boxes>(cells, rect, probe, sink),
            (PairOrder::Ascending, true) => self.rect::<Ascending, Discs>(cells, rect, probe, sink),
            (PairOrder::EntryFirst, false) => self.rect::<EntryFirst, Boxes>(cells, rect, probe, sink),
            (PairOrder::EntryFirst, true) => self.rect::<EntryFirst, DiscEntries>(cells, rect, probe, sink),
        }
    }

    #[inline]
    fn rect<O: PairOrderTag, R: Rule>(
        self,
        cells: &CellView<'_>,
        rect: &CellRect,
        probe: Probe,
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        if cells.columns().filters().is_none() {
            dispatch!(self.0, scan_rect::<O, Unfiltered, R>(cells, rect, probe, sink))
        } else {
            dispatch!(self.0, scan_rect::<O, Filtered, R>(cells, rect, probe, sink))
        }
    }

    /// Bit `k` is set if entry `k` of a block overlaps the area; of padding it means nothing.
    #[inline]
    pub(crate) fn overlap_mask(self, block: &[u32; SOA_BLOCK_WORDS], area: &RawAabb) -> u32 {
        match self.0 {
            // SAFETY: a `DetectedSimd` holds only what `detect` found on this machine.
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx512 => unsafe { masks::avx512(block, area) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx2 => unsafe { masks::avx2(block, area) },
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Sse2 => masks::sse2(block, area),
            _ => masks::portable(block, area),
        }
    }

    /// [`overlap_mask`](Self::overlap_mask) of two blocks, the second in the upper half.
    #[inline]
    pub(crate) fn overlap_masks(self, [first, second]: [&[u32; SOA_BLOCK_WORDS]; 2], area: &RawAabb) -> u32 {
        match self.0 {
            // SAFETY: a `DetectedSimd` holds only what `detect` found on this machine.
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx512 => unsafe { masks::avx512_two(first, second, area) },
            _ => self.overlap_mask(first, area) | self.overlap_mask(second, area) << SOA_BLOCK_LEN,
        }
    }

    /// Each entry of `probes` in `range`, in turn, against the `run` of `entries`, which are boxes; reports (probe, entry).
    /// `None` when the sink is spent. Either both have filters or none has.
    #[inline]
    pub(crate) fn scan_all(
        self,
        probes: &SoaColumns<'_>,
        range: Range<usize>,
        entries: &SoaColumns<'_>,
        run: Range<usize>,
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        debug_assert!(!entries.circles());
        if probes.circles() {
            self.all::<DiscProbe>(probes, range, entries, run, sink)
        } else {
            self.all::<Boxes>(probes, range, entries, run, sink)
        }
    }

    #[inline]
    fn all<R: Rule>(
        self,
        probes: &SoaColumns<'_>,
        range: Range<usize>,
        entries: &SoaColumns<'_>,
        run: Range<usize>,
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        if probes.filters().is_none() {
            debug_assert!(entries.filters().is_none());
            dispatch!(self.0, scan_all::<Unfiltered, R>(probes, range, entries, run, sink))
        } else {
            dispatch!(self.0, scan_all::<Filtered, R>(probes, range, entries, run, sink))
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn detected() -> SimdLevel {
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
        // Every x86-64 has it.
        _ => SimdLevel::Sse2,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn detected() -> SimdLevel {
    SimdLevel::Portable
}
