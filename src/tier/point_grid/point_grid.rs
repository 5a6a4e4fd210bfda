//! Point grids as one type of their own: sequential, made anew from a slice each time.
//!
//! Q1: each box is filed once: in a band of a class, or in `rest`, a band for what no class takes. A pair of two in `rest`
//!     is found there; one of a box in `rest` and a box of a class in the band of the latter; all others by R2.
//! Q2: the filing is replaced only once all rows were found good.

use crate::error::Error;
use crate::geometry::{Aabb, overlaps};
use crate::input::bodies;
use crate::input::rows::{BoxSlice, ROWS_MAX};
use crate::memory::buffers::grow;
use crate::memory::columns::SOA_PAD;
use crate::memory::page::{PAGE_LEN, Page, PagePool, PairBudget, PairSink};
use crate::memory::record::BodyRecord;
use crate::pair::Pair;
use crate::simd::DetectedSimd;
use crate::tier::point_grid::band::build::{Band, BandScratch, words_max};
use crate::tier::point_grid::band::built::{Built, Terms};
use crate::tier::point_grid::band::crowded;
use crate::tier::point_grid::band::crowded::SplitScratch;
use crate::tier::point_grid::bands::{BandSlot, GridIndex};
use crate::tier::point_grid::partition::Partition;
use crate::tier::point_grid::plan::{Plan, Wishes};
use bytemuck::NoUninit;

/// Moving boxes, filed anew each time: every pair that overlaps, and what lies in an area.
///
/// For who wants a broad phase of a slice of boxes on the calling thread, and neither statics nor a pool of threads; with
/// those take [`World`](crate::World), whose tier 1 this is.
///
/// A box is filed once, in the cell that holds its lower corner. No world size and no cell size has to be given: cells are
/// laid by the density of each part of the world, and sizes that differ too much to share cells are given a grid each.
///
/// # Cost
///
/// `find_pairs` takes O(boxes + pairs) where boxes are of a few sizes. Rare boxes far larger than the rest, and long ones
/// that reach over many parts of the world, cost a search of each part that they reach into, and share a grid whose cells
/// are as wide as the largest of them: at worst each two of them are tested. Boxes of all sizes at once share four grids
/// at most, and a box is tested against those of its grid that are within the length of the largest.
///
/// Memory is O(boxes + pairs of the fullest part of the world), of the most there were since
/// [`shrink_to_fit`](Self::shrink_to_fit), whatever the extent of the world. Filing what was filed before allocates nothing.
///
/// # Determinism
///
/// The pairs, the hits, and the order of both are a pure function of the boxes: the same on any instruction set, whatever
/// was filed before. The order may change between versions of this crate.
///
/// ```
/// use triphase::tier::point_grid::PointGrid;
/// use triphase::{Aabb, Pair};
///
/// let mut boxes = vec![[0.0f32, 0.0, 1.0, 1.0], [1.0, 0.5, 2.0, 1.5], [8.0, 8.0, 9.0, 9.0]];
/// let (mut grid, mut pairs) = (PointGrid::new(), Vec::new());
/// grid.find_pairs(&boxes, &mut pairs)?;
/// assert_eq!(pairs, [Pair { a: 0, b: 1 }]); // they touch at x = 1
/// assert_eq!(grid.query_aabb(Aabb::new([7.0, 7.0], [8.0, 8.0])?).collect::<Vec<_>>(), [2]);
///
/// boxes[1] = [7.5, 7.5, 8.5, 8.5];
/// grid.find_pairs(&boxes, &mut pairs)?;
/// assert_eq!(pairs, [Pair { a: 1, b: 2 }]);
/// # Ok::<(), triphase::Error>(())
/// ```
///
/// Source: grids that file each object in one cell, one for each range of sizes, are described by Christer Ericson in
/// *Real-Time Collision Detection* (7.1 and 7.2); sorting by cell by Simon Green in *Particle Simulation using CUDA*.
#[derive(Default)]
pub struct PointGrid {
    level: DetectedSimd,
    len: usize,
    /// Classes (Q1).
    pub(crate) index: GridIndex,
    /// One band at most, and its boxes (Q1).
    pub(crate) rest: GridIndex,
    pub(crate) rest_boxes: Vec<BodyRecord>,
    pub(crate) plan: Plan,
    partition: Partition,
    scratch: BandScratch,
    split: SplitScratch,
    pool: PagePool,
    blocks: Vec<Page>,
}

impl PointGrid {
    /// A grid that holds nothing. Memory is taken by the first boxes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Files all boxes in the place of those filed before, and replaces `pairs` by every pair of rows whose closed boxes
    /// overlap, each once, `a < b`; touching is overlap.
    ///
    /// Boxes are taken bit for bit: `[f32; 4]` as `min_x, min_y, max_x, max_y` in world units, [`Aabb`], or any castable
    /// type of four f32, as by [`Bodies::from_aabbs`](crate::Bodies::from_aabbs).
    ///
    /// # Errors
    ///
    /// [`Error::InvalidBody`] names the lowest row that is no box: an edge is NaN or infinite, or `min > max`.
    /// [`Error::TooManyRows`]. After an error `pairs` is as it was, and the boxes filed before are still there.
    ///
    /// # Determinism
    ///
    /// Pairs and their order are a pure function of the boxes.
    ///
    /// # Cost
    ///
    /// O(boxes + pairs) where boxes are of a few sizes; see [`PointGrid`]. Allocates only when there are more boxes or
    /// pairs than before.
    pub fn find_pairs<T: NoUninit>(&mut self, aabbs: &[T], pairs: &mut Vec<Pair>) -> Result<(), Error> {
        let rows = BoxSlice(bodies::boxes(aabbs));
        if aabbs.len() > ROWS_MAX {
            return Err(Error::TooManyRows { rows: aabbs.len(), rows_max: ROWS_MAX });
        }
        self.plan.rebuild(&rows, Wishes { bounds: &[], oversized: false });
        let records = &mut self.index.records;
        self.partition.run(&rows, &self.plan, false, self.level, false, records).map_err(Error::InvalidBody)?; // Q2
        self.len = aabbs.len();
        self.index.lay_out(&self.plan, &self.partition);
        self.lay_out_rest();
        pairs.clear();
        for number in 0..self.index.slots.len() {
            self.run_band(number, pairs);
        }
        self.run_rest(pairs);
        self.index.finish(self.level);
        self.rest.finish(self.level);
        Ok(())
    }

