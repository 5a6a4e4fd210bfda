//! Pairs that are given with both rows to change: each once, no row to two threads at once, and to each row in one order.

mod common;

use common::{Fleet, Random, sequential, world};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use triphase::{Bodies, Contacts, Error, InvalidRows, Pair, StaticPair, World, WorldConfig};
use triphase_scenes::{Scene, SceneName};

/// Scenes, and how many bodies make several bands of them without too many pairs.
const SCENES: [(SceneName, usize); 9] = [
    (SceneName::Crowd, 9000),
    (SceneName::Dragons, 9000),
    (SceneName::Castles, 6000),
    (SceneName::Cities, 9000),
    (SceneName::PowerLaw, 9000),
    (SceneName::Coincident, 300),
    (SceneName::Harp, 3000),
    (SceneName::WideAndTall, 9000),
    (SceneName::Churn, 9000),
];

fn bodies(scene: &Scene) -> Bodies<'_> {
    let bodies = Bodies::new(&scene.centers, &scene.half_extents);
    scene.displacements.as_ref().map_or(bodies, |displacements| bodies.with_displacements(displacements))
}

/// The rows that someone is working on.
struct Entered(Vec<AtomicBool>);

impl Entered {
    fn new(rows: usize) -> Self {
        Self((0..rows).map(|_| AtomicBool::new(false)).collect())
    }

    /// Runs `inside` while these rows are taken; no one else may have one of them.
    fn alone(&self, rows: &[u32], inside: impl FnOnce()) {
        let flags = || rows.iter().map(|&row| &self.0[row as usize]);
        flags().for_each(|flag| assert!(!flag.swap(true, SeqCst), "two at once in {rows:?}"));
        inside();
        // Long enough for others to come in, if they are let.
        (0..20).for_each(|_| std::hint::spin_loop());
        flags().for_each(|flag| assert!(flag.swap(false, SeqCst), "someone else has left {rows:?}"));
    }
}

/// The partners of each row in the order in which they were given.
fn partners(contacts: Contacts<'_>) -> Vec<Vec<u32>> {
    let entered = Entered::new(contacts.body_count());
    let mut partners = vec![Vec::new(); contacts.body_count()];
    let each = |pair: Pair, a: &mut Vec<u32>, b: &mut Vec<u32>| {
        entered.alone(&[pair.a, pair.b], || {
            a.push(pair.b);
            b.push(pair.a);
        });
    };
    contacts.par_for_each_pair_mut(&mut partners, each).expect("a column of the step");
    partners
}

/// As [`partners`], of statics.
fn statics(contacts: Contacts<'_>) -> Vec<Vec<u32>> {
    let entered = Entered::new(contacts.body_count());
    let mut statics = vec![Vec::new(); contacts.body_count()];
    let each = |pair: StaticPair, row: &mut Vec<u32>| entered.alone(&[pair.body], || row.push(pair.static_row));
    contacts.par_for_each_static_pair_mut(&mut statics[..], each).expect("a column of the step");
    statics
}

/// That each pair was given once, to both of its rows.
fn check(label: &str, contacts: Contacts<'_>, partners: &[Vec<u32>], statics: &[Vec<u32>]) {
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    for pair in contacts.body_pairs() {
        expected.extend([(pair.a, pair.b), (pair.b, pair.a)]);
    }
    found.extend((0..).zip(partners).flat_map(|(row, partners)| partners.iter().map(move |&other| (row, other))));
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found.len(), expected.len(), "{label}");
    assert!(found == expected, "{label}: other pairs were given than there are");

    let mut found: Vec<(u32, u32)> = (0..)
        .zip(statics)
        .flat_map(|(row, statics)| statics.iter().map(move |&static_row| (row, static_row)))
        .collect();
    let mut expected: Vec<(u32, u32)> = contacts.static_pairs().map(|pair| (pair.body, pair.static_row)).collect();
    found.sort_unstable();
    expected.sort_unstable();
    assert!(found == expected, "{label}: other static pairs were given than there are");
}

#[test]
fn each_pair_is_given_once_to_one_thread_and_in_one_order() {
    for (name, count) in SCENES {
        let mut scene = Scene::new(name, count, 5);
        let mut fleet = Fleet::new(WorldConfig::new());
        fleet.set_statics(&scene.statics).unwrap();
        for _ in 0..2 {
            let found = fleet.step(&[bodies(&scene)], &scene.statics).expect("the same everywhere").expect("good rows");
            assert!(!found.body.is_empty(), "{name} is idle");
            // Twice, as what was worked out for the first time is kept for the second.
            let (first, static_row) = fleet.each(|world| (partners(world.contacts()), statics(world.contacts())));
            let (again, fixed_again) = fleet.each(|world| (partners(world.contacts()), statics(world.contacts())));
            assert!(first == again && static_row == fixed_again, "{name}");
            check(name.as_str(), fleet.world().contacts(), &first, &static_row);
            scene.advance();
        }
    }
}

