//! The spatial order: a permutation of the rows that brings near bodies together.

use triphase::{Bodies, InvalidRows, World, WorldConfig};
use triphase_scenes::{Scene, SceneName, SplitMix64};
use triphase_tests::{Columns, FoundPairs, WorldSet, scene_bodies, sequential, world};

fn spatial_order(world: &World) -> Vec<u32> {
    // The previous content is replaced.
    let mut order = vec![7; 3];
    world.spatial_order(&mut order);
    order
}

fn assert_permutation(order: &[u32], rows: usize, label: &str) {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    assert!(sorted.iter().copied().eq(0..rows as u32), "{label}: each of {rows} rows once, found {}", order.len());
}

/// The pairs by id, ascending, which do not depend on the order of rows.
fn by_id(found: &FoundPairs, ids: &[u64]) -> [Vec<(u64, u64)>; 2] {
    let id = |row: u32| ids[row as usize];
    let body = found.bodies.iter().map(|&(a, b)| (id(a).min(id(b)), id(a).max(id(b))));
    let statics = found.statics.iter().map(|&(body, static_row)| (id(body), u64::from(static_row)));
    let mut pairs = [body.collect::<Vec<_>>(), statics.collect()];
    pairs.iter_mut().for_each(|pairs| pairs.sort_unstable());
    pairs
}

#[test]
fn spatial_order_is_a_permutation_that_keeps_the_pairs() {
    let mut worlds = WorldSet::new(WorldConfig::new());
    for &name in SceneName::ALL {
        let crowded = name == SceneName::Coincident;
        for bodies_max in [2, 700, if crowded { 1000 } else { 9000 }] {
            let mut scene = Scene::new(name, bodies_max, 31);
            worlds.set_statics(&scene.statics).unwrap();
            let first = worlds.step(&[scene_bodies(&scene)], &scene.statics).unwrap().unwrap();
            let pairs = by_id(&first, &scene.ids);
            let order = worlds.each(|world| spatial_order(world));
            assert_permutation(&order, scene.centers.len(), name.as_str());

            scene.reorder(&order);
            let second = worlds.step(&[scene_bodies(&scene)], &scene.statics).unwrap().unwrap();
            assert_eq!(by_id(&second, &scene.ids), pairs, "{name}, {bodies_max} bodies");
        }
    }
}

#[test]
fn spatial_order_brings_near_bodies_together() {
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
        world.step(scene_bodies(&scene)).unwrap();
        scene.reorder(&spatial_order(&world));
        let (mean_after, median_after) = distance(&scene);
        // From the distance of two random bodies to that of two in a cell, except where a row of
        // cells ends.
        assert!(mean_after * 20.0 < mean, "{name}: mean {mean} and then {mean_after}");
        assert!(median_after * 50.0 < median, "{name}: median {median} and then {median_after}");
    }
}

#[test]
fn spatial_order_of_sorted_rows_is_nearly_the_identity() {
    let mut scene = Scene::new(SceneName::Crowd, 20_000, 33);
    let mut world = sequential();
    world.step(scene_bodies(&scene)).unwrap();
    scene.reorder(&spatial_order(&world));
    world.step(scene_bodies(&scene)).unwrap();
    // Band borders come from a sample of the rows, so bands and cells may differ.
    let order = spatial_order(&world);
    let near = order.iter().enumerate().filter(|&(k, &row)| k.abs_diff(row as usize) < 2000).count();
    assert!(near * 10 > order.len() * 9, "{near} of {} rows stay near their places", order.len());
}

#[test]
fn spatial_order_lists_common_then_oversized_then_skipped_rows() {
    let mut scene = Scene::new(SceneName::Dragons, 20_000, 34);
    let bad = [19_999, 3, 7_000];
    bad.iter().for_each(|&row: &usize| scene.centers[row][row % 2] = f32::NAN);
    let mut world = world(WorldConfig::new().with_invalid_rows(InvalidRows::Skip));
    world.step(scene_bodies(&scene)).unwrap();
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
fn spatial_order_has_rows_with_infinite_edges() {
    let mut columns = Columns::from_rows(&[([f32::MAX, 0.0], [f32::MAX, 1.0]), ([0.0, 0.0], [0.0, 0.0])].repeat(50));
    columns.displacements = Some([[f32::MAX, 1.0], [0.0, -f32::MAX]].repeat(50));
    let mut world_found = sequential();
    world_found.step(columns.bodies()).unwrap();
    assert_permutation(&spatial_order(&world_found), 100, "infinite edges");
    for bounds in [&[0.0][..], &[0.4, 0.45], &[1e9], &[1e-3, 0.4, 2.0, 10.0, 1e30]] {
        let scene = Scene::new(SceneName::PowerLaw, 5000, 35);
        let mut world = world(WorldConfig::new().with_bounds(bounds.iter().copied()));
        world.step(scene_bodies(&scene)).unwrap();
        assert_permutation(&spatial_order(&world), 5000, &format!("bounds {bounds:?}"));
    }
}

#[test]
fn spatial_order_of_chunks_numbers_rows_through() {
    let scene = Scene::new(SceneName::Castles, 5000, 36);
    let part = |from: usize, to: usize| Bodies::new(&scene.centers[from..to], &scene.half_extents[from..to]);
    let (mut whole, mut chunked) = (sequential(), sequential());
    whole.step(part(0, 5000)).unwrap();
    chunked.step([part(0, 0), part(0, 1700), part(1700, 1701), part(1701, 1701), part(1701, 5000)]).unwrap();
    assert_permutation(&spatial_order(&chunked), 5000, "chunks");
    assert_eq!(spatial_order(&chunked), spatial_order(&whole));
}

#[test]
fn spatial_order_is_that_of_the_last_successful_step() {
    let mut world = sequential();
    assert_eq!(spatial_order(&world), [0; 0], "before the first step");
    let scene = Scene::new(SceneName::Dragons, 3000, 37);
    world.step(scene_bodies(&scene)).unwrap();
    let order = spatial_order(&world);

    // Refused early; and late, after the bodies of the step were filed.
    world.step(Bodies::uniform(&[[f32::NAN, 0.0f32]], [0.5, 0.5])).unwrap_err();
    assert_eq!(spatial_order(&world), order);
    let mut limited = triphase_tests::world(WorldConfig::new().with_parallel_threshold(None).with_pair_limit(50_000));
    limited.step(scene_bodies(&scene)).unwrap();
    limited.step(Bodies::uniform(&[[0.0f32; 2]; 1000], [0.5, 0.5])).unwrap_err();
    assert_eq!(spatial_order(&limited), order);

    // Statics and freed memory do not matter.
    world.set_statics(&[[0.0f32, 0.0, 9.0, 9.0]]).unwrap();
    world.shrink_to_fit();
    assert_eq!(spatial_order(&world), order);

    world.step(Bodies::uniform::<[f32; 2]>(&[], [0.5, 0.5])).unwrap();
    assert_eq!(spatial_order(&world), [0; 0], "after a step of no rows");
}

#[test]
fn spatial_order_reuses_a_buffer_with_room() {
    let mut random = SplitMix64::new(38);
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
