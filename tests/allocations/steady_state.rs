//! Frames that were stepped before allocate nothing, and steady motion allocates ever more rarely.
//!
//! Loops over frames run inside `pool.install`: a thread outside of a pool calls helpers by jobs,
//! which rayon allocates. These are not counted.

use crate::{film, step};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use triphase::tier::point_grid::PointGrid;
use triphase::{Bodies, BodyShape, Filter, Islands, SimdLevel, Statics, World, WorldConfig, stream};
use triphase_scenes::{Scene, SceneName};
use triphase_tests::allocation_counter::Watch;
#[cfg(feature = "parallel")]
use triphase_tests::allocation_counter::WatchedPool;
use triphase_tests::{sequential, world};

/// Steps all frames twice and returns the allocations of the second time.
fn replay(watch: &Watch, world: &mut World, film: &[Scene]) -> usize {
    world.set_statics(&film[0].statics).unwrap();
    let first: usize = film.iter().map(|scene| step(world, scene)).sum();
    let mut second = 0;
    let allocations = watch.allocations(|| second = film.iter().map(|scene| step(world, scene)).sum());
    assert_eq!(first, second);
    allocations
}

/// Runs `replay` in worlds on the calling thread, on two threads and on eight: none may allocate.
fn check_at_thread_counts(name: SceneName, config: &WorldConfig, replay: &(dyn Fn(&mut World) -> usize + Sync)) {
    assert_eq!(replay(&mut world(config.clone().with_parallel_threshold(None))), 0, "{name}");
    #[cfg(feature = "parallel")]
    for threads in [2, 8] {
        let pool = WatchedPool::new(threads);
        let mut world = world(config.clone().with_parallel_threshold(0));
        assert_eq!(pool.install(|| replay(&mut world)), 0, "{name}, {threads} threads");
    }
}

#[test]
fn repeated_frames_allocate_nothing() {
    let watch = Watch::start();
    assert_eq!(replay(&watch, &mut sequential(), &film(SceneName::Castles, 3000, 100)), 0, "castles");
    for name in [
        SceneName::Dragons,
        SceneName::Cities,
        SceneName::PowerLaw,
        SceneName::Churn,
        SceneName::Brownian,
        SceneName::Bullets,
        SceneName::Gravity,
        SceneName::TwoCities,
        SceneName::FarOutlier,
        SceneName::TinyAndHuge,
        SceneName::Ulp,
        SceneName::BeamsStatic,
    ] {
        assert_eq!(replay(&watch, &mut sequential(), &film(name, 2000, 12)), 0, "{name}");
        let config =
            WorldConfig::new().with_parallel_threshold(None).with_bounds([0.4, 0.5]).with_simd_max(SimdLevel::Portable);
        assert_eq!(replay(&watch, &mut world(config), &film(name, 1000, 8)), 0, "{name}, two bounds");
    }
}

#[test]
fn repeated_steps_that_are_told_what_changed_allocate_nothing() {
    let watch = Watch::start();
    let scene = Scene::new(SceneName::Castles, 3000, 79);
    let rows: Vec<u32> = (0..3000).step_by(25).collect();
    let half = &scene.half_extents;
    let mut centers = scene.centers.clone();
    let config = WorldConfig::new().with_contact_tracking(true).with_partner_lists(true);
    let mut world = world(config.with_parallel_threshold(None));
    world.set_statics(&scene.statics).unwrap();
    // To and fro, long enough for all rows to be filed again several times.
    let mut swing = |frames: usize| {
        for frame in 0..frames {
            let by = (frame % 16).min(16 - frame % 16) as f32 * 0.1;
            rows.iter().for_each(|&row| centers[row as usize][0] = scene.centers[row as usize][0] + by);
            world.step_changed(Bodies::new(&centers, half).with_ids(&scene.ids), &rows).unwrap();
        }
    };
    swing(320);
    assert_eq!(watch.allocations(|| swing(320)), 0);
}

#[test]
fn one_repeated_frame_allocates_nothing() {
    let watch = Watch::start();
    // Although the contacts of the first step stay until the second one has succeeded.
    assert_eq!(replay(&watch, &mut sequential(), &film(SceneName::Castles, 3000, 1)), 0);
}

