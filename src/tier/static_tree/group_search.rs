//! Searches the tree for up to 64 boxes at once.
//!
//! All boxes descend together: with each node goes the set of those that touch it, by the rule of
//! single box queries (CUT-1). So what neighbors have in common, the upper nodes and often whole
//! leaves, is read once for all of them. A pair is reported in the leaf that contains the lower
//! corner of the overlap (TREE-3), so it is reported once.
//!
//! Cost: O(depth) for the group; for each box O(levels on which the group is divided + entries of
//! its leaves).

use crate::geometry::{INFINITE_AABB, RawAabb, overlaps, union};
use crate::input::filter::{Filter, PairRules};
use crate::memory::bit_set::BitSet;
use crate::memory::bits::set_bits;
use crate::memory::body_record::BodyRecord;
use crate::memory::box_group::{BoxGroup, GROUP_MAX};
use crate::memory::columns::{SoaColumns, SoaColumnsMut, column_words, fill_filters, filter_words};
use crate::memory::pair_sink::PairSink;
use crate::prefetch::prefetch;
use crate::simd::{DetectedSimd, ProbeBatch};
use crate::tier::static_tree::batches::ENTRY_BATCH;
use crate::tier::static_tree::box_query::EdgeRanges;
use crate::tier::static_tree::node::{Node, Siblings};
use crate::tier::static_tree::split::{CHILD_COUNT, Split, SplitKind, without_outer_edges};
use crate::tier::static_tree::subtree::DEPTH_MAX;
use crate::tier::static_tree::tree::{StaticTree, TreePart};
use smallvec::SmallVec;

/// Up to this many boxes are tested one by one, more of them at once.
const FEW: u32 = 6;

/// Leaves whose memory is on its way to the cache while earlier ones are tested.
const LEAVES_AHEAD: usize = 8;

/// Entries of a leaf that are loaded ahead.
const ENTRIES_AHEAD: usize = 2 * ENTRY_BATCH;

/// Some boxes of the group.
#[derive(Clone, Copy)]
struct BoxSet {
    /// Bit `k` stands for box `k`.
    bits: u64,
    /// A box that covers them; if it is one box, that box.
    area: RawAabb,
}

impl BoxSet {
    fn is_single(&self) -> bool {
        self.bits.is_power_of_two()
    }

    fn is_few(&self) -> bool {
        self.bits.count_ones() <= FEW
    }
}

/// A node to be visited, and the boxes that touch it.
#[derive(Clone, Copy)]
struct Visit {
    node: Node,
    cell: RawAabb,
    set: BoxSet,
}

/// A leaf to be tested, and the boxes that touch it.
#[derive(Clone, Copy)]
struct TouchedLeaf {
    node: Node,
    /// The lower edges of its cell.
    low: [f32; 2],
    set: BoxSet,
}

impl StaticTree {
    /// Reports the pairs of a box of the group and an enabled static that overlap, each once; the
    /// row of the box comes first. `None` once the pair limit is exceeded.
    pub(crate) fn search_group(
        &self,
        level: DetectedSimd,
        group: &BoxGroup,
        rules: PairRules<'_>,
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        let has_filters = rules.filters_by_row.is_some() || self.has_filters();
        let parts = self.parts().into_iter().filter(|part| !part.data.roots.is_empty());
        let search = |part| GroupSearch { tree: self, part, level, group, rules, has_filters };
        parts.map(search).try_for_each(|search| search.search(sink))
    }
}

/// A search, and the leaves that it has reached and not tested yet.
struct LeafQueue<'s> {
    search: GroupSearch<'s>,
    leaves: [Option<TouchedLeaf>; LEAVES_AHEAD],
    pushed: usize,
    buffers: LeafBuffers,
}

