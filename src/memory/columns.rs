//! Boxes in columns (structure of arrays), in the order in which passes visit them.
//!
//! - SOA-1: five columns of equal length are contiguous in one slice of words: min x, min y, max x,
//!   max y, row.
//! - SOA-2: each column is [`SOA_PAD`] longer than its population, so that a full vector can be
//!   read at any entry. What the padding contains never matters.
//! - SOA-3: if entries have filters, two more columns, layers and masks, are contiguous in a slice
//!   of their own, of the same length and padding.

use crate::geometry::RawAabb;
use crate::input::filter::Filter;
use crate::memory::body_record::BodyRecord;
use glam::{Mat4, Vec4};

/// One vector of the widest instruction set: 16 lanes.
pub(crate) const SOA_PAD: usize = 16;

/// Words of the columns of a population (SOA-1, SOA-2): as many as those of `population + SOA_PAD`
/// records, whose memory the columns reuse.
pub(crate) const fn column_words(population: usize) -> usize {
    WORDS_A_RECORD * (population + SOA_PAD)
}

/// Words of the filters of a population (SOA-3).
pub(crate) const fn filter_words(population: usize) -> usize {
    2 * (population + SOA_PAD)
}

const WORDS_A_RECORD: usize = size_of::<BodyRecord>() / size_of::<u32>();

/// Columns, read only.
#[derive(Clone, Copy)]
pub(crate) struct SoaColumns<'a> {
    words: &'a [u32],
    /// SOA-3.
    filters: Option<&'a [u32]>,
    /// Whether entries are circles.
    circles: bool,
    population: usize,
}

impl<'a> SoaColumns<'a> {
    /// The columns of `population` entries in `words`.
    pub(crate) fn of(words: &'a [u32], population: usize) -> Self {
        Self { words: &words[..column_words(population)], filters: None, circles: false, population }
    }

    /// These columns, with filters that [`fill_filters`] wrote.
    pub(crate) fn with_filters(self, words: &'a [u32]) -> Self {
        Self { filters: Some(&words[..filter_words(self.population)]), ..self }
    }

    /// These columns; if `circles`, each entry is the circle inscribed in its box.
    pub(crate) fn with_circles(self, circles: bool) -> Self {
        Self { circles, ..self }
    }

    /// Whether entries are circles.
    pub(crate) fn circles(&self) -> bool {
        self.circles
    }

    /// Layers and masks, padding included (SOA-3).
    pub(crate) fn filters(&self) -> Option<&'a [u32]> {
        self.filters
    }

    /// The filter of an entry; [`Filter::ALL`] if entries have no filters.
    #[cfg(test)]
    pub(crate) fn filter(&self, at: usize) -> Filter {
        debug_assert!(at < self.population);
        let stride = self.stride();
        self.filters.map_or(Filter::ALL, |words| Filter { layers: words[at], mask: words[stride + at] })
    }

    /// The box of an entry and its row.
    #[inline(always)]
    pub(crate) fn record(&self, at: usize) -> BodyRecord {
        BodyRecord { aabb: self.aabb(at), row: self.rows()[at] }
    }

    /// All columns, padding included (SOA-1).
    pub(crate) fn words(&self) -> &'a [u32] {
        self.words
    }

    pub(crate) fn len(&self) -> usize {
        self.population
    }

    /// Entries and their padding.
    #[inline(always)]
    pub(crate) fn stride(&self) -> usize {
        self.population + SOA_PAD
    }

    #[inline(always)]
    fn edges(&self, column: usize) -> &'a [f32] {
        bytemuck::cast_slice(&self.words[column * self.stride()..(column + 1) * self.stride()])
    }

    pub(crate) fn min_x(&self) -> &'a [f32] {
        self.edges(0)
    }

    pub(crate) fn min_y(&self) -> &'a [f32] {
        self.edges(1)
    }

    pub(crate) fn max_x(&self) -> &'a [f32] {
        self.edges(2)
    }

    pub(crate) fn max_y(&self) -> &'a [f32] {
        self.edges(3)
    }

    pub(crate) fn rows(&self) -> &'a [u32] {
        &self.words[4 * self.stride()..]
    }

    #[inline(always)]
    pub(crate) fn aabb(&self, at: usize) -> RawAabb {
        [0, 1, 2, 3].map(|column| f32::from_bits(self.words[column * self.stride() + at]))
    }
}

/// Columns to be filled.
pub(crate) struct SoaColumnsMut<'a> {
    min_x: &'a mut [f32],
    min_y: &'a mut [f32],
    max_x: &'a mut [f32],
    max_y: &'a mut [f32],
    rows: &'a mut [u32],
}

impl<'a> SoaColumnsMut<'a> {
    pub(crate) fn of(words: &'a mut [u32], population: usize) -> Self {
        let stride = population + SOA_PAD;
        let (min_x, rest) = words.split_at_mut(stride);
        let (min_y, rest) = rest.split_at_mut(stride);
        let (max_x, rest) = rest.split_at_mut(stride);
        let (max_y, rest) = rest.split_at_mut(stride);
        Self {
            min_x: bytemuck::cast_slice_mut(min_x),
            min_y: bytemuck::cast_slice_mut(min_y),
            max_x: bytemuck::cast_slice_mut(max_x),
            max_y: bytemuck::cast_slice_mut(max_y),
            rows: &mut rest[..stride],
        }
    }

