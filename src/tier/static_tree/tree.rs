//! The tree of a set of statics, and access to its rows.

use crate::error::Error;
use crate::geometry::{Aabb, RawAabb, union};
use crate::input::filter::Filter;
use crate::input::statics::Statics;
use crate::memory::bit_set::BitSet;
use crate::memory::buffers::{Buffers, buffers, plain_buffers};
use crate::tier::static_tree::node::{Node, Siblings};
use crate::tier::static_tree::split::CHILD_COUNT;
use std::sync::Arc;

/// Leaf entries that searches test at once, as bits of a word. Most leaves are shorter.
pub(super) const ENTRY_BATCH: usize = u32::BITS as usize;

/// A set of boxes that never move: built once, searched often.
///
/// Boxes are closed: touching is overlap. Rows are those of the input. A static can be disabled and
/// enabled again in constant time, for a door or a destroyed wall. To add or move one, build a new
/// tree.
///
/// Any finite boxes are suitable: walls, beams as long as the world, points, stacks of equal boxes,
/// outliers far away. If many large boxes cross, the lists of leaves get long, but memory stays
/// limited: a tree has at most 4 leaf entries and one node per static, and 268 additional nodes.
///
/// # Determinism
///
/// The tree, and with it the order of hits, depends only on the boxes and their order: not on the
/// number of threads.
///
/// # Cost
///
/// Building takes O(n * depth), where the depth is at most 32. A search takes O(depth + entries of
/// the leaves that it touches). Memory: 16 bytes per static, 20 per leaf entry, 8 per node, and one
/// bit per static that says whether it is disabled. A clone copies the bits and shares the rest.
///
/// # Example
///
/// ```
/// use triphase::{Aabb, tier::static_tree::StaticTree};
///
/// let walls = [[0.0f32, 0.0, 10.0, 1.0], [9.0, 0.0, 10.0, 8.0], [40.0, 40.0, 41.0, 48.0]];
/// let mut tree = StaticTree::new(&walls)?;
/// let corner = Aabb::new([9.5, 0.5], [12.0, 3.0])?;
/// assert_eq!(tree.query_aabb(corner).collect::<Vec<_>>(), [0, 1]);
///
/// tree.set_enabled(0, false)?;
/// assert_eq!(tree.query_aabb(corner).collect::<Vec<_>>(), [1]);
/// # Ok::<(), triphase::Error>(())
/// ```
///
/// # Source
///
/// A quadtree whose nodes contain no boxes, with four contiguous children and the lists of leaves
/// in one array, is described in [an answer on Stack
/// Overflow](https://stackoverflow.com/questions/41946007). Sorting boxes into children without
/// clipping them, splitting cells into four slabs, and the limits on memory are this crate's.
#[derive(Clone, Debug, Default)]
pub struct StaticTree {
    /// Shared by clones, so that each frame can keep the statics of its step.
    pub(super) data: Arc<TreeData>,
    /// A bit for each row.
    pub(super) disabled: BitSet,
}

/// The part of a tree that does not change once it is built.
#[derive(Debug, Default)]
pub(super) struct TreeData {
    /// At most `ROOT_COUNT_MAX`.
    pub(super) roots: Vec<Root>,
    pub(super) siblings: Vec<Siblings>,
    /// The rows of each leaf, leaf by leaf.
    pub(super) entries: Vec<u32>,
    /// The box of each entry, so that the boxes of a leaf are contiguous.
    pub(super) entry_boxes: Vec<RawAabb>,
    /// The box of each row, bit for bit as it was given.
    pub(super) boxes: Vec<RawAabb>,
    /// Empty if none were given.
    pub(super) ids: Vec<u64>,
    /// Empty if none were given.
    pub(super) filters: Vec<Filter>,
}

/// The root node of some of the statics (ROOT-1).
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Root {
    /// The bounds of all statics below.
    pub(super) bounds: RawAabb,
    pub(super) cell: RawAabb,
    pub(super) node: Node,
}

plain_buffers!(Root);
buffers!(TreeData { leveled: ; own: roots, siblings, entries, entry_boxes, boxes, ids, filters; plain: ; });

impl TreeData {
    /// Returns the rows that a leaf lists, and their boxes.
    #[inline(always)]
    pub(super) fn leaf(&self, node: Node) -> (&[u32], &[RawAabb]) {
        (&self.entries[node.entries()], &self.entry_boxes[node.entries()])
    }
}

