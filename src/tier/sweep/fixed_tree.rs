//! A packed tree of boxes that stay where they are, to be searched for many others in each step.
//!
//! It is built once, so its leaves are made with more care than those of a tree for one step
//! (`alike`): where boxes are of many sizes, a search visits a half to a fifth of the leaves.
//!
//! Cost: 250 to 350 nanoseconds a box to build, and 26 bytes to keep.

use crate::geometry::RawAabb;
use crate::input::filter::Filter;
use crate::memory::body_record::BodyRecord;
use crate::memory::buffers::Buffers;
use crate::memory::pair_sink::PairSink;
use crate::simd::{DetectedSimd, PairOrder, Probe};
use crate::tier::fixed_boxes::FixedBoxes;
use crate::tier::sweep::alike::sort_alike;
use crate::tier::sweep::packed_tree::PackedTree;
use crate::tier::sweep::sorted_columns::BoxTraits;

/// The place of a row that is not in the tree.
const NONE: u32 = u32::MAX;

/// A packed tree, and where in it each row is.
pub(crate) struct FixedTree {
    tree: PackedTree,
    /// By row.
    places: Vec<u32>,
}

impl FixedTree {
    /// Builds the tree of boxes whose rows ascend.
    pub(crate) fn build(records: &[BodyRecord]) -> Self {
        debug_assert!(records.is_sorted_by_key(|record| record.row));
        let mut sorted = records.to_vec();
        sort_alike(&mut sorted);
        let mut tree = PackedTree::default();
        tree.fill(&sorted, BoxTraits::NONE, &mut Vec::new());
        let mut places = vec![NONE; records.last().map_or(0, |last| last.row as usize + 1)];
        (0..).zip(&sorted).for_each(|(at, record)| places[record.row as usize] = at);
        Self { tree, places }
    }

    /// About how long the searches for some boxes take, in nanoseconds.
    pub(crate) fn searches_ns(&self, level: DetectedSimd, boxes: &[BodyRecord]) -> f64 {
        self.tree.searches_ns(level, boxes)
    }

    /// Reports the pairs of a probe and a box that overlap, by probe, the row of the probe first.
    /// `None` once the pair limit is exceeded.
    ///
    /// Probes may be circles, which must overlap the box too. Their filters count if boxes have
    /// filters.
    pub(crate) fn scan(
        &self,
        level: DetectedSimd,
        probes: &[Probe],
        are_circles: bool,
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        level.scan_tree(&self.tree.view(), probes, PairOrder::ProbeFirst, are_circles, sink)
    }
}

impl FixedBoxes for FixedTree {
    fn set_filters(&mut self, filter_of: impl Fn(u32) -> Filter) {
        self.tree.entries.set_filters(filter_of);
    }

    fn set_box(&mut self, row: u32, _filed: &RawAabb, aabb: &RawAabb) {
        if let Some(&at) = self.places.get(row as usize).filter(|&&at| at != NONE) {
            self.tree.entries.set_box(at as usize, aabb);
        }
    }

    fn bytes(&self) -> usize {
        self.tree.bytes() + self.places.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::NO_BOX;
    use crate::memory::pair_sink::found;
    use crate::reference;
    use triphase_scenes::{BoxLayout, SplitMix64};

    fn hits(tree: &FixedTree, probes: &[Probe]) -> Vec<(u32, u32)> {
        let hits = found(|sink| tree.scan(DetectedSimd::default(), probes, false, sink));
        hits.into_iter().map(|[probe, row]| (probe, row)).collect()
    }

    #[test]
    fn a_scan_finds_each_overlap_once_and_no_hidden_box() {
        for kind in BoxLayout::ALL {
            let (boxes, others) = (kind.boxes(3000, 0x57a7), kind.boxes(400, 0x57a8));
            let probe = |(row, &aabb): (u32, &RawAabb)| Probe { aabb, row, filter: Filter::ALL };
            let probes: Vec<Probe> = (0..).zip(&others).map(probe).collect();
            // Every tenth row is missing.
            let is_missing = |row: u32| row % 10 == 7;
            let records = (0..).zip(&boxes).map(|(row, &aabb)| BodyRecord { aabb, row });
            let records: Vec<BodyRecord> = records.filter(|record| !is_missing(record.row)).collect();
            let mut tree = FixedTree::build(&records);
            let mut truth = reference::cross_pairs(&others, &boxes);
            truth.retain(|&(_, row)| !is_missing(row));
            assert_eq!(hits(&tree, &probes), truth, "{kind:?}");

            let mut random = SplitMix64::new(9);
            let hidden: Vec<bool> = boxes.iter().map(|_| random.below(3) == 0).collect();
            let rows = || (0..boxes.len()).filter(|&row| hidden[row]);
            rows().for_each(|row| tree.set_box(row as u32, &boxes[row], &NO_BOX));
            let shown: Vec<_> = truth.iter().copied().filter(|&(_, row)| !hidden[row as usize]).collect();
            assert_eq!(hits(&tree, &probes), shown, "{kind:?}");
            rows().for_each(|row| tree.set_box(row as u32, &boxes[row], &boxes[row]));
            assert_eq!(hits(&tree, &probes), truth, "{kind:?}");
            tree.set_box(u32::MAX, &boxes[0], &NO_BOX);

            tree.set_filters(|row| Filter::new(1 << (row % 2), u32::MAX));
            let odd = |probe: &Probe| Probe { filter: Filter::new(1, 2), ..*probe };
            let probes: Vec<Probe> = probes.iter().map(odd).collect();
            truth.retain(|&(_, row)| row % 2 == 1);
            assert_eq!(hits(&tree, &probes), truth, "{kind:?}");
        }
    }

    #[test]
    fn a_tree_of_nothing_has_no_hits() {
        let mut tree = FixedTree::build(&[]);
        tree.set_filters(|_| Filter::ALL);
        let probe = Probe { aabb: [0.0; 4], row: 0, filter: Filter::ALL };
        assert!(hits(&tree, &[probe]).is_empty());
    }
}
