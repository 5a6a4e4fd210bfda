//! rapier's queries: a world finds boxes, the shapes of the colliders decide.

use crate::rows::collider_of;
use rapier2d::geometry::{ColliderHandle, ColliderSet, Ray};
use rapier2d::math::{Real, Vector};
use triphase::query::CastHit;
use triphase::{Aabb, InvalidShape, Neighbor, Point, World};

/// Buffers that are kept from query to query.
#[derive(Default)]
pub struct Buffers {
    casts: Vec<CastHit>,
    neighbors: Vec<Neighbor>,
}

/// Nearest boxes that are looked at first; if their shapes are farther, twice as many.
const NEIGHBORS: usize = 8;

/// Part of a ray that is cast first.
const FIRST_PART: Real = 0.125;

/// All colliders whose boxes overlap an area, as `intersect_aabb_conservative`, but by their tight
/// boxes.
///
/// # Errors
///
/// If the area is invalid.
pub fn in_area(world: &World, [min, max]: [Vector; 2]) -> Result<impl Iterator<Item = ColliderHandle>, InvalidShape> {
    let area = Aabb::new([min.x, min.y], [max.x, max.y])?;
    Ok(world.query_aabb(area).map(collider_of))
}

/// All colliders that contain a point, as `intersect_point`.
///
/// # Errors
///
/// If the point is invalid.
pub fn at_point(
    world: &World,
    colliders: &ColliderSet,
    point: Vector,
) -> Result<impl Iterator<Item = ColliderHandle>, InvalidShape> {
    let handles = world.query().query_point(Point::new([point.x, point.y])?).map(collider_of);
    Ok(handles.filter(move |&handle| {
        let collider = &colliders[handle];
        collider.shape().contains_point(collider.position(), point)
    }))
}

/// The first collider that a ray hits, and when, as `cast_ray` with solid shapes.
///
/// Boxes are hit no later than their shapes, so the search ends at the first box that is hit later
/// than the best shape. Most rays end soon: a part of the ray is cast first.
///
/// # Errors
///
/// If the ray is invalid.
pub fn cast_ray(
    world: &World,
    colliders: &ColliderSet,
    ray: &Ray,
    max_toi: Real,
    buffers: &mut Buffers,
) -> Result<Option<(ColliderHandle, Real)>, InvalidShape> {
    let (origin, direction) = ([ray.origin.x, ray.origin.y], [ray.dir.x, ray.dir.y]);
    for until in [FIRST_PART * max_toi, max_toi] {
        world.query().cast_ray_all(triphase::Ray::new(origin, direction, until)?, &mut buffers.casts);
        let mut best: Option<(ColliderHandle, Real)> = None;
        for hit in &buffers.casts {
            let until = best.map_or(until, |(_, toi)| toi);
            if hit.time_of_impact > f64::from(until) {
                break;
            }
            let handle = collider_of(hit.target);
            let collider = &colliders[handle];
            if let Some(toi) = collider.shape().cast_ray(collider.position(), ray, until, true) {
                best = Some((handle, toi));
            }
        }
        if best.is_some() {
            return Ok(best);
        }
    }
    Ok(None)
}

/// The collider nearest to a point, and its distance, as `project_point` with solid shapes.
///
/// # Errors
///
/// If the point is invalid.
pub fn nearest(
    world: &World,
    colliders: &ColliderSet,
    point: Vector,
    buffers: &mut Buffers,
) -> Result<Option<(ColliderHandle, Real)>, InvalidShape> {
    let (at, mut count, mut tested) = (Point::new([point.x, point.y])?, NEIGHBORS, 0);
    let mut best: Option<(ColliderHandle, Real)> = None;
    loop {
        let found = &mut buffers.neighbors;
        world.query().k_nearest(at, count, found);
        for neighbor in &found[tested..] {
            // Boxes are no farther than their shapes.
            if best.is_some_and(|(_, least)| neighbor.distance > f64::from(least)) {
                return Ok(best);
            }
            let handle = collider_of(neighbor.target);
            let collider = &colliders[handle];
            let distance = collider.shape().distance_to_point(collider.position(), point, true);
            if best.is_none_or(|(_, least)| distance < least) {
                best = Some((handle, distance));
            }
        }
        if found.len() < count {
            return Ok(best);
        }
        (tested, count) = (found.len(), 2 * count);
    }
}
