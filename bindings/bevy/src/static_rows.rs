//! Which entity has which row in the static set.

use bevy_ecs::entity::{Entity, EntityHashMap};

/// The rows of entities in the static set.
#[derive(Default)]
pub(crate) struct StaticRows {
    pub(crate) rows: EntityHashMap<u32>,
    /// Rows of removed statics, for the next ones.
    pub(crate) free: Vec<u32>,
    /// Rows of those removed since the last good step. The pairs of that step still name them, so
    /// they are not used again yet.
    pub(crate) freed: Vec<u32>,
}

impl StaticRows {
    pub(crate) fn row(&self, entity: Entity) -> Option<u32> {
        self.rows.get(&entity).copied()
    }
}
