//! What it costs to follow contacts from step to step: a world that does against one that does not, on the same frames.

use crate::Options;
use crate::alternate::alternate;
use rayon::ThreadPoolBuilder;
use std::cell::RefCell;
use std::time::{Duration, Instant};
use triphase::{Bodies, World, WorldConfig};
use triphase_scenes::{Scene, SceneName};

/// Worlds that take turns.
const CANDIDATES: usize = 3;

/// Rounds before those that are measured.
const WARM_UP: usize = 4;

pub(crate) fn run(options: &Options) {
    for bodies in options.sizes(&[100_000, 1_000_000]) {
        let pool = ThreadPoolBuilder::new().num_threads(options.threads).build().expect("a pool of threads");
        let stage = RefCell::new((Scene::new(SceneName::Crowd, bodies, 1), 0));
        let candidate = |config: WorldConfig| {
            let mut world = World::new(config).expect("good settings");
            let (pool, stage) = (&pool, &stage);
            Box::new(move || {
                let (scene, turn) = &mut *stage.borrow_mut();
                // Before whoever begins a round, so that none always finds the columns in the cache.
                if *turn % CANDIDATES == 0 {
                    scene.advance();
                }
                *turn += 1;
                let start = Instant::now();
                let columns = Bodies::new(&scene.centers, &scene.half_extents).with_ids(&scene.ids);
                let pairs = pool.install(|| world.step(columns).expect("a good scene").body_pairs().len());
                let time = start.elapsed();
                assert!(pairs > 0);
                time
            }) as Box<dyn FnMut() -> Duration>
        };
        let tracked = WorldConfig::new().track_contacts();
        let mut candidates = [
            ("step", candidate(WorldConfig::new())),
            ("step that tracks contacts", candidate(tracked.clone())),
            ("step that tracks contacts, margin", candidate(tracked.margin(0.05))),
        ];
        for _ in 0..WARM_UP {
            candidates.iter_mut().for_each(|(_, step)| _ = step());
        }
        let title = format!("events: crowd of {bodies}, {} threads", options.threads);
        alternate(&title, options.rounds, &mut candidates);
    }
}
