//! Pairs that are streamed while a step runs: each once, numbered in the order of contacts; and
//! streams that a refused step, a panic or a dropped receiver ends early.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
#[cfg(feature = "parallel")]
use triphase::BodyShape;
use triphase::stream::{self, Receiver, StepSummary, StreamMessage};
use triphase::{Bodies, Contacts, Error, Filter, PagePairs, StreamedPage, World, WorldConfig};
use triphase_scenes::{Scene, SceneName, SplitMix64};
use triphase_tests::{FoundPairs, WorldSet, scene_bodies, sequential};
#[cfg(feature = "parallel")]
use triphase_tests::{pools, world};

const SEED: u64 = 0x57ea;

/// Sequence number, pairs, and whether they are body pairs.
type ReceivedPage = (u64, Vec<(u32, u32)>, bool);

/// Pages in the order of arrival.
#[derive(Default)]
struct Listener(Mutex<Vec<ReceivedPage>>);

impl Listener {
    fn receive(&self, page: StreamedPage<'_>) {
        let (pairs, are_bodies) = match page.pairs() {
            PagePairs::Body(pairs) => (pairs.iter().map(|pair| (pair.a, pair.b)).collect::<Vec<_>>(), true),
            PagePairs::Static(pairs) => (pairs.iter().map(|pair| (pair.body, pair.static_row)).collect(), false),
        };
        assert!(pairs.len() == page.len() && !pairs.is_empty());
        assert_eq!(page.body_pairs().len(), if are_bodies { pairs.len() } else { 0 });
        assert_eq!(page.static_pairs().len(), if are_bodies { 0 } else { pairs.len() });
        self.0.lock().unwrap().push((page.sequence(), pairs, are_bodies));
    }

    fn pair_count(&self) -> usize {
        self.0.lock().unwrap().iter().map(|(_, pairs, _)| pairs.len()).sum()
    }

    /// The pages by sequence number; those of bodies come first.
    fn sorted(self) -> Sorted {
        let mut pages = self.0.into_inner().unwrap();
        pages.sort_by_key(|page| page.0);
        assert!(pages.windows(2).all(|two| two[0].0 < two[1].0), "numbers are unique");
        assert!(pages.is_sorted_by_key(|page| !page.2), "bodies come first");
        let of = |bodies: bool| pages.iter().filter(move |page| page.2 == bodies).map(|page| page.1.clone());
        Sorted {
            numbers: pages.iter().map(|page| page.0).collect(),
            found: FoundPairs { bodies: of(true).flatten().collect(), statics: of(false).flatten().collect() },
            pages: pages.into_iter().map(|page| page.1).collect(),
        }
    }
}

/// The content of a stream in sequence.
#[derive(Debug, PartialEq)]
struct Sorted {
    numbers: Vec<u64>,
    found: FoundPairs,
    pages: Vec<Vec<(u32, u32)>>,
}

impl Sorted {
    fn check(&self, contacts: Contacts<'_>) {
        let bodies = contacts.body_pages().map(|page| page.iter().map(|pair| (pair.a, pair.b)).collect::<Vec<_>>());
        let statics = contacts.static_pages();
        let statics = statics.map(|page| page.iter().map(|pair| (pair.body, pair.static_row)).collect());
        assert!(bodies.chain(statics).eq(self.pages.iter().cloned()), "the pages are those of the contacts");
        assert_eq!(self.found, FoundPairs::new(contacts));
    }
}

#[test]
fn pages_in_sequence_are_the_contacts() {
    for name in [
        SceneName::Castles,
        SceneName::Dragons,
        SceneName::PowerLaw,
        SceneName::WideAndTall,
        SceneName::Touching,
        SceneName::Empty,
    ] {
        let mut worlds = WorldSet::new(WorldConfig::new());
        for count in [20_000, 300] {
            let mut scene = Scene::new(name, count, SEED);
            worlds.set_statics(&scene.statics).unwrap();
            for filtered in [false, true] {
                scene.advance();
                let filters: Vec<Filter> =
                    (0..scene.centers.len() as u32).map(|k| Filter::new(1 << (k % 3), 3)).collect();
                let half = scene.centers.len() / 2;
                let parts = [(0, half), (half, scene.centers.len())].map(|(from, to)| {
                    let part = Bodies::new(&scene.centers[from..to], &scene.half_extents[from..to]);
                    if filtered { part.with_filters(&filters[from..to]) } else { part }
                });
                worlds.each(|world| {
                    let listener = Listener::default();
                    let contacts = world.step_streamed(parts, |page| listener.receive(page)).unwrap();
                    let sorted = listener.sorted();
                    sorted.check(contacts);
                    // A step without a listener finds the same pairs.
                    assert_eq!(FoundPairs::new(world.step(parts).unwrap()), sorted.found);
                    sorted
                });
            }
        }
    }
}

