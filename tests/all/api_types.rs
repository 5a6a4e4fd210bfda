//! What the types allow: iterate contacts while queries run and columns change, share worlds and
//! contacts between threads, pass columns of the caller's own types, run in the caller's own pool.

use bytemuck::NoUninit;
use std::ops::Range;
#[cfg(feature = "parallel")]
use std::sync::Arc;
#[cfg(feature = "parallel")]
use std::sync::atomic::{AtomicBool, Ordering};
use triphase::glam::Vec2;
use triphase::{
    Aabb, Bodies, Contacts, Error, Hit, Pair, Pairs, StaticPair, Statics, StridedColumn, World, WorldConfig,
};
use triphase_scenes::SplitMix64;
use triphase_tests::{WorldSet, sequential};

const fn is_send<T: Send>() {}
const fn is_sync<T: Sync>() {}
const fn is_static<T: 'static>() {}
const fn is_copy<T: Copy>() {}
const fn iterates<T, I: ExactSizeIterator<Item = T> + Clone + std::iter::FusedIterator>() {}

const _: () = {
    is_send::<World>();
    is_sync::<World>();
    is_static::<World>();
    is_send::<Contacts<'_>>();
    is_sync::<Contacts<'_>>();
    is_copy::<Contacts<'_>>();
    is_send::<Error>();
    is_sync::<Error>();
    is_static::<Error>();
    is_copy::<Bodies<'_>>();
    is_copy::<Statics<'_>>();
    is_send::<Bodies<'_>>();
    is_sync::<Bodies<'_>>();
    is_send::<Pairs<'_, Pair>>();
    is_sync::<Pairs<'_, Pair>>();
    iterates::<Pair, Pairs<'_, Pair>>();
    iterates::<StaticPair, Pairs<'_, StaticPair>>();
};

/// A crowd with thousands of pairs: more than one page.
fn crowd() -> (Vec<[f32; 2]>, Vec<[f32; 2]>) {
    let mut random = SplitMix64::new(31);
    (0..6000).map(|_| (random.point(0.0, 60.0), random.point(0.3, 0.7))).unzip()
}

const WALLS: [[f32; 4]; 2] = [[0.0, 0.0, 60.0, 1.0], [10.0, 10.0, 30.0, 30.0]];

#[test]
fn queries_run_while_contacts_are_iterated() {
    let (centers, half_extents) = crowd();
    let mut world = sequential();
    world.set_statics(&WALLS).unwrap();
    world.step(Bodies::new(&centers, &half_extents)).unwrap();
    for pair in world.contacts().body_pairs().take(50) {
        let [x, y] = centers[pair.a as usize];
        let area = Aabb::from_half_extents([x, y], [0.0, 0.0]).unwrap();
        let mut rows =
            world.query_aabb(area).filter_map(|hit| if let Hit::Body { row, .. } = hit { Some(row) } else { None });
        assert!(rows.any(|row| row == pair.a));
    }
    // A query within a query, and both within the pairs.
    let everything = Aabb::new([-1e9, -1e9], [1e9, 1e9]).unwrap();
    let (mut outer, mut inner) = (world.query_aabb(everything), world.query_aabb(everything));
    assert_eq!(outer.by_ref().take(10).count(), inner.by_ref().take(10).count());
    assert_eq!(outer.count() + 10, centers.len() + WALLS.len());
}

#[test]
fn columns_can_change_while_contacts_are_iterated() {
    let (mut centers, mut half_extents) = crowd();
    let mut world = sequential();
    let contacts = world.step(Bodies::new(&centers, &half_extents)).unwrap();
    let count = contacts.body_pairs().len();
    let mut pushed = 0;
    for pair in contacts.body_pairs() {
        centers[pair.a as usize][0] -= 0.01;
        centers[pair.b as usize][0] += 0.01;
        pushed += 1;
    }
    half_extents.clear();
    drop(centers);
    assert_eq!((pushed, contacts.body_pairs().len()), (count, count));
}

#[test]
fn statics_column_can_be_dropped_after_the_call() {
    let mut world = sequential();
    {
        let walls = WALLS.to_vec();
        world.set_statics(&walls).unwrap();
    }
    assert!(world.step(Bodies::uniform(&[[15.0f32, 15.0]], [0.5; 2])).unwrap().static_pairs().len() == 1);
}

