//! The parts of a step, one by one, and what is asked between steps, in one thread. Benches are
//! named `phase/scene/bodies`, and what stands behind `--` is a regular expression over those
//! names:
//!
//! ```text
//! cargo bench --bench phases                                   # all: some minutes
//! cargo bench --bench phases -- partition/                     # one phase of every scene
//! cargo bench --bench phases -- /castles/                      # every phase of one scene
//! cargo bench --bench phases -- 'common/crowd/100000$'         # one; without the $ a million bodies too
//! ```
//!
//! Whole steps are run, all bodies moving (of `sleepers`, 5 %), and the time is what
//! `World::report` says of the phase: what each of them is, is written at [`triphase::PhaseTimes`].
//! Beside them:
//!
//! * `set_statics`: the building of the tree.
//! * `query_aabb`: one question for the area that a screen shows.
//! * `spatial_order`: one call.
//! * `read_pairs`: a loop of the caller over the pairs of bodies that looks at the columns of both
//!   rows; the rows are in random order. `read_pairs_in_order`: the same loop once the columns are
//!   in spatial order.
//!
//! Throughput is bodies a second, of `set_statics` statics, of `query_aabb` questions.

#![allow(missing_docs, reason = "criterion writes a public function")]

mod common;

use common::Stage;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;
use triphase::{Aabb, PhaseTimes, WorldConfig};
use triphase_scenes::SceneName::{Castles, Cities, Crowd, Dragons, PowerLaw, Sleepers};
use triphase_scenes::{Scene, SceneName};

/// The scenes that stand for what worlds are like.
const SCENES: [(SceneName, usize); 7] = [
    (Crowd, 100_000),
    (Dragons, 100_000),
    (Castles, 100_000),
    (Cities, 100_000),
    (PowerLaw, 100_000),
    (Sleepers, 100_000),
    (Crowd, 1_000_000),
];

/// A phase: its name, where its time stands, and the scenes that have it; none named are all.
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

/// Half-extents of the area that is asked for: some hundred bodies of `crowd`.
const VIEW: [f32; 2] = [16.0, 9.0];
/// Places that are asked about, in turn.
const VIEWS: usize = 1000;

fn phases(criterion: &mut Criterion) {
    for (name, bodies) in SCENES {
        // Made by the first bench that runs, which a filter may prevent; all benches of the scene
        // then go on with it.
        let mut stage = None;
        let make = || Stage::new(name, bodies, WorldConfig::new().with_parallel_threshold(None));
        for (phase, time, scenes) in PHASES {
            if !scenes.is_empty() && !scenes.contains(&name) {
                continue;
            }
            bench(criterion, phase, name, bodies, bodies, |bencher| {
                let stage = stage.get_or_insert_with(make);
                // A phase may be quicker than the clock can tell, and criterion takes no zeros.
                let time = |phases: PhaseTimes| time(&phases).max(Duration::from_nanos(1));
                bencher.iter_custom(|steps| stage.frames(steps, |world| time(world.report().phases)));
            });
        }
        bench(criterion, "query_aabb", name, bodies, 1, |bencher| {
            let stage = stage.get_or_insert_with(make);
            let rows = stage.scene.centers.iter().step_by(bodies.div_ceil(VIEWS));
            let around = |[x, y]: &[f32; 2]| Aabb::new([x - VIEW[0], y - VIEW[1]], [x + VIEW[0], y + VIEW[1]]);
            let views: Vec<Aabb> = rows.map(|center| around(center).expect("a good box")).collect();
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
                bencher.iter(|| world.set_statics(&scene.statics).expect("good statics"));
            });
        }
        // Last, as the second of them changes the scene.
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

/// What a solver would begin with: how deep the two boxes of each pair reach into each other along
/// x, summed up.
fn read_pairs(stage: &Stage) -> f32 {
    let Scene { centers, half_extents, .. } = &stage.scene;
    let depth = |a: usize, b: usize| half_extents[a][0] + half_extents[b][0] - (centers[a][0] - centers[b][0]).abs();
    stage.world.contacts().body_pairs().map(|pair| depth(pair.a as usize, pair.b as usize)).sum()
}

/// One bench, of so many things an iteration.
fn bench(
    criterion: &mut Criterion,
    phase: &str,
    name: SceneName,
    bodies: usize,
    things: usize,
    run: impl FnMut(&mut criterion::Bencher<'_>),
) {
    let mut group = criterion.benchmark_group(phase);
    group.sample_size(20).warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(3));
    group.throughput(Throughput::Elements(things as u64));
    group.bench_function(BenchmarkId::new(name.as_str(), bodies), run);
    group.finish();
}

criterion_group!(benches, phases);
criterion_main!(benches);
