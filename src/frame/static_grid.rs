//! The statics in a point grid, for bands that have more of them than bodies.
//!
//! There, each body searches the cells near it, which takes a third of the time of a search of the
//! tree. Long and other large statics, which no cell suits, are in a list of their own.
//!
//! - STATICGRID-1: it has the boxes that the tree was built of, so the order of its hits does not
//!   depend on when it was made. Statics that are hidden in the tree are empty boxes in it.
//! - STATICGRID-2: it is made at its first use, by the task of a band, and brought up to date
//!   before each step. If that is not known to be possible, it is dropped.
//!
//! Cost: about 20 ns for each static to make it, on one thread, and 27 bytes to keep it.

use crate::frame::statics_version::StaticsVersion;
use crate::geometry::{Aabb, EMPTY_AABB, RawAabb};
use crate::memory::buffers::Buffers;
use crate::memory::record::BodyRecord;
use crate::simd::DetectedSimd;
use crate::tier::point_grid::column_bands::ColumnBands;
use crate::tier::static_tree::tree::{BuiltTree, StaticTree};
use std::sync::OnceLock;

/// A grid that is made at its first use (STATICGRID-2).
#[derive(Default)]
pub(crate) struct LazyStaticGrid(OnceLock<StaticGrid>);

/// A clone makes its own.
impl Clone for LazyStaticGrid {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// The statics of a tree in a point grid.
pub(crate) struct StaticGrid {
    built: BuiltTree,
    version: StaticsVersion,
    /// The statics that are small enough for the cells.
    pub(crate) bands: ColumnBands,
    /// The other ones. Hidden ones are empty boxes here too.
    pub(crate) oversized: Vec<BodyRecord>,
}

impl LazyStaticGrid {
    /// The grid of the statics of a step.
    pub(crate) fn get(&self, statics: &StaticTree, version: StaticsVersion, level: DetectedSimd) -> &StaticGrid {
        let grid = self.0.get_or_init(|| StaticGrid::new(statics, version, level));
        debug_assert!(grid.version == version && grid.built.is_of(statics), "brought up to date (STATICGRID-2)");
        grid
    }

    /// Brings the grid, if it was made, up to date. `changes` are those since a version.
    pub(crate) fn update<C: Iterator<Item = (u32, Aabb)>>(
        &mut self,
        statics: &StaticTree,
        version: StaticsVersion,
        changes: impl FnOnce(StaticsVersion) -> Option<C>,
    ) {
        let Some(grid) = self.0.get_mut().filter(|grid| grid.version != version) else { return };
        match changes(grid.version).filter(|_| grid.built.is_of(statics)) {
            Some(changes) => {
                changes.for_each(|(row, aabb)| grid.set(row, &aabb.to_array(), statics));
                grid.version = version;
            }
            None => self.0 = OnceLock::new(),
        }
    }

    /// Bytes of heap memory held.
    pub(crate) fn bytes(&self) -> usize {
        self.0.get().map_or(0, |grid| grid.bands.bytes() + grid.oversized.bytes())
    }
}

impl StaticGrid {
    fn new(statics: &StaticTree, version: StaticsVersion, level: DetectedSimd) -> Self {
        let records: Vec<_> = statics.built_boxes().map(|(row, aabb)| BodyRecord { aabb, row }).collect();
        let (mut bands, oversized) = ColumnBands::build(&records, level);
        if statics.has_filters() {
            bands.set_filters(|row| statics.filter_of(row));
        }
        let mut grid = Self { built: statics.built_tree(), version, bands, oversized };
        for BodyRecord { aabb, row } in records {
            if statics.is_hidden(row) {
                grid.set(row, &aabb, statics);
            }
        }
        grid
    }

    /// Hides or shows a row. Does nothing if it was not filed as `filed`.
    fn set(&mut self, row: u32, filed: &RawAabb, statics: &StaticTree) {
        // A row that is not hidden has the box that the tree was built of (STATICGRID-1).
        let aabb = if statics.is_hidden(row) { EMPTY_AABB } else { *statics.raw_box(row) };
        self.bands.set_box(row, filed, &aabb);
        // In the order of rows.
        if let Ok(at) = self.oversized.binary_search_by_key(&row, |record| record.row) {
            self.oversized[at].aabb = aabb;
        }
    }
}
