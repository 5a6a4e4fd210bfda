//! Boxes in columns, in the order in which passes visit them.
//!
//! C1: five columns of one length stand one behind the other in one slice of words: min x, min y, max x, max y, row.
//! C2: each column is longer than its population by [`SOA_PAD`], so that a full vector read at any entry stays
//! inside the column; what the padding holds never counts.
//! C3: where entries have filters, two more columns, layers and masks, stand one behind the other in a slice of their
//! own, as long and as padded as the others.

use crate::geometry::RawAabb;
use crate::input::filter::Filter;
use crate::memory::record::BodyRecord;
use glam::{Mat4, Vec4};

/// One vector of the widest instruction set: 16 lanes.
pub(crate) const SOA_PAD: usize = 16;

/// Words that a population takes (C1, C2): as many as `population + PAD` records, in whose place columns are kept.
pub(crate) const fn column_words(population: usize) -> usize {
    WORDS_A_RECORD * (population + SOA_PAD)
}

/// Words that the filters of a population take (C3).
pub(crate) const fn filter_words(population: usize) -> usize {
    2 * (population + SOA_PAD)
}

const WORDS_A_RECORD: usize = size_of::<BodyRecord>() / size_of::<u32>();

/// Columns to read.
#[derive(Clone, Copy)]
pub(crate) struct SoaColumns<'a> {
    words: &'a [u32],
    /// C3
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

    /// These columns with the filters that [`fill_filters`] wrote.
    pub(crate) fn with_filters(self, words: &'a [u32]) -> Self {
        Self { filters: Some(&words[..filter_words(self.population)]), ..self }
    }

    /// These columns, of which each entry is the circle of its box if `circles`.
    pub(crate) fn with_circles(self, circles: bool) -> Self {
        Self { circles, ..self }
    }

    /// Whether entries are circles.
    pub(crate) fn circles(&self) -> bool {
        self.circles
    }

    /// Layers and masks, padding included (C3).
    pub(crate) fn filters(&self) -> Option<&'a [u32]> {
        self.filters
    }

    /// The filter of an entry; [`Filter::ALL`] where entries have none.
    #[inline]
    pub(crate) fn filter(&self, at: usize) -> Filter {
        debug_assert!(at < self.population);
        let stride = self.stride();
        self.filters.map_or(Filter::ALL, |words| Filter { layers: words[at], mask: words[stride + at] })
    }

    /// All columns, padding included (C1).
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

    /// The row of an entry.
    #[inline(always)]
    pub(crate) fn row(&self, at: usize) -> u32 {
        self.words[4 * self.stride() + at]
    }

    #[inline(always)]
    pub(crate) fn aabb(&self, at: usize) -> RawAabb {
        [0, 1, 2, 3].map(|column| f32::from_bits(self.words[column * self.stride() + at]))
    }
}

/// Columns to fill.
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

    /// Fills the columns from the first entry on, four at a time: boxes become columns in registers. What is filled beyond the
    /// population is padding (C2).
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

/// Fills the columns of C3 from the first entry on; there are as many filters as entries.
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
    fn columns_give_back_what_was_filled_in_and_leave_the_padding() {
        for population in [0, 1, 7, 100] {
            // More than they need, as buffers are.
            let mut words = vec![0xABCD_u32; column_words(population) + 9];
            let record = |k: usize| BodyRecord { aabb: [0.0, -0.0, 2.5, 3.0].map(|v| v - k as f32), row: !(k as u32) };
            SoaColumnsMut::of(&mut words, population).fill((0..population).map(record));
            let columns = SoaColumns::of(&words, population);
            assert_eq!(columns.len(), population);
            for k in 0..population {
                assert_eq!(columns.aabb(k).map(f32::to_bits), record(k).aabb.map(f32::to_bits));
                assert_eq!(columns.rows()[k], record(k).row);
            }
            // C2: a vector can be read behind the last entry of each column.
            for column in [columns.min_x(), columns.min_y(), columns.max_x(), columns.max_y()] {
                assert!(column[population..].iter().map(|v| v.to_bits()).eq([0xABCD; SOA_PAD]));
            }
            assert_eq!(columns.rows()[population..], [0xABCD; SOA_PAD]);
            assert_eq!(words[column_words(population)..], [0xABCD; 9]);
        }
    }

    #[test]
    fn filters_are_given_back_and_the_padding_is_left() {
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
    fn columns_fit_in_the_place_of_padded_records() {
        let mut records = vec![BodyRecord::default(); 12 + SOA_PAD];
        assert_eq!(bytemuck::cast_slice_mut::<BodyRecord, u32>(&mut records).len(), column_words(12));
    }
}
