//! Keeps the static set the same as the entities with [`StaticBox`].

use crate::broad_phase::BroadPhase;
use crate::components::{EntityFilter, StaticBox};
use crate::static_rows::StaticRows;
use bevy_app::App;
use bevy_ecs::entity::{Entity, EntityHashSet};
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::error::BevyError;
use bevy_ecs::lifecycle::{Add, Remove};
use bevy_ecs::observer::On;
use bevy_ecs::prelude::{Allow, Changed, Or, With};
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

/// Entities with [`StaticBox`] that have lost it or their filter, or were enabled or disabled, since
/// the last step.
///
/// Filled by observers, so that it is complete however rarely the world is stepped: Bevy forgets
/// the entities of `RemovedComponents` after two frames.
#[derive(Default, Resource)]
pub(crate) struct TouchedStatics(EntityHashSet);

/// Whether an entity is a static, or is a disabled one.
type AnyStatic = (With<StaticBox>, Allow<Disabled>);

/// Adds the observers that fill [`TouchedStatics`].
pub(crate) fn watch_statics(app: &mut App) {
    app.init_resource::<TouchedStatics>()
        .add_observer(
            // Before it is removed.
            |removed: On<Remove<(StaticBox, EntityFilter, Disabled)>>,
             statics: Query<(), AnyStatic>,
             mut touched: ResMut<TouchedStatics>| {
                if statics.contains(removed.entity) {
                    touched.0.insert(removed.entity);
                }
            },
        )
        .add_observer(
            |disabled: On<Add<Disabled>>, statics: Query<(), AnyStatic>, mut touched: ResMut<TouchedStatics>| {
                if statics.contains(disabled.entity) {
                    touched.0.insert(disabled.entity);
                }
            },
        );
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
    let mut entities: Vec<Entity> = touched.0.drain().chain(changed.iter()).collect();
    entities.sort_unstable();
    entities.dedup();

    let BroadPhase { world, statics: StaticRows { rows, free, freed }, .. } = &mut *broad_phase;
    let (mut removed, mut removed_rows, mut replaced_rows) = (Vec::new(), Vec::new(), Vec::new());
    let (mut replaced, mut inserted) = (Batch::default(), Batch::default());
    for entity in entities {
        let Ok((StaticBox(aabb), filter)) = all.get(entity) else {
            if let Some(&row) = rows.get(&entity) {
                removed.push(entity);
                removed_rows.push(row);
            }
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
        removed.iter().for_each(|entity| _ = rows.remove(entity));
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
