//! The contact pairs of the last successful step, and what is derived from them.

use crate::buffer::{IslandArrays, tp_buffer};
use crate::caller::{call, flag};
use crate::error::Failure;
use crate::results::{tp_pair, tp_pair_page, tp_static_pair, tp_static_pair_page};
use crate::shapes::tp_box;
use crate::status::tp_status;
use crate::status::tp_status::*;
use crate::world::tp_world;
use broad_phase::{Islands, StaticPair};

/// Order of copied pairs.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tp_pair_order {
    /// The order of the pages: any, but always the same for the same input. Fastest.
    TP_ORDER_FOUND = 0,
    /// Ascending.
    TP_ORDER_SORTED = 1,
}

/// Groups of bodies that touch each other, directly or through others.
///
/// Island `i` consists of `rows[starts[i]]` to `rows[starts[i + 1] - 1]`, ascending. Every row is in
/// one island. Islands are in the order of their lowest rows.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct tp_islands {
    /// Number of islands.
    pub island_count: usize,
    /// Number of rows.
    pub row_count: usize,
    /// The island of each row.
    pub island_by_row: *const u32,
    /// The rows of all islands, island by island.
    pub rows: *const u32,
    /// `island_count + 1` places in `rows`.
    pub starts: *const u32,
}

/// Writes an array of pages with all pairs of bodies, without a copy of the pairs.
///
/// The array is valid until the next call with `buffer`, and the pairs until the next call that
/// changes the world. Loop over the pages, and within over the pairs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_body_pages(
    world: *const tp_world,
    buffer: *mut tp_buffer,
    pages: *mut *const tp_pair_page,
    count: *mut usize,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let (contacts, array) = (c.world(world)?.world.contacts(), &mut c.get_mut(buffer, "buffer")?.pages);
            array.clear();
            array.extend(
                contacts.body_pages().map(|page| tp_pair_page { pairs: page.as_ptr().cast(), count: page.len() }),
            );
            c.give(array, pages, count, "pages")
        })
    }
}

/// Writes an array of pages with all pairs of a body and a static, like tp_body_pages().
///
/// There are none between tp_set_statics() and the next step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_static_pages(
    world: *const tp_world,
    buffer: *mut tp_buffer,
    pages: *mut *const tp_static_pair_page,
    count: *mut usize,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let (contacts, array) = (c.world(world)?.world.contacts(), &mut c.get_mut(buffer, "buffer")?.static_pages);
            array.clear();
            let page = |page: &[StaticPair]| tp_static_pair_page { pairs: page.as_ptr().cast(), count: page.len() };
            array.extend(contacts.static_pages().map(page));
            c.give(array, pages, count, "pages")
        })
    }
}

/// Reads a tp_pair_order: whether pairs are sorted.
fn is_sorted(order: u32) -> Result<bool, Failure> {
    match order {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(Failure::argument(format!("order is {other}, which is no tp_pair_order"))),
    }
}

/// Copies all pairs of bodies to an array of the caller, in a tp_pair_order.
///
/// `count` gets their number, which is also tp_counts.body_pair_count.
///
/// Errors: TP_STATUS_BUFFER_TOO_SMALL, after `count` was written. Then no pair is copied.
/// TP_STATUS_INVALID_ARGUMENT if `order` is no tp_pair_order.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_copy_body_pairs(
    world: *const tp_world,
    order: u32,
    pairs: *mut tp_pair,
    capacity: usize,
    count: *mut usize,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let (contacts, is_sorted) = (c.world(world)?.world.contacts(), is_sorted(order)?);
            let (len, found) = (contacts.body_pairs().len(), contacts.body_pairs().map(bytemuck::cast));
            c.copy(len, found, pairs, capacity, count, "pairs")?;
            if is_sorted && len > 0 {
                c.slice_mut(pairs, len, "pairs")?.sort_unstable();
            }
            Ok(())
        })
    }
}

/// Copies all pairs of a body and a static, like tp_copy_body_pairs().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_copy_static_pairs(
    world: *const tp_world,
    order: u32,
    pairs: *mut tp_static_pair,
    capacity: usize,
    count: *mut usize,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let (contacts, is_sorted) = (c.world(world)?.world.contacts(), is_sorted(order)?);
            let (len, found) = (contacts.static_pairs().len(), contacts.static_pairs().map(bytemuck::cast));
            c.copy(len, found, pairs, capacity, count, "pairs")?;
            if is_sorted && len > 0 {
                c.slice_mut(pairs, len, "pairs")?.sort_unstable();
            }
            Ok(())
        })
    }
}

