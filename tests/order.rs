//! The order of places: a permutation of the rows that brings neighbours together and changes nothing else.

mod common;

use common::{Columns, Fleet, Found, Random, sequential, world};
use triphase::{Bodies, InvalidRows, World, WorldConfig};
use triphase_scenes::{Scene, SceneName};

fn bodies(scene: &Scene) -> Bodies<'_> {
    let bodies = Bodies::new(&scene.centers, &scene.half_extents).with_ids(&scene.ids);
    match &scene.displacements {
        Some(displacements) => bodies.with_displacements(displacements),
        None => bodies,
    }
}

fn spatial_order(world: &World) -> Vec<u32> {
    // What the vector held does not count.
    let mut order = vec![7; 3];
    world.spatial_order(&mut order);
    order
}

fn assert_permutation(order: &[u32], rows: usize, label: &str) {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    assert!(sorted.iter().copied().eq(0..rows as u32), "{label}: each of {rows} rows once, found {}", order.len());
}

/// Pairs by id, ascending: what does not change when rows do.
fn by_id(found: &Found, ids: &[u64]) -> [Vec<(u64, u64)>; 2] {
    let id = |row: u32| ids[row as usize];
    let body = found.body.iter().map(|&(a, b)| (id(a).min(id(b)), id(a).max(id(b))));
    let static_row = found.static_row.iter().map(|&(body, static_row)| (id(body), u64::from(static_row)));
    let mut pairs = [body.collect::<Vec<_>>(), static_row.collect()];
    pairs.iter_mut().for_each(|pairs| pairs.sort_unstable());
    pairs
}

#[test]
fn it_is_a_permutation_of_every_scene_and_leaves_the_pairs() {
    let mut fleet = Fleet::new(WorldConfig::new());
    for &name in SceneName::ALL {
        let crowded = name == SceneName::Coincident;
        for bodies_max in [2, 700, if crowded { 1000 } else { 20_000 }] {
            let mut scene = Scene::new(name, bodies_max, 31);
            fleet.set_statics(&scene.statics).unwrap();
            let first = fleet.step(&[bodies(&scene)], &scene.statics).unwrap().unwrap();
            let pairs = by_id(&first, &scene.ids);
            let order = fleet.each(|world| spatial_order(world));
            assert_permutation(&order, scene.centers.len(), name.as_str());

            scene.reorder(&order);
            let second = fleet.step(&[bodies(&scene)], &scene.statics).unwrap().unwrap();
            assert_eq!(by_id(&second, &scene.ids), pairs, "{name}, {bodies_max} bodies");
        }
    }
}

#[test]
fn neighbours_in_the_world_become_neighbours_in_memory() {
    let distance = |scene: &Scene| {
        let rows = scene.centers.windows(2).zip(scene.half_extents.windows(2));
        let small = rows.filter(|(_, half)| half[0][0] <= 0.5 && half[1][0] <= 0.5);
        let mut lengths: Vec<_> = small.map(|(c, _)| (c[1][0] - c[0][0]).hypot(c[1][1] - c[0][1])).collect();
        let mean = lengths.iter().map(|&length| f64::from(length)).sum::<f64>() / lengths.len() as f64;
        lengths.sort_unstable_by(f32::total_cmp);
        (mean, lengths[lengths.len() / 2])
    };
    for name in [SceneName::Crowd, SceneName::Castles, SceneName::Cities, SceneName::PowerLaw] {
        let mut scene = Scene::new(name, 50_000, 32);
        let (mean, median) = distance(&scene);
        let mut world = sequential();
        world.step(bodies(&scene)).unwrap();
        scene.reorder(&spatial_order(&world));
        let (mean_after, median_after) = distance(&scene);
        // From the distance of two random places to that of two bodies in a cell, but where a row of cells ends.
        assert!(mean_after * 20.0 < mean, "{name}: mean {mean} and then {mean_after}");
        assert!(median_after * 50.0 < median, "{name}: median {median} and then {median_after}");
    }
}

#[test]
fn rows_in_order_stay_in_order() {
    let mut scene = Scene::new(SceneName::Crowd, 20_000, 33);
    let mut world = sequential();
    world.step(bodies(&scene)).unwrap();
    scene.reorder(&spatial_order(&world));
    world.step(bodies(&scene)).unwrap();
    // Bands are cut by a sample of the rows, so they may differ, and with them the cells.
    let order = spatial_order(&world);
    let near = order.iter().enumerate().filter(|&(k, &row)| k.abs_diff(row as usize) < 2000).count();
    assert!(near * 10 > order.len() * 9, "{near} of {} rows stay near their places", order.len());
}

