//! Nodes of 8 bytes, four siblings side by side.
//!
//! N1: a node with `count == INNER` has children: `first` holds the kind of split and the group of the four. Any other
//!     is a leaf: its entries are `count` rows from `first` on. Rows end below `INNER`, so no leaf can be mistaken.
//! N2: a group is 32 bytes, aligned: its nodes share a cache line.
//!
//! Narrowing casts of the tree live here.

use crate::tier::static_tree::split::Kind;
use std::ops::Range;

/// Children of an inner node.
pub(super) const CHILD_COUNT: usize = 4;

/// Most rows of a static set: one below the value that marks inner nodes (N1).
pub(super) const ROW_COUNT_MAX: usize = u32::MAX as usize - 1;

/// Most entries of all leaves together: an entry's position is a u32.
pub(super) const ENTRY_COUNT_MAX: u64 = u32::MAX as u64;

/// Most groups: two bits of their number's u32 hold the kind.
pub(super) const GROUP_COUNT_MAX: u64 = 1 << KIND_SHIFT;

const INNER: u32 = u32::MAX;
const KIND_SHIFT: u32 = 30;

/// Position of four siblings among all groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GroupIndex(u32);

impl GroupIndex {
    pub(super) fn new(index: usize) -> Self {
        debug_assert!((index as u64) < GROUP_COUNT_MAX);
        Self(index as u32)
    }

    #[inline(always)]
    pub(super) fn get(self) -> usize {
        self.0 as usize
    }
}

/// A leaf or an inner node (N1). Its cell is not stored: [`Split`](crate::tier::static_tree::split::Split) derives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node {
    first: u32,
    count: u32,
}

const _: () = assert!(size_of::<Node>() == 8);

impl Node {
    pub(super) const EMPTY: Self = Self { first: 0, count: 0 };

    pub(super) fn leaf(entries: Range<usize>) -> Self {
        debug_assert!(entries.end as u64 <= ENTRY_COUNT_MAX && entries.len() <= ROW_COUNT_MAX);
        Self { first: entries.start as u32, count: entries.len() as u32 }
    }

    pub(super) fn inner(kind: Kind, group: GroupIndex) -> Self {
        Self { first: (kind as u32) << KIND_SHIFT | group.0, count: INNER }
    }

    /// The same node after `groups` and `entries` were put in front of what it refers to.
    pub(super) fn shifted(self, groups: usize, entries: usize) -> Self {
        match self.children() {
            Some((kind, group)) => Self::inner(kind, GroupIndex::new(group.get() + groups)),
            None => Self { first: self.first + entries as u32, ..self },
        }
    }

    #[inline(always)]
    pub(super) fn is_empty(self) -> bool {
        self.count == 0
    }

    /// How it is split and where its children are; none of a leaf.
    #[inline(always)]
    pub(super) fn children(self) -> Option<(Kind, GroupIndex)> {
        if self.count != INNER {
            return None;
        }
        let kind = match self.first >> KIND_SHIFT {
            0 => Kind::Quad,
            1 => Kind::SlabsX,
            _ => Kind::SlabsY,
        };
        Some((kind, GroupIndex(self.first & ((1 << KIND_SHIFT) - 1))))
    }

    /// Where a leaf's entries are.
    #[inline(always)]
    pub(super) fn entries(self) -> Range<usize> {
        debug_assert!(self.count != INNER);
        self.first as usize..self.first as usize + self.count as usize
    }
}

/// Four siblings (N2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(32))]
pub(super) struct Group(pub(super) [Node; CHILD_COUNT]);

const _: () = assert!(size_of::<Group>() == 32);

impl Group {
    /// Children that hold anything, a bit each.
    #[inline(always)]
    pub(super) fn occupied(&self) -> u32 {
        let [a, b, c, d] = self.0.map(|node| u32::from(!node.is_empty()));
        a | b << 1 | c << 2 | d << 3
    }
}

/// The number of a row that is known to be below [`ROW_COUNT_MAX`].
#[inline(always)]
pub(super) fn row_number(row: usize) -> u32 {
    debug_assert!(row < ROW_COUNT_MAX);
    row as u32
}
