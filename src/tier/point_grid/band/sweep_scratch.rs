//! The buffers of sweeps.

use crate::memory::buffers::buffers;
use crate::memory::radix::{Numbered, sort_by_key};
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
    /// Sorts records by their lower edge on an axis.
    pub(super) fn sort(&mut self, records: &mut [BodyRecord], axis: usize) {
        let Self { keys, spare, sorted } = self;
        keys.clear();
        keys.extend((0..).zip(records.iter()).map(|(number, record)| (ordered_bits(record.aabb[axis]), number)));
        sort_by_key(keys, spare);
        sorted.clear();
        sorted.extend(keys.iter().map(|&(_, number)| records[number as usize]));
        records.copy_from_slice(sorted);
    }
}

/// A number that orders like the value.
fn ordered_bits(value: f32) -> u64 {
    let bits = value.to_bits();
    u64::from(if value.is_sign_negative() { !bits } else { bits | 1 << 31 })
}

buffers!(SweepScratch { leveled: boxes, long_boxes, words, reach, sort; own: ; plain: ; });
buffers!(SortScratch { leveled: keys, spare, sorted; own: ; plain: ; });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_order_like_values() {
        let ascending = [f32::NEG_INFINITY, -3.0, -1e-40, -0.0, 0.0, 1e-40, 2.0, f32::MAX, f32::INFINITY];
        assert!(ascending.map(ordered_bits).is_sorted_by(|a, b| a < b));
    }
}