#[test]
fn pages_in_order_are_the_pairs() {
    let (centers, half_extents) = crowd();
    let mut world = sequential();
    for count in [0, 1, 2, 100, centers.len()] {
        world.set_statics(&WALLS).unwrap();
        let contacts = world.step(Bodies::new(&centers[..count], &half_extents[..count])).unwrap();
        let pairs: Vec<Pair> = contacts.body_pairs().collect();
        assert_eq!(contacts.body_pages().collect::<Vec<_>>().concat(), pairs);
        assert!(contacts.body_pages().all(|page| !page.is_empty()), "no page is empty");
        let static_pairs: Vec<StaticPair> = contacts.static_pairs().collect();
        assert_eq!(contacts.static_pages().collect::<Vec<_>>().concat(), static_pairs);
        assert_eq!(contacts.body_pages().len(), contacts.body_pages().count());
        assert!(pairs.iter().all(|pair| pair.a < pair.b && (pair.b as usize) < count));

        let mut sorted = vec![Pair { a: 9, b: 1 }; 3]; // what was there is cleared
        contacts.sorted_pairs(&mut sorted);
        let mut expected = pairs.clone();
        expected.sort_unstable_by_key(|pair| (pair.a, pair.b));
        assert_eq!(sorted, expected);
    }
    assert!(world.contacts().body_pages().count() > 1, "the crowd is large enough for more than one");
}

#[test]
fn pair_iterators_are_exact_size_at_every_position() {
    let (centers, half_extents) = crowd();
    let mut world = sequential();
    world.set_statics(&WALLS).unwrap();
    let contacts = world.step(Bodies::new(&centers, &half_extents)).unwrap();
    let mut pairs = contacts.body_pairs();
    let all: Vec<Pair> = pairs.clone().collect();
    for k in 0..all.len() {
        assert_eq!((pairs.len(), pairs.size_hint()), (all.len() - k, (all.len() - k, Some(all.len() - k))));
        if k % 997 == 0 {
            // A clone continues on its own, through `next` and through `fold`.
            assert!(pairs.clone().eq(all[k..].iter().copied()));
            let mut folded = Vec::new();
            pairs.clone().for_each(|pair| folded.push(pair));
            assert_eq!(folded, all[k..]);
        }
        assert_eq!(pairs.next(), Some(all[k]));
    }
    assert_eq!((pairs.len(), pairs.next(), pairs.next()), (0, None, None));
    assert_eq!(contacts.static_pairs().len(), contacts.static_pairs().count());
}

#[test]
fn contacts_and_worlds_are_shared_between_threads() {
    let (centers, half_extents) = crowd();
    let mut world = sequential();
    world.step(Bodies::new(&centers, &half_extents)).unwrap();
    let (contacts, expected) = (world.contacts(), world.contacts().body_pairs().len());
    let everything = Aabb::new([-1e9, -1e9], [1e9, 1e9]).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(move || assert_eq!(contacts.body_pairs().count(), expected));
            scope.spawn(|| assert_eq!(world.query_aabb(everything).count(), centers.len()));
        }
    });
    // A world can be moved to another thread.
    let count = std::thread::spawn(move || world.step(Bodies::uniform(&centers, [0.5; 2])).unwrap().body_count());
    assert_eq!(count.join().unwrap(), 6000);
}

#[derive(Clone, Copy)]
#[repr(transparent)]
struct Position([f32; 2]);

