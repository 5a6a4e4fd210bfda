//! What is filed in one grid against boxes of another: band by band, each looked up once for many boxes.
//!
//! Cost: a search of a band a box, as of a small area (S in `search.rs`).

use crate::geometry::{BodyCircle, RawAabb, oriented, overlaps};
use crate::memory::blocks::SOA_BLOCK_LEN;
use crate::memory::record::BodyRecord;
use crate::simd::{CellRect, DetectedSimd, prefetch};
use crate::tier::point_grid::band::build::Finder;
use crate::tier::point_grid::bands::{BandSlot, GridIndex, KeptCells};
use std::ops::Range;

/// A band that is searched for many boxes.
pub(crate) struct Met<'a> {
    level: DetectedSimd,
    slot: &'a BandSlot,
    finder: Finder<'a>,
    cells: KeptCells<'a>,
}

impl GridIndex {
    /// The slots of the bands that an area meets, perhaps without bodies in it.
    pub(crate) fn slots_met(&self, area: RawAabb) -> impl Iterator<Item = usize> {
        let met = move |number| {
            let class = self.directory.class(number)?;
            Some(self.directory.met(class, &oriented(area, class.transposed)))
        };
        (0..).map_while(met).flatten()
    }

    /// A band that is to be searched.
    pub(crate) fn met(&self, slot: usize) -> Met<'_> {
        let slot = &self.slots[slot];
        Met { level: self.level(), slot, finder: slot.band.finder(self.words_of(slot)), cells: self.cells(slot) }
    }

    /// The bodies at some places in the cell order of a band.
    pub(crate) fn bodies(&self, slot: usize, places: Range<usize>) -> impl Iterator<Item = BodyRecord> + Clone {
        let slot = &self.slots[slot];
        let blocks = self.cells(slot).blocks;
        let places = places.start.min(blocks.len())..places.end.min(blocks.len());
        places.map(move |at| BodyRecord { aabb: oriented(blocks.aabb(at), slot.transposed), row: blocks.row(at) })
    }
}

/// Boxes that are looked for together.
pub(crate) const TOGETHER: usize = 512;

/// Parts of the rows that the cells of some boxes cover, by which those are sorted.
const PARTS: usize = 256;

/// A box that is looked for: as its band has it, with the cells to be looked through.
#[derive(Clone, Copy, Default)]
struct Wanted {
    aabb: RawAabb,
    row: u32,
    x: [u32; 2],
    y: [u32; 2],
}

/// Buffers of a search for many boxes.
pub(crate) struct MeetScratch {
    wanted: [Wanted; TOGETHER],
    order: [u16; TOGETHER],
}

impl Default for MeetScratch {
    fn default() -> Self {
        Self { wanted: [Wanted::default(); TOGETHER], order: [0; TOGETHER] }
    }
}

impl MeetScratch {
    /// Orders the first `count` by the rows of cells where they begin; those of a row stay as they are.
    fn sort(&mut self, count: usize) -> &[u16] {
        let (wanted, order) = (&self.wanted[..count], &mut self.order[..count]);
        let first = |wanted: &Wanted| wanted.y[0];
        let (low, high) = wanted.iter().map(first).fold((u32::MAX, 0), |(low, high), y| (low.min(y), high.max(y)));
        // The part of a row, in 16 bits below the point.
        let scale = ((PARTS as u64) << 16) / (u64::from(high.saturating_sub(low)) + 1);
        let part = |wanted: &Wanted| ((u64::from(first(wanted) - low) * scale) >> 16) as usize;
        let mut places = [0u16; PARTS + 1];
        wanted.iter().for_each(|wanted| places[part(wanted) + 1] += 1);
        (0..PARTS).for_each(|k| places[k + 1] += places[k]);
        for (number, wanted) in wanted.iter().enumerate() {
            let place = &mut places[part(wanted)];
            order[usize::from(*place)] = number as u16;
            *place += 1;
        }
        order
    }
}

impl Met<'_> {
    /// The smallest box that holds all bodies of the band.
    pub(crate) fn bounds(&self) -> RawAabb {
        oriented(self.slot.band.bounds, self.slot.transposed)
    }

    /// Visits the rows of the bodies that overlap each of up to [`TOGETHER`] boxes, with that of the box: boxes in the
    /// order of rows of cells, so that what is filed there is read as it lies; bodies in cell order. With `discs` only those
    /// whose discs meet too. `None` as soon as a visit says so.
    pub(crate) fn visit_all(
        &self,
        boxes: &[BodyRecord],
        discs: bool,
        scratch: &mut MeetScratch,
        mut visit: impl FnMut(u32, u32) -> Option<()>,
    ) -> Option<()> {
        let Self { slot, finder, cells, .. } = self;
        if slot.band.population == 0 {
            return Some(());
        }
        let mut count = 0;
        // First those that meet the band at all, without a branch.
        let bounds = self.bounds();
        for (number, body) in boxes.iter().take(TOGETHER).enumerate() {
            scratch.order[count] = number as u16;
            count += usize::from(overlaps(&bounds, &body.aabb));
        }
        for (wanted, &number) in scratch.wanted.iter_mut().zip(&scratch.order[..count]) {
            let BodyRecord { aabb, row } = boxes[usize::from(number)];
            let aabb = oriented(aabb, slot.transposed);
            let CellRect { x, y } = finder.rect(&aabb);
            let (x, y) = ([x.start as u32, x.end as u32], [y.start as u32, y.end as u32]);
            *wanted = Wanted { aabb, row, x, y };
        }
        scratch.sort(count);
        let MeetScratch { wanted, order, .. } = &*scratch;
        let mut pipe = Pipe::new(self, discs);
        for &number in &order[..count] {
            let Wanted { aabb, row, x, y } = &wanted[usize::from(number)];
            for y in y[0]..y[1] {
                let run = cells.run(y as usize, &(x[0] as usize..x[1] as usize));
                // Almost never more than one.
                for from in run.clone().step_by(RUN_MAX) {
                    let run = from as u32..run.end.min(from + RUN_MAX) as u32;
                    pipe.push(Asked { aabb: *aabb, row: *row, run }, &mut visit)?;
                }
            }
        }
        pipe.finish(&mut visit)
    }
}

