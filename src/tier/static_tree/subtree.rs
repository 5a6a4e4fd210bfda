//! Builds the subtree of a list of rows, within a budget.
//!
//! SUBTREE-1: A split distributes the whole list by CUT-1, so every leaf that a box belongs to
//! lists it.
//!
//! SUBTREE-2: A subtree never takes more entries or groups of siblings than its budget. A list is
//! never longer than its budget of entries. A split that would exceed the budget is not made. The
//! rest of the budget is divided among the children by the lengths of their lists, rounded down,
//! which leaves each child at least the length of its list.
//!
//! SUBTREE-3: The layout is depth first: a group of siblings, then everything below its first
//! child, and so on. Lists are divided into tasks by their lengths alone, so the layout does not
//! depend on the number of threads.
//!
//! Cost: O(n * depth) in time. While it runs, memory for a few lists of the length of the input.

use crate::geometry::RawAabb;
use crate::parallel;
use crate::tier::static_tree::node::{ENTRY_COUNT_MAX, Node, SIBLINGS_COUNT_MAX, Siblings, SiblingsIndex};
use crate::tier::static_tree::split::{CHILD_COUNT, Split, SplitKind};
use std::ops::Range;

/// Entries of a leaf up to which it is not split. A million walls searched by areas of a wall's
/// size take the same time from 16 to 48, within noise: shorter lists cost as many nodes as they
/// save tests. With 8 there are three times the nodes.
pub(super) const LEAF_MAX: usize = 24;

/// Most inner nodes on a path from a root, and so the most frames of a traversal's stack. Two
/// clusters 1e7 times their size apart take 24 halvings, and f32 resolves no more except around
/// zero.
pub(super) const DEPTH_MAX: usize = 32;

/// Most leaf entries for each static. Without a limit, long boxes that cross would fill the memory.
pub(super) const ENTRIES_PER_STATIC: u64 = 4;

/// Statics for each group of siblings. Without a limit, stacks of coincident boxes would grow
/// chains of nodes. The usual set takes an eighth of the limit.
pub(super) const STATICS_PER_SIBLINGS: u64 = 4;

/// Groups of siblings that every tree may have, for sets too small to have a share.
pub(super) const SIBLINGS_FREE: u64 = 64;

/// Most entries of all children, in halves of the entries of their parent: two and a half times as
/// many, so that a child's list is five eighths as long on average. Boxes that cross in a lattice
/// a little more than double at each split. At four times, no list would be shorter.
const GROWTH_HALVES_MAX: usize = 5;

/// A quad split is made without trying slabs if it adds less than one entry in this many. It keeps
/// cells square, like the areas of most searches.
const QUAD_GROWTH_PART: usize = 8;

/// Longest list that one task handles: some 64 tasks for a million rows, of a millisecond each.
const TASK_LEN: usize = 1 << 14;

/// The most that a subtree may take (SUBTREE-2).
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    entries: u64,
    siblings: u64,
}

impl Budget {
    pub(super) fn of_rows(count: usize) -> Self {
        let rows = count as u64;
        let siblings = (rows / STATICS_PER_SIBLINGS + SIBLINGS_FREE).min(SIBLINGS_COUNT_MAX);
        Self { entries: (rows * ENTRIES_PER_STATIC).min(ENTRY_COUNT_MAX), siblings }
    }

    /// Returns the share of a list of `count` out of `total` entries.
    pub(super) fn share(&self, count: usize, total: usize) -> Self {
        // No product overflows: both factors are at most 2^32.
        let (count, total) = (count as u64, (total as u64).max(1));
        Self { entries: self.entries * count / total, siblings: self.siblings * count / total }
    }
}

/// The place of a list in the tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct BuildSite {
    pub(super) cell: RawAabb,
    pub(super) depth: usize,
    pub(super) budget: Budget,
}

impl BuildSite {
    fn child(&self, plan: &SplitPlan, k: usize) -> Self {
        let remaining = Budget { siblings: self.budget.siblings - 1, ..self.budget };
        Self {
            cell: plan.split.child_cell(&self.cell, k),
            depth: self.depth + 1,
            budget: remaining.share(plan.counts[k], plan.total),
        }
    }
}

