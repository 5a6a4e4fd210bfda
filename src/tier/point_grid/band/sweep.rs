//! Long thin boxes against the bodies of a band.
//!
//! The cells that a long box touches contain all bodies beside it along its whole length, and each
//! row of cells is a run of its own. But if such boxes are sorted across their length, those that a
//! body may touch are a short run.

use crate::geometry::band_box::BandBox;
use crate::geometry::{RawAabb, side};
use crate::input::filter::Filter;
use crate::memory::body_record::BodyRecord;
use crate::memory::columns::SoaColumns;
use crate::memory::pair_sink::PairSink;
use crate::simd::{DetectedSimd, PairOrder};
use crate::tier::point_grid::band::cell_searches::{CellSearches, LANES, VECTOR_NS};
use crate::tier::point_grid::band::scratch::PairScratch;
use crate::tier::sweep::axis_sample::{AxisSample, some_of};
use crate::tier::sweep::sorted_columns::BoxTraits;
use smallvec::SmallVec;

// Measured costs, in nanoseconds.

/// A body's search of the sorted boxes.
const LOOK_UP_NS: f64 = 10.0;
/// Sorting a box.
const SORT_NS: f64 = 50.0;

/// Bodies that look up boxes in the sample.
const BODIES_SAMPLED: usize = 16;

/// Boxes in the sample of lengths.
const SWEPT_SAMPLE: usize = 512;

/// Lengths up to which boxes are swept along an axis, as shares of the extent of the band. Each is
/// tried, and so is sweeping all boxes.
const SWEPT_SHARES: [f64; 2] = [1.0 / 16.0, 1.0 / 256.0];

/// A sweep of some boxes.
#[derive(Clone, Copy, Debug)]
pub(super) struct SweepPlan {
    pub(super) axis: usize,
    /// About how long it takes, with the boxes that are not swept along the axis, in nanoseconds.
    pub(super) ns: f64,
    /// Boxes longer than this on the axis are not swept along it. A body is tested with all boxes
    /// since the first one that reaches it, so a single box as long as the band would have each
    /// body tested with nearly all boxes.
    longest: f64,
}

impl SweepPlan {
    /// How to sweep some boxes, if that is estimated to be faster than if all search the cells.
    pub(super) fn cheapest(
        searches: &CellSearches,
        bounds: &BandBox,
        bodies: &SoaColumns<'_>,
        boxes: &[BodyRecord],
    ) -> Option<Self> {
        let population = bodies.len() as f64;
        let (by_search, all) = (searches.ns(), boxes.len() as f64);
        // Not even if no body were tested with a box.
        if swept_ns_min(population, all) >= by_search {
            return None;
        }
        let mut best = (by_search, None);
        for axis in [0, 1] {
            let sample = AxisSample::new(axis, boxes);
            let spread = sample.spread();
            let [long, short] = SWEPT_SHARES.map(|share| share * side(bounds.edges(), axis));
            let limits = [long, short, f64::INFINITY];
            for (longest, swept) in limits.into_iter().zip(Swept::up_to(limits, axis, boxes)) {
                if swept.share == 0.0 {
                    continue;
                }
                // The longer ones, which the sample may lack, search the cells or are swept too.
                let rest = 1.0 - swept.share;
                let mut longer = searches.ns_of_longer(axis, longest).max(rest * by_search);
                if longer > swept_ns_min(population, rest * all) {
                    longer = longer.min(ns_of_longer_swept((axis, longest), bodies, boxes));
                }
                let cost = swept.ns((&sample, spread), longest, all, bodies) + longer;
                if cost < best.0 {
                    // One that is far longer than all of the sample would have most bodies tested
                    // with most boxes.
                    best = (cost, Some(Self { axis, ns: cost, longest: longest.min(2.0 * swept.most) }));
                }
                if swept.share == 1.0 {
                    break;
                }
            }
        }
        best.1
    }

    /// Moves the boxes that are not swept to `others`.
    pub(super) fn divide(&self, boxes: &mut Vec<BodyRecord>, others: &mut Vec<BodyRecord>) {
        others.clear();
        others.extend(boxes.extract_if(.., |record| !self.sweeps(&record.aabb)));
    }

    /// Whether it sweeps a box.
    pub(super) fn sweeps(&self, aabb: &RawAabb) -> bool {
        side(aabb, self.axis) <= self.longest
    }
}

