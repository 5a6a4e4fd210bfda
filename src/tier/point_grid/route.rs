//! The destinations of a body: the band that files it, and the bands that get a ghost of it.

use crate::geometry::RawAabb;
use crate::geometry::band_box::BandAxes;
use crate::tier::point_grid::plan::GridPlan;
use crate::tier::point_grid::size_classes::longest_side;

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
    let bands_reached = |k: usize, from: f32| {
        let class = &classes[k];
        (class.borders.band(from), class.borders.band(aabb[class.axis() + 2]))
    };
    // Bodies of a smaller class that overlap this one may begin before it by their longest side.
    // The next float below the rounded difference is at most the exact one.
    let smaller_reached = |k: usize| {
        let from = aabb[classes[k].axis()] - classes[k].side_max * SIDE_SLACK;
        bands_reached(k, from.next_down())
    };
    let (first, last) = bands_reached(own, aabb[classes[own].axis()]);
    let in_smaller: usize = (0..own).map(smaller_reached).map(|(first, last)| last - first + 1).sum();
    if in_smaller + last - first > GHOSTS_MAX {
        return send(2 * bands, BandAxes::default());
    }
    send(classes[own].first_band + first, classes[own].axes);
    for band in first + 1..=last {
        send(bands + classes[own].first_band + band, classes[own].axes);
    }
    for (k, class) in classes[..own].iter().enumerate() {
        let (first, last) = smaller_reached(k);
        for band in first..=last {
            send(bands + class.first_band + band, class.axes);
        }
    }
}