/// A subtree whose indices count from its own start.
pub(super) struct Subtree {
    pub(super) node: Node,
    pub(super) siblings: Vec<Siblings>,
    pub(super) entries: Vec<u32>,
}

impl Subtree {
    pub(super) fn empty() -> Self {
        Self { node: Node::EMPTY, siblings: Vec::new(), entries: Vec::new() }
    }

    fn leaf(rows: &[u32]) -> Self {
        Self { node: Node::leaf(0..rows.len()), siblings: Vec::new(), entries: rows.to_vec() }
    }

    /// Joins four children, in the order of SUBTREE-3.
    fn of_children(kind: SplitKind, children: [Self; CHILD_COUNT]) -> Self {
        let mut whole = Self::empty();
        whole.siblings.push(Siblings([Node::EMPTY; CHILD_COUNT]));
        let nodes = children.map(|child| whole.append(child));
        whole.siblings[0] = Siblings(nodes);
        whole.node = Node::inner(kind, SiblingsIndex::new(0));
        whole
    }

    /// Appends another subtree, and returns its node with indices into this one.
    pub(super) fn append(&mut self, other: Self) -> Node {
        let (siblings, entries) = (self.siblings.len(), self.entries.len());
        let offset = |group: Siblings| Siblings(group.0.map(|node| node.offset_by(siblings, entries)));
        self.siblings.extend(other.siblings.into_iter().map(offset));
        self.entries.extend_from_slice(&other.entries);
        other.node.offset_by(siblings, entries)
    }
}

/// Builds the subtree of `rows`, on several threads if `parallel`.
pub(super) fn build_subtree(boxes: &[RawAabb], rows: &[u32], site: &BuildSite, parallel: bool) -> Subtree {
    if rows.len() <= TASK_LEN {
        return SubtreeBuilder::build(boxes, rows, site);
    }
    let Some(plan) = SplitPlan::choose(boxes, rows, site) else {
        return Subtree::leaf(rows);
    };
    let kind = plan.split.kind;
    if let Some(only) = plan.only_child(rows) {
        let mut children = std::array::from_fn(|_| Subtree::empty());
        children[only] = build_subtree(boxes, rows, &site.child(&plan, only), parallel);
        return Subtree::of_children(kind, children);
    }
    let mut space = vec![0; plan.space()];
    let lists = plan.distribute(boxes, rows, &mut space);
    let child = |k: usize| build_subtree(boxes, &space[lists[k].clone()], &site.child(&plan, k), parallel);
    let pair = |k: usize| parallel::join(parallel, || child(k), || child(k + 1));
    let ((a, b), (c, d)) = parallel::join(parallel, || pair(0), || pair(2));
    Subtree::of_children(kind, [a, b, c, d])
}

/// Builds a subtree on one thread.
struct SubtreeBuilder<'a> {
    boxes: &'a [RawAabb],
    /// A stack of lists of rows.
    lists: Vec<u32>,
    siblings: Vec<Siblings>,
    entries: Vec<u32>,
}

impl<'a> SubtreeBuilder<'a> {
    fn build(boxes: &'a [RawAabb], rows: &[u32], site: &BuildSite) -> Subtree {
        let mut builder = Self { boxes, lists: rows.to_vec(), siblings: Vec::new(), entries: Vec::new() };
        let node = builder.node(0..rows.len(), rows.len(), site);
        Subtree { node, siblings: builder.siblings, entries: builder.entries }
    }

    /// Builds the node of `lists[list]`. The stack of lists ends at `stack_end`.
    fn node(&mut self, list: Range<usize>, stack_end: usize, site: &BuildSite) -> Node {
        let rows = &self.lists[list.clone()];
        let Some(plan) = SplitPlan::choose(self.boxes, rows, site) else {
            let start = self.entries.len();
            self.entries.extend_from_slice(rows);
            return Node::leaf(start..self.entries.len());
        };
        let group = self.siblings.len();
        self.siblings.push(Siblings([Node::EMPTY; CHILD_COUNT]));
        let (lists, stack_end) = match plan.only_child(rows) {
            Some(only) => (std::array::from_fn(|k| if k == only { list.clone() } else { 0..0 }), stack_end),
            None => self.distribute(&plan, list, stack_end),
        };
        for (k, list) in lists.into_iter().enumerate() {
            self.siblings[group].0[k] = self.node(list, stack_end, &site.child(&plan, k));
        }
        Node::inner(plan.split.kind, SiblingsIndex::new(group))
    }