    /// Fills the columns from the first entry on, four records at a time, transposed in registers.
    /// What is written beyond the population is padding (SOA-2).
    #[inline(always)]
    pub(crate) fn fill_fours<'r>(self, fours: impl Iterator<Item = [&'r BodyRecord; 4]>) {
        let [min_x, min_y, max_x, max_y] =
            [self.min_x, self.min_y, self.max_x, self.max_y].map(|column| column.as_chunks_mut::<4>().0);
        let (rows, _) = self.rows.as_chunks_mut::<4>();
        let slots = min_x.iter_mut().zip(min_y).zip(max_x).zip(max_y).zip(rows);
        for (((((min_x, min_y), max_x), max_y), rows), four) in slots.zip(fours) {
            let [a, b, c, d] = four;
            let edges = |record: &BodyRecord| Vec4::from_array(record.aabb);
            let by_edge = Mat4::from_cols(edges(a), edges(b), edges(c), edges(d)).transpose();
            *min_x = by_edge.x_axis.to_array();
            *min_y = by_edge.y_axis.to_array();
            *max_x = by_edge.z_axis.to_array();
            *max_y = by_edge.w_axis.to_array();
            *rows = [a.row, b.row, c.row, d.row];
        }
    }

    /// Replaces the box of an entry.
    pub(crate) fn set_box(self, at: usize, aabb: &RawAabb) {
        [self.min_x[at], self.min_y[at], self.max_x[at], self.max_y[at]] = *aabb;
    }

    /// Fills the columns from the first entry on.
    #[inline(always)]
    pub(crate) fn fill(self, records: impl Iterator<Item = BodyRecord>) {
        let Self { min_x, min_y, max_x, max_y, rows } = self;
        let slots = min_x.iter_mut().zip(min_y).zip(max_x).zip(max_y).zip(rows);
        for (((((min_x, min_y), max_x), max_y), row), record) in slots.zip(records) {
            [*min_x, *min_y, *max_x, *max_y] = record.aabb;
            *row = record.row;
        }
    }
}

/// Fills the columns of SOA-3 from the first entry on, with a filter for each entry.
pub(crate) fn fill_filters(words: &mut [u32], population: usize, filters: impl Iterator<Item = Filter>) {
    let (layers, masks) = words[..filter_words(population)].split_at_mut(population + SOA_PAD);
    for ((layer, mask), filter) in layers.iter_mut().zip(masks).zip(filters) {
        (*layer, *mask) = (filter.layers, filter.mask);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_return_filled_records_and_keep_the_padding() {
        for population in [0, 1, 7, 100] {
            // Longer than needed, as buffers are.
            let mut words = vec![0xABCD_u32; column_words(population) + 9];
            let record = |k: usize| BodyRecord { aabb: [0.0, -0.0, 2.5, 3.0].map(|v| v - k as f32), row: !(k as u32) };
            SoaColumnsMut::of(&mut words, population).fill((0..population).map(record));
            let columns = SoaColumns::of(&words, population);
            assert_eq!(columns.len(), population);
            for k in 0..population {
                assert_eq!(columns.aabb(k).map(f32::to_bits), record(k).aabb.map(f32::to_bits));
                assert_eq!(columns.rows()[k], record(k).row);
            }
            // A vector can be read after the last entry of each column (SOA-2).
            for column in [columns.min_x(), columns.min_y(), columns.max_x(), columns.max_y()] {
                assert!(column[population..].iter().map(|v| v.to_bits()).eq([0xABCD; SOA_PAD]));
            }
            assert_eq!(columns.rows()[population..], [0xABCD; SOA_PAD]);
            assert_eq!(words[column_words(population)..], [0xABCD; 9]);
        }
    }

    #[test]
    fn columns_return_filled_filters_and_keep_the_padding() {
        for population in [0, 1, 7, 100] {
            let boxes = vec![0; column_words(population)];
            let mut words = vec![0xABCD_u32; filter_words(population) + 9];
            let filter = |k: usize| Filter::new(k as u32, !(k as u32));
            fill_filters(&mut words, population, (0..population).map(filter));
            let plain = SoaColumns::of(&boxes, population);
            let columns = plain.with_filters(&words);
            assert!((0..population).all(|k| columns.filter(k) == filter(k) && plain.filter(k) == Filter::ALL));
            assert_eq!(columns.filters().map(<[u32]>::len), Some(2 * (population + SOA_PAD)));
            for padding in [population, 2 * population + SOA_PAD] {
                assert_eq!(words[padding..padding + SOA_PAD], [0xABCD; SOA_PAD]);
            }
        }
    }

    #[test]
    fn columns_take_the_memory_of_padded_records() {
        let mut records = vec![BodyRecord::default(); 12 + SOA_PAD];
        assert_eq!(bytemuck::cast_slice_mut::<BodyRecord, u32>(&mut records).len(), column_words(12));
    }
}
