//! The innermost loops: one box against a run of boxes in columns, several at a time, hits compressed out.
//!
//! K1: runs handed to a kernel lie inside the population of their columns; with the padding of the columns
//! (C2) every vector read stays inside.
//! K2: hits come out in the order of the run, whatever the width of a vector, so that results are the same on
//! every instruction set.
//! K3: where entries have filters, those of the probe and of each entry are tested along with their boxes, and only hits that
//! both allow are compressed out: what comes out is what would without filters, with some left out. Whether there are
//! filters is a type, so that scans without them have no trace of them.
//! K4: where entries or probes are discs, what `geometry/disc.rs` says of both is tested along with their boxes, in each lane
//! and bit for bit: again what comes out is what would without, with some left out, and again the rule is a type.
//!
//! One generic scan per job (`scan.rs`) over one small trait (`lanes.rs`) with an implementation per instruction
//! set; [`DetectedSimd`] is picked once per world.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
pub(crate) mod circle_test;
pub(crate) mod level;
pub(crate) mod masks;
pub(crate) mod portable;
pub(crate) mod scan;
#[cfg(target_arch = "x86_64")]
pub(crate) mod sse2;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod vector;
pub(crate) use crate::simd::level::{DetectedSimd, SimdJob};
pub(crate) use crate::simd::masks::{OverlapIter, prefetch, run_mask};
pub(crate) use crate::simd::scan::{CellRect, CellView};

use crate::geometry::RawAabb;
use crate::input::filter::Filter;
use crate::memory::columns::SoaColumns;
use crate::memory::page::PairSink;
use std::ops::Range;

/// What the two numbers of a reported pair are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PairOrder {
    /// The lower row, then the higher one.
    Ascending,
    /// The row of the entry, then that of the probe.
    EntryFirst,
}

/// The box that is tested against a run, its row, and its filter, which counts where entries have filters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe {
    pub(crate) aabb: RawAabb,
    pub(crate) row: u32,
    pub(crate) filter: Filter,
}
