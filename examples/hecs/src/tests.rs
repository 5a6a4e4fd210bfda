//! What could go wrong between hecs and triphase.

use crate::check::Check;
use crate::columns::{entities, entity, step};
use crate::components::*;
use crate::game::Game;
use triphase::glam::{Vec2, vec2};
use triphase::{World, WorldConfig};

fn tracking() -> World {
    World::new(WorldConfig::new().with_contact_tracking(true)).expect("valid settings")
}

fn unit(x: f32) -> (Position, HalfExtents) {
    (Position(vec2(x, 0.0)), HalfExtents(Vec2::splat(0.5)))
}

#[test]
fn games_have_the_contacts_of_brute_force() {
    for seed in 0..8 {
        let mut game = Game::new(150, seed).unwrap();
        let mut check = Check::default();
        for frame in 0..40 {
            game.move_and_step().unwrap();
            check.frame(&game.ecs, &game.physics).unwrap_or_else(|error| panic!("seed {seed}, frame {frame}: {error}"));
            game.respond().unwrap();
        }
        let counts = game.counts;
        let least =
            [counts.hits, counts.deaths, counts.bullets_stopped, counts.walls_fallen, counts.ended_after_despawn];
        assert!(least.iter().all(|&count| count > 0), "seed {seed} tests too little: {counts:?}");
    }
}

#[test]
fn a_respawned_entity_ends_the_old_contact_and_begins_another() {
    let (mut ecs, mut physics) = (hecs::World::new(), tracking());
    let (stays, old) = (ecs.spawn(unit(0.0)), ecs.spawn(unit(0.8)));
    step(&mut physics, &ecs).unwrap();
    ecs.despawn(old).unwrap();
    let new = ecs.spawn(unit(0.8));
    assert_eq!((old.id(), old == new), (new.id(), false), "hecs reuses the index in another generation");

    let contacts = step(&mut physics, &ecs).unwrap();
    let events = contacts.events().unwrap();
    let began: Vec<_> = events.started().map(|contact| entities(contacts, contact.pair)).collect();
    let ended: Vec<_> = events.ended().map(|ended| (entity(ended.a_id), entity(ended.b_id))).collect();
    assert_eq!(began, [(stays, new)]);
    assert_eq!(ended, [(stays, old)]);
    assert!(!ecs.contains(old));
}

#[test]
fn contacts_persist_when_rows_and_archetypes_change() {
    let (mut ecs, mut physics) = (hecs::World::new(), tracking());
    let (first, _a, b) = (ecs.spawn(unit(9.0)), ecs.spawn(unit(0.0)), ecs.spawn(unit(0.8)));
    assert_eq!(step(&mut physics, &ecs).unwrap().body_pairs().len(), 1);

    ecs.despawn(first).unwrap(); // `b` takes its row
    ecs.insert_one(b, Fleeing).unwrap(); // and is in another archetype
    let contacts = step(&mut physics, &ecs).unwrap();
    let events = contacts.events().unwrap();
    assert_eq!((events.started().count(), events.persisting().count(), events.ended().count()), (0, 1, 0));
}

#[test]
fn errors_name_the_row_within_the_archetype() {
    let mut ecs = hecs::World::new();
    ecs.spawn((Position(Vec2::ZERO), Displacement(Vec2::X)));
    ecs.spawn(unit(1.0));
    ecs.spawn(unit(f32::NAN));
    let error = step(&mut World::default(), &ecs).unwrap_err().to_string();
    assert!(error.contains("row 1") && error.contains("NaN"), "{error}");
}
