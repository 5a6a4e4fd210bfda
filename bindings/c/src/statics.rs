//! Statics: boxes that rarely change.

use crate::bodies::{tp_column, tp_filter};
use crate::caller::{Caller, call, flag};
use crate::error::Failure;
use crate::error::tp_column_kind::*;
use crate::shapes::tp_box;
use crate::status::tp_status;
use crate::world::tp_world;
use broad_phase::tier::static_tree::StaticTree;
use broad_phase::{Filter, Statics, StridedColumn};

/// Statics, in columns like those of bodies. The world copies them.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct tp_statics {
    /// Number of rows. May be 0.
    pub count: usize,
    /// tp_box each, in world units.
    pub boxes: tp_column,
    /// Optional, uint64_t each: ids, unique if contacts are tracked.
    pub ids: tp_column,
    /// Optional, tp_filter each.
    pub filters: tp_column,
}

/// A static of the set.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct tp_static {
    /// Its box, or zeros if it was removed.
    pub aabb: tp_box,
    /// Its filter; all bits are set if it was given none.
    pub filter: tp_filter,
    /// Its id, or its row if the set has no ids.
    pub id: u64,
    /// 1 if the set has ids.
    pub has_id: u8,
    /// 1 if it takes part in steps and queries.
    pub enabled: u8,
    /// 1 if it was removed.
    pub removed: u8,
    /// Always 0.
    pub reserved: [u8; 5],
}

/// Statics in contiguous columns.
struct StaticColumns {
    boxes: Vec<[f32; 4]>,
    ids: Option<Vec<u64>>,
    filters: Option<Vec<Filter>>,
}

impl StaticColumns {
    fn read(c: Caller<'_>, statics: *const tp_statics) -> Result<Self, Failure> {
        fn all<T: bytemuck::AnyBitPattern>(column: StridedColumn<'_, T>) -> Vec<T> {
            (0..column.len()).filter_map(|row| column.get(row)).collect()
        }
        let &tp_statics { count, boxes, ids, filters } = c.get(statics, "statics")?;
        Ok(Self {
            boxes: all(boxes.required(c, count, TP_COLUMN_BOX, "boxes")?),
            ids: ids.optional(c, count, TP_COLUMN_ID, "ids")?.map(all),
            filters: filters.optional(c, count, TP_COLUMN_FILTER, "filters")?.map(all),
        })
    }

    fn statics(&self) -> Statics<'_> {
        let mut statics = Statics::new(&self.boxes);
        if let Some(ids) = &self.ids {
            statics = statics.with_ids(ids);
        }
        if let Some(filters) = &self.filters {
            statics = statics.with_filters(filters);
        }
        statics
    }
}

/// Replaces the static set, with all statics enabled.
///
/// Queries see the new set at once. There are no static pairs until the next step. Takes
/// O(n log n) time: to change a few statics, use the calls below.
///
/// Tracked contacts with a static persist if the static of that id is in the new set. If either set
/// has no ids, all contacts with statics end, and begin anew. Until the next step, tp_read_events()
/// has rows of the old set.
///
/// Errors: TP_STATUS_INVALID_STATIC names the lowest invalid row; TP_STATUS_DUPLICATE_ID if contacts
/// are tracked; TP_STATUS_TOO_MANY_ROWS; TP_STATUS_NULL_POINTER and TP_STATUS_INVALID_STRIDE name the
/// column. On an error the old set stays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_set_statics(world: *mut tp_world, statics: *const tp_statics) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let columns = StaticColumns::read(c, statics)?;
            c.update(world, |world| {
                let is_parallel = world.is_parallel(usize::MAX);
                world.update_on_pool(is_parallel, |world| world.set_statics(columns.statics()))
            })
        })
    }
}