#[derive(Clone, Copy)]
#[repr(C)]
struct Size {
    half_width: f32,
    half_height: f32,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Wall {
    min: Position,
    max: Position,
}

#[allow(unsafe_code)]
// SAFETY: `repr(transparent)` over two f32: no padding, `Copy + 'static`.
unsafe impl NoUninit for Position {}
#[allow(unsafe_code)]
// SAFETY: `repr(C)`, two f32, no padding, `Copy + 'static`.
unsafe impl NoUninit for Size {}
#[allow(unsafe_code)]
// SAFETY: `repr(C)`, four f32, no padding, `Copy + 'static`.
unsafe impl NoUninit for Wall {}

#[test]
fn columns_of_any_castable_type_give_the_same_pairs() {
    let (centers, half_extents) = crowd();
    let (centers, half_extents) = (&centers[..200], &half_extents[..200]);
    let pairs = |bodies: Bodies<'_>| sequential().step(bodies).unwrap().body_pairs().collect::<Vec<_>>();
    let expected = pairs(Bodies::new(centers, half_extents));
    assert!(!expected.is_empty());

    let positions: Vec<Position> = centers.iter().copied().map(Position).collect();
    let sizes = half_extents.iter().map(|&[half_width, half_height]| Size { half_width, half_height });
    let sizes: Vec<Size> = sizes.collect();
    let vectors: Vec<Vec2> = centers.iter().copied().map(Vec2::from).collect();
    let half_vectors: Vec<Vec2> = half_extents.iter().copied().map(Vec2::from).collect();
    assert_eq!(pairs(Bodies::new(&positions, &sizes)), expected);
    assert_eq!(pairs(Bodies::new(&vectors, &half_vectors)), expected);
    assert_eq!(pairs(Bodies::new(&vectors, &sizes).with_displacements(&vec![Vec2::ZERO; 200])), expected);
    assert_eq!(pairs(Bodies::uniform(&vectors, Vec2::new(0.5, 0.4))), pairs(Bodies::uniform(centers, [0.5, 0.4])));

    let boxes = centers.iter().zip(half_extents).map(|(&c, &h)| Aabb::from_half_extents(c, h).unwrap());
    let boxes: Vec<Aabb> = boxes.collect();
    let arrays: Vec<[f32; 4]> = boxes.iter().map(|b| b.to_array()).collect();
    let walls = arrays.iter().map(|b| Wall { min: Position([b[0], b[1]]), max: Position([b[2], b[3]]) });
    let walls: Vec<Wall> = walls.collect();
    let expected = pairs(Bodies::from_aabbs(&arrays));
    assert_eq!(pairs(Bodies::from_aabbs(&boxes)), expected);
    assert_eq!(pairs(Bodies::from_aabbs(&walls)), expected);

    // Statics, from slices, vectors and arrays of each.
    let mut world = sequential();
    let static_count = |world: &mut World| world.step(Bodies::uniform(centers, [0.1; 2])).unwrap().static_pairs().len();
    world.set_statics(&arrays).unwrap();
    let count = static_count(&mut world);
    assert!(count > 0);
    world.set_statics(&boxes[..]).unwrap();
    assert_eq!(static_count(&mut world), count);
    world.set_statics(Statics::new(&walls)).unwrap();
    assert_eq!(static_count(&mut world), count);
    world.set_statics(&[boxes[0]]).unwrap();
    world.set_statics(&[[0.0f32; 4]; 0]).unwrap();
    assert_eq!(static_count(&mut world), 0);
}

#[test]
fn ids_are_returned_with_contacts_and_hits() {
    let centers = [[0.0f32, 0.0], [0.5, 0.0], [9.0, 9.0]];
    let mut world = sequential();
    world.set_statics(Statics::new(&WALLS).with_ids(&[900, u64::MAX])).unwrap();
    world.step(Bodies::uniform(&centers, [0.5; 2]).with_ids(&[u64::MAX, 0, 5])).unwrap();
    assert_eq!([0, 1, 2, 3].map(|row| world.contacts().body_id(row)), [Some(u64::MAX), Some(0), Some(5), None]);
    let area = Aabb::new([0.6, 0.0], [0.7, 0.1]).unwrap();
    let mut hits: Vec<Hit> = world.query_aabb(area).collect();
    hits.sort_unstable();
    assert_eq!(hits, [Hit::Body { row: 1, id: Some(0) }, Hit::Static { row: 0, id: Some(900) }]);
    world.step(Bodies::uniform(&centers, [0.5; 2])).unwrap();
    assert_eq!(world.contacts().body_id(0), None);
}

/// A step copies ids in parts, which begin and end anywhere in its chunks.
#[test]
fn ids_of_all_chunks_are_copied_at_any_thread_count() {
    let steps: [&[usize]; 7] =
        [&[4096], &[4096, 1], &[0, 1, 4095, 4097], &[5000, 0, 3, 9000, 7], &[1, 2], &[], &[3, 15_000]];
    let ids: Vec<u64> = (0..15_003u64).map(|row| row.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    let structs: Vec<[u64; 3]> = ids.iter().map(|&id| [0, id, 1]).collect();
    let centers: Vec<[f32; 2]> = (0..15_003u16).map(|row| [f32::from(row), 0.0]).collect();
    for tracks in [false, true] {
        let mut worlds = WorldSet::new(WorldConfig::new().with_contact_tracking(tracks));
        for (number, lengths) in steps.iter().enumerate() {
            let ends = lengths.iter().scan(0, |end, len| {
                *end += len;
                Some(*end)
            });
            let chunks: Vec<Range<usize>> = ends.zip(*lengths).map(|(end, len)| end - len..end).collect();
            let functions: Vec<_> = chunks.iter().map(|rows| |row: usize| ids[rows.start + row]).collect();
            let bodies = chunks.iter().zip(&functions).enumerate().map(|(k, (rows, id_of_row))| {
                let bodies = Bodies::uniform(&centers[rows.clone()], [0.25, 0.25]);
                match (k + number) % 3 {
                    0 => bodies.with_ids(&ids[rows.clone()]),
                    1 => bodies.with_ids_by(id_of_row),
                    _ => bodies.with_strided_ids(StridedColumn::of(&structs[rows.clone()], |row| &row[1])),
                }
            });
            let bodies: Vec<Bodies<'_>> = bodies.collect();
            let row_count = lengths.iter().sum::<usize>();
            worlds.each(|world| {
                let contacts = world.step(&bodies).unwrap();
                let found = (0..=row_count as u32).map(|row| contacts.body_id(row));
                let expected = ids[..row_count].iter().copied().map(Some).chain([None]);
                assert!(found.eq(expected), "step {number}, tracks {tracks}");
            });
        }
    }
}

#[cfg(feature = "parallel")]
#[test]
fn ids_are_computed_by_several_threads() {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::{Duration, Instant};
    let centers: Vec<[f32; 2]> = (0..20_000u16).map(|row| [f32::from(row), 0.0]).collect();
    let last_row_is_asked = AtomicBool::new(false);
    let id = |row: usize| {
        let begin = Instant::now();
        while row == 0 && !last_row_is_asked.load(Ordering::Relaxed) {
            assert!(begin.elapsed() < Duration::from_secs(20), "row 0 waits for the last row in vain");
            std::thread::yield_now();
        }
        last_row_is_asked.fetch_or(row == 19_999, Ordering::Relaxed);
        row as u64
    };
    let bodies = Bodies::uniform(&centers, [0.25, 0.25]).with_ids_by(&id);
    let pool = &triphase_tests::pools()[1]; // two threads
    pool.install(|| _ = World::default().step(bodies).unwrap());
}

#[cfg(feature = "parallel")]
#[test]
fn step_runs_in_the_pool_of_the_caller() {
    let (centers, half_extents) = crowd();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    let mut world = World::new(WorldConfig::new().with_parallel_threshold(0)).unwrap();
    let id = |row: usize| {
        assert!(rayon::current_thread_index().is_some() && rayon::current_num_threads() == 3, "another pool");
        row as u64
    };
    let bodies = Bodies::new(&centers, &half_extents);
    let contacts = pool.install(|| world.step(bodies.with_ids_by(&id))).unwrap();
    let mut expected = sequential();
    assert!(contacts.body_pairs().eq(expected.step(bodies).unwrap().body_pairs()));
}

#[cfg(feature = "parallel")]
#[test]
fn a_chosen_pool_helps_the_calling_thread() {
    let (centers, half_extents) = crowd();
    let bodies = Bodies::new(&centers, &half_extents);
    let expected: Vec<_> = sequential().step(bodies).unwrap().body_pairs().collect();
    let (caller, helped) = (std::thread::current().id(), AtomicBool::new(false));
    let [two, five] = [2, 5].map(|n| Arc::new(rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap()));
    let new_world = || World::new(WorldConfig::new().with_parallel_threshold(0)).unwrap();
    let mut world = new_world();
    // Of other sizes in turn, and one within another, which is not asked.
    for (pool, inner) in [(&five, &two), (&two, &two), (&five, &five)] {
        let id = |row: usize| {
            let is_helper = rayon::current_thread_index().is_some();
            assert_eq!(is_helper, std::thread::current().id() != caller);
            assert!(!is_helper || rayon::current_num_threads() == pool.current_num_threads(), "another pool");
            if row.is_multiple_of(500) {
                triphase::with_pool(inner, || _ = new_world().step(bodies).unwrap());
            }
            helped.fetch_or(is_helper, Ordering::Relaxed);
            row as u64
        };
        let contacts = triphase::with_pool(pool, || world.step(bodies.with_ids_by(&id))).unwrap();
        assert!(contacts.body_pairs().eq(expected.iter().copied()));
    }
    assert!(helped.into_inner());

    // A panic ends the choice too.
    let panics = || triphase::with_pool(&five, || std::panic::resume_unwind(Box::new("work")));
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(panics)).is_err());
    assert_eq!(Arc::strong_count(&five), 1);
}

