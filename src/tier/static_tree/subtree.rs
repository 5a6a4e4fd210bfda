//! Lists of rows, split until they are short.
//!
//! W1: a split is made of the whole list by T1, so every entry is in each leaf that its box goes to.
//! W2: a subtree with a budget of `e` entries and `g` groups holds no more. A list is never longer than its `e`; a
//!     split that would take more than `e` entries, or a group that is not there, is not made; the rest is shared
//!     out by the lengths of the children's lists, rounded down, which leaves each at least its length.
//! W3: the layout is that of a walk in depth: a group, then all below its first child, and so on. Tasks are cut by
//!     the lengths of lists alone, so it is the same however many workers there are.
//!
//! Cost: O(n * depth) in time, a few lists of the length of the input in memory while it runs.

use crate::geometry::RawAabb;
use crate::parallel;
use crate::tier::static_tree::node::{CHILD_COUNT, ENTRY_COUNT_MAX, GROUP_COUNT_MAX, Group, GroupIndex, Node};
use crate::tier::static_tree::split::{Kind, Split};
use std::ops::Range;

/// Entries that a leaf may hold without being split. A million walls searched by areas of a wall's size take the same
/// time from 16 to 48, within what repeats: shorter lists cost as many nodes as they save tests, and with 8 there are
/// three times the nodes. Far longer ones would be tests alone.
pub(super) const LEAF_MAX: usize = 24;

/// Most inner nodes on a path, which makes it the depth of the walk's stack as well. Two clusters 1e7 times their
/// size apart take 24 halvings; f32 tells no more apart except around zero.
pub(super) const DEPTH_MAX: usize = 32;

/// Most leaf entries, in multiples of the statics: what keeps long boxes that cross from filling the memory.
pub(super) const ENTRIES_A_STATIC: u64 = 4;

/// One group, four nodes, for so many statics: what keeps stacks of coincident boxes from growing chains of nodes.
/// The usual set takes an eighth of it.
pub(super) const STATICS_A_GROUP: u64 = 4;

/// Groups for sets too small to have a share.
pub(super) const GROUPS_FREE: u64 = 64;

/// Most entries the children may have, in halves of the node's: two and a half times as many, so that a child's list is
/// five eighths of it on average. Boxes that cross in a lattice double at each cut and a little more; at four times as
/// many no list would be shorter.
const GROWTH_HALVES_MAX: usize = 5;

/// A quad that adds less than one entry in this many is made without a look at slabs: it keeps cells square, and
/// areas that are asked for mostly are.
const GROWTH_UNSEEN: usize = 8;

/// Lists up to this long are one worker's task: some 64 tasks in a million rows, a millisecond each.
const TASK_LEN: usize = 1 << 14;

/// W2: what a subtree may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    entries: u64,
    groups: u64,
}

impl Budget {
    pub(super) fn of_rows(count: usize) -> Self {
        let rows = count as u64;
        let groups = (rows / STATICS_A_GROUP + GROUPS_FREE).min(GROUP_COUNT_MAX);
        Self { entries: (rows * ENTRIES_A_STATIC).min(ENTRY_COUNT_MAX), groups }
    }

    /// The share of a list of `count` out of `total` entries. No product overflows: both factors are below 2^32.
    pub(super) fn share(&self, count: usize, total: usize) -> Self {
        let (count, total) = (count as u64, (total as u64).max(1));
        Self { entries: self.entries * count / total, groups: self.groups * count / total }
    }
}

/// Where a list is in the tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    pub(super) cell: RawAabb,
    pub(super) depth: usize,
    pub(super) budget: Budget,
}

impl Site {
    fn child(&self, plan: &Plan, k: usize) -> Self {
        let left = Budget { groups: self.budget.groups - 1, ..self.budget };
        Self {
            cell: plan.split.child(&self.cell, k as u32),
            depth: self.depth + 1,
            budget: left.share(plan.counts[k], plan.total),
        }
    }
}

/// A split and how many entries each child gets.
struct Plan {
    split: Split,
    counts: [usize; CHILD_COUNT],
    total: usize,
}

impl Plan {
    fn new(boxes: &[RawAabb], rows: &[u32], kind: Kind, cell: &RawAabb) -> Option<Self> {
        let split = Split::new(kind, cell);
        if !split.is_strict(cell) {
            return None;
        }
        let mut counts = [0; CHILD_COUNT];
        for &row in rows {
            let reach = split.reach(&boxes[row as usize]);
            for (k, count) in counts.iter_mut().enumerate() {
                *count += (reach >> k & 1) as usize;
            }
        }
        Some(Self { split, counts, total: counts.iter().sum() })
    }

    /// The split that leaves the fewest entries, if one pays and the budget has it.
    fn choose(boxes: &[RawAabb], rows: &[u32], site: &Site) -> Option<Self> {
        if rows.len() <= LEAF_MAX || site.depth == DEPTH_MAX || site.budget.groups == 0 {
            return None;
        }
        let mut best = Self::new(boxes, rows, Kind::Quad, &site.cell);
        if best.as_ref().is_none_or(|quad| quad.total > rows.len() + rows.len() / GROWTH_UNSEEN) {
            let slabs = [Kind::SlabsX, Kind::SlabsY].map(|kind| Self::new(boxes, rows, kind, &site.cell));
            // The first of equals: the quad, if it is one of them.
            best = best.into_iter().chain(slabs.into_iter().flatten()).min_by_key(|plan| plan.total);
        }
        best.filter(|plan| plan.total * 2 <= rows.len() * GROWTH_HALVES_MAX && plan.total as u64 <= site.budget.entries)
    }

