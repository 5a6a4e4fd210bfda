//! Keeps the static set the same as the entities with [`StaticBox`].

use crate::broad_phase::BroadPhase;
use crate::components::{EntityFilter, StaticBox};
use crate::static_rows::StaticRows;
use bevy_app::App;
use bevy_ecs::entity::Entity;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::error::BevyError;
use bevy_ecs::lifecycle::{Add, Remove};
use bevy_ecs::observer::On;
use bevy_ecs::prelude::{Changed, Or, With};
use bevy_ecs::resource::Resource;
use bevy_ecs::system::{Query, ResMut};
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

/// Statics that may have appeared or disappeared, or lost their filter, since the last step.
///
/// Filled by observers, so that it is complete however rarely the world is stepped: Bevy forgets
/// the entities of `RemovedComponents` after two frames.
#[derive(Default, Resource)]
pub(crate) struct TouchedStatics(Vec<Entity>);

/// Adds the observers that fill [`TouchedStatics`].
pub(crate) fn watch_statics(app: &mut App) {
    app.init_resource::<TouchedStatics>()
        .add_observer(
            |removed: On<Remove<(StaticBox, EntityFilter, Disabled)>>, mut touched: ResMut<TouchedStatics>| {
                touched.0.push(removed.entity);
            },
        )
        .add_observer(|disabled: On<Add<Disabled>>, mut touched: ResMut<TouchedStatics>| {
            touched.0.push(disabled.entity);
        });
}

type ChangedStatic = (With<StaticBox>, Or<(Changed<StaticBox>, Changed<EntityFilter>)>);

/// Inserts, replaces and removes the statics whose entities changed.
///
/// `all` are those that are not disabled.
pub(crate) fn update_statics(
    all: Query<(&StaticBox, Option<&EntityFilter>)>,
    changed: Query<Entity, ChangedStatic>,
    mut touched: ResMut<TouchedStatics>,
    mut broad_phase: ResMut<BroadPhase>,
) -> Result<(), BevyError> {
    let mut entities = std::mem::take(&mut touched.0);
    entities.extend(changed.iter());
    entities.sort_unstable();
    entities.dedup();

    let BroadPhase { world, statics: StaticRows { rows, free, freed }, .. } = &mut *broad_phase;
    let (mut removed_rows, mut replaced_rows) = (Vec::new(), Vec::new());
    let (mut replaced, mut inserted) = (Batch::default(), Batch::default());
    for entity in entities {
        let Ok((StaticBox(aabb), filter)) = all.get(entity) else {
            removed_rows.extend(rows.remove(&entity));
            continue;
        };
        if let Some(row) = rows.get(&entity).copied().or_else(|| free.pop()) {
            rows.insert(entity, row);
            replaced_rows.push(row);
            replaced.push(entity, *aabb, filter);
        } else {
            inserted.push(entity, *aabb, filter);
        }
    }
    if !removed_rows.is_empty() {
        world.remove_statics(&removed_rows)?;
        freed.append(&mut removed_rows);
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
