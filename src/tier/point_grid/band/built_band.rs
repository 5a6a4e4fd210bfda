//! The stages of a band: the partition's records, then its sorted bodies, then blocks for queries,
//! or columns for more scans.

use crate::geometry::RawAabb;
use crate::geometry::band_box::{BandAxes, BandBox};
use crate::input::filter::{Filter, PairRules};
use crate::memory::body_record::BodyRecord;
#[cfg(test)]
use crate::memory::columns::SOA_PAD;
use crate::simd::{CellView, DetectedSimd};
use crate::tier::point_grid::band::build::Band;
use crate::tier::point_grid::band::cell_grid::CellLookup;
use crate::tier::point_grid::band::equal_cells::CellSize;
use crate::tier::point_grid::band::measure::measure;
use crate::tier::point_grid::band::scratch::{BandScratch, PairScratch, SortedBand};
use crate::tier::point_grid::band::slot::BandSlot;
use crate::tier::point_grid::band::tables::AppendTables;
use crate::tier::point_grid::places::{close_gaps, write_blocks, write_columns};
use std::ops::Range;

/// The records of a band, as the partition wrote them.
pub(crate) struct RawBand<'a> {
    pub(in crate::tier::point_grid) slot: &'a mut BandSlot,
    /// The records of its own bodies, in pieces, with room for padding after them.
    pub(in crate::tier::point_grid) records: &'a mut [BodyRecord],
    /// Where these are, ascending.
    pub(in crate::tier::point_grid) pieces: &'a [Range<usize>],
    /// Its ghosts, in pieces too.
    pub(in crate::tier::point_grid) ghosts: &'a mut [BodyRecord],
    pub(in crate::tier::point_grid) ghost_pieces: &'a [Range<usize>],
    /// Keeps its tables, once they are made.
    pub(in crate::tier::point_grid) append_tables: &'a AppendTables<'a>,
    pub(in crate::tier::point_grid) level: DetectedSimd,
}

impl<'a> RawBand<'a> {
    /// Number of its own bodies.
    pub(crate) fn population(&self) -> usize {
        self.slot.filed_count()
    }

    /// Sorts the bodies by cell. There must be at least one.
    pub(crate) fn build(
        self,
        cell_size: CellSize,
        rules: PairRules<'a>,
        scratch: &'a mut BandScratch,
    ) -> BuiltBand<'a> {
        let Self { slot, records, pieces, ghosts, ghost_pieces, append_tables, level } = self;
        let measured = measure(records, pieces);
        close_gaps(ghosts, ghost_pieces.iter().cloned());
        let ghosts = &ghosts[..slot.ghosts.len()];
        let band = Band::build(&records[..slot.filed_count()], measured, cell_size, scratch, level);
        slot.band = band;
        slot.table_range = append_tables(&scratch.tables[..band.tables_len()]);
        let filters_by_row = rules.filters_by_row;
        if let Some(by_row) = filters_by_row {
            scratch.look_up_filters(by_row);
        }
        let (SortedBand { columns, filters, keys, tables }, pair_scratch) = scratch.last_band_mut(band.tables_len());
        pair_scratch.tree.clear();
        #[cfg(debug_assertions)]
        band.assert_well_formed(columns, tables);
        let cells = band.cell_view(columns, tables).with_circles(rules.are_circles);
        let cells = if filters_by_row.is_some() { cells.with_filters(filters) } else { cells };
        BuiltBand { slot, records, ghosts, tables, level, cells, filters_by_row, keys, scratch: pair_scratch }
    }
}

/// A band whose bodies are sorted by cell, in the scratch of a thread and so in its cache.
/// `pairs.rs` finds its pairs.
pub(crate) struct BuiltBand<'a> {
    slot: &'a BandSlot,
    pub(super) records: &'a mut [BodyRecord],
    pub(super) ghosts: &'a [BodyRecord],
    tables: &'a [u32],
    pub(super) level: DetectedSimd,
    pub(super) cells: CellView<'a>,
    pub(super) filters_by_row: Option<&'a [Filter]>,
    pub(super) keys: &'a [u32],
    pub(super) scratch: &'a mut PairScratch,
}

