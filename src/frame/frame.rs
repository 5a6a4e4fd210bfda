//! What queries need of a step.

use crate::broad_phase::sleepers::Asleep;
use crate::frame::oversized::Oversized;
use crate::input::filter::Filter;
use crate::memory::buffers::{Buffers, reserve_like};
use crate::tier::point_grid::bands::GridIndex;
use crate::tier::static_tree::tree::StaticTree;

/// The bodies of one step, filed, and its statics. It does not change once the step has ended; see [`frames`](crate::frame::frames)
/// for how its memory is used again.
#[derive(Clone, Default)]
pub(crate) struct Index {
    /// How many steps had gone well when this one had; 0 is the empty world before the first.
    pub(crate) step: u64,
    pub(crate) row_count: usize,
    /// Whether the world's settings allow no other thread.
    pub(crate) sequential: bool,
    pub(crate) ids: Vec<u64>,
    /// Row by row; empty when no row was given one.
    pub(crate) filters: Vec<Filter>,
    /// Tier 1: the bodies that were filed in this step, and those that stayed where they were.
    pub(crate) grid: GridIndex,
    pub(crate) asleep: Asleep,
    /// Tier 2.
    pub(crate) oversized: Oversized,
    /// Tier 3 as it was in this step, and the number of that state, by which it is known whether it has to be copied again.
    pub(crate) statics: StaticTree,
    pub(crate) statics_version: u64,
}

impl Index {
    /// The filters of all rows, if any row was given one.
    pub(crate) fn filters_by_row(&self) -> Option<&[Filter]> {
        (!self.filters.is_empty()).then_some(&self.filters)
    }

    /// The filter of a row of this step.
    #[inline]
    pub(crate) fn filter(&self, row: u32) -> Filter {
        self.filters_by_row().map_or(Filter::ALL, |filters| filters[row as usize])
    }

    /// Keeps the statics of its step.
    pub(crate) fn set_statics(&mut self, statics: &StaticTree, version: u64) {
        if self.statics_version != version {
            self.statics.copy_from(statics);
            self.statics_version = version;
        }
    }

    /// As much room as `other` has, so that it does not matter which of the two a step is built in. But for ids, which are
    /// handed on where they can be.
    pub(crate) fn reserve_like(&mut self, other: &Self) {
        reserve_like(&mut self.filters, &other.filters);
        self.oversized.reserve_like(&other.oversized);
        self.grid.reserve_like(&other.grid);
        self.asleep.reserve_like(&other.asleep);
    }

    /// Bytes held for bodies.
    pub(crate) fn bytes(&self) -> usize {
        self.ids.capacity() * size_of::<u64>()
            + self.filters.capacity() * size_of::<Filter>()
            + self.grid.bytes()
            + self.asleep.bytes()
            + self.oversized.bytes()
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.ids.shrink_to_fit();
        self.filters.shrink_to_fit();
        self.grid.shrink_to_fit();
        self.asleep.shrink_to_fit();
        self.oversized.shrink_to_fit();
        self.statics.shrink_to_fit();
    }
}
