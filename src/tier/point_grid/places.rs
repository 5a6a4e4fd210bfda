//! The memory of the bodies of all bands.
//!
//! A body takes five words, for a box and a row: first as the record that the partition writes;
//! then, once its band is built, as part of an SoA block, or of the columns of its band.

use crate::memory::blocks::{SoaBlocks, block_words, fill_blocks};
use crate::memory::body_record::BodyRecord;
use crate::memory::buffers::{buffers, grow};
use crate::memory::columns::{SoaColumns, column_words};
use crate::simd::{DetectedSimd, SimdJob};
use std::ops::Range;

/// Words of one place.
const PLACE_WORDS: usize = size_of::<BodyRecord>() / size_of::<u32>();

/// The places of all bands, followed by their ghosts and the oversized bodies.
#[derive(Clone, Default)]
pub(super) struct BandPlaces {
    words: Vec<u32>,
}

buffers!(BandPlaces { leveled: words; own: ; plain: ; });

impl BandPlaces {
    /// Makes room for `count` records with unspecified contents.
    pub(super) fn records_mut(&mut self, count: usize) -> &mut [BodyRecord] {
        let words = count.checked_mul(PLACE_WORDS).expect("no more records than memory has");
        grow(&mut self.words, words);
        bytemuck::cast_slice_mut(&mut self.words[..words])
    }

    /// As the function [`close_gaps`], in the places from `start` on.
    pub(super) fn close_gaps(&mut self, start: usize, pieces: impl IntoIterator<Item = Range<usize>>) {
        close_gaps(&mut bytemuck::cast_slice_mut(&mut self.words)[start..], pieces);
    }

    /// The records in a range of places; they must not have been replaced by blocks.
    pub(super) fn records(&self, places: Range<usize>) -> &[BodyRecord] {
        bytemuck::cast_slice(&self.words[words_of(places)])
    }

    /// The records in a range of places, or none if these were dropped.
    pub(super) fn records_if_kept(&self, places: Range<usize>) -> &[BodyRecord] {
        self.words.get(words_of(places)).map_or(&[], bytemuck::cast_slice)
    }

    /// The records before and from `middle`.
    pub(super) fn split_at_mut(&mut self, middle: usize) -> (&mut [BodyRecord], &mut [BodyRecord]) {
        bytemuck::cast_slice_mut(&mut self.words).split_at_mut(middle)
    }

    /// The bodies that [`write_blocks`] wrote to a range of places.
    #[inline]
    pub(super) fn blocks(&self, places: Range<usize>, population: usize) -> SoaBlocks<'_> {
        SoaBlocks::of(&self.words[words_of(places)], population)
    }

    /// The bodies that [`write_columns`] wrote to a range of places.
    #[inline]
    pub(super) fn columns(&self, places: Range<usize>, population: usize) -> SoaColumns<'_> {
        SoaColumns::of(&self.words[words_of(places)], population)
    }

    /// The words of blocks or columns, to be changed.
    #[inline]
    pub(super) fn words_mut(&mut self, places: Range<usize>) -> &mut [u32] {
        &mut self.words[words_of(places)]
    }

    /// Becomes a copy of the first `count` places of `other`, in its own memory.
    pub(super) fn copy_from(&mut self, other: &Self, count: usize) {
        self.words.clear();
        self.words.extend_from_slice(&other.words[..count * PLACE_WORDS]);
    }

    /// A copy of the first `count` places.
    pub(super) fn first(&self, count: usize) -> Self {
        Self { words: self.words[..count * PLACE_WORDS].to_vec() }
    }

    /// Moves what is in some places to those from `start` on, which may be among them.
    pub(super) fn move_to(&mut self, start: usize, places: Range<usize>) {
        self.words.copy_within(words_of(places), start * PLACE_WORDS);
    }

    /// Drops all places but the first `count`.
    pub(super) fn truncate(&mut self, count: usize) {
        self.words.truncate(count * PLACE_WORDS);
    }
}

/// Replaces the records of a band by SoA blocks of its columns.
pub(super) fn write_blocks(records: &mut [BodyRecord], columns: &SoaColumns<'_>, level: DetectedSimd) {
    let words = &mut bytemuck::cast_slice_mut(records)[..block_words(columns.len())];
    level.run(WriteBlocks { words, columns });
}

/// Compiled for each instruction set, as wider vectors copy in fewer instructions.
struct WriteBlocks<'a> {
    words: &'a mut [u32],
    columns: &'a SoaColumns<'a>,
}

impl SimdJob for WriteBlocks<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        fill_blocks(self.words, self.columns);
    }
}

/// Replaces the records of a band by its columns, padding included.
pub(super) fn write_columns(records: &mut [BodyRecord], columns: &SoaColumns<'_>) {
    let words = bytemuck::cast_slice_mut(records);
    words[..column_words(columns.len())].copy_from_slice(columns.words());
}

/// Moves the records of all `pieces`, which are ascending and apart from each other, to the start
/// of `records`.
pub(super) fn close_gaps(records: &mut [BodyRecord], pieces: impl IntoIterator<Item = Range<usize>>) {
    let mut end = 0;
    for piece in pieces {
        let next = end + piece.len();
        if piece.start > end {
            records.copy_within(piece, end);
        }
        end = next;
    }
}

fn words_of(places: Range<usize>) -> Range<usize> {
    places.start * PLACE_WORDS..places.end * PLACE_WORDS
}
