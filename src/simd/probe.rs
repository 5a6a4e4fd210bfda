//! The probe of a scan, and the order of the pairs it reports.

use crate::geometry::RawAabb;
use crate::input::filter::Filter;

/// A box that is tested against a run of entries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe {
    pub(crate) aabb: RawAabb,
    pub(crate) row: u32,
    /// Ignored unless the entries have filters.
    pub(crate) filter: Filter,
}

/// The order of the two rows of a reported pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PairOrder {
    /// The lower row first.
    Ascending,
    ProbeFirst,
    EntryFirst,
}