/// Writes the pairs of bodies of which at least one row changed, in the order of tp_body_pages().
///
/// After tp_step_changed() these are the pairs with a row that was named or added, or that touched a
/// static that changed; after any other step, all pairs. Valid until the next call that changes the
/// world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_changed_pairs(
    world: *const tp_world,
    pairs: *mut *const tp_pair,
    count: *mut usize,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let changed = c.world(world)?.world.contacts().changed_pairs();
            c.give(bytemuck::cast_slice(changed), pairs, count, "pairs")
        })
    }
}

/// Writes the pairs of a body and a static of which the body changed, like tp_changed_pairs().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_changed_static_pairs(
    world: *const tp_world,
    pairs: *mut *const tp_static_pair,
    count: *mut usize,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let changed = c.world(world)?.world.contacts().changed_static_pairs();
            c.give(bytemuck::cast_slice(changed), pairs, count, "pairs")
        })
    }
}

/// Writes the id of a body of the last step.
///
/// Errors: TP_STATUS_NOT_FOUND if the step had no ids or no such row.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_body_id(world: *const tp_world, row: u32, id: *mut u64) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let found = c.world(world)?.world.contacts().body_id(row);
            c.out(id, "id")?.write(found.ok_or_else(|| Failure::body(row, "the step had no ids or no such row"))?);
            Ok(())
        })
    }
}

/// Writes the box of a body of the last step: computed in f32, extended by its displacement.
///
/// The first call after a step takes O(rows) time, later calls O(1).
///
/// Errors: TP_STATUS_NOT_FOUND if the row was skipped or does not exist.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_body_box(world: *const tp_world, row: u32, aabb: *mut tp_box) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let found = c.world(world)?.world.aabb(row);
            let found = found.ok_or_else(|| Failure::body(row, "the step had no such row, or skipped it"))?;
            c.out(aabb, "aabb")?.write(found.into());
            Ok(())
        })
    }
}

/// A setting that the call needs is off.
pub(crate) fn off(setting: &str) -> Failure {
    Failure::status(TP_STATUS_OFF, format!("needs the setting {setting}, which is off"))
}

/// Writes the rows of the bodies that body `row` is a pair with, ascending.
///
/// None if the step had no such row. Valid until the next call that changes the world.
///
/// Errors: TP_STATUS_OFF unless tp_config.partner_lists is on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_partners(
    world: *const tp_world,
    row: u32,
    rows: *mut *const u32,
    count: *mut usize,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let partners = c.world(world)?.world.contacts().partners(row).ok_or_else(|| off("partner_lists"))?;
            c.give(partners, rows, count, "rows")
        })
    }
}

/// Writes the rows of the statics that body `row` is a pair with, like tp_partners().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_static_partners(
    world: *const tp_world,
    row: u32,
    rows: *mut *const u32,
    count: *mut usize,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let partners = c.world(world)?.world.contacts().static_partners(row).ok_or_else(|| off("partner_lists"))?;
            c.give(partners, rows, count, "rows")
        })
    }
}

/// Groups the bodies of the last step into islands, in arrays of `buffer`.
///
/// With `connect_statics` 1, bodies that touch the same static are in the same island, with 0 not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_build_islands(
    world: *const tp_world,
    connect_statics: u8,
    buffer: *mut tp_buffer,
    islands: *mut tp_islands,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let world = c.world(world)?;
            let connect_statics = flag(connect_statics, "connect_statics")?;
            let out = c.out(islands, "islands")?;
            let IslandArrays { islands, rows, starts } = &mut c.get_mut(buffer, "buffer")?.islands;
            *islands = std::mem::replace(islands, Islands::new()).connect_statics(connect_statics);
            world.world.contacts().build_islands(islands);
            rows.clear();
            starts.clear();
            starts.push(0);
            for island in islands.iter() {
                rows.extend_from_slice(island);
                starts.push(rows.len() as u32);
            }
            out.write(tp_islands {
                island_count: islands.len(),
                row_count: rows.len(),
                island_by_row: islands.island_by_row().as_ptr(),
                rows: rows.as_ptr(),
                starts: starts.as_ptr(),
            });
            Ok(())
        })
    }
}