#[test]
fn repeated_frames_of_several_sizes_allocate_nothing() {
    let watch = Watch::start();
    let sizes = [10, 3000, 0, 500, 2000, 1, 3000];
    let names =
        [SceneName::Dragons, SceneName::Lattice64, SceneName::Dragons, SceneName::PowerLaw, SceneName::Diagonal];
    let mixed: Vec<Scene> = names.iter().flat_map(|&name| sizes.map(|count| Scene::new(name, count, 78))).collect();
    assert_eq!(replay(&watch, &mut sequential(), &mixed), 0);
}

#[test]
fn repeated_chunks_allocate_nothing() {
    let watch = Watch::start();
    let scene = Scene::new(SceneName::Dragons, 3000, 79);
    let part = |from: usize, to: usize| Bodies::new(&scene.centers[from..to], &scene.half_extents[from..to]);
    let chunks = [part(0, 1000), part(1000, 1000), part(1000, 2999), part(2999, 3000)];
    let mut world = sequential();
    // Twice: the first step of a world has no earlier one whose contacts stay until it succeeds.
    world.step(chunks).unwrap();
    world.step(chunks).unwrap();
    assert_eq!(watch.allocations(|| _ = world.step(chunks).unwrap()), 0);
}

#[test]
fn repeated_tracked_contacts_allocate_nothing() {
    let watch = Watch::start();
    let config = WorldConfig::new().with_contact_tracking(true).with_margin(0.1).with_partner_lists(true);
    for name in [SceneName::Castles, SceneName::Crowd, SceneName::Brownian, SceneName::Churn, SceneName::PowerLaw] {
        let film = film(name, 9000, 5);
        check_at_thread_counts(name, &config, &|world| {
            // Contacts are compared with those of the step before: the step from the last frame to
            // the first one has to have been made before, too.
            let first = replay(&watch, world, &film);
            let second = watch.allocations(|| film.iter().for_each(|scene| assert!(step(world, scene) > 0)));
            assert!(second <= first);
            second
        });
    }
}

#[test]
fn repeated_filters_allocate_nothing() {
    let watch = Watch::start();
    for name in [SceneName::Castles, SceneName::PowerLaw, SceneName::WideAndTall, SceneName::BeamsStatic] {
        let film = film(name, 3000, 8);
        check_at_thread_counts(name, &WorldConfig::new(), &|world| {
            let filter = |row: u32| Filter::new(1 << (row % 5), (row % 31) | 1);
            let filters: Vec<Filter> = (0..film[0].centers.len() as u32).map(filter).collect();
            let statics = Statics::new(&film[0].statics).with_filters(&filters[..film[0].statics.len()]);
            world.set_statics(statics).unwrap();
            let mut play = || {
                for (frame, scene) in film.iter().enumerate() {
                    let bodies = Bodies::new(&scene.centers, &scene.half_extents);
                    world.step(if frame == 3 { bodies } else { bodies.with_filters(&filters) }).unwrap();
                }
            };
            assert!(watch.allocations(&mut play) > 0);
            watch.allocations(&mut play)
        });
    }
}

#[test]
fn dense_places_with_few_pairs_allocate_nothing() {
    let watch = Watch::start();
    // Each of many parts of a scan opens a page, and nearly all of them are returned.
    let film = film(SceneName::Coincident, 6000, 1);
    let filters: Vec<Filter> = (0..6000).map(|row| Filter::new(1 << (row % 32), 1 << 9 | 1 << 8)).collect();
    let bodies = Bodies::new(&film[0].centers, &film[0].half_extents).with_filters(&filters);
    check_at_thread_counts(SceneName::Coincident, &WorldConfig::new(), &|world| {
        let mut step = || assert!(world.step(bodies).unwrap().body_pairs().len() > 100);
        (0..3).for_each(|_| step());
        watch.allocations(|| (0..30).for_each(|_| step()))
    });
}

