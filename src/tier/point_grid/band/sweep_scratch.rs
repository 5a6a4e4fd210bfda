//! The buffers of sweeps.

use crate::memory::buffers::buffers;
use crate::memory::radix::{Numbered, sort_by_key, total_order_key};
use crate::memory::record::BodyRecord;

/// Buffers for boxes that are searched for in a band.
#[derive(Default)]
pub(crate) struct SweepScratch {
    pub(super) boxes: Vec<BodyRecord>,
    /// Those that are too long to be swept.
    pub(super) long_boxes: Vec<BodyRecord>,
    /// The boxes in columns, and their filters.
    pub(super) words: Vec<u32>,
    /// By box: the largest upper edge so far.
    pub(super) reach: Vec<f32>,
    pub(super) sort: SortScratch,
}

/// Buffers for sorting boxes.
#[derive(Default)]
pub(super) struct SortScratch {
    keys: Vec<Numbered>,
    spare: Vec<Numbered>,
    sorted: Vec<BodyRecord>,
}

impl SortScratch {
    /// A copy of some records, sorted by their lower edge on an axis.
    pub(super) fn sorted(&mut self, records: &[BodyRecord], axis: usize) -> &[BodyRecord] {
        let Self { keys, spare, sorted } = self;
        keys.clear();
        keys.extend(
            (0..).zip(records.iter()).map(|(number, record)| (u64::from(total_order_key(record.aabb[axis])), number)),
        );
        sort_by_key(keys, spare);
        sorted.clear();
        sorted.extend(keys.iter().map(|&(_, number)| records[number as usize]));
        sorted
    }
}

buffers!(SweepScratch { leveled: boxes, long_boxes, words, reach, sort; own: ; plain: ; });
buffers!(SortScratch { leveled: keys, spare, sorted; own: ; plain: ; });
