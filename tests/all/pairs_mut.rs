//! Pairs with mutable access to both rows: each is passed once, no row to two threads at once, and
//! a row sees its pairs in one order at any thread count.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use triphase::{Bodies, Contacts, Error, InvalidRows, Pair, StaticPair, World, WorldConfig};
use triphase_scenes::{Scene, SceneName, SplitMix64};
use triphase_tests::{Columns, WorldSet, scene_bodies, sequential, world};

/// Scenes, and a number of bodies that gives several bands without too many pairs.
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

/// The rows that are being worked on.
struct Entered(Vec<AtomicBool>);

impl Entered {
    fn new(rows: usize) -> Self {
        Self((0..rows).map(|_| AtomicBool::new(false)).collect())
    }

    /// Runs `inside` while these rows are taken. No other call may have one of them.
    fn alone(&self, rows: &[u32], inside: impl FnOnce()) {
        let flags = || rows.iter().map(|&row| &self.0[row as usize]);
        flags().for_each(|flag| assert!(!flag.swap(true, SeqCst), "two at once in {rows:?}"));
        inside();
        // Long enough for other threads to enter if nothing stops them.
        (0..20).for_each(|_| std::hint::spin_loop());
        flags().for_each(|flag| assert!(flag.swap(false, SeqCst), "someone else has left {rows:?}"));
    }
}

/// The partners of each row in the order in which they were passed.
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

/// As [`partners`], for statics.
fn statics(contacts: Contacts<'_>) -> Vec<Vec<u32>> {
    let entered = Entered::new(contacts.body_count());
    let mut statics = vec![Vec::new(); contacts.body_count()];
    let each = |pair: StaticPair, row: &mut Vec<u32>| entered.alone(&[pair.body], || row.push(pair.static_row));
    contacts.par_for_each_static_pair_mut(&mut statics[..], each).expect("a column of the step");
    statics
}

/// Checks that each pair was passed once, to both of its rows.
fn check(label: &str, contacts: Contacts<'_>, partners: &[Vec<u32>], statics: &[Vec<u32>]) {
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    for pair in contacts.body_pairs() {
        expected.extend([(pair.a, pair.b), (pair.b, pair.a)]);
    }
    found.extend((0..).zip(partners).flat_map(|(row, partners)| partners.iter().map(move |&other| (row, other))));
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found.len(), expected.len(), "{label}");
    assert!(found == expected, "{label}: wrong pairs were passed");

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
fn pairs_of_scenes_are_passed_once_exclusively_in_one_order() {
    for (name, count) in SCENES {
        let mut scene = Scene::new(name, count, 5);
        let mut worlds = WorldSet::new(WorldConfig::new());
        worlds.set_statics(&scene.statics).unwrap();
        for _ in 0..2 {
            let found = worlds
                .step(&[scene_bodies(&scene)], &scene.statics)
                .expect("the same in every world")
                .expect("valid rows");
            assert!(!found.bodies.is_empty(), "{name} is idle");
            // Twice, since the first call caches its schedule.
            let (first, first_statics) = worlds.each(|world| (partners(world.contacts()), statics(world.contacts())));
            let (again, statics_again) = worlds.each(|world| (partners(world.contacts()), statics(world.contacts())));
            assert!(first == again && first_statics == statics_again, "{name}");
            check(name.as_str(), worlds.world().contacts(), &first, &first_statics);
            scene.advance();
        }
    }
}

#[test]
fn pairs_of_random_worlds_are_passed_once_in_one_order() {
    let mut random = SplitMix64::new(3);
    for round in 0..5 {
        let label = format!("round {round}");
        let (columns, statics_set) = random_sizes(&mut random);
        let bounds: &[f32] = random.pick(&[&[][..], &[0.3], &[0.0], &[0.1, 0.5, 4.0]]);
        let mut worlds = WorldSet::new(WorldConfig::new().with_bounds(bounds.iter().copied()));
        worlds.set_statics(&statics_set).unwrap();
        worlds.step(&[columns.bodies()], &statics_set).expect(&label).expect("valid rows");
        let (first, first_statics) = worlds.each(|world| (partners(world.contacts()), statics(world.contacts())));
        check(&label, worlds.world().contacts(), &first, &first_statics);
    }
}

