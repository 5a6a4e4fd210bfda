//! Eight boxes at a time in plain Rust: loops of fixed length that compilers turn into vectors, and a branchless
//! compression.

#![allow(unsafe_code)]

use super::Probe;
use super::lanes::{Lanes, PairOrder, RawColumns};
use super::scan::instantiate;

const WIDTH: usize = 8;

pub(super) struct Portable;

impl Lanes for Portable {
    const WIDTH: usize = WIDTH;
    type Spread = Probe;

    #[inline(always)]
    unsafe fn spread(probe: Probe) -> Probe {
        probe
    }

    #[inline(always)]
    unsafe fn round<O: PairOrder>(
        Probe { aabb: [min_x, min_y, max_x, max_y], row }: Probe,
        columns: RawColumns,
        left: usize,
        out: *mut [u32; 2],
    ) -> usize {
        // SAFETY: by the contract WIDTH entries can be read at `at`; arrays have the alignment of their elements.
        let (b_min_x, b_min_y, b_max_x, b_max_y, rows) = unsafe {
            (
                columns.min_x().cast::<[f32; WIDTH]>().read(),
                columns.min_y().cast::<[f32; WIDTH]>().read(),
                columns.max_x().cast::<[f32; WIDTH]>().read(),
                columns.max_y().cast::<[f32; WIDTH]>().read(),
                columns.rows().cast::<[u32; WIDTH]>().read(),
            )
        };
        let mut hit = [0u32; WIDTH];
        for k in 0..WIDTH {
            let x = (min_x <= b_max_x[k]) & (max_x >= b_min_x[k]);
            let y = (min_y <= b_max_y[k]) & (max_y >= b_min_y[k]);
            hit[k] = u32::from(x & y & (k < left));
        }
        let mut count = 0;
        for k in 0..WIDTH {
            let pair = match (O::ASCENDING, O::PROBE_FIRST) {
                (true, _) => [row.min(rows[k]), row.max(rows[k])],
                (_, true) => [row, rows[k]],
                _ => [rows[k], row],
            };
            // SAFETY: `count <= k`, and WIDTH slots can be written by the contract.
            unsafe { out.add(count).write(pair) };
            count += hit[k] as usize;
        }
        count
    }
}

instantiate!(Portable);