#[test]
fn repeated_sleepers_allocate_nothing() {
    let watch = Watch::start();
    for name in [SceneName::Crowd, SceneName::Castles, SceneName::Brownian] {
        let film = film(name, 3000, 24);
        // One body in sixteen moves at a time, others every six frames.
        let mut held = film[0].centers.clone();
        let mut frame = |number: usize, scene: &Scene| {
            let moves = |row: usize| row % 16 == number / 6;
            (0..held.len()).filter(|&row| moves(row)).for_each(|row| held[row] = scene.centers[row]);
            (held.clone(), (0..held.len()).map(|row| !moves(row)).collect())
        };
        let frames: Vec<(Vec<[f32; 2]>, Vec<bool>)> =
            film.iter().enumerate().map(|(number, scene)| frame(number, scene)).collect();
        check_at_thread_counts(name, &WorldConfig::new(), &|world| {
            world.set_statics(&film[0].statics).unwrap();
            let mut allocations = 0;
            for _ in 0..3 {
                allocations = watch.allocations(|| {
                    for (centers, asleep) in &frames {
                        world.step(Bodies::new(centers, &film[0].half_extents).with_asleep(asleep)).unwrap();
                    }
                });
                assert!(world.report().cached_count * 10 > film[0].centers.len() * 8);
            }
            allocations
        });
    }
}

#[test]
fn repeated_circles_allocate_nothing() {
    let watch = Watch::start();
    for name in [SceneName::Castles, SceneName::Dragons, SceneName::PowerLaw, SceneName::BeamsStatic] {
        let config = WorldConfig::new().with_parallel_threshold(None).with_body_shape(BodyShape::Circle);
        assert_eq!(replay(&watch, &mut world(config), &film(name, 2000, 12)), 0, "{name}");
    }
}

#[test]
fn refused_step_does_not_make_later_steps_allocate() {
    let watch = Watch::start();
    let film = film(SceneName::Castles, 3000, 3);
    let crowded = vec![[0.0f32, 0.0]; 1000];
    let mut world = World::new(WorldConfig::new().with_parallel_threshold(None).with_pair_limit(100_000)).unwrap();
    world.set_statics(&film[0].statics).unwrap();
    film.iter().chain(&film).for_each(|scene| _ = step(&mut world, scene));
    world.step(Bodies::uniform(&crowded, [0.5, 0.5])).unwrap_err();
    assert_eq!(watch.allocations(|| film.iter().for_each(|scene| _ = step(&mut world, scene))), 0);
}

#[test]
fn toggled_statics_allocate_nothing() {
    let watch = Watch::start();
    let scene = Scene::new(SceneName::Castles, 2000, 80);
    let mut world = sequential();
    world.set_statics(&scene.statics).unwrap();
    step(&mut world, &scene);
    step(&mut world, &scene);
    let allocations = watch.allocations(|| {
        for row in 0..scene.statics.len() as u32 {
            world.set_static_enabled(row, row % 3 == 0).unwrap();
        }
        step(&mut world, &scene);
    });
    assert_eq!(allocations, 0);
}

#[cfg(feature = "parallel")]
#[test]
fn workers_of_a_watched_pool_allocate_nothing_when_they_wait_for_a_lock() {
    let watch = Watch::start();
    // More workers than in any other test, so that no other pool has made room for them.
    let pool = WatchedPool::new(40);
    let (lock, barrier) = (parking_lot::Mutex::new(()), std::sync::Barrier::new(40));
    let wait = || {
        barrier.wait();
        let held = lock.lock();
        std::thread::sleep(std::time::Duration::from_millis(2));
        drop(held);
        barrier.wait();
    };
    // The first worker counts, so that what `broadcast` allocates is not.
    let allocations = pool.broadcast(|worker| match worker.index() {
        0 => watch.allocations(wait),
        _ => {
            wait();
            0
        }
    });
    assert_eq!(allocations[0], 0);
}

#[cfg(feature = "parallel")]
#[test]
fn pools_of_any_size_allocate_nothing() {
    let watch = Watch::start();
    for threads in [1, 2, 3, 8] {
        let pool = WatchedPool::new(threads);
        for (name, bodies, frames) in [
            (SceneName::Castles, 3000, 100),
            (SceneName::Castles, 20_000, 10),
            (SceneName::PowerLaw, 6000, 10),
            // Scans are divided.
            (SceneName::Coincident, 6000, 10),
        ] {
            let film = film(name, bodies, frames);
            // Bounds make several size classes where sizes differ.
            let bounds = if name == SceneName::PowerLaw { vec![0.5, 5.0] } else { Vec::new() };
            let config = WorldConfig::new().with_parallel_threshold(0).with_bounds(bounds);
            let allocations = pool.install(|| replay(&watch, &mut world(config), &film));
            assert_eq!(allocations, 0, "{name}, {bodies} bodies, {threads} threads");
        }
    }
}

