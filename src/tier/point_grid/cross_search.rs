//! Searches one band for many boxes: finds all bodies of the band that overlap them.
//!
//! A search may be for several boxes that are near each other, as those of a body before and after
//! it moved: each body of the band is then read once and compared with all of them.
//!
//! Cost: a search of the band for each group of boxes that overlaps its bounds.

use crate::geometry::band_box::BandBox;
use crate::geometry::{BodyCircle, RawAabb, overlaps};
use crate::memory::bits::set_bits;
use crate::memory::blocks::SOA_BLOCK_LEN;
use crate::memory::radix::{number_of, numbered};
use crate::prefetch::prefetch;
use crate::simd::{CellRect, DetectedSimd};
use crate::tier::point_grid::band::cell_grid::CellLookup;
use crate::tier::point_grid::band::slot::BandSlot;
use crate::tier::point_grid::bands::{Bands, FiledCells};
use smallvec::SmallVec;

/// Most groups of boxes of one search.
pub(crate) const SEARCH_BOXES_MAX: usize = 512;

/// Parts of the rows of cells that the boxes of a search cover; the boxes are sorted by these.
const SORT_PARTS: usize = 256;

/// Groups up to which a comparison sort is faster than clearing and summing a table of parts.
const FEW_BOXES: usize = 32;

/// Most entries of a run: wherever it begins, they are in two blocks.
const RUN_MAX: u32 = SOA_BLOCK_LEN as u32 + 1;

/// Runs that are prefetched before the first of them is tested. Their places are random, so the
/// processor would otherwise wait for each.
const PREFETCHED: usize = 64;

/// Hits that are collected before the visitor is called.
const HITS: usize = 64;

/// A search of one band for many boxes.
pub(crate) struct BandSearch<'a> {
    level: DetectedSimd,
    slot: &'a BandSlot,
    lookup: CellLookup<'a>,
    cells: FiledCells<'a>,
}

/// The boxes of a group, with the cells to be searched for them.
#[derive(Clone, Copy)]
struct SearchBoxes<const N: usize> {
    aabbs: [BandBox; N],
    /// The number of the group.
    number: u32,
    x: [u32; 2],
    y: [u32; 2],
}

/// Buffers of a search for groups of `N` boxes. Nothing in them is cleared that is not used, as
/// many searches are for a few boxes.
#[derive(Default)]
pub(crate) struct SearchBuffers<const N: usize> {
    boxes: SmallVec<[SearchBoxes<N>; SEARCH_BOXES_MAX]>,
    order: SmallVec<[u16; SEARCH_BOXES_MAX]>,
}

impl Bands {
    /// Prepares a search of a band.
    pub(crate) fn search_band(&self, band: usize) -> BandSearch<'_> {
        let slot = &self.slots[band];
        let lookup = slot.band.lookup(self.tables_of(slot));
        BandSearch { level: self.level, slot, lookup, cells: self.cells(slot) }
    }
}

