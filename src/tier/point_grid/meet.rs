//! What is filed in one grid against boxes of another: band by band, each looked up once for many boxes.
//!
//! Cost: a search of a band a box, as of a small area (S in `search.rs`).

use super::band::Finder;
use super::index::{BandSlot, GridIndex, KeptCells};
use super::search::visit_masks;
use crate::geometry::{RawBox, oriented, overlaps};
use crate::kernel::Level;
use crate::storage::record::Record;
use std::ops::Range;

/// A band that is searched for many boxes.
pub(crate) struct Met<'a> {
    level: Level,
    slot: &'a BandSlot,
    finder: Finder<'a>,
    cells: KeptCells<'a>,
}

impl GridIndex {
    /// The slots of the bands that an area meets, perhaps without bodies in it.
    pub(crate) fn slots_met(&self, area: RawBox) -> impl Iterator<Item = usize> {
        let met = move |number| {
            let class = self.directory.class(number)?;
            Some(self.directory.met(class, &oriented(area, class.transposed)))
        };
        (0..).map_while(met).flatten()
    }

    /// A band that is to be searched.
    pub(crate) fn met(&self, slot: usize) -> Met<'_> {
        let slot = &self.slots[slot];
        Met { level: self.level(), slot, finder: slot.band.finder(self.words_of(slot)), cells: self.cells(slot) }
    }

    /// The bodies at some places in the cell order of a band.
    pub(crate) fn bodies(&self, slot: usize, places: Range<usize>) -> impl Iterator<Item = Record> + Clone {
        let slot = &self.slots[slot];
        let blocks = self.cells(slot).blocks;
        let places = places.start.min(blocks.len())..places.end.min(blocks.len());
        places.map(move |at| Record { aabb: oriented(blocks.aabb(at), slot.transposed), row: blocks.row(at) })
    }
}

impl Met<'_> {
    /// The smallest box that holds all bodies of the band.
    pub(crate) fn bounds(&self) -> RawBox {
        oriented(self.slot.band.bounds, self.slot.transposed)
    }

    /// Visits the rows of the bodies that overlap a box, in cell order.
    #[inline]
    pub(crate) fn visit(&self, aabb: &RawBox, mut visit: impl FnMut(u32)) {
        let Self { level, slot, finder, cells } = self;
        let area = oriented(*aabb, slot.transposed);
        if slot.band.population == 0 || !overlaps(&slot.band.bounds, &area) {
            return;
        }
        visit_masks(*level, cells, &finder.rect(&area), &area, None, |from, mut mask| {
            while mask != 0 {
                visit(cells.blocks.row(from + mask.trailing_zeros() as usize));
                mask &= mask - 1;
            }
        });
    }
}
