//! Snapshots cost a step no memory except for those that are held.

use crate::{film, reported_bytes};
use std::collections::VecDeque;
use triphase::{Bodies, World};
use triphase_scenes::{Scene, SceneName};
use triphase_tests::allocation_counter::Watch;
use triphase_tests::sequential;

/// Toggles a static, so that each step has statics of its own, and steps.
fn step(world: &mut World, scene: &Scene) {
    let (number, count) = (world.step_number(), scene.statics.len() as u64);
    world.set_static_enabled((number % count) as u32, number % 2 == 0).unwrap();
    crate::step(world, scene);
}

fn step_nobody(world: &mut World) {
    world.step(Bodies::from_aabbs::<[f32; 4]>(&[])).unwrap();
}

#[test]
fn steps_allocate_nothing_while_two_snapshots_are_held() {
    let film = film(SceneName::Castles, 3000, 12);
    let watch = Watch::start();
    let mut world = sequential();
    world.set_statics(&film[0].statics).unwrap();
    let reader = world.reader();
    let mut held = VecDeque::with_capacity(8);
    let mut play = |world: &mut World, hold: usize| {
        for scene in &film {
            step(world, scene);
            held.push_back(reader.latest());
            while held.len() > hold {
                held.pop_front();
            }
        }
    };
    // Up to two in any order, once two were held; then more, once as many were.
    (0..2).for_each(|_| play(&mut world, 2));
    for hold in [2, 1, 0, 1, 2, 0, 2] {
        assert_eq!(watch.allocations(|| play(&mut world, hold)), 0, "{hold} snapshots held");
    }
    (0..2).for_each(|_| play(&mut world, 5));
    assert_eq!(watch.allocations(|| play(&mut world, 5)), 0, "five snapshots held");
    // The same two all the while.
    (0..2).for_each(|_| play(&mut world, 2));
    let allocations = watch.allocations(|| film.iter().for_each(|scene| step(&mut world, scene)));
    assert_eq!(allocations, 0, "two snapshots held for long");
}

/// Each step is then made in a copy of the last one, oversized bodies included.
#[test]
fn told_steps_allocate_nothing_while_snapshots_are_held() {
    let scene = Scene::new(SceneName::Dragons, 3000, 80);
    let watch = Watch::start();
    let mut world = sequential();
    let reader = world.reader();
    let mut held = VecDeque::with_capacity(4);
    let is_large = |row: &u32| scene.half_extents[*row as usize][0] > 3.0;
    let rows: Vec<u32> = (0..3000).filter(|row| row % 25 == 0 || is_large(row)).collect();
    assert!(rows.iter().any(is_large), "an oversized body moves");
    let (mut centers, mut held_for_long) = (scene.centers.clone(), None);
    let mut swing = |frames: usize| {
        for frame in 0..frames {
            let by = (frame % 16).min(16 - frame % 16) as f32 * 0.1;
            rows.iter().for_each(|&row| centers[row as usize][0] = scene.centers[row as usize][0] + by);
            world.step_changed(Bodies::new(&centers, &scene.half_extents), &rows).unwrap();
            held.push_back(reader.latest());
            while held.len() > frame % 3 {
                held.pop_front();
            }
            if frame % 8 == 0 {
                held_for_long = Some(reader.latest());
            }
        }
    };
    swing(480);
    assert_eq!(watch.allocations(|| swing(480)), 0);
    assert!(world.report().oversized_count > 0, "an oversized body was copied");
    let contacts = world.contacts();
    assert!(contacts.changed_pairs().len() < contacts.body_pairs().len(), "not all rows were stepped");
}

#[test]
fn steps_after_a_dropped_reader_allocate_nothing() {
    let film = film(SceneName::Castles, 2000, 6);
    let watch = Watch::start();
    let mut world = sequential();
    world.set_statics(&film[0].statics).unwrap();
    film.iter().for_each(|scene| step(&mut world, scene));
    let reader = world.reader();
    film.iter().for_each(|scene| step(&mut world, scene));
    drop(reader);
    assert_eq!(watch.allocations(|| film.iter().for_each(|scene| step(&mut world, scene))), 0);
}

#[test]
fn snapshot_memory_is_reused_and_freed() {
    let film = film(SceneName::Castles, 5000, 10);
    let watch = Watch::start();
    let start = watch.held();
    let held = || watch.held() - start;
    let mut world = sequential();
    world.set_statics(&film[0].statics).unwrap();
    (0..2).for_each(|_| film.iter().for_each(|scene| step(&mut world, scene)));
    let without = held();

    let reader = world.reader();
    let mut snapshots = VecDeque::with_capacity(32);
    let mut after_first = 0;
    for number in 0..120 {
        step(&mut world, &film[number % film.len()]);
        snapshots.push_back(reader.latest());
        if snapshots.len() > 2 {
            snapshots.pop_front();
        }
        if number == 19 {
            after_first = held();
        }
        assert!(number < 20 || held() <= after_first, "frame {number}: {} bytes, {after_first} before", held());
    }
    let reported = reported_bytes(&world) as isize;
    assert!(reported <= held() + size_of::<World>() as isize && reported >= held() / 10 * 9, "{reported}");

    // Each snapshot held costs its size, which is less than half of what a world of two takes. When
    // many are dropped at once, the next step frees all but a few.
    let two = held();
    for number in 0..10 {
        step(&mut world, &film[number % film.len()]);
        snapshots.push_back(reader.latest());
    }
    let twelve = held();
    assert!(twelve - two > 8 * 5000 * 20 && twelve - two <= 10 * without / 2, "{without}, {two}, {twelve}");
    snapshots.clear();
    step(&mut world, &film[0]);
    assert!(held() <= two + (twelve - two) / 8, "{two}, {twelve}, {}", held());

    // Without readers the world takes what it took before.
    drop(reader);
    step(&mut world, &film[0]);
    world.shrink_to_fit();
    (0..2).for_each(|_| film.iter().for_each(|scene| step(&mut world, scene)));
    assert!(held() <= without + without / 20, "{without} bytes, then {}", held());
    drop((world, snapshots));
    assert!(held() < 1000, "all is freed");
}

#[test]
fn replaced_statics_are_freed_with_the_last_snapshot_of_them() {
    let walls: Vec<[f32; 4]> = (0..50_000).map(|k| [k as f32, 0.0, k as f32 + 0.5, 1.0]).collect();
    let watch = Watch::start();
    let start = watch.held();
    let held = || watch.held() - start;
    let mut world = sequential();
    let set_few = |world: &mut World| {
        world.set_statics(&walls[..10]).unwrap();
        step_nobody(world);
    };
    set_few(&mut world);
    world.set_statics(&walls).unwrap();
    (0..3).for_each(|_| step_nobody(&mut world));
    let reader = world.reader();
    let snapshot = reader.latest();
    let large = held();
    assert!(large > 50_000 * 16);
    set_few(&mut world);
    assert!(held() > 50_000 * 16, "a snapshot has them");
    assert_eq!(snapshot.statics().len(), 50_000);
    drop(snapshot);
    set_few(&mut world);
    world.shrink_to_fit();
    assert!(held() < large / 10, "{large} bytes, then {}", held());
    // Without readers, with the first step after.
    drop(reader);
    world.set_statics(&walls).unwrap();
    (0..3).for_each(|_| step_nobody(&mut world));
    let large = held();
    set_few(&mut world);
    assert!(held() < large / 10, "{large} bytes, then {}", held());
}
