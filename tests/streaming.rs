//! Pairs handed on while a step runs: each once, numbered in the order of contacts. Streams that a
//! step, a listener or a consumer ends early.

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
use triphase::stream::{self, Receiver, StepSummary, StreamMessage};
use triphase::{Bodies, Contacts, Error, Filter, PagePairs, StreamedPage, World, WorldConfig};
use triphase_scenes::{Scene, SceneName};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const SEED: u64 = 0x57ea;

/// Sequence number, pairs, and whether they are body pairs.
type Page = (u64, Vec<(u32, u32)>, bool);

/// Pages in the order of arrival.
#[derive(Default)]
struct Received(Mutex<Vec<Page>>);

impl Received {
    fn push(&self, page: StreamedPage<'_>) {
        let (pairs, of_bodies) = match page.pairs() {
            PagePairs::Body(pairs) => (pairs.iter().map(|pair| (pair.a, pair.b)).collect::<Vec<_>>(), true),
            PagePairs::Static(pairs) => (pairs.iter().map(|pair| (pair.body, pair.static_row)).collect(), false),
        };
        assert!(pairs.len() == page.len() && !pairs.is_empty());
        assert_eq!(page.body_pairs().len(), if of_bodies { pairs.len() } else { 0 });
        assert_eq!(page.static_pairs().len(), if of_bodies { 0 } else { pairs.len() });
        self.0.lock().unwrap().push((page.sequence(), pairs, of_bodies));
    }

    fn pair_count(&self) -> usize {
        self.0.lock().unwrap().iter().map(|(_, pairs, _)| pairs.len()).sum()
    }

    /// The pages by sequence number; body pages come first.
    fn sorted(self) -> Sorted {
        let mut pages = self.0.into_inner().unwrap();
        pages.sort_by_key(|page| page.0);
        assert!(pages.windows(2).all(|two| two[0].0 < two[1].0), "numbers are unique");
        assert!(pages.is_sorted_by_key(|page| !page.2), "body pages come first");
        let of = |bodies: bool| pages.iter().filter(move |page| page.2 == bodies).map(|page| page.1.clone());
        Sorted {
            numbers: pages.iter().map(|page| page.0).collect(),
            found: Found { body: of(true).flatten().collect(), static_row: of(false).flatten().collect() },
            pages: pages.into_iter().map(|page| page.1).collect(),
        }
    }
}

/// All pages of a step, in order.
#[derive(Debug, PartialEq)]
struct Sorted {
    numbers: Vec<u64>,
    found: Found,
    pages: Vec<Vec<(u32, u32)>>,
}

impl Sorted {
    fn check(&self, contacts: Contacts<'_>) {
        let bodies = contacts.body_pages().map(|page| page.iter().map(|pair| (pair.a, pair.b)).collect::<Vec<_>>());
        let static_row = contacts.static_pages();
        let static_row = static_row.map(|page| page.iter().map(|pair| (pair.body, pair.static_row)).collect());
        assert!(bodies.chain(static_row).eq(self.pages.iter().cloned()), "the pages are those of the contacts");
        assert_eq!(self.found, Found::new(contacts));
    }
}

fn bodies(scene: &Scene) -> Bodies<'_> {
    let bodies = Bodies::new(&scene.centers, &scene.half_extents).with_ids(&scene.ids);
    scene.displacements.as_ref().map_or(bodies, |by| bodies.with_displacements(by))
}