impl LeafQueue<'_> {
    fn search_root(&mut self, root: Visit, sink: &mut PairSink<'_>) -> Option<()> {
        let siblings = &self.search.part.data.siblings;
        // Each inner node on the path leaves at most three others, so it never leaves the stack.
        let mut stack: SmallVec<[Visit; DEPTH_MAX * CHILD_COUNT]> = SmallVec::new();
        let mut next = Some(root);
        while let Some(Visit { node, cell, set }) = next {
            let Some((kind, children)) = node.children() else {
                let [low_x, low_y, ..] = without_outer_edges(&cell, &root.cell);
                self.push(TouchedLeaf { node, low: [low_x, low_y], set }, sink)?;
                next = stack.pop();
                continue;
            };
            let (split, children) = (Split::new(kind, &cell), &siblings[children.get()]);
            let child = |k: usize, set: BoxSet| Visit { node: children.0[k], cell: split.child_cell(&cell, k), set };
            let touched = split.touched_children(&set.area) & children.occupied();
            let first = touched.trailing_zeros() as usize & 3;
            if touched & touched.wrapping_sub(1) == 0 {
                // No other child is touched, or those that are have no entries.
                next = if touched == 0 { stack.pop() } else { Some(child(first, set)) };
            } else if set.is_single() {
                (first + 1..CHILD_COUNT).filter(|k| touched >> k & 1 == 1).for_each(|k| stack.push(child(k, set)));
                next = Some(child(first, set));
            } else {
                let sets = self.search.touching(&split, children, &set);
                let touched = (0..CHILD_COUNT).filter(|&k| sets[k] != 0);
                touched.for_each(|k| stack.push(child(k, self.search.set(sets[k], &set.area))));
                next = stack.pop();
            }
        }
        Some(())
    }

    /// Begins to load a leaf, and tests the one that was pushed long enough ago.
    #[inline(always)]
    fn push(&mut self, leaf: TouchedLeaf, sink: &mut PairSink<'_>) -> Option<()> {
        let (data, entries) = (self.search.part.data, leaf.node.entries());
        let ahead = entries.start..entries.end.min(entries.start + ENTRIES_AHEAD);
        prefetch(&data.entries[ahead.clone()]);
        prefetch(&data.entry_boxes[ahead]);
        let oldest = self.leaves[self.pushed % LEAVES_AHEAD].replace(leaf);
        self.pushed += 1;
        oldest.map_or(Some(()), |oldest| self.test(&oldest, sink))
    }

    fn finish(mut self, sink: &mut PairSink<'_>) -> Option<()> {
        (0..LEAVES_AHEAD).try_for_each(|k| {
            let oldest = self.leaves[(self.pushed + k) % LEAVES_AHEAD].take();
            oldest.map_or(Some(()), |oldest| self.test(&oldest, sink))
        })
    }

    /// Tests the entries of a leaf against the boxes that touch it.
    fn test(&mut self, leaf: &TouchedLeaf, sink: &mut PairSink<'_>) -> Option<()> {
        let LeafBuffers { words, filter_words, static_filters } = &mut self.buffers;
        // A copy, so that its fields stay in registers.
        let search = self.search;
        let GroupSearch { tree, part, level, has_filters, .. } = search;
        let (BoxSet { bits, area }, data) = (leaf.set, part.data);
        let overlapping = EdgeRanges::new([f32::NEG_INFINITY; 2], &area);
        // What overlaps the area of a single box overlaps that box.
        let is_known = leaf.set.is_single() && !has_filters && !search.rules.are_circles;
        let (mut left, mut is_filled) = (leaf.node.entries(), false);
        while let Some(batch) = data.run_bounds.next_batch(&mut left, |bounds| overlaps(bounds, &area)) {
            let (rows, boxes) = (&data.entries[batch.clone()], &data.entry_boxes[batch]);
            let mut chosen = 0u32;
            // Branchless, so that the processor loads many boxes at once.
            for (k, aabb) in boxes.iter().enumerate() {
                chosen |= u32::from(overlapping.contain(aabb)) << k;
            }
            if chosen == 0 {
                continue;
            }
            if is_known {
                let row = search.group.row(bits.trailing_zeros() as usize);
                write_pairs(leaf, row, (rows, boxes), set_bits(chosen), part.hidden, sink)?;
                continue;
            }
            if !is_filled {
                search.fill_columns(bits, words, filter_words);
                is_filled = true;
            }
            let columns = search.columns(bits, words, filter_words);
            if has_filters {
                set_bits(chosen).for_each(|at| static_filters[at] = tree.filter_of(rows[at]));
            }
            let probes = ProbeBatch { boxes, rows, filters: static_filters, chosen, hidden: part.hidden };
            level.scan_above(&columns, &probes, leaf.low, sink)?;
        }
        Some(())
    }
}

/// Writes the pairs of a body, which alone touches a leaf, with statics of that leaf that it
/// overlaps, if that leaf reports them (TREE-3).
#[inline(always)]
fn write_pairs(
    TouchedLeaf { low, set: BoxSet { area, .. }, .. }: &TouchedLeaf,
    row: u32,
    (rows, boxes): (&[u32], &[RawAabb]),
    overlapping: impl Iterator<Item = usize>,
    hidden: &BitSet,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    let slots = sink.room(ENTRY_BATCH)?;
    let mut count = 0;
    for at in overlapping {
        let [is_above_x, is_above_y] = [0, 1].map(|axis| (boxes[at][axis] > low[axis]) | (area[axis] > low[axis]));
        slots[count] = [row, rows[at]];
        count += usize::from(is_above_x & is_above_y & !hidden.contains(rows[at]));
    }
    sink.advance(count);
    Some(())
}

/// Buffers for the leaf that is tested.
struct LeafBuffers {
    /// The boxes that touch it.
    words: [u32; column_words(GROUP_MAX)],
    filter_words: [u32; filter_words(GROUP_MAX)],
    /// Filters of its entries.
    static_filters: [Filter; ENTRY_BATCH],
}

