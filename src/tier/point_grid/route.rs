//! The destinations of a body: the band that files it, and the bands that get a ghost of it.

use crate::geometry::RawAabb;
use crate::geometry::band_box::BandAxes;
use crate::memory::buffers::plain_buffers;
use crate::tier::point_grid::plan::{GridPlan, SizeClass};
use crate::tier::point_grid::size_classes::GHOSTS_MAX;
use std::ops::Range;

/// A computed side may be smaller than the exact one by half an ulp, and a product too.
const SIDE_SLACK: f32 = 1.0 + 2.0 * f32::EPSILON;

/// A destination of a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Route(u32);

impl Route {
    const EXCHANGED: u32 = 1 << 31;

    /// A destination, and the axes in which the box is filed there.
    pub(super) fn new(destination: usize, axes: BandAxes) -> Self {
        Self(destination as u32 | if axes.is_exchanged() { Self::EXCHANGED } else { 0 })
    }

    pub(super) fn destination(self) -> usize {
        (self.0 & !Self::EXCHANGED) as usize
    }

    pub(super) fn axes(self) -> BandAxes {
        BandAxes::new(self.0 & Self::EXCHANGED != 0)
    }
}

plain_buffers!(Route);

/// The destination that files a body; appends those that get a ghost of it (PARTITION-1,
/// PARTITION-2, PARTITION-4).
// Not generic, so that there is one copy of it for all instruction sets.
pub(super) fn route(plan: &GridPlan, aabb: &RawAabb, ghosts: &mut Vec<Route>) -> Route {
    let (classes, destinations) = (plan.classes(), plan.destinations());
    let oversized = Route::new(destinations.oversized(), BandAxes::default());
    let Some(own) = classes.iter().position(|class| class.takes(aabb)) else { return oversized };
    let class = &classes[own];
    let strip = class.borders.band(aabb[class.axis()]);
    let (before, mut count) = (ghosts.len(), 0);
    visit_ghosts(plan, aabb, (own, strip), &mut |range, axes| {
        count += range.len();
        if count <= GHOSTS_MAX {
            ghosts.extend(range.map(|band| Route::new(destinations.ghosts(band), axes)));
        }
    });
    if count > GHOSTS_MAX {
        ghosts.truncate(before);
        return oversized;
    }
    let across = aabb[1 - class.axis()];
    Route::new(destinations.owned(class.bands_across(strip, [across; 2]).start), class.axes)
}

/// Calls `visit` with the bands that get a ghost of a body (PARTITION-2), which is filed in a strip
/// of the class `own`.
#[inline(always)]
fn visit_ghosts(
    plan: &GridPlan,
    aabb: &RawAabb,
    (own, first): (usize, usize),
    visit: &mut impl FnMut(Range<usize>, BandAxes),
) {
    let classes = plan.classes();
    let class = &classes[own];
    let (axis, across) = (class.axis(), 1 - class.axis());
    let later = first + 1..class.borders.band(aabb[axis + 2]) + 1;
    if class.is_divided() {
        let within = class.bands_across(first, [aabb[across], aabb[across + 2]]);
        visit(within.start + 1..within.end, class.axes);
    }
    class.visit_bands(later, || [begins_after(aabb, across, class), aabb[across + 2]], &mut |bands| {
        visit(bands, class.axes);
    });
    for class in &classes[..own] {
        let (axis, across) = (class.axis(), 1 - class.axis());
        let strip = |v: f32| class.borders.band(v);
        let strips = strip(begins_after(aabb, axis, class))..strip(aabb[axis + 2]) + 1;
        class.visit_bands(strips, || [begins_after(aabb, across, class), aabb[across + 2]], &mut |bands| {
            visit(bands, class.axes);
        });
    }
}

/// Bodies of a class that overlap a box begin after this on an axis.
///
/// They may begin before the box by their longest side. The next float below the rounded difference
/// is at most the exact one.
#[inline(always)]
fn begins_after(aabb: &RawAabb, axis: usize, class: &SizeClass) -> f32 {
    (aabb[axis] - class.sides_max[axis] * SIDE_SLACK).next_down()
}
