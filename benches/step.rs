//! A whole step, all bodies moving: `cargo bench --bench step`, or `cargo bench --bench step -- crowd/100000` for one.
//!
//! Time is per step; throughput is bodies a second. Moving the bodies is not counted.

#![allow(missing_docs, reason = "criterion writes a public function")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rayon::ThreadPoolBuilder;
use std::hint::black_box;
use std::time::{Duration, Instant};
use triphase::{Bodies, World};
use triphase_scenes::{Scene, SceneName};

/// The scenes that stand for what worlds are like, by size.
const SCENES: [(SceneName, &[usize]); 5] = [
    (SceneName::Crowd, &[20_000, 100_000, 500_000, 1_000_000]),
    (SceneName::Dragons, &[100_000]),
    (SceneName::Castles, &[100_000]),
    (SceneName::Cities, &[100_000]),
    (SceneName::PowerLaw, &[100_000]),
];

/// Steps that a world has behind it before it is measured.
const WARM_UP: usize = 5;

fn step(world: &mut World, scene: &Scene) -> usize {
    let contacts = world.step(Bodies::new(&scene.centers, &scene.half_extents)).expect("a good scene");
    contacts.body_pairs().len() + contacts.static_pairs().len()
}

fn steps(criterion: &mut Criterion) {
    for (name, sizes) in SCENES {
        let mut group = criterion.benchmark_group(name.to_string());
        group.sample_size(20);
        for &bodies in sizes {
            group.throughput(Throughput::Elements(bodies as u64));
            for threads in [1, 2] {
                let mut scene = Scene::new(name, bodies, 1);
                let mut world = World::default();
                world.set_statics(&scene.statics).expect("good statics");
                let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads");
                for _ in 0..WARM_UP {
                    scene.advance();
                    pool.install(|| step(&mut world, &scene));
                }
                let label = if threads == 1 { "1 thread" } else { "2 threads" };
                group.bench_function(BenchmarkId::new(bodies.to_string(), label), |bencher| {
                    bencher.iter_custom(|steps| {
                        let mut spent = Duration::ZERO;
                        for _ in 0..steps {
                            scene.advance();
                            let start = Instant::now();
                            black_box(pool.install(|| step(&mut world, &scene)));
                            spent += start.elapsed();
                        }
                        spent
                    });
                });
            }
        }
        group.finish();
    }
}

criterion_group!(benches, steps);
criterion_main!(benches);