#[test]
fn drawn_worlds_give_each_pair_once_and_in_one_order() {
    let mut random = Random::new(3);
    for round in 0..12 {
        let label = format!("round {round}");
        let (columns, statics_set) = drawn(&mut random);
        let bounds: &[f32] = random.pick(&[&[][..], &[0.3], &[0.0], &[0.1, 0.5, 4.0]]);
        let mut fleet = Fleet::new(WorldConfig::new().with_bounds(bounds.iter().copied()));
        fleet.set_statics(&statics_set).unwrap();
        fleet.step(&[columns.bodies()], &statics_set).expect(&label).expect("good rows");
        let (first, static_row) = fleet.each(|world| (partners(world.contacts()), statics(world.contacts())));
        check(&label, fleet.world().contacts(), &first, &static_row);
    }
}

/// Bodies of sizes that differ a little or beyond measure, enough for several bands.
fn drawn(random: &mut Random) -> (common::Columns, Vec<[f32; 4]>) {
    let count = 3000 + random.index(9000);
    let spread = (count as f32).sqrt() * random.between(0.8, 2.5);
    let sizes = random.pick(&[0.0f32, 1.0, 3.0, 5.0]);
    let half = |random: &mut Random| 0.4 * (random.unit() * random.unit() * sizes).exp().min(spread * 0.1);
    let centers = (0..count).map(|_| random.point(0.0, spread)).collect();
    let half_extents = (0..count).map(|_| [half(random), half(random)]).collect();
    let wall = |random: &mut Random| {
        let [x, y] = random.point(0.0, spread);
        [x, y, x + random.between(0.0, 9.0), y + random.between(0.0, 9.0)]
    };
    let walls = (0..random.index(200)).map(|_| wall(random)).collect();
    (common::Columns::new(centers, half_extents), walls)
}

#[test]
fn what_is_computed_is_the_same_to_the_bit() {
    let scene = Scene::new(SceneName::Castles, 20_000, 6);
    let mut fleet = Fleet::new(WorldConfig::new());
    fleet.set_statics(&scene.statics).unwrap();
    fleet.step(&[bodies(&scene)], &scene.statics).expect("the same everywhere").expect("good rows");
    let moved = fleet.each(|world| {
        let (mut centers, mut masses) = (scene.centers.clone(), vec![1.0f32; scene.centers.len()]);
        let contacts = world.contacts();
        for _ in 0..3 {
            let columns = (&mut centers, &mut masses[..]);
            let pull = |_, (a, mass_a): (&mut [f32; 2], &mut f32), (b, mass_b): (&mut [f32; 2], &mut f32)| {
                // Sums whose value depends on their order.
                let [x, y] = [b[0] - a[0], b[1] - a[1]];
                (a[0], a[1]) = (a[0] + x * *mass_b * 0.1, a[1] - y * 0.3);
                (b[0], b[1]) = (b[0] - x * *mass_a * 0.1, b[1] + y * 0.3);
                (*mass_a, *mass_b) = (*mass_a * 0.9 + *mass_b * 0.3, *mass_b * 0.8 + x * 0.01);
            };
            contacts.par_for_each_pair_mut(columns, pull).unwrap();
            let push = |pair: StaticPair, row: &mut [f32; 2]| row[0] += (row[1] + pair.static_row as f32) * 0.1;
            contacts.par_for_each_static_pair_mut(&mut centers, push).unwrap();
        }
        let bits = |center: &[f32; 2]| center.map(f32::to_bits);
        (centers.iter().map(bits).collect::<Vec<_>>(), masses.iter().map(|mass| mass.to_bits()).collect::<Vec<_>>())
    });
    assert!(moved.0.iter().zip(&scene.centers).filter(|(new, old)| **new != old.map(f32::to_bits)).count() > 1000);
}

