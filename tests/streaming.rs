//! Pairs that are handed on while a step runs: all of them, once, numbered in the order of contacts; and what becomes of a stream
//! that a step, a listener or a consumer ends early.

mod common;

use common::counting::{ALLOCATIONS, Counting, Watch};
#[cfg(feature = "parallel")]
use common::world;
use common::{Fleet, Found, Random, sequential};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
#[cfg(feature = "parallel")]
use triphase::BodyShape;
use triphase::stream::{self, Committed, Receiver, Streamed};
use triphase::{Bodies, Contacts, Error, Filter, PagePairs, StreamedPage, World, WorldConfig};
use triphase_scenes::{Scene, SceneName};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const SEED: u64 = 0x57ea;

/// Number, pairs, and whether they are of bodies.
type Block = (u64, Vec<(u32, u32)>, bool);

/// Blocks as they came.
#[derive(Default)]
struct Heard(Mutex<Vec<Block>>);

impl Heard {
    fn hear(&self, block: StreamedPage<'_>) {
        let (pairs, of_bodies) = match block.pairs() {
            PagePairs::Bodies(pairs) => (pairs.iter().map(|pair| (pair.a, pair.b)).collect::<Vec<_>>(), true),
            PagePairs::Static(pairs) => (pairs.iter().map(|pair| (pair.body, pair.static_row)).collect(), false),
        };
        assert!(pairs.len() == block.len() && !pairs.is_empty());
        assert_eq!(block.body_pairs().len(), if of_bodies { pairs.len() } else { 0 });
        assert_eq!(block.static_pairs().len(), if of_bodies { 0 } else { pairs.len() });
        self.0.lock().unwrap().push((block.sequence(), pairs, of_bodies));
    }

    fn pair_count(&self) -> usize {
        self.0.lock().unwrap().iter().map(|(_, pairs, _)| pairs.len()).sum()
    }

    /// The blocks in the order of their numbers; each is of one kind, and those of bodies come first.
    fn sorted(self) -> Sorted {
        let mut blocks = self.0.into_inner().unwrap();
        blocks.sort_by_key(|block| block.0);
        assert!(blocks.windows(2).all(|two| two[0].0 < two[1].0), "no two have one number");
        assert!(blocks.is_sorted_by_key(|block| !block.2), "bodies come first");
        let of = |bodies: bool| blocks.iter().filter(move |block| block.2 == bodies).map(|block| block.1.clone());
        Sorted {
            numbers: blocks.iter().map(|block| block.0).collect(),
            found: Found { body: of(true).flatten().collect(), static_row: of(false).flatten().collect() },
            blocks: blocks.into_iter().map(|block| block.1).collect(),
        }
    }
}

/// What a stream comes to.
#[derive(Debug, PartialEq)]
struct Sorted {
    numbers: Vec<u64>,
    found: Found,
    blocks: Vec<Vec<(u32, u32)>>,
}

impl Sorted {
    fn check(&self, contacts: Contacts<'_>) {
        let bodies = contacts.body_pages().map(|block| block.iter().map(|pair| (pair.a, pair.b)).collect::<Vec<_>>());
        let static_row = contacts.static_pages();
        let static_row = static_row.map(|block| block.iter().map(|pair| (pair.body, pair.static_row)).collect());
        assert!(bodies.chain(static_row).eq(self.blocks.iter().cloned()), "the blocks are those of the contacts");
        assert_eq!(self.found, Found::new(contacts));
    }
}

fn bodies(scene: &Scene) -> Bodies<'_> {
    let bodies = Bodies::new(&scene.centers, &scene.half_extents).with_ids(&scene.ids);
    scene.displacements.as_ref().map_or(bodies, |by| bodies.with_displacements(by))
}

#[test]
fn sorted_blocks_are_the_contacts_at_every_thread_count() {
    for name in [
        SceneName::Castles,
        SceneName::Dragons,
        SceneName::PowerLaw,
        SceneName::WideAndTall,
        SceneName::Touching,
        SceneName::Empty,
    ] {
        let mut fleet = Fleet::new(WorldConfig::new());
        for count in [20_000, 300] {
            let mut scene = Scene::new(name, count, SEED);
            fleet.set_statics(&scene.statics).unwrap();
            for filtered in [false, true] {
                scene.advance();
                let filters: Vec<Filter> =
                    (0..scene.centers.len() as u32).map(|k| Filter::new(1 << (k % 3), 3)).collect();
                let half = scene.centers.len() / 2;
                let parts = [(0, half), (half, scene.centers.len())].map(|(from, to)| {
                    let part = Bodies::new(&scene.centers[from..to], &scene.half_extents[from..to]);
                    if filtered { part.with_filters(&filters[from..to]) } else { part }
                });
                fleet.each(|world| {
                    let heard = Heard::default();
                    let contacts = world.step_streamed(&parts, |block| heard.hear(block)).unwrap();
                    let sorted = heard.sorted();
                    sorted.check(contacts);
                    // A step without a listener finds the same.
                    assert_eq!(Found::new(world.step(&parts).unwrap()), sorted.found);
                    sorted
                });
            }
        }
    }
}

