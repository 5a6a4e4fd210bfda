//! What an index keeps of the sleepers: the grid that has them filed, shared with other steps, and which of them stand.

use crate::memory::bit_set::BitSet;
use crate::tier::point_grid::bands::GridIndex;
use std::sync::Arc;

/// The sleepers of one step.
#[derive(Clone, Default)]
pub(crate) struct Asleep {
    /// Does not change as long as any index has it.
    grid: Option<Arc<GridIndex>>,
    /// By row; counts if some that are filed do not stand.
    standing: BitSet,
    has_holes: bool,
    count: usize,
}

impl Asleep {
    /// Nothing sleeps.
    pub(crate) fn clear(&mut self) {
        (self.grid, self.has_holes, self.count) = (None, false, 0);
    }

    /// These are filed, and so many of them stand: all, or those whose bits are set.
    pub(crate) fn set(&mut self, grid: &Arc<GridIndex>, count: usize, bits: Option<impl Iterator<Item = u64>>) {
        (self.grid, self.count, self.has_holes) = (Some(Arc::clone(grid)), count, bits.is_some());
        if let Some(bits) = bits {
            self.standing.set_words(bits);
        }
    }

    /// How many stand.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Where they are filed, with others perhaps that do not stand.
    #[inline]
    pub(crate) fn grid(&self) -> Option<&GridIndex> {
        self.grid.as_deref()
    }

    /// Whether a row that is filed stands.
    #[inline(always)]
    pub(crate) fn stands(&self, row: u32) -> bool {
        !self.has_holes || self.standing.contains(row)
    }

    /// The grid, by which it is known whether two indexes have the same one.
    pub(crate) fn shared(&self) -> Option<&Arc<GridIndex>> {
        self.grid.as_ref()
    }

    /// Lets go of a grid that the step of `front` does not have.
    pub(crate) fn let_go(&mut self, front: &Self) {
        if self.grid.as_ref().map(Arc::as_ptr) != front.grid.as_ref().map(Arc::as_ptr) {
            self.grid = None;
        }
    }

    pub(crate) fn reserve_like(&mut self, other: &Self) {
        self.standing.reserve_like(&other.standing);
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        if !self.has_holes {
            self.standing = BitSet::default();
        }
        self.standing.shrink_to_fit();
    }

    /// Without the grid, which others have too.
    pub(crate) fn bytes(&self) -> usize {
        self.standing.bytes()
    }
}
