//! Keeps the static set the same as the entities with [`StaticBox`].

use crate::broad_phase::BroadPhase;
use crate::components::{EntityFilter, StaticBox};
use crate::static_rows::StaticRows;
use bevy_ecs::entity::Entity;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::error::BevyError;
use bevy_ecs::lifecycle::RemovedComponents;
use bevy_ecs::prelude::{Added, Changed, Or, With};
use bevy_ecs::system::{Query, ResMut, SystemParam};
use triphase::{Aabb, Filter, Statics};

/// Statics that get rows, column by column.
#[derive(Default)]
struct Batch {
    aabbs: Vec<Aabb>,
    ids: Vec<u64>,
    filters: Vec<Filter>,
}

impl Batch {
    fn push(&mut self, entity: Entity, aabb: Aabb, filter: Option<&EntityFilter>) {
        self.aabbs.push(aabb);
        self.ids.push(entity.to_bits());
        self.filters.push(filter.copied().unwrap_or_default().0);
    }

    fn statics(&self) -> Statics<'_> {
        let statics = Statics::new(&self.aabbs).with_ids(&self.ids);
        // A set in which nobody has a filter stays without that column.
        if self.filters.iter().all(|&filter| filter == Filter::ALL) {
            statics
        } else {
            statics.with_filters(&self.filters)
        }
    }
}

type ChangedStatic = (With<StaticBox>, Or<(Changed<StaticBox>, Changed<EntityFilter>)>);

/// Which statics may have changed, by everything that can happen to them.
#[derive(SystemParam)]
pub(crate) struct StaticChanges<'w, 's> {
    /// All that are not disabled.
    all: Query<'w, 's, (&'static StaticBox, Option<&'static EntityFilter>)>,
    changed: Query<'w, 's, Entity, ChangedStatic>,
    disabled: Query<'w, 's, Entity, (With<StaticBox>, Added<Disabled>)>,
    removed: RemovedComponents<'w, 's, StaticBox>,
    removed_filters: RemovedComponents<'w, 's, EntityFilter>,
    enabled: RemovedComponents<'w, 's, Disabled>,
}

impl StaticChanges<'_, '_> {
    /// Entities that were statics, and are none any more. (One whose box was removed and inserted
    /// again is still one.)
    fn gone(&mut self) -> Vec<Entity> {
        let Self { all, disabled, removed, .. } = self;
        removed.read().chain(disabled.iter()).filter(|&entity| !all.contains(entity)).collect()
    }

    /// Statics that are new or may have changed, each once.
    fn changed(&mut self) -> Vec<Entity> {
        let Self { all, changed, removed_filters, enabled, .. } = self;
        let entities = changed.iter().chain(removed_filters.read()).chain(enabled.read());
        let mut entities: Vec<Entity> = entities.filter(|&entity| all.contains(entity)).collect();
        entities.sort_unstable();
        entities.dedup();
        entities
    }
}

/// Inserts, replaces and removes the statics whose entities changed.
pub(crate) fn update_statics(mut changes: StaticChanges, mut broad_phase: ResMut<BroadPhase>) -> Result<(), BevyError> {
    let BroadPhase { world, statics: StaticRows { rows, free }, .. } = &mut *broad_phase;
    for entity in changes.gone() {
        if let Some(&row) = rows.get(&entity) {
            world.remove_statics(&[row])?;
            rows.remove(&entity);
            free.push(row);
        }
    }

    let (mut replaced_rows, mut replaced, mut inserted) = (Vec::new(), Batch::default(), Batch::default());
    for entity in changes.changed() {
        let (StaticBox(aabb), filter) = changes.all.get(entity)?;
        if let Some(row) = rows.get(&entity).copied().or_else(|| free.pop()) {
            rows.insert(entity, row);
            replaced_rows.push(row);
            replaced.push(entity, *aabb, filter);
        } else {
            inserted.push(entity, *aabb, filter);
        }
    }
    if !replaced_rows.is_empty() {
        world.replace_statics(&replaced_rows, replaced.statics())?;
    }
    if !inserted.ids.is_empty() {
        let new_rows = world.insert_statics(inserted.statics())?;
        rows.extend(inserted.ids.iter().map(|&id| Entity::from_bits(id)).zip(new_rows));
    }
    Ok(())
}
