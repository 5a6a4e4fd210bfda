//! Statics that change, and statics that no quadtree divides, on one thread. Benches are named
//! `group/what/count`, and the argument after `--` is a regular expression over these names:
//!
//! ```text
//! cargo bench --bench statics                    # all: some minutes
//! cargo bench --bench statics -- change/         # one group
//! ```
//!
//! * `change`: one static of `castles` with 500,000 bodies is replaced, after so many others were
//!   since the tree was built.
//! * `door`: a door of the same world is opened or closed, and then `step` is called, or
//!   `step_changed` without changed rows. The world has a reader.
//! * `wall`: a static of the same world gets a new id, and then the same is called. Contacts are
//!   tracked.
//! * `scales`, `coincident`: searches among 200,000 statics around one point, of sizes and
//!   distances from 1e-30 to 1e30, or all at one place; and `step`, of 2,000 bodies near that.

#![allow(missing_docs, reason = "criterion writes a public function")]

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;
use triphase::geometry::RawAabb;
use triphase::tier::static_tree::StaticTree;
use triphase::{Aabb, Bodies, ChangedRows, Point, Ray, Statics, World, WorldConfig};
use triphase_scenes::{Scene, SceneName, SplitMix64};

/// Bodies of the world whose statics change, which has a fifth as many statics.
const BODIES: usize = 500_000;
/// Statics that were changed before one more is.
const CHANGED: [usize; 3] = [1, 1000, 5000];
/// Statics of all scales, or at one place.
const STATICS: usize = 200_000;
/// Places that are searched, in turn.
const PLACES: usize = 1000;

fn group<'c>(criterion: &'c mut Criterion, name: &str) -> BenchmarkGroup<'c, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(20).warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(3));
    group
}

fn castle() -> (Scene, World) {
    let scene = Scene::new(SceneName::Castles, BODIES, 1);
    let mut world = sequential();
    world.set_statics(&scene.statics).expect("valid statics");
    (scene, world)
}

fn sequential() -> World {
    World::new(WorldConfig::new().with_parallel_threshold(None)).expect("valid settings")
}

fn changes(criterion: &mut Criterion) {
    let mut group = group(criterion, "change");
    for changed in CHANGED {
        group.bench_function(BenchmarkId::new("replace_statics", changed), |bencher| {
            let (scene, mut world) = castle();
            let rows: Vec<u32> = (0..changed as u32).collect();
            world.replace_statics(&rows, &scene.statics[..changed]).expect("valid statics");
            let mut rows = rows.iter().cycle();
            bencher.iter(|| {
                let row = rows.next().copied().unwrap_or(0);
                world.replace_statics(&[row], &scene.statics[row as usize..][..1]).expect("a valid static");
            });
            assert_eq!(world.statics().changed_count(), changed);
        });
    }
    group.bench_function(BenchmarkId::new("set_statics", BODIES / 5), |bencher| {
        let (scene, mut world) = castle();
        bencher.iter(|| world.set_statics(&scene.statics).expect("valid statics"));
    });
    group.finish();
}

fn doors(criterion: &mut Criterion) {
    let mut group = group(criterion, "door");
    for (label, is_told) in [("step", false), ("step_changed", true)] {
        group.bench_function(BenchmarkId::new(label, BODIES), |bencher| {
            let (scene, mut world) = castle();
            let bodies = Bodies::new(&scene.centers, &scene.half_extents);
            let _reader = world.reader();
            let mut step = |door: Option<u32>| {
                if let Some(door) = door {
                    let enabled = world.statics().is_enabled(door) == Some(false);
                    world.set_static_enabled(door, enabled).expect("a static");
                }
                let contacts = if is_told { world.step_changed(bodies, ChangedRows::NONE) } else { world.step(bodies) };
                contacts.expect("a valid scene").static_pairs().len()
            };
            // Until each frame is one that can be updated.
            (0..5).for_each(|_| _ = step(None));
            let mut doors = (0..scene.statics.len() as u32).cycle();
            bencher.iter(|| black_box(step(doors.next())));
        });
    }
    group.finish();
}