#[test]
fn on_one_thread_blocks_come_in_order() {
    let scene = Scene::new(SceneName::Castles, 20_000, SEED);
    let mut world = sequential();
    world.set_statics(&scene.statics).unwrap();
    let numbers = Mutex::new([Vec::new(), Vec::new()]);
    let contacts = world
        .step_streamed(bodies(&scene), |block| {
            numbers.lock().unwrap()[usize::from(block.body_pairs().is_empty())].push(block.sequence());
        })
        .unwrap();
    let numbers = numbers.into_inner().unwrap();
    assert_eq!(numbers.each_ref().map(Vec::len), [contacts.body_pages().len(), contacts.static_pages().len()]);
    assert!(numbers.iter().all(|numbers| numbers.len() > 3 && numbers.is_sorted()));
}

#[test]
fn a_refused_step_hands_on_no_more_than_the_limit_and_is_an_error() {
    let scene = Scene::new(SceneName::Touching, 20_000, SEED);
    let pairs = sequential().step(bodies(&scene)).unwrap().body_pairs().len();
    for limit in [0, 1000, 30_000, pairs - 1, pairs] {
        Fleet::new(WorldConfig::new().with_pair_limit(limit)).each(|world| {
            let heard = Heard::default();
            let result = world.step_streamed(bodies(&scene), |block| heard.hear(block)).map(Found::new);
            assert!(heard.pair_count() <= limit, "{} of {limit}", heard.pair_count());
            assert_eq!(result.as_ref().err(), (limit < pairs).then_some(&Error::TooManyPairs { limit }));
            if let Ok(found) = result {
                assert_eq!(heard.sorted().found, found);
            }
        });
    }
    let heard = Heard::default();
    let bad = [[0.0f32, 0.0], [0.0, f32::NAN], [0.0, 0.0]];
    sequential().step_streamed(Bodies::uniform(&bad, [1.0, 1.0]), |block| heard.hear(block)).unwrap_err();
    assert_eq!(heard.pair_count(), 0, "bad rows are found before any pair");
}

#[test]
fn a_listener_that_panics_loses_nothing_but_its_step() {
    let mut scene = Scene::new(SceneName::Castles, 20_000, SEED);
    let first = scene.clone();
    scene.advance();
    let mut fleet = Fleet::new(WorldConfig::new());
    fleet.set_statics(&scene.statics).unwrap();
    fleet.each(|world| {
        let before = Found::new(world.step(bodies(&first)).unwrap());
        let expected = {
            let mut fresh = sequential();
            fresh.set_statics(&scene.statics).unwrap();
            Found::new(fresh.step(bodies(&scene)).unwrap())
        };
        // At the first block, in the middle, at one with statics; and all that come after.
        for at in [0, 3, 8] {
            let count = AtomicUsize::new(0);
            let step =
                || _ = world.step_streamed(bodies(&scene), |_| assert!(count.fetch_add(1, SeqCst) < at, "on purpose"));
            let panic = catch_unwind(AssertUnwindSafe(step)).unwrap_err();
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
            assert!(text.is_some_and(|text| text.contains("on purpose")), "the panic of the listener is the caller's");
            assert_eq!(Found::new(world.contacts()), before);
            assert_eq!(world.step_number(), 1);
        }
        assert_eq!(Found::new(world.step(bodies(&scene)).unwrap()), expected);
        let heard = Heard::default();
        world.step_streamed(bodies(&scene), |block| heard.hear(block)).unwrap();
        assert_eq!(heard.sorted().found, expected);
    });
}

#[test]
fn a_listener_that_panics_leaves_tracked_contacts_alone() {
    let mut scene = Scene::new(SceneName::Castles, 5000, SEED);
    let first = scene.clone();
    scene.advance();
    let mut fleet = Fleet::new(WorldConfig::new().with_contact_tracking(true));
    fleet.set_statics(&scene.statics).unwrap();
    let mut events = |panics: usize| {
        fleet.each(|world| {
            // The same begin for both.
            world.step(Bodies::from_aabbs::<[f32; 4]>(&[])).unwrap();
            world.step(bodies(&first)).unwrap();
            for _ in 0..panics {
                let step = || _ = world.step_streamed(bodies(&scene), |_| panic!("on purpose"));
                catch_unwind(AssertUnwindSafe(step)).unwrap_err();
                assert_eq!(world.contacts().persisting().count(), 0, "those of the first step stand");
            }
            let contacts = world.step(bodies(&scene)).unwrap();
            let started: Vec<_> = contacts.started().map(|tracked| tracked.pair).collect();
            let persisting: Vec<_> = contacts.persisting().map(|tracked| tracked.pair).collect();
            let static_row: Vec<_> = contacts.started_statics().map(|tracked| tracked.pair).collect();
            (started, persisting, static_row, contacts.ended().count(), contacts.ended_statics().count())
        })
    };
    let expected = events(0);
    assert!(!expected.0.is_empty() && !expected.1.is_empty() && expected.3 > 0);
    assert!(events(2) == expected);
}