impl BandSearch<'_> {
    /// The smallest box that covers all bodies of the band.
    pub(crate) fn bounds(&self) -> RawAabb {
        self.slot.bounds()
    }

    /// The row of the body at a position of the band.
    #[inline(always)]
    pub(crate) fn row(&self, at: u32) -> u32 {
        self.cells.blocks.row(at as usize)
    }

    /// The box of the body at a position of the band.
    #[inline(always)]
    pub(crate) fn aabb(&self, at: u32) -> RawAabb {
        self.slot.axes.box_to_world(BandBox::from_edges(self.cells.blocks.aabb(at as usize)))
    }

    /// Calls `visit` with the number of each group, the position of each body that overlaps one of
    /// its boxes, and a bit for each box that it overlaps.
    ///
    /// There may be up to [`SEARCH_BOXES_MAX`] groups. A box of NaN overlaps nothing, but one box
    /// of a group must not be NaN. Groups are visited by rows of cells, so that memory is read in
    /// order, and the bodies of each in cell order. With `are_circles`, bodies and boxes are
    /// circles that have to overlap too. Ends with `None` as soon as a visit does.
    pub(crate) fn for_each_overlap<const N: usize>(
        &self,
        groups: impl Iterator<Item = [RawAabb; N]> + Clone,
        are_circles: bool,
        buffers: &mut SearchBuffers<N>,
        mut visit: impl FnMut(u32, u32, u32) -> Option<()>,
    ) -> Option<()> {
        if self.slot.population() == 0 {
            return Some(());
        }
        self.look_up(groups, buffers);
        buffers.sort();
        let mut queue = PrefetchQueue::new(self, &buffers.boxes, are_circles);
        for &number in &buffers.order {
            let SearchBoxes { x, y, .. } = &buffers.boxes[usize::from(number)];
            for y in y[0]..y[1] {
                let run = self.cells.run(y as usize, &(x[0] as usize..x[1] as usize));
                let [mut start, end] = [run.start, run.end].map(|at| at as u32);
                // Almost never more than one part.
                while start < end {
                    let part_end = end.min(start + RUN_MAX);
                    queue.push(PendingRun { boxes: number, start, end: part_end }, &mut visit)?;
                    start = part_end;
                }
            }
        }
        queue.finish(&mut visit)
    }

    /// Looks up the cells of all groups that overlap the bounds.
    fn look_up<const N: usize>(
        &self,
        groups: impl Iterator<Item = [RawAabb; N]> + Clone,
        SearchBuffers { boxes: found, .. }: &mut SearchBuffers<N>,
    ) {
        let (axes, bounds) = (self.slot.axes, self.bounds());
        found.clear();
        for (aabbs, number) in groups.zip(0..SEARCH_BOXES_MAX as u32) {
            let area = covering(&aabbs);
            if overlaps(&bounds, &area) {
                let CellRect { x, y } = self.lookup.rect(&axes.box_to_band(area));
                self.cells.starts.prefetch_runs(y.clone(), x.start);
                let (x, y) = ([x.start as u32, x.end as u32], [y.start as u32, y.end as u32]);
                found.push(SearchBoxes { aabbs: aabbs.map(|aabb| axes.box_to_band(aabb)), number, x, y });
            }
        }
    }
}

/// The smallest box that covers all boxes that are not NaN.
#[inline(always)]
fn covering<const N: usize>(aabbs: &[RawAabb; N]) -> RawAabb {
    let mut all = aabbs[0];
    for aabb in &aabbs[1..] {
        // `min` and `max` ignore NaN.
        all = [all[0].min(aabb[0]), all[1].min(aabb[1]), all[2].max(aabb[2]), all[3].max(aabb[3])];
    }
    all
}

impl<const N: usize> SearchBuffers<N> {
    /// Orders the groups by their first row of cells, roughly; a stable sort.
    fn sort(&mut self) {
        let Self { boxes, order } = self;
        let first_row = |boxes: &SearchBoxes<N>| boxes.y[0];
        order.clear();
        if boxes.len() <= FEW_BOXES {
            let keys = boxes.iter().zip(0..).map(|(boxes, number)| numbered(first_row(boxes), number));
            let mut keys: SmallVec<[u64; FEW_BOXES]> = keys.collect();
            keys.sort_unstable();
            return order.extend(keys.into_iter().map(|key| number_of(key) as u16));
        }
        order.resize(boxes.len(), 0);
        let (low, high) = boxes.iter().map(first_row).fold((u32::MAX, 0), |(low, high), y| (low.min(y), high.max(y)));
        // Parts per row, with 16 bits after the point.
        let scale = ((SORT_PARTS as u64) << 16) / (u64::from(high.saturating_sub(low)) + 1);
        let part = |boxes: &SearchBoxes<N>| ((u64::from(first_row(boxes) - low) * scale) >> 16) as usize;
        let mut places = [0u16; SORT_PARTS + 1];
        boxes.iter().for_each(|boxes| places[part(boxes) + 1] += 1);
        (0..SORT_PARTS).for_each(|k| places[k + 1] += places[k]);
        for (number, boxes) in boxes.iter().enumerate() {
            let place = &mut places[part(boxes)];
            order[usize::from(*place)] = number as u16;
            *place += 1;
        }
    }
}

/// A run of entries that is to be tested against the boxes of a group.
#[derive(Clone, Copy, Default)]
struct PendingRun {
    /// The position of the boxes in the buffers.
    boxes: u16,
    start: u32,
    end: u32,
}

impl PendingRun {
    /// The block in which the run begins, and the one in which it ends.
    #[inline(always)]
    fn blocks(&self) -> [usize; 2] {
        [self.start, self.end - 1].map(|at| at as usize / SOA_BLOCK_LEN)
    }
}

/// The entries of two blocks that overlap the boxes of a group.
#[derive(Clone, Copy)]
struct RunHits<const N: usize> {
    number: u32,
    /// The first entry of the first block.
    base: u32,
    masks: [u32; N],
}

