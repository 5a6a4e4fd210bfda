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
//!   other ones are needed. Those for the last two sizes are kept: bodies of which the largest is
//!   now above such a limit and now below do not have lists made again and again.
//!
//! Cost on one thread, for each static: 12 to 33 ns to make bands and 27 bytes to keep them; 250
//! to 350 ns and 26 bytes for a tree; 150 to 300 ns and 50 to 200 bytes for lists; about 40 ns in
//! bands and 300 in lists if it was hidden or shown since the last step.

use crate::frame::statics_version::StaticsVersion;
use crate::geometry::NO_BOX;
use crate::memory::bit_set::BitSet;
use crate::memory::buffers::Buffers;
use crate::memory::record::BodyRecord;
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
const LISTS_KEPT: usize = 2;

/// The statics in bands.
pub(crate) type StaticBands = StaticGrid<ColumnBands>;

/// The statics in lists.
pub(crate) type StaticLists = StaticGrid<CellLists>;

/// The statics in a packed tree.
pub(crate) type PackedStatics = StaticGrid<FixedTree>;

/// Cells and trees that are made at their first use (STATICGRID-2).
#[derive(Default)]
pub(crate) struct LazyStaticGrid {
    bands: MadeOnce<ColumnBands>,
    packed: MadeOnce<FixedTree>,
    /// By the longest side of a body, the last made ones last.
    lists: Mutex<Vec<(f32, OfTree<Arc<StaticLists>>)>>,
}

/// A clone makes its own.
impl Clone for LazyStaticGrid {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// One kind of grid, which is made at its first use (STATICGRID-2).
struct MadeOnce<C>(OnceLock<OfTree<StaticGrid<C>>>);

/// What was made of a tree; `None` if cells do not suit its statics.
struct OfTree<G> {
    tree: BuiltTree,
    version: StaticsVersion,
    grid: Option<G>,
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
    /// The statics of a step in bands, if cells suit these.
    pub(crate) fn bands(
        &self,
        statics: &StaticTree,
        version: StaticsVersion,
        level: DetectedSimd,
    ) -> Option<&StaticBands> {
        self.bands.get(statics, version, |records| ColumnBands::build(records, level))
    }

    /// The statics of a step in a packed tree.
    pub(crate) fn packed(&self, statics: &StaticTree, version: StaticsVersion) -> Option<&PackedStatics> {
        self.packed.get(statics, version, |records| Some((FixedTree::build(records), Vec::new())))
    }

    /// The statics of a step in lists for bodies up to a size, if lists suit these.
    pub(crate) fn lists(
        &self,
        statics: &StaticTree,
        version: StaticsVersion,
        common_side: f32,
    ) -> Option<Arc<StaticLists>> {
        let side = list_side(common_side)?;
        let mut lists = self.lists.lock();
        if let Some((_, made)) = lists.iter().find(|&&(of, _)| of == side) {
            debug_assert!(made.is_up_to_date(statics, version), "STATICGRID-2");
            return made.grid.clone();
        }
        let grid = StaticGrid::new(statics, |records| CellLists::build(records, side)).map(Arc::new);
        if lists.len() == LISTS_KEPT {
            lists.remove(0);
        }
        lists.push((side, OfTree::new(statics, version, grid.clone())));
        grid
    }

    /// Brings what was made up to date.
    pub(crate) fn update(&mut self, statics: &StaticTree, version: StaticsVersion) {
        self.bands.update(statics, version);
        self.packed.update(statics, version);
        self.lists.get_mut().retain_mut(|(_, made)| made.update(statics, version, Arc::get_mut));
    }

    /// Bytes of heap memory held.
    pub(crate) fn bytes(&self) -> usize {
        let lists = self.lists.lock().iter().filter_map(|(_, made)| Some(made.grid.as_ref()?.bytes())).sum::<usize>();
        self.bands.bytes() + self.packed.bytes() + lists
    }
}

/// The size for which lists are made, if most bodies have sides up to this (STATICGRID-3).
fn list_side(common_side: f32) -> Option<f32> {
    // Points have no side.
    let exponent = libm::ceilf(libm::log2f(common_side / LIST_SIDE)).max(EXPONENT_MIN);
    let side = LIST_SIDE * libm::exp2f(exponent);
    side.is_finite().then_some(side)
}

// Not derived, which would want a default of `C`.
impl<C> Default for MadeOnce<C> {
    fn default() -> Self {
        Self(OnceLock::new())
    }
}

impl<C: FixedBoxes> MadeOnce<C> {
    /// What was made of the statics of a step, or is made now. See [`StaticGrid::new`].
    fn get(
        &self,
        statics: &StaticTree,
        version: StaticsVersion,
        build: impl FnOnce(&[BodyRecord]) -> Option<(C, Vec<BodyRecord>)>,
    ) -> Option<&StaticGrid<C>> {
        let made = self.0.get_or_init(|| OfTree::new(statics, version, StaticGrid::new(statics, build)));
        debug_assert!(made.is_up_to_date(statics, version), "STATICGRID-2");
        made.grid.as_ref()
    }

    /// Brings it up to date, or drops it if it was made of another tree.
    fn update(&mut self, statics: &StaticTree, version: StaticsVersion) {
        if let Some(made) = self.0.get_mut()
            && !made.update(statics, version, |grid| Some(grid))
        {
            *self = Self::default();
        }
    }

    fn bytes(&self) -> usize {
        self.0.get().and_then(|made| made.grid.as_ref()).map_or(0, StaticGrid::bytes)
    }
}

impl<G> OfTree<G> {
    fn new(statics: &StaticTree, version: StaticsVersion, grid: Option<G>) -> Self {
        Self { tree: statics.built_tree(), version, grid }
    }

    fn is_up_to_date(&self, statics: &StaticTree, version: StaticsVersion) -> bool {
        self.version == version && self.tree.is_of(statics)
    }

    /// Brings the grid up to date. `false` if it has to be made anew.
    fn update<C: FixedBoxes>(
        &mut self,
        statics: &StaticTree,
        version: StaticsVersion,
        grid: impl FnOnce(&mut G) -> Option<&mut StaticGrid<C>>,
    ) -> bool {
        if !self.tree.is_of(statics) {
            return false;
        }
        if self.version == version {
            return true;
        }
        self.version = version;
        let Some(made) = &mut self.grid else { return true };
        grid(made).map(|grid| grid.update(statics)).is_some()
    }
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