#[test]
fn streamed_pages_sorted_are_the_contacts_at_every_thread_count() {
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
                    let received = Received::default();
                    let contacts = world.step_streamed(&parts, |page| received.push(page)).unwrap();
                    let sorted = received.sorted();
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
fn streamed_pages_on_one_thread_arrive_in_order() {
    let scene = Scene::new(SceneName::Castles, 20_000, SEED);
    let mut world = sequential();
    world.set_statics(&scene.statics).unwrap();
    let numbers = Mutex::new([Vec::new(), Vec::new()]);
    let contacts = world
        .step_streamed(bodies(&scene), |page| {
            numbers.lock().unwrap()[usize::from(page.body_pairs().is_empty())].push(page.sequence());
        })
        .unwrap();
    let numbers = numbers.into_inner().unwrap();
    assert_eq!(numbers.each_ref().map(Vec::len), [contacts.body_pages().len(), contacts.static_pages().len()]);
    assert!(numbers.iter().all(|numbers| numbers.len() > 3 && numbers.is_sorted()));
}

#[test]
fn streamed_step_above_the_pair_limit_fails_and_stays_below_it() {
    let scene = Scene::new(SceneName::Touching, 20_000, SEED);
    let pairs = sequential().step(bodies(&scene)).unwrap().body_pairs().len();
    for limit in [0, 1000, 30_000, pairs - 1, pairs] {
        Fleet::new(WorldConfig::new().with_pair_limit(limit)).each(|world| {
            let received = Received::default();
            let result = world.step_streamed(bodies(&scene), |page| received.push(page)).map(Found::new);
            assert!(received.pair_count() <= limit, "{} of {limit}", received.pair_count());
            assert_eq!(result.as_ref().err(), (limit < pairs).then_some(&Error::TooManyPairs { limit }));
            if let Ok(found) = result {
                assert_eq!(received.sorted().found, found);
            }
        });
    }
    let received = Received::default();
    let bad = [[0.0f32, 0.0], [0.0, f32::NAN], [0.0, 0.0]];
    sequential().step_streamed(Bodies::uniform(&bad, [1.0, 1.0]), |page| received.push(page)).unwrap_err();
    assert_eq!(received.pair_count(), 0, "invalid rows are found before any pair");
}

#[test]
fn streamed_step_whose_listener_panics_keeps_the_last_step() {
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
        // From the first page on, from the middle, and from a static page on.
        for at in [0, 3, 8] {
            let count = AtomicUsize::new(0);
            let step =
                || _ = world.step_streamed(bodies(&scene), |_| assert!(count.fetch_add(1, SeqCst) < at, "on purpose"));
            let panic = catch_unwind(AssertUnwindSafe(step)).unwrap_err();
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
            assert!(text.is_some_and(|text| text.contains("on purpose")), "the caller gets the panic of the listener");
            assert_eq!(Found::new(world.contacts()), before);
            assert_eq!(world.step_number(), 1);
        }
        assert_eq!(Found::new(world.step(bodies(&scene)).unwrap()), expected);
        let received = Received::default();
        world.step_streamed(bodies(&scene), |page| received.push(page)).unwrap();
        assert_eq!(received.sorted().found, expected);
    });
}

#[test]
fn streamed_step_whose_listener_panics_keeps_tracked_contacts() {
    let mut scene = Scene::new(SceneName::Castles, 5000, SEED);
    let first = scene.clone();
    scene.advance();
    let mut fleet = Fleet::new(WorldConfig::new().with_contact_tracking(true));
    fleet.set_statics(&scene.statics).unwrap();
    let mut events = |panics: usize| {
        fleet.each(|world| {
            // Both runs start alike.
            world.step(Bodies::from_aabbs::<[f32; 4]>(&[])).unwrap();
            world.step(bodies(&first)).unwrap();
            for _ in 0..panics {
                let step = || _ = world.step_streamed(bodies(&scene), |_| panic!("on purpose"));
                catch_unwind(AssertUnwindSafe(step)).unwrap_err();
                assert_eq!(
                    world.contacts().events().unwrap().persisting().count(),
                    0,
                    "the events of the first step stay"
                );
            }
            let contacts = world.step(bodies(&scene)).unwrap();
            let started: Vec<_> = contacts.events().unwrap().started().map(|tracked| tracked.pair).collect();
            let persisting: Vec<_> = contacts.events().unwrap().persisting().map(|tracked| tracked.pair).collect();
            let static_row: Vec<_> = contacts.events().unwrap().started_static().map(|tracked| tracked.pair).collect();
            (
                started,
                persisting,
                static_row,
                contacts.events().unwrap().ended().count(),
                contacts.events().unwrap().ended_static().count(),
            )
        })
    };
    let expected = events(0);
    assert!(!expected.0.is_empty() && !expected.1.is_empty() && expected.3 > 0);
    assert!(events(2) == expected);
}

