//! The resource that holds the triphase world.

use crate::messages::entity_of;
use crate::static_rows::StaticRows;
use crate::tables::Placement;
use bevy_ecs::entity::Entity;
use bevy_ecs::resource::Resource;
use triphase::{Error, Hit, World, WorldConfig};

/// The triphase world of an app, which [`TriphasePlugin`](crate::TriphasePlugin) steps.
///
/// Between steps, it has the contacts of the last one, and answers queries about it:
///
/// ```
/// use bevy_ecs::prelude::*;
/// use triphase::Circle;
/// use triphase_bevy::{BroadPhase, entity_of_hit};
///
/// fn explode(broad_phase: Res<BroadPhase>, mut commands: Commands) -> Result {
///     for hit in broad_phase.world().query_circle(Circle::new([3.0, 4.0], 10.0)?) {
///         commands.entity(entity_of_hit(hit)).despawn();
///     }
///     Ok(())
/// }
/// # bevy_app::App::new().add_systems(bevy_app::Update, explode);
/// ```
#[derive(Resource)]
pub struct BroadPhase {
    pub(crate) world: World,
    pub(crate) placement: Placement,
    pub(crate) statics: StaticRows,
    /// A flag per row of the step; kept for its memory.
    pub(crate) changed: Vec<bool>,
}

impl BroadPhase {
    /// Creates a world without bodies.
    ///
    /// # Errors
    ///
    /// Those of [`World::new`].
    pub fn new(config: WorldConfig) -> Result<Self, Error> {
        let (placement, statics) = (Placement::default(), StaticRows::default());
        Ok(Self { world: World::new(config)?, placement, statics, changed: Vec::new() })
    }

    /// The world. Ids of bodies and statics are [`Entity::to_bits`].
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The world, for example to set values of contacts or to shift its origin.
    ///
    /// Do not change its statics: these follow the entities with [`StaticBox`](crate::StaticBox).
    /// If it is stepped by others, all rows are stepped in the next frame.
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// The pairs of bodies in the last step.
    pub fn body_pairs(&self) -> impl ExactSizeIterator<Item = (Entity, Entity)> {
        let contacts = self.world.contacts();
        let body = move |row| entity_of(contacts.body_id(row));
        contacts.body_pairs().map(move |pair| (body(pair.a), body(pair.b)))
    }

    /// The pairs of a body and a static in the last step.
    pub fn static_pairs(&self) -> impl ExactSizeIterator<Item = (Entity, Entity)> {
        let contacts = self.world.contacts();
        contacts
            .static_pairs()
            .map(move |pair| (entity_of(contacts.body_id(pair.body)), entity_of(contacts.static_id(pair.static_row))))
    }

    /// The row of an entity in the static set, or `None` if it was no static in the last step.
    pub fn static_row(&self, entity: Entity) -> Option<u32> {
        self.statics.row(entity)
    }
}

/// The entity of a hit of a query. Between steps, it may have been despawned.
///
/// # Panics
///
/// If the hit is that of a world whose ids are no entities.
pub fn entity_of_hit(hit: Hit) -> Entity {
    match hit {
        Hit::Body { id, .. } | Hit::Static { id, .. } => entity_of(id),
    }
}
