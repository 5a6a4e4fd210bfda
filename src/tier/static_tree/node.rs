//! Nodes of 8 bytes, stored as groups of four siblings.
//!
//! NODE-1: A node with `count == INNER` has children: `first` stores its kind of split and the
//! index of the children's group. Any other node is a leaf: it lists `count` entries from `first`
//! on. A tree has fewer rows than `INNER`, so the count of a leaf never equals it.
//!
//! NODE-2: A group of siblings is 32 bytes and aligned, so its nodes share a cache line.
//!
//! The narrowing casts of the tree are in this file.

use crate::input::rows::ROWS_MAX;
use crate::memory::buffers::plain_buffers;
use crate::tier::static_tree::split::{CHILD_COUNT, SplitKind};
use std::ops::Range;

// Below the value that marks inner nodes (NODE-1).
const _: () = assert!(ROWS_MAX < INNER as usize);

/// Most entries of all leaves together: the position of an entry is a `u32`.
pub(super) const ENTRY_COUNT_MAX: u64 = u32::MAX as u64;

/// Most groups of siblings: two bits of their `u32` index store the kind of split.
pub(super) const SIBLINGS_COUNT_MAX: u64 = 1 << KIND_SHIFT;

const INNER: u32 = u32::MAX;
const KIND_SHIFT: u32 = 30;

/// Index of a group of siblings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SiblingsIndex(u32);

impl SiblingsIndex {
    pub(super) fn new(index: usize) -> Self {
        debug_assert!((index as u64) < SIBLINGS_COUNT_MAX);
        Self(index as u32)
    }

    #[inline(always)]
    pub(super) fn get(self) -> usize {
        self.0 as usize
    }
}

/// A leaf or an inner node (NODE-1).
///
/// Its cell is not stored: [`Split`](crate::tier::static_tree::split::Split) derives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node {
    first: u32,
    count: u32,
}

const _: () = assert!(size_of::<Node>() == 8);

impl Node {
    /// A leaf without entries.
    pub(super) const EMPTY: Self = Self { first: 0, count: 0 };

    pub(super) fn leaf(entries: Range<usize>) -> Self {
        debug_assert!(entries.end as u64 <= ENTRY_COUNT_MAX && entries.len() <= ROWS_MAX);
        Self { first: entries.start as u32, count: entries.len() as u32 }
    }

    pub(super) fn inner(kind: SplitKind, children: SiblingsIndex) -> Self {
        Self { first: (kind as u32) << KIND_SHIFT | children.0, count: INNER }
    }

    /// Returns the node with its indices increased, for siblings and entries that are appended
    /// after others.
    pub(super) fn offset_by(self, siblings: usize, entries: usize) -> Self {
        match self.children() {
            Some((kind, children)) => Self::inner(kind, SiblingsIndex::new(children.get() + siblings)),
            None => Self { first: self.first + entries as u32, ..self },
        }
    }

    #[inline(always)]
    pub(super) fn is_empty(self) -> bool {
        self.count == 0
    }

    /// Returns how an inner node is split and where its children are, or `None` for a leaf.
    #[inline(always)]
    pub(super) fn children(self) -> Option<(SplitKind, SiblingsIndex)> {
        if self.count != INNER {
            return None;
        }
        let kind = match self.first >> KIND_SHIFT {
            0 => SplitKind::Quad,
            1 => SplitKind::SlabsX,
            _ => SplitKind::SlabsY,
        };
        Some((kind, SiblingsIndex(self.first & ((1 << KIND_SHIFT) - 1))))
    }

    /// Returns the positions of a leaf's entries.
    #[inline(always)]
    pub(super) fn entries(self) -> Range<usize> {
        debug_assert!(self.count != INNER);
        self.first as usize..self.first as usize + self.count as usize
    }
}

/// The four children of a node (NODE-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(32))]
pub(super) struct Siblings(pub(super) [Node; CHILD_COUNT]);

const _: () = assert!(size_of::<Siblings>() == 32);

plain_buffers!(Siblings);

impl Siblings {
    /// Returns the children that are not empty, as one bit each.
    #[inline(always)]
    pub(super) fn occupied(&self) -> u32 {
        let [a, b, c, d] = self.0.map(|node| u32::from(!node.is_empty()));
        a | b << 1 | c << 2 | d << 3
    }
}

/// Converts a row, or the end of rows, that is known to be at most [`ROWS_MAX`].
#[inline(always)]
pub(super) fn row_number(row: usize) -> u32 {
    debug_assert!(row <= ROWS_MAX);
    row as u32
}
