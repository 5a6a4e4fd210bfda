//! The statics in cells or in a packed tree, for bands that have more than a few of them.
//!
//! Where statics are evenly distributed, each is in the lists of all cells in which bodies of the
//! most common size begin that touch it ([`CellLists`]): a body reads one list. Otherwise, and for
//! larger bodies, statics are in bands whose cells follow them ([`ColumnBands`]), of which a body
//! searches a few cells in a third of the time that a search of the tree takes. Statics that are
//! too large for cells, or in a pile that would crowd these, are in a list of their own. Where
//! cells suit too few statics, all of them are in a packed tree ([`FixedTree`]).
//!
//! - STATICGRID-1: it has the boxes that the tree was built of, so the order of its hits does not
//!   depend on when it was made. Statics that are hidden in the tree have a box of NaN in it, which
//!   overlaps nothing.
//! - STATICGRID-2: it is made at its first use, by the task of a band, and brought up to date
//!   before each step that may use it. Once the tree is built again, it is dropped.
//! - STATICGRID-3: lists are for bodies up to a power of two, times a constant, so it is rare that
//!   other ones are needed. Those for the last three sizes are kept: bodies of which the largest is
//!   now above such a limit and now below do not have lists made again and again, even if a band
//!   with a larger body needs further ones.
//!
//! Cost on one thread, for each static: 12 to 33 ns to make bands and 22 bytes to keep them; 250
//! to 350 ns and 26 bytes for a tree; 150 to 300 ns and 50 to 200 bytes for lists; about 40 ns in
//! bands and 300 in lists if it was hidden or shown since the last step.

use crate::frame::statics_version::StaticsVersion;
use crate::geometry::NO_BOX;
use crate::memory::bit_set::BitSet;
use crate::memory::body_record::BodyRecord;
use crate::memory::buffers::Buffers;
use crate::simd::DetectedSimd;
use crate::tier::fixed_boxes::FixedBoxes;
use crate::tier::point_grid::cell_lists::CellLists;
use crate::tier::point_grid::column_bands::ColumnBands;
use crate::tier::static_tree::tree::{BuiltTree, StaticTree};
use crate::tier::sweep::fixed_tree::FixedTree;
use parking_lot::Mutex;
use std::sync::{Arc, OnceLock};

/// Lists are made for bodies with a side of this times a power of two.
const LIST_SIDE: f32 = 1.25;

/// The least such power.
const EXPONENT_MIN: f32 = -100.0;

/// Sizes of bodies for which lists are kept (STATICGRID-3).
const LISTS_KEPT: usize = 3;

/// The statics in bands.
pub(crate) type StaticBands = StaticGrid<ColumnBands>;

/// The statics in lists.
pub(crate) type StaticLists = StaticGrid<CellLists>;

/// The statics in a packed tree.
pub(crate) type PackedStatics = StaticGrid<FixedTree>;

/// Cells and trees that are made at their first use (STATICGRID-2); `None` if they do not suit the
/// statics.
#[derive(Default)]
pub(crate) struct LazyStaticGrid {
    /// The tree of which all of these are made, and the version that they show; `None` before the
    /// first update.
    of: Option<(BuiltTree, StaticsVersion)>,
    bands: OnceLock<Option<StaticBands>>,
    packed: OnceLock<Option<PackedStatics>>,
    /// By the longest side of a body, the last used ones last. `None` if lists do not suit it.
    lists: Mutex<Vec<(f32, Option<Arc<StaticLists>>)>>,
}

/// A clone makes its own.
impl Clone for LazyStaticGrid {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// The statics of a tree in cells or in a packed tree.
pub(crate) struct StaticGrid<C> {
    /// Those that are in cells, or in the packed tree.
    pub(crate) filed: C,
    /// The other ones, ascending by row. The boxes of hidden ones are NaN here too.
    pub(crate) left_out: Vec<BodyRecord>,
    /// The rows that are hidden.
    hidden: BitSet,
}

impl LazyStaticGrid {
    /// The statics in bands, if cells suit these.
    pub(crate) fn bands(&self, statics: &StaticTree, level: DetectedSimd) -> Option<&StaticBands> {
        self.bands.get_or_init(|| StaticGrid::new(statics, |records| ColumnBands::build(records, level))).as_ref()
    }

    /// The statics in a packed tree.
    pub(crate) fn packed(&self, statics: &StaticTree) -> Option<&PackedStatics> {
        let build = |records: &[BodyRecord]| Some((FixedTree::build(records), Vec::new()));
        self.packed.get_or_init(|| StaticGrid::new(statics, build)).as_ref()
    }

