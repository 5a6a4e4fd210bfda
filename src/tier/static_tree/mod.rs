//! Tier 3: what never moves, in a quadtree that is built once.
//!
//! Nodes are 8 bytes and hold no boxes: a cell is derived on the way down. Four siblings lie side by side, leaf lists
//! are ranges of one array, and the statics' boxes are kept bit for bit, row by row and once more leaf by leaf, so a
//! search touches little memory.
//!
//! - `split`: how a cell is cut into four and which children a box goes to; why nothing is missed (T1 to T3).
//! - `node`: the records.
//! - `territory`: a root and a cell of its own for what lies far apart or is long and thin (R1 to R4).
//! - `grow`: from a list of rows to a subtree, within a budget (W1 to W3).
//! - `query`: the walk to what an area reaches, and that each static is reported once (Q1 to Q4).
//! - `near`: the walk to what is nearest, and that each is visited once (D1 to D4).
//! - `cast`: the walk along a ray, and that nothing is missed (L1 to L4).
//! - `ask`: the walks as questions.

pub(crate) mod box_query;
mod build;
pub(crate) mod nearest;
mod node;
pub(crate) mod parts;
pub(crate) mod ray;
mod shift;
mod split;
pub(crate) mod subtree;
mod territory;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod validate;

use crate::error::Error;
use crate::geometry::{Aabb, RawAabb, union};
use crate::input::bodies::Statics;
use crate::input::filter::Filter;
use crate::memory::bit_set::BitSet;
use node::{CHILD_COUNT, Group, Node};
use std::sync::Arc;

/// A tree of those statics whose centres are in one part of the world (R1).
#[derive(Clone, Debug, PartialEq)]
struct Root {
    /// Covers every static below: what does not overlap it need not go down.
    bounds: RawAabb,
    cell: RawAabb,
    node: Node,
}

/// A set of boxes that never move, made once and searched often.
///
/// Boxes are closed: touching is overlap. Rows are those of the input. A static can be switched off and on again (a
/// door, a destroyed wall) at no cost; to add or to move one, build anew.
///
/// Any finite boxes will do: walls, beams as long as the world, points, stacks of equal boxes, far outliers. Where many
/// large boxes cross, leaf lists grow long; the tree does not: it has at most 4 entries and one node a static, and
/// some 270 nodes.
///
/// # Cost
///
/// Building: O(n * depth), a tenth of a microsecond or so a static. Searching: O(depth + entries of the leaves that the
/// area reaches). Memory: 16 bytes a static for its box, 20 bytes a leaf entry, 8 bytes a node, a bit a static. Cloning:
/// the bit a static; all else is shared.
///
/// # Determinism
///
/// The tree, and with it the order of what is found, is a pure function of the boxes in their order: the same at
/// any thread count.
///
/// # Source
///
/// A quadtree whose nodes hold no boxes, with four contiguous children and leaf lists in one array, is described in
/// [an answer on Stack Overflow](https://stackoverflow.com/questions/41946007). The rule by which boxes are
/// never clipped, the splits into slabs and the budgets are this crate's.
///
/// # Example
///
/// ```
/// use triphase::{Aabb, tier::static_tree::StaticTree};
/// let walls = [[0.0f32, 0.0, 10.0, 1.0], [9.0, 0.0, 10.0, 8.0], [40.0, 40.0, 41.0, 48.0]];
/// let mut tree = StaticTree::new(&walls)?;
/// let corner = Aabb::new([9.5, 0.5], [12.0, 3.0])?;
/// assert_eq!(tree.query_aabb(corner).collect::<Vec<_>>(), [0, 1]);
///
/// tree.set_enabled(0, false)?;
/// assert_eq!(tree.query_aabb(corner).collect::<Vec<_>>(), [1]);
/// # Ok::<(), triphase::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct StaticTree {
    /// Shared by clones, so that a frame can keep the statics of its step.
    built: Arc<Built>,
    /// Those switched off.
    disabled: BitSet,
}

/// All that is built once and then stays. Searches take a reference to it when they begin, so that sharing costs them
/// nothing on the way.
#[derive(Debug, Default)]
struct Built {
    /// At most `ROOT_COUNT_MAX`.
    roots: Vec<Root>,
    groups: Vec<Group>,
    /// Rows, leaf by leaf.
    entries: Vec<u32>,
    /// Entry by entry: a leaf's boxes lie side by side.
    listed: Vec<RawAabb>,
    /// Row by row, as they were given.
    boxes: Vec<RawAabb>,
    /// Empty if none were given.
    ids: Vec<u64>,
    /// Empty if none were given.
    filters: Vec<Filter>,
}

