//! Contact tracking against a plain step, and against a hash map of pairs, on the same frames.

use crate::Options;
use crate::alternate::{Candidate, alternate};
use rayon::ThreadPoolBuilder;
use std::cell::RefCell;
use std::collections::HashMap;
use std::time::Instant;
use triphase::{Bodies, Contacts, World, WorldConfig};
use triphase_scenes::{Scene, SceneName};

/// Rounds before the measured ones.
const WARM_UP: usize = 4;

/// A candidate: its name, its settings, and whether its pairs go into a hash map.
type Case = (&'static str, WorldConfig, bool);

pub(crate) fn run(options: &Options) {
    let tracked = || WorldConfig::new().with_contact_tracking(true);
    let cases = [
        ("step", WorldConfig::new(), false),
        ("step that tracks contacts", tracked(), false),
        ("step that tracks contacts, margin", tracked().with_margin(0.05), false),
    ];
    // By itself, because it evicts the data of the others from the caches.
    let with_map = [
        ("step", WorldConfig::new(), false),
        ("step that tracks contacts", tracked(), false),
        ("step, then a hash map of pairs", WorldConfig::new(), true),
    ];
    for bodies in options.sizes(&[100_000, 1_000_000]) {
        let title = format!("events: crowd of {bodies}, {} threads", options.threads);
        compare(&title, options.threads, options.rounds, bodies, &cases);
        compare(&format!("{title}, and a hash map"), options.threads, options.rounds.div_ceil(4), bodies, &with_map);
    }
}

fn compare(title: &str, threads: usize, rounds: usize, bodies: usize, cases: &[Case]) {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads");
    let stage = RefCell::new((Scene::new(SceneName::Crowd, bodies, 1), 0));
    let candidate = |(name, config, maps): &Case| -> Candidate<'_> {
        let mut world = World::new(config.clone()).expect("valid settings");
        let mut map = maps.then(PairMap::default);
        let (pool, stage) = (&pool, &stage);
        let turn = move || {
            let (scene, turn) = &mut *stage.borrow_mut();
            // Before the first candidate of a round, whichever that is, so that none always finds
            // the columns in the cache.
            if *turn % cases.len() == 0 {
                scene.advance();
            }
            *turn += 1;
            let start = Instant::now();
            let columns = Bodies::new(&scene.centers, &scene.half_extents).with_ids(&scene.ids);
            let pairs = pool.install(|| world.step(columns).expect("a valid scene").body_pairs().len());
            if let Some(map) = &mut map {
                map.step(world.contacts());
            }
            let time = start.elapsed();
            assert!(pairs > 0);
            time
        };
        (*name, Box::new(turn))
    };
    let mut candidates: Vec<Candidate<'_>> = cases.iter().map(candidate).collect();
    for _ in 0..WARM_UP {
        candidates.iter_mut().for_each(|(_, turn)| _ = turn());
    }
    alternate(title, rounds, &mut candidates);
}

/// The baseline in user code: the contacts of the last step in a hash map.
#[derive(Default)]
struct PairMap {
    before: HashMap<(u64, u64), u32>,
    now: HashMap<(u64, u64), u32>,
    started: Vec<(u64, u64)>,
    ended: Vec<((u64, u64), u32)>,
}

impl PairMap {
    fn step(&mut self, contacts: Contacts<'_>) {
        let Self { before, now, started, ended } = self;
        started.clear();
        ended.clear();
        for pair in contacts.body_pairs() {
            let [a, b] = [pair.a, pair.b].map(|row| contacts.body_id(row).expect("ids"));
            let ids = (a.min(b), a.max(b));
            let value = before.remove(&ids);
            if value.is_none() {
                started.push(ids);
            }
            now.insert(ids, value.unwrap_or(0));
        }
        ended.extend(before.drain());
        std::mem::swap(before, now);
    }
}
