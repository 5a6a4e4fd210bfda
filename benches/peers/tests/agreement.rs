//! Every engine finds the pairs of triphase, and triphase those of brute force.

use rayon::ThreadPoolBuilder;
use triphase_peers::engine::{Engine, Found, Frame};
use triphase_peers::engines::{self, Entry};
use triphase_peers::race::{self, Race};
use triphase_peers::subject::Subject;
use triphase_scenes::{Map, SceneName};

fn all_agree(threads: usize) {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads");
    let race = Race { seed: 7, threads, frames: 6, warm_up: 12 };
    for bodies in [60, 1_200] {
        let scenes = SceneName::ALL.iter().map(|&scene| Subject::scene(scene, bodies, race.seed));
        let palace = Subject::map("palace", Map::palace(2, 2), bodies, race.seed).expect("free cells");
        for mut subject in scenes.chain([palace]) {
            if let Err(mismatch) = pool.install(|| race::run(race, &mut subject, &engines::all())) {
                panic!("{} of {bodies} bodies, {threads} threads: {mismatch}", subject.name);
            }
        }
    }
}

#[test]
fn all_agree_on_one_thread_and_on_two() {
    // One test: memory is counted for one engine at a time.
    all_agree(1);
    all_agree(2);
}

/// An engine that finds no pairs.
struct Blind;

impl Engine for Blind {
    fn name(&self) -> &'static str {
        "blind"
    }

    fn set_statics(&mut self, _statics: &[[f32; 4]]) {}

    fn step(&mut self, _frame: Frame<'_>, found: &mut Found) {
        found.clear();
    }
}

#[test]
fn what_an_engine_misses_is_told() {
    let blind = Entry { make: |_| Box::new(Blind), package: None, parallel: false, ages: false, fits: |_| true };
    let race = Race { seed: 1, threads: 1, frames: 1, warm_up: 1 };
    let mut subject = Subject::scene(SceneName::Touching, 100, race.seed);
    let mismatch = race::run(race, &mut subject, &[engines::all()[0], blind]).expect_err("it is blind");
    assert_eq!((mismatch.engine.as_str(), mismatch.kind, mismatch.extra), ("blind", "body", 0));
    assert!(mismatch.missing > 100, "{mismatch}");
}
