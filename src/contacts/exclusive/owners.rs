//! Which block a row belongs to: the band that files it, one of sleepers maybe, or a stretch of the oversized bodies.
//!
//! W1: a row belongs to one block, as it is filed once (PARTITION-1). Numbers beyond 16 bits are one block, which costs
//! some parallel work and nothing else: what two blocks keep apart, one does too.
//!
//! W2: only rows that are asked for are noted. Few are, as a rule: a bit a row tells which, and stays in the cache where the
//! table of blocks does not, nor is it written to by several threads in turn.
//!
//! Cost: a pass over the rows of all bodies, in parallel; half a nanosecond each where few are asked for, else three.

use crate::frame::frame::Index;
use crate::memory::bit_set::BitSet;
use crate::parallel;
use std::sync::atomic::AtomicU16;
use std::sync::atomic::Ordering::Relaxed;

/// Oversized bodies in a block, at least: they have many partners each, and small blocks meet few bands.
const OVERSIZED_MIN: usize = 8;

/// Blocks of oversized bodies, at most.
const OVERSIZED_BLOCKS_MAX: usize = 64;

/// One row in so many, or more, makes it cheaper to note all (W2).
const MANY: usize = 16;

/// Block by row; good for rows that were asked for.
#[derive(Debug, Default)]
pub(crate) struct Owners {
    blocks: Vec<AtomicU16>,
    /// W2
    asked: BitSet,
}

impl Owners {
    /// Notes the block of each row of so many pairs of a step, the rows one after the other.
    pub(crate) fn fill(&mut self, index: &Index, parallel: bool, pairs: usize, asked: impl Iterator<Item = u32>) {
        let rows = index.row_count;
        if self.blocks.len() < rows {
            self.blocks.resize_with(rows + rows / 8, AtomicU16::default);
        }
        let blocks = &self.blocks[..rows];
        if pairs > rows / MANY {
            fill_bands(blocks, index, parallel, |_| true);
        } else {
            self.asked.clear();
            self.asked.grow_to(rows);
            asked.for_each(|row| _ = self.asked.insert(row));
            fill_bands(blocks, index, parallel, |row| self.asked.contains(row));
        }
        let bands = index.bands.band_count() + index.cached.bands().map_or(0, |cached| cached.band_count());
        let oversized = index.oversized.rows().len();
        let per_block = oversized.div_ceil(OVERSIZED_BLOCKS_MAX).max(OVERSIZED_MIN);
        for (at, row) in index.oversized.rows_in_cell_order().enumerate() {
            blocks[row as usize].store(number(bands + at / per_block), Relaxed);
        }
    }

    /// The block of a row.
    #[inline(always)]
    pub(crate) fn of(&self, row: u32) -> u16 {
        self.blocks[row as usize].load(Relaxed)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<AtomicU16>() + self.asked.bytes()
    }
}

/// Notes the bands of the rows that are `wanted`. Relaxed: a row is written by one task (W1), and read when the tasks were
/// joined.
fn fill_bands(blocks: &[AtomicU16], index: &Index, parallel: bool, wanted: impl Fn(u32) -> bool + Send + Sync) {
    parallel::for_each(parallel, index.bands.slots(), |band, slot| {
        let band = number(band);
        for &row in index.bands.rows_of(slot).flatten() {
            if wanted(row) {
                blocks[row as usize].store(band, Relaxed);
            }
        }
    });
    let Some(sleepers) = index.cached.bands() else { return };
    parallel::for_each(parallel, sleepers.slots(), |band, slot| {
        let band = number(index.bands.band_count() + band);
        for &row in sleepers.rows_of(slot).flatten() {
            // A hole is filed elsewhere, or is no row of this step.
            if index.cached.is_cached(row) && wanted(row) {
                blocks[row as usize].store(band, Relaxed);
            }
        }
    });
}

/// W1
fn number(block: usize) -> u16 {
    u16::try_from(block).unwrap_or(u16::MAX)
}
