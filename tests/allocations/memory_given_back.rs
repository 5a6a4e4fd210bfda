//! Memory that steps no longer need is given back over the following steps, and only then.

use crate::film;
use std::ops::Range;
use triphase::{Bodies, Error, World, WorldConfig};
use triphase_scenes::{Scene, SceneName};
use triphase_tests::allocation_counter::Watch;
#[cfg(feature = "parallel")]
use triphase_tests::allocation_counter::WatchedPool;
use triphase_tests::world;

/// Steps after which a spike must be forgotten.
const FORGOTTEN_AFTER: usize = 600;

/// Steps of steady motion that may allocate nothing.
const STEADY_STEPS: Range<usize> = 0..300;

const MIB: usize = 1 << 20;

/// Bodies in rows of 300, most of which overlap 48 others, and whether each is asleep.
struct Crowd {
    centers: Vec<[f32; 2]>,
    ids: Vec<u64>,
    asleep: Vec<bool>,
}

impl Crowd {
    fn new(rows: usize) -> Self {
        let centers = (0..rows).map(|k| [(k % 300) as f32, (k / 300) as f32]).collect();
        Self { centers, ids: (1 << 40..).take(rows).collect(), asleep: vec![false; rows] }
    }

    /// Steps the first `rows` rows, and returns the number of pairs.
    fn step(&self, world: &mut World, rows: usize) -> usize {
        let bodies = Bodies::uniform(&self.centers[..rows], [1.6, 1.6]).with_ids(&self.ids[..rows]);
        world.step(bodies.with_asleep(&self.asleep[..rows])).unwrap().body_pairs().len()
    }
}

fn step(world: &mut World, scene: &Scene) -> usize {
    let bodies = Bodies::new(&scene.centers, &scene.half_extents).with_ids(&scene.ids);
    world.step(bodies).unwrap().body_pairs().len()
}

/// Steps small frames, one large one, and small ones again.
fn check_spike(watch: &Watch, config: &WorldConfig, has_reader: bool, label: &str) {
    let small = film(SceneName::Castles, 1000, 7);
    let mut small = small.iter().cycle();
    let large = Crowd::new(90_000);
    let start = watch.held();

    let mut world = world(config.clone());
    let reader = has_reader.then(|| world.reader());
    let latest = || reader.as_ref().map(|reader| reader.latest());
    let mut snapshot = None;
    let mut step_small = |world: &mut World| {
        step(world, small.next().unwrap());
        // The one before is held while the next is built.
        snapshot = latest();
    };
    (0..20).for_each(|_| step_small(&mut world));
    let never = (watch.held() - start) as usize;
    let held_max = 2 * never + MIB;

    assert!(large.step(&mut world, 90_000) > 2_000_000);
    // Contacts that end are listed for one step, and the first steps may build frames as large.
    (0..4).for_each(|_| step_small(&mut world));
    let spike = (watch.held() - start) as usize;
    assert!(spike > 10 * held_max, "{label}: {spike} bytes held after a spike, {never} without");
    for number in 0..FORGOTTEN_AFTER {
        let ((), peak) = watch.peak(|| step_small(&mut world));
        assert!(peak <= held_max, "{label}: step {number} needed {peak} bytes more, all of a world are {never}");
    }
    let held = (watch.held() - start) as usize;
    assert!(held <= held_max, "{label}: {held} bytes held {FORGOTTEN_AFTER} steps after a spike, {never} without");
    let allocations = watch.allocations(|| STEADY_STEPS.for_each(|_| step_small(&mut world)));
    assert_eq!(allocations, 0, "{label}");
}

#[test]
fn memory_of_a_spike_is_given_back() {
    let watch = Watch::start();
    let plain = WorldConfig::new().with_parallel_threshold(None);
    check_spike(&watch, &plain, false, "plain");
    check_spike(&watch, &plain, true, "with a reader");
    check_spike(&watch, &plain.clone().with_contact_tracking(true), false, "tracked");
    let all = WorldConfig::new().with_contact_tracking(true).with_partner_lists(true);
    check_spike(&watch, &all.clone().with_parallel_threshold(None), true, "tracked, partners and a reader");
    #[cfg(feature = "parallel")]
    WatchedPool::new(4).install(|| check_spike(&watch, &all.with_parallel_threshold(0), false, "4 threads"));
}

