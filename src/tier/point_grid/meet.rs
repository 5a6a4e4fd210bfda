//! What is filed in one grid against boxes of another: band by band, each looked up once for many boxes.
//!
//! Cost: a search of a band a box, as of a small area (S in `search.rs`).

use super::band::Finder;
use super::index::{BandSlot, GridIndex, KeptCells};
use crate::geometry::{RawBox, oriented, overlaps};
use crate::kernel::{Level, Rect, ask_for};
use crate::storage::blocks::{BLOCK_LEN, BLOCK_WORDS};
use crate::storage::record::Record;
use std::ops::Range;

/// A band that is searched for many boxes.
pub(crate) struct Met<'a> {
    level: Level,
    slot: &'a BandSlot,
    finder: Finder<'a>,
    cells: KeptCells<'a>,
}

impl GridIndex {
    /// The slots of the bands that an area meets, perhaps without bodies in it.
    pub(crate) fn slots_met(&self, area: RawBox) -> impl Iterator<Item = usize> {
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
    pub(crate) fn bodies(&self, slot: usize, places: Range<usize>) -> impl Iterator<Item = Record> + Clone {
        let slot = &self.slots[slot];
        let blocks = self.cells(slot).blocks;
        let places = places.start.min(blocks.len())..places.end.min(blocks.len());
        places.map(move |at| Record { aabb: oriented(blocks.aabb(at), slot.transposed), row: blocks.row(at) })
    }
}

/// Boxes that are looked for together.
pub(crate) const TOGETHER: usize = 1024;

/// Parts of the rows that the cells of some boxes cover, by which those are sorted.
const PARTS: usize = 256;

/// A box that is looked for: as its band has it, with the cells to be looked through.
#[derive(Clone, Copy, Default)]
struct Wanted {
    aabb: RawBox,
    row: u32,
    x: [u32; 2],
    y: [u32; 2],
}

/// Buffers of a search for many boxes.
pub(crate) struct MeetScratch {
    wanted: [Wanted; TOGETHER],
    order: [u16; TOGETHER],
    hits: [Hits; HITS],
}

/// Hits that are noted before they are handed on: some for each box of a group.
const HITS: usize = 8 * GROUP;

impl Default for MeetScratch {
    fn default() -> Self {
        Self { wanted: [Wanted::default(); TOGETHER], order: [0; TOGETHER], hits: [Hits::default(); HITS] }
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
    pub(crate) fn bounds(&self) -> RawBox {
        oriented(self.slot.band.bounds, self.slot.transposed)
    }

    /// Visits the rows of the bodies that overlap each of up to [`TOGETHER`] boxes, with that of the box: boxes in the
    /// order of rows of cells, so that what is filed there is read as it lies; bodies in cell order. `None` as soon as a visit says so.
    pub(crate) fn visit_all(
        &self,
        boxes: &[Record],
        scratch: &mut MeetScratch,
        mut visit: impl FnMut(u32, u32) -> Option<()>,
    ) -> Option<()> {
        let Self { level, slot, finder, cells } = self;
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
            let Record { aabb, row } = boxes[usize::from(number)];
            let aabb = oriented(aabb, slot.transposed);
            let Rect { x, y } = finder.rect(&aabb);
            let (x, y) = ([x.start as u32, x.end as u32], [y.start as u32, y.end as u32]);
            *wanted = Wanted { aabb, row, x, y };
        }
        scratch.sort(count);
        let (search, MeetScratch { wanted, order, hits }) = (Search { level: *level, cells }, scratch);
        let mut groups = order[..count].chunks(GROUP);
        let mut next = groups.next().unwrap_or_default();
        search.ask_for(wanted, next);
        while !next.is_empty() {
            let group = std::mem::replace(&mut next, groups.next().unwrap_or_default());
            search.ask_for(wanted, next);
            let mut hit_count = 0;
            for &number in group {
                let Wanted { aabb, row, x, y } = &wanted[usize::from(number)];
                for y in y[0]..y[1] {
                    let mut run = search.run(x, y);
                    while !run.is_empty() {
                        let (base, mask) = search.test(&mut run, aabb);
                        if hit_count == hits.len() {
                            // Only of boxes that cover many rows of cells.
                            hand_on(cells, hits, &mut visit)?;
                            hit_count = 0;
                        }
                        hits[hit_count] = Hits { row: *row, base: base as u32, mask };
                        hit_count += usize::from(mask != 0);
                    }
                }
            }
            hand_on(cells, &hits[..hit_count], &mut visit)?;
        }
        Some(())
    }
}

/// Boxes whose blocks are asked for while those before are tested.
const GROUP: usize = 16;

/// Those of two blocks that overlap a box.
#[derive(Clone, Copy, Default)]
struct Hits {
    row: u32,
    /// The first entry of the first block.
    base: u32,
    mask: u32,
}

/// What is done with each run of a band.
#[derive(Clone, Copy)]
struct Search<'a> {
    level: Level,
    cells: &'a KeptCells<'a>,
}

impl<'a> Search<'a> {
    #[inline(always)]
    fn run(&self, x: &[u32; 2], y: u32) -> Range<usize> {
        self.cells.run(y as usize, &(x[0] as usize..x[1] as usize))
    }

    /// The block where a run begins, and the next one if the run reaches into it, else the same again: no memory is waited for
    /// in vain.
    #[inline(always)]
    fn blocks(&self, run: &Range<usize>) -> (usize, [&'a [u32; BLOCK_WORDS]; 2]) {
        let (first, last) = (run.start / BLOCK_LEN, (run.end - 1) / BLOCK_LEN);
        (first * BLOCK_LEN, [first, last.min(first + 1)].map(|block| self.cells.blocks.block(block)))
    }

    /// Asks for the blocks that some boxes will be tested against: which these are the processor cannot guess.
    #[inline(always)]
    fn ask_for(&self, wanted: &[Wanted], numbers: &[u16]) {
        for &number in numbers {
            let Wanted { x, y, .. } = &wanted[usize::from(number)];
            for run in (y[0]..y[1]).map(|y| self.run(x, y)).filter(|run| !run.is_empty()) {
                let (_, [first, second]) = self.blocks(&run);
                ask_for(first);
                if !std::ptr::eq(first, second) {
                    ask_for(second);
                }
            }
        }
    }

    /// Tests the entries of a run that are in its first two blocks, which almost always are all: without asking. They are no more
    /// in the run then.
    #[inline(always)]
    fn test(&self, run: &mut Range<usize>, aabb: &RawBox) -> (usize, u32) {
        let (base, blocks) = self.blocks(run);
        let end = run.end.min(base + 2 * BLOCK_LEN);
        let held = (u64::MAX >> (u64::BITS as usize - (end - base))) & (u64::MAX << (run.start - base));
        run.start = end;
        (base, self.level.overlap_masks(blocks, aabb) & held as u32)
    }
}

/// Visits what was hit.
#[inline(always)]
fn hand_on(cells: &KeptCells<'_>, hits: &[Hits], visit: &mut impl FnMut(u32, u32) -> Option<()>) -> Option<()> {
    hits.iter().try_for_each(|&Hits { row, base, mut mask }| {
        while mask != 0 {
            visit(row, cells.blocks.row(base as usize + mask.trailing_zeros() as usize))?;
            mask &= mask - 1;
        }
        Some(())
    })
}