    /// The child that takes the whole list, if the others get nothing of it.
    fn heir(&self, rows: &[u32]) -> Option<usize> {
        let count = rows.len();
        self.counts.iter().position(|&c| c == count).filter(|_| self.total == count)
    }

    /// Room that [`deal`](Self::deal) takes: a slot behind each list, as every row is written to all four.
    fn room(&self) -> usize {
        self.total + CHILD_COUNT
    }

    /// W1: the children's lists, written to `room`; the order of rows stays.
    fn deal(&self, boxes: &[RawAabb], rows: &[u32], room: &mut [u32]) -> [Range<usize>; CHILD_COUNT] {
        let mut end = [0; CHILD_COUNT];
        for k in 1..CHILD_COUNT {
            end[k] = end[k - 1] + self.counts[k - 1] + 1;
        }
        let start = end;
        for &row in rows {
            let reach = self.split.reach(&boxes[row as usize]);
            for (k, end) in end.iter_mut().enumerate() {
                // Written in any case, kept if the end moves on: where a row goes is no branch to mispredict.
                room[*end] = row;
                *end += (reach >> k & 1) as usize;
            }
        }
        std::array::from_fn(|k| start[k]..end[k])
    }
}

/// A subtree whose references count from its own start.
pub(super) struct Part {
    pub(super) node: Node,
    pub(super) groups: Vec<Group>,
    pub(super) entries: Vec<u32>,
}

impl Part {
    pub(super) fn empty() -> Self {
        Self { node: Node::EMPTY, groups: Vec::new(), entries: Vec::new() }
    }

    fn leaf(rows: &[u32]) -> Self {
        Self { node: Node::leaf(0..rows.len()), groups: Vec::new(), entries: rows.to_vec() }
    }

    /// W3: the group of the four, then what is below each.
    fn of_four(kind: Kind, children: [Self; CHILD_COUNT]) -> Self {
        let mut whole = Self::empty();
        whole.groups.push(Group([Node::EMPTY; CHILD_COUNT]));
        let nodes = children.map(|child| whole.append(child));
        whole.groups[0] = Group(nodes);
        whole.node = Node::inner(kind, GroupIndex::new(0));
        whole
    }

    /// Puts `part` behind what is there; its node as seen from here.
    pub(super) fn append(&mut self, part: Self) -> Node {
        let (groups, entries) = (self.groups.len(), self.entries.len());
        let shifted = |group: Group| Group(group.0.map(|node| node.shifted(groups, entries)));
        self.groups.extend(part.groups.into_iter().map(shifted));
        self.entries.extend_from_slice(&part.entries);
        part.node.shifted(groups, entries)
    }
}

/// The subtree of `rows`.
pub(super) fn grow(boxes: &[RawAabb], rows: &[u32], site: &Site, parallel: bool) -> Part {
    if rows.len() <= TASK_LEN {
        return Task::run(boxes, rows, site);
    }
    let Some(plan) = Plan::choose(boxes, rows, site) else {
        return Part::leaf(rows);
    };
    let kind = plan.split.kind;
    if let Some(heir) = plan.heir(rows) {
        let mut children = std::array::from_fn(|_| Part::empty());
        children[heir] = grow(boxes, rows, &site.child(&plan, heir), parallel);
        return Part::of_four(kind, children);
    }
    let mut room = vec![0; plan.room()];
    let lists = plan.deal(boxes, rows, &mut room);
    let child = |k: usize| grow(boxes, &room[lists[k].clone()], &site.child(&plan, k), parallel);
    let pair = |k: usize| parallel::join(parallel, || child(k), || child(k + 1));
    let ((a, b), (c, d)) = parallel::join(parallel, || pair(0), || pair(2));
    Part::of_four(kind, [a, b, c, d])
}

/// The work on one list and all below it: one scratch, used as a stack.
struct Task<'a> {
    boxes: &'a [RawAabb],
    lists: Vec<u32>,
    groups: Vec<Group>,
    entries: Vec<u32>,
}

impl<'a> Task<'a> {
    fn run(boxes: &'a [RawAabb], rows: &[u32], site: &Site) -> Part {
        let mut task = Self { boxes, lists: rows.to_vec(), groups: Vec::new(), entries: Vec::new() };
        let node = task.node(0..rows.len(), rows.len(), site);
        Part { node, groups: task.groups, entries: task.entries }
    }

    /// The node of `lists[list]`; from `free` on the stack may be written.
    fn node(&mut self, list: Range<usize>, free: usize, site: &Site) -> Node {
        let rows = &self.lists[list.clone()];
        let Some(plan) = Plan::choose(self.boxes, rows, site) else {
            let start = self.entries.len();
            self.entries.extend_from_slice(rows);
            return Node::leaf(start..self.entries.len());
        };
        let group = self.groups.len();
        self.groups.push(Group([Node::EMPTY; CHILD_COUNT]));
        let (lists, free) = match plan.heir(rows) {
            Some(heir) => (std::array::from_fn(|k| if k == heir { list.clone() } else { 0..0 }), free),
            None => self.deal(&plan, list, free),
        };
        for (k, list) in lists.into_iter().enumerate() {
            self.groups[group].0[k] = self.node(list, free, &site.child(&plan, k));
        }
        Node::inner(plan.split.kind, GroupIndex::new(group))
    }

    /// The children's lists on top of the stack, and where it then ends.
    fn deal(&mut self, plan: &Plan, list: Range<usize>, free: usize) -> ([Range<usize>; CHILD_COUNT], usize) {
        let end = free + plan.room();
        if self.lists.len() < end {
            self.lists.resize(end, 0);
        }
        let (lists, room) = self.lists.split_at_mut(free);
        let dealt = plan.deal(self.boxes, &lists[list], &mut room[..plan.room()]);
        (dealt.map(|list| list.start + free..list.end + free), end)
    }
}
