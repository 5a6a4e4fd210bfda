//! `World::aabb` and `Snapshot::aabb`: the box of a row as it was stepped, whichever tier the body
//! is in.

use triphase::{Bodies, InvalidRows, World, WorldConfig, reference};
use triphase_scenes::SplitMix64;
use triphase_tests::{Columns, sequential, world};

/// Common and oversized bodies with displacements.
fn mixed(count: usize, seed: u64) -> Columns {
    let mut random = SplitMix64::new(seed);
    let mut rows = Vec::new();
    for row in 0..count {
        let half = if row % 50 == 7 { 20.0 } else { 0.5 };
        rows.push((random.point(0.0, 40.0), [half, half * 0.75]));
    }
    let displacements = (0..count).map(|_| random.point(-2.0, 2.0)).collect();
    Columns::from_rows(&rows).with_displacements(displacements)
}

fn assert_boxes(world: &World, columns: &Columns) {
    for (row, aabb) in columns.boxes().into_iter().enumerate() {
        assert_eq!(world.aabb(row as u32), Some(aabb), "row {row}");
    }
    assert_eq!(world.aabb(columns.len() as u32), None);
}

#[test]
fn box_of_each_row_is_the_one_that_was_stepped() {
    let mut world = sequential();
    assert_eq!(world.aabb(0), None, "before the first step");
    for seed in 0..3 {
        let columns = mixed(2000, seed);
        world.step(columns.bodies()).unwrap();
        assert_boxes(&world, &columns);
        let halves = [columns.rows(0, 700), columns.rows(700, 2000)];
        world.step(halves).unwrap();
        assert_boxes(&world, &columns);
    }
}

#[test]
fn box_of_a_skipped_row_is_none() {
    let mut world = world(WorldConfig::new().with_invalid_rows(InvalidRows::Skip));
    world.step(Bodies::uniform(&[[0.0f32, 0.0], [f32::NAN, 0.0], [3e38, 0.0]], [3e38, 1.0])).unwrap();
    assert_eq!(world.aabb(1), None);
    let expected = reference::body_aabb([3e38, 0.0], [3e38, 1.0], None);
    assert_eq!(expected[2], f32::INFINITY);
    assert_eq!(world.aabb(2), Some(expected), "an edge may round to infinity");
}

#[test]
fn boxes_of_cached_bodies_are_found() {
    let mut world = sequential();
    let mut columns = mixed(2000, 9);
    columns.displacements = None;
    let asleep = vec![true; columns.len()];
    for _ in 0..4 {
        world.step(columns.bodies().with_asleep(&asleep)).unwrap();
        assert_boxes(&world, &columns);
    }
    assert!(world.report().cached_count > 1500, "most bodies are cached");
    columns.centers_mut()[3] = [90.0, 90.0];
    world.step(columns.bodies().with_asleep(&asleep)).unwrap();
    assert_boxes(&world, &columns);
}

#[test]
fn boxes_of_a_snapshot_and_of_a_shifted_world_are_their_own() {
    let mut world = sequential();
    let columns = Columns::uniform(vec![[1.0, 2.0], [5.0, 6.0]], [0.5, 0.5]);
    world.step(columns.bodies()).unwrap();
    let snapshot = world.reader().latest();
    world.shift_origin([1.0, 1.0]).unwrap();
    assert_eq!(world.aabb(0), Some([-0.5, 0.5, 0.5, 1.5]));
    assert_eq!(world.reader().latest().aabb(0), world.aabb(0));
    assert_eq!(snapshot.aabb(0), Some([0.5, 1.5, 1.5, 2.5]));
    world.step(Bodies::uniform(&[[0.0f32, 0.0]], [1.0, 1.0])).unwrap();
    assert_eq!((snapshot.aabb(1), world.aabb(1)), (Some([4.5, 5.5, 5.5, 6.5]), None));
}
