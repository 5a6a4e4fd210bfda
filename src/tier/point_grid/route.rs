//! Where a body goes: the band that files it, and those that it visits (R1, R2, R4 of `partition.rs`).

use crate::geometry::RawAabb;
use crate::tier::point_grid::plan::{Plan, VISITS_MAX, longest_side};

/// A computed side may be this much smaller than the box (half an ulp), and a product this much smaller than its factors.
const SIDE_SLACK: f32 = 1.0 + 2.0 * f32::EPSILON;

/// Where a body is filed and which bands it visits: the destination of each copy, and whether x and y are exchanged there.
pub(crate) fn route(plan: &Plan, aabb: &RawAabb, send: &mut impl FnMut(usize, bool)) {
    let (classes, bands) = (plan.classes(), plan.band_count());
    let side = longest_side(aabb);
    let Some(own) = classes.iter().position(|class| side <= class.side_max) else {
        return send(2 * bands, false);
    };
    let reach = |k: usize, from: f32| {
        let class = &classes[k];
        (class.splitter.band(from), class.splitter.band(aabb[class.axis() + 2]))
    };
    // The number below a difference is not above the exact one, and the factor covers the rounding of sides.
    let smaller_reach = |k: usize| {
        let from = aabb[classes[k].axis()] - classes[k].side_max * SIDE_SLACK;
        reach(k, from.next_down())
    };
    let (low, high) = reach(own, aabb[classes[own].axis()]);
    let smaller: usize = (0..own).map(smaller_reach).map(|(low, high)| high - low + 1).sum();
    if smaller + high - low > VISITS_MAX {
        return send(2 * bands, false);
    }
    send(classes[own].first_band + low, classes[own].transposed);
    for band in low + 1..=high {
        send(bands + classes[own].first_band + band, classes[own].transposed);
    }
    for (k, class) in classes[..own].iter().enumerate() {
        let (low, high) = smaller_reach(k);
        for band in low..=high {
            send(bands + class.first_band + band, class.transposed);
        }
    }
}
