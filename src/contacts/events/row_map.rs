//! Where the rows of the last step are in the running one.

use crate::contacts::events::id_table::NO_ROW;
use crate::pair::{entry, row_and_partner};

/// The new rows of one side of contacts.
#[derive(Clone, Copy)]
pub(super) enum RowMap<'m> {
    /// Rows are unchanged.
    Same,
    /// Rows below this number did not change; others are gone.
    Below(u32),
    /// New row by old row, or [`NO_ROW`].
    To(&'m [u32]),
    /// Rows are unchanged, but for these ascending ones, which have new rows, or [`NO_ROW`].
    Except { rows: &'m [u32], to: &'m [u32] },
}

impl RowMap<'_> {
    /// The new row of an old one, or [`NO_ROW`].
    #[inline]
    pub(super) fn new_row(self, row: u32) -> u32 {
        match self {
            Self::Same => row,
            Self::Below(end) if row < end => row,
            Self::To(rows) => rows[row as usize],
            Self::Except { rows, to } => rows.binary_search(&row).map_or(row, |at| to[at]),
            Self::Below(_) => NO_ROW,
        }
    }

    /// Whether a row is one of the rows of [`Except`](Self::Except).
    pub(super) fn is_reassigned(self, row: u32) -> bool {
        matches!(self, Self::Except { rows, .. } if rows.binary_search(&row).is_ok())
    }
}

/// The new rows of both sides of contacts.
#[derive(Clone, Copy)]
pub(super) struct PairMap<'m> {
    pub(super) sides: [RowMap<'m>; 2],
    /// Whether both sides are bodies, of which the lower row is first.
    pub(super) ascending: bool,
}

impl PairMap<'_> {
    /// Whether all rows stay the same.
    pub(super) fn is_identity(&self) -> bool {
        self.sides.iter().all(|side| matches!(side, RowMap::Same | RowMap::Except { rows: [], .. }))
    }

    /// Whether a row of the pair has another body or static than in the last step. For steps that
    /// were told what changed.
    pub(super) fn is_reassigned(&self, pair: u64) -> bool {
        let [a, b] = row_and_partner(pair);
        self.sides[0].is_reassigned(a) || self.sides[1].is_reassigned(b)
    }

    /// The new entry of a contact; `None` if one side is gone.
    pub(super) fn new_entry(&self, old: u64) -> Option<u64> {
        let [a, b] = row_and_partner(old);
        let (a, b) = (self.sides[0].new_row(a), self.sides[1].new_row(b));
        if a == NO_ROW || b == NO_ROW {
            return None;
        }
        Some(if self.ascending { entry(a.min(b), a.max(b)) } else { entry(a, b) })
    }
}
