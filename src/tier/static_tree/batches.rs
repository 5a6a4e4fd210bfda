//! Long leaves: the order of their entries, and the bounds of runs of entries.
//!
//! A leaf is long if it has more than 64 entries. No split could shorten such a leaf within the
//! limits of the tree: for example, its statics coincide, or their scales differ by more than the
//! depth of the tree resolves. Its entries are ordered like the leaves of a k-d tree, so near ones
//! are together, and a search skips the runs whose bounds it cannot hit.
//!
//! RUN-1: The entries of the whole tree are cut into runs of 32 ([`ENTRY_BATCH`]), and into runs of
//! 1,024, whichever leaves they belong to. So a run at an end of a leaf may contain entries of
//! other leaves, and its bounds cover these too. Bounds are stored if any leaf is long, and read
//! only in long leaves.

use crate::geometry::{EMPTY_AABB, RawAabb, union};
use crate::memory::buffers::buffers;
use crate::memory::radix::{by_value, number_of};
use std::ops::Range;

/// Leaf entries that searches test at once, as bits of a word. Most leaves are shorter.
pub(super) const ENTRY_BATCH: usize = u32::BITS as usize;

/// Leaves with more entries are long.
const SHORT_MAX: usize = 2 * ENTRY_BATCH;

/// Entries of a run of the upper level.
const UPPER_RUN: usize = ENTRY_BATCH * ENTRY_BATCH;

/// The bounds of the runs of a tree's entries (RUN-1).
#[derive(Debug, Default)]
pub(super) struct RunBounds {
    /// Of runs of [`ENTRY_BATCH`] entries.
    batches: Vec<RawAabb>,
    /// Of runs of [`UPPER_RUN`] entries.
    upper: Vec<RawAabb>,
}

buffers!(RunBounds { leveled: ; own: batches, upper; plain: ; });

impl RunBounds {
    /// Empty if no leaf is long.
    pub(super) fn of(leaves: &[Range<usize>], entry_boxes: &[RawAabb]) -> Self {
        if leaves.iter().all(|leaf| leaf.len() <= SHORT_MAX) {
            return Self::default();
        }
        let bounds = |boxes: &[RawAabb]| boxes.iter().fold(EMPTY_AABB, |all, aabb| union(&all, aabb));
        let batches: Vec<RawAabb> = entry_boxes.chunks(ENTRY_BATCH).map(bounds).collect();
        let upper = batches.chunks(UPPER_RUN / ENTRY_BATCH).map(bounds).collect();
        Self { batches, upper }
    }

    /// Takes the next entries of a leaf, at most [`ENTRY_BATCH`], from those that are left.
    ///
    /// Skips runs whose bounds `may_hit` refuses (RUN-1).
    #[inline(always)]
    pub(super) fn next_batch(
        &self,
        left: &mut Range<usize>,
        may_hit: impl Fn(&RawAabb) -> bool,
    ) -> Option<Range<usize>> {
        let mut end = left.start + ENTRY_BATCH;
        if left.len() > SHORT_MAX {
            self.skip_runs(left, may_hit);
            end = (left.start / ENTRY_BATCH + 1) * ENTRY_BATCH;
        }
        let batch = left.start..left.end.min(end);
        left.start = batch.end;
        (!batch.is_empty()).then_some(batch)
    }

    #[cold]
    #[inline(never)]
    fn skip_runs(&self, left: &mut Range<usize>, may_hit: impl Fn(&RawAabb) -> bool) {
        let Self { batches, upper } = self;
        while left.len() >= ENTRY_BATCH {
            let run = match left.start {
                at if at.is_multiple_of(UPPER_RUN) && left.len() >= UPPER_RUN && !may_hit(&upper[at / UPPER_RUN]) => {
                    UPPER_RUN
                }
                at if at.is_multiple_of(ENTRY_BATCH) && !may_hit(&batches[at / ENTRY_BATCH]) => ENTRY_BATCH,
                _ => return,
            };
            left.start += run;
        }
    }
}

/// Orders the entries of long leaves.
pub(super) fn order_long_leaves(leaves: &[Range<usize>], entries: &mut [u32], boxes: &[RawAabb]) {
    let mut keys = Vec::new();
    for leaf in leaves.iter().filter(|leaf| leaf.len() > SHORT_MAX) {
        order(leaf.start, &mut entries[leaf.clone()], boxes, 0, &mut keys);
    }
}

/// Orders entries of which the first is at `start`: those below a median of their centers first,
/// along x and y in turn, until they are in one run. `keys` is a buffer.
fn order(start: usize, entries: &mut [u32], boxes: &[RawAabb], axis: usize, keys: &mut Vec<u64>) {
    let end = start + entries.len();
    if start / ENTRY_BATCH == (end - 1) / ENTRY_BATCH {
        return;
    }
    // A border of runs near the middle. There is one above `start`.
    let unit = if entries.len() > 2 * UPPER_RUN { UPPER_RUN } else { ENTRY_BATCH };
    let before_middle = (start + entries.len() / 2) / unit * unit;
    let middle = if before_middle > start { before_middle } else { before_middle + unit };
    keys.clear();
    keys.extend(entries.iter().map(|&row| {
        let aabb = &boxes[row as usize];
        by_value(aabb[axis] * 0.5 + aabb[axis + 2] * 0.5, row)
    }));
    keys.select_nth_unstable(middle - start);
    entries.iter_mut().zip(&*keys).for_each(|(row, &key)| *row = number_of(key));
    let (low, high) = entries.split_at_mut(middle - start);
    order(start, low, boxes, axis ^ 1, keys);
    order(middle, high, boxes, axis ^ 1, keys);
}

#[cfg(test)]
mod tests {
    use super::ENTRY_BATCH;
    use crate::geometry::{RawAabb, distance_squared, overlaps};
    use crate::tier::static_tree::tests::scenes::scenes;
    use crate::tier::static_tree::tree::StaticTree;

    #[test]
    fn batches_cover_what_may_be_hit() {
        let mut skipped = 0;
        for (name, boxes) in scenes() {
            let tree = StaticTree::new(&boxes).unwrap();
            let data = &tree.built;
            let nodes = data.siblings.iter().flat_map(|siblings| siblings.0);
            for leaf in nodes.chain(data.roots.iter().map(|root| root.node)).filter(|node| node.children().is_none()) {
                let area = data.entry_boxes.get(leaf.entries().start).copied().unwrap_or_default();
                let hit = |aabb: &RawAabb| overlaps(aabb, &area);
                let (mut left, mut found) = (leaf.entries(), 0);
                while let Some(batch) = data.run_bounds.next_batch(&mut left, hit) {
                    assert!(batch.len() <= ENTRY_BATCH, "{name}");
                    found += data.entry_boxes[batch].iter().filter(|aabb| hit(aabb)).count();
                }
                let wanted = data.entry_boxes[leaf.entries()].iter().filter(|aabb| hit(aabb)).count();
                assert_eq!(found, wanted, "{name}");
                let mut left = leaf.entries();
                let far = |aabb: &RawAabb| distance_squared(aabb, [1.0, 2.0]) < 0.0;
                while let Some(batch) = data.run_bounds.next_batch(&mut left, far) {
                    skipped -= batch.len() as isize;
                }
                skipped += leaf.entries().len() as isize;
            }
        }
        assert!(skipped > 10_000, "runs of long leaves are skipped: {skipped}");
    }
}
