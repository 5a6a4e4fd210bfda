//! The bodies of a frame that are not where its bands file them.
//!
//! A step that is told which rows changed keeps the bands of an earlier step instead of filing all
//! rows. The changed bodies are filed in bands of their own, and their entries in the others are
//! *outdated*: they stay, and searches skip them. (If most of them did not change in the last step,
//! those that are still in their cells stay in these instead.) A body that no longer changes
//! returns to its entry if it is still in the same cell. Otherwise it is filed with all others of
//! its kind in a third set of bands.

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

/// Bodies that are not where a frame's bands have them.
#[derive(Default)]
pub(crate) struct MovedBodies {
    /// The bodies that changed in the last step and did not stay in their cells.
    pub(crate) changed_bands: Bands,
    /// The bodies that changed before and have left their cells.
    pub(crate) settled_bands: Bands,
    /// By row: whether the entry in the frame's bands is outdated.
    outdated: BitSet,
    /// Whether the frame was updated. If not, no body has moved, whatever the fields above say.
    was_updated: bool,
    pub(crate) stamp: FrameStamp,
}

buffers!(MovedBodies { leveled: changed_bands, settled_bands, outdated; own: ; plain: was_updated, stamp; });

impl MovedBodies {
    /// No body has moved, and the frame is not to be updated.
    pub(crate) fn clear(&mut self) {
        if std::mem::take(&mut self.was_updated) {
            self.changed_bands.clear();
            self.settled_bands.clear();
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
    pub(crate) fn begin_update(&mut self) {
        self.was_updated = true;
    }

    /// Loads what [`is_outdated`](Self::is_outdated) reads, for all rows.
    pub(crate) fn prefetch_outdated(&self) {
        self.outdated.prefetch();
    }

    /// Marks the entry of a row in the frame's bands as outdated.
    pub(crate) fn set_outdated(&mut self, row: u32) {
        self.outdated.insert(row);
    }

    /// The entry of a row in the frame's bands counts again.
    pub(crate) fn set_current(&mut self, row: u32) {
        self.outdated.remove(row);
    }

    /// Whether the entry of a row in the frame's bands is outdated. A row that was added since has
    /// no entry.
    #[inline(always)]
    pub(crate) fn is_outdated(&self, row: u32) -> bool {
        self.was_updated && self.outdated.contains(row)
    }

    /// Whether any entry in the frame's bands may be outdated.
    #[inline(always)]
    pub(crate) fn was_updated(&self) -> bool {
        self.was_updated
    }

    /// The bands of the bodies that changed in the last step, if there are any.
    #[inline(always)]
    pub(crate) fn changed_bands(&self) -> Option<&Bands> {
        Some(&self.changed_bands).filter(|bands| self.was_updated && !bands.is_empty())
    }

    /// The bands of the bodies that changed before and have left their cells, if there are any.
    #[inline(always)]
    pub(crate) fn settled_bands(&self) -> Option<&Bands> {
        Some(&self.settled_bands).filter(|bands| self.was_updated && !bands.is_empty())
    }

    /// Becomes a copy of `other`, apart from the bands.
    pub(crate) fn copy_marks(&mut self, other: &Self) {
        self.outdated.copy_from(&other.outdated);
        (self.was_updated, self.stamp) = (other.was_updated, other.stamp);
    }
}
