//! Gathers the boxes of some statics in columns.

use crate::geometry::band_box::BandAxes;
use crate::memory::columns::{SoaColumns, SoaColumnsMut, column_words, fill_filters, filter_words};
use crate::memory::record::BodyRecord;
use crate::tier::static_tree::StaticTree;

/// Copies boxes of statics to `words`, in the axes of a band; with their filters if `filtered`.
///
/// They are copied before they are tested, so that the processor loads the memory of many boxes at
/// once.
pub(super) fn gather_statics<'c>(
    statics: &StaticTree,
    rows: &[u32],
    axes: BandAxes,
    filtered: bool,
    words: &'c mut Vec<u32>,
) -> SoaColumns<'c> {
    let boxes = statics.raw_boxes();
    let box_words = column_words(rows.len());
    words.clear();
    words.resize(box_words + if filtered { filter_words(rows.len()) } else { 0 }, 0);
    let (columns, filters) = words.split_at_mut(box_words);
    let records = rows.iter().map(|&row| BodyRecord { aabb: *axes.box_to_band(boxes[row as usize]).edges(), row });
    SoaColumnsMut::of(columns, rows.len()).fill(records);
    let columns = SoaColumns::of(columns, rows.len());
    if !filtered {
        return columns;
    }
    fill_filters(filters, rows.len(), rows.iter().map(|&row| statics.filter_of(row)));
    columns.with_filters(filters)
}
