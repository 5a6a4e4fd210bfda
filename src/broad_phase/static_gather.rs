//! Gathers the boxes of some statics in columns.

use crate::geometry::band_box::BandAxes;
use crate::memory::columns::{SoaColumns, SoaColumnsMut, column_words, fill_filters, filter_words};
use crate::memory::record::BodyRecord;
use crate::tier::static_tree::StaticTree;

/// Copies boxes of statics to `words`, in the axes of a band; with their filters if `filtered`.
pub(super) fn gather_statics<'c>(
    statics: &StaticTree,
    found: &[BodyRecord],
    axes: BandAxes,
    filtered: bool,
    words: &'c mut Vec<u32>,
) -> SoaColumns<'c> {
    let box_words = column_words(found.len());
    words.clear();
    words.resize(box_words + if filtered { filter_words(found.len()) } else { 0 }, 0);
    let (columns, filters) = words.split_at_mut(box_words);
    let in_band = |&BodyRecord { aabb, row }: &BodyRecord| BodyRecord { aabb: *axes.box_to_band(aabb).edges(), row };
    SoaColumnsMut::of(columns, found.len()).fill(found.iter().map(in_band));
    let columns = SoaColumns::of(columns, found.len());
    if !filtered {
        return columns;
    }
    fill_filters(filters, found.len(), found.iter().map(|found| statics.filter_of(found.row)));
    columns.with_filters(filters)
}
