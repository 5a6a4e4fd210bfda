//! A whole step, all bodies moving: `cargo bench --bench step`, or `cargo bench --bench step --
//! crowd/100000/` for one.
//!
//! `1 thread, 4 layers` has filters on bodies and statics, which keep a quarter of the pairs.
//!
//! Time is per step; throughput is in bodies per second. Moving the bodies is not measured. The
//! phases of a step are measured by `phases.rs`.

#![allow(missing_docs, reason = "criterion writes a public function")]

mod common;

use common::Stage;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rayon::ThreadPoolBuilder;
use std::hint::black_box;
use std::time::{Duration, Instant};
use triphase::WorldConfig;
use triphase_scenes::SceneName;

/// Scenes of typical worlds, by size.
const SCENES: [(SceneName, &[usize]); 5] = [
    (SceneName::Crowd, &[20_000, 100_000, 500_000, 1_000_000]),
    (SceneName::Dragons, &[100_000]),
    (SceneName::Castles, &[100_000]),
    (SceneName::Cities, &[100_000]),
    (SceneName::PowerLaw, &[100_000]),
];

/// Variants: threads and layers of filters.
const CASES: [(usize, Option<u32>, &str); 3] =
    [(1, None, "1 thread"), (2, None, "2 threads"), (1, Some(4), "1 thread, 4 layers")];

fn steps(criterion: &mut Criterion) {
    for (name, sizes) in SCENES {
        let mut group = criterion.benchmark_group(name.to_string());
        group.sample_size(20);
        for &bodies in sizes {
            group.throughput(Throughput::Elements(bodies as u64));
            for (threads, layers, label) in CASES {
                let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads");
                // Created when the bench runs, as a filter may exclude it.
                let mut stage = None;
                group.bench_function(BenchmarkId::new(bodies.to_string(), label), |bencher| {
                    let make = || {
                        let mut stage = pool.install(|| Stage::new(name, bodies, WorldConfig::new()));
                        layers.into_iter().for_each(|layers| pool.install(|| stage.filter(layers)));
                        stage
                    };
                    let stage = stage.get_or_insert_with(make);
                    bencher.iter_custom(|steps| {
                        let mut spent = Duration::ZERO;
                        for _ in 0..steps {
                            stage.scene.advance();
                            let start = Instant::now();
                            black_box(pool.install(|| stage.step()));
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
