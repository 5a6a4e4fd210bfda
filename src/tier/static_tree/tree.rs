//! The tree of a set of statics, and access to its rows.

use crate::error::Error;
use crate::geometry::{Aabb, RawAabb, is_no_box, union};
use crate::input::filter::Filter;
use crate::input::statics::Statics;
use crate::memory::bit_set::BitSet;
use crate::memory::buffers::{Buffers, buffers, plain_buffers};
use crate::memory::radix::{Numbered, total_order_key_f64};
use crate::memory::shared_column::SharedColumn;
use crate::tier::static_tree::batches::RunBounds;
use crate::tier::static_tree::node::{Node, Siblings};
use crate::tier::static_tree::roots::ROOT_COUNT_MAX;
use crate::tier::static_tree::rows::StaticRows;
use crate::tier::static_tree::split::CHILD_COUNT;
use smallvec::SmallVec;
use std::sync::{Arc, Weak};

/// Trees of a set: one of the statics as they were when it was built, one of those changed since.
const PART_COUNT: usize = 2;

/// A set of boxes that rarely change, in a quadtree: searched often, changed a few at a time.
///
/// Boxes are closed: touching is overlap. Rows are those of the input. A static can be disabled and
/// enabled again, for a door. A few can be [inserted](Self::insert), [replaced](Self::replace) and
/// [removed](Self::remove) without building the tree again, for a wall that is built or a bridge
/// that burns. Statics that were inserted or replaced are in a second tree, until so many rows have
/// changed that one tree of all is built; see [`insert`](Self::insert).
///
/// Any finite boxes are suitable: walls, beams as long as the world, points, stacks of equal boxes,
/// outliers far away. If many large boxes cross, the lists of leaves get long, but memory stays
/// limited: each of the two trees has at most 4 leaf entries and one node for each static that it
/// was built of, and 268 additional nodes.
///
/// # Determinism
///
/// The trees, and with them the order of hits, depend only on the boxes, their order and the
/// changes made to them: not on the number of threads.
///
/// # Cost
///
/// Building takes O(n * depth), where the depth is at most 32. A search takes O(depth + entries of
/// the leaves that it touches), in both trees.
///
/// Memory: 16 bytes per row, and 8 each for its id and filter, if there are any; two bits per row,
/// which say whether it is disabled and whether it is hidden in the first tree; 20 bytes per leaf
/// entry and 8 per node, of both trees; and 20 bytes for each row that was changed since the first
/// tree was built. Columns by row are in chunks of 1,024 rows, with a pointer of 16 bytes for each.
/// If a leaf has more than 64 entries, its tree has another half byte per entry.
///
/// A clone copies the bits, the changed rows and the pointers. It shares trees and chunks until one
/// of the two changes.
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
    pub(super) rows: StaticRows,
    /// The tree of the statics as they were when it was built. Shared by clones, so that each frame
    /// can keep the statics of its step.
    pub(super) built: Arc<TreeData>,
    /// The tree of the statics inserted or replaced since.
    pub(super) recent: Arc<TreeData>,
    /// The rows inserted, replaced or removed since, ascending.
    pub(super) changed: Vec<ChangedStatic>,
    /// A bit for each row.
    pub(super) disabled: BitSet,
    /// A bit for each row, set if searches of `built` skip it: it is disabled or in `changed`.
    pub(super) hidden: BitSet,
}

/// A row that was inserted, replaced or removed since the tree was built.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChangedStatic {
    pub(super) row: u32,
    /// The box that the tree was built of; all edges are NaN if there was none.
    pub(super) built_box: RawAabb,
}

plain_buffers!(ChangedStatic);

/// Identifies the first tree of a set. A clone has the same one, until it is built again.
#[derive(Debug)]
pub(crate) struct BuiltTree(Weak<TreeData>);

impl BuiltTree {
    pub(crate) fn is_of(&self, tree: &StaticTree) -> bool {
        std::ptr::eq(self.0.as_ptr(), Arc::as_ptr(&tree.built))
    }
}

/// A tree, and the rows that its searches skip.
#[derive(Clone, Copy, Debug)]
pub(super) struct TreePart<'t> {
    pub(super) data: &'t TreeData,
    pub(super) hidden: &'t BitSet,
}