impl StaticTree {
    /// Builds the tree of `statics`: a slice of boxes, or [`Statics`] with ids or filters. All are enabled.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidStatic`] names the lowest row that is not finite or has `max < min`; [`Error::ColumnLengthMismatch`] when
    /// there are not as many ids or filters as boxes; [`Error::TooManyRows`].
    ///
    /// # Cost
    ///
    /// O(n * depth), on the calling thread.
    pub fn new<'s>(statics: impl Into<Statics<'s>>) -> Result<Self, Error> {
        Self::build(statics.into(), false)
    }

    /// How many statics there are, disabled ones included.
    pub fn len(&self) -> usize {
        self.built.boxes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.built.boxes.is_empty()
    }

    /// The smallest box that covers all statics, disabled ones included; none of an empty set.
    pub fn bounds(&self) -> Option<Aabb> {
        let bounds = self.built.roots.iter().map(|root| root.bounds);
        bounds.reduce(|a, b| union(&a, &b)).and_then(aabb)
    }

    /// The box of a row, bit for bit as it was given; none where there is no such row.
    pub fn aabb(&self, row: u32) -> Option<Aabb> {
        self.built.boxes.get(row as usize).copied().and_then(aabb)
    }

    /// The id of a row, where ids were given and there is such a row.
    pub fn id(&self, row: u32) -> Option<u64> {
        self.built.ids.get(row as usize).copied()
    }

    /// The ids of all rows, where ids were given.
    pub(crate) fn ids(&self) -> Option<&[u64]> {
        (!self.built.ids.is_empty()).then_some(&self.built.ids)
    }

    /// The filter of a row, [`Filter::ALL`] where no filters were given; none where there is no such row. A tree keeps
    /// filters, and finds what overlaps all the same: steps and questions of [`World`](crate::World) are what asks for them.
    pub fn filter(&self, row: u32) -> Option<Filter> {
        ((row as usize) < self.len()).then(|| self.filter_of(row))
    }

    /// Whether a row is enabled; none where there is no such row.
    pub fn is_enabled(&self, row: u32) -> Option<bool> {
        ((row as usize) < self.len()).then(|| !self.disabled.contains(row))
    }

    /// Switches a static on or off and returns whether it was on. What is off is not found.
    ///
    /// # Errors
    ///
    /// [`Error::StaticOutOfRange`].
    ///
    /// # Cost
    ///
    /// O(1).
    pub fn set_enabled(&mut self, row: u32, enabled: bool) -> Result<bool, Error> {
        let was = self.is_enabled(row).ok_or(Error::StaticOutOfRange { row, count: self.len() })?;
        if enabled {
            self.disabled.remove(row);
        } else {
            self.disabled.insert(row);
        }
        Ok(was)
    }

    /// Nodes of the tree, leaves and empty ones included.
    pub fn node_count(&self) -> usize {
        self.built.roots.len() + self.built.groups.len() * CHILD_COUNT
    }

    /// Entries of all leaves together: a static has one in each leaf that its box reaches.
    pub fn entry_count(&self) -> usize {
        self.built.entries.len()
    }

    /// Whether filters were given.
    pub(crate) fn has_filters(&self) -> bool {
        !self.built.filters.is_empty()
    }

    /// [`filter`](Self::filter) of a row that there is.
    #[inline]
    pub(crate) fn filter_of(&self, row: u32) -> Filter {
        if self.has_filters() { self.built.filters[row as usize] } else { Filter::ALL }
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        self.built.bytes() + self.disabled.bytes()
    }

    /// Becomes a clone of `other`, in the memory that it has: a bit a static is copied.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        if !Arc::ptr_eq(&self.built, &other.built) {
            self.built = Arc::clone(&other.built);
        }
        self.disabled.copy_from(&other.disabled);
    }

    /// Gives back memory that a larger set took before.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.disabled.shrink_to_fit();
    }

    /// Memory held beside that of `other`, in bytes.
    pub(crate) fn bytes_beside(&self, other: &Self) -> usize {
        let shared = Arc::ptr_eq(&self.built, &other.built);
        self.disabled.bytes() + if shared { 0 } else { self.built.bytes() }
    }

    /// The boxes, row by row.
    pub(crate) fn raw_boxes(&self) -> &[RawAabb] {
        &self.built.boxes
    }
}

impl Built {
    fn bytes(&self) -> usize {
        self.roots.capacity() * size_of::<Root>()
            + self.groups.capacity() * size_of::<Group>()
            + self.entries.capacity() * size_of::<u32>()
            + self.listed.capacity() * size_of::<RawAabb>()
            + self.boxes.capacity() * size_of::<RawAabb>()
            + self.ids.capacity() * size_of::<u64>()
            + self.filters.capacity() * size_of::<Filter>()
    }
}

/// Every box here was checked when the tree was built, so there is always one.
fn aabb([min_x, min_y, max_x, max_y]: RawAabb) -> Option<Aabb> {
    Aabb::new([min_x, min_y], [max_x, max_y]).ok()
}
