//! The region of each row: the band that files it, or a run of oversized bodies.
//!
//! - REGION-1: each row belongs to one region, because it is filed once. Regions beyond 16 bits
//!   share the last number: their pairs run in sequence, with the same results.
//!
//! Cost: a pass over the rows of all bodies, in parallel; three nanoseconds each.

use crate::frame::frame::Frame;
use crate::memory::body_record::BodyRecord;
use crate::memory::buffers::{buffers, plain_buffers};
use crate::parallel;
use std::sync::atomic::AtomicU16;
use std::sync::atomic::Ordering::Relaxed;

/// Smallest number of oversized bodies in a region: they have many partners each, and a small
/// region has partners in few bands.
const OVERSIZED_MIN: usize = 8;

/// Largest number of regions of oversized bodies.
const OVERSIZED_REGIONS_MAX: usize = 64;

/// The region of each row of a step.
#[derive(Debug, Default)]
pub(super) struct RowRegions {
    /// Written by several threads, each row by one of them (REGION-1), and read after they have
    /// been joined; so relaxed operations suffice.
    by_row: Vec<AtomicU16>,
}

impl RowRegions {
    /// Finds the region of each row that `frame` has filed.
    pub(super) fn fill(&mut self, frame: &Frame, parallel: bool) {
        let rows = frame.row_count;
        if self.by_row.len() < rows {
            self.by_row.resize_with(rows + rows / 8, AtomicU16::default);
        }
        let by_row = &self.by_row[..rows];
        let mut band_count = 0;
        for part in frame.point_parts() {
            parallel::for_each(parallel, part.bands.slots(), |band, slot| {
                let region = region_number(band_count + band);
                let rows = part.bands.rows_of(slot).flatten().filter(|row| part.has(**row));
                rows.for_each(|&row| by_row[row as usize].store(region, Relaxed));
            });
            band_count += part.bands.band_count();
        }
        let oversized = frame.oversized.records().len();
        let per_region = oversized.div_ceil(OVERSIZED_REGIONS_MAX).max(OVERSIZED_MIN);
        for (place, &BodyRecord { row, .. }) in frame.oversized.records_in_cell_order().iter().enumerate() {
            by_row[row as usize].store(region_number(band_count + place / per_region), Relaxed);
        }
    }

    /// The region of a row.
    #[inline(always)]
    pub(super) fn of(&self, row: u32) -> u16 {
        self.by_row[row as usize].load(Relaxed)
    }
}

plain_buffers!(AtomicU16);

// Used only while a schedule is built.
buffers!(RowRegions { leveled: ; own: ; scratch: by_row; plain: ; });

/// The number of a region (REGION-1).
fn region_number(k: usize) -> u16 {
    u16::try_from(k).unwrap_or(u16::MAX)
}
