//! Queries of boxes, circles and points.

use crate::bodies::tp_filter;
use crate::buffer::tp_buffer;
use crate::caller::{Caller, call, flag};
use crate::error::Failure;
use crate::results::{tp_hit, tp_neighbor};
use crate::shapes::{shape, tp_box, tp_circle, tp_vec2};
use crate::snapshots::tp_snapshot;
use crate::status::tp_status;
use crate::world::tp_world;
use broad_phase::query::Hits;
use broad_phase::{Aabb, Circle, Point, QueryBuilder};

/// What a query may find.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tp_targets {
    /// Bodies and statics.
    TP_TARGETS_ALL = 0,
    /// Bodies only.
    TP_TARGETS_BODIES = 1,
    /// Statics only.
    TP_TARGETS_STATICS = 2,
}

/// Restrictions of a query. A hit must satisfy all of them.
///
/// Initialize it with zeros and set what you need. Where a call takes options, null means none.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct tp_query_options {
    /// If not null, this snapshot is queried. Then pass null as the world if another thread may be
    /// stepping it.
    pub snapshot: *const tp_snapshot,
    /// Rows of bodies that are not found, such as the body that makes the query; or null. Each hit
    /// is compared with all of them.
    pub excluded_bodies: *const u32,
    /// Number of elements of `excluded_bodies`.
    pub excluded_body_count: usize,
    /// Rows of statics that are not found, or null.
    pub excluded_statics: *const u32,
    /// Number of elements of `excluded_statics`.
    pub excluded_static_count: usize,
    /// A tp_targets.
    pub targets: u32,
    /// If `has_filter` is 1, only entities whose filter and this one accept each other are found. To
    /// find the entities in some layers, set `layers` to UINT32_MAX and `mask` to these layers.
    pub filter: tp_filter,
    /// 1 if `filter` is set, otherwise 0.
    pub has_filter: u8,
    /// Always 0.
    pub reserved: [u8; 3],
}

/// The snapshot that is to be queried, if any.
pub(crate) fn snapshot(c: Caller<'_>, options: *const tp_query_options) -> Result<Option<&tp_snapshot>, Failure> {
    if options.is_null() {
        return Ok(None);
    }
    let snapshot = c.get(options, "options")?.snapshot;
    (!snapshot.is_null()).then(|| c.get(snapshot, "snapshot")).transpose()
}

/// The restricted query of a call.
pub(crate) fn query<'c>(
    c: Caller<'c>,
    world: *const tp_world,
    options: *const tp_query_options,
) -> Result<QueryBuilder<'c>, Failure> {
    if options.is_null() {
        return Ok(c.world(world)?.world.query());
    }
    let options = c.get(options, "options")?;
    if options.reserved != [0; 3] {
        return Err(Failure::argument("reserved of the options is not 0; begin with zeros"));
    }
    let mut query = match snapshot(c, options)? {
        Some(snapshot) => snapshot.snapshot.query(),
        None => c.world(world)?.world.query(),
    };
    query = match options.targets {
        0 => query,
        1 => query.only_bodies(),
        2 => query.only_statics(),
        other => return Err(Failure::argument(format!("targets is {other}, which is no tp_targets"))),
    };
    if flag(options.has_filter, "has_filter")? {
        query = query.with_filter(options.filter.into());
    }
    if options.excluded_body_count > 0 {
        query =
            query.exclude_bodies(c.slice(options.excluded_bodies, options.excluded_body_count, "excluded_bodies")?);
    }
    if options.excluded_static_count > 0 {
        let rows = c.slice(options.excluded_statics, options.excluded_static_count, "excluded_statics")?;
        query = query.exclude_statics(rows);
    }
    Ok(query)
}

