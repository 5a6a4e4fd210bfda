//! The phases of a step, one by one, and calls between steps, on one thread. Benches are named
//! `phase/scene/bodies`, and the argument after `--` is a regular expression over these names:
//!
//! ```text
//! cargo bench --bench phases                             # all: some minutes
//! cargo bench --bench phases -- partition/               # one phase of every scene
//! cargo bench --bench phases -- /castles/                # every phase of one scene
//! cargo bench --bench phases -- 'common/crowd/100000$'   # one; without the $ also 1000000
//! ```
//!
//! Whole steps are run, with all bodies moving (5 % in `sleepers`), and the time is that of the
//! phase in `World::report`; see [`triphase::PhaseTimes`] for the phases. In addition:
//!
//! * `set_statics`: building the tree.
//! * `query_aabb`: a query for the area of a screen.
//! * `spatial_order`: one call.
//! * `read_pairs`: a loop over the pairs of bodies that reads the columns of both rows; the rows
//!   are in random order. `read_pairs_in_order`: the same loop with the columns in spatial order.
//!
//! Throughput is in bodies per second, for `set_statics` in statics, for `query_aabb` in queries.

#![allow(missing_docs, reason = "criterion writes a public function")]

mod common;

use common::Stage;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;
use triphase::{Aabb, PhaseTimes, WorldConfig};
use triphase_scenes::SceneName::{Castles, Cities, Crowd, Dragons, PowerLaw, Sleepers};
use triphase_scenes::{Scene, SceneName};

/// Scenes of typical worlds.
const SCENES: [(SceneName, usize); 7] = [
    (Crowd, 100_000),
    (Dragons, 100_000),
    (Castles, 100_000),
    (Cities, 100_000),
    (PowerLaw, 100_000),
    (Sleepers, 100_000),
    (Crowd, 1_000_000),
];

/// A phase: its name, its time, and the scenes that have it; if empty, all.
type Phase = (&'static str, fn(&PhaseTimes) -> Duration, &'static [SceneName]);

const PHASES: [Phase; 9] = [
    ("plan", |phases| phases.plan, &[]),
    ("partition", |phases| phases.partition, &[]),
    ("layout", |phases| phases.layout, &[]),
    ("sort", |phases| phases.passes.sort, &[]),
    ("common", |phases| phases.passes.common, &[]),
    ("ghosts", |phases| phases.passes.ghosts, &[]),
    ("oversized", |phases| phases.passes.oversized, &[Dragons, Castles]),
    ("statics", |phases| phases.passes.statics, &[Castles]),
    ("gather", |phases| phases.gather, &[]),
];

/// Half-extents of the queried area: some hundred bodies of `crowd`.
const VIEW: [f32; 2] = [16.0, 9.0];
/// Number of queried places, in turn.
const VIEWS: usize = 1000;

fn phases(criterion: &mut Criterion) {
    for (name, bodies) in SCENES {
        // Created by the first bench that runs, as a filter may exclude some, and used by all
        // benches of the scene.
        let mut stage = None;
        let make = || Stage::new(name, bodies, WorldConfig::new().with_parallel_threshold(None));
        for (phase, time, scenes) in PHASES {
            if !scenes.is_empty() && !scenes.contains(&name) {
                continue;
            }
            bench(criterion, phase, name, bodies, bodies, |bencher| {
                let stage = stage.get_or_insert_with(make);
                // A phase may be shorter than the clock's resolution, and criterion rejects 0.
                let time = |phases: PhaseTimes| time(&phases).max(Duration::from_nanos(1));
                bencher.iter_custom(|steps| stage.frames(steps, |world| time(world.report().phases)));
            });
        }
        bench(criterion, "query_aabb", name, bodies, 1, |bencher| {
            let stage = stage.get_or_insert_with(make);
            let rows = stage.scene.centers.iter().step_by(bodies.div_ceil(VIEWS));
            let around = |[x, y]: &[f32; 2]| Aabb::new([x - VIEW[0], y - VIEW[1]], [x + VIEW[0], y + VIEW[1]]);
            let views: Vec<Aabb> = rows.map(|center| around(center).expect("a valid box")).collect();
            let mut views = views.iter().cycle();
            bencher.iter(|| views.next().map(|&view| black_box(stage.world.query_aabb(view).count())));
        });
        bench(criterion, "spatial_order", name, bodies, bodies, |bencher| {
            let stage = stage.get_or_insert_with(make);
            let mut order = Vec::new();
            bencher.iter(|| stage.world.spatial_order(black_box(&mut order)));
        });
        if name == Castles {
            bench(criterion, "set_statics", name, bodies, bodies / 5, |bencher| {
                let Stage { scene, world, .. } = stage.get_or_insert_with(make);
                bencher.iter(|| world.set_statics(&scene.statics).expect("valid statics"));
            });
        }
        // Last, because the second one changes the scene.
        for (label, in_order) in [("read_pairs", false), ("read_pairs_in_order", true)] {
            bench(criterion, label, name, bodies, bodies, |bencher| {
                let stage = stage.get_or_insert_with(make);
                if in_order {
                    stage.reorder();
                }
                stage.step();
                bencher.iter(|| black_box(read_pairs(stage)));
            });
        }
    }
}

/// The beginning of a solver: sums the depth along x by which the two boxes of each pair overlap.
fn read_pairs(stage: &Stage) -> f32 {
    let Scene { centers, half_extents, .. } = &stage.scene;
    let depth = |a: usize, b: usize| half_extents[a][0] + half_extents[b][0] - (centers[a][0] - centers[b][0]).abs();
    stage.world.contacts().body_pairs().map(|pair| depth(pair.a as usize, pair.b as usize)).sum()
}

/// Runs one bench with this number of elements per iteration.
fn bench(
    criterion: &mut Criterion,
    phase: &str,
    name: SceneName,
    bodies: usize,
    elements: usize,
    run: impl FnMut(&mut criterion::Bencher<'_>),
) {
    let mut group = criterion.benchmark_group(phase);
    group.sample_size(20).warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(3));
    group.throughput(Throughput::Elements(elements as u64));
    group.bench_function(BenchmarkId::new(name.as_str(), bodies), run);
    group.finish();
}

criterion_group!(benches, phases);
criterion_main!(benches);
