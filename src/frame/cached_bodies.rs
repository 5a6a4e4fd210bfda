//! The bodies of a frame that a sleeper cache filed, shared with other frames.

use crate::memory::bit_set::BitSet;
use crate::memory::buffers::Buffers;
use crate::tier::point_grid::bands::Bands;
use std::sync::Arc;

/// Bodies that an earlier step filed and that are unchanged since.
#[derive(Default)]
pub(crate) struct CachedBodies {
    /// Immutable while any frame has them. Some of their bodies may be stale.
    bands: Option<Arc<Bands>>,
    /// By row; not used unless `has_stale`.
    cached: BitSet,
    has_stale: bool,
    count: usize,
}

impl CachedBodies {
    /// Removes all cached bodies from the frame.
    pub(crate) fn clear(&mut self) {
        (self.bands, self.has_stale, self.count) = (None, false, 0);
    }

    /// Sets the bands, and the bits of the rows that are cached, `count` of them; `None` for all.
    pub(crate) fn set(&mut self, bands: &Arc<Bands>, count: usize, cached: Option<impl Iterator<Item = u64>>) {
        (self.bands, self.count, self.has_stale) = (Some(Arc::clone(bands)), count, cached.is_some());
        if let Some(words) = cached {
            self.cached.set_words(words);
        }
    }

    /// Number of cached bodies.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The bands of the cached bodies, possibly with stale ones.
    #[inline]
    pub(crate) fn bands(&self) -> Option<&Bands> {
        self.bands.as_deref()
    }

    /// Whether a row in the bands is cached; otherwise it is stale.
    #[inline(always)]
    pub(crate) fn is_cached(&self, row: u32) -> bool {
        !self.has_stale || self.cached.contains(row)
    }

    /// The bands, to compare them with those of another frame.
    pub(crate) fn shared_bands(&self) -> Option<&Arc<Bands>> {
        self.bands.as_ref()
    }

    /// Releases bands that the frame `front` does not have.
    pub(crate) fn release_unless_in(&mut self, front: &Self) {
        if self.bands.as_ref().map(Arc::as_ptr) != front.bands.as_ref().map(Arc::as_ptr) {
            self.bands = None;
        }
    }
}

/// Without the bands, which frames may share.
impl Buffers for CachedBodies {
    fn bytes(&self) -> usize {
        self.cached.bytes()
    }

    fn reserve_like(&mut self, other: &Self) {
        self.cached.reserve_like(&other.cached);
    }

    fn shrink_to_fit(&mut self) {
        if !self.has_stale {
            self.cached = BitSet::default();
        }
        self.cached.shrink_to_fit();
    }
}
