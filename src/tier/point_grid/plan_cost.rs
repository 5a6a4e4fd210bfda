//! What a plan costs, counted in a sample of rows that are filed by it.
//!
//! Size classes are chosen by the density of regions, which is far too low where bodies cluster
//! more finely than these, and the choice knows nothing of bands. Here the rows of a sample go to
//! the bands where the partition would file all rows, and each is compared with others in its
//! bands: how many would it be tested with in cells, in one row of columns, or in a sweep?
//!
//! Cost: about 20 microseconds for 256 rows.

use crate::geometry::{RawAabb, overlaps};
use crate::memory::buffers::{buffers, plain_buffers};
use crate::tier::point_grid::plan::GridPlan;
use crate::tier::point_grid::route::{Route, route};
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
    /// The destinations of rows, each with the index of the row.
    filed: Vec<(u32, u32)>,
    routes: Vec<Route>,
    sides: Vec<f32>,
}

plain_buffers!((u32, u32));
buffers!(PlanCost { leveled: sample, filed, routes, sides; own: ; plain: ; });

impl PlanCost {
    /// Estimated nanoseconds of a step of so many bodies, without what all plans have in common.
    pub(super) fn of(&mut self, plan: &GridPlan, population: usize) -> f64 {
        let Self { sample, filed, routes, sides } = self;
        let weight = population as f64 / sample.len() as f64;
        filed.clear();
        for (aabb, row) in sample.iter().zip(0..) {
            routes.clear();
            let own = route(plan, aabb, routes);
            filed.extend([own].iter().chain(&*routes).map(|route| (route.destination() as u32, row)));
        }
        filed.sort_unstable();
        let rows_in = |destination: usize| {
            let first = filed.partition_point(|&(to, _)| (to as usize) < destination);
            let filed = filed[first..].iter().take_while(move |&&(to, _)| to as usize == destination);
            filed.map(|&(_, row)| &sample[row as usize])
        };
        let mut cost = 0.0;
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
