//! What an instruction set has to offer.

#![allow(unsafe_code)]

use super::Probe;
use crate::storage::columns::Columns;

/// What the two numbers of a pair are, as a type, so that the choice is made when a scan is compiled.
pub(super) trait PairOrder: Copy {
    const ASCENDING: bool;
    const PROBE_FIRST: bool;
}

#[derive(Clone, Copy)]
pub(super) struct Ascending;
#[derive(Clone, Copy)]
pub(super) struct ProbeFirst;
#[derive(Clone, Copy)]
pub(super) struct EntryFirst;

impl PairOrder for Ascending {
    const ASCENDING: bool = true;
    const PROBE_FIRST: bool = false;
}
impl PairOrder for ProbeFirst {
    const ASCENDING: bool = false;
    const PROBE_FIRST: bool = true;
}
impl PairOrder for EntryFirst {
    const ASCENDING: bool = false;
    const PROBE_FIRST: bool = false;
}

/// The columns as pointers: what the inner loop indexes.
#[derive(Clone, Copy)]
pub(super) struct RawColumns {
    pub(super) min_x: *const f32,
    pub(super) min_y: *const f32,
    pub(super) max_x: *const f32,
    pub(super) max_y: *const f32,
    pub(super) rows: *const u32,
}

impl From<&Columns<'_>> for RawColumns {
    fn from(columns: &Columns<'_>) -> Self {
        Self {
            min_x: columns.min_x.as_ptr(),
            min_y: columns.min_y.as_ptr(),
            max_x: columns.max_x.as_ptr(),
            max_y: columns.max_y.as_ptr(),
            rows: columns.rows.as_ptr(),
        }
    }
}

/// One box against `WIDTH` boxes at a time.
pub(super) trait Lanes {
    /// At most `PAD` and `SLACK`.
    const WIDTH: usize;

    /// A probe spread over the lanes.
    type Spread: Copy;

    /// # Safety
    ///
    /// The instruction set is there.
    unsafe fn spread(probe: Probe) -> Self::Spread;

    /// Tests the entries `at .. at + min(left, WIDTH)` and writes a pair per hit, in order. Returns the number of
    /// hits. Slots past the hits may be overwritten, up to `WIDTH` in all.
    ///
    /// # Safety
    ///
    /// The instruction set is there; `at + WIDTH` entries can be read in every column; `WIDTH` slots can be written.
    unsafe fn round<O: PairOrder>(
        spread: Self::Spread,
        columns: RawColumns,
        at: usize,
        left: usize,
        out: *mut [u32; 2],
    ) -> usize;
}
