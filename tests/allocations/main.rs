//! Tests of memory: how often it is allocated, how much of it is held, and that it is freed.

mod memory_given_back;
mod memory_held;
mod memory_limits;
mod queries;
mod snapshots;
mod steady_state;

use triphase::World;
use triphase_scenes::{Scene, SceneName};
use triphase_tests::allocation_counter::{Counting, Watch};
use triphase_tests::scene_bodies;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Frames of a scene, to be stepped again and again.
fn film(name: SceneName, bodies: usize, frames: usize) -> Vec<Scene> {
    let mut scene = Scene::new(name, bodies, 77);
    let next = |_| {
        scene.advance();
        scene.clone()
    };
    (0..frames).map(next).collect()
}

/// Steps a scene and returns the number of body pairs.
fn step(world: &mut World, scene: &Scene) -> usize {
    world.step(scene_bodies(scene)).unwrap().body_pairs().count()
}

/// What a world says that it holds, in bytes.
fn reported_bytes(world: &World) -> usize {
    let report = world.report();
    report.body_bytes + report.static_bytes + report.pair_bytes
}

#[test]
fn allocator_counts_allocations_and_bytes() {
    let watch = Watch::start();
    let held = watch.held();
    let mut buffer = Vec::new();
    assert_eq!(watch.allocations(|| buffer = std::hint::black_box(vec![1u8; 1000])), 1);
    assert_eq!(watch.held() - held, 1000);
    let ((), peak) = watch.peak(|| drop(std::hint::black_box(vec![1u8; 5000])));
    assert_eq!(peak, 5000);
    drop(buffer);
    assert_eq!(watch.held(), held);
}
