//! Many queries at once, in parallel.

use crate::buffer::tp_buffer;
use crate::caller::{Caller, call};
use crate::error::Failure;
use crate::queries::{query, snapshot, tp_query_options};
use crate::results::{tp_cast_hit, tp_hit, tp_neighbor};
use crate::shapes::{shapes, tp_box, tp_circle, tp_ray};
use crate::status::tp_status;
use crate::world::tp_world;
use broad_phase::query::BatchResults;

/// The hits of a batch: those of query `k` are `hits[offsets[k]]` to `hits[offsets[k + 1] - 1]`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct tp_hit_batch {
    /// As many elements as there are queries, and one more.
    pub offsets: *const usize,
    /// The hits of all queries, in the order of the queries.
    pub hits: *const tp_hit,
    /// Number of all hits.
    pub hit_count: usize,
}

/// The neighbors of a batch, with offsets like those of tp_hit_batch.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct tp_neighbor_batch {
    /// As many elements as there are queries, and one more.
    pub offsets: *const usize,
    /// The neighbors of all queries, in the order of the queries; those of one, nearest first.
    pub neighbors: *const tp_neighbor,
    /// Number of all neighbors.
    pub neighbor_count: usize,
}

/// The cast hits of a batch, with offsets like those of tp_hit_batch.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct tp_cast_batch {
    /// As many elements as there are queries, and one more.
    pub offsets: *const usize,
    /// The first hit of each ray that hits something, in the order of the rays.
    pub hits: *const tp_cast_hit,
    /// Number of all hits.
    pub hit_count: usize,
}

/// Runs a batch on the threads of the world, or of the world that the snapshot is of.
fn run(
    c: Caller<'_>,
    world: *const tp_world,
    options: *const tp_query_options,
    batch: impl FnOnce() + Send,
) -> Result<(), Failure> {
    match snapshot(c, options)? {
        Some(snapshot) => snapshot.threads.run(batch),
        None => c.world(world)?.threads.run(batch),
    }
}

/// Copies the results of a batch one after another.
fn join<T: Copy, C: From<T>>(batch: &BatchResults<T>, offsets: &mut Vec<usize>, joined: &mut Vec<C>) {
    offsets.clear();
    joined.clear();
    offsets.push(0);
    for results in batch.iter() {
        joined.extend(results.iter().map(|&one| C::from(one)));
        offsets.push(joined.len());
    }
}

/// Runs tp_query_box() for each area, on several threads. The arrays belong to `buffer`.
///
/// Each query has the hits that it has alone, in the same order. Batches of a world or of its
/// snapshots use its threads even below tp_config.parallel_threshold, unless it uses the calling
/// thread only.
///
/// Errors: TP_STATUS_INVALID_SHAPE; tp_error.row is the index of the first invalid area.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_query_boxes(
    world: *const tp_world,
    options: *const tp_query_options,
    areas: *const tp_box,
    area_count: usize,
    buffer: *mut tp_buffer,
    batch: *mut tp_hit_batch,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let (query, out) = (query(c, world, options)?, c.out(batch, "batch")?);
            let tp_buffer { found, hits, offsets, .. } = c.get_mut(buffer, "buffer")?;
            shapes(c.slice(areas, area_count, "areas")?, &mut found.areas)?;
            run(c, world, options, || query.par_query_aabb(&found.areas, &mut found.hit_batch))?;
            join(&found.hit_batch, offsets, hits);
            out.write(tp_hit_batch { offsets: offsets.as_ptr(), hits: hits.as_ptr(), hit_count: hits.len() });
            Ok(())
        })
    }
}

/// Runs tp_query_circle() for each circle; like tp_query_boxes().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_query_circles(
    world: *const tp_world,
    options: *const tp_query_options,
    circles: *const tp_circle,
    circle_count: usize,
    buffer: *mut tp_buffer,
    batch: *mut tp_hit_batch,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let (query, out) = (query(c, world, options)?, c.out(batch, "batch")?);
            let tp_buffer { found, hits, offsets, .. } = c.get_mut(buffer, "buffer")?;
            shapes(c.slice(circles, circle_count, "circles")?, &mut found.circles)?;
            run(c, world, options, || query.par_query_circle(&found.circles, &mut found.hit_batch))?;
            join(&found.hit_batch, offsets, hits);
            out.write(tp_hit_batch { offsets: offsets.as_ptr(), hits: hits.as_ptr(), hit_count: hits.len() });
            Ok(())
        })
    }
}

/// Runs tp_query_nearest() for each circle, with the same `k`; like tp_query_boxes().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_query_nearests(
    world: *const tp_world,
    options: *const tp_query_options,
    circles: *const tp_circle,
    circle_count: usize,
    k: usize,
    buffer: *mut tp_buffer,
    batch: *mut tp_neighbor_batch,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let (query, out) = (query(c, world, options)?, c.out(batch, "batch")?);
            let tp_buffer { found, neighbors, offsets, .. } = c.get_mut(buffer, "buffer")?;
            shapes(c.slice(circles, circle_count, "circles")?, &mut found.circles)?;
            run(c, world, options, || query.par_k_nearest_within(&found.circles, k, &mut found.neighbor_batch))?;
            join(&found.neighbor_batch, offsets, neighbors);
            let (neighbors, neighbor_count) = (neighbors.as_ptr(), neighbors.len());
            out.write(tp_neighbor_batch { offsets: offsets.as_ptr(), neighbors, neighbor_count });
            Ok(())
        })
    }
}

/// Runs tp_cast_ray() for each ray; like tp_query_boxes(). A ray has one hit or none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_cast_rays(
    world: *const tp_world,
    options: *const tp_query_options,
    rays: *const tp_ray,
    ray_count: usize,
    buffer: *mut tp_buffer,
    batch: *mut tp_cast_batch,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let (query, out) = (query(c, world, options)?, c.out(batch, "batch")?);
            let tp_buffer { found, casts, offsets, .. } = c.get_mut(buffer, "buffer")?;
            shapes(c.slice(rays, ray_count, "rays")?, &mut found.rays)?;
            run(c, world, options, || query.par_cast_ray(&found.rays, &mut found.cast_batch))?;
            join(&found.cast_batch, offsets, casts);
            out.write(tp_cast_batch { offsets: offsets.as_ptr(), hits: casts.as_ptr(), hit_count: casts.len() });
            Ok(())
        })
    }
}