/// A tree, which does not change once it is built.
#[derive(Debug, Default)]
pub(super) struct TreeData {
    /// At most `ROOT_COUNT_MAX`.
    pub(super) roots: Vec<Root>,
    pub(super) siblings: Vec<Siblings>,
    /// The rows of each leaf, leaf by leaf.
    pub(super) entries: Vec<u32>,
    /// The box of each entry, so that the boxes of a leaf are contiguous.
    pub(super) entry_boxes: Vec<RawAabb>,
    pub(super) run_bounds: RunBounds,
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
buffers!(TreeData { leveled: ; own: roots, siblings, entries, entry_boxes, run_bounds; plain: ; });

impl StaticTree {
    /// Builds the tree from a slice of boxes, or from [`Statics`] with ids or filters.
    ///
    /// All statics are enabled.
    ///
    /// # Errors
    ///
    /// - [`Error::InvalidStatic`] if an edge is not finite or `max < min` on an axis; it names the
    ///   lowest such row.
    /// - [`Error::StaticColumnLengthMismatch`] if there are not as many ids or filters as boxes.
    /// - [`Error::TooManyRows`] if there are more than 2^32 - 2 boxes.
    ///
    /// # Cost
    ///
    /// O(n * depth), on the calling thread.
    pub fn new<'s>(statics: impl Into<Statics<'s>>) -> Result<Self, Error> {
        Self::build(statics.into(), false)
    }

    /// The trees to search, each static in one of them.
    #[inline(always)]
    pub(super) fn parts(&self) -> [TreePart<'_>; PART_COUNT] {
        [TreePart { data: &self.built, hidden: &self.hidden }, TreePart { data: &self.recent, hidden: &self.disabled }]
    }

    /// The roots for which `key` returns a number, by that number.
    pub(super) fn sorted_roots(
        &self,
        key: impl Fn(&Root) -> Option<f64>,
    ) -> impl Iterator<Item = (f64, TreePart<'_>, &Root)> {
        let mut roots = SmallVec::<[_; PART_COUNT * ROOT_COUNT_MAX]>::new();
        // Sorted instead of the roots: see `radix`.
        let mut order = SmallVec::<[Numbered; PART_COUNT * ROOT_COUNT_MAX]>::new();
        for part in self.parts() {
            for root in &part.data.roots {
                if let Some(key) = key(root) {
                    order.push((total_order_key_f64(key), roots.len() as u32));
                    roots.push((key, part, root));
                }
            }
        }
        order.sort_unstable();
        order.into_iter().map(move |(_, number)| roots[number as usize])
    }

    /// The roots of all parts.
    fn roots(&self) -> impl Iterator<Item = &Root> {
        self.built.roots.iter().chain(&self.recent.roots)
    }

    /// Returns the number of rows, those of disabled and of removed statics included.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a box that covers all statics, disabled ones included, or `None` if there are none.
    ///
    /// It is the smallest such box until statics are replaced or removed. From then on, until the
    /// tree is built again, it covers their old boxes too, so it may be `Some` although all statics
    /// were removed.
    pub fn bounds(&self) -> Option<Aabb> {
        self.raw_bounds().and_then(|bounds| bounds.try_into().ok())
    }

    fn raw_bounds(&self) -> Option<RawAabb> {
        self.roots().map(|root| root.bounds).reduce(|a, b| union(&a, &b))
    }

    /// Returns the box of a row, bit for bit as it was given, or `None` if there is no such row or
    /// its static was removed.
    pub fn aabb(&self, row: u32) -> Option<Aabb> {
        self.rows.boxes.get(row).and_then(|&aabb| aabb.try_into().ok())
    }

    /// Returns the id of a row, or `None` if there are no ids or no such row.
    pub fn id(&self, row: u32) -> Option<u64> {
        self.rows.ids.get(row).copied()
    }

    /// Returns the ids of all rows, if ids were given.
    pub(crate) fn ids(&self) -> Option<&SharedColumn<u64>> {
        Some(&self.rows.ids).filter(|ids| !ids.is_empty())
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
        !self.rows.filters.is_empty()
    }

    /// Returns the filters of all rows, if filters were given.
    pub(crate) fn filters(&self) -> Option<&SharedColumn<Filter>> {
        self.has_filters().then_some(&self.rows.filters)
    }

    /// Returns the [`filter`](Self::filter) of a row that exists.
    #[inline]
    pub(crate) fn filter_of(&self, row: u32) -> Filter {
        if self.has_filters() { self.rows.filters[row] } else { Filter::ALL }
    }

    /// Returns the number of rows whose static was removed.
    pub fn removed_count(&self) -> usize {
        self.rows.removed_count()
    }

    /// Returns whether the static of a row that exists was removed.
    pub(crate) fn is_vacant(&self, row: u32) -> bool {
        self.rows.is_vacant(row)
    }

    /// Returns whether a row is enabled, or `None` if there is no such row or its static was
    /// removed.
    pub fn is_enabled(&self, row: u32) -> Option<bool> {
        self.rows.boxes.get(row).filter(|aabb| !is_no_box(aabb)).map(|_| !self.disabled.contains(row))
    }