#[derive(Clone, Copy)]
struct GroupSearch<'s> {
    tree: &'s StaticTree,
    part: TreePart<'s>,
    level: DetectedSimd,
    group: &'s BoxGroup,
    rules: PairRules<'s>,
    /// Whether boxes of the group or statics have filters.
    has_filters: bool,
}

impl GroupSearch<'_> {
    fn search(self, sink: &mut PairSink<'_>) -> Option<()> {
        let Self { part, level, group, .. } = self;
        let bounds = group.bounds();
        let mut leaves = LeafQueue {
            search: self,
            leaves: [None; LEAVES_AHEAD],
            pushed: 0,
            buffers: LeafBuffers {
                words: [0; column_words(GROUP_MAX)],
                filter_words: [0; filter_words(GROUP_MAX)],
                static_filters: [Filter::ALL; ENTRY_BATCH],
            },
        };
        for root in part.data.roots.iter().filter(|root| overlaps(&root.bounds, &bounds)) {
            let bits = level.group_mask(group.edges(), &root.bounds) & group.all();
            if bits != 0 {
                let set = self.set(bits, &bounds);
                leaves.search_root(Visit { node: root.node, cell: root.cell, set }, sink)?;
            }
        }
        leaves.finish(sink)
    }

    /// Copies some boxes of the group to columns, with filters if there are any.
    fn fill_columns(&self, bits: u64, words: &mut [u32], filter_words: &mut [u32]) {
        let Self { group, rules, has_filters, .. } = *self;
        let len = bits.count_ones() as usize;
        let record = |at| BodyRecord { aabb: group.aabb(at), row: group.row(at) };
        SoaColumnsMut::of(words, len).fill(set_bits(bits).map(record));
        if has_filters {
            fill_filters(filter_words, len, set_bits(bits).map(|at| rules.filter(group.row(at))));
        }
    }

    /// The columns that [`fill_columns`](Self::fill_columns) filled with the same boxes.
    fn columns<'w>(&self, bits: u64, words: &'w [u32], filter_words: &'w [u32]) -> SoaColumns<'w> {
        let columns = SoaColumns::of(words, bits.count_ones() as usize).with_circles(self.rules.are_circles);
        if self.has_filters { columns.with_filters(filter_words) } else { columns }
    }

    /// A set of boxes, which `area` covers.
    #[inline(always)]
    fn set(&self, bits: u64, area: &RawAabb) -> BoxSet {
        let mut set = BoxSet { bits, area: *area };
        if set.is_few() {
            let first = self.group.aabb(bits.trailing_zeros() as usize);
            set.area = set_bits(bits & bits.wrapping_sub(1)).fold(first, |area, at| union(&area, &self.group.aabb(at)));
        }
        set
    }

    /// For each child that is not empty, those boxes of a set that touch it (CUT-1).
    #[inline(always)]
    fn touching(&self, split: &Split, children: &Siblings, set: &BoxSet) -> [u64; CHILD_COUNT] {
        let mut sets = [0; CHILD_COUNT];
        if set.is_few() {
            for at in set_bits(set.bits) {
                let touched = u64::from(split.touched_children(&self.group.aabb(at)));
                for (k, set) in sets.iter_mut().enumerate() {
                    *set |= (touched >> k & 1) << at;
                }
            }
        } else {
            let [first, second, third] = split.cuts;
            sets = match split.kind {
                SplitKind::Quad => {
                    let [low_x, low_y] = [self.up_to(0, first), self.up_to(1, second)];
                    let [high_x, high_y] = [self.above(0, first), self.above(1, second)];
                    [low_x & low_y, high_x & low_y, low_x & high_y, high_x & high_y]
                }
                SplitKind::SlabsX => self.slabs(0, [first, second, third]),
                SplitKind::SlabsY => self.slabs(1, [first, second, third]),
            };
        }
        for (k, touching) in sets.iter_mut().enumerate() {
            *touching &= if children.0[k].is_empty() { 0 } else { set.bits };
        }
        sets
    }

    /// The boxes that touch each of the slabs between ascending cuts.
    fn slabs(&self, axis: usize, [first, second, third]: [f32; 3]) -> [u64; CHILD_COUNT] {
        [
            self.up_to(axis, first),
            self.above(axis, first) & self.up_to(axis, second),
            self.above(axis, second) & self.up_to(axis, third),
            self.above(axis, third),
        ]
    }

    /// The boxes with `min <= cut`.
    #[inline(always)]
    fn up_to(&self, axis: usize, cut: f32) -> u64 {
        let mut area = INFINITE_AABB;
        area[axis + 2] = cut;
        self.level.group_mask(self.group.edges(), &area)
    }

    /// The boxes with `max > cut`, which is finite.
    #[inline(always)]
    fn above(&self, axis: usize, cut: f32) -> u64 {
        let mut area = INFINITE_AABB;
        area[axis] = cut.next_up();
        self.level.group_mask(self.group.edges(), &area)
    }
}
