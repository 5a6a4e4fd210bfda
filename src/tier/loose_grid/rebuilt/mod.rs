//! The double grid of one step: made anew from a slice of boxes, everything in contiguous runs.
//!
//! R1: what is inside, and in which order, is a pure function of the boxes. Buffers are kept, their contents are not.
//! R2: entities lie in `filed` in cell order; loose cell `k` holds those from `cells[k].head` to `cells[k + 1].head`.
//!     Only cells that hold something are kept, and one more ends the last run.
//! R3: a crowded cell, one of more than `CHUNK_LEN`, is in order of `min` along the axis that tells its entities apart
//!     better (`upright`: y). `chunks[k]` covers `filed[k * CHUNK_LEN..][..CHUNK_LEN]` when any cell is crowded.
//! R4: blocks are runs of `BLOCK_LEN` entities in cell order. A pair is found in the block of its first entity in that
//!     order, in the one of its loose cells that comes first.
//!
//! Layouts on which grids collapse, and what is done: boxes in clusters, a grid whose columns hold equally many (M2);
//! many in one cell still, a sort and sweep of that cell (R3), which is a sweep of all of them at worst; long and thin
//! boxes, cells as much longer as they are; lengths both ways, so that tight cells are joined until each lists many, a
//! walk over boxes that each cover some loose cells.
//!
//! Cost: O(n) to build, and a sort of each crowded cell. Pairs: O(n) where a neighbourhood is of much the same density
//! and sizes. A search: the loose cells listed where it looks, or 1 / `CHUNK_LEN` of all loose cells if that is less,
//! and the entities of those it meets.

mod build;
mod pairs;
mod plan;
pub(crate) mod query;
#[cfg(test)]
mod validate;

use crate::geometry::RawAabb;
use crate::memory::bit_set::BitSet;
use crate::memory::buffers::reserve_like;
use crate::tier::loose_grid::map::GridMap;
use crate::tier::loose_grid::{LooseCell, LooseIndex, narrow};
use plan::Sample;

/// R3: entities covered by one box in crowded cells, and loose cells by one of the `covers`. With two entities a cell
/// on average, random places do not crowd a cell. Fewer cost memory and time to skip, more are tested in vain.
const CHUNK_LEN: usize = 32;

/// R4: entities in a block: some tens of microseconds, enough to hide what a task costs, few enough to share out.
const BLOCK_LEN: usize = 1024;

/// An entity where it is filed.
#[derive(Clone, Copy, Debug)]
struct Filed {
    bounds: RawAabb,
    entity: u32,
}

const _: () = assert!(size_of::<Filed>() == 20);

/// Tier 2 inside of a world. See the [module](self).
#[derive(Clone, Debug, Default)]
pub(crate) struct RebuiltGrid {
    filed: Vec<Filed>,
    cells: Vec<LooseCell>,
    /// `covers[k]` covers the loose cells `cells[k * CHUNK_LEN..][..CHUNK_LEN]`.
    covers: Vec<RawAabb>,
    upright: BitSet,
    chunks: Vec<RawAabb>,
    tight: TightRuns,
    /// The loose cell of each box while they are filed.
    slots: Vec<u32>,
    /// Where the run of each loose cell starts while they are filed.
    starts: Vec<u32>,
    sample: Sample,
}

/// The tight grid: cell `t` lists `listed[starts[t]..starts[t + 1]]`, ascending. Cells of a row are neighbours, so a
/// row of a range is one run.
#[derive(Clone, Debug, Default)]
struct TightRuns {
    map: GridMap,
    starts: Vec<u32>,
    listed: Vec<LooseIndex>,
}

impl RebuiltGrid {
    /// How many loose cells hold something: so many bits are asked of `seen`.
    pub(crate) fn loose_cell_count(&self) -> usize {
        self.cells.len().saturating_sub(1)
    }