#[test]
fn short_columns_are_refused_and_nothing_is_called() {
    let scene = Scene::new(SceneName::Castles, 3000, 7);
    let mut world = world(WorldConfig::new().with_parallel_threshold(0));
    world.set_statics(&scene.statics).unwrap();
    let contacts = world.step(bodies(&scene)).unwrap();
    let rows = contacts.body_count();
    let (mut long, mut short, mut none) = (vec![0u8; rows + 5], vec![0u64; rows - 1], Vec::<u8>::new());
    let unwanted = |_: Pair| panic!("there is a column that is too short");
    let short_column = |number, found| Err(Error::ColumnTooShort { index: number, expected: rows, found });
    let result = contacts.par_for_each_pair_mut((&mut long, &mut short, &mut none), |pair, _, _| unwanted(pair));
    assert_eq!(result, short_column(1, rows - 1));
    assert_eq!(contacts.par_for_each_pair_mut(&mut none, |pair, _, _| unwanted(pair)), short_column(0, 0));
    let result = contacts.par_for_each_static_pair_mut((&mut long, &mut none), |_, _| panic!("it is short"));
    assert_eq!(result, short_column(1, 0));
    let told = short_column(1, 0).unwrap_err().to_string();
    assert_eq!(told, format!("column 1 to be changed has 0 rows, expected at least the {rows} of the step"));

    // Longer ones are not: what is beyond the step's rows is left alone.
    let each = |_: Pair, a: &mut u8, b: &mut u8| (*a, *b) = (a.saturating_add(1), b.saturating_add(1));
    contacts.par_for_each_pair_mut(&mut long, each).unwrap();
    assert!(long[..rows].iter().any(|&count| count > 0) && long[rows..] == [0; 5]);
}

#[test]
fn columns_are_taken_one_by_one_and_up_to_six_at_once() {
    let centers = [[0.0f32, 0.0], [0.4, 0.0]];
    let mut world = sequential();
    let contacts = world.step(Bodies::uniform(&centers, [0.5, 0.5])).unwrap();
    let (mut a, mut b, mut c) = (vec![1u8, 2], [3u16, 4], vec![5u32, 6]);
    let (mut d, mut e, mut f) = (vec!["seven".to_owned(), "eight".to_owned()], vec![Some(9u64), None], [(), ()]);
    contacts.par_for_each_pair_mut(&mut a[..], |_, a, b| std::mem::swap(a, b)).unwrap();
    contacts.par_for_each_pair_mut((&mut a,), |_, (a,), (b,)| *a += *b).unwrap();
    assert_eq!(a, [3, 1]);
    let columns = (&mut a, &mut b[..], &mut c, &mut d, &mut e[..], &mut f[..]);
    contacts
        .par_for_each_pair_mut(columns, |pair, a, b| {
            assert_eq!(pair, Pair { a: 0, b: 1 });
            std::mem::swap(a.0, b.0);
            std::mem::swap(a.1, b.1);
            std::mem::swap(a.2, b.2);
            std::mem::swap(a.3, b.3);
            std::mem::swap(a.4, b.4);
            assert_eq!((a.5, b.5), (&mut (), &mut ()));
        })
        .unwrap();
    assert_eq!((a, b, c), (vec![1, 3], [4, 3], vec![6, 5]));
    assert_eq!((d[0].as_str(), d[1].as_str(), e), ("eight", "seven", vec![None, Some(9)]));
}

#[test]
fn contacts_are_those_of_the_last_good_step() {
    let scene = Scene::new(SceneName::Castles, 9000, 8);
    let mut world = world(WorldConfig::new().with_parallel_threshold(0));
    let given = |world: &World| {
        let (calls, contacts) = (AtomicUsize::new(0), world.contacts());
        let mut rows = vec![(); contacts.body_count()];
        let count = |_: Pair, _: &mut (), _: &mut ()| _ = calls.fetch_add(1, SeqCst);
        contacts.par_for_each_pair_mut(&mut rows, count).unwrap();
        let bodies = calls.swap(0, SeqCst);
        contacts.par_for_each_static_pair_mut(&mut rows, |_, _| _ = calls.fetch_add(1, SeqCst)).unwrap();
        assert_eq!((bodies, calls.load(SeqCst)), (contacts.body_pairs().len(), contacts.static_pairs().len()));
        (bodies, calls.load(SeqCst))
    };
    assert_eq!(given(&world), (0, 0), "before the first step");
    world.set_statics(&scene.statics).unwrap();
    world.step(bodies(&scene)).unwrap();
    let first = given(&world);
    assert!(first.0 > 0 && first.1 > 0);
    // A refused step leaves them, whether they were asked before or not.
    for asked in [true, false] {
        let mut centers = scene.centers.clone();
        centers[8999][0] = f32::NAN;
        world.step(Bodies::new(&centers, &scene.half_extents)).unwrap_err();
        if asked {
            assert_eq!(given(&world), first);
        }
        world.shrink_to_fit();
        assert_eq!(given(&world), first);
        world.step(bodies(&scene)).unwrap();
    }
    // Statics were replaced: no pairs with them until the next step.
    assert_eq!(given(&world), first);
    world.set_statics(&scene.statics[..3]).unwrap();
    assert_eq!(given(&world), (first.0, 0));
    // Fewer bodies than before, and none.
    let few = Bodies::new(&scene.centers[..50], &scene.half_extents[..50]);
    world.step(few).unwrap();
    assert!(given(&world) < first);
    world.step(Bodies::new(&scene.centers[..0], &scene.half_extents[..0])).unwrap();
    assert_eq!(given(&world), (0, 0));
}