/// Entries that lie in two blocks, wherever they begin.
const RUN_MAX: usize = SOA_BLOCK_LEN + 1;

/// Runs that are asked for before the first of them is tested: which they are the processor cannot guess, and waits for each
/// else.
const AHEAD: usize = 64;

/// Hits that are noted before they are handed on.
const HITS: usize = 64;

/// A run of a band that is to be tested against a box.
#[derive(Clone, Default)]
struct Asked {
    aabb: RawAabb,
    row: u32,
    run: Range<u32>,
}

/// Those of two blocks that overlap a box.
#[derive(Clone, Copy, Default)]
struct Hits {
    row: u32,
    /// The first entry of the first block.
    base: u32,
    mask: u32,
}

/// Runs on their way through memory: the one that was asked for longest ago is tested next.
struct Pipe<'a> {
    level: DetectedSimd,
    cells: KeptCells<'a>,
    /// Whether bodies are circles.
    discs: bool,
    asked: [Asked; AHEAD],
    asked_count: usize,
    hits: [Hits; HITS],
    hit_count: usize,
}

impl<'a> Pipe<'a> {
    fn new(met: &Met<'a>, discs: bool) -> Self {
        Self {
            level: met.level,
            cells: met.cells,
            discs,
            asked: [const { Asked { aabb: [0.0; 4], row: 0, run: 0..0 } }; AHEAD],
            asked_count: 0,
            hits: [Hits::default(); HITS],
            hit_count: 0,
        }
    }

    /// The number of the block where a run begins, and of the one where it ends.
    #[inline(always)]
    fn blocks(run: &Range<u32>) -> [usize; 2] {
        [run.start, run.end - 1].map(|at| at as usize / SOA_BLOCK_LEN)
    }

    #[inline(always)]
    fn push(&mut self, next: Asked, visit: &mut impl FnMut(u32, u32) -> Option<()>) -> Option<()> {
        let [first, last] = Self::blocks(&next.run);
        prefetch(self.cells.blocks.block(first));
        if last != first {
            prefetch(self.cells.blocks.block(last));
        }
        let place = self.asked_count % AHEAD;
        let asked = std::mem::replace(&mut self.asked[place], next);
        self.asked_count += 1;
        if self.asked_count > AHEAD { self.test(&asked, visit) } else { Some(()) }
    }

    /// Tests what is on its way, and hands on what was not.
    fn finish(mut self, visit: &mut impl FnMut(u32, u32) -> Option<()>) -> Option<()> {
        for k in self.asked_count.saturating_sub(AHEAD)..self.asked_count {
            let asked = std::mem::take(&mut self.asked[k % AHEAD]);
            self.test(&asked, visit)?;
        }
        self.hand_on(visit)
    }

    /// Tests both blocks of a run without asking whether there is a second: if not, it is the first again, which no memory is
    /// waited for.
    #[inline(always)]
    fn test(&mut self, asked: &Asked, visit: &mut impl FnMut(u32, u32) -> Option<()>) -> Option<()> {
        let Asked { aabb, row, run } = asked;
        let [first, last] = Self::blocks(run);
        let base = (first * SOA_BLOCK_LEN) as u32;
        let held = (u64::MAX >> (u64::BITS - (run.end - base))) & (u64::MAX << (run.start - base));
        let blocks = [first, last].map(|block| self.cells.blocks.block(block));
        let mut mask = self.level.overlap_masks(blocks, aabb) & held as u32;
        if self.discs {
            mask = self.meeting(mask, base, aabb);
        }
        self.hits[self.hit_count] = Hits { row: *row, base, mask };
        self.hit_count += usize::from(mask != 0);
        if self.hit_count == HITS { self.hand_on(visit) } else { Some(()) }
    }

    /// Those of a mask whose discs meet that of a box.
    fn meeting(&self, mut mask: u32, base: u32, aabb: &RawAabb) -> u32 {
        let circle = BodyCircle::of_box(aabb);
        let mut meeting = 0;
        while mask != 0 {
            let at = mask.trailing_zeros();
            let other = self.cells.blocks.aabb(base as usize + at as usize);
            meeting |= u32::from(circle.overlaps(&BodyCircle::of_box(&other))) << at;
            mask &= mask - 1;
        }
        meeting
    }

    /// Visits what was hit.
    #[inline(always)]
    fn hand_on(&mut self, visit: &mut impl FnMut(u32, u32) -> Option<()>) -> Option<()> {
        let hits = &self.hits[..std::mem::take(&mut self.hit_count)];
        hits.iter().try_for_each(|&Hits { row, base, mut mask }| {
            while mask != 0 {
                visit(row, self.cells.blocks.row(base as usize + mask.trailing_zeros() as usize))?;
                mask &= mask - 1;
            }
            Some(())
        })
    }
}
