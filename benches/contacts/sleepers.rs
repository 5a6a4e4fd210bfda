//! Sleeping bodies with and without the asleep column, on the same frames.

use super::Options;
use super::alternate::alternate;
use std::cell::RefCell;
use std::time::{Duration, Instant};
use triphase::{Bodies, World, WorldConfig};
use triphase_scenes::{Scene, SceneName};

/// A scene, the rows of it that do not move, and the number of turns so far.
struct Stage {
    scene: Scene,
    asleep: Vec<bool>,
    turn: usize,
}

impl Stage {
    fn new(bodies: usize) -> Self {
        let mut scene = Scene::new(SceneName::Sleepers, bodies, 1);
        let before = scene.centers.clone();
        scene.advance();
        let asleep = before.iter().zip(&scene.centers).map(|(before, now)| before == now).collect();
        Self { scene, asleep, turn: 0 }
    }

    /// Advances the scene after both candidates have stepped this frame.
    fn next_turn(&mut self) {
        if self.turn.is_multiple_of(2) {
            self.scene.advance();
        }
        self.turn += 1;
    }

    fn step(&self, world: &mut World, hinted: bool) -> usize {
        let bodies = Bodies::new(&self.scene.centers, &self.scene.half_extents);
        let bodies = if hinted { bodies.with_asleep(&self.asleep) } else { bodies };
        world.step(bodies).expect("a valid scene").body_pairs().len()
    }
}

pub(crate) fn run(options: &Options) {
    for bodies in options.sizes(&[100_000, 1_000_000]) {
        let stage = RefCell::new(Stage::new(bodies));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads).build().expect("a pool");
        let config =
            if options.threads == 1 { WorldConfig::new().with_parallel_threshold(None) } else { WorldConfig::new() };
        let candidate = |hinted: bool| {
            let mut world = World::new(config.clone()).expect("valid settings");
            (0..5).for_each(|_| _ = stage.borrow().step(&mut world, hinted));
            let (stage, pool) = (&stage, &pool);
            Box::new(move || {
                stage.borrow_mut().next_turn();
                let stage: &Stage = &stage.borrow();
                pool.install(|| {
                    let start = Instant::now();
                    std::hint::black_box(stage.step(&mut world, hinted));
                    start.elapsed()
                })
            }) as Box<dyn FnMut() -> Duration>
        };
        let mut candidates = [("no column", candidate(false)), ("asleep column", candidate(true))];
        alternate(&format!("sleepers, {bodies} bodies, {} threads", options.threads), options.rounds, &mut candidates);
    }
}
