//! Compares each frame with a full step of another world, and with brute force.

use crate::game::{HalfExtents, Position};
use bevy_app::{App, PostUpdate};
use bevy_ecs::prelude::*;
use std::collections::BTreeSet;
use std::fmt::Debug;
use triphase::reference::{body_aabb, cross_pairs, self_pairs};
use triphase::{Bodies, Filter, Statics, World, WorldConfig};
use triphase_bevy::{
    BroadPhase, BroadPhaseSystems, ContactEnded, ContactStarted, Displacement, EntityFilter, StaticBox,
};

type Pair = (Entity, Entity);

/// The other world, and what was found in the last frame.
#[derive(Resource)]
struct Check {
    full: World,
    result: Result<(), String>,
}

pub fn add(app: &mut App) {
    let full = World::new(WorldConfig::new().with_contact_tracking(true)).expect("valid settings");
    // Commands of the systems after the step are applied when all have run.
    app.insert_resource(Check { full, result: Ok(()) })
        .add_systems(PostUpdate, check.after(BroadPhaseSystems).before(crate::game::hit));
}

/// The differences of the last frame.
pub fn result(app: &App) -> Result<(), String> {
    app.world().resource::<Check>().result.clone()
}

type Body =
    (Entity, &'static Position, &'static HalfExtents, Option<&'static Displacement>, Option<&'static EntityFilter>);

/// The columns of all entities, copied.
#[derive(Default)]
struct Rows {
    entities: Vec<Entity>,
    ids: Vec<u64>,
    boxes: Vec<[f32; 4]>,
    filters: Vec<Filter>,
}

impl Rows {
    fn push(&mut self, entity: Entity, aabb: [f32; 4], filter: Option<&EntityFilter>) {
        self.entities.push(entity);
        self.ids.push(entity.to_bits());
        self.boxes.push(aabb);
        self.filters.push(filter.copied().unwrap_or_default().0);
    }
}

fn check(
    bodies: Query<Body>,
    statics: Query<(Entity, &StaticBox, Option<&EntityFilter>)>,
    broad_phase: Res<BroadPhase>,
    mut check: ResMut<Check>,
    mut started: MessageReader<ContactStarted>,
    mut ended: MessageReader<ContactEnded>,
) {
    let (mut rows, mut walls) = (Rows::default(), Rows::default());
    for (entity, position, half_extents, displacement, filter) in &bodies {
        let aabb = body_aabb(position.0.into(), half_extents.0.into(), displacement.map(|by| by.0));
        rows.push(entity, aabb, filter);
    }
    statics.iter().for_each(|(entity, aabb, filter)| walls.push(entity, aabb.0.to_array(), filter));
    let started = started.read().map(|contact| ordered(contact.a, contact.b)).collect();
    let ended = ended.read().map(|contact| ordered(contact.a, contact.b)).collect();
    check.result = compare(&mut check.full, &broad_phase, &rows, &walls, started, ended);
}

fn compare(
    full: &mut World,
    broad_phase: &BroadPhase,
    rows: &Rows,
    walls: &Rows,
    started: Vec<Pair>,
    ended: Vec<Pair>,
) -> Result<(), String> {
    let found: Vec<Pair> = broad_phase.body_pairs().map(|(a, b)| ordered(a, b)).collect();
    let body_pair = |(a, b): (u32, u32)| ordered(rows.entities[a as usize], rows.entities[b as usize]);
    let interact = |a: &Rows, b: &Rows, (i, j): (u32, u32)| a.filters[i as usize].interacts_with(b.filters[j as usize]);
    let pairs = self_pairs(&rows.boxes).into_iter().filter(|&pair| interact(rows, rows, pair));
    same("pairs, compared with brute force", &found, pairs.map(body_pair))?;
    let pairs = cross_pairs(&rows.boxes, &walls.boxes).into_iter().filter(|&pair| interact(rows, walls, pair));
    let wall_pairs = pairs.map(|(body, wall)| (rows.entities[body as usize], walls.entities[wall as usize]));
    same("static pairs, compared with brute force", &broad_phase.static_pairs().collect::<Vec<_>>(), wall_pairs)?;

    // Statics are set anew in each frame, whatever changed.
    let statics = Statics::new(&walls.boxes).with_ids(&walls.ids).with_filters(&walls.filters);
    full.set_statics(statics).map_err(|error| error.to_string())?;
    let bodies = Bodies::from_aabbs(&rows.boxes).with_ids(&rows.ids).with_filters(&rows.filters);
    let contacts = full.step(bodies).map_err(|error| error.to_string())?;
    same("pairs, compared with a full step", &found, contacts.body_pairs().map(|pair| body_pair((pair.a, pair.b))))?;
    let events = contacts.events().ok_or("contacts are not tracked")?;
    let full_started = events.started().map(|contact| body_pair((contact.pair.a, contact.pair.b)));
    same("contacts that started", &started, full_started)?;
    let full_ended = events.ended().map(|ended| ordered(Entity::from_bits(ended.a_id), Entity::from_bits(ended.b_id)));
    same("contacts that ended", &ended, full_ended)
}

fn ordered(a: Entity, b: Entity) -> Pair {
    (a.min(b), a.max(b))
}

/// Compares sets of pairs; a pair that is found twice is an error too.
fn same<T: Ord + Copy + Debug>(what: &str, found: &[T], expected: impl Iterator<Item = T>) -> Result<(), String> {
    let (expected, set): (BTreeSet<T>, BTreeSet<T>) = (expected.collect(), found.iter().copied().collect());
    if set.len() < found.len() {
        return Err(format!("{what}: of {} pairs, {} are different ones", found.len(), set.len()));
    }
    if set == expected {
        return Ok(());
    }
    Err(format!("{what}: missing {:?}, extra {:?}", &expected - &set, &set - &expected))
}
