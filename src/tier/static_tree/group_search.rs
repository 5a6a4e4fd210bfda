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
use crate::input::filter::Filter;
use crate::memory::bit_set::BitSet;
use crate::memory::box_group::{BoxGroup, GROUP_MAX, members};
use crate::memory::columns::{SoaColumns, SoaColumnsMut, column_words, fill_filters, filter_words};
use crate::memory::page::PairSink;
use crate::memory::record::BodyRecord;
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
        rules: GroupRules<'_>,
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        let search = |part| GroupSearch { tree: self, part, level, group, rules };
        self.parts()
            .into_iter()
            .filter(|part| !part.data.roots.is_empty())
            .try_for_each(|part| search(part).search(sink))
    }
}

/// The conditions on a pair besides its boxes.
#[derive(Clone, Copy)]
pub(crate) struct GroupRules<'a> {
    /// The filters of all rows of bodies, if any row has one.
    pub(crate) filters_by_row: Option<&'a [Filter]>,
    /// Whether the boxes of the group are those of circles, which must overlap too.
    pub(crate) are_circles: bool,
}

/// A search, and the leaves that it has reached and not tested yet.
struct LeafQueue<'s> {
    search: GroupSearch<'s>,
    leaves: [Option<TouchedLeaf>; LEAVES_AHEAD],
    pushed: usize,
    /// The boxes that touch the leaf that is tested.
    boxes: SetColumns,
    /// Filters of entries of the leaf.
    static_filters: [Filter; ENTRY_BATCH],
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
        let GroupSearch { tree, part, level, group, rules } = self.search;
        let (BoxSet { bits, area }, data) = (leaf.set, part.data);
        let may_hit = |bounds: &RawAabb| overlaps(bounds, &area);
        let mut left = leaf.node.entries();
        let mut is_filled = false;
        let overlapping = EdgeRanges::new([f32::NEG_INFINITY; 2], Some(&area));
        let tests_boxes_alone = !(tree.has_filters() || rules.filters_by_row.is_some() || rules.are_circles);
        while let Some(batch) = data.run_bounds.next_batch(&mut left, may_hit) {
            let (rows, boxes) = (&data.entries[batch.clone()], &data.entry_boxes[batch]);
            let mut chosen = 0u32;
            // Branchless, so that the processor loads many boxes at once.
            for (k, aabb) in boxes.iter().enumerate() {
                chosen |= u32::from(overlapping.contain(aabb)) << k;
            }
            if chosen == 0 {
                continue;
            }
            if leaf.set.is_single() && tests_boxes_alone {
                let row = group.row(bits.trailing_zeros() as usize);
                write_pairs(leaf, row, (rows, boxes), members(chosen.into()), part.hidden, sink)?;
                continue;
            }
            if !is_filled {
                self.boxes.fill(group, bits, tree.has_filters(), rules);
                is_filled = true;
            }
            if tree.has_filters() {
                members(chosen.into()).for_each(|at| self.static_filters[at] = tree.filter_of(rows[at]));
            }
            let probes = ProbeBatch { boxes, rows, filters: &self.static_filters, chosen, hidden: part.hidden };
            level.scan_above(&self.boxes.columns(), &probes, leaf.low, sink)?;
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

/// Some boxes of the group, in columns.
struct SetColumns {
    words: [u32; column_words(GROUP_MAX)],
    filter_words: [u32; filter_words(GROUP_MAX)],
    len: usize,
    has_filters: bool,
    are_circles: bool,
}

impl SetColumns {
    fn fill(&mut self, group: &BoxGroup, bits: u64, has_filters: bool, rules: GroupRules<'_>) {
        let GroupRules { filters_by_row, are_circles } = rules;
        let len = bits.count_ones() as usize;
        let record = |at| BodyRecord { aabb: group.aabb(at), row: group.row(at) };
        SoaColumnsMut::of(&mut self.words, len).fill(members(bits).map(record));
        let has_filters = has_filters || filters_by_row.is_some();
        if has_filters {
            let filter = |at| filters_by_row.map_or(Filter::ALL, |filters| filters[group.row(at) as usize]);
            fill_filters(&mut self.filter_words, len, members(bits).map(filter));
        }
        (self.len, self.has_filters, self.are_circles) = (len, has_filters, are_circles);
    }

    fn columns(&self) -> SoaColumns<'_> {
        let columns = SoaColumns::of(&self.words, self.len).with_circles(self.are_circles);
        if self.has_filters { columns.with_filters(&self.filter_words) } else { columns }
    }
}

#[derive(Clone, Copy)]
struct GroupSearch<'s> {
    tree: &'s StaticTree,
    part: TreePart<'s>,
    level: DetectedSimd,
    group: &'s BoxGroup,
    rules: GroupRules<'s>,
}

impl GroupSearch<'_> {
    fn search(self, sink: &mut PairSink<'_>) -> Option<()> {
        let Self { part, level, group, .. } = self;
        let bounds = group.bounds();
        let mut leaves = LeafQueue {
            search: self,
            leaves: [None; LEAVES_AHEAD],
            pushed: 0,
            boxes: SetColumns {
                words: [0; column_words(GROUP_MAX)],
                filter_words: [0; filter_words(GROUP_MAX)],
                len: 0,
                has_filters: false,
                are_circles: false,
            },
            static_filters: [Filter::ALL; ENTRY_BATCH],
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

    /// A set of boxes, which `area` covers.
    #[inline(always)]
    fn set(&self, bits: u64, area: &RawAabb) -> BoxSet {
        let mut set = BoxSet { bits, area: *area };
        if set.is_few() {
            let first = self.group.aabb(bits.trailing_zeros() as usize);
            set.area = members(bits & bits.wrapping_sub(1)).fold(first, |area, at| union(&area, &self.group.aabb(at)));
        }
        set
    }

    /// For each child that is not empty, those boxes of a set that touch it (CUT-1).
    #[inline(always)]
    fn touching(&self, split: &Split, children: &Siblings, set: &BoxSet) -> [u64; CHILD_COUNT] {
        let mut sets = [0; CHILD_COUNT];
        if set.is_few() {
            for at in members(set.bits) {
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
