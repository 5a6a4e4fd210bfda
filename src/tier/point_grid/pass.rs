//! The passes over one band: built, its own pairs, its pairs with bodies from elsewhere, and put away.
//!
//! Cost: of its own pairs, about one vector of tests a body; with others, a search each.

use super::band::{Band, BandScratch};
use crate::geometry::overlaps;
use crate::kernel::{CellView, Level, Order, Probe};
use crate::storage::pages::PairSink;
use crate::storage::record::Record;

/// A band that was just built: its columns lie in the scratch of its worker, in the cache.
pub(crate) struct Built<'a> {
    pub(crate) band: Band,
    pub(crate) words: &'a [u32],
    pub(crate) cells: CellView<'a>,
    columns: &'a [u32],
    keys: &'a [u32],
    buffer: &'a mut Vec<u32>,
}

impl<'a> Built<'a> {
    /// Builds a band from its records, and its tables into `words`.
    pub(crate) fn new(
        own: &[Record],
        cell_size: Option<f32>,
        words: &'a mut [u32],
        scratch: &'a mut BandScratch,
    ) -> Self {
        let band = Band::build(own, cell_size, words, scratch);
        let words = &*words;
        let (columns, keys, buffer) = scratch.built();
        #[cfg(debug_assertions)]
        band.assert_well_formed(columns, words);
        Self { band, words, cells: band.cells(columns, words), columns, keys, buffer }
    }

    /// Pairs among the band's own bodies. `None` when the sink is spent.
    pub(crate) fn own_pairs(&mut self, level: Level, sink: &mut PairSink<'_>) -> Option<()> {
        level.scan_cells(&self.cells, self.keys, self.buffer, sink)
    }

    /// Pairs of the band's own bodies with others, which are exchanged as the band's boxes are. `None` when the sink is
    /// spent.
    pub(crate) fn pairs_with(
        &self,
        level: Level,
        others: impl Iterator<Item = Record>,
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        let (bounds, finder) = (self.band.bounds, self.band.finder(self.words));
        for Record { aabb, row } in others.filter(|other| overlaps(&other.aabb, &bounds)) {
            let rect = finder.rect(&aabb);
            level.scan_rect(&self.cells, &rect, Probe { aabb, row }, Order::Ascending, sink)?;
        }
        Some(())
    }

    /// Puts the columns in the place of the records, padding included.
    pub(crate) fn keep(&self, records: &mut [Record]) {
        bytemuck::cast_slice_mut(records).copy_from_slice(self.columns);
    }
}
