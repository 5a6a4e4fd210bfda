//! Segments of rows, and edits to what is stored by segment.

use crate::broad_phase::changes::pair_edits::PairEdits;
use crate::pair::row_and_partner;
use crate::parallel;
use crate::prefetch::prefetch;

/// Rows of a segment: its kept pairs are on one page, of any length, and its partner lists are in
/// one vector.
pub(super) const SEGMENT_ROWS: usize = 64;

/// Fewest edits that are divided between threads.
const PARALLEL_MIN: usize = 512;

/// Edits whose segments are loaded ahead of being edited.
const AHEAD: usize = 8;

/// Some edits in ascending order.
#[derive(Clone, Copy)]
pub(super) struct SortedEdits<'e> {
    removed: &'e [u64],
    added: &'e [u64],
}

impl<'e> From<&'e PairEdits> for SortedEdits<'e> {
    fn from(PairEdits { removed, added }: &'e PairEdits) -> Self {
        Self { removed, added }
    }
}

impl SortedEdits<'_> {
    fn split_at_row(self, row: usize) -> (Self, Self) {
        let place = |entries: &[u64]| entries.partition_point(|&entry| (row_and_partner(entry)[0] as usize) < row);
        let (removed, added) = (self.removed.split_at(place(self.removed)), self.added.split_at(place(self.added)));
        (Self { removed: removed.0, added: added.0 }, Self { removed: removed.1, added: added.1 })
    }

    /// The lowest row with an edit.
    fn first_row(&self) -> Option<usize> {
        let row = |entries: &[u64]| entries.first().map_or(usize::MAX, |&entry| row_and_partner(entry)[0] as usize);
        Some(row(self.removed).min(row(self.added))).filter(|&row| row < usize::MAX)
    }
}

/// What is stored for a segment of rows.
pub(super) trait Segment: Send {
    /// Applies edits, all of which must be possible.
    fn edit(&mut self, removed: &[u64], added: &[u64]);

    /// Loads the memory that an edit will need.
    fn prefetch(&self);
}

/// Edits each segment of rows that has edits; the first of `segments` has the number `first`.
pub(super) fn edit_segments<T: Segment>(parallel: bool, segments: &mut [T], first: usize, mut edits: SortedEdits<'_>) {
    if parallel && edits.removed.len() + edits.added.len() >= PARALLEL_MIN && segments.len() > 1 {
        let middle = segments.len() / 2;
        let (front, back) = segments.split_at_mut(middle);
        let (front_edits, back_edits) = edits.split_at_row((first + middle) * SEGMENT_ROWS);
        parallel::join(
            parallel,
            || edit_segments(parallel, front, first, front_edits),
            || edit_segments(parallel, back, first + middle, back_edits),
        );
        return;
    }
    while let Some(row) = edits.first_row() {
        for entries in [edits.removed, edits.added] {
            let segment_of = |entry: &u64| row_and_partner(*entry)[0] as usize / SEGMENT_ROWS - first;
            if let Some(segment) = entries.get(2 * AHEAD).map(segment_of) {
                prefetch(&segments[segment..=segment]);
            }
            if let Some(segment) = entries.get(AHEAD).map(segment_of) {
                segments[segment].prefetch();
            }
        }
        let segment = row / SEGMENT_ROWS;
        let end = (segment + 1) * SEGMENT_ROWS;
        let count =
            |entries: &[u64]| entries.iter().take_while(|&&entry| (row_and_partner(entry)[0] as usize) < end).count();
        let (removed, added) = (edits.removed.split_at(count(edits.removed)), edits.added.split_at(count(edits.added)));
        segments[segment - first].edit(removed.0, added.0);
        edits = SortedEdits { removed: removed.1, added: added.1 };
    }
}
