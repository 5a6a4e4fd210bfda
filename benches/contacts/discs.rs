//! `discs`: a world of boxes against one of discs, and against what a solver would do without: drop the pairs of boxes whose
//! discs do not meet.

use crate::Options;
use crate::alternate::{Candidate, alternate};
use crate::common::Stage;
use rayon::ThreadPoolBuilder;
use std::hint::black_box;
use std::time::{Duration, Instant};
use triphase::{BodyShape, Pair, WorldConfig};
use triphase_scenes::SceneName;

/// The scenes, and how many bodies each has unless it is said.
const SCENES: [(SceneName, &[usize]); 4] = [
    (SceneName::Crowd, &[100_000, 1_000_000]),
    (SceneName::Castles, &[100_000]),
    (SceneName::Dragons, &[100_000]),
    (SceneName::Cities, &[100_000]),
];

pub(crate) fn run(options: &Options) {
    for (scene, usual) in SCENES {
        for bodies in options.sizes(usual) {
            [1, 2].into_iter().for_each(|threads| measure(scene, bodies, threads, options.rounds));
        }
    }
}

fn measure(scene: SceneName, bodies: usize, threads: usize, rounds: usize) {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads");
    let stage = |overlap| pool.install(|| Stage::new(scene, bodies, WorldConfig::new().with_body_shape(overlap)));
    let (mut boxes, mut after, mut discs) = (stage(BodyShape::Aabb), stage(BodyShape::Aabb), stage(BodyShape::Circle));
    let counts = [&boxes, &discs].map(|stage| {
        let contacts = stage.world.contacts();
        contacts.body_pairs().len() + contacts.static_pairs().len()
    });
    let step = |stage: &mut Stage| {
        stage.scene.advance();
        let start = Instant::now();
        black_box(pool.install(|| stage.step()));
        start.elapsed()
    };
    let mut kept = Vec::new();
    let step_and_drop = |stage: &mut Stage| -> Duration {
        let spent = step(stage);
        let start = Instant::now();
        let (centers, halves) = (&stage.scene.centers, &stage.scene.half_extents);
        kept.clear();
        for Pair { a, b } in stage.world.contacts().body_pairs() {
            let (a, b) = (a as usize, b as usize);
            let ([x, y], reach) = ([0, 1].map(|k| centers[a][k] - centers[b][k]), halves[a][0] + halves[b][0]);
            if x * x + y * y <= reach * reach {
                kept.push([a as u32, b as u32]);
            }
        }
        black_box(&kept);
        spent + start.elapsed()
    };
    let mut step_and_drop = step_and_drop;
    let title = format!(
        "discs: {scene}, {bodies} bodies, {threads} threads; {} pairs of boxes, {} of discs",
        counts[0], counts[1]
    );
    let mut candidates: [Candidate<'_>; 3] = [
        ("boxes", Box::new(|| step(&mut boxes))),
        ("discs", Box::new(|| step(&mut discs))),
        ("boxes, then bodies' pairs tested", Box::new(|| step_and_drop(&mut after))),
    ];
    alternate(&title, rounds, &mut candidates);
}