    /// Puts the lists of the children on the stack, and returns them and its new end.
    fn distribute(
        &mut self,
        plan: &SplitPlan,
        list: Range<usize>,
        stack_end: usize,
    ) -> ([Range<usize>; CHILD_COUNT], usize) {
        let new_end = stack_end + plan.space();
        if self.lists.len() < new_end {
            self.lists.resize(new_end, 0);
        }
        let (lists, space) = self.lists.split_at_mut(stack_end);
        let children = plan.distribute(self.boxes, &lists[list], &mut space[..plan.space()]);
        (children.map(|list| list.start + stack_end..list.end + stack_end), new_end)
    }
}

/// A split, and the number of entries of each child.
struct SplitPlan {
    split: Split,
    counts: [usize; CHILD_COUNT],
    total: usize,
}

impl SplitPlan {
    /// Returns the split with the fewest entries, or `None` if none pays or the budget is
    /// exhausted.
    fn choose(boxes: &[RawAabb], rows: &[u32], site: &BuildSite) -> Option<Self> {
        if rows.len() <= LEAF_MAX || site.depth == DEPTH_MAX || site.budget.siblings == 0 {
            return None;
        }
        let mut best = Self::new(boxes, rows, SplitKind::Quad, &site.cell);
        if best.as_ref().is_none_or(|quad| quad.total > rows.len() + rows.len() / QUAD_GROWTH_PART) {
            let slabs = [SplitKind::SlabsX, SplitKind::SlabsY].map(|kind| Self::new(boxes, rows, kind, &site.cell));
            // `min_by_key` takes the first of equals: the quad, if it is one of them.
            best = best.into_iter().chain(slabs.into_iter().flatten()).min_by_key(|plan| plan.total);
        }
        best.filter(|plan| plan.total * 2 <= rows.len() * GROWTH_HALVES_MAX && plan.total as u64 <= site.budget.entries)
    }

    fn new(boxes: &[RawAabb], rows: &[u32], kind: SplitKind, cell: &RawAabb) -> Option<Self> {
        let split = Split::new(kind, cell);
        if !split.is_strict(cell) {
            return None;
        }
        let mut counts = [0; CHILD_COUNT];
        for &row in rows {
            let touched = split.touched_children(&boxes[row as usize]);
            for (k, count) in counts.iter_mut().enumerate() {
                *count += (touched >> k & 1) as usize;
            }
        }
        Some(Self { split, counts, total: counts.iter().sum() })
    }

    /// Returns the child that gets the whole list, if all others get nothing.
    fn only_child(&self, rows: &[u32]) -> Option<usize> {
        let count = rows.len();
        self.counts.iter().position(|&c| c == count).filter(|_| self.total == count)
    }

    /// Returns the length that [`distribute`](Self::distribute) needs: every row is written to all
    /// four lists, so each has one element to spare.
    fn space(&self) -> usize {
        self.total + CHILD_COUNT
    }

    /// Writes the lists of the children to `space`, and returns their ranges (SUBTREE-1).
    fn distribute(&self, boxes: &[RawAabb], rows: &[u32], space: &mut [u32]) -> [Range<usize>; CHILD_COUNT] {
        let mut ends = [0; CHILD_COUNT];
        for k in 1..CHILD_COUNT {
            ends[k] = ends[k - 1] + self.counts[k - 1] + 1;
        }
        let starts = ends;
        for &row in rows {
            let touched = self.split.touched_children(&boxes[row as usize]);
            for (k, end) in ends.iter_mut().enumerate() {
                // Written to every list, and kept if the end advances: a branch would mispredict.
                space[*end] = row;
                *end += (touched >> k & 1) as usize;
            }
        }
        std::array::from_fn(|k| starts[k]..ends[k])
    }
}
