//! The statics in a point grid, for bands that have more of them than bodies.
//!
//! A body searches the cells near it in a third of the time that a search of the tree takes.
//! Statics that are too large for cells are in a list of their own.
//!
//! - STATICGRID-1: it has the boxes that the tree was built of, so the order of its hits does not
//!   depend on when it was made. Statics that are hidden in the tree have a box of NaN in it, which
//!   overlaps nothing.
//! - STATICGRID-2: it is made at its first use, by the task of a band, and brought up to date
//!   before each step that may use it. Once the tree is built again, it is dropped.
//!
//! Cost: 12 to 33 ns for each static to make it, on one thread, and 27 bytes to keep it; about 40
//! ns for a static that was hidden or shown since the last step.

use crate::frame::statics_version::StaticsVersion;
use crate::geometry::NO_BOX;
use crate::memory::bit_set::BitSet;
use crate::memory::buffers::Buffers;
use crate::memory::record::BodyRecord;
use crate::simd::DetectedSimd;
use crate::tier::point_grid::column_bands::ColumnBands;
use crate::tier::static_tree::tree::{BuiltTree, StaticTree};
use std::sync::OnceLock;

/// A grid that is made at its first use (STATICGRID-2).
#[derive(Default)]
pub(crate) struct LazyStaticGrid(OnceLock<GridOfTree>);

/// A clone makes its own.
impl Clone for LazyStaticGrid {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// A tree, and its statics in a point grid; `None` if cells do not suit these.
struct GridOfTree {
    tree: BuiltTree,
    version: StaticsVersion,
    grid: Option<StaticGrid>,
}

/// The statics of a tree in a point grid.
pub(crate) struct StaticGrid {
    /// The statics that are small enough for the cells.
    pub(crate) bands: ColumnBands,
    /// The other ones, ascending by row. The boxes of hidden ones are NaN here too.
    pub(crate) oversized: Vec<BodyRecord>,
    /// The rows that are hidden.
    hidden: BitSet,
}

impl LazyStaticGrid {
    /// The grid of the statics of a step, if cells suit these.
    pub(crate) fn get(
        &self,
        statics: &StaticTree,
        version: StaticsVersion,
        level: DetectedSimd,
    ) -> Option<&StaticGrid> {
        let make = || GridOfTree { tree: statics.built_tree(), version, grid: StaticGrid::new(statics, level) };
        let made = self.0.get_or_init(make);
        debug_assert!(made.version == version && made.tree.is_of(statics), "brought up to date (STATICGRID-2)");
        made.grid.as_ref()
    }

    /// Brings the grid, if it was made, up to date.
    pub(crate) fn update(&mut self, statics: &StaticTree, version: StaticsVersion) {
        match self.0.get_mut() {
            Some(made) if !made.tree.is_of(statics) => self.0 = OnceLock::new(),
            Some(made) if made.version != version => {
                made.version = version;
                made.grid.iter_mut().for_each(|grid| grid.update(statics));
            }
            _ => {}
        }
    }

    /// Bytes of heap memory held.
    pub(crate) fn bytes(&self) -> usize {
        let grid = self.0.get().and_then(|made| made.grid.as_ref());
        grid.map_or(0, |grid| grid.bands.bytes() + grid.oversized.bytes() + grid.hidden.bytes())
    }
}

impl StaticGrid {
    fn new(statics: &StaticTree, level: DetectedSimd) -> Option<Self> {
        let records: Vec<_> = statics.built_boxes().map(|(row, aabb)| BodyRecord { aabb, row }).collect();
        let (mut bands, oversized) = ColumnBands::build(&records, level)?;
        if statics.has_filters() {
            bands.set_filters(|row| statics.filter_of(row));
        }
        debug_assert!(oversized.is_sorted_by_key(|record| record.row));
        let mut grid = Self { bands, oversized, hidden: BitSet::default() };
        grid.update(statics);
        Some(grid)
    }

    /// Hides and shows rows as they are in the tree.
    fn update(&mut self, statics: &StaticTree) {
        let Self { bands, oversized, hidden, .. } = self;
        for row in hidden.differences(statics.hidden()) {
            // The same as in the tree, if it is not hidden (STATICGRID-1).
            let filed = statics.built_box(row);
            let aabb = if statics.hidden().contains(row) { NO_BOX } else { filed };
            bands.set_box(row, &filed, &aabb);
            if let Ok(at) = oversized.binary_search_by_key(&row, |record| record.row) {
                oversized[at].aabb = aabb;
            }
        }
        hidden.copy_from(statics.hidden());
    }
}
