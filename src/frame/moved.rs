//! The bodies of a frame that left the places where the bands file them.
//!
//! A step that is told which rows changed updates the bands of an earlier step instead of filing
//! all rows. A body that stays in its cell is updated there. Any other one is filed in a second,
//! small set of bands, and its entry in the first is *outdated*: it stays, and searches skip it.

use crate::memory::bit_set::BitSet;
use crate::memory::buffers::buffers;
use crate::tier::point_grid::bands::Bands;

/// Identifies the contents of the bands of frames that are updated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FrameStamp {
    /// Which filing of all rows the frame goes back to; 0 if it is not to be updated.
    pub(crate) filing: u64,
    /// Number of updates since.
    pub(crate) updates: u64,
}

crate::memory::buffers::plain_buffers!(FrameStamp);

/// Bodies that moved out of the cells where a frame's bands have them.
#[derive(Clone, Default)]
pub(crate) struct MovedBodies {
    pub(crate) bands: Bands,
    /// By row: whether the entry in the frame's bands is outdated.
    outdated: BitSet,
    /// Whether the frame was updated; otherwise nothing else counts.
    in_use: bool,
    pub(crate) stamp: FrameStamp,
}

buffers!(MovedBodies { leveled: bands, outdated; own: ; plain: in_use, stamp; });

impl MovedBodies {
    /// No body has moved, and the frame is not to be updated.
    pub(crate) fn clear(&mut self) {
        if std::mem::take(&mut self.in_use) {
            self.bands.clear();
        }
        self.stamp = FrameStamp::default();
    }

    /// No body of a frame with this many rows has moved, but some may.
    pub(crate) fn begin(&mut self, row_count: usize, stamp: FrameStamp) {
        self.clear();
        self.outdated.set_words(std::iter::repeat_n(0, row_count.div_ceil(64)));
        self.stamp = stamp;
    }

    /// Some bodies may have moved from now on.
    pub(crate) fn start_use(&mut self) {
        self.in_use = true;
    }

    /// Marks the entry of a row in the frame's bands as outdated.
    pub(crate) fn set_outdated(&mut self, row: u32) {
        self.outdated.insert(row);
    }

    /// Whether the entry of a row in the frame's bands is outdated.
    #[inline(always)]
    pub(crate) fn is_outdated(&self, row: u32) -> bool {
        self.in_use && self.outdated.contains(row)
    }

    /// The bands of the moved bodies, if there are any.
    #[inline(always)]
    pub(crate) fn bands(&self) -> Option<&Bands> {
        Some(&self.bands).filter(|_| self.in_use)
    }

    /// Becomes a copy of `other`, apart from the bands.
    pub(crate) fn copy_marks(&mut self, other: &Self) {
        self.outdated.copy_from(&other.outdated);
        (self.in_use, self.stamp) = (other.in_use, other.stamp);
    }
}
