//! Which rows changed since the last good step.

use crate::tables::{BodyTable, PlacedTable};
use bevy_ecs::change_detection::ContiguousComponentTicksRef;
use triphase::World;

/// With more than one changed row in this many, `step_changed` always steps all rows.
const CHANGED_SHARE: usize = 6;

/// Flags the rows of a step that changed.
///
/// Returns `false` once so many have changed that all rows should be stepped; then `flags` is
/// incomplete. `placed` has the places of `tables`, `last` those of the last good step, and `world`
/// the ids of that step.
///
/// A row that is not flagged has the same entity in the same table. So it has the components that it
/// had, and none of them was written.
pub(crate) fn flag_changed(
    flags: &mut Vec<bool>,
    tables: &[BodyTable<'_>],
    placed: &[PlacedTable],
    last: &[PlacedTable],
    world: &World,
) -> bool {
    let row_count = placed.last().map_or(0, |table| table.first_row + table.len);
    flags.clear();
    flags.resize(row_count, false);
    // The first step has nothing to start from, but it can be one that the next starts from.
    let most = if world.contacts().body_count() == 0 { row_count } else { row_count / CHANGED_SHARE };
    let mut changed = 0;
    for (table, placed) in tables.iter().zip(placed) {
        let flags = &mut flags[placed.first_row..][..placed.len];
        flag_table(flags, table, *placed, last, world, most - changed);
        changed += count(flags);
        if changed > most {
            return false;
        }
    }
    true
}

/// Flags the changed rows of one table, and stops once there are more than `most`.
fn flag_table(
    flags: &mut [bool],
    table: &BodyTable<'_>,
    placed: PlacedTable,
    last: &[PlacedTable],
    world: &World,
    most: usize,
) {
    // A table in another place has other rows. Its entities may have the same rows by chance, in
    // another table before: then they had other components.
    let Some(last) = last.iter().find(|last| (last.id, last.first_row) == (placed.id, placed.first_row)) else {
        return flags.fill(true);
    };
    let common = last.len.min(flags.len());
    flags[common..].fill(true);
    for ticks in table.ticks.iter().flatten() {
        flag_written(flags, ticks);
        if count(flags) > most {
            return;
        }
    }
    // Rows of entities that were spawned, or that were moved into the place of others.
    let contacts = world.contacts();
    for ((row, entity), flag) in (placed.first_row as u32..).zip(table.entities).zip(&mut flags[..common]) {
        *flag |= contacts.body_id(row) != Some(entity.to_bits());
    }
}

/// Flags the rows in which a component was written since the system ran last.
fn flag_written(flags: &mut [bool], ticks: &ContiguousComponentTicksRef<'_>) {
    // Known without looking at rows for components that are marked with `summary_tick`.
    if ticks.summary_tick_is_changed() != Some(false) {
        flags.iter_mut().zip(ticks.is_changed_iter()).for_each(|(flag, written)| *flag |= written);
    }
}

fn count(flags: &[bool]) -> usize {
    flags.iter().filter(|&&flag| flag).count()
}
