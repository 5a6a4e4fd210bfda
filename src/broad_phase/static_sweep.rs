//! Long thin statics against a band.
//!
//! The cells that a long static touches contain all bodies next to it along its whole length. But
//! if the statics are sorted across their length, those that a body may touch are a short run.

use crate::broad_phase::context::StepContext;
use crate::broad_phase::scratch_pool::SearchScratch;
use crate::broad_phase::static_gather::gather_statics;
use crate::memory::columns::SOA_PAD;
use crate::memory::page::PairSink;
use crate::memory::record::BodyRecord;
use crate::tier::point_grid::band::built_band::BuiltBand;
use std::hint::select_unpredictable;

/// Statics in the sample for the decision.
const DECISION_SAMPLE: usize = 16;

/// Measured costs in nanoseconds: a static's search of the cells, a run of cells in it, a vector of
/// box tests, a body's search of the sorted statics.
const SEARCH_NS: f64 = 30.0;
const RUN_NS: f64 = 5.0;
const VECTOR_NS: f64 = 2.5;
const LOOK_UP_NS: f64 = 10.0;
/// Box tests in a vector.
const LANES: f64 = 8.0;

/// Bodies whose searches are interleaved.
const INTERLEAVED: usize = 8;

const _: () = assert!(INTERLEAVED <= SOA_PAD);

/// The axis along which to sort the statics, if a sweep is estimated to be faster than a search of
/// the cells for each static.
pub(super) fn axis_if_faster(band: &BuiltBand<'_>, found: &[BodyRecord]) -> Option<usize> {
    let (lookup, band_data) = (band.lookup(), band.band());
    let population = band_data.population() as f64;
    let counts = [band_data.columns() as f64, band_data.rows() as f64];
    let step = found.len().div_ceil(DECISION_SAMPLE).max(1);
    let (mut sampled, mut search, mut sides) = (0.0, 0.0, [0.0; 2]);
    for found in found.iter().step_by(step) {
        let aabb = band.axes().box_to_band(found.aabb);
        let rect = lookup.rect(&aabb);
        let (across, down) = (rect.x.len() as f64, rect.y.len() as f64);
        let candidates = across * down / (counts[0] * counts[1]) * population;
        search += SEARCH_NS + down * RUN_NS + candidates / LANES * VECTOR_NS;
        sampled += 1.0;
        let [min_x, min_y, max_x, max_y] = aabb.edges().map(f64::from);
        sides[0] += max_x - min_x;
        sides[1] += max_y - min_y;
    }
    let search = search / sampled * found.len() as f64;
    let bounds = band_data.bounds().edges().map(f64::from);
    let sweep = |axis: usize| {
        let spread = bounds[axis + 2] - bounds[axis];
        // Bodies are assumed to be half a cell wide.
        let in_run = found.len() as f64 * (sides[axis] / sampled / spread + 0.5 / counts[axis]).min(1.0);
        population * (LOOK_UP_NS + in_run / LANES * VECTOR_NS)
    };
    let axis = if sweep(0) < sweep(1) { 0 } else { 1 };
    (sweep(axis) < search).then_some(axis)
}

/// Tests each body against the run of statics next to it on `axis`. `None` once the pair limit is
/// exceeded.
pub(super) fn sweep(
    step: StepContext<'_>,
    band: &BuiltBand<'_>,
    axis: usize,
    SearchScratch { statics: found, columns, reach, .. }: &mut SearchScratch,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    let axes = band.axes();
    let low = |found: &BodyRecord| axes.box_to_band(found.aabb).edges()[axis];
    found.sort_unstable_by(|a, b| low(a).total_cmp(&low(b)).then(a.row.cmp(&b.row)));
    let bodies = band.cells().columns();
    let statics = gather_statics(step.statics, found, axes, bodies.filters().is_some(), columns);
    let (lows, highs) = ([statics.min_x(), statics.min_y()][axis], [statics.max_x(), statics.max_y()][axis]);
    // The largest upper edge so far ascends, so it can be searched.
    reach.clear();
    reach.extend(highs[..statics.len()].iter().scan(f32::NEG_INFINITY, |most, &high| {
        *most = if high > *most { high } else { *most };
        Some(*most)
    }));
    let (body_lows, body_highs) = ([bodies.min_x(), bodies.min_y()][axis], [bodies.max_x(), bodies.max_y()][axis]);
    for first in (0..bodies.len()).step_by(INTERLEAVED) {
        // Columns are padded, so this many can be read; results for the padding are not used.
        let mut limits = [0.0; INTERLEAVED];
        limits.copy_from_slice(&body_highs[first..first + INTERLEAVED]);
        let ends = partition_points(&lows[..statics.len()], limits);
        for (at, end) in (first..bodies.len()).zip(ends) {
            // The run is short: steps of one vector are faster than another search.
            let mut start = end;
            while start > 0 && reach[start - 1] >= body_lows[at] {
                start = start.saturating_sub(LANES as usize);
            }
            if start < end {
                step.level.scan_all(bodies, at..at + 1, &statics, start..end, sink)?;
            }
        }
    }
    Some(())
}

/// How many of some ascending numbers, at least one, are at most each limit.
///
/// All searches advance together, step by step, so that none waits for the memory of another.
fn partition_points(ascending: &[f32], limits: [f32; INTERLEAVED]) -> [usize; INTERLEAVED] {
    let mut bases = [0; INTERLEAVED];
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
    fn interleaved_searches_equal_single_ones() {
        for len in 1..70 {
            let ascending: Vec<f32> = (0..len).map(|k| (k / 3) as f32).collect();
            for low in -1..25 {
                let limits = std::array::from_fn(|k| low as f32 + k as f32 * 0.5);
                let truth = limits.map(|limit| ascending.partition_point(|&v| v <= limit));
                assert_eq!(partition_points(&ascending, limits), truth, "{len} numbers, {limits:?}");
            }
        }
        let infinite = [f32::NEG_INFINITY, -0.0, 0.0, f32::INFINITY];
        assert_eq!(partition_points(&infinite, [0.0; INTERLEAVED]), [3; INTERLEAVED]);
        assert_eq!(partition_points(&infinite, [f32::INFINITY; INTERLEAVED]), [4; INTERLEAVED]);
    }
}