#[test]
fn oversized_rows_are_behind_common_ones_and_skipped_rows_last() {
    let mut scene = Scene::new(SceneName::Dragons, 20_000, 34);
    let bad = [19_999, 3, 7_000];
    bad.iter().for_each(|&row: &usize| scene.centers[row][row % 2] = f32::NAN);
    let mut world = world(WorldConfig::new().with_invalid_rows(InvalidRows::Skip));
    world.step(bodies(&scene)).unwrap();
    let order = spatial_order(&world);
    assert_permutation(&order, 20_000, "with bad rows");
    let (rest, skipped) = order.split_at(20_000 - bad.len());
    assert_eq!(skipped, [3, 7_000, 19_999]);
    let (common, oversized) = rest.split_at(rest.len() - world.report().oversized_count);
    let is_large = |row: &&u32| scene.half_extents[**row as usize][0] > 1.0;
    assert_eq!(common.iter().filter(is_large).count(), 0);
    assert!(oversized.len() >= 10 && oversized.iter().filter(is_large).count() == oversized.len());
}

#[test]
fn rows_with_infinite_edges_and_bounds_of_every_kind_are_in_it() {
    let mut columns = Columns::of(&[([f32::MAX, 0.0], [f32::MAX, 1.0]), ([0.0, 0.0], [0.0, 0.0])].repeat(50));
    columns.displacements = Some([[f32::MAX, 1.0], [0.0, -f32::MAX]].repeat(50));
    let mut world_found = sequential();
    world_found.step(columns.bodies()).unwrap();
    assert_permutation(&spatial_order(&world_found), 100, "infinite edges");
    for bounds in [&[0.0][..], &[0.4, 0.45], &[1e9], &[1e-3, 0.4, 2.0, 10.0, 1e30]] {
        let scene = Scene::new(SceneName::PowerLaw, 5000, 35);
        let mut world = world(WorldConfig::new().with_bounds(bounds.iter().copied()));
        world.step(bodies(&scene)).unwrap();
        assert_permutation(&spatial_order(&world), 5000, &format!("bounds {bounds:?}"));
    }
}

#[test]
fn chunks_are_rows_counted_through() {
    let scene = Scene::new(SceneName::Castles, 5000, 36);
    let part = |from: usize, to: usize| Bodies::new(&scene.centers[from..to], &scene.half_extents[from..to]);
    let (mut whole, mut chunked) = (sequential(), sequential());
    whole.step(part(0, 5000)).unwrap();
    chunked.step(&[part(0, 0), part(0, 1700), part(1700, 1701), part(1701, 1701), part(1701, 5000)]).unwrap();
    assert_permutation(&spatial_order(&chunked), 5000, "chunks");
    assert_eq!(spatial_order(&chunked), spatial_order(&whole));
}

#[test]
fn it_is_that_of_the_last_good_step() {
    let mut world = sequential();
    assert_eq!(spatial_order(&world), [0; 0], "before the first step");
    let scene = Scene::new(SceneName::Dragons, 3000, 37);
    world.step(bodies(&scene)).unwrap();
    let order = spatial_order(&world);

    // Refused early, and late: too many pairs are found when the index of the step is built.
    world.step(Bodies::uniform(&[[f32::NAN, 0.0f32]], [0.5, 0.5])).unwrap_err();
    assert_eq!(spatial_order(&world), order);
    let mut limited = common::world(WorldConfig::new().with_parallel_threshold(None).with_pair_limit(50_000));
    limited.step(bodies(&scene)).unwrap();
    limited.step(Bodies::uniform(&[[0.0f32; 2]; 1000], [0.5, 0.5])).unwrap_err();
    assert_eq!(spatial_order(&limited), order);

    // Nor do statics count, nor memory that is given back.
    world.set_statics(&[[0.0f32, 0.0, 9.0, 9.0]]).unwrap();
    world.shrink_to_fit();
    assert_eq!(spatial_order(&world), order);

    world.step(Bodies::uniform::<[f32; 2]>(&[], [0.5, 0.5])).unwrap();
    assert_eq!(spatial_order(&world), [0; 0], "after a step of no rows");
}

#[test]
fn a_vector_with_room_is_not_taken_anew() {
    let mut random = Random::new(38);
    let centers: Vec<_> = (0..4000).map(|_| random.point(0.0, 60.0)).collect();
    let mut world = sequential();
    world.step(Bodies::uniform(&centers, [0.4, 0.4])).unwrap();
    let mut order = Vec::with_capacity(4000);
    let place = order.as_ptr();
    for _ in 0..3 {
        world.spatial_order(&mut order);
        assert_eq!((order.len(), order.capacity(), order.as_ptr()), (4000, 4000, place));
    }
}