/// The boxes that a sweep along an axis would contain, estimated from a sample.
#[derive(Clone, Copy)]
struct Swept {
    /// Which part of all boxes they are.
    share: f64,
    /// The longest side in the sample.
    most: f64,
    /// The mean square of their sides.
    mean_square: f64,
}

impl Swept {
    /// About how long a sweep of those of `all` boxes takes that are up to `longest` on the axis of
    /// their sample, in nanoseconds. `spread` is that of the sample.
    fn ns(&self, (sample, spread): (&AxisSample, f64), longest: f64, all: f64, bodies: &SoaColumns<'_>) -> f64 {
        let count = self.share * all;
        // The boxes that are tested with a body begin up to this far before it: all since the first
        // that reaches it. A box reaches a part of the bodies that grows with its side.
        let before = self.most.min(self.mean_square * count / spread);
        let sampled = (0..bodies.len()).step_by(bodies.len().div_ceil(BODIES_SAMPLED)).map(|at| bodies.aabb(at));
        let tests = all * sample.tested(sampled, longest, before) / LANES;
        swept_ns_min(bodies.len() as f64, count) + bodies.len() as f64 * tests * VECTOR_NS
    }

    /// Those among some boxes that are at most as long as each of some limits.
    fn up_to<const N: usize>(limits: [f64; N], axis: usize, boxes: &[BodyRecord]) -> [Self; N] {
        let mut all = [(0.0, 0.0f64, 0.0); N];
        let mut sampled = 0.0;
        for record in some_of(boxes, SWEPT_SAMPLE) {
            let side = side(&record.aabb, axis);
            sampled += 1.0;
            // Without branches, of which a mixture of sizes would have half mispredicted.
            for ((count, most, squares), longest) in all.iter_mut().zip(limits) {
                let is_swept = side <= longest;
                let side = if is_swept { side } else { 0.0 };
                *count += f64::from(u8::from(is_swept));
                *most = if side > *most { side } else { *most };
                *squares += side * side;
            }
        }
        all.map(|(count, most, squares)| Self {
            share: count / sampled,
            most,
            mean_square: squares / f64::max(count, 1.0),
        })
    }
}

/// How long a sweep of some boxes takes at least, in nanoseconds.
fn swept_ns_min(bodies: f64, boxes: f64) -> f64 {
    bodies * LOOK_UP_NS + boxes * SORT_NS
}

/// About how long it takes to sweep the boxes that are longer than `longest` on an axis along the
/// other one, in nanoseconds: wide boxes among tall ones. Infinite if there are none in a sample.
fn ns_of_longer_swept((axis, longest): (usize, f64), bodies: &SoaColumns<'_>, boxes: &[BodyRecord]) -> f64 {
    let sampled = some_of(boxes, SWEPT_SAMPLE);
    let count = sampled.len() as f64;
    let longer: SmallVec<[_; SWEPT_SAMPLE]> = sampled.filter(|of| side(&of.aabb, axis) > longest).copied().collect();
    if longer.is_empty() {
        return f64::INFINITY;
    }
    let (across, all) = (1 - axis, longer.len() as f64 / count * boxes.len() as f64);
    let [swept] = Swept::up_to([f64::INFINITY], across, &longer);
    let sample = AxisSample::new(across, &longer);
    swept.ns((&sample, sample.spread()), f64::INFINITY, all, bodies)
}