#[cfg(feature = "parallel")]
#[test]
fn workers_that_find_no_pairs_allocate_nothing() {
    let watch = Watch::start();
    // Neighbours in one cell that do not touch: every band takes a page and gives it back empty,
    // and how many are taken at once depends on timing.
    let centers: Vec<[f32; 2]> = (0..60_000).map(|k| [(k % 250) as f32, (k / 250) as f32]).collect();
    let pool = WatchedPool::new(8);
    let allocations = pool.install(|| {
        let mut world = World::default();
        let mut step = || assert_eq!(world.step(Bodies::uniform(&centers, [0.4, 0.4])).unwrap().body_pairs().len(), 0);
        (0..3).for_each(|_| step());
        let allocations = watch.allocations(|| (0..100).for_each(|_| step()));
        // There must be a page of 2,048 pairs for each worker, whether timing asks for them or not.
        assert!(world.report().pair_bytes >= 8 * 2048 * 8, "{}", world.report());
        allocations
    });
    assert_eq!(allocations, 0);
}

#[test]
fn steady_motion_allocates_ever_more_rarely() {
    let watch = Watch::start();
    let mut scene = Scene::new(SceneName::Brownian, 3000, 81);
    let mut world = sequential();
    let mut frames = Vec::new();
    let mut held = Vec::new();
    let start = watch.held();
    for frame in 0..300 {
        scene.advance();
        if watch.allocations(|| _ = step(&mut world, &scene)) > 0 {
            frames.push(frame);
        }
        held.push(watch.held() - start);
    }
    // High-water marks of 300 frames that are alike: about ln 300 for each buffer that grows, fewer
    // as growth leaves room.
    assert!(frames.len() <= 24, "{} frames allocated: {frames:?}", frames.len());
    assert!(frames.iter().filter(|frame| **frame >= 150).count() <= 6, "{frames:?}");
    assert!(held[299] <= held[20] * 3 / 2, "{} bytes grew to {}", held[20], held[299]);
}

#[test]
fn point_grid_rebuilt_from_the_same_boxes_allocates_nothing() {
    let watch = Watch::start();
    for (name, bodies) in [(SceneName::Dragons, 3000), (SceneName::PowerLaw, 20_000), (SceneName::TwoCities, 2000)] {
        let mut film: Vec<Vec<[f32; 4]>> = film(name, bodies, 6).iter().map(Scene::boxes).collect();
        film[2].truncate(100);
        film[4].clear();
        let (mut pairs, start) = (Vec::with_capacity(400_000), watch.held());
        let mut grid = PointGrid::new();
        let mut play = || film.iter().for_each(|boxes| grid.rebuild(boxes, &mut pairs).unwrap());
        play();
        assert_eq!(watch.allocations(&mut play), 0, "{name}");
        assert!(pairs.capacity() == 400_000, "{name}: the pairs have room");
        let (held, reported) = ((watch.held() - start) as usize, grid.memory_bytes());
        assert!(reported <= held + 1000 && reported >= held / 10 * 9, "{name}: {reported} bytes reported, {held} held");
    }
}

