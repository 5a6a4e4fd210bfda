//! A stand-alone point grid: sequential, and rebuilt from a slice each time.
//!
//! - GRID-1: each box is filed once: in a band of a class, or in `larger`, one band for all that
//!   are larger than every class. A pair within `larger` is found there; a pair of a box in
//!   `larger` and another one is found in the band of the latter; all others by PARTITION-2.

use crate::error::Error;

use crate::input::bodies::boxes;
use crate::input::bodies::check_box;
use crate::input::filter::PairRules;
use crate::input::rows::{BoxSlice, ROWS_MAX};
use crate::memory::body_record::BodyRecord;
use crate::memory::buffers::Buffers;
use crate::memory::page::{PAGE_LEN, Page, PagePool, PairBudget};
use crate::memory::pair_sink::PairSink;
use crate::pair::Pair;
use crate::simd::DetectedSimd;
use crate::tier::point_grid::band::built_band::{BuiltBand, RawBand};
use crate::tier::point_grid::band::equal_cells::CellSize;
use crate::tier::point_grid::band::other_method::Others;
use crate::tier::point_grid::band::scratch::BandScratch;
use crate::tier::point_grid::bands::Bands;
use crate::tier::point_grid::filing::Filing;
use crate::tier::point_grid::partition::FileOptions;
use crate::tier::point_grid::size_classes::ClassOptions;
use bytemuck::NoUninit;

/// A grid of boxes, rebuilt from a slice, that finds every overlapping pair and answers queries.
///
/// This is a broad phase for one slice of boxes, on the calling thread and without statics. For
/// statics or several threads use [`World`](crate::World), whose tier 1 this is.
///
/// A box is filed once, in the cell that contains its lower corner. You set neither the size of the
/// world nor that of a cell: cells adapt to the density of each part of the world. Boxes whose
/// sizes differ too much to share cells are divided into size classes, with a grid each.
///
/// # Cost
///
/// [`rebuild`](Self::rebuild) takes O(boxes + pairs) if there are a few sizes of boxes. If there
/// are many, a few grids share them, and a box is tested against the boxes of its grid that are
/// within the length of the largest one.
///
/// A rare box that is far larger than the rest, or long enough to cross many bands, costs a search
/// of each band that it reaches into. All such boxes share one grid, with cells as wide as the
/// largest of them; in the worst case each is tested against all others.
///
/// Memory is O(boxes + pairs of the fullest band), for the most boxes and pairs since
/// [`shrink_to_fit`](Self::shrink_to_fit), however large the world is. Rebuilding from the same
/// boxes again allocates nothing.
///
/// # Determinism
///
/// Pairs, hits, and the order of both depend only on the boxes: not on the instruction set or on
/// earlier rebuilds. The order may change between versions of this crate.
///
/// ```
/// use triphase::tier::point_grid::PointGrid;
/// use triphase::{Aabb, Pair};
///
/// let mut boxes = vec![[0.0f32, 0.0, 1.0, 1.0], [1.0, 0.5, 2.0, 1.5], [8.0, 8.0, 9.0, 9.0]];
/// let (mut grid, mut pairs) = (PointGrid::new(), Vec::new());
/// grid.rebuild(&boxes, &mut pairs)?;
/// assert_eq!(pairs, [Pair { a: 0, b: 1 }]); // they touch at x = 1
/// assert_eq!(grid.query_aabb(Aabb::new([7.0, 7.0], [8.0, 8.0])?).collect::<Vec<_>>(), [2]);
///
/// boxes[1] = [7.5, 7.5, 8.5, 8.5];
/// grid.rebuild(&boxes, &mut pairs)?;
/// assert_eq!(pairs, [Pair { a: 1, b: 2 }]);
/// # Ok::<(), triphase::Error>(())
/// ```
///
/// Source: grids that file each object in one cell, one grid for each range of sizes, are described
/// by Christer Ericson in *Real-Time Collision Detection* (7.1 and 7.2); sorting by cell by Simon
/// Green in *Particle Simulation using CUDA*.
#[derive(Default)]
pub struct PointGrid {
    level: DetectedSimd,
    len: usize,
    /// The boxes of all size classes (GRID-1).
    pub(crate) bands: Bands,
    /// The boxes larger than every class, in at most one band.
    pub(crate) larger: Bands,
    filing: Filing,
    scratch: BandScratch,
    pool: PagePool,
    pages: Vec<Page>,
}