#[test]
fn pages_on_one_thread_come_in_order() {
    let scene = Scene::new(SceneName::Castles, 20_000, SEED);
    let mut world = sequential();
    world.set_statics(&scene.statics).unwrap();
    let numbers = Mutex::new([Vec::new(), Vec::new()]);
    let contacts = world
        .step_streamed(scene_bodies(&scene), |page| {
            numbers.lock().unwrap()[usize::from(page.body_pairs().is_empty())].push(page.sequence());
        })
        .unwrap();
    let numbers = numbers.into_inner().unwrap();
    assert_eq!(numbers.each_ref().map(Vec::len), [contacts.body_pages().len(), contacts.static_pages().len()]);
    assert!(numbers.iter().all(|numbers| numbers.len() > 3 && numbers.is_sorted()));
}

#[test]
fn refused_step_streams_at_most_the_limit() {
    let scene = Scene::new(SceneName::Touching, 20_000, SEED);
    let pairs = sequential().step(scene_bodies(&scene)).unwrap().body_pairs().len();
    for limit in [0, 1000, 30_000, pairs - 1, pairs] {
        WorldSet::new(WorldConfig::new().with_pair_limit(limit)).each(|world| {
            let listener = Listener::default();
            let result = world.step_streamed(scene_bodies(&scene), |page| listener.receive(page)).map(FoundPairs::new);
            assert!(listener.pair_count() <= limit, "{} of {limit}", listener.pair_count());
            assert_eq!(result.as_ref().err(), (limit < pairs).then_some(&Error::TooManyPairs { limit }));
            if let Ok(found) = result {
                assert_eq!(listener.sorted().found, found);
            }
        });
    }
    let listener = Listener::default();
    let bad = [[0.0f32, 0.0], [0.0, f32::NAN], [0.0, 0.0]];
    sequential().step_streamed(Bodies::uniform(&bad, [1.0, 1.0]), |page| listener.receive(page)).unwrap_err();
    assert_eq!(listener.pair_count(), 0, "bad rows are found before any pair");
}

#[test]
fn panic_in_a_listener_loses_its_step_alone() {
    let mut scene = Scene::new(SceneName::Castles, 20_000, SEED);
    let first = scene.clone();
    scene.advance();
    let mut worlds = WorldSet::new(WorldConfig::new());
    worlds.set_statics(&scene.statics).unwrap();
    worlds.each(|world| {
        let before = FoundPairs::new(world.step(scene_bodies(&first)).unwrap());
        let expected = {
            let mut fresh = sequential();
            fresh.set_statics(&scene.statics).unwrap();
            FoundPairs::new(fresh.step(scene_bodies(&scene)).unwrap())
        };
        // At the first page, in the middle, and at one of static pairs; all later calls panic, too.
        for at in [0, 3, 8] {
            let count = AtomicUsize::new(0);
            let step = || {
                _ = world
                    .step_streamed(scene_bodies(&scene), |_| assert!(count.fetch_add(1, SeqCst) < at, "on purpose"))
            };
            let panic = catch_unwind(AssertUnwindSafe(step)).unwrap_err();
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
            assert!(text.is_some_and(|text| text.contains("on purpose")), "the panic of the listener is the caller's");
            assert_eq!(FoundPairs::new(world.contacts()), before);
            assert_eq!(world.step_number(), 1);
        }
        assert_eq!(FoundPairs::new(world.step(scene_bodies(&scene)).unwrap()), expected);
        let listener = Listener::default();
        world.step_streamed(scene_bodies(&scene), |page| listener.receive(page)).unwrap();
        assert_eq!(listener.sorted().found, expected);
    });
}

#[test]
fn panic_in_a_listener_keeps_tracked_contacts() {
    let mut scene = Scene::new(SceneName::Castles, 5000, SEED);
    let first = scene.clone();
    scene.advance();
    let mut worlds = WorldSet::new(WorldConfig::new().with_contact_tracking(true));
    worlds.set_statics(&scene.statics).unwrap();
    let mut events = |panics: usize| {
        worlds.each(|world| {
            // The same start for both.
            world.step(Bodies::from_aabbs::<[f32; 4]>(&[])).unwrap();
            world.step(scene_bodies(&first)).unwrap();
            for _ in 0..panics {
                let step = || _ = world.step_streamed(scene_bodies(&scene), |_| panic!("on purpose"));
                catch_unwind(AssertUnwindSafe(step)).unwrap_err();
                assert_eq!(
                    world.contacts().events().unwrap().persisting().count(),
                    0,
                    "the events are those of the first step"
                );
            }
            let contacts = world.step(scene_bodies(&scene)).unwrap();
            let events = contacts.events().unwrap();
            let started: Vec<_> = events.started().map(|tracked| tracked.pair).collect();
            let persisting: Vec<_> = events.persisting().map(|tracked| tracked.pair).collect();
            let started_statics: Vec<_> = events.started_static().map(|tracked| tracked.pair).collect();
            (started, persisting, started_statics, events.ended().count(), events.ended_static().count())
        })
    };
    let expected = events(0);
    assert!(!expected.0.is_empty() && !expected.1.is_empty() && expected.3 > 0);
    assert!(events(2) == expected);
}

