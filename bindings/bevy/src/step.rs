//! The system that steps the world.

use crate::broad_phase::BroadPhase;
use crate::changed::flag_changed;
use crate::components::BodyColumns;
use crate::error::StepError;
use crate::messages::ContactWriters;
use crate::tables::{BodyData, BodyTable, body_tables, place_tables};
use bevy_ecs::entity::{Entities, Entity};
use bevy_ecs::error::BevyError;
use bevy_ecs::system::{Query, ResMut};
use triphase::{Bodies, Error};

/// Steps the world from the tables, tells it which rows changed if `is_told`, and sends messages.
pub(crate) fn step<C: BodyColumns>(
    query: Query<BodyData<C>>,
    entities: &Entities,
    broad_phase: ResMut<BroadPhase>,
    mut writers: ContactWriters,
    is_told: bool,
) -> Result<(), BevyError> {
    let BroadPhase { world, placement, statics, changed } = broad_phase.into_inner();
    let last = placement.take(world.step_number());
    let mut tables = body_tables::<C>(&query, entities)?;
    let placed = place_tables(&mut tables, &last);
    let ids: Vec<_> = tables.iter().map(|table| move |row: usize| table.entities[row].to_bits()).collect();
    let bodies: Vec<Bodies<'_>> = tables.iter().zip(&ids).map(|(table, ids)| table.bodies.with_ids_by(ids)).collect();

    let stepped = if is_told && flag_changed(changed, &tables, &placed, &last, world) {
        world.step_changed(&bodies, &*changed)
    } else {
        world.step(&bodies)
    };
    let contacts = stepped.map_err(|error| StepError { entity: entity_of_error(&error, &tables), error })?;
    writers.write(contacts);
    placement.set(placed, world.step_number());
    statics.free.append(&mut statics.freed);
    Ok(())
}

/// The entity of the row that an error names.
fn entity_of_error(error: &Error, tables: &[BodyTable<'_>]) -> Option<Entity> {
    let Error::InvalidBody(invalid) = error else {
        return None;
    };
    tables.iter().flat_map(|table| table.entities).nth(invalid.row as usize).copied()
}