/// Runs whose memory is on its way to the cache; the oldest is tested next.
struct PrefetchQueue<'s, 'a, const N: usize> {
    search: &'s BandSearch<'a>,
    boxes: &'s [SearchBoxes<N>],
    are_circles: bool,
    runs: [PendingRun; PREFETCHED],
    pushed: usize,
    hits: [RunHits<N>; HITS],
    hit_count: usize,
}

impl<'s, 'a, const N: usize> PrefetchQueue<'s, 'a, N> {
    fn new(search: &'s BandSearch<'a>, boxes: &'s [SearchBoxes<N>], are_circles: bool) -> Self {
        Self {
            search,
            boxes,
            are_circles,
            runs: [PendingRun::default(); PREFETCHED],
            pushed: 0,
            hits: [RunHits { number: 0, base: 0, masks: [0; N] }; HITS],
            hit_count: 0,
        }
    }

    #[inline(always)]
    fn push(&mut self, next: PendingRun, visit: &mut impl FnMut(u32, u32, u32) -> Option<()>) -> Option<()> {
        let [first, last] = next.blocks();
        prefetch(self.search.cells.blocks.block(first));
        if last != first {
            prefetch(self.search.cells.blocks.block(last));
        }
        let oldest = std::mem::replace(&mut self.runs[self.pushed % PREFETCHED], next);
        self.pushed += 1;
        if self.pushed > PREFETCHED { self.test(&oldest, visit) } else { Some(()) }
    }

    /// Tests the remaining runs and reports the remaining hits.
    fn finish(mut self, visit: &mut impl FnMut(u32, u32, u32) -> Option<()>) -> Option<()> {
        for k in self.pushed.saturating_sub(PREFETCHED)..self.pushed {
            let run = self.runs[k % PREFETCHED];
            self.test(&run, visit)?;
        }
        self.report_hits(visit)
    }

    /// Tests both blocks of a run, without a branch for runs in a single block: those test it
    /// twice, which costs no memory access.
    #[inline(always)]
    fn test(&mut self, pending: &PendingRun, visit: &mut impl FnMut(u32, u32, u32) -> Option<()>) -> Option<()> {
        let (&PendingRun { boxes, start, end }, [first, last]) = (pending, pending.blocks());
        let SearchBoxes { aabbs, number, .. } = &self.boxes[usize::from(boxes)];
        let base = (first * SOA_BLOCK_LEN) as u32;
        let in_run = (u64::MAX >> (u64::BITS - (end - base))) & (u64::MAX << (start - base));
        let blocks = [first, last].map(|block| self.search.cells.blocks.block(block));
        let mut masks = [0; N];
        for (mask, aabb) in masks.iter_mut().zip(aabbs) {
            *mask = self.search.level.overlap_masks(blocks, aabb.edges()) & in_run as u32;
            if self.are_circles {
                *mask = self.overlapping_circles(*mask, base, aabb);
            }
        }
        self.hits[self.hit_count] = RunHits { number: *number, base, masks };
        self.hit_count += usize::from(any(&masks) != 0);
        if self.hit_count == HITS { self.report_hits(visit) } else { Some(()) }
    }

    /// The entries of a mask whose circles overlap the circle of a box.
    fn overlapping_circles(&self, mask: u32, base: u32, aabb: &BandBox) -> u32 {
        let (circle, mut overlapping) = (BodyCircle::of_box(aabb.edges()), 0);
        for at in set_bits(mask) {
            let entry = self.search.cells.blocks.aabb(base as usize + at);
            overlapping |= u32::from(circle.overlaps(&BodyCircle::of_box(&entry))) << at;
        }
        overlapping
    }

    #[inline(always)]
    fn report_hits(&mut self, visit: &mut impl FnMut(u32, u32, u32) -> Option<()>) -> Option<()> {
        let hits = &self.hits[..std::mem::take(&mut self.hit_count)];
        hits.iter().try_for_each(|&RunHits { number, base, masks }| {
            set_bits(any(&masks)).try_for_each(|at| {
                let bits = masks.iter().rev().fold(0, |bits, mask| bits << 1 | (mask >> at & 1));
                visit(number, base + at as u32, bits)
            })
        })
    }
}

/// The entries of any mask.
#[inline(always)]
fn any<const N: usize>(masks: &[u32; N]) -> u32 {
    masks.iter().fold(0, |any, mask| any | mask)
}
