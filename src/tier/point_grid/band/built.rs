//! The passes over one band: built, its own pairs, its pairs with bodies from elsewhere, and put away.
//!
//! V1: bodies that have filters have them in the order of their columns too, looked up by row once the band is sorted; bodies
//! from elsewhere are looked up one by one. So filters are tested where boxes are, by the same scans, and no pass
//! but these has to know of them. That bodies are discs is said of their columns, and bodies from elsewhere are what these are.
//!
//! Cost: of its own pairs, about one vector of tests a body; with others, a search each.

use crate::geometry::overlaps;
use crate::input::filter::Filter;
use crate::memory::blocks::{block_words, fill_blocks};
use crate::memory::page::PairSink;
use crate::memory::record::BodyRecord;
use crate::simd::{CellView, DetectedSimd, PairOrder, Probe};
use crate::tier::point_grid::band::build::{Band, BandScratch, BuiltScratch};

/// What decides about pairs beside boxes; by default nothing.
#[derive(Clone, Copy, Default)]
pub(crate) struct Terms<'a> {
    /// The filters of all rows, if there are any.
    pub(crate) filters: Option<&'a [Filter]>,
    /// Whether bodies are circles.
    pub(crate) discs: bool,
}

/// A band that was just built: its columns lie in the scratch of its worker, in the cache.
pub(crate) struct Built<'a> {
    pub(crate) band: Band,
    pub(crate) words: &'a [u32],
    /// With their filters, and as discs if they are (V1).
    pub(crate) cells: CellView<'a>,
    by_row: Option<&'a [Filter]>,
    keys: &'a [u32],
    buffer: &'a mut Vec<u32>,
}

impl<'a> Built<'a> {
    /// Builds a band from its records, and its tables into `words`.
    pub(crate) fn new(
        own: &[BodyRecord],
        cell_size: Option<f32>,
        terms: Terms<'a>,
        words: &'a mut [u32],
        scratch: &'a mut BandScratch,
    ) -> Self {
        let band = Band::build(own, cell_size, words, scratch);
        let by_row = terms.filters;
        if let Some(by_row) = by_row {
            scratch.look_up_filters(by_row);
        }
        let words = &*words;
        let BuiltScratch { columns, filters, keys, buffer } = scratch.built();
        #[cfg(debug_assertions)]
        band.assert_well_formed(columns, words);
        let cells = band.cells(columns, words).with_circles(terms.discs);
        let cells = if by_row.is_some() { cells.with_filters(filters) } else { cells };
        Self { band, words, cells, by_row, keys, buffer }
    }

    /// Pairs among the band's own bodies. `None` when the sink is spent.
    pub(crate) fn own_pairs(&mut self, level: DetectedSimd, sink: &mut PairSink<'_>) -> Option<()> {
        level.scan_cells(&self.cells, self.keys, self.buffer, sink)
    }

    /// Pairs of the band's own bodies with others, which are exchanged as the band's boxes are. `None` when the sink is
    /// spent.
    pub(crate) fn pairs_with(
        &self,
        level: DetectedSimd,
        others: impl Iterator<Item = BodyRecord>,
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        let (bounds, finder) = (self.band.bounds, self.band.finder(self.words));
        for BodyRecord { aabb, row } in others.filter(|other| overlaps(&other.aabb, &bounds)) {
            let rect = finder.rect(&aabb);
            let filter = self.by_row.map_or(Filter::ALL, |filters| filters[row as usize]);
            level.scan_rect(&self.cells, &rect, Probe { aabb, row, filter }, PairOrder::Ascending, sink)?;
        }
        Some(())
    }

    /// Puts the boxes in the place of the records, as blocks.
    pub(crate) fn keep(&self, records: &mut [BodyRecord]) {
        let words = bytemuck::cast_slice_mut(records);
        fill_blocks(&mut words[..block_words(self.band.population)], self.cells.columns());
    }
}