/// Work for all threads of the pool, so that a thread that waits for it steals other tasks.
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
fn listener_can_use_the_pool() {
    // An oversized band, crowded bands that are split, and usual ones.
    let cross = Scene::new(SceneName::Cross, 150_000, SEED);
    let mut random = SplitMix64::new(SEED);
    let places: Vec<[f32; 2]> = (0..40_000).map(|_| random.point(0.0, 1000.0)).collect();
    let sizes: Vec<[f32; 2]> = (0..40_000).map(|row| [[24.0, 0.005], [0.005, 24.0]][row % 2]).collect();
    let mixed = Bodies::new(&places, &sizes);
    let castles = Scene::new(SceneName::Castles, 20_000, SEED);
    let cases = [scene_bodies(&cross), mixed, scene_bodies(&castles)];
    // Pages of the oversized band come late; with circles, too.
    let overlaps =
        [BodyShape::Aabb, BodyShape::Circle].into_iter().flat_map(|overlap| cases.map(|case| (overlap, case)));
    for (k, (overlap, case)) in overlaps.enumerate() {
        let config = WorldConfig::new().with_parallel_threshold(0).with_body_shape(overlap);
        let mut fresh = world(config.clone().with_parallel_threshold(None));
        fresh.set_statics(&castles.statics).unwrap();
        let expected = FoundPairs::new(fresh.step(case).unwrap());
        for pool in triphase_tests::pools() {
            pool.install(|| {
                let mut world = world(config.clone());
                world.set_statics(&castles.statics).unwrap();
                let listener = Listener::default();
                let contacts = world.step_streamed(case, |page| {
                    assert_eq!(work(4), 16);
                    listener.receive(page);
                });
                assert_eq!(FoundPairs::new(contacts.unwrap()), expected, "case {k}");
                assert_eq!(listener.sorted().found, expected, "case {k}");
                assert_eq!(FoundPairs::new(world.step(case).unwrap()), expected, "case {k}");
            });
        }
    }
}