#[test]
fn contacts_outlast_a_shift_of_the_origin_whoever_asked_before() {
    let scene = Scene::new(SceneName::Dragons, 9000, 13);
    let given = |ask: bool| {
        let mut world = world(WorldConfig::new().with_parallel_threshold(0));
        world.step(bodies(&scene)).unwrap();
        if ask {
            partners(world.contacts());
        }
        // So far that bodies are filed in other bands than before.
        world.shift_origin([3.0e6f32, -1.0e7]).unwrap();
        let partners = partners(world.contacts());
        check("shifted", world.contacts(), &partners, &vec![Vec::new(); 9000]);
        partners
    };
    assert!(given(true) == given(false));
}

#[test]
fn skipped_rows_have_no_pairs_and_a_place() {
    let mut scene = Scene::new(SceneName::Dragons, 9000, 9);
    (0..9000).step_by(7).for_each(|row| scene.centers[row][1] = f32::INFINITY);
    let mut world = world(WorldConfig::new().with_parallel_threshold(0).with_invalid_rows(InvalidRows::Skip));
    let contacts = world.step(bodies(&scene)).unwrap();
    let partners = partners(contacts);
    check("skipped", contacts, &partners, &vec![Vec::new(); 9000]);
    assert!(partners.iter().step_by(7).all(Vec::is_empty));
}

#[test]
fn many_threads_may_ask_the_same_contacts_at_once() {
    let scene = Scene::new(SceneName::Dragons, 12_000, 10);
    let mut world = world(WorldConfig::new().with_parallel_threshold(0));
    for _ in 0..4 {
        let contacts = world.step(bodies(&scene)).unwrap();
        // None has asked yet: all of them work it out.
        let all: Vec<Vec<Vec<u32>>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..6).map(|_| scope.spawn(move || partners(contacts))).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        assert!(all.windows(2).all(|two| two[0] == two[1]));
        check("six threads", contacts, &all[0], &vec![Vec::new(); 12_000]);
    }
}

#[test]
fn a_closure_may_ask_for_other_columns() {
    let scene = Scene::new(SceneName::Crowd, 9000, 11);
    let mut world = world(WorldConfig::new().with_parallel_threshold(0));
    let contacts = world.step(bodies(&scene)).unwrap();
    let (calls, inner) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let mut rows = vec![0u8; 9000];
    let each = |pair: Pair, a: &mut u8, _: &mut u8| {
        *a = a.wrapping_add(1);
        calls.fetch_add(1, SeqCst);
        if pair.a.is_multiple_of(1500) {
            // As jobs do that a thread takes over while it waits.
            let mut others = vec![(); 9000];
            contacts.par_for_each_pair_mut(&mut others, |_, _, _| _ = inner.fetch_add(1, SeqCst)).unwrap();
        }
    };
    contacts.par_for_each_pair_mut(&mut rows, each).unwrap();
    let pairs = contacts.body_pairs().len();
    assert!(calls.load(SeqCst) == pairs && inner.load(SeqCst) > pairs && inner.load(SeqCst).is_multiple_of(pairs));
}

#[test]
fn a_closure_that_panics_takes_nothing_along() {
    let scene = Scene::new(SceneName::Dragons, 9000, 12);
    let mut world = world(WorldConfig::new().with_parallel_threshold(0));
    let contacts = world.step(bodies(&scene)).unwrap();
    let mut rows = vec![0u8; 9000];
    let panics = catch_unwind(AssertUnwindSafe(|| {
        let each = |pair: Pair, _: &mut u8, _: &mut u8| assert!(pair.a != 4000, "this one");
        contacts.par_for_each_pair_mut(&mut rows, each)
    }));
    assert!(panics.is_err() || contacts.body_pairs().all(|pair| pair.a != 4000));
    let partners = partners(contacts);
    check("after a panic", contacts, &partners, &vec![Vec::new(); 9000]);
    world.step(bodies(&scene)).unwrap();
}