#[test]
fn memory_of_a_failed_step_is_given_back() {
    let watch = Watch::start();
    let apart: Vec<[f32; 2]> = (0..20_000).map(|k| [2.0 * k as f32, 0.0]).collect();
    let mut crowded = apart.clone();
    crowded[..3000].fill([0.0; 2]);
    let start = watch.held();
    let mut world = world(WorldConfig::new().with_parallel_threshold(None).with_pair_limit(3_000_000));
    let mut step = |centers: &[[f32; 2]]| {
        let contacts = world.step(Bodies::uniform(centers, [0.5, 0.5]));
        contacts.map(|contacts| contacts.body_pairs().len())
    };
    (0..20).for_each(|_| assert_eq!(step(&apart), Ok(0)));
    let held_max = (watch.held() - start) as usize * 5 / 4;
    assert_eq!(step(&crowded), Err(Error::TooManyPairs { limit: 3_000_000 }));
    let failed = (watch.held() - start) as usize;
    assert!(failed > held_max, "{failed} bytes held after a failed step, {held_max} allowed");
    (0..FORGOTTEN_AFTER).for_each(|_| assert_eq!(step(&apart), Ok(0)));
    let held = (watch.held() - start) as usize;
    assert!(held <= held_max, "{held} bytes held, {held_max} allowed");
}

#[test]
fn memory_of_many_sleepers_is_given_back() {
    let watch = Watch::start();
    let crowd = Crowd { asleep: vec![true; 90_000], ..Crowd::new(90_000) };
    let start = watch.held();
    let mut world = world(WorldConfig::new().with_parallel_threshold(None));
    let mut step = |rows: usize| crowd.step(&mut world, rows);
    (0..5).for_each(|_| _ = step(2000));
    let held_max = 2 * (watch.held() - start) as usize + MIB;
    (0..5).for_each(|_| _ = step(90_000));
    assert!((watch.held() - start) as usize > 10 * held_max);
    let pairs = step(2000);
    (0..FORGOTTEN_AFTER).for_each(|_| assert_eq!(step(2000), pairs));
    let held = (watch.held() - start) as usize;
    assert!(held <= held_max, "{held} bytes held, {held_max} allowed");
    assert_eq!(watch.allocations(|| STEADY_STEPS.for_each(|_| _ = step(2000))), 0);
}

/// Steps `rows(number)` rows of a crowd, and returns the allocations of all steps from number
/// `from` on.
fn allocations_of_crowd(
    watch: &Watch,
    steps: usize,
    from: usize,
    config: WorldConfig,
    rows: impl Fn(usize) -> usize,
) -> usize {
    let (crowd, mut world) = (Crowd::new(3000), world(config.with_parallel_threshold(None)));
    let mut play = |numbers: Range<usize>| numbers.for_each(|number| _ = crowd.step(&mut world, rows(number)));
    play(0..from);
    watch.allocations(|| play(from..steps))
}

#[test]
fn memory_needed_now_and_then_is_kept() {
    let watch = Watch::start();
    let all = || WorldConfig::new().with_contact_tracking(true).with_partner_lists(true);
    for config in [WorldConfig::new(), all()] {
        let peak_every = |period: usize, steps: usize| {
            let rows = |number: usize| if number.is_multiple_of(period) { 3000 } else { 100 };
            allocations_of_crowd(&watch, steps, period + 2, config.clone(), rows)
        };
        assert_eq!(peak_every(100, 800), 0, "a peak every 100 steps");
        assert!(peak_every(600, 1250) > 0, "a peak every 600 steps is given back and made again");
        let swing = |number: usize| 1200 + (number * 997) % 40 * 20;
        assert_eq!(allocations_of_crowd(&watch, 700, 80, config, swing), 0, "a swing of less than two");
    }
}

#[test]
fn small_worlds_keep_their_memory() {
    let watch = Watch::start();
    let rows = |number: usize| if number == 20 { 160 } else { 2 };
    assert_eq!(allocations_of_crowd(&watch, 1200, 25, WorldConfig::new(), rows), 0);
}