    /// Rows of the boxes that overlap `area`, each once; touching is overlap. They are looked for as the iterator is drawn
    /// on.
    ///
    /// # Determinism
    ///
    /// The order is a pure function of the boxes: cell order, then what is larger than all classes.
    ///
    /// # Cost
    ///
    /// O(bands + cells touched + hits), a band being a part of the world with some thousand boxes. Takes no memory.
    pub fn query_aabb(&self, area: Aabb) -> impl Iterator<Item = u32> + '_ {
        self.query().query_aabb(area)
    }

    /// How many boxes are filed.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no boxes are filed.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        let pages = self.pool.free_count() * PAGE_LEN * size_of::<[u32; 2]>();
        let rest = self.rest.bytes() + self.rest_boxes.capacity() * size_of::<BodyRecord>();
        let blocks = self.blocks.capacity() * size_of::<Page>();
        self.index.bytes()
            + rest
            + self.plan.bytes()
            + self.partition.bytes()
            + self.scratch.bytes()
            + self.split.bytes()
            + blocks
            + pages
    }

    /// Gives back memory that queries do not need. The next [`find_pairs`](Self::find_pairs) takes it again.
    pub fn shrink_to_fit(&mut self) {
        let (index, rest) = (std::mem::take(&mut self.index), std::mem::take(&mut self.rest));
        *self = Self { level: self.level, len: self.len, index, rest, ..Self::default() };
        self.index.shrink_to_fit();
        self.rest.shrink_to_fit();
    }

    /// Takes what the partition left over out of the arena, where columns will overwrite it, and gives it a band.
    fn lay_out_rest(&mut self) {
        let left_over = &self.index.records[self.partition.oversized()];
        self.rest_boxes.clear();
        self.rest_boxes.extend_from_slice(left_over);
        let len = left_over.len();
        let slot = (len > 0).then(|| {
            let (records, words) = (0..len + SOA_PAD, 0..words_max(len));
            grow(&mut self.rest.records, records.end);
            grow(&mut self.rest.words, words.end);
            BandSlot { band: Band::default(), transposed: false, records, words }
        });
        self.rest.lay_out_single(slot);
    }

    /// Builds a band of a class, and finds the pairs of its boxes with each other, with visitors (R2) and with the rest.
    fn run_band(&mut self, number: usize, pairs: &mut Vec<Pair>) {
        let GridIndex { slots, records, words, .. } = &mut self.index;
        let slot = &mut slots[number];
        let (own, visitors) = (self.partition.own(number), self.partition.visitors(number));
        if own.is_empty() {
            return;
        }
        // Visitors stand behind the bodies of all bands.
        let (records, behind) = records.split_at_mut(visitors.start);
        let (records, visitors) = (&mut records[slot.records.clone()], &behind[..visitors.len()]);
        let mut built = Built::new(
            &records[..own.len()],
            None,
            Terms::default(),
            &mut words[slot.words.clone()],
            &mut self.scratch,
        );
        slot.band = built.band;
        let budget = PairBudget::new(usize::MAX);
        let mut sink = PairSink::new(&self.pool, &budget, &mut self.blocks);
        let turned = |record: &BodyRecord| if slot.transposed { record.transposed() } else { *record };
        let rest = self.rest_boxes.iter().map(turned).filter(|record| overlaps(&record.aabb, &slot.band.bounds));
        // A sink without a limit is never spent.
        let own = &records[..own.len()];
        if crowded::is_worthwhile(&slot.band, own) {
            let _ = crowded::find_pairs(self.level, (own, visitors), Terms::default(), &mut self.split, &mut sink);
        } else {
            let _ = built.own_pairs(self.level, &mut sink);
            let _ = built.pairs_with(self.level, visitors.iter().copied(), &mut sink);
        }
        let _ = built.pairs_with(self.level, rest, &mut sink);
        drop(sink);
        built.keep(records);
        self.take_pairs(pairs);
    }

    /// The same for the band of what no class takes, whose boxes have met all others by now.
    fn run_rest(&mut self, pairs: &mut Vec<Pair>) {
        let GridIndex { slots, records, words, .. } = &mut self.rest;
        let Some(slot) = slots.first_mut() else { return };
        let words = &mut words[slot.words.clone()];
        let mut built = Built::new(&self.rest_boxes, None, Terms::default(), words, &mut self.scratch);
        slot.band = built.band;
        let budget = PairBudget::new(usize::MAX);
        let mut sink = PairSink::new(&self.pool, &budget, &mut self.blocks);
        let _ = built.own_pairs(self.level, &mut sink);
        drop(sink);
        built.keep(&mut records[slot.records.clone()]);
        self.take_pairs(pairs);
    }

    /// Empties the pages of a band, so that there are never more than one takes.
    fn take_pairs(&mut self, pairs: &mut Vec<Pair>) {
        self.blocks.iter().for_each(|block| pairs.extend_from_slice(bytemuck::cast_slice(block.pairs())));
        self.pool.recycle(&mut self.blocks);
    }
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