    /// Enables or disables a static, and returns whether it was enabled before.
    ///
    /// No query finds a disabled static.
    ///
    /// # Errors
    ///
    /// [`Error::StaticOutOfRange`] if there is no such row, [`Error::StaticRemoved`] if its static
    /// was removed.
    ///
    /// # Cost
    ///
    /// O(log k) if k rows were inserted, replaced or removed since the tree was built.
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
        self.check_row(row)?;
        if self.rows.is_vacant(row) {
            return Err(Error::StaticRemoved { row });
        }
        let was_enabled = !self.disabled.contains(row);
        self.disabled.set(row, !enabled);
        self.hidden.set(row, !enabled || self.find_changed(row).is_ok());
        Ok(was_enabled)
    }

    /// Checks that a row exists.
    pub(super) fn check_row(&self, row: u32) -> Result<(), Error> {
        let count = self.len();
        if (row as usize) < count { Ok(()) } else { Err(Error::StaticOutOfRange { row, count }) }
    }

    /// Returns where a row is in `changed`, or where it would be.
    pub(super) fn find_changed(&self, row: u32) -> Result<usize, usize> {
        self.changed.binary_search_by_key(&row, |changed| changed.row)
    }

    /// Returns the number of rows that were inserted, replaced or removed since the tree was built.
    ///
    /// See [`insert`](Self::insert).
    pub fn changed_count(&self) -> usize {
        self.changed.len()
    }

    /// Identifies the first tree.
    pub(crate) fn built_tree(&self) -> BuiltTree {
        BuiltTree(Arc::downgrade(&self.built))
    }

    /// Returns the rows and boxes that the first tree was built of.
    pub(crate) fn built_boxes(&self) -> impl Iterator<Item = (u32, RawAabb)> {
        let mut changed = self.changed.iter().peekable();
        let built = (0..).zip(self.raw_boxes()).map(move |(row, &aabb)| {
            let changed = changed.next_if(|changed| changed.row == row);
            (row, changed.map_or(aabb, |changed| changed.built_box))
        });
        built.filter(|(_, aabb)| !is_no_box(aabb))
    }

    /// Returns the box of a row that the first tree was built of; all edges are NaN if there was
    /// none.
    pub(crate) fn built_box(&self, row: u32) -> RawAabb {
        self.find_changed(row).map_or_else(|_| *self.raw_box(row), |at| self.changed[at].built_box)
    }

    /// Returns the rows that searches of the first tree skip.
    pub(crate) fn hidden(&self) -> &BitSet {
        &self.hidden
    }

    /// Returns the number of nodes, including leaves.
    pub fn node_count(&self) -> usize {
        self.parts().iter().map(|part| part.data.roots.len() + part.data.siblings.len() * CHILD_COUNT).sum()
    }

    /// Returns the sides that a leaf's cell would have if all leaves divided the bounds evenly; 0
    /// without statics.
    pub(crate) fn mean_leaf_size(&self) -> [f32; 2] {
        let Some([min_x, min_y, max_x, max_y]) = self.raw_bounds() else { return [0.0; 2] };
        // Three of four nodes are leaves.
        let per_side = (self.node_count() as f32 * 0.75).sqrt().max(1.0);
        [(max_x - min_x) / per_side, (max_y - min_y) / per_side]
    }

    /// Returns the number of entries in the lists of all leaves.
    ///
    /// A static has one entry in each leaf that its box belongs to. The entries of statics that
    /// were replaced or removed count until the tree is built again.
    pub fn entry_count(&self) -> usize {
        self.parts().iter().map(|part| part.data.entries.len()).sum()
    }

    /// Returns the heap memory held, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.bytes_beside(&Self::default())
    }

    /// Returns the bytes of heap memory that are not shared with `other`.
    pub(crate) fn bytes_beside(&self, other: &Self) -> usize {
        let Self { rows, built, recent, changed, disabled, hidden } = self;
        let trees = [(built, &other.built), (recent, &other.recent)];
        let own_trees = trees.iter().filter(|(own, other)| !Arc::ptr_eq(own, other));
        rows.bytes_beside(&other.rows)
            + own_trees.map(|(tree, _)| tree.bytes()).sum::<usize>()
            + changed.bytes()
            + disabled.bytes()
            + hidden.bytes()
    }

    /// Becomes a clone of `other`, in its own memory.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.rows.copy_from(&other.rows);
        self.built.clone_from(&other.built);
        self.recent.clone_from(&other.recent);
        self.changed.clone_from(&other.changed);
        self.disabled.copy_from(&other.disabled);
        self.hidden.copy_from(&other.hidden);
    }

    /// Releases memory that a larger set needed before.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.changed.shrink_to_fit();
        self.disabled.shrink_to_fit();
        self.hidden.shrink_to_fit();
    }

    /// Returns the box of a row that exists; all edges are NaN if its static was removed.
    #[inline]
    pub(crate) fn raw_box(&self, row: u32) -> &RawAabb {
        &self.rows.boxes[row]
    }

    /// Returns the boxes of all rows, as [`raw_box`](Self::raw_box) does.
    pub(crate) fn raw_boxes(&self) -> impl Iterator<Item = &RawAabb> {
        self.rows.boxes.iter()
    }
}
