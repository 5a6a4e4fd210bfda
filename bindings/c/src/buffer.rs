//! Memory for the results of calls, which is reused.

use crate::caller::call;
use crate::results::{
    tp_cast_hit, tp_ended_pair, tp_ended_static_pair, tp_hit, tp_neighbor, tp_pair_page, tp_static_pair_page,
    tp_tracked_pair, tp_tracked_static_pair,
};
use crate::status::tp_status;
use broad_phase::query::BatchResults;
use broad_phase::{Aabb, CastHit, Circle, Hit, Islands, Neighbor, Ray};

/// Memory for the results of calls.
///
/// Opaque; made by tp_buffer_create(). Each array that a call writes to a buffer is valid until the
/// next call with the same buffer, whatever becomes of the world. (Pages of pairs point to pairs of
/// the world, which are valid until the next call that changes it.) Keep a buffer from frame to frame,
/// and one for each thread that makes queries at the same time.
#[derive(Default)]
pub struct tp_buffer {
    pub(crate) hits: Vec<tp_hit>,
    pub(crate) neighbors: Vec<tp_neighbor>,
    pub(crate) casts: Vec<tp_cast_hit>,
    /// Where the results of each query of a batch begin, and their number.
    pub(crate) offsets: Vec<usize>,
    pub(crate) pages: Vec<tp_pair_page>,
    pub(crate) static_pages: Vec<tp_static_pair_page>,
    pub(crate) events: EventArrays,
    pub(crate) islands: IslandArrays,
    pub(crate) found: Found,
}

/// Shapes and results as the library has them.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) areas: Vec<Aabb>,
    pub(crate) circles: Vec<Circle>,
    pub(crate) rays: Vec<Ray>,
    pub(crate) neighbors: Vec<Neighbor>,
    pub(crate) casts: Vec<CastHit>,
    pub(crate) hit_batch: BatchResults<Hit>,
    pub(crate) neighbor_batch: BatchResults<Neighbor>,
    pub(crate) cast_batch: BatchResults<CastHit>,
}

/// The arrays of tp_events.
#[derive(Default)]
pub(crate) struct EventArrays {
    pub(crate) began: Vec<tp_tracked_pair>,
    pub(crate) persisted: Vec<tp_tracked_pair>,
    pub(crate) ended: Vec<tp_ended_pair>,
    pub(crate) static_began: Vec<tp_tracked_static_pair>,
    pub(crate) static_persisted: Vec<tp_tracked_static_pair>,
    pub(crate) static_ended: Vec<tp_ended_static_pair>,
}

/// The arrays of tp_islands.
#[derive(Default)]
pub(crate) struct IslandArrays {
    pub(crate) islands: Islands,
    pub(crate) rows: Vec<u32>,
    pub(crate) starts: Vec<u32>,
}

/// Creates an empty buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_buffer_create(buffer: *mut *mut tp_buffer) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            c.out(buffer, "buffer")?.write(Box::into_raw(Box::default()));
            Ok(())
        })
    }
}

/// Destroys a buffer and its arrays. `buffer` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_buffer_destroy(buffer: *mut tp_buffer) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            drop(c.take(buffer));
            Ok(())
        })
    }
}