fn walls(criterion: &mut Criterion) {
    let mut group = group(criterion, "wall");
    for (label, is_told) in [("step", false), ("step_changed", true)] {
        group.bench_function(BenchmarkId::new(label, BODIES), |bencher| {
            let scene = Scene::new(SceneName::Castles, BODIES, 1);
            let config = WorldConfig::new().with_contact_tracking(true).with_parallel_threshold(None);
            let mut world = World::new(config).expect("valid settings");
            let ids: Vec<u64> = (0..scene.statics.len() as u64).collect();
            world.set_statics(Statics::new(&scene.statics).with_ids(&ids)).expect("valid statics");
            let bodies = Bodies::new(&scene.centers, &scene.half_extents);
            let mut step = |wall: Option<(u32, u64)>| {
                if let Some((row, id)) = wall {
                    let statics = Statics::new(&scene.statics[row as usize..][..1]);
                    world.replace_statics(&[row], statics.with_ids(&[id])).expect("a valid static");
                }
                let contacts = if is_told { world.step_changed(bodies, ChangedRows::NONE) } else { world.step(bodies) };
                contacts.expect("a valid scene").static_pairs().len()
            };
            (0..5).for_each(|_| _ = step(None));
            // The same hundred rows, so that the tree is not built again.
            let mut walls = (0..100).cycle().zip(1 << 32..);
            bencher.iter(|| black_box(step(walls.next())));
        });
    }
    group.finish();
}

fn undivided(criterion: &mut Criterion) {
    let mut random = SplitMix64::new(3);
    let around_a_point = (0..STATICS).map(|_| {
        let scale = 10f32.powf(random.range(-30.0, 30.0));
        let [x, y] = random.point(-1.0, 1.0).map(|v| v * scale);
        [x, y, x + 0.01 * scale, y + 0.01 * scale]
    });
    for (name, statics) in
        [("scales", around_a_point.collect()), ("coincident", vec![[5.0f32, 5.0, 6.0, 6.0]; STATICS])]
    {
        searches(criterion, name, &statics);
    }
}

fn searches(criterion: &mut Criterion, name: &str, statics: &[RawAabb]) {
    let mut group = group(criterion, name);
    group.bench_function("build", |bencher| bencher.iter(|| StaticTree::new(statics).expect("valid statics")));
    let tree = StaticTree::new(statics).expect("valid statics");
    let places: Vec<[f32; 2]> =
        (0..PLACES).map(|k| statics[k * 7919 % statics.len()]).map(|[x, y, ..]| [x, y]).collect();
    let mut run = |label: &str, search: &dyn Fn([f32; 2], [f32; 2])| {
        group.bench_function(label, |bencher| {
            let mut at = (0..PLACES).cycle();
            bencher.iter(|| {
                let k = at.next().unwrap_or(0);
                search(places[k], places[(k + 1) % PLACES]);
            });
        });
    };
    run("query_aabb", &|[x, y], _| {
        let off = 1e-6 * x.abs().max(y.abs());
        let area = Aabb::new([x - off, y - off], [x + off, y + off]).expect("a valid box");
        black_box(tree.query_aabb(area).count());
    });
    run("nearest", &|[x, y], _| {
        black_box(tree.query().nearest(Point::new([0.7 * x, 0.9 * y]).expect("a valid point")));
    });
    run("cast_ray", &|[x, y], [to_x, to_y]| {
        let ray = Ray::new([x, y], [to_x - x, to_y - y], 1.0).expect("a valid ray");
        black_box(tree.query().cast_ray(ray));
    });
    group.bench_function("step", |bencher| {
        let mut world = sequential();
        world.set_statics(statics).expect("valid statics");
        // On a lattice around and beside what coincides.
        let place = |k: usize| [(k % 45) as f32 * 0.3 - 1.0, (k / 45) as f32 * 0.3];
        let beside = |[x, y]: [f32; 2]| [x, if (3.9..7.1).contains(&x) { y + 7.0 } else { y }];
        let centers: Vec<[f32; 2]> = (0..2000).map(place).map(beside).collect();
        bencher.iter(|| {
            black_box(world.step(Bodies::uniform(&centers, [0.1, 0.1])).expect("a step").static_pairs().len())
        });
    });
    group.finish();
}

criterion_group!(benches, changes, doors, walls, undivided);
criterion_main!(benches);
