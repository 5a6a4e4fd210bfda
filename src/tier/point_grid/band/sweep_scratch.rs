//! The buffers of sweeps.

use crate::memory::buffers::buffers;
use crate::memory::radix::{self, by_value, number_of};
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
    keys: Vec<u64>,
    spare: Vec<u64>,
    sorted: Vec<BodyRecord>,
}

impl SortScratch {
    /// A copy of some records, sorted by their lower edge on an axis.
    pub(super) fn sorted(&mut self, records: &[BodyRecord], axis: usize) -> &[BodyRecord] {
        let Self { keys, spare, sorted } = self;
        keys.clear();
        keys.extend((0..).zip(records).map(|(number, record)| by_value(record.aabb[axis], number)));
        radix::sort_by(keys, spare, |key| key >> 32);
        sorted.clear();
        sorted.extend(keys.iter().map(|&key| records[number_of(key) as usize]));
        sorted
    }
}

buffers!(SweepScratch { leveled: boxes, long_boxes, words, reach, sort; own: ; plain: ; });
buffers!(SortScratch { leveled: keys, spare, sorted; own: ; plain: ; });
