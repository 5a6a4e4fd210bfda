//! Boxes in SoA blocks, the layout that queries read.
//!
//! A block is [`SOA_BLOCK_LEN`] entries: their min x, then their min y, max x, max y and rows. So
//! neighboring entries are in one place of memory; columns as long as a band would have them in
//! five. A query reads a few entries in many places, and so looks up one page of memory for each
//! instead of five.
//!
//! Entries after the population are padding, which never counts.

use crate::geometry::RawAabb;
use crate::memory::body_record::BodyRecord;
use crate::memory::columns::{SOA_PAD, SoaColumns};

/// One vector of the widest instruction set.
pub(crate) const SOA_BLOCK_LEN: usize = 16;

/// Words of a block.
pub(crate) const SOA_BLOCK_WORDS: usize = 5 * SOA_BLOCK_LEN;

// Blocks reuse the memory of padded records.
const _: () =
    assert!(SOA_BLOCK_LEN <= SOA_PAD && SOA_BLOCK_WORDS == SOA_BLOCK_LEN * size_of::<BodyRecord>() / size_of::<u32>());

/// Words of the blocks of a population: at most those of `population + SOA_PAD` records.
pub(crate) const fn block_words(population: usize) -> usize {
    population.div_ceil(SOA_BLOCK_LEN) * SOA_BLOCK_WORDS
}

/// SoA blocks, read only.
#[derive(Clone, Copy)]
pub(crate) struct SoaBlocks<'a> {
    words: &'a [u32],
    population: usize,
}

impl<'a> SoaBlocks<'a> {
    /// The blocks of `population` entries, at the beginning of `words`.
    pub(crate) fn of(words: &'a [u32], population: usize) -> Self {
        Self { words: &words[..block_words(population)], population }
    }

    pub(crate) fn len(&self) -> usize {
        self.population
    }

    /// The words of a block, by its number.
    #[inline(always)]
    pub(crate) fn block(&self, number: usize) -> &'a [u32; SOA_BLOCK_WORDS] {
        &self.words.as_chunks().0[number]
    }

    /// The row of an entry.
    #[inline(always)]
    pub(crate) fn row(&self, at: usize) -> u32 {
        self.block(at / SOA_BLOCK_LEN)[4 * SOA_BLOCK_LEN + at % SOA_BLOCK_LEN]
    }

    #[inline(always)]
    pub(crate) fn aabb(&self, at: usize) -> RawAabb {
        let block = self.block(at / SOA_BLOCK_LEN);
        [0, 1, 2, 3].map(|edge| f32::from_bits(block[edge * SOA_BLOCK_LEN + at % SOA_BLOCK_LEN]))
    }

    /// The rows of all entries, one slice for each block.
    pub(crate) fn rows(self) -> impl Iterator<Item = &'a [u32]> {
        let (blocks, _) = self.words.as_chunks::<SOA_BLOCK_WORDS>();
        let population = self.population;
        let held = move |number: usize| SOA_BLOCK_LEN.min(population - number * SOA_BLOCK_LEN);
        blocks.iter().enumerate().map(move |(number, block)| &block[4 * SOA_BLOCK_LEN..][..held(number)])
    }
}

/// Replaces the box of an entry.
#[inline(always)]
pub(crate) fn set_box(words: &mut [u32], at: usize, aabb: &RawAabb) {
    let block = &mut words.as_chunks_mut::<SOA_BLOCK_WORDS>().0[at / SOA_BLOCK_LEN];
    for (edge, value) in aabb.iter().enumerate() {
        block[edge * SOA_BLOCK_LEN + at % SOA_BLOCK_LEN] = value.to_bits();
    }
}

/// Writes columns as blocks.
#[inline(always)]
pub(crate) fn fill_blocks(words: &mut [u32], columns: &SoaColumns<'_>) {
    // Columns have padding for a full block at any entry (SOA-2).
    let chunks = |column| bytemuck::cast_slice::<f32, u32>(column).as_chunks::<SOA_BLOCK_LEN>().0;
    let edges = chunks(columns.min_x()).iter().zip(chunks(columns.min_y()));
    let edges = edges.zip(chunks(columns.max_x())).zip(chunks(columns.max_y()));
    let rows = columns.rows().as_chunks::<SOA_BLOCK_LEN>().0;
    let blocks = words.as_chunks_mut::<SOA_BLOCK_WORDS>().0.iter_mut();
    debug_assert!(blocks.len() <= rows.len(), "there are entries for all blocks");
    for (block, ((((min_x, min_y), max_x), max_y), rows)) in blocks.zip(edges.zip(rows)) {
        for (part, column) in block.as_chunks_mut().0.iter_mut().zip([min_x, min_y, max_x, max_y, rows]) {
            *part = *column;
        }
    }
}

/// Writes records as blocks; their padding stays unchanged.
pub(crate) fn fill_blocks_from(words: &mut [u32], records: &[BodyRecord]) {
    let (blocks, _) = words.as_chunks_mut::<SOA_BLOCK_WORDS>();
    for (block, records) in blocks.iter_mut().zip(records.chunks(SOA_BLOCK_LEN)) {
        for (lane, record) in records.iter().enumerate() {
            for (edge, value) in record.aabb.iter().enumerate() {
                block[edge * SOA_BLOCK_LEN + lane] = value.to_bits();
            }
            block[4 * SOA_BLOCK_LEN + lane] = record.row;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::columns::{SoaColumnsMut, column_words};

    #[test]
    fn blocks_return_the_entries_of_columns_and_of_records() {
        for population in [0, 1, 15, 16, 17, 100] {
            let record = |k: usize| BodyRecord { aabb: [0.0, -0.0, 2.5, 3.0].map(|v| v - k as f32), row: !(k as u32) };
            let records: Vec<BodyRecord> = (0..population).map(record).collect();
            let mut columns = vec![0xABCD_u32; column_words(population)];
            SoaColumnsMut::of(&mut columns, population).fill(records.iter().copied());
            assert!(block_words(population) <= column_words(population));
            let (mut first, mut second) = (vec![7; block_words(population)], vec![7; block_words(population)]);
            fill_blocks(&mut first, &SoaColumns::of(&columns, population));
            fill_blocks_from(&mut second, &records);
            for words in [&first, &second] {
                let blocks = SoaBlocks::of(words, population);
                assert_eq!(blocks.len(), population);
                for (k, record) in records.iter().enumerate() {
                    assert_eq!(blocks.aabb(k).map(f32::to_bits), record.aabb.map(f32::to_bits));
                    assert_eq!(blocks.row(k), record.row);
                }
                assert!(blocks.rows().flatten().copied().eq(records.iter().map(|record| record.row)));
            }
        }
    }
}