/// Tests each body of a band against those gathered boxes that are beside it on `axis`.
/// `None` once the pair limit is exceeded.
///
/// Boxes have filters if the bodies of the band have some.
pub(super) fn sweep(
    level: DetectedSimd,
    bodies: &SoaColumns<'_>,
    (axis, order): (usize, PairOrder),
    traits: BoxTraits<impl Fn(u32) -> Filter>,
    PairScratch { gathered: boxes, sorted, reach, sort, .. }: &mut PairScratch,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    sorted.sort(boxes, axis, traits, sort);
    let columns = sorted.columns();
    // The largest upper edge so far ascends, so it can be searched.
    reach.clear();
    let highs = &[columns.max_x(), columns.max_y()][axis][..columns.len()];
    reach.extend(highs.iter().scan(f32::NEG_INFINITY, |most, &high| {
        *most = if high > *most { high } else { *most };
        Some(*most)
    }));
    level.scan_beside(bodies, (&columns, reach), (axis, order), sink)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::geometry::{BodyCircle, overlaps};
    use crate::input::filter::PairRules;
    use crate::memory::pair_sink::found;
    use crate::tier::point_grid::band::built_band::LoneBand;
    use crate::tier::point_grid::band::equal_cells::CellSize;
    use crate::tier::sweep::sorted_columns::{SortScratch, SortedColumns};
    use triphase_scenes::SplitMix64;

    /// Squares, and boxes that are long on either axis or without an end.
    pub(in super::super) fn records(random: &mut SplitMix64, first: u32, count: u32) -> Vec<BodyRecord> {
        let mut record = |row: u32| {
            let [x, y] = random.point(-20.0, 20.0);
            let [w, h] = [[0.5, 0.5], [9.0, 0.01], [0.0, 30.0], [0.0, 0.0], [f32::INFINITY, 0.1]][row as usize % 5];
            BodyRecord { aabb: [x - w, y - h, x + w, y + h], row }
        };
        (first..first + count).map(&mut record).collect()
    }

    /// Filters of which some accept each other.
    pub(in super::super) fn filter_of(row: u32) -> Filter {
        Filter::new(1 << (row % 3), 1 << (row / 3 % 3) | 2)
    }

    pub(in super::super) fn circles_overlap(a: &BodyRecord, b: &BodyRecord) -> bool {
        BodyCircle::of_box(&a.aabb).overlaps(&BodyCircle::of_box(&b.aabb))
    }

    #[test]
    fn sweeps_find_what_brute_force_finds() {
        let (level, mut random) = (DetectedSimd::default(), SplitMix64::new(5));
        for (axis, filtered, are_circles) in (0..8).map(|k| (k & 1, k & 2 > 0, k & 4 > 0)) {
            let label = format!("axis {axis}, filters {filtered}, circles {are_circles}");
            let (bodies, others) = (records(&mut random, 0, 300), records(&mut random, 300, 200));
            let accept =
                |a: &BodyRecord, b: &BodyRecord| !filtered || filter_of(a.row).interacts_with(filter_of(b.row));
            let meet = |a: &BodyRecord, b: &BodyRecord| overlaps(&a.aabb, &b.aabb) && accept(a, b);
            let touch = |a: &BodyRecord, b: &BodyRecord| meet(a, b) && (!are_circles || circles_overlap(a, b));
            let mut scratch = PairScratch { gathered: others.clone(), ..PairScratch::default() };

            let mut columns = SortedColumns::default();
            let traits = BoxTraits { filter_of: filtered.then_some(filter_of), are_circles };
            columns.sort(&bodies, axis, traits, &mut SortScratch::default());
            let columns = columns.columns();
            let mut sweep = |order, are_circles| {
                let traits = BoxTraits { are_circles, ..traits };
                found(|sink| sweep(level, &columns, (axis, order), traits, &mut scratch, sink))
            };
            let cross = |test: &dyn Fn(&BodyRecord, &BodyRecord) -> bool| -> Vec<[u32; 2]> {
                let pairs = bodies.iter().flat_map(|a| others.iter().filter(|b| test(a, b)).map(|b| [a.row, b.row]));
                let mut pairs: Vec<_> = pairs.collect();
                pairs.sort_unstable();
                pairs
            };
            assert_eq!(sweep(PairOrder::Ascending, are_circles), cross(&touch), "{label}");
            let static_hit = |body: &BodyRecord, fixed: &BodyRecord| {
                meet(body, fixed) && (!are_circles || BodyCircle::of_box(&body.aabb).overlaps_box(&fixed.aabb))
            };
            assert_eq!(sweep(PairOrder::ProbeFirst, false), cross(&static_hit), "{label}: statics");
        }
    }

    /// The cheapest sweep of boxes for the bodies of a band.
    fn planned(own: &[BodyRecord], others: &[BodyRecord]) -> Option<SweepPlan> {
        let mut band = LoneBand::new(own, &[]);
        // In cells, not in a row.
        let band = band.build(CellSize::ForSearches, PairRules::default());
        let searches = CellSearches::sample(&band.lookup(), band.cells(), others);
        SweepPlan::cheapest(&searches, &band.band().bounds(), band.cells().columns(), others)
    }

    /// Boxes of equal width in a square of 100, whose heights depend on their rows.
    fn lines(random: &mut SplitMix64, first: u32, count: u32, height: impl Fn(u32) -> f32) -> Vec<BodyRecord> {
        let mut line = |row: u32| {
            let [x, y] = random.point(0.0, 100.0);
            BodyRecord { aabb: [x, y, x + 50.0, y + height(row)], row }
        };
        (first..first + count).map(&mut line).collect()
    }

    #[test]
    fn a_few_long_boxes_are_not_swept_with_thin_ones() {
        let mut random = SplitMix64::new(8);
        let height = |row: u32| if row.is_multiple_of(100) { 60.0 } else { 0.0 };
        let own = lines(&mut random, 0, 3000, height);
        let others = lines(&mut random, 3000, 1000, height);
        let plan = planned(&own, &others).expect("a sweep is faster");
        let (mut swept, mut long) = (others, Vec::new());
        plan.divide(&mut swept, &mut long);
        assert_eq!((plan.axis, swept.len(), long.len()), (1, 990, 10));
    }

    #[test]
    fn a_long_box_that_the_sample_lacks_is_not_swept() {
        // One of the others is as high as the band, and half of them are a little longer than a
        // sixteenth of it.
        let (first, long) = (3000, 5001);
        let mut random = SplitMix64::new(8);
        let height = |row: u32| if row == long { 100.0 } else { [0.0, 7.0][usize::from(row.is_multiple_of(2))] };
        let own = lines(&mut random, 0, first, height);
        let others = lines(&mut random, first, 9000, height);
        let step = others.len().div_ceil(SWEPT_SAMPLE) as u32;
        assert!(!(long - first).is_multiple_of(step), "the long box is in the sample");
        let plan = planned(&own, &others).expect("a sweep is faster");
        assert!(plan.axis == 1 && plan.longest < 15.0, "{plan:?}");
    }

    /// Boxes of one size at random places in a shaft along y.
    fn in_shaft(random: &mut SplitMix64, first: u32, count: u32, width: f32, size: [f32; 2]) -> Vec<BodyRecord> {
        let mut record = |row: u32| {
            let (x, y) = (random.range(0.0, width), random.range(0.0, 1000.0));
            BodyRecord { aabb: [x, y, x + size[0], y + size[1]], row }
        };
        (first..first + count).map(&mut record).collect()
    }

    #[test]
    fn one_body_far_away_does_not_make_a_sweep_cheap() {
        // A body is beside all boxes on the first axis, and beside a twentieth on the second.
        let mut random = SplitMix64::new(9);
        let mut own = in_shaft(&mut random, 0, 3000, 1.0, [0.001, 0.1]);
        let others = in_shaft(&mut random, 3000, 6000, 1.0, [2.0, 50.0]);
        own[0].aabb = [1e6, 0.0, 1e6 + 2.0, 100.0];
        let plan = planned(&own, &others).expect("a sweep is faster");
        assert_eq!(plan.axis, 1, "{plan:?}");
    }

    #[test]
    fn a_sweep_counts_the_searches_of_long_boxes() {
        // One in ten is long. If they took no longer than others, sweeping the rest would pay off.
        let mut random = SplitMix64::new(10);
        let height = |row: u32| if row.is_multiple_of(10) { 60.0 } else { 0.0 };
        let others = lines(&mut random, 20_000, 3000, height);
        let mut own = lines(&mut random, 0, 20_000, |_| 0.1);
        own.iter_mut().for_each(|body| body.aabb[2] = body.aabb[0] + 0.1);
        let plan = planned(&own, &others);
        assert!(plan.is_none(), "{plan:?}");
    }

    #[test]
    fn boxes_in_a_shaft_are_not_swept_across_it() {
        let mut random = SplitMix64::new(8);
        // Narrower than the boxes, but a few boxes far away make the band as wide as high.
        let mut boxes = |first: u32, count: u32, size: [f32; 2]| {
            let mut boxes = in_shaft(&mut random, first, count, 0.1, size);
            for record in boxes.iter_mut().step_by(500) {
                let x = random.range(0.0, 1000.0);
                (record.aabb[0], record.aabb[2]) = (x, x + size[0]);
            }
            boxes
        };
        let plan = planned(&boxes(0, 6000, [1.0, 1.0]), &boxes(6000, 4000, [5.0, 30.0]));
        assert!(plan.is_none_or(|plan| plan.axis == 1), "{plan:?}");
    }
}