impl PointGrid {
    /// Creates an empty grid. Memory is allocated with the first boxes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Replaces all boxes, and the contents of `pairs` with every pair of rows whose boxes overlap.
    ///
    /// Each pair is reported once, with `a < b`; touching is overlap. A box is
    /// `[min_x, min_y, max_x, max_y]` in world units, an [`Aabb`](crate::Aabb), or another type of
    /// four f32, as in [`Bodies::from_aabbs`](crate::Bodies::from_aabbs).
    ///
    /// # Errors
    ///
    /// [`Error::InvalidBody`] names the lowest row with an edge that is NaN or infinite, or with
    /// `min > max`. [`Error::TooManyRows`] if there are more than 2^32 - 2 boxes. After an error,
    /// `pairs` and the boxes in the grid are unchanged.
    ///
    /// # Determinism
    ///
    /// Pairs and their order depend only on the boxes.
    ///
    /// # Cost
    ///
    /// O(boxes + pairs) if there are a few sizes of boxes; see [`PointGrid`]. Allocates only if
    /// there are more boxes or pairs than before.
    pub fn rebuild<T: NoUninit>(&mut self, aabbs: &[T], pairs: &mut Vec<Pair>) -> Result<(), Error> {
        let rows = BoxSlice(boxes!(aabbs, T));
        if aabbs.len() > ROWS_MAX {
            return Err(Error::TooManyRows { rows: aabbs.len(), rows_max: ROWS_MAX });
        }
        let Self { level, len, bands, larger, filing, scratch, pool, pages } = self;
        let level = *level;
        let cell_size = CellSize::ForOwnPairs;
        // Filing would lose the boxes before it finds an invalid one.
        (0..).zip(rows.0).try_for_each(|(row, aabb)| check_box(row, aabb)).map_err(Error::InvalidBody)?;
        filing.plan(&rows, ClassOptions { bounds: &[], has_oversized_tier: false, cell_size }, level);
        let options = FileOptions { skip_invalid: false, level, parallel: false };
        filing.file(&rows, options, bands).map_err(Error::InvalidBody)?;
        larger.file_in_one_band(filing.oversized(bands), level);
        *len = aabbs.len();
        pairs.clear();
        let mut pass = |raw: RawBand<'_>, larger: &[BodyRecord]| {
            let mut band = raw.build(cell_size, PairRules::default(), scratch);
            // Without a limit, no search ends early.
            let budget = PairBudget::new(usize::MAX);
            let _ = find_pairs(&mut band, larger, &mut PairSink::new(pool, &budget, pages));
            band.keep();
            pages.iter().for_each(|page| pairs.extend_from_slice(bytemuck::cast_slice(page.pairs())));
            pool.recycle(pages);
        };
        bands.build_in_order(|raw| pass(raw, larger.single_band_records()));
        larger.build_in_order(|raw| pass(raw, &[]));
        Ok(())
    }

    /// Number of boxes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no boxes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the memory held, in bytes.
    pub fn memory_bytes(&self) -> usize {
        let Self { level: _, len: _, bands, larger, filing, scratch, pool, pages } = self;
        let free_pages = pool.free_count() * PAGE_LEN * size_of::<Pair>();
        let pages = free_pages + pages.capacity() * size_of::<Page>();
        bands.bytes() + larger.bytes() + filing.bytes() + scratch.bytes() + pages
    }

    /// Releases memory that queries do not need. The next [`rebuild`](Self::rebuild) allocates it
    /// again.
    pub fn shrink_to_fit(&mut self) {
        let (bands, larger) = (std::mem::take(&mut self.bands), std::mem::take(&mut self.larger));
        *self = Self { level: self.level, len: self.len, bands, larger, ..Self::default() };
        self.bands.shrink_to_fit();
        self.larger.shrink_to_fit();
    }
}

/// Finds the pairs of a band (GRID-1). `None` once the pair limit is exceeded.
fn find_pairs(band: &mut BuiltBand<'_>, larger: &[BodyRecord], sink: &mut PairSink<'_>) -> Option<()> {
    band.own_pairs(sink)?;
    band.ghost_pairs(sink)?;
    band.pairs_with(larger.iter().copied(), Others::Bodies, sink)
}

impl std::fmt::Debug for PointGrid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PointGrid").field("len", &self.len).finish_non_exhaustive()
    }
}

const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<PointGrid>();
};
