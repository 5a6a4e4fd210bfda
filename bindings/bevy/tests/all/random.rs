//! Random changes to an app, of every kind that moves rows, against brute force in each frame.
//!
//! Builds with debug assertions also check that each row which is not told is as it was.

use crate::common::{Columns, Expected, HalfExtents, Position, assert_same, half_extents, position};
use bevy_app::{App, PostUpdate};
use bevy_ecs::component::Component;
use bevy_ecs::entity::Entity;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::{DetectChangesMut, IntoScheduleConfigs, MessageReader, Mut, Resource, With};
use bevy_ecs::system::{Commands, Res, ResMut};
use fastrand::Rng;
use std::collections::BTreeSet;
use triphase::{Aabb, Filter};
use triphase_bevy::{
    BroadPhase, BroadPhaseSystems, ContactEnded, ContactStarted, Displacement, EntityFilter, StaticBox,
    StaticContactEnded, StaticContactStarted, TriphasePlugin,
};

/// Moves an entity to another table.
#[derive(Component)]
struct Marker;

/// The last frame's pairs, to tell what began and ended.
#[derive(Default, Resource)]
struct Last {
    bodies: BTreeSet<(Entity, Entity)>,
    statics: BTreeSet<(Entity, Entity)>,
    /// Frames in which some rows, but few, were searched for.
    told: usize,
}

fn check(
    expected: Expected,
    broad_phase: Res<BroadPhase>,
    mut last: ResMut<Last>,
    mut started: MessageReader<ContactStarted>,
    mut ended: MessageReader<ContactEnded>,
    mut static_started: MessageReader<StaticContactStarted>,
    mut static_ended: MessageReader<StaticContactEnded>,
) {
    let (bodies, statics) = expected.pairs();
    assert_same("pairs", broad_phase.body_pairs(), &bodies);
    assert_same("static pairs", broad_phase.static_pairs(), &statics);
    assert_same("started", started.read().map(|contact| (contact.a, contact.b)), &(&bodies - &last.bodies));
    assert_same("ended", ended.read().map(|contact| (contact.a, contact.b)), &(&last.bodies - &bodies));
    let pairs = static_started.read().map(|contact| (contact.body, contact.static_entity));
    assert_same("static started", pairs, &(&statics - &last.statics));
    let pairs = static_ended.read().map(|contact| (contact.body, contact.static_entity));
    assert_same("static ended", pairs, &(&last.statics - &statics));
    let changed = broad_phase.world().contacts().changed_pairs().len();
    last.told += usize::from(changed < bodies.len());
    (last.bodies, last.statics) = (bodies, statics);
}

fn spawn(commands: &mut Commands, rng: &mut Rng) {
    let mut entity = commands.spawn((position(rng), half_extents(rng)));
    if rng.u8(..50) == 0 {
        entity.insert(Marker);
    }
    if rng.u8(..50) == 0 {
        entity.insert(filter(rng));
    }
    if rng.u8(..50) == 0 {
        entity.insert(Displacement([rng.f32() * 9.0, 0.0]));
    }
}

fn spawn_static(commands: &mut Commands, rng: &mut Rng) {
    let mut entity = commands.spawn(static_box(rng));
    if rng.bool() {
        entity.insert(filter(rng));
    }
}

fn filter(rng: &mut Rng) -> EntityFilter {
    EntityFilter(Filter::new(rng.u32(1..4), rng.u32(1..4)))
}

fn static_box(rng: &mut Rng) -> StaticBox {
    let Position([x, y]) = position(rng);
    StaticBox(Aabb::new([x, y], [x + rng.f32() * 5.0, y + rng.f32() * 5.0]).unwrap())
}