#[test]
fn repeated_streams_allocate_nothing() {
    let watch = Watch::start();
    // Bodies of the second film are wide and tall, in crowded bands.
    let castles = film(SceneName::Castles, 6000, 21);
    let mut crowded = film(SceneName::Brownian, 20_000, 3);
    let [x, y, to_x, to_y] = crowded[0].world;
    let scale = [700.0 / (to_x - x), 700.0 / (to_y - y)];
    for scene in &mut crowded {
        scene.centers.iter_mut().for_each(|at| *at = [at[0] * scale[0], at[1] * scale[1]]);
        scene.half_extents = (0..scene.centers.len()).map(|row| [[24.0, 0.005], [0.005, 24.0]][row % 2]).collect();
    }
    for (name, film) in [(SceneName::Castles, castles), (SceneName::Brownian, crowded)] {
        check_at_thread_counts(name, &WorldConfig::new(), &|world| {
            world.set_statics(&film[0].statics).unwrap();
            let mut play = || {
                for scene in &film {
                    let pairs = AtomicUsize::new(0);
                    let bodies = Bodies::new(&scene.centers, &scene.half_extents);
                    let contacts = world.step_streamed(bodies, |page| _ = pairs.fetch_add(page.len(), SeqCst));
                    let contacts = contacts.unwrap();
                    assert_eq!(pairs.into_inner(), contacts.body_pairs().len() + contacts.static_pairs().len());
                }
            };
            (0..2).for_each(|_| play());
            watch.allocations(play)
        });
    }
}

#[test]
fn repeated_streams_to_a_channel_allocate_nothing() {
    let watch = Watch::start();
    let film = film(SceneName::Castles, 6000, 6);
    let mut world = sequential();
    world.set_statics(&film[0].statics).unwrap();
    let (sender, receiver) = stream::channel(1000);
    let messages = AtomicUsize::new(0);
    let mut play = || {
        for scene in &film {
            world.step_to_channel(Bodies::new(&scene.centers, &scene.half_extents), &sender).unwrap();
            while let Some(message) = receiver.try_recv() {
                std::hint::black_box(&message);
                messages.fetch_add(1, SeqCst);
            }
        }
    };
    (0..2).for_each(|_| play());
    assert_eq!(watch.allocations(play), 0);
    assert!(messages.load(SeqCst) > 3 * 6 * 3);
}

#[test]
fn repeated_access_to_both_rows_allocates_nothing() {
    let watch = Watch::start();
    for name in [SceneName::Castles, SceneName::PowerLaw, SceneName::WideAndTall, SceneName::Churn] {
        // An odd number of frames, so that each is stepped into both of a world's sets of pairs.
        let film = film(name, 6000, 7);
        let rows = film.iter().map(|scene| scene.centers.len()).max().unwrap();
        check_at_thread_counts(name, &WorldConfig::new(), &|world| {
            world.set_statics(&film[0].statics).unwrap();
            let mut counts = vec![0u32; rows];
            let mut play = || {
                for scene in &film {
                    step(world, scene);
                    let contacts = world.contacts();
                    contacts.par_for_each_pair_mut(&mut counts, |_, a, b| (*a, *b) = (*a ^ 1, *b ^ 1)).unwrap();
                    contacts.par_for_each_static_pair_mut(&mut counts[..], |_, count| *count ^= 2).unwrap();
                }
            };
            assert!(watch.allocations(&mut play) > 0);
            watch.allocations(play)
        });
    }
}

#[test]
fn repeated_islands_allocate_nothing() {
    let watch = Watch::start();
    let scene = Scene::new(SceneName::Castles, 2000, 6);
    let mut world = sequential();
    world.set_statics(&scene.statics).unwrap();
    let mut islands = Islands::new().connect_statics(true);
    let mut play = || {
        for count in [2000, 10, 0, 1999] {
            let contacts = world.step(Bodies::new(&scene.centers[..count], &scene.half_extents[..count])).unwrap();
            contacts.build_islands(&mut islands);
            assert_eq!(islands.iter().map(<[u32]>::len).sum::<usize>(), count);
        }
    };
    assert!(watch.allocations(&mut play) > 0);
    play();
    assert_eq!(watch.allocations(play), 0);
    assert!(islands.memory_bytes() >= 2000 * 2 * 4);
}

#[test]
fn shifted_origin_does_not_make_later_steps_allocate() {
    let watch = Watch::start();
    let film = film(SceneName::Castles, 3000, 6);
    let mut world = sequential();
    assert_eq!(replay(&watch, &mut world, &film), 0);
    // There and back. Statics may round on the way, and with them the pairs.
    world.shift_origin([1024.0, 0.0]).unwrap();
    world.shift_origin([-1024.0, 0.0]).unwrap();
    let mut play = || film.iter().for_each(|scene| _ = step(&mut world, scene));
    play();
    assert_eq!(watch.allocations(play), 0);
}