/// Work for all threads of the pool: a thread that waits for it takes up other tasks meanwhile.
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
fn listener_may_use_the_thread_pool() {
    // One very large band, crowded bands, and usual ones.
    let cross = Scene::new(SceneName::Cross, 150_000, SEED);
    let mut random = Random::new(SEED);
    let places: Vec<[f32; 2]> = (0..40_000).map(|_| random.point(0.0, 1000.0)).collect();
    let sizes: Vec<[f32; 2]> = (0..40_000).map(|row| [[24.0, 0.005], [0.005, 24.0]][row % 2]).collect();
    let mixed = Bodies::new(&places, &sizes);
    let castles = Scene::new(SceneName::Castles, 20_000, SEED);
    let cases = [bodies(&cross), mixed, bodies(&castles)];
    // Pages of large bands are reported late; with circles too.
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
                let received = Received::default();
                let contacts = world.step_streamed(case, |page| {
                    assert_eq!(work(4), 16);
                    received.push(page);
                });
                assert_eq!(Found::new(contacts.unwrap()), expected, "case {k}");
                assert_eq!(received.sorted().found, expected, "case {k}");
                assert_eq!(Found::new(world.step(case).unwrap()), expected, "case {k}");
            });
        }
    }
}

/// Receives the next step: its pages, and how it ended.
fn receive(receiver: &Receiver) -> Option<(Sorted, Result<StepSummary, Option<Error>>)> {
    let received = Received::default();
    loop {
        match receiver.recv()? {
            StreamMessage::Page(page) => received.push(page.as_page()),
            StreamMessage::Committed(committed) => return Some((received.sorted(), Ok(committed))),
            StreamMessage::Aborted(error) => return Some((received.sorted(), Err(error))),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn channel_delivers_each_step_and_its_outcome() {
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
                assert_eq!(received.len(), expected.len(), "one closing message per step");
                for ((sorted, outcome), (expected, step)) in received.iter().zip(&expected) {
                    match (outcome, expected) {
                        (Ok(committed), Ok((found, [body_blocks, static_blocks]))) => {
                            assert_eq!(&sorted.found, found);
                            assert_eq!(committed.step_number, *step);
                            assert_eq!(
                                (committed.body_page_count, committed.static_page_count),
                                (*body_blocks, *static_blocks)
                            );
                            let pairs = (committed.body_pair_count, committed.static_pair_count);
                            assert_eq!(pairs, (found.body.len(), found.static_row.len()));
                        }
                        // As text, because the value in the error may be NaN.
                        (Err(Some(told)), Err(error)) => assert_eq!(told.to_string(), error.to_string()),
                        other => panic!("{other:?}"),
                    }
                }
            });
        });
    }
}

#[test]
fn steps_continue_after_the_receiver_is_dropped() {
    let scene = Scene::new(SceneName::Castles, 12_000, SEED);
    let mut fleet = Fleet::new(WorldConfig::new());
    fleet.set_statics(&scene.statics).unwrap();
    let expected = fleet.each(|world| Found::new(world.step(bodies(&scene)).unwrap()));
    // Before the first message, after one page, in a panic, and after the whole step.
    for leaves_after in [0, 1, 4, usize::MAX] {
        fleet.each(|world| {
            let (sender, receiver) = stream::channel(1);
            std::thread::scope(|scope| {
                let consumer = scope.spawn(move || {
                    let count =
                        receiver.take(leaves_after).take_while(|message| matches!(message, StreamMessage::Page(_)));
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

#[test]
fn repeated_streamed_steps_allocate_nothing() {
    let _watch = Watch::start();
    let mut scene = Scene::new(SceneName::Castles, 6000, SEED);
    let film: Vec<Scene> = std::iter::repeat_with(|| (scene.advance(), scene.clone()).1).take(6).collect();
    let mut world = sequential();
    world.set_statics(&scene.statics).unwrap();
    let (sender, receiver) = stream::channel(1000);
    let rows = AtomicUsize::new(0);
    let mut roll = || {
        for scene in &film {
            world.step_streamed(bodies(scene), |page| _ = rows.fetch_add(page.len(), SeqCst)).unwrap();
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

/// Types that hold a world or an end of a channel can derive `Debug`.
const _: () = {
    const fn is_debug<T: std::fmt::Debug>() {}
    is_debug::<World>();
    is_debug::<stream::Sender>();
    is_debug::<Receiver>();
};