/// Makes one change to an entity, sometimes one that the next change makes undone.
fn change(commands: &mut Commands, rng: &mut Rng, entity: Entity, is_static: bool) {
    let mut commands = commands.entity(entity);
    match rng.u8(..13) {
        0 => commands.despawn(),
        1 => _ = commands.insert(Marker),
        2 => _ = commands.remove::<Marker>(),
        3 => _ = commands.insert(filter(rng)),
        4 => _ = commands.remove::<EntityFilter>(),
        5 => _ = commands.insert(Marker).remove::<Marker>(), // to the end of its table
        6 if is_static => _ = commands.insert(static_box(rng)),
        7 if is_static => _ = commands.remove::<StaticBox>().insert(static_box(rng)),
        8 if is_static => _ = commands.remove::<StaticBox>(),
        6 => _ = commands.insert(position(rng)),
        7 => _ = commands.insert(half_extents(rng)),
        8 => _ = commands.insert(Displacement([rng.f32() * 9.0, 0.0])),
        9 => _ = commands.remove::<Displacement>(),
        10 if !is_static => _ = commands.remove::<HalfExtents>(),
        11 => _ = commands.insert(Disabled),
        _ => _ = commands.insert(Disabled).insert(static_box(rng)).remove::<Disabled>(),
    }
}

/// Returns the app, without entities.
fn app(told: bool) -> App {
    let mut app = App::new();
    app.add_plugins(TriphasePlugin::<Columns>::default().with_told_steps(told))
        .init_resource::<Last>()
        .add_systems(PostUpdate, check.after(BroadPhaseSystems));
    app
}

/// Runs a system on the world, and applies its commands.
fn with_commands(app: &mut App, run: impl FnOnce(&mut Commands)) {
    run(&mut app.world_mut().commands());
    app.world_mut().flush();
}

fn run(seed: u64, told: bool, frames: usize) -> App {
    let (mut app, mut rng) = (app(told), Rng::with_seed(seed));
    with_commands(&mut app, |commands| {
        (0..600).for_each(|_| spawn(commands, &mut rng));
        (0..40).for_each(|_| spawn_static(commands, &mut rng));
    });
    app.update();
    for frame in 0..frames {
        let world = app.world_mut();
        let bodies: Vec<Entity> = world.query_filtered::<Entity, With<Position>>().iter(world).collect();
        let statics: Vec<Entity> = world.query_filtered::<Entity, With<StaticBox>>().iter(world).collect();
        let disabled: Vec<Entity> = world.query_filtered::<Entity, With<Disabled>>().iter(world).collect();
        // Now and then, so many that all rows are stepped.
        let count = if frame % 32 == 31 { 100 } else { rng.usize(..3) };
        let mut touched = BTreeSet::new(); // a despawned entity is not to be changed
        with_commands(&mut app, |commands| {
            if let Some(&entity) = disabled.get(rng.usize(..20)) {
                commands.entity(entity).remove::<Disabled>();
            }
            for _ in 0..count {
                let is_static = rng.u8(..4) == 0;
                let of = if is_static { &statics } else { &bodies };
                let entity = of[rng.usize(..of.len())];
                if touched.insert(entity) {
                    change(commands, &mut rng, entity, is_static);
                }
                if rng.bool() { spawn(commands, &mut rng) } else { spawn_static(commands, &mut rng) }
            }
        });
        // Written in place, and set to the value that it has, which is no change.
        let mut query = app.world_mut().query::<Mut<Position>>();
        for mut place in query.iter_mut(app.world_mut()) {
            match rng.u32(..400) {
                0 => place.0[0] += rng.f32() - 0.5,
                1 => _ = place.set_if_neq(Position(place.0)),
                _ => {}
            }
        }
        app.update();
    }
    app
}

#[test]
fn told_steps_have_the_contacts_of_brute_force() {
    for seed in 0..12 {
        let app = run(seed, true, 100);
        let told = app.world().resource::<Last>().told;
        assert!(told > 30, "seed {seed} has {told} told steps");
    }
}

#[test]
fn full_steps_have_the_contacts_of_brute_force() {
    _ = run(1, false, 60);
}
