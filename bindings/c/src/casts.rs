//! Rays and moving boxes.

use crate::buffer::tp_buffer;
use crate::caller::{Caller, call};
use crate::error::Failure;
use crate::queries::{query, tp_query_options};
use crate::results::{tp_cast_hit, tp_hit, tp_hit_kind};
use crate::shapes::{shape, tp_box_cast, tp_ray, tp_vec2};
use crate::status::tp_status;
use crate::world::tp_world;
use broad_phase::{AabbCast, CastHit, Ray};

/// The hit that is written if there is none.
const NO_HIT: tp_cast_hit = tp_cast_hit {
    target: tp_hit { id: 0, row: u32::MAX, kind: tp_hit_kind::TP_HIT_BODY, has_id: 0, reserved: [0; 2] },
    time: f64::INFINITY,
    normal: tp_vec2 { x: 0.0, y: 0.0 },
};

/// Writes the first hit of a cast.
fn give_first(c: Caller<'_>, found: Option<CastHit>, hit: *mut tp_cast_hit, is_hit: *mut u8) -> Result<(), Failure> {
    let (hit, is_hit) = (c.out(hit, "hit")?, c.out(is_hit, "is_hit")?);
    hit.write(found.map_or(NO_HIT, tp_cast_hit::from));
    is_hit.write(found.is_some().into());
    Ok(())
}

/// Writes whether a cast hits anything.
fn give_any(c: Caller<'_>, found: bool, is_hit: *mut u8) -> Result<(), Failure> {
    c.out(is_hit, "is_hit")?.write(found.into());
    Ok(())
}

/// Writes all hits of a cast, which `find` finds.
fn give_all(
    c: Caller<'_>,
    find: impl FnOnce(&mut Vec<CastHit>),
    buffer: *mut tp_buffer,
    hits: *mut *const tp_cast_hit,
    count: *mut usize,
) -> Result<(), Failure> {
    let buffer = c.get_mut(buffer, "buffer")?;
    find(&mut buffer.found.casts);
    buffer.casts.clear();
    buffer.casts.extend(buffer.found.casts.iter().map(|&hit| tp_cast_hit::from(hit)));
    c.give(&buffer.casts, hits, count, "hits")
}

/// Finds the first box that a ray hits.
///
/// `is_hit` gets 1 if there is one, and otherwise 0; then the time of `hit` is INFINITY. Among boxes
/// that are hit at the same time, bodies come before statics and lower rows before higher ones.
/// Needs no buffer.
///
/// Errors: TP_STATUS_INVALID_SHAPE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_cast_ray(
    world: *const tp_world,
    options: *const tp_query_options,
    ray: tp_ray,
    hit: *mut tp_cast_hit,
    is_hit: *mut u8,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe { call(|c| give_first(c, query(c, world, options)?.cast_ray(shape::<_, Ray>(ray)?), hit, is_hit)) }
}

/// Finds every box that a ray hits, first hit first. The array belongs to `buffer`. Boxes that are hit
/// at the same time are in the order of tp_cast_ray().
///
/// Errors: TP_STATUS_INVALID_SHAPE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_cast_ray_all(
    world: *const tp_world,
    options: *const tp_query_options,
    ray: tp_ray,
    buffer: *mut tp_buffer,
    hits: *mut *const tp_cast_hit,
    count: *mut usize,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let (query, ray) = (query(c, world, options)?, shape::<_, Ray>(ray)?);
            give_all(c, |found| query.cast_ray_all(ray, found), buffer, hits, count)
        })
    }
}

/// Writes 1 to `is_hit` if a ray hits any box, such as for a line of sight, and otherwise 0.
///
/// Errors: TP_STATUS_INVALID_SHAPE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_cast_ray_any(
    world: *const tp_world,
    options: *const tp_query_options,
    ray: tp_ray,
    is_hit: *mut u8,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe { call(|c| give_any(c, query(c, world, options)?.cast_ray_any(shape::<_, Ray>(ray)?), is_hit)) }
}

/// Finds the first box that a moving box hits; like tp_cast_ray().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_cast_box(
    world: *const tp_world,
    options: *const tp_query_options,
    cast: tp_box_cast,
    hit: *mut tp_cast_hit,
    is_hit: *mut u8,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe { call(|c| give_first(c, query(c, world, options)?.cast_aabb(shape::<_, AabbCast>(cast)?), hit, is_hit)) }
}

/// Finds every box that a moving box hits; like tp_cast_ray_all().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_cast_box_all(
    world: *const tp_world,
    options: *const tp_query_options,
    cast: tp_box_cast,
    buffer: *mut tp_buffer,
    hits: *mut *const tp_cast_hit,
    count: *mut usize,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let (query, cast) = (query(c, world, options)?, shape::<_, AabbCast>(cast)?);
            give_all(c, |found| query.cast_aabb_all(cast, found), buffer, hits, count)
        })
    }
}

/// Writes 1 to `is_hit` if a moving box hits any box; like tp_cast_ray_any().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_cast_box_any(
    world: *const tp_world,
    options: *const tp_query_options,
    cast: tp_box_cast,
    is_hit: *mut u8,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe { call(|c| give_any(c, query(c, world, options)?.cast_aabb_any(shape::<_, AabbCast>(cast)?), is_hit)) }
}
