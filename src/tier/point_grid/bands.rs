//! The bands of all classes, as they are kept from step to step.

use crate::geometry::RawAabb;
use crate::memory::blocks::SoaBlocks;
use crate::memory::buffers::{grow, reserve_like};
use crate::memory::cell_table::CellStarts;
use crate::memory::columns::SOA_PAD;
use crate::memory::record::BodyRecord;
use crate::simd::DetectedSimd;
use crate::tier::point_grid::band::build::{Band, words_max};
use crate::tier::point_grid::directory::Directory;
use crate::tier::point_grid::partition::Partition;
use crate::tier::point_grid::plan::{Class, Plan};
use std::ops::Range;

/// A band, and where its boxes (in the place of records) and its tables are.
#[derive(Clone, Debug, Default)]
pub(crate) struct BandSlot {
    pub(crate) band: Band,
    /// Its boxes have x and y exchanged.
    pub(crate) transposed: bool,
    pub(crate) records: Range<usize>,
    pub(crate) words: Range<usize>,
}

/// Bodies of a band in cell order, and which of them are in which cell.
#[derive(Clone, Copy)]
pub(crate) struct KeptCells<'a> {
    pub(crate) blocks: SoaBlocks<'a>,
    pub(crate) starts: CellStarts<'a>,
}

impl KeptCells<'_> {
    /// No cells.
    pub(crate) fn none() -> Self {
        Self { blocks: SoaBlocks::of(&[], 0), starts: CellStarts::none() }
    }

    /// The entries in the columns `x` of row `y`.
    #[inline]
    pub(crate) fn run(&self, y: usize, x: &Range<usize>) -> Range<usize> {
        self.starts.run(y, x)
    }
}

/// Bodies in cell order: boxes and tables of all bands, one behind the other.
#[derive(Clone, Default)]
pub(crate) struct GridIndex {
    pub(crate) slots: Vec<BandSlot>,
    /// What the partition writes; each band's task then puts blocks of boxes in the place of its records.
    pub(crate) records: Vec<BodyRecord>,
    pub(crate) words: Vec<u32>,
    pub(crate) level: DetectedSimd,
    /// Good after [`finish`](Self::finish).
    pub(crate) directory: Directory,
}

impl GridIndex {
    /// Gives each band of a plan its place.
    pub(crate) fn lay_out(&mut self, plan: &Plan, partition: &Partition) {
        self.slots.clear();
        let mut words = 0;
        for class in plan.classes() {
            for band in class.first_band..class.first_band + class.splitter.band_count() {
                let own = partition.own(band);
                let words_end = words + words_max(own.len());
                self.slots.push(BandSlot {
                    band: Band::default(),
                    transposed: class.transposed,
                    records: own.start..own.end + SOA_PAD,
                    words: words..words_end,
                });
                words = words_end;
            }
        }
        grow(&mut self.words, words);
        let slots = |class: &Class| class.first_band..class.first_band + class.splitter.band_count();
        self.directory.lay_out(plan.classes().iter().map(|class| (slots(class), class.transposed)));
    }

    /// One band for all, or none.
    pub(crate) fn lay_out_single(&mut self, slot: Option<BandSlot>) {
        self.slots.clear();
        self.slots.extend(slot);
        self.directory.lay_out(std::iter::once((0..self.slots.len(), false)));
    }

    /// To be called when all bands are built, before anything is asked.
    pub(crate) fn finish(&mut self, level: DetectedSimd) {
        self.level = level;
        self.directory.finish(&self.slots);
    }

    /// As much room as `other` has.
    pub(crate) fn reserve_like(&mut self, other: &Self) {
        reserve_like(&mut self.slots, &other.slots);
        reserve_like(&mut self.records, &other.records);
        reserve_like(&mut self.words, &other.words);
        self.directory.reserve_like(&other.directory);
    }

    /// The instruction set of searches.
    pub(crate) fn level(&self) -> DetectedSimd {
        self.level
    }

    /// What a band keeps.
    #[inline]
    pub(crate) fn cells(&self, slot: &BandSlot) -> KeptCells<'_> {
        let words = bytemuck::cast_slice(&self.records[slot.records.clone()]);
        let starts = slot.band.starts(&self.words[slot.words.clone()]);
        KeptCells { blocks: SoaBlocks::of(words, slot.band.population), starts }
    }

    /// Rows and boxes of all bodies in cell order, band by band; boxes are exchanged as the band's are.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&BandSlot, impl Iterator<Item = (u32, RawAabb)>)> {
        let filled = self.slots.iter().filter(|slot| slot.band.population > 0);
        filled.map(|slot| {
            let blocks = self.cells(slot).blocks;
            (slot, (0..blocks.len()).map(move |at| (blocks.row(at), blocks.aabb(at))))
        })
    }

    /// Rows of all bodies in cell order, some at a time.
    pub(crate) fn row_runs(&self) -> impl Iterator<Item = &[u32]> {
        self.slots.iter().flat_map(|slot| self.rows_of(slot))
    }

    /// Rows of a band's bodies in cell order, some at a time.
    pub(crate) fn rows_of(&self, slot: &BandSlot) -> impl Iterator<Item = &[u32]> + use<'_> {
        let filled = (slot.band.population > 0).then(|| self.cells(slot).blocks.rows());
        filled.into_iter().flatten()
    }

    /// Sum over a band's cells of population squared.
    pub(crate) fn squares(&self, slot: &BandSlot) -> f64 {
        let starts = self.cells(slot).starts.as_slice();
        starts.windows(2).map(|pair| f64::from(pair[1] - pair[0]).powi(2)).sum()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<BandSlot>()
            + self.records.capacity() * size_of::<BodyRecord>()
            + self.words.capacity() * size_of::<u32>()
            + self.directory.bytes()
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        let records = self.slots.last().map_or(0, |slot| slot.records.end);
        let words = self.slots.last().map_or(0, |slot| slot.words.end);
        self.records.truncate(records);
        self.words.truncate(words);
        self.slots.shrink_to_fit();
        self.records.shrink_to_fit();
        self.words.shrink_to_fit();
        self.directory.shrink_to_fit();
    }
}
