//! Long thin statics against a band: a cell that is as wide as a beam is long holds all bodies beside it, but sorted across,
//! the beams that a body can meet are a short run.

use super::static_pass::gather;
use super::task::Shared;
use super::worker::SearchScratch;
use crate::geometry::oriented;
use crate::kernel::CellView;
use crate::storage::pages::PairSink;
use crate::tier::point_grid::index::BandSlot;

/// Statics that are looked at to decide.
const SAMPLE: usize = 16;

/// Estimated nanoseconds: a static's search of the cells, a run of it, a vector of tests, a body's look-up.
const SEARCH_NS: f64 = 30.0;
const RUN_NS: f64 = 5.0;
const ROUND_NS: f64 = 2.5;
const LOOK_UP_NS: f64 = 20.0;
const LANES: f64 = 8.0;

/// The axis to sort along, if that promises to be cheaper than a search of the cells for each static.
pub(super) fn worthwhile(shared: &Shared<'_>, slot: &BandSlot, words: &[u32], found: &[u32]) -> Option<usize> {
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
pub(super) fn sweep(
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
    let statics = gather(shared, slot, &scratch.found, &mut scratch.columns);
    let (lows, highs) = ([statics.min_x, statics.min_y][axis], [statics.max_x, statics.max_y][axis]);
    // The farthest that a static up to here reaches: ascending, so it can be searched.
    scratch.reach.clear();
    scratch.reach.extend(highs[..statics.len()].iter().scan(f32::NEG_INFINITY, |most, &high| {
        *most = if high > *most { high } else { *most };
        Some(*most)
    }));
    let bodies = cells.columns();
    let (body_lows, body_highs) = ([bodies.min_x, bodies.min_y][axis], [bodies.max_x, bodies.max_y][axis]);
    for at in 0..bodies.len() {
        let end = lows[..statics.len()].partition_point(|&low| low <= body_highs[at]);
        // Few are beside a body: a vector's width at a time is quicker than another search.
        let mut start = end;
        while start > 0 && scratch.reach[start - 1] >= body_lows[at] {
            start = start.saturating_sub(LANES as usize);
        }
        if start < end {
            shared.level.scan_all(bodies, at..at + 1, &statics, start..end, sink)?;
        }
    }
    Some(())
}