    /// The statics in lists for bodies up to a size, if lists suit these, and if `fits` accepts the
    /// size for which they are made.
    pub(crate) fn lists(
        &self,
        statics: &StaticTree,
        side: f32,
        fits: impl FnOnce(f32) -> bool,
    ) -> Option<Arc<StaticLists>> {
        // Before they are made, and before other bands wait for them.
        let side = list_side(side).filter(|&side| fits(side))?;
        let mut lists = self.lists.lock();
        if let Some(at) = lists.iter().position(|&(of, _)| of == side) {
            // The ones that were used last are kept.
            lists[at..].rotate_left(1);
            return lists.last().and_then(|(_, made)| made.clone());
        }
        let made = StaticGrid::new(statics, |records| CellLists::build(records, side)).map(Arc::new);
        // Sizes that lists do not suit take no place.
        let kept = || lists.iter().filter(|(_, lists)| lists.is_some()).count();
        if made.is_some() && kept() == LISTS_KEPT {
            let oldest = lists.iter().position(|(_, lists)| lists.is_some());
            oldest.map(|at| lists.remove(at));
        }
        lists.push((side, made.clone()));
        made
    }

    fn is_of(&self, statics: &StaticTree) -> bool {
        self.of.as_ref().is_some_and(|(tree, _)| tree.is_of(statics))
    }

    /// Whether it may be used with these statics (STATICGRID-2).
    pub(crate) fn is_up_to_date(&self, statics: &StaticTree, version: StaticsVersion) -> bool {
        self.is_of(statics) && self.of.as_ref().is_some_and(|&(_, of)| of == version)
    }

    /// Brings what was made up to date, or drops it if it was made of another tree.
    pub(crate) fn update(&mut self, statics: &StaticTree, version: StaticsVersion) {
        if !self.is_of(statics) {
            *self = Self { of: Some((statics.built_tree(), version)), ..Self::default() };
        }
        let Self { of, bands, packed, lists } = self;
        let Some((_, of)) = of.as_mut().filter(|(_, of)| *of != version) else { return };
        *of = version;
        bands.get_mut().into_iter().flatten().for_each(|grid| grid.update(statics));
        packed.get_mut().into_iter().flatten().for_each(|grid| grid.update(statics));
        lists.get_mut().retain_mut(|(_, lists)| match lists {
            None => true,
            // Dropped if something else has them, though no step is running.
            Some(lists) => Arc::get_mut(lists).map(|grid| grid.update(statics)).is_some(),
        });
    }

    /// Bytes of heap memory held.
    pub(crate) fn bytes(&self) -> usize {
        let bands = self.bands.get().and_then(Option::as_ref).map_or(0, StaticGrid::bytes);
        let packed = self.packed.get().and_then(Option::as_ref).map_or(0, StaticGrid::bytes);
        bands + packed + self.lists.lock().iter().filter_map(|(_, grid)| Some(grid.as_ref()?.bytes())).sum::<usize>()
    }
}

/// The size for which lists are made, for bodies with sides up to this (STATICGRID-3).
fn list_side(side: f32) -> Option<f32> {
    // Points have no side.
    let exponent = libm::ceilf(libm::log2f(side / LIST_SIDE)).max(EXPONENT_MIN);
    let side = LIST_SIDE * libm::exp2f(exponent);
    side.is_finite().then_some(side)
}

impl<C: FixedBoxes> StaticGrid<C> {
    fn new(statics: &StaticTree, build: impl FnOnce(&[BodyRecord]) -> Option<(C, Vec<BodyRecord>)>) -> Option<Self> {
        let records: Vec<_> = statics.built_boxes().map(|(row, aabb)| BodyRecord { aabb, row }).collect();
        let (mut filed, left_out) = build(&records)?;
        if statics.has_filters() {
            filed.set_filters(|row| statics.filter_of(row));
        }
        debug_assert!(left_out.is_sorted_by_key(|record| record.row));
        let mut grid = Self { filed, left_out, hidden: BitSet::default() };
        grid.update(statics);
        Some(grid)
    }

    /// Hides and shows rows as they are in the tree.
    fn update(&mut self, statics: &StaticTree) {
        let Self { filed, left_out, hidden } = self;
        for row in hidden.differences(statics.hidden()) {
            // The same as in the tree, if it is not hidden (STATICGRID-1).
            let built_box = statics.built_box(row);
            let aabb = if statics.hidden().contains(row) { NO_BOX } else { built_box };
            filed.set_box(row, &built_box, &aabb);
            if let Ok(at) = left_out.binary_search_by_key(&row, |record| record.row) {
                left_out[at].aabb = aabb;
            }
        }
        hidden.copy_from(statics.hidden());
    }

    fn bytes(&self) -> usize {
        self.filed.bytes() + self.left_out.bytes() + self.hidden.bytes()
    }
}