/// Work for all threads of the pool, so that whoever waits for it takes up other tasks meanwhile.
#[cfg(feature = "parallel")]
fn work(depth: u32) -> u32 {
    if depth == 0 {
        std::thread::yield_now();
        return 1;
    }
    let (a, b) = rayon::join(|| work(depth - 1), || work(depth - 1));
    a + b
}

#[cfg(feature = "parallel")]
#[test]
fn a_listener_may_work_on_the_pool() {
    // One band that is larger than bands should be, crowded bands that are taken apart, and the usual.
    let cross = Scene::new(SceneName::Cross, 150_000, SEED);
    let mut random = Random::new(SEED);
    let places: Vec<[f32; 2]> = (0..40_000).map(|_| random.point(0.0, 1000.0)).collect();
    let sizes: Vec<[f32; 2]> = (0..40_000).map(|row| [[24.0, 0.005], [0.005, 24.0]][row % 2]).collect();
    let mixed = Bodies::new(&places, &sizes);
    let castles = Scene::new(SceneName::Castles, 20_000, SEED);
    let cases = [bodies(&cross), mixed, bodies(&castles)];
    // What is told of late is found as all else is, so with discs too.
    let overlaps =
        [BodyShape::Aabb, BodyShape::Circle].into_iter().flat_map(|overlap| cases.map(|case| (overlap, case)));
    for (k, (overlap, case)) in overlaps.enumerate() {
        let config = WorldConfig::new().with_parallel_threshold(0).with_body_shape(overlap);
        let mut fresh = world(config.clone().with_parallel_threshold(None));
        fresh.set_statics(&castles.statics).unwrap();
        let expected = Found::new(fresh.step(case).unwrap());
        for pool in common::pools() {
            pool.install(|| {
                let mut world = world(config.clone());
                world.set_statics(&castles.statics).unwrap();
                let heard = Heard::default();
                let contacts = world.step_streamed(case, |block| {
                    assert_eq!(work(4), 16);
                    heard.hear(block);
                });
                assert_eq!(Found::new(contacts.unwrap()), expected, "case {k}");
                assert_eq!(heard.sorted().found, expected, "case {k}");
                assert_eq!(Found::new(world.step(case).unwrap()), expected, "case {k}");
            });
        }
    }
}

