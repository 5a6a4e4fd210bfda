//! Four boxes at a time in plain Rust: comparisons that compilers turn into vectors, and a compression without branches.

#![allow(unsafe_code)]

use crate::input::filter::Filter;
use crate::simd::Probe;
use crate::simd::circle_test::{DiscLanes, Floats, Rule, discs_of, measured};
use crate::simd::scan::instantiate;
use crate::simd::vector::{Filters, Lanes, PairOrderTag, RawColumns};

/// A vector of the baseline of x86-64 and of 64-bit ARM; eight lanes are slower on the former.
const WIDTH: usize = 4;

pub(crate) struct Portable;

impl Lanes for Portable {
    const WIDTH: usize = WIDTH;
    type Spread = (Probe, DiscLanes<[f32; WIDTH]>);

    #[inline(always)]
    unsafe fn spread<R: Rule>(probe: Probe) -> Self::Spread {
        // SAFETY: plain Rust, as all of these.
        (probe, unsafe { discs_of(probe.aabb.map(|edge| [edge; WIDTH])) })
    }

    #[inline(always)]
    unsafe fn round<O: PairOrderTag, F: Filters, R: Rule>(
        (probe, disc): Self::Spread,
        columns: RawColumns<F>,
        left: usize,
        out: *mut [u32; 2],
    ) -> usize {
        // SAFETY: by the contract WIDTH entries can be read; arrays have the alignment of their elements.
        let (min_x, min_y, max_x, max_y, rows) = unsafe {
            (
                columns.min_x().cast::<[f32; WIDTH]>().read(),
                columns.min_y().cast::<[f32; WIDTH]>().read(),
                columns.max_x().cast::<[f32; WIDTH]>().read(),
                columns.max_y().cast::<[f32; WIDTH]>().read(),
                columns.rows().cast::<[u32; WIDTH]>().read(),
            )
        };
        let (layers, masks) = if F::ON {
            // SAFETY: as above; there are filters, as many as entries.
            unsafe { (columns.layers().cast::<[u32; WIDTH]>().read(), columns.masks().cast::<[u32; WIDTH]>().read()) }
        } else {
            ([u32::MAX; WIDTH], [u32::MAX; WIDTH])
        };
        let [distance, reach] = if R::ON {
            let edges = probe.aabb.map(|edge| [edge; WIDTH]);
            // SAFETY: as above.
            unsafe { measured::<R, _>(edges, disc, [min_x, min_y, max_x, max_y]) }
        } else {
            [[0.0; WIDTH]; 2]
        };
        let [probe_min_x, probe_min_y, probe_max_x, probe_max_y] = probe.aabb;
        // A byte a lane, whose highest bit says that it hit. Of the bits of a byte the lowest will not do: lane 0 would
        // be without a shift, not like the others, and compilers that find vectors in such a chain would find three
        // lanes of four.
        let mut hits = 0u32;
        for k in 0..WIDTH {
            let x = (probe_min_x <= max_x[k]) & (probe_max_x >= min_x[k]);
            let y = (probe_min_y <= max_y[k]) & (probe_max_y >= min_y[k]);
            let allowed = !F::ON || probe.filter.interacts_with(Filter::new(layers[k], masks[k]));
            let apart = R::ON & (distance[k] > reach[k]);
            hits |= u32::from(x & y & allowed & !apart) << (8 * k + 7);
        }
        let within = (1u64 << (8 * left.min(WIDTH))) - 1;
        // Byte k: the hits of the lanes up to k; the products of each lane's one are added without a carry.
        let counts = ((hits & within as u32) >> 7).wrapping_mul(0x0101_0101).to_le_bytes();
        // Every lane is written where it would go if it hit; the next one overwrites it if it did not.
        let mut count = 0;
        for k in 0..WIDTH {
            // SAFETY: `count` hits among `k` lanes, so it is at most `k`, and WIDTH slots can be written by the contract.
            unsafe { out.add(count).write(pair::<O>(probe.row, rows[k])) };
            count = usize::from(counts[k]);
        }
        count
    }
}

/// Lane by lane.
impl Floats for [f32; WIDTH] {
    #[inline(always)]
    unsafe fn all(value: f32) -> Self {
        [value; WIDTH]
    }

    #[inline(always)]
    unsafe fn plus(self, other: Self) -> Self {
        std::array::from_fn(|k| self[k] + other[k])
    }

    #[inline(always)]
    unsafe fn minus(self, other: Self) -> Self {
        std::array::from_fn(|k| self[k] - other[k])
    }

    #[inline(always)]
    unsafe fn times(self, other: Self) -> Self {
        std::array::from_fn(|k| self[k] * other[k])
    }

    #[inline(always)]
    unsafe fn larger(self, other: Self) -> Self {
        std::array::from_fn(|k| if self[k] > other[k] { self[k] } else { other[k] })
    }
}

/// Both numbers as one of 64 bits, lower half first, so that one comparison puts them into order and one store writes
/// them.
#[inline(always)]
fn pair<O: PairOrderTag>(row: u32, other: u32) -> [u32; 2] {
    let row_first = u64::from(row) | u64::from(other) << 32;
    let other_first = u64::from(other) | u64::from(row) << 32;
    let pair = match (O::ASCENDING, O::PROBE_FIRST) {
        (true, _) => row_first.max(other_first),
        (_, true) => row_first,
        _ => other_first,
    };
    [pair as u32, (pair >> 32) as u32]
}

instantiate!(Portable);
