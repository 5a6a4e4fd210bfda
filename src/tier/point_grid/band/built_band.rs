//! The stages of a band: the partition's records, then its sorted bodies, then blocks for queries,
//! or columns for more scans.

use crate::geometry::RawAabb;
use crate::geometry::band_box::{BandAxes, BandBox};
use crate::input::filter::PairRules;
use crate::memory::pair_sink::PairSink;
use crate::memory::record::BodyRecord;
use crate::simd::{CellView, DetectedSimd};
use crate::tier::point_grid::band::build::Band;
use crate::tier::point_grid::band::equal_cells::CellSize;
use crate::tier::point_grid::band::others::{GatheredBoxes, Others};
use crate::tier::point_grid::band::scratch::BandScratch;
use crate::tier::point_grid::band::slot::BandSlot;
use crate::tier::point_grid::band::sorted::SortedBodies;
use crate::tier::point_grid::places::{write_blocks, write_columns};
use std::ops::Range;

/// The records of a band, as the partition wrote them.
pub(crate) struct RawBand<'a> {
    pub(in crate::tier::point_grid) slot: &'a mut BandSlot,
    /// The records of its own bodies, with room for padding after them.
    pub(in crate::tier::point_grid) records: &'a mut [BodyRecord],
    pub(in crate::tier::point_grid) ghosts: &'a [BodyRecord],
    /// Memory for its tables.
    pub(in crate::tier::point_grid) words: &'a mut [u32],
}

impl<'a> RawBand<'a> {
    /// Number of its own bodies.
    pub(crate) fn population(&self) -> usize {
        self.slot.filed_count()
    }

    /// Sorts the bodies by cell.
    pub(crate) fn build(
        self,
        cell_size: CellSize,
        rules: PairRules<'a>,
        scratch: &'a mut BandScratch,
    ) -> BuiltBand<'a> {
        let Self { slot, records, ghosts, words } = self;
        let own = &records[..slot.filed_count()];
        let bodies = SortedBodies::new(own, cell_size, rules, words, scratch);
        slot.band = bodies.band;
        BuiltBand { slot, records, ghosts, bodies }
    }
}

/// A band whose bodies are sorted by cell, in the scratch of a thread.
pub(crate) struct BuiltBand<'a> {
    slot: &'a BandSlot,
    records: &'a mut [BodyRecord],
    ghosts: &'a [BodyRecord],
    bodies: SortedBodies<'a>,
}

impl<'a> BuiltBand<'a> {
    pub(crate) fn axes(&self) -> BandAxes {
        self.slot.axes
    }

    /// Its cells and bounds.
    pub(crate) fn band(&self) -> &Band {
        &self.bodies.band
    }

    /// Its bodies in cell order, with their filters, and as circles if they are.
    pub(crate) fn cells(&self) -> &CellView<'a> {
        self.bodies.cells()
    }

    /// Finds the pairs of its own bodies. `None` once the pair limit is exceeded.
    pub(crate) fn own_pairs(&mut self, level: DetectedSimd, sink: &mut PairSink<'_>) -> Option<()> {
        let own = &self.records[..self.slot.filed_count()];
        self.bodies.own_pairs(level, (own, self.ghosts), sink)
    }

    /// Finds the pairs of its own bodies with ghosts (PARTITION-2). `None` once the pair limit is
    /// exceeded.
    pub(crate) fn ghost_pairs(&mut self, level: DetectedSimd, sink: &mut PairSink<'_>) -> Option<()> {
        self.bodies.pairs_with(level, self.ghosts.iter().copied(), Others::Bodies, sink)
    }

    /// Finds the pairs of its own bodies with boxes in the axes of the world. `None` once the
    /// pair limit is exceeded.
    pub(crate) fn pairs_with(
        &mut self,
        level: DetectedSimd,
        others: impl Iterator<Item = BodyRecord>,
        what: Others<'_>,
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        let gathered = self.gather(level, others);
        self.pairs_with_gathered(level, gathered, what, sink)
    }

    /// Takes boxes in the axes of the world for [`pairs_with_gathered`](Self::pairs_with_gathered).
    pub(crate) fn gather(&mut self, level: DetectedSimd, others: impl Iterator<Item = BodyRecord>) -> GatheredBoxes {
        let axes = self.slot.axes;
        let in_band = |BodyRecord { aabb, row }| BodyRecord { aabb: *axes.box_to_band(aabb).edges(), row };
        self.bodies.gather(level, others.map(in_band))
    }

    /// Finds the pairs of its own bodies with the boxes that were gathered last. `None` once the
    /// pair limit is exceeded.
    pub(crate) fn pairs_with_gathered(
        &mut self,
        level: DetectedSimd,
        gathered: GatheredBoxes,
        what: Others<'_>,
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        self.bodies.pairs_with_gathered(level, gathered, what, sink)
    }

    /// Those of its bodies that are in a range of the cell order, in the axes of the world.
    pub(crate) fn bodies(&self, places: Range<usize>) -> impl ExactSizeIterator<Item = BodyRecord> {
        let (columns, axes) = (self.bodies.cells().columns(), self.slot.axes);
        (places.start..places.end.min(columns.len())).map(move |at| BodyRecord {
            aabb: axes.box_to_world(BandBox::from_edges(columns.aabb(at))),
            row: columns.rows()[at],
        })
    }

    /// The smallest box that covers all its bodies, in the axes of the world.
    pub(crate) fn bounds(&self) -> RawAabb {
        self.slot.bounds()
    }

    /// Keeps the bodies for queries, as blocks in the memory of the records.
    pub(crate) fn keep(self, level: DetectedSimd) {
        write_blocks(self.records, self.bodies.cells().columns(), level);
    }

    /// Keeps the bodies in columns, in the memory of the records.
    pub(crate) fn keep_columns(self) {
        write_columns(self.records, self.bodies.cells().columns());
    }
}
