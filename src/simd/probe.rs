//! The probe of a scan, and the order of the pairs it reports.

use crate::geometry::RawAabb;
use crate::input::filter::Filter;
use crate::memory::bit_set::BitSet;

/// A box that is tested against a run of entries.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Probe {
    pub(crate) aabb: RawAabb,
    pub(crate) row: u32,
    /// Ignored unless the entries have filters.
    pub(crate) filter: Filter,
}

/// Some boxes that are tested one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProbeBatch<'p> {
    pub(crate) boxes: &'p [RawAabb],
    pub(crate) rows: &'p [u32],
    /// Empty unless the entries have filters.
    pub(crate) filters: &'p [Filter],
    /// A bit for each box that is tested.
    pub(crate) chosen: u32,
    /// Rows that are skipped nevertheless.
    pub(crate) hidden: &'p BitSet,
}

impl ProbeBatch<'_> {
    #[inline(always)]
    pub(super) fn probe(&self, at: usize, filtered: bool) -> Probe {
        let filter = if filtered { self.filters[at] } else { Filter::ALL };
        Probe { aabb: self.boxes[at], row: self.rows[at], filter }
    }
}

/// The order of the two rows of a reported pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PairOrder {
    /// The lower row first.
    Ascending,
    ProbeFirst,
    EntryFirst,
}
