//! Building islands against the step that finds their contacts.

use crate::Options;
use crate::alternate::{Candidate, alternate};
use crate::common::Stage;
use rayon::ThreadPoolBuilder;
use std::cell::RefCell;
use std::time::{Duration, Instant};
use triphase::{Islands, WorldConfig};
use triphase_scenes::SceneName;

/// The scenes, with default numbers of bodies.
const SCENES: [(SceneName, &[usize]); 3] =
    [(SceneName::Crowd, &[100_000, 500_000]), (SceneName::Castles, &[100_000]), (SceneName::Gravity, &[100_000])];

pub(crate) fn run(options: &Options) {
    let pools =
        [1, options.threads].map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool"));
    for (name, usual) in SCENES {
        for bodies in options.sizes(usual) {
            let stage = RefCell::new(Stage::new(name, bodies, WorldConfig::new()));
            let step = |pool: usize| -> Duration {
                let stage: &mut Stage = &mut stage.borrow_mut();
                pools[pool].install(|| stage.frames(1, |_| Duration::ZERO));
                let start = Instant::now();
                pools[pool].install(|| stage.step());
                start.elapsed()
            };
            let build = |pool: usize, mut islands: Islands| {
                let (stage, pool) = (&stage, &pools[pool]);
                move || {
                    let stage: &mut Stage = &mut stage.borrow_mut();
                    pool.install(|| {
                        stage.step();
                        let start = Instant::now();
                        stage.world.contacts().build_islands(&mut islands);
                        start.elapsed()
                    })
                }
            };
            let mut candidates: [Candidate<'_>; 5] = [
                ("a step, 1 thread", Box::new(|| step(0))),
                ("a step, threads", Box::new(|| step(1))),
                ("islands, 1 thread", Box::new(build(0, Islands::new()))),
                ("islands, threads", Box::new(build(1, Islands::new()))),
                ("islands connected by statics, 1 thread", Box::new(build(0, Islands::new().connect_statics(true)))),
            ];
            let title = format!("islands: {name}, {bodies} bodies, {} threads", options.threads);
            alternate(&title, options.rounds, &mut candidates);
        }
    }
}