/// Appends statics, all enabled, and writes the row of the first of them.
///
/// `first_row` may be null. The statics need ids if the set has ids, and must not have them if it
/// has none; an empty set takes either. Queries see them at once, contact pairs from the next step
/// on. Rows are never renumbered.
///
/// Errors: those of tp_set_statics(), and TP_STATUS_INCONSISTENT_IDS. An invalid row counts among the
/// given statics, and rows that share an id count in the whole set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_insert_statics(
    world: *mut tp_world,
    statics: *const tp_statics,
    first_row: *mut u32,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let columns = StaticColumns::read(c, statics)?;
            let first_row = c.optional_out(first_row, "first_row")?;
            c.update(world, |world| {
                let is_parallel = world.is_parallel(usize::MAX);
                let rows = world.update_on_pool(is_parallel, |world| world.insert_statics(columns.statics()))?;
                if let Some(first_row) = first_row {
                    first_row.write(rows.start);
                }
                Ok(())
            })
        })
    }
}

/// Replaces the statics of some rows, and enables these rows: row `rows[k]` gets static `k`.
///
/// There are as many rows as statics; a row that is named twice gets the last of its statics. Rows
/// of removed statics may be named too.
///
/// Errors: those of tp_insert_statics(), TP_STATUS_NOT_FOUND if there is no such row, and
/// TP_STATUS_LENGTH_MISMATCH. On an error nothing changes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_replace_statics(
    world: *mut tp_world,
    rows: *const u32,
    row_count: usize,
    statics: *const tp_statics,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let columns = StaticColumns::read(c, statics)?;
            let rows = c.slice(rows, row_count, "rows")?;
            c.update(world, |world| {
                let is_parallel = world.is_parallel(usize::MAX);
                world.update_on_pool(is_parallel, |world| world.replace_statics(rows, columns.statics()))
            })
        })
    }
}

/// Removes the statics of some rows. The rows remain, without boxes.
///
/// Errors: TP_STATUS_NOT_FOUND if there is no such row. Then nothing changes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_remove_statics(world: *mut tp_world, rows: *const u32, row_count: usize) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let rows = c.slice(rows, row_count, "rows")?;
            c.update(world, |world| {
                let is_parallel = world.is_parallel(usize::MAX);
                world.update_on_pool(is_parallel, |world| world.remove_statics(rows))
            })
        })
    }
}

/// Enables (1) or disables (0) a static, such as a door.
///
/// Queries see the change at once, contact pairs from the next step on.
///
/// Errors: TP_STATUS_NOT_FOUND if there is no such row, TP_STATUS_REMOVED if its static was removed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_set_static_enabled(world: *mut tp_world, row: u32, enabled: u8) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let enabled = flag(enabled, "enabled")?;
            c.update(world, |world| {
                world.world.set_static_enabled(row, enabled)?;
                Ok(())
            })
        })
    }
}

/// Writes a static of the set.
///
/// Errors: TP_STATUS_NOT_FOUND if there is no such row.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_get_static(world: *const tp_world, row: u32, found: *mut tp_static) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe { call(|c| give_static(c, c.world(world)?.world.statics(), row, found)) }
}

/// Writes a static of a set.
pub(crate) fn give_static(c: Caller<'_>, statics: &StaticTree, row: u32, found: *mut tp_static) -> Result<(), Failure> {
    let out = c.out(found, "found")?;
    if row as usize >= statics.len() {
        return Err(broad_phase::Error::StaticOutOfRange { row, count: statics.len() }.into());
    }
    let aabb = statics.aabb(row);
    let filter = statics.filter(row).unwrap_or_default();
    out.write(tp_static {
        aabb: aabb.map_or([0.0; 4], |aabb| aabb.to_array()).into(),
        filter: tp_filter { layers: filter.layers, mask: filter.mask },
        id: statics.id(row).unwrap_or(row.into()),
        has_id: statics.id(row).is_some().into(),
        enabled: statics.is_enabled(row).unwrap_or(false).into(),
        removed: aabb.is_none().into(),
        reserved: [0; 5],
    });
    Ok(())
}
