//! The buffers that a thread reuses from band to band.

use crate::input::filter::Filter;
use crate::memory::body_record::BodyRecord;
use crate::memory::buffers::{buffers, grow};
use crate::memory::columns::{SoaColumns, column_words, fill_filters, filter_words};
use crate::tier::point_grid::band::cell_order::CellOrder;
use crate::tier::sweep::packed_tree::PackedTree;
use crate::tier::sweep::sorted_columns::{SortScratch, SortedColumns};

/// Buffers for building and searching one band.
#[derive(Default)]
pub(crate) struct BandScratch {
    /// By record: its cell key; in equal cells, as if no box reached out of its cell.
    pub(super) keys: Vec<u32>,
    /// Sorts the keys.
    pub(super) order: CellOrder,
    /// Begins with the tables of the band that was built last.
    pub(super) tables: Vec<u32>,
    /// The keys in cell order.
    pub(super) sorted_keys: Vec<u32>,
    /// The boxes in cell order; they stay in the cache while they are scanned.
    pub(super) columns: Vec<u32>,
    /// The filters in cell order, if bodies have any.
    pub(super) filters: Vec<u32>,
    pub(super) histogram: Vec<u32>,
    /// While cells are laid out: sorted edges.
    pub(super) edges: Vec<u64>,
    /// While edges are sorted.
    pub(super) spare: Vec<u64>,
    pub(super) pairs: PairScratch,
}

buffers!(BandScratch { leveled: keys, order, tables, sorted_keys, columns, filters, histogram, edges, spare, pairs; own: ; plain: ; });

/// Buffers for finding the pairs of a band otherwise than in its cells, and with other boxes.
#[derive(Default)]
pub(crate) struct PairScratch {
    /// The other boxes that were gathered last: those near the band, in its axes.
    pub(super) gathered: Vec<BodyRecord>,
    /// Those that are too long to be swept.
    pub(super) long_boxes: Vec<BodyRecord>,
    /// What is swept: other boxes, or the bodies of a band.
    pub(super) sorted: SortedColumns,
    /// By swept box: the largest upper edge so far.
    pub(super) reach: Vec<f32>,
    /// The bodies of the band that was sorted last, if a tree of them was searched.
    pub(super) tree: PackedTree,
    pub(super) sort: SortScratch,
}

buffers!(PairScratch { leveled: gathered, long_boxes, sorted, reach, tree, sort; own: ; plain: ; });

impl BandScratch {
    /// Looks up the filters of the band that was built last; `by_row` has those of all rows.
    ///
    /// Reads at random. Reading in the order of rows and sorting the filters takes as long, because
    /// the rows of a band are rarely adjacent.
    #[inline(never)]
    pub(super) fn look_up_filters(&mut self, by_row: &[Filter]) {
        let Self { sorted_keys, columns, filters, .. } = self;
        let population = sorted_keys.len();
        grow(filters, filter_words(population));
        let rows = &SoaColumns::of(columns, population).rows()[..population];
        fill_filters(filters, population, rows.iter().map(|&row| by_row[row as usize]));
    }

    /// The band that was built last, whose tables have `tables_len` words, and buffers for other
    /// boxes.
    pub(super) fn last_band_mut(&mut self, tables_len: usize) -> (SortedBand<'_>, &mut PairScratch) {
        let Self { sorted_keys: keys, columns, filters, tables, pairs, .. } = self;
        let columns = &columns[..column_words(keys.len())];
        (SortedBand { columns, filters, keys, tables: &tables[..tables_len] }, pairs)
    }
}

/// What the scratch has of a band that was built in it.
pub(super) struct SortedBand<'a> {
    /// The boxes in cell order.
    pub(super) columns: &'a [u32],
    /// The filters in cell order, if they were looked up; otherwise those of an earlier band.
    pub(super) filters: &'a [u32],
    /// The keys in cell order.
    pub(super) keys: &'a [u32],
    pub(super) tables: &'a [u32],
}