/// Receives the next step of a stream and its outcome.
fn receive(receiver: &Receiver) -> Option<(Sorted, Result<StepSummary, Option<Error>>)> {
    let listener = Listener::default();
    loop {
        match receiver.recv()? {
            StreamMessage::Page(page) => listener.receive(page.as_page()),
            StreamMessage::Committed(committed) => return Some((listener.sorted(), Ok(committed))),
            StreamMessage::Aborted(error) => return Some((listener.sorted(), Err(error))),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn channel_delivers_each_step_and_its_outcome() {
    let crowded = vec![[0.0f32, 0.0]; 2000];
    for capacity in [0, 3, usize::MAX] {
        let mut worlds = WorldSet::new(WorldConfig::new().with_pair_limit(1_000_000));
        let scene = Scene::new(SceneName::Castles, 6000, SEED);
        worlds.set_statics(&scene.statics).unwrap();
        worlds.each(|world| {
            let mut random = SplitMix64::new(SEED);
            let (sender, receiver) = stream::channel(capacity);
            std::thread::scope(|scope| {
                let consumer = scope.spawn(|| {
                    let receiver = receiver;
                    std::iter::from_fn(|| receive(&receiver)).collect::<Vec<_>>()
                });
                let mut expected = Vec::new();
                for _ in 0..8 {
                    let count = random.below(scene.centers.len());
                    let part = Bodies::new(&scene.centers[..count], &scene.half_extents[..count]);
                    let result = match random.below(4) {
                        0 => world.step_to_channel(Bodies::uniform(&[[f32::NAN; 2]], [1.0; 2]), &sender),
                        1 => world.step_to_channel(Bodies::uniform(&crowded, [1.0; 2]), &sender),
                        2 => world.step_to_channel([part, part.with_ids(&[])], &sender),
                        _ => world.step_to_channel(part, &sender),
                    };
                    let counts = |contacts: Contacts<'_>| [contacts.body_pages().len(), contacts.static_pages().len()];
                    let result = result.map(|contacts| (FoundPairs::new(contacts), counts(contacts)));
                    expected.push((result, world.step_number()));
                }
                drop(sender);
                let received = consumer.join().unwrap();
                assert_eq!(received.len(), expected.len(), "each step is closed once");
                for ((sorted, outcome), (expected, step)) in received.iter().zip(&expected) {
                    match (outcome, expected) {
                        (Ok(committed), Ok((found, [body_pages, static_pages]))) => {
                            assert_eq!(&sorted.found, found);
                            assert_eq!(committed.step_number, *step);
                            assert_eq!(
                                (committed.body_page_count, committed.static_page_count),
                                (*body_pages, *static_pages)
                            );
                            let pairs = (committed.body_pair_count, committed.static_pair_count);
                            assert_eq!(pairs, (found.bodies.len(), found.statics.len()));
                        }
                        // As text: the value in the error may be NaN.
                        (Err(Some(found)), Err(error)) => assert_eq!(found.to_string(), error.to_string()),
                        other => panic!("{other:?}"),
                    }
                }
            });
        });
    }
}

#[test]
fn dropped_receiver_stops_no_step() {
    let scene = Scene::new(SceneName::Castles, 6000, SEED);
    let mut worlds = WorldSet::new(WorldConfig::new());
    worlds.set_statics(&scene.statics).unwrap();
    let expected = worlds.each(|world| FoundPairs::new(world.step(scene_bodies(&scene)).unwrap()));
    // It is dropped before anything, after a page, in a panic, and after the whole step.
    for leaves_after in [0, 1, 4, usize::MAX] {
        worlds.each(|world| {
            let (sender, receiver) = stream::channel(1);
            std::thread::scope(|scope| {
                let consumer = scope.spawn(move || {
                    let count =
                        receiver.take(leaves_after).take_while(|message| matches!(message, StreamMessage::Page(_)));
                    assert!(count.count() != 4, "on purpose");
                });
                for _ in 0..3 {
                    assert_eq!(
                        FoundPairs::new(world.step_to_channel(scene_bodies(&scene), &sender).unwrap()),
                        expected
                    );
                }
                assert_eq!(consumer.join().is_err(), leaves_after == 4);
            });
            assert!(sender.is_closed());
            assert_eq!(FoundPairs::new(world.step_to_channel(scene_bodies(&scene), &sender).unwrap()), expected);
        });
    }
}

#[test]
fn sent_pages_outlive_sender_and_world() {
    let (sender, mut receiver) = stream::channel(100);
    let mut world = sequential();
    world.step_to_channel(Bodies::uniform(&[[0.0f32, 0.0], [0.5, 0.0]], [0.5, 0.5]), &sender).unwrap();
    assert_eq!(receiver.len(), 2);
    let page = receiver.next();
    drop((world, sender));
    assert!(matches!(receiver.next(), Some(StreamMessage::Committed(_))));
    assert!(receiver.next().is_none() && receiver.try_recv().is_none() && receiver.is_empty());
    drop(receiver);
    let Some(StreamMessage::Page(page)) = page else { panic!("{page:?}") };
    assert_eq!(page.body_pairs().len(), 1);
}

const _: () = {
    const fn is_debug<T: std::fmt::Debug>() {}
    is_debug::<World>();
    is_debug::<stream::Sender>();
    is_debug::<Receiver>();
};

/// Worlds on threads of their own, one in a job of the pool, and new ones that are stepped by
/// whoever receives a page of these.
#[cfg(feature = "parallel")]
#[test]
fn worlds_may_be_stepped_in_and_out_of_the_pool_and_while_pages_are_received() {
    let scene = Scene::new(SceneName::Castles, 20_000, SEED);
    let expected = {
        let mut world = sequential();
        world.set_statics(&scene.statics).unwrap();
        FoundPairs::new(world.step(scene_bodies(&scene)).unwrap())
    };
    let parallel = || {
        let mut world = world(WorldConfig::new().with_parallel_threshold(0));
        world.set_statics(&scene.statics).unwrap();
        world
    };
    let (turn, inner_steps) = (Mutex::new(()), AtomicUsize::new(0));
    let run = |rounds: usize| {
        let mut world = parallel();
        for _ in 0..rounds {
            let step_inner = |_: StreamedPage<'_>| {
                let Ok(_turn) = turn.try_lock() else { return };
                let mut inner = parallel();
                assert_eq!(FoundPairs::new(inner.step(scene_bodies(&scene)).unwrap()), expected);
                inner_steps.fetch_add(1, SeqCst);
            };
            let contacts = world.step_streamed(scene_bodies(&scene), step_inner).unwrap();
            assert_eq!(FoundPairs::new(contacts), expected);
        }
    };
    std::thread::scope(|threads| {
        threads.spawn(|| run(3));
        threads.spawn(|| run(3));
        threads.spawn(|| triphase::with_pool(&pools()[2], || run(3)));
        rayon::scope(|jobs| jobs.spawn(|_| run(3)));
    });
    assert!(inner_steps.into_inner() > 0);
}