/// The next step of a stream: what it sent, and what closed it.
fn receive(receiver: &Receiver) -> Option<(Sorted, Result<Committed, Option<Error>>)> {
    let heard = Heard::default();
    loop {
        match receiver.recv()? {
            Streamed::Block(block) => heard.hear(block.as_page()),
            Streamed::Committed(committed) => return Some((heard.sorted(), Ok(committed))),
            Streamed::Aborted(error) => return Some((heard.sorted(), Err(error))),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_channel_gives_each_step_and_how_it_ended() {
    let crowded = vec![[0.0f32, 0.0]; 2000];
    for capacity in [0, 1, 3, 1000, usize::MAX] {
        let mut fleet = Fleet::new(WorldConfig::new().with_pair_limit(1_000_000));
        let scene = Scene::new(SceneName::Castles, 12_000, SEED);
        fleet.set_statics(&scene.statics).unwrap();
        fleet.each(|world| {
            let mut random = Random::new(SEED);
            let (sender, receiver) = stream::channel(capacity);
            std::thread::scope(|scope| {
                let consumer = scope.spawn(|| {
                    let receiver = receiver;
                    std::iter::from_fn(|| receive(&receiver)).collect::<Vec<_>>()
                });
                let mut expected = Vec::new();
                for _ in 0..8 {
                    let count = random.index(scene.centers.len());
                    let part = Bodies::new(&scene.centers[..count], &scene.half_extents[..count]);
                    let result = match random.index(4) {
                        0 => world.step_to_channel(Bodies::uniform(&[[f32::NAN; 2]], [1.0; 2]), &sender),
                        1 => world.step_to_channel(Bodies::uniform(&crowded, [1.0; 2]), &sender),
                        2 => world.step_to_channel(&[part, part.with_ids(&[])], &sender),
                        _ => world.step_to_channel(part, &sender),
                    };
                    let counts = |contacts: Contacts<'_>| [contacts.body_pages().len(), contacts.static_pages().len()];
                    let result = result.map(|contacts| (Found::new(contacts), counts(contacts)));
                    expected.push((result, world.step_number()));
                }
                drop(sender);
                let received = consumer.join().unwrap();
                assert_eq!(received.len(), expected.len(), "each step is closed once");
                for ((sorted, outcome), (expected, step)) in received.iter().zip(&expected) {
                    match (outcome, expected) {
                        (Ok(committed), Ok((found, [body_blocks, static_blocks]))) => {
                            assert_eq!(&sorted.found, found);
                            assert_eq!(committed.step, *step);
                            assert_eq!(
                                (committed.body_blocks, committed.static_blocks),
                                (*body_blocks, *static_blocks)
                            );
                            let pairs = (committed.body_pairs, committed.static_pairs);
                            assert_eq!(pairs, (found.body.len(), found.static_row.len()));
                        }
                        // As text: the value in the error may be NaN.
                        (Err(Some(told)), Err(error)) => assert_eq!(told.to_string(), error.to_string()),
                        other => panic!("{other:?}"),
                    }
                }
            });
        });
    }
}

#[test]
fn a_consumer_that_goes_away_stops_no_step() {
    let scene = Scene::new(SceneName::Castles, 12_000, SEED);
    let mut fleet = Fleet::new(WorldConfig::new());
    fleet.set_statics(&scene.statics).unwrap();
    let expected = fleet.each(|world| Found::new(world.step(bodies(&scene)).unwrap()));
    // It leaves before anything, after a block, in a panic, and after the whole step.
    for leaves_after in [0, 1, 4, usize::MAX] {
        fleet.each(|world| {
            let (sender, receiver) = stream::channel(1);
            std::thread::scope(|scope| {
                let consumer = scope.spawn(move || {
                    let count = receiver.take(leaves_after).take_while(|message| matches!(message, Streamed::Block(_)));
                    assert!(count.count() != 4, "on purpose");
                });
                for _ in 0..3 {
                    assert_eq!(Found::new(world.step_to_channel(bodies(&scene), &sender).unwrap()), expected);
                }
                assert_eq!(consumer.join().is_err(), leaves_after == 4);
            });
            assert!(sender.is_closed());
            assert_eq!(Found::new(world.step_to_channel(bodies(&scene), &sender).unwrap()), expected);
        });
    }
}

#[test]
fn what_was_sent_outlives_sender_and_world() {
    let (sender, mut receiver) = stream::channel(100);
    let mut world = sequential();
    world.step_to_channel(Bodies::uniform(&[[0.0f32, 0.0], [0.5, 0.0]], [0.5, 0.5]), &sender).unwrap();
    assert_eq!(receiver.len(), 2);
    let block = receiver.next();
    drop((world, sender));
    assert!(matches!(receiver.next(), Some(Streamed::Committed(_))));
    assert!(receiver.next().is_none() && receiver.try_recv().is_none() && receiver.is_empty());
    drop(receiver);
    let Some(Streamed::Block(block)) = block else { panic!("{block:?}") };
    assert_eq!(block.body_pairs().len(), 1);
}

#[test]
fn streamed_steps_that_were_stepped_before_allocate_nothing() {
    let _watch = Watch::start();
    let mut scene = Scene::new(SceneName::Castles, 6000, SEED);
    let film: Vec<Scene> = std::iter::repeat_with(|| (scene.advance(), scene.clone()).1).take(6).collect();
    let mut world = sequential();
    world.set_statics(&scene.statics).unwrap();
    let (sender, receiver) = stream::channel(1000);
    let rows = AtomicUsize::new(0);
    let mut roll = || {
        for scene in &film {
            world.step_streamed(bodies(scene), |block| _ = rows.fetch_add(block.len(), SeqCst)).unwrap();
            world.step_to_channel(bodies(scene), &sender).unwrap();
            while let Some(message) = receiver.try_recv() {
                std::hint::black_box(&message);
            }
        }
    };
    (0..2).for_each(|_| roll());
    let before = ALLOCATIONS.load(SeqCst);
    roll();
    assert_eq!(ALLOCATIONS.load(SeqCst) - before, 0);
    assert!(rows.load(SeqCst) > 10_000);
}

/// Whoever draws a world may hold both ends in one place.
const _: () = {
    const fn is_debug<T: std::fmt::Debug>() {}
    is_debug::<World>();
    is_debug::<stream::Sender>();
    is_debug::<Receiver>();
};
