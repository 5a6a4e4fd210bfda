//! Compares the contacts of a frame with brute force over the entities of the hecs world.

use crate::columns::{body_and_wall, entities, entity};
use crate::components::{BULLET_HALF_EXTENTS, Displacement, HalfExtents, Position, Wall};
use hecs::Entity;
use std::collections::BTreeSet;
use std::fmt::Debug;
use triphase::reference::body_aabb;
use triphase::{Aabb, Filter};

/// A pair of bodies, the smaller entity first.
type Pair = (Entity, Entity);

/// What the frame before had, to tell which contacts began and ended.
#[derive(Default)]
pub struct Check {
    bodies: BTreeSet<Pair>,
    statics: BTreeSet<Pair>,
}

impl Check {
    /// Compares pairs, and what began and ended since the last call.
    ///
    /// Call it in each frame, after the step and before entities change.
    pub fn frame(&mut self, ecs: &hecs::World, physics: &triphase::World) -> Result<(), String> {
        let contacts = physics.contacts();
        let events = contacts.events().ok_or("contacts are not tracked")?;
        let (bodies, statics) = brute_force(ecs);

        let pair = |pair| ordered(entities(contacts, pair));
        let wall_pair = |pair| body_and_wall(contacts, pair);
        same("body pairs", contacts.body_pairs().map(pair), bodies.clone())?;
        same("static pairs", contacts.static_pairs().map(wall_pair), statics.clone())?;

        let began = events.started().map(|contact| pair(contact.pair));
        same("contacts that began", began, &bodies - &self.bodies)?;
        let ended = events.ended().map(|ended| ordered((entity(ended.a_id), entity(ended.b_id))));
        same("contacts that ended", ended, &self.bodies - &bodies)?;
        let began = events.started_static().map(|contact| wall_pair(contact.pair));
        same("static contacts that began", began, &statics - &self.statics)?;
        let ended = events.ended_static().map(|ended| (entity(ended.body_id), entity(ended.static_id)));
        same("static contacts that ended", ended, &self.statics - &statics)?;

        (self.bodies, self.statics) = (bodies, statics);
        Ok(())
    }
}

/// All pairs of bodies, and of bodies and walls, by two loops.
fn brute_force(ecs: &hecs::World) -> (BTreeSet<Pair>, BTreeSet<Pair>) {
    type Body<'q> = (Entity, &'q Position, Option<&'q HalfExtents>, Option<&'q Displacement>, Option<&'q Filter>);
    let mut query = ecs.query::<Body<'_>>();
    let bodies: Vec<_> = query
        .iter()
        .map(|(entity, position, half_extents, displacement, filter)| {
            let half = half_extents.map_or(BULLET_HALF_EXTENTS, |half| half.0);
            let aabb = body_aabb(position.0.into(), half.into(), displacement.map(|move_by| move_by.0.into()));
            (entity, Aabb::try_from(aabb).expect("a step was made of it"), filter.copied().unwrap_or_default())
        })
        .collect();
    let mut query = ecs.query::<(Entity, &Aabb, &Filter, &Wall)>();
    let walls: Vec<_> = query.iter().map(|(entity, aabb, filter, _)| (entity, *aabb, *filter)).collect();

    let (mut body_pairs, mut static_pairs) = (BTreeSet::new(), BTreeSet::new());
    for (k, a) in bodies.iter().enumerate() {
        for b in &bodies[k + 1..] {
            if a.1.overlaps(&b.1) && a.2.interacts_with(b.2) {
                body_pairs.insert(ordered((a.0, b.0)));
            }
        }
        for wall in &walls {
            if a.1.overlaps(&wall.1) && a.2.interacts_with(wall.2) {
                static_pairs.insert((a.0, wall.0));
            }
        }
    }
    (body_pairs, static_pairs)
}

fn ordered((a, b): Pair) -> Pair {
    (a.min(b), a.max(b))
}

/// Compares what the step found with what is expected; a pair that is found twice is an error too.
fn same<T: Ord + Copy + Debug>(
    what: &str,
    found: impl Iterator<Item = T>,
    expected: BTreeSet<T>,
) -> Result<(), String> {
    let mut missing = expected;
    let mut extra = Vec::new();
    found.for_each(|pair| {
        if !missing.remove(&pair) {
            extra.push(pair);
        }
    });
    if missing.is_empty() && extra.is_empty() {
        return Ok(());
    }
    Err(format!("{what}: brute force has {missing:?} besides, and has not {extra:?}"))
}
