//! The destinations of a body: the band that files it, and the bands that get a ghost of it.

use crate::geometry::RawAabb;
use crate::geometry::band_box::BandAxes;
use crate::tier::point_grid::plan::{GridPlan, SizeClass};
use crate::tier::point_grid::size_classes::GHOSTS_MAX;
use smallvec::SmallVec;
use std::ops::Range;

/// A computed side may be smaller than the exact one by half an ulp, and a product too.
const SIDE_SLACK: f32 = 1.0 + 2.0 * f32::EPSILON;

/// Calls `send` with each destination of a body, and the axes in which the box is filed there
/// (PARTITION-1, PARTITION-2, PARTITION-4).
///
/// The destinations are the bands of all classes, then the ghosts of each band, then the oversized
/// bodies.
pub(super) fn route(plan: &GridPlan, aabb: &RawAabb, send: &mut impl FnMut(usize, BandAxes)) {
    let (classes, bands) = (plan.classes(), plan.band_count());
    let Some(own) = classes.iter().position(|class| class.takes(aabb)) else {
        return send(2 * bands, BandAxes::default());
    };
    let class = &classes[own];
    let strip = class.borders.band(aabb[class.axis()]);
    if own == 0 && !class.is_divided() {
        // As below, for most bodies of most worlds.
        let last = class.borders.band(aabb[class.axis() + 2]);
        if last - strip > GHOSTS_MAX {
            return send(2 * bands, BandAxes::default());
        }
        send(strip, class.axes);
        return (strip + 1..=last).for_each(|band| send(bands + band, class.axes));
    }
    let mut ghosts = GhostBands::new();
    let mut count = 0;
    visit_ghosts(plan, aabb, (own, strip), &mut |bands, axes| {
        if !bands.is_empty() && count <= GHOSTS_MAX {
            count += bands.len();
            ghosts.push((bands, axes));
        }
    });
    if count > GHOSTS_MAX {
        return send(2 * bands, BandAxes::default());
    }
    let across = aabb[1 - class.axis()];
    send(class.bands_across(strip, [across; 2]).start, class.axes);
    for (range, axes) in ghosts {
        range.for_each(|band| send(bands + band, axes));
    }
}

/// Ranges of bands that get a ghost: mostly one of each class. Each has at least one band, so with
/// `GHOSTS_MAX + 1` of them the body is oversized, and no more are noted.
type GhostBands = SmallVec<[(Range<usize>, BandAxes); GHOSTS_MAX + 1]>;

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