    /// All entities in cell order.
    pub(crate) fn entities(&self) -> impl Iterator<Item = u32> {
        self.filed.iter().map(|filed| filed.entity)
    }

    /// Into how many blocks the pass over all pairs is split.
    pub(crate) fn block_count(&self) -> usize {
        self.filed.len().div_ceil(BLOCK_LEN)
    }

    /// Memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.filed.capacity() * size_of::<Filed>()
            + self.cells.capacity() * size_of::<LooseCell>()
            + self.upright.bytes()
            + (self.covers.capacity() + self.chunks.capacity()) * size_of::<RawAabb>()
            + (self.tight.starts.capacity() + self.tight.listed.capacity()) * size_of::<u32>()
            + (self.slots.capacity() + self.starts.capacity()) * size_of::<u32>()
            + self.sample.bytes()
    }

    /// As much room as `other` has, so that it does not matter which of the two is rebuilt next.
    pub(crate) fn reserve_like(&mut self, other: &Self) {
        reserve_like(&mut self.filed, &other.filed);
        reserve_like(&mut self.cells, &other.cells);
        reserve_like(&mut self.covers, &other.covers);
        self.upright.reserve_like(&other.upright);
        reserve_like(&mut self.chunks, &other.chunks);
        reserve_like(&mut self.tight.starts, &other.tight.starts);
        reserve_like(&mut self.tight.listed, &other.tight.listed);
        reserve_like(&mut self.slots, &other.slots);
        reserve_like(&mut self.starts, &other.starts);
        self.sample.reserve_like(&other.sample);
    }

    /// Gives back memory that the present contents do not need.
    pub(crate) fn shrink_to_fit(&mut self) {
        (self.slots, self.starts, self.sample) = Default::default();
        let mut upright = BitSet::default();
        upright.grow_to(self.loose_cell_count());
        for cell in (0..self.loose_cell_count()).map(narrow).filter(|&cell| self.upright.contains(cell)) {
            upright.insert(cell);
        }
        self.upright = upright;
        self.filed.shrink_to_fit();
        self.cells.shrink_to_fit();
        self.covers.shrink_to_fit();
        self.chunks.shrink_to_fit();
        self.tight.starts.shrink_to_fit();
        self.tight.listed.shrink_to_fit();
    }

    /// R2.
    #[inline(always)]
    fn run(&self, cell: usize) -> std::ops::Range<usize> {
        self.cells[cell].head.at()..self.cells[cell + 1].head.at()
    }
}

impl TightRuns {
    /// What the cells of one row list, from column `x0` to `x1`.
    #[inline(always)]
    fn row(&self, y: u32, x0: u32, x1: u32) -> &[LooseIndex] {
        let first = self.starts[self.map.number(x0, y)] as usize;
        let end = self.starts[self.map.number(x1, y) + 1] as usize;
        &self.listed[first..end]
    }
}

/// Turns counts into where each run starts. `counts[k + 2]` is how many `k` has; after, `starts[k + 1]` is where `k`
/// starts. Whoever then fills advances it past each it places, so that in the end `k` has `starts[k]..starts[k + 1]`.
fn runs_from_counts(counts: &mut [u32]) {
    let mut total = 0;
    for count in counts {
        total += *count;
        *count = total;
    }
}

/// Clears `counts` for `runs_from_counts` over `len` cells.
fn clear_counts(counts: &mut Vec<u32>, len: usize) {
    counts.clear();
    counts.resize(len + 2, 0);
}

/// The place of the next of run `k`, which is advanced.
#[inline(always)]
fn next_place(starts: &mut [u32], k: usize) -> usize {
    let place = &mut starts[k + 1];
    *place += 1;
    *place as usize - 1
}

/// The end of the last run, or of none.
fn end(len: usize) -> LooseCell {
    LooseCell { head: crate::tier::loose_grid::EntityIndex(narrow(len)), ..LooseCell::EMPTY }
}
