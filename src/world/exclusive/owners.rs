//! Which block a row belongs to: the band that files it, or a stretch of the oversized bodies.
//!
//! W1: a row belongs to one block, as it is filed once (R1 in `partition.rs`). Numbers beyond 16 bits are one block, which costs
//! some parallel work and nothing else: what two blocks keep apart, one does too.
//!
//! Cost: a pass over the rows of all bodies, in parallel.

use crate::parallel;
use crate::world::index::Index;
use std::sync::atomic::{AtomicU16, Ordering::Relaxed};

/// Oversized bodies in a block: they have many partners each, and small blocks meet few bands.
const OVERSIZED_MIN: usize = 8;

/// Blocks of oversized bodies, at most.
const OVERSIZED_BLOCKS_MAX: usize = 64;

/// Block by row; good for rows of the step that was filled in last.
#[derive(Debug, Default)]
pub(super) struct Owners {
    blocks: Vec<AtomicU16>,
    count: usize,
}

impl Owners {
    /// Notes the block of each row of a step.
    pub(super) fn fill(&mut self, index: &Index, parallel: bool) {
        let rows = index.row_count;
        if self.blocks.len() < rows {
            self.blocks.resize_with(rows + rows / 8, AtomicU16::default);
        }
        let blocks = &self.blocks[..rows];
        // Relaxed: rows are written by one task each (W1), and read when the tasks were joined.
        let bands = &index.grid.slots;
        parallel::for_each(parallel, bands, |band, slot| {
            let band = number(band);
            for rows in index.grid.rows_of(slot) {
                rows.iter().for_each(|&row| blocks[row as usize].store(band, Relaxed));
            }
        });
        let oversized = index.oversized_rows.len();
        let per_block = oversized.div_ceil(OVERSIZED_BLOCKS_MAX).max(OVERSIZED_MIN);
        for (at, entity) in index.loose.entities().enumerate() {
            let row = index.oversized_rows[entity as usize];
            blocks[row as usize].store(number(bands.len() + at / per_block), Relaxed);
        }
        self.count = bands.len() + oversized.div_ceil(per_block);
    }

    /// The block of a row.
    #[inline(always)]
    pub(super) fn of(&self, row: u32) -> u16 {
        self.blocks[row as usize].load(Relaxed)
    }

    /// How many blocks there are.
    pub(super) fn count(&self) -> usize {
        self.count.min(usize::from(u16::MAX) + 1)
    }

    pub(super) fn bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<AtomicU16>()
    }
}

/// W1
fn number(block: usize) -> u16 {
    u16::try_from(block).unwrap_or(u16::MAX)
}
