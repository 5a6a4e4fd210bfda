//! Long thin statics against a band: a cell that is as wide as a beam is long holds all bodies beside it, but sorted across,
//! the beams that a body can meet are a short run.

use crate::broad_phase::band_pass::Shared;
use crate::broad_phase::static_pass::gather;
use crate::broad_phase::workers::SearchScratch;
use crate::geometry::oriented;
use crate::memory::columns::SOA_PAD;
use crate::memory::page::PairSink;
use crate::simd::CellView;
use crate::tier::point_grid::bands::BandSlot;
use std::hint::select_unpredictable;

/// Statics that are looked at to decide.
const SAMPLE: usize = 16;

/// Estimated nanoseconds: a static's search of the cells, a run of it, a vector of tests, a body's look-up.
const SEARCH_NS: f64 = 30.0;
const RUN_NS: f64 = 5.0;
const ROUND_NS: f64 = 2.5;
const LOOK_UP_NS: f64 = 10.0;
const LANES: f64 = 8.0;

/// Bodies that are looked up together.
const TOGETHER: usize = 8;

const _: () = assert!(TOGETHER <= SOA_PAD);

/// The axis to sort along, if that promises to be cheaper than a search of the cells for each static.
pub(crate) fn worthwhile(shared: &Shared<'_>, slot: &BandSlot, words: &[u32], found: &[u32]) -> Option<usize> {
    let band = &slot.band;
    let cells = (band.columns() * band.rows()) as f64;
    let step = found.len().div_ceil(SAMPLE).max(1);
    let (mut looked_at, mut search, mut sides) = (0.0, 0.0, [0.0; 2]);
    for &row in found.iter().step_by(step) {
        let aabb = oriented(shared.statics.raw_boxes()[row as usize], slot.transposed);
        let rect = band.rect(words, &aabb);
        let (across, down) = (rect.x.len() as f64, rect.y.len() as f64);
        let candidates = across * down / cells * band.population as f64;
        search += SEARCH_NS + down * RUN_NS + candidates / LANES * ROUND_NS;
        looked_at += 1.0;
        sides[0] += f64::from(aabb[2]) - f64::from(aabb[0]);
        sides[1] += f64::from(aabb[3]) - f64::from(aabb[1]);
    }
    let search = search / looked_at * found.len() as f64;
    let sweep = |axis: usize| {
        let count = [band.columns(), band.rows()][axis] as f64;
        let spread = f64::from(band.bounds[axis + 2]) - f64::from(band.bounds[axis]);
        // A body is taken to be half a cell wide.
        let beside = found.len() as f64 * (sides[axis] / looked_at / spread + 0.5 / count).min(1.0);
        band.population as f64 * (LOOK_UP_NS + beside / LANES * ROUND_NS)
    };
    let axis = if sweep(0) < sweep(1) { 0 } else { 1 };
    (sweep(axis) < search).then_some(axis)
}

/// Each body against the statics beside it on `axis`.
pub(crate) fn sweep(
    shared: &Shared<'_>,
    slot: &BandSlot,
    axis: usize,
    cells: &CellView<'_>,
    scratch: &mut SearchScratch,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    let boxes = shared.statics.raw_boxes();
    let low = |row: u32| oriented(boxes[row as usize], slot.transposed)[axis];
    scratch.found.sort_unstable_by(|&a, &b| low(a).total_cmp(&low(b)).then(a.cmp(&b)));
    let filtered = cells.columns().filters().is_some();
    let statics = gather(shared, slot, filtered, &scratch.found, &mut scratch.columns);
    let (lows, highs) = ([statics.min_x(), statics.min_y()][axis], [statics.max_x(), statics.max_y()][axis]);
    // The farthest that a static up to here reaches: ascending, so it can be searched.
    scratch.reach.clear();
    scratch.reach.extend(highs[..statics.len()].iter().scan(f32::NEG_INFINITY, |most, &high| {
        *most = if high > *most { high } else { *most };
        Some(*most)
    }));
    let bodies = cells.columns();
    let (body_lows, body_highs) = ([bodies.min_x(), bodies.min_y()][axis], [bodies.max_x(), bodies.max_y()][axis]);
    for first in (0..bodies.len()).step_by(TOGETHER) {
        // Columns are padded, so there are as many; what pads them is looked up for nothing.
        let mut limits = [0.0; TOGETHER];
        limits.copy_from_slice(&body_highs[first..first + TOGETHER]);
        let ends = not_above(&lows[..statics.len()], limits);
        for (at, end) in (first..bodies.len()).zip(ends) {
            // Few are beside a body: a vector's width at a time is quicker than another search.
            let mut start = end;
            while start > 0 && scratch.reach[start - 1] >= body_lows[at] {
                start = start.saturating_sub(LANES as usize);
            }
            if start < end {
                shared.level.scan_all(bodies, at..at + 1, &statics, start..end, sink)?;
            }
        }
    }
    Some(())
}

/// How many of the ascending numbers, of which there is one at least, are not above each limit. Searches that take as many
/// steps, in turn: none waits for another's memory.
fn not_above(ascending: &[f32], limits: [f32; TOGETHER]) -> [usize; TOGETHER] {
    let mut bases = [0; TOGETHER];
    let mut size = ascending.len();
    while size > 1 {
        let half = size / 2;
        for (base, limit) in bases.iter_mut().zip(limits) {
            *base = select_unpredictable(ascending[*base + half] <= limit, *base + half, *base);
        }
        size -= half;
    }
    for (base, limit) in bases.iter_mut().zip(limits) {
        *base += usize::from(ascending[*base] <= limit);
    }
    bases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_together_find_what_one_finds() {
        for len in 1..70 {
            let ascending: Vec<f32> = (0..len).map(|k| (k / 3) as f32).collect();
            for low in -1..25 {
                let limits = std::array::from_fn(|k| low as f32 + k as f32 * 0.5);
                let truth = limits.map(|limit| ascending.partition_point(|&v| v <= limit));
                assert_eq!(not_above(&ascending, limits), truth, "{len} numbers, {limits:?}");
            }
        }
        let infinite = [f32::NEG_INFINITY, -0.0, 0.0, f32::INFINITY];
        assert_eq!(not_above(&infinite, [0.0; TOGETHER]), [3; TOGETHER]);
        assert_eq!(not_above(&infinite, [f32::INFINITY; TOGETHER]), [4; TOGETHER]);
    }
}