/// Threads of a pool that is too busy to help a step.
#[cfg(feature = "parallel")]
#[test]
fn a_step_needs_no_help() {
    let pool = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap());
    let (centers, half_extents) = crowd();
    let mut world = World::new(WorldConfig::new().with_parallel_threshold(0).with_contact_tracking(true)).unwrap();
    let bodies = Bodies::new(&centers, &half_extents);
    let ids: Vec<u64> = (0..centers.len() as u64).collect();
    world.step(bodies.with_ids(&ids)).unwrap();
    // All contacts move to other rows, and are sorted.
    let reversed: Vec<[f32; 2]> = centers.iter().rev().copied().collect();
    let sizes: Vec<[f32; 2]> = half_extents.iter().rev().copied().collect();
    let reversed_ids: Vec<u64> = ids.iter().rev().copied().collect();

    let (jobs, step_is_over) = (std::sync::Barrier::new(3), std::sync::Mutex::new(false));
    let (changed, limit) = (std::sync::Condvar::new(), std::time::Duration::from_secs(20));
    std::thread::scope(|threads| {
        threads.spawn(|| {
            pool.broadcast(|_| {
                jobs.wait();
                let is_not_over = |is_over: &mut bool| !*is_over;
                let waited = changed.wait_timeout_while(step_is_over.lock().unwrap(), limit, is_not_over);
                assert!(*waited.unwrap().0, "the step waits for the pool");
            })
        });
        jobs.wait();
        let step = || world.step(Bodies::new(&reversed, &sizes).with_ids(&reversed_ids)).map(|_| ());
        triphase::with_pool(&pool, step).unwrap();
        *step_is_over.lock().unwrap() = true;
        changed.notify_all();
    });
    let events = world.contacts().events().unwrap();
    assert!(events.persisting().count() > 1000 && events.started().count() + events.ended().count() == 0);
}

