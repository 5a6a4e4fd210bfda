//! The colliders of a `ColliderSet` as rows of a world, and their pairs.

use crate::filter::{filter_of, needs_test};
use rapier2d::dynamics::RigidBodySet;
use rapier2d::geometry::{Collider, ColliderHandle, ColliderSet};
use triphase::{Bodies, Error, Filter, Hit, Statics, World};

/// The columns of a world: colliders of bodies that move are bodies, all others are statics.
#[derive(Default)]
pub struct Rows {
    boxes: Vec<[f32; 4]>,
    filters: Vec<Filter>,
    ids: Vec<u64>,
    needs_test: Vec<bool>,
}

impl Rows {
    /// Fills the columns with the enabled colliders that are statics, or with those that are not.
    ///
    /// rapier's own AABB has no margin: `compute_aabb`. For pairs within a prediction distance, use
    /// `compute_collision_aabb`; for moving sensors and CCD, `compute_swept_aabb`.
    pub fn fill(&mut self, bodies: &RigidBodySet, colliders: &ColliderSet, statics: bool) {
        let Self { boxes, filters, ids, needs_test: tests } = self;
        boxes.clear();
        filters.clear();
        ids.clear();
        tests.clear();
        let rows = colliders.iter().filter(|(_, c)| c.is_enabled() && is_static(bodies, c) == statics);
        for (handle, collider) in rows {
            let aabb = collider.compute_aabb();
            let groups = collider.collision_groups();
            boxes.push([aabb.mins.x, aabb.mins.y, aabb.maxs.x, aabb.maxs.y]);
            filters.push(filter_of(groups));
            ids.push(id_of(handle));
            tests.push(needs_test(groups));
        }
    }

    /// Replaces the statics of a world; needed again only if a static collider has changed.
    ///
    /// # Errors
    ///
    /// If a box is not finite.
    pub fn set_statics(&self, world: &mut World) -> Result<(), Error> {
        world.set_statics(Statics::new(&self.boxes).with_ids(&self.ids).with_filters(&self.filters))
    }

    /// Steps a world, and calls `visit` with each pair of colliders whose boxes overlap and whose
    /// groups interact. `statics` are the rows of the statics.
    ///
    /// # Errors
    ///
    /// If a box is not finite.
    pub fn for_each_pair(
        &self,
        statics: &Self,
        world: &mut World,
        colliders: &ColliderSet,
        mut visit: impl FnMut(ColliderHandle, ColliderHandle),
    ) -> Result<(), Error> {
        let bodies = Bodies::from_aabbs(&self.boxes).with_ids(&self.ids).with_filters(&self.filters);
        let contacts = world.step(bodies)?;
        let mut check = |a: ColliderHandle, b: ColliderHandle, is_tested: bool| {
            if !is_tested || colliders[a].collision_groups().test(colliders[b].collision_groups()) {
                visit(a, b);
            }
        };
        for pair in contacts.body_pairs() {
            let (a, b) = (pair.a as usize, pair.b as usize);
            check(handle_of(self.ids[a]), handle_of(self.ids[b]), self.needs_test[a] | self.needs_test[b]);
        }
        for pair in contacts.static_pairs() {
            let (a, b) = (pair.body as usize, pair.static_row as usize);
            check(handle_of(self.ids[a]), handle_of(statics.ids[b]), self.needs_test[a] | statics.needs_test[b]);
        }
        Ok(())
    }
}

/// Whether a collider never moves: rapier takes one without a body as fixed.
pub fn is_static(bodies: &RigidBodySet, collider: &Collider) -> bool {
    collider.parent().and_then(|parent| bodies.get(parent)).is_none_or(|body| body.is_fixed())
}

/// A handle as an id; a collider that takes the index of a removed one has another generation.
pub fn id_of(handle: ColliderHandle) -> u64 {
    let (index, generation) = handle.into_raw_parts();
    u64::from(generation) << 32 | u64::from(index)
}

/// The handle that was made an id.
pub fn handle_of(id: u64) -> ColliderHandle {
    ColliderHandle::from_raw_parts(id as u32, (id >> 32) as u32)
}

/// The collider that a query hit. Both sets of rows have ids.
pub fn collider_of(hit: Hit) -> ColliderHandle {
    let (Hit::Body { id, .. } | Hit::Static { id, .. }) = hit;
    handle_of(id.expect("bodies and statics were given ids"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_is_its_id() {
        for (index, generation) in [(0, 0), (7, 3), (u32::MAX, 1), (5, u32::MAX)] {
            let handle = ColliderHandle::from_raw_parts(index, generation);
            assert_eq!(handle_of(id_of(handle)), handle);
        }
    }
}
