//! What a plan costs, counted in a sample of rows that are filed by it.
//!
//! Size classes are chosen by the density of regions, which is far too low where bodies cluster
//! more finely than these, and the choice knows nothing of bands. Here the rows of a sample go to
//! the bands in which the partition would file them. There some are compared with all others: how
//! many tests would each need in cells or in one row of columns, and ghosts in a sweep? What
//! searches of a tree take bounds both. Rows with ghosts count too: the partition takes longer for
//! them.
//!
//! Cost: 30 to 110 microseconds for 256 rows, the more the more classes a plan has.

use crate::geometry::{RawAabb, overlaps};
use crate::memory::buffers::buffers;
use crate::memory::radix::{number_of, numbered};
use crate::tier::point_grid::plan::GridPlan;
use crate::tier::point_grid::route::{GHOST_NS, ROUTE_NS, Route, route};
use crate::tier::point_grid::sampled_band::{SampledBand, SampledBoxes};
use crate::tier::point_grid::size_classes::{CLASS_NS, OVERSIZED_NS, OVERSIZED_TEST_NS};

/// Sides that occur in one of so many bands in the sample are taken to occur in all bands.
const COMMON_ONE_IN: usize = 4;

/// A sample of the rows of a step, and buffers.
#[derive(Debug, Default)]
pub(super) struct PlanCost {
    /// Rows that are far from each other in memory: adjacent ones are often neighbors in the world
    /// too, and would be compared too often.
    pub(super) sample: Vec<RawAabb>,
    /// [`numbered`]: a destination of a row, and the index of the row.
    filed: Vec<u64>,
    routes: Vec<Route>,
    sides: Vec<f32>,
}

buffers!(PlanCost { leveled: sample, filed, routes, sides; own: ; plain: ; });

impl PlanCost {
    /// Estimated nanoseconds of a step of so many bodies, without what all plans have in common.
    pub(super) fn of(&mut self, plan: &GridPlan, population: usize) -> f64 {
        let Self { sample, filed, routes, sides } = self;
        let weight = population as f64 / sample.len() as f64;
        let mut cost = 0.0;
        filed.clear();
        for (aabb, row) in sample.iter().zip(0..) {
            routes.clear();
            let own = route(plan, aabb, routes);
            if !routes.is_empty() {
                cost += weight * (ROUTE_NS + GHOST_NS * routes.len() as f64);
            }
            filed.extend([own].iter().chain(&*routes).map(|route| numbered(route.destination() as u32, row)));
        }
        filed.sort_unstable();
        let rows_in = |destination: usize| {
            let to = |key: u64| (key >> 32) as usize;
            let first = filed.partition_point(|&key| to(key) < destination);
            let filed = filed[first..].iter().take_while(move |&&key| to(key) == destination);
            filed.map(|&key| &sample[number_of(key) as usize])
        };
        for oversized in rows_in(2 * plan.band_count()) {
            let overlapping = sample.iter().filter(|aabb| overlaps(aabb, oversized)).count() as f64;
            cost += weight * (OVERSIZED_NS + OVERSIZED_TEST_NS * weight * overlapping);
        }
        for class in plan.classes() {
            let boxes_in = |destination: usize| rows_in(destination).map(|&aabb| *class.axes.box_to_band(aabb).edges());
            let common = [0, 1].map(|axis| {
                sides.clear();
                let side = |aabb: RawAabb| aabb[axis + 2] - aabb[axis];
                sides.extend(class.bands().map(|band| boxes_in(band).map(side).fold(0.0, f32::max)));
                let place = sides.len() - sides.len().div_ceil(COMMON_ONE_IN);
                *sides.select_nth_unstable_by(place, f32::total_cmp).1
            });
            for band in class.bands() {
                let sampled =
                    |destination: usize| SampledBoxes::new(rows_in(destination).count(), boxes_in(destination), weight);
                let (bodies, ghosts) = (sampled(band), sampled(plan.band_count() + band));
                let extents = bodies.extents(common);
                cost += SampledBand { bodies, ghosts, extents }.ns();
            }
            cost += CLASS_NS;
        }
        cost
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::band_box::BandAxes;
    use crate::tier::point_grid::plan::DivisionBuffers;
    use triphase_scenes::SplitMix64;

    const BANDS: usize = 8;

    /// Boxes in as many rows as bands, as wide as `width` says for the number of a box and its row.
    fn rows_of_boxes(width: impl Fn(usize, usize) -> f32) -> Vec<RawAabb> {
        let mut random = SplitMix64::new(17);
        let mut aabb = |k: usize| {
            let (row, x) = (k % BANDS, random.range(0.0, 1000.0));
            let y = 100.0 * row as f32 + random.range(0.0, 99.0);
            [x, y, x + width(k, row), y + 20.0]
        };
        (0..512).map(&mut aabb).collect()
    }

    /// The cost of 50,000 bodies like these, in one class up to the given width.
    fn cost(boxes: &[RawAabb], width_max: f32) -> f64 {
        let mut plan = GridPlan::default();
        plan.add_class([width_max, 20.5], BandAxes::default(), boxes, BANDS, &mut DivisionBuffers::default());
        assert_eq!(plan.band_count(), BANDS);
        PlanCost { sample: boxes.to_vec(), ..PlanCost::default() }.of(&plan, 50_000)
    }

    #[test]
    fn sides_of_many_bands_are_those_of_all() {
        let wide_in = |wide: fn(usize) -> bool| {
            rows_of_boxes(move |k, row| if k / BANDS == 5 && wide(row) { 900.0 } else { 0.1 })
        };
        let [none, one, half] = [(|_| false) as fn(usize) -> bool, |row| row == 4, |row| row % 2 == 0]
            .map(|wide| cost(&wide_in(wide), 1000.0));
        // Columns are as wide as the widest box of a band demands: in that band alone, or in all.
        assert!(half - none > 1.3 * 4.0 * (one - none), "{none} {one} {half}");
    }

    #[test]
    fn rows_of_larger_classes_are_routed() {
        let boxes = rows_of_boxes(|_, _| 0.1);
        let cost_with = |smaller: bool| {
            let mut plan = GridPlan::default();
            if smaller {
                plan.add_class([0.01; 2], BandAxes::default(), &[], 1, &mut DivisionBuffers::default());
            }
            plan.add_class([1.0, 20.5], BandAxes::default(), &boxes, BANDS, &mut DivisionBuffers::default());
            PlanCost { sample: boxes.clone(), ..PlanCost::default() }.of(&plan, 50_000)
        };
        // Each row has a ghost in the band of the smaller class, which has no bodies. Some have
        // ghosts in any case.
        let routed = 50_000.0 * (ROUTE_NS + GHOST_NS) + CLASS_NS;
        let more = (cost_with(true) - cost_with(false)) / routed;
        assert!((0.8..1.01).contains(&more), "{more}");
    }

    #[test]
    fn oversized_rows_are_tested_with_what_they_overlap() {
        let boxes = rows_of_boxes(|k, _| if k == 100 { 400.0 } else { 0.1 });
        let overlapping = boxes.iter().filter(|aabb| overlaps(aabb, &boxes[100])).count() as f64;
        assert!(overlapping > 5.0);
        let weight = 50_000.0 / 512.0;
        let without = cost(&boxes, 1.0) - weight * (OVERSIZED_NS + OVERSIZED_TEST_NS * weight * overlapping);
        // Without it, one of 512 rows is missing.
        let all_alike = cost(&rows_of_boxes(|_, _| 0.1), 1.0);
        assert!((without / all_alike - 1.0).abs() < 0.03, "{without} {all_alike}");
    }
}