/// Bodies of nearly equal or very different sizes, enough for several bands, and statics.
fn random_sizes(random: &mut SplitMix64) -> (Columns, Vec<[f32; 4]>) {
    let count = 3000 + random.below(5000);
    let spread = (count as f32).sqrt() * random.range(0.8, 2.5);
    let sizes = random.pick(&[0.0f32, 1.0, 3.0, 5.0]);
    let half =
        |random: &mut SplitMix64| 0.4 * (random.range(0.0, 1.0) * random.range(0.0, sizes)).exp().min(spread * 0.1);
    let centers = (0..count).map(|_| random.point(0.0, spread)).collect();
    let half_extents = (0..count).map(|_| [half(random), half(random)]).collect();
    let wall = |random: &mut SplitMix64| {
        let [x, y] = random.point(0.0, spread);
        [x, y, x + random.range(0.0, 9.0), y + random.range(0.0, 9.0)]
    };
    let walls = (0..random.below(200)).map(|_| wall(random)).collect();
    (Columns::new(centers, half_extents), walls)
}

#[test]
fn results_are_bitwise_equal_at_any_thread_count() {
    let scene = Scene::new(SceneName::Castles, 20_000, 6);
    let mut worlds = WorldSet::new(WorldConfig::new());
    worlds.set_statics(&scene.statics).unwrap();
    worlds.step(&[scene_bodies(&scene)], &scene.statics).expect("the same in every world").expect("valid rows");
    let moved = worlds.each(|world| {
        let (mut centers, mut masses) = (scene.centers.clone(), vec![1.0f32; scene.centers.len()]);
        let contacts = world.contacts();
        for _ in 0..3 {
            let columns = (&mut centers, &mut masses[..]);
            let pull = |_, (a, mass_a): (&mut [f32; 2], &mut f32), (b, mass_b): (&mut [f32; 2], &mut f32)| {
                // The value of a sum depends on its order.
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
fn short_column_is_refused_before_any_call() {
    let scene = Scene::new(SceneName::Castles, 3000, 7);
    let mut world = world(WorldConfig::new().with_parallel_threshold(0));
    world.set_statics(&scene.statics).unwrap();
    let contacts = world.step(scene_bodies(&scene)).unwrap();
    let rows = contacts.body_count();
    let (mut long, mut short, mut none) = (vec![0u8; rows + 5], vec![0u64; rows - 1], Vec::<u8>::new());
    let unwanted = |_: Pair| panic!("there is a column that is too short");
    let short_column = |number, found| Err(Error::ColumnTooShort { index: number, expected: rows, found });
    let result = contacts.par_for_each_pair_mut((&mut long, &mut short, &mut none), |pair, _, _| unwanted(pair));
    assert_eq!(result, short_column(1, rows - 1));
    assert_eq!(contacts.par_for_each_pair_mut(&mut none, |pair, _, _| unwanted(pair)), short_column(0, 0));
    let result = contacts.par_for_each_static_pair_mut((&mut long, &mut none), |_, _| panic!("it is short"));
    assert_eq!(result, short_column(1, 0));
    let message = short_column(1, 0).unwrap_err().to_string();
    assert_eq!(message, format!("column 1 has 0 rows, but the step had {rows}"));

    // Longer columns are accepted, and what is beyond the step's rows is left alone.
    let each = |_: Pair, a: &mut u8, b: &mut u8| (*a, *b) = (a.saturating_add(1), b.saturating_add(1));
    contacts.par_for_each_pair_mut(&mut long, each).unwrap();
    assert!(long[..rows].iter().any(|&count| count > 0) && long[rows..] == [0; 5]);
}

#[test]
fn up_to_six_columns_are_passed_at_once() {
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
fn pairs_are_those_of_the_last_successful_step() {
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
    world.step(scene_bodies(&scene)).unwrap();
    let first = given(&world);
    assert!(first.0 > 0 && first.1 > 0);
    // A refused step keeps them, whether they were visited before or not.
    for asked in [true, false] {
        let mut centers = scene.centers.clone();
        centers[8999][0] = f32::NAN;
        world.step(Bodies::new(&centers, &scene.half_extents)).unwrap_err();
        if asked {
            assert_eq!(given(&world), first);
        }
        world.shrink_to_fit();
        assert_eq!(given(&world), first);
        world.step(scene_bodies(&scene)).unwrap();
    }
    // Replaced statics have no pairs until the next step.
    assert_eq!(given(&world), first);
    world.set_statics(&scene.statics[..3]).unwrap();
    assert_eq!(given(&world), (first.0, 0));
    // Fewer bodies than before, then none.
    let few = Bodies::new(&scene.centers[..50], &scene.half_extents[..50]);
    world.step(few).unwrap();
    assert!(given(&world) < first);
    world.step(Bodies::new(&scene.centers[..0], &scene.half_extents[..0])).unwrap();
    assert_eq!(given(&world), (0, 0));
}

#[test]
fn pairs_survive_a_shift_of_the_origin() {
    let scene = Scene::new(SceneName::Dragons, 9000, 13);
    let given = |ask: bool| {
        let mut world = world(WorldConfig::new().with_parallel_threshold(0));
        world.step(scene_bodies(&scene)).unwrap();
        if ask {
            partners(world.contacts());
        }
        // So far that bodies are in other bands than before.
        world.shift_origin([3.0e6f32, -1.0e7]).unwrap();
        let partners = partners(world.contacts());
        check("shifted", world.contacts(), &partners, &vec![Vec::new(); 9000]);
        partners
    };
    assert!(given(true) == given(false));
}

#[test]
fn skipped_rows_keep_their_row_and_have_no_pairs() {
    let mut scene = Scene::new(SceneName::Dragons, 9000, 9);
    (0..9000).step_by(7).for_each(|row| scene.centers[row][1] = f32::INFINITY);
    let mut world = world(WorldConfig::new().with_parallel_threshold(0).with_invalid_rows(InvalidRows::Skip));
    let contacts = world.step(scene_bodies(&scene)).unwrap();
    let partners = partners(contacts);
    check("skipped", contacts, &partners, &vec![Vec::new(); 9000]);
    assert!(partners.iter().step_by(7).all(Vec::is_empty));
}

#[test]
fn many_threads_can_visit_the_same_contacts() {
    let scene = Scene::new(SceneName::Dragons, 12_000, 10);
    let mut world = world(WorldConfig::new().with_parallel_threshold(0));
    for _ in 0..4 {
        let contacts = world.step(scene_bodies(&scene)).unwrap();
        // No call was made yet, so all threads may compute the schedule.
        let all: Vec<Vec<Vec<u32>>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..6).map(|_| scope.spawn(move || partners(contacts))).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        assert!(all.windows(2).all(|two| two[0] == two[1]));
        check("six threads", contacts, &all[0], &vec![Vec::new(); 12_000]);
    }
}

#[test]
fn closure_can_visit_other_columns() {
    let scene = Scene::new(SceneName::Crowd, 9000, 11);
    let mut world = world(WorldConfig::new().with_parallel_threshold(0));
    let contacts = world.step(scene_bodies(&scene)).unwrap();
    let (calls, inner) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let mut rows = vec![0u8; 9000];
    let each = |pair: Pair, a: &mut u8, _: &mut u8| {
        *a = a.wrapping_add(1);
        calls.fetch_add(1, SeqCst);
        if pair.a.is_multiple_of(1500) {
            // As a job does that a waiting thread steals.
            let mut others = vec![(); 9000];
            contacts.par_for_each_pair_mut(&mut others, |_, _, _| _ = inner.fetch_add(1, SeqCst)).unwrap();
        }
    };
    contacts.par_for_each_pair_mut(&mut rows, each).unwrap();
    let pairs = contacts.body_pairs().len();
    assert!(calls.load(SeqCst) == pairs && inner.load(SeqCst) > pairs && inner.load(SeqCst).is_multiple_of(pairs));
}

#[test]
fn panic_in_the_closure_leaves_contacts_intact() {
    let scene = Scene::new(SceneName::Dragons, 9000, 12);
    let mut world = world(WorldConfig::new().with_parallel_threshold(0));
    let contacts = world.step(scene_bodies(&scene)).unwrap();
    let unlucky = contacts.body_pairs().nth(4000).unwrap();
    let mut rows = vec![0u8; 9000];
    let panics = catch_unwind(AssertUnwindSafe(|| {
        let each = |pair: Pair, _: &mut u8, _: &mut u8| assert!(pair != unlucky, "this one");
        contacts.par_for_each_pair_mut(&mut rows, each)
    }));
    assert!(panics.is_err());
    let partners = partners(contacts);
    check("after a panic", contacts, &partners, &vec![Vec::new(); 9000]);
    world.step(scene_bodies(&scene)).unwrap();
}
