//! What it costs to follow contacts from step to step: a world that does against one that does not, on the same frames.

use crate::Options;
use crate::alternate::alternate;
use rayon::ThreadPoolBuilder;
use std::cell::RefCell;
use std::time::{Duration, Instant};
use triphase::{Bodies, World, WorldConfig};
use triphase_scenes::{Scene, SceneName};

pub(crate) fn run(options: &Options) {
    for bodies in options.sizes(&[100_000, 1_000_000]) {
        let pool = ThreadPoolBuilder::new().num_threads(options.threads).build().expect("a pool of threads");
        let scene = RefCell::new(Scene::new(SceneName::Crowd, bodies, 1));
        let candidate = |config: WorldConfig, moves: bool| {
            let mut world = World::new(config).expect("good settings");
            let (pool, scene) = (&pool, &scene);
            move || {
                let mut scene = scene.borrow_mut();
                if moves {
                    scene.advance();
                }
                let start = Instant::now();
                let columns = Bodies::new(&scene.centers, &scene.half_extents).with_ids(&scene.ids);
                let step = || world.step(columns).expect("a good scene").body_pairs().len();
                let pairs = pool.install(step);
                let time = start.elapsed();
                assert!(pairs > 0);
                time
            }
        };
        let mut alone = candidate(WorldConfig::new(), true);
        let mut tracked = candidate(WorldConfig::new().track_contacts(), false);
        let mut margin = candidate(WorldConfig::new().track_contacts().margin(0.05), false);
        for _ in 0..4 {
            let _: [Duration; 3] = [alone(), tracked(), margin()];
        }
        let title = format!("events: crowd of {bodies}, {} threads", options.threads);
        alternate(
            &title,
            options.rounds,
            &mut [
                ("step", Box::new(alone)),
                ("step that tracks contacts", Box::new(tracked)),
                ("step that tracks contacts, margin", Box::new(margin)),
            ],
        );
    }
}
