//! The destinations of a body: the band that files it, and the bands that get a ghost of it.

use crate::geometry::RawAabb;
use crate::geometry::band_box::BandAxes;
use crate::tier::point_grid::plan::{GridPlan, SizeClass};
use crate::tier::point_grid::size_classes::longest_side;
use std::ops::Range;

/// Most ghosts of a body; one that would have more is oversized. This bounds the copies that a
/// partition makes.
pub(super) const GHOSTS_MAX: usize = 8;

/// A computed side may be smaller than the exact one by half an ulp, and a product too.
const SIDE_SLACK: f32 = 1.0 + 2.0 * f32::EPSILON;

/// Calls `send` with each destination of a body, and the axes in which the box is filed there
/// (PARTITION-1, PARTITION-2, PARTITION-4).
///
/// The destinations are the bands of all classes, then the ghosts of each band, then the oversized
/// bodies.
pub(super) fn route(plan: &GridPlan, aabb: &RawAabb, send: &mut impl FnMut(usize, BandAxes)) {
    let (classes, bands) = (plan.classes(), plan.band_count());
    let side = longest_side(aabb);
    let Some(own) = classes.iter().position(|class| side <= class.side_max) else {
        return send(2 * bands, BandAxes::default());
    };
    if visit_ghosts(plan, aabb, own, |_, _| ()) > GHOSTS_MAX {
        return send(2 * bands, BandAxes::default());
    }
    send(own_band(&classes[own], aabb), classes[own].axes);
    visit_ghosts(plan, aabb, own, |band, axes| send(bands + band, axes));
}

/// The band of its class in which a body is filed.
fn own_band(class: &SizeClass, aabb: &RawAabb) -> usize {
    let (low, across) = (aabb[class.axis()], aabb[1 - class.axis()]);
    class.bands_across(class.borders.band(low), [across; 2]).start
}

/// Calls `visit` with each band that gets a ghost of a body of class `own`, and returns their
/// number (PARTITION-2).
fn visit_ghosts(plan: &GridPlan, aabb: &RawAabb, own: usize, mut visit: impl FnMut(usize, BandAxes)) -> usize {
    let classes = plan.classes();
    let mut count = 0;
    let class = &classes[own];
    let mut visit_own = |bands: Range<usize>| {
        count += bands.len();
        bands.for_each(|band| visit(band, class.axes));
    };
    let (axis, across) = (class.axis(), 1 - class.axis());
    let first = class.borders.band(aabb[axis]);
    if class.is_divided() {
        let within = class.bands_across(first, [aabb[across], aabb[across + 2]]);
        visit_own(within.start + 1..within.end);
    }
    let later = first + 1..class.borders.band(aabb[axis + 2]) + 1;
    class.visit_bands(later, [begins_after(aabb[across], class), aabb[across + 2]], &mut visit_own);
    for class in &classes[..own] {
        let (axis, across) = (class.axis(), 1 - class.axis());
        let strip = |v: f32| class.borders.band(v);
        let strips = strip(begins_after(aabb[axis], class))..strip(aabb[axis + 2]) + 1;
        class.visit_bands(strips, [begins_after(aabb[across], class), aabb[across + 2]], &mut |bands| {
            count += bands.len();
            bands.for_each(|band| visit(band, class.axes));
        });
    }
    count
}

/// Bodies of a class that overlap a box which begins at `low` begin after this.
///
/// They may begin before it by their longest side. The next float below the rounded difference is
/// at most the exact one.
fn begins_after(low: f32, class: &SizeClass) -> f32 {
    (low - class.side_max * SIDE_SLACK).next_down()
}