/// Writes the hits of a box query to a buffer.
fn give_hits(
    c: Caller<'_>,
    found: Hits<'_>,
    buffer: *mut tp_buffer,
    hits: *mut *const tp_hit,
    count: *mut usize,
) -> Result<(), Failure> {
    let array = &mut c.get_mut(buffer, "buffer")?.hits;
    array.clear();
    found.for_each(|hit| array.push(hit.into()));
    c.give(array, hits, count, "hits")
}

/// Finds everything whose box overlaps `area`.
///
/// Queries find the bodies of the last successful step, and the statics that are enabled now. Common
/// bodies come first, then those of the double grid, then statics; the order within these depends only
/// on the steps, never on threads. The array belongs to `buffer`. Several threads may query a world at
/// the same time, each with a buffer of its own.
///
/// Errors: TP_STATUS_INVALID_SHAPE if an edge is not finite or min exceeds max;
/// TP_STATUS_INVALID_ARGUMENT for an unknown value in `options`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_query_box(
    world: *const tp_world,
    options: *const tp_query_options,
    area: tp_box,
    buffer: *mut tp_buffer,
    hits: *mut *const tp_hit,
    count: *mut usize,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| give_hits(c, query(c, world, options)?.query_aabb(shape::<_, Aabb>(area)?), buffer, hits, count))
    }
}

/// Finds everything whose box is inside `area`, such as for a selection; like tp_query_box().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_query_contained(
    world: *const tp_world,
    options: *const tp_query_options,
    area: tp_box,
    buffer: *mut tp_buffer,
    hits: *mut *const tp_hit,
    count: *mut usize,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let found = query(c, world, options)?.query_contained_in(shape::<_, Aabb>(area)?);
            give_hits(c, found, buffer, hits, count)
        })
    }
}

/// Finds everything whose box contains `point`; like tp_query_box().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_query_point(
    world: *const tp_world,
    options: *const tp_query_options,
    point: tp_vec2,
    buffer: *mut tp_buffer,
    hits: *mut *const tp_hit,
    count: *mut usize,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| give_hits(c, query(c, world, options)?.query_point(shape::<_, Point>(point)?), buffer, hits, count))
    }
}

/// Finds everything whose box contains all of `aabb`; like tp_query_box().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_query_containing(
    world: *const tp_world,
    options: *const tp_query_options,
    aabb: tp_box,
    buffer: *mut tp_buffer,
    hits: *mut *const tp_hit,
    count: *mut usize,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let found = query(c, world, options)?.query_containing(shape::<_, Aabb>(aabb)?);
            give_hits(c, found, buffer, hits, count)
        })
    }
}

/// Finds everything whose box overlaps a circle; like tp_query_box().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_query_circle(
    world: *const tp_world,
    options: *const tp_query_options,
    circle: tp_circle,
    buffer: *mut tp_buffer,
    hits: *mut *const tp_hit,
    count: *mut usize,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| give_hits(c, query(c, world, options)?.query_circle(shape::<_, Circle>(circle)?), buffer, hits, count))
    }
}

/// Finds the `k` boxes nearest to the center of a circle among those that overlap it, nearest first.
///
/// Among boxes at the same distance, bodies come before statics and lower rows before higher ones. The
/// radius is the largest distance; INFINITY for any. With SIZE_MAX as `k`, finds all boxes that overlap
/// the circle. Otherwise like tp_query_box().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_query_nearest(
    world: *const tp_world,
    options: *const tp_query_options,
    circle: tp_circle,
    k: usize,
    buffer: *mut tp_buffer,
    neighbors: *mut *const tp_neighbor,
    count: *mut usize,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let (query, circle) = (query(c, world, options)?, shape::<_, Circle>(circle)?);
            let buffer = c.get_mut(buffer, "buffer")?;
            query.k_nearest_within(circle, k, &mut buffer.found.neighbors);
            buffer.neighbors.clear();
            buffer.neighbors.extend(buffer.found.neighbors.iter().map(|&found| tp_neighbor::from(found)));
            c.give(&buffer.neighbors, neighbors, count, "neighbors")
        })
    }
}
