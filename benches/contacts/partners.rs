//! Partner lists against a plain step, and against lists built by a plain loop, on the same frames.

use crate::Options;
use crate::alternate::{Candidate, alternate};
use rayon::ThreadPoolBuilder;
use std::cell::RefCell;
use std::time::Instant;
use triphase::{Bodies, Contacts, World, WorldConfig};
use triphase_scenes::{Scene, SceneName};

/// Rounds before the measured ones.
const WARM_UP: usize = 4;

pub(crate) fn run(options: &Options) {
    for bodies in options.sizes(&[100_000, 1_000_000]) {
        let pool = ThreadPoolBuilder::new().num_threads(options.threads).build().expect("a pool of threads");
        let cases = [
            ("step", WorldConfig::new(), false),
            ("step with partner lists", WorldConfig::new().with_partner_lists(true), false),
            ("step, then lists by a loop", WorldConfig::new(), true),
        ];
        let stage = RefCell::new((Scene::new(SceneName::Crowd, bodies, 1), 0));
        let candidate = |(name, config, by_loop): &(&'static str, WorldConfig, bool)| -> Candidate<'_> {
            let mut world = World::new(config.clone()).expect("valid settings");
            let mut lists = by_loop.then(ByLoop::default);
            let (pool, stage, count) = (&pool, &stage, cases.len());
            let turn = move || {
                let (scene, turn) = &mut *stage.borrow_mut();
                if *turn % count == 0 {
                    scene.advance();
                }
                *turn += 1;
                let start = Instant::now();
                let columns = Bodies::new(&scene.centers, &scene.half_extents);
                pool.install(|| world.step(columns).map(|_| ())).expect("a valid scene");
                if let Some(lists) = &mut lists {
                    lists.fill(world.contacts());
                }
                start.elapsed()
            };
            (*name, Box::new(turn))
        };
        let mut candidates: Vec<Candidate<'_>> = cases.iter().map(candidate).collect();
        for _ in 0..WARM_UP {
            candidates.iter_mut().for_each(|(_, turn)| _ = turn());
        }
        alternate(
            &format!("partners: crowd of {bodies}, {} threads", options.threads),
            options.rounds,
            &mut candidates,
        );
    }
}

/// Compressed sparse rows in the simplest form: count, sum, place. Partners are in the
/// order of pairs.
#[derive(Default)]
struct ByLoop {
    starts: Vec<u32>,
    partners: Vec<u32>,
}

impl ByLoop {
    fn fill(&mut self, contacts: Contacts<'_>) {
        let Self { starts, partners } = self;
        starts.clear();
        starts.resize(contacts.body_count() + 2, 0);
        contacts.body_pairs().flat_map(|pair| [pair.a, pair.b]).for_each(|row| starts[row as usize + 2] += 1);
        for row in 2..starts.len() {
            starts[row] += starts[row - 1];
        }
        partners.resize(2 * contacts.body_pairs().len(), 0);
        for pair in contacts.body_pairs() {
            for (row, partner) in [(pair.a, pair.b), (pair.b, pair.a)] {
                let place = &mut starts[row as usize + 1];
                partners[*place as usize] = partner;
                *place += 1;
            }
        }
        std::hint::black_box(&self.partners);
    }
}