impl<'a> BuiltBand<'a> {
    pub(crate) fn axes(&self) -> BandAxes {
        self.slot.axes
    }

    /// Its cells and bounds.
    pub(crate) fn band(&self) -> &'a Band {
        &self.slot.band
    }

    /// The records of its own bodies, in the order in which they were filed.
    pub(super) fn own(&self) -> &[BodyRecord] {
        &self.records[..self.slot.filed_count()]
    }

    /// Its bodies in cell order, with their filters, and as circles if they are.
    pub(crate) fn cells(&self) -> &CellView<'a> {
        &self.cells
    }

    pub(super) fn lookup(&self) -> CellLookup<'a> {
        self.band().lookup(self.tables)
    }

    /// Those of its bodies that are in a range of the cell order, in the axes of the world.
    pub(crate) fn bodies(&self, positions: Range<usize>) -> impl ExactSizeIterator<Item = BodyRecord> {
        let (columns, axes) = (self.cells.columns(), self.slot.axes);
        (positions.start..positions.end.min(columns.len())).map(move |at| BodyRecord {
            aabb: axes.box_to_world(BandBox::from_edges(columns.aabb(at))),
            row: columns.rows()[at],
        })
    }

    /// The smallest box that covers all its bodies, in the axes of the world.
    pub(crate) fn bounds(&self) -> RawAabb {
        self.slot.bounds()
    }

    /// Keeps the bodies for queries, as blocks in the memory of the records.
    pub(crate) fn keep(self) {
        write_blocks(self.records, self.cells.columns(), self.level);
    }

    /// Keeps the bodies in columns, in the memory of the records.
    pub(crate) fn keep_columns(self) {
        write_columns(self.records, self.cells.columns());
    }
}

/// The filter of a row, if rows have filters.
pub(super) fn lookup_by_row(filters: Option<&[Filter]>) -> Option<impl Fn(u32) -> Filter> {
    filters.map(|filters| |row: u32| filters[row as usize])
}

/// A band outside of a grid, for tests.
#[cfg(test)]
pub(crate) struct LoneBand {
    slot: BandSlot,
    records: Vec<BodyRecord>,
    pieces: Vec<Range<usize>>,
    ghosts: Vec<BodyRecord>,
    ghost_pieces: Vec<Range<usize>>,
    scratch: BandScratch,
}

#[cfg(test)]
impl LoneBand {
    pub(crate) fn new(own: &[BodyRecord], ghosts: &[BodyRecord]) -> Self {
        let ((mut records, pieces), (ghosts, ghost_pieces)) = (in_pieces(own), in_pieces(ghosts));
        records.resize(records.len() + SOA_PAD, BodyRecord::default());
        let ghost_count = ghost_pieces.iter().map(|piece| piece.len()).sum();
        let slot = BandSlot { places: 0..own.len() + SOA_PAD, ghosts: 0..ghost_count, ..BandSlot::default() };
        Self { slot, records, pieces, ghosts, ghost_pieces, scratch: BandScratch::default() }
    }

    /// The same band with the scratch of another one.
    pub(super) fn after(self, other: Self) -> Self {
        Self { scratch: other.scratch, ..self }
    }

    /// To be called once: it moves the records together.
    pub(crate) fn build<'a>(&'a mut self, cell_size: CellSize, rules: PairRules<'a>) -> BuiltBand<'a> {
        let Self { slot, records, pieces, ghosts, ghost_pieces, scratch } = self;
        let level = DetectedSimd::default();
        RawBand { slot, records, pieces, ghosts, ghost_pieces, append_tables: &|_| 0..0, level }
            .build(cell_size, rules, scratch)
    }
}

/// Records in two pieces, with a gap between them.
#[cfg(test)]
fn in_pieces(records: &[BodyRecord]) -> (Vec<BodyRecord>, Vec<Range<usize>>) {
    const GAP: usize = 5;
    let (front, back) = records.split_at(records.len() / 3);
    let elsewhere = BodyRecord { aabb: [f32::NAN; 4], row: u32::MAX };
    let back_start = front.len() + GAP;
    let places = [front, &[elsewhere; GAP], back].concat();
    (places, vec![0..front.len(), back_start..back_start + back.len()])
}