impl StaticTree {
    /// Builds the tree from a slice of boxes, or from [`Statics`] with ids or filters.
    ///
    /// All statics are enabled.
    ///
    /// # Errors
    ///
    /// - [`Error::InvalidStatic`] if an edge is not finite or `max < min` on an axis; it names the
    ///   lowest such row.
    /// - [`Error::ColumnLengthMismatch`] if there are not as many ids or filters as boxes.
    /// - [`Error::TooManyRows`] if there are more than 2^32 - 2 boxes.
    ///
    /// # Cost
    ///
    /// O(n * depth), on the calling thread.
    pub fn new<'s>(statics: impl Into<Statics<'s>>) -> Result<Self, Error> {
        Self::build(statics.into(), false)
    }

    /// Returns the number of statics, disabled ones included.
    pub fn len(&self) -> usize {
        self.data.boxes.len()
    }

    /// Returns whether there are no statics.
    pub fn is_empty(&self) -> bool {
        self.data.boxes.is_empty()
    }

    /// Returns the smallest box that covers all statics, disabled ones included, or `None` if there
    /// are none.
    pub fn bounds(&self) -> Option<Aabb> {
        let bounds = self.data.roots.iter().map(|root| root.bounds);
        bounds.reduce(|a, b| union(&a, &b)).and_then(|bounds| bounds.try_into().ok())
    }

    /// Returns the box of a row, bit for bit as it was given, or `None` if there is no such row.
    pub fn aabb(&self, row: u32) -> Option<Aabb> {
        self.data.boxes.get(row as usize).and_then(|&aabb| aabb.try_into().ok())
    }

    /// Returns the id of a row, or `None` if there are no ids or no such row.
    pub fn id(&self, row: u32) -> Option<u64> {
        self.data.ids.get(row as usize).copied()
    }

    /// Returns the ids of all rows, if ids were given.
    pub(crate) fn ids(&self) -> Option<&[u64]> {
        (!self.data.ids.is_empty()).then_some(&self.data.ids)
    }

    /// Returns the filter of a row, or `None` if there is no such row.
    ///
    /// It is [`Filter::ALL`] if no filters were given. The steps and queries of a
    /// [`World`](crate::World) apply filters; the queries of a tree ignore them.
    pub fn filter(&self, row: u32) -> Option<Filter> {
        ((row as usize) < self.len()).then(|| self.filter_of(row))
    }

    /// Returns whether filters were given.
    pub(crate) fn has_filters(&self) -> bool {
        !self.data.filters.is_empty()
    }

    /// Returns the filters of all rows, if filters were given.
    pub(crate) fn filters(&self) -> Option<&[Filter]> {
        self.has_filters().then_some(&self.data.filters)
    }

    /// Returns the [`filter`](Self::filter) of a row that exists.
    #[inline]
    pub(crate) fn filter_of(&self, row: u32) -> Filter {
        if self.has_filters() { self.data.filters[row as usize] } else { Filter::ALL }
    }

    /// Returns whether a row is enabled, or `None` if there is no such row.
    pub fn is_enabled(&self, row: u32) -> Option<bool> {
        ((row as usize) < self.len()).then(|| !self.disabled.contains(row))
    }

    /// Enables or disables a static, and returns whether it was enabled before.
    ///
    /// No query finds a disabled static.
    ///
    /// # Errors
    ///
    /// [`Error::StaticOutOfRange`] if there is no such row.
    ///
    /// # Cost
    ///
    /// O(1).
    ///
    /// # Example
    ///
    /// ```
    /// use triphase::{Aabb, tier::static_tree::StaticTree};
    ///
    /// let mut tree = StaticTree::new(&[[0.0f32, 0.0, 1.0, 8.0]])?;
    /// let was_closed = tree.set_enabled(0, false)?;
    /// assert!(was_closed && tree.is_enabled(0) == Some(false));
    /// assert_eq!(tree.query_aabb(Aabb::new([0.0, 0.0], [9.0, 9.0])?).count(), 0);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn set_enabled(&mut self, row: u32, enabled: bool) -> Result<bool, Error> {
        let was_enabled = self.is_enabled(row).ok_or(Error::StaticOutOfRange { row, count: self.len() })?;
        if enabled {
            self.disabled.remove(row);
        } else {
            self.disabled.insert(row);
        }
        Ok(was_enabled)
    }
    /// Returns the number of nodes, including leaves.
    pub fn node_count(&self) -> usize {
        self.data.roots.len() + self.data.siblings.len() * CHILD_COUNT
    }

    /// Returns the number of entries in the lists of all leaves.
    ///
    /// A static has one entry in each leaf that its box belongs to.
    pub fn entry_count(&self) -> usize {
        self.data.entries.len()
    }

    /// Returns the heap memory held, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.data.bytes() + self.disabled.bytes()
    }

    /// Returns the bytes of heap memory that are not shared with `other`.
    pub(crate) fn bytes_beside(&self, other: &Self) -> usize {
        let is_shared = Arc::ptr_eq(&self.data, &other.data);
        self.disabled.bytes() + if is_shared { 0 } else { self.data.bytes() }
    }

    /// Becomes a clone of `other`, in its own memory.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        if !Arc::ptr_eq(&self.data, &other.data) {
            self.data = Arc::clone(&other.data);
        }
        self.disabled.copy_from(&other.disabled);
    }

    /// Releases memory that a larger set needed before.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.disabled.shrink_to_fit();
    }

    /// Returns the boxes of all rows.
    pub(crate) fn raw_boxes(&self) -> &[RawAabb] {
        &self.data.boxes
    }
}