#[cfg(feature = "parallel")]
#[test]
fn other_jobs_of_a_pool_run_between_steps() {
    let pool = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap());
    let (centers, half_extents) = crowd();
    let (jobs_done, begin) = (AtomicBool::new(false), std::time::Instant::now());
    let goes_on = || !jobs_done.load(Ordering::Relaxed) && begin.elapsed().as_secs() < 20;
    std::thread::scope(|threads| {
        for _ in 0..2 {
            threads.spawn(|| {
                let mut world = World::new(WorldConfig::new().with_parallel_threshold(0)).unwrap();
                while goes_on() {
                    let step = || world.step(Bodies::new(&centers, &half_extents)).map(|_| ());
                    triphase::with_pool(&pool, step).unwrap();
                }
            });
        }
        (0..30).for_each(|_| pool.install(|| ()));
        assert!(goes_on(), "30 empty jobs took 20 seconds");
        jobs_done.store(true, Ordering::Relaxed);
    });
}

#[cfg(feature = "parallel")]
#[test]
fn worlds_in_one_pool_step_independently() {
    // A worker that waits for one step may steal tasks of another: a lock held across would
    // deadlock.
    let (centers, half_extents) = crowd();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    let bodies = Bodies::new(&centers, &half_extents);
    let expected = sequential().step(bodies).unwrap().body_pairs().collect::<Vec<_>>();
    let new_world = |_| World::new(WorldConfig::new().with_parallel_threshold(0)).unwrap();
    let mut worlds: Vec<World> = (0..12).map(new_world).collect();
    pool.scope(|scope| {
        for world in &mut worlds {
            scope.spawn(|_| {
                for _ in 0..3 {
                    assert!(world.step(bodies).unwrap().body_pairs().eq(expected.iter().copied()));
                }
            });
        }
    });
}

#[test]
fn contacts_return_ids_of_bodies_and_statics() {
    let walls = [[0.0f32, 0.0, 10.0, 1.0], [20.0, 0.0, 30.0, 1.0], [0.0, 0.5, 40.0, 0.6]];
    let mut world = sequential();
    world.set_statics(Statics::new(&walls).with_ids(&[7, 8, u64::MAX])).unwrap();
    let centers = [[25.0f32, 0.5], [5.0, 0.5]];
    let contacts = world.step(Bodies::uniform(&centers, [0.2, 0.2]).with_ids(&[70, 71])).unwrap();
    let mut sorted = vec![StaticPair { body: 9, static_row: 9 }];
    contacts.sorted_static_pairs(&mut sorted);
    let ids: Vec<_> =
        sorted.iter().map(|pair| (contacts.body_id(pair.body), contacts.static_id(pair.static_row))).collect();
    assert_eq!(ids, [(70, 8), (70, u64::MAX), (71, 7), (71, u64::MAX)].map(|(a, b)| (Some(a), Some(b))));
    assert_eq!((contacts.body_id(2), contacts.static_id(3)), (None, None));

    world.set_statics(Statics::default()).unwrap();
    let contacts = world.step(Bodies::uniform(&centers, [0.2, 0.2])).unwrap();
    assert_eq!((contacts.static_pairs().len(), contacts.body_id(0), contacts.static_id(0)), (0, None, None));
}
