//! Brute force: the definitions that triphase documents, applied to every box.

use super::lists::{Nearest, Ray};
use crate::boxes::{Box4, overlaps};

/// The squared distance from a point to a closed box, in f64 from f32 edges, as by
/// `Aabb::distance_squared`.
#[inline(always)]
pub fn distance_squared(aabb: &Box4, point: [f32; 2]) -> f64 {
    let apart = |axis: usize| {
        let at = f64::from(point[axis]);
        (f64::from(aabb[axis]) - at).max(at - f64::from(aabb[axis + 2])).max(0.0)
    };
    let (x, y) = (apart(0), apart(1));
    x * x + y * y
}

/// The distance at which a ray enters a box, in f64 from f32 edges, as `triphase::Ray` defines it.
#[inline(always)]
pub fn entry(ray: &Ray, aabb: &Box4) -> Option<f64> {
    let (mut first, mut last) = (0.0f64, f64::from(ray.length));
    for axis in 0..2 {
        let (origin, direction) = (f64::from(ray.origin[axis]), f64::from(ray.direction[axis]));
        let (low, high) = (f64::from(aabb[axis]), f64::from(aabb[axis + 2]));
        if direction == 0.0 {
            if origin < low || high < origin {
                return None;
            }
            continue;
        }
        let inverse = 1.0 / direction;
        let (a, b) = ((low - origin) * inverse, (high - origin) * inverse);
        first = first.max(a.min(b));
        last = last.min(a.max(b));
    }
    (first <= last).then_some(first)
}

/// A box that covers a whole ray.
#[inline(always)]
pub fn ray_box(ray: &Ray) -> Box4 {
    let end = |axis: usize| {
        let (origin, length) = (f64::from(ray.origin[axis]), f64::from(ray.length));
        let end = (origin + f64::from(ray.direction[axis]) * length) as f32;
        // One ulp more than the rounding error.
        (ray.origin[axis].min(end.next_down()), ray.origin[axis].max(end.next_up()))
    };
    let ((min_x, max_x), (min_y, max_y)) = (end(0), end(1));
    [min_x, min_y, max_x, max_y]
}

/// The boxes that overlap an area, ascending.
pub fn boxes(all: &[Box4], area: &Box4) -> Vec<u32> {
    (0..).zip(all).filter(|(_, aabb)| overlaps(aabb, area)).map(|(number, _)| number).collect()
}

/// The nearest boxes and their distances; equally near ones by ascending number.
pub fn nearest(all: &[Box4], query: &Nearest) -> Vec<(u32, f64)> {
    let mut near: Vec<(u32, f64)> =
        (0..).zip(all).map(|(number, aabb)| (number, distance_squared(aabb, query.point))).collect();
    let order = |a: &(u32, f64), b: &(u32, f64)| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0));
    if near.len() > query.count {
        near.select_nth_unstable_by(query.count, order);
        near.truncate(query.count);
    }
    near.sort_unstable_by(order);
    near.iter_mut().for_each(|near| near.1 = near.1.sqrt());
    near
}

/// The box that a ray enters first, and the distance; the lowest number of those entered at the
/// same distance.
pub fn ray(all: &[Box4], ray: &Ray) -> Option<(u32, f64)> {
    let met = (0..).zip(all).filter_map(|(number, aabb)| Some((number, entry(ray, aabb)?)));
    met.min_by(|a, b| a.1.total_cmp(&b.1))
}
