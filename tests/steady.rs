//! Memory: frames that were stepped before allocate nothing, steady motion allocates ever more rarely, what is held
//! is what is told, and it is given back when asked for.
//!
//! The allocator counts on watched threads alone. Loops over frames run inside `pool.install`, so what rayon's queue takes
//! when a job comes from outside is not counted; tasks that workers split among themselves need no memory.

mod common;

#[cfg(feature = "parallel")]
use common::counting::WATCHED;
use common::counting::{ALLOCATIONS, Counting, HELD, Watch};
use common::{sequential, world};
use std::sync::atomic::Ordering::SeqCst;
use triphase::tier::point_grid::PointGrid;
use triphase::{Bodies, BodyShape, Filter, SimdLevel, Statics, World, WorldConfig};
use triphase_scenes::{Scene, SceneName};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Frames of a scene, kept so that they can be stepped again.
fn film(name: SceneName, bodies: usize, frames: usize) -> Vec<Scene> {
    let mut scene = Scene::new(name, bodies, 77);
    let next = |_| {
        scene.advance();
        scene.clone()
    };
    (0..frames).map(next).collect()
}

fn step(world: &mut World, scene: &Scene) -> usize {
    let bodies = Bodies::new(&scene.centers, &scene.half_extents).with_ids(&scene.ids);
    let bodies = scene.displacements.as_ref().map_or(bodies, |d| bodies.with_displacements(d));
    world.step(bodies).unwrap().body_pairs().count()
}

/// Steps all frames, twice; how many allocations there were the second time.
fn rewind(world: &mut World, film: &[Scene]) -> usize {
    world.set_statics(&film[0].statics).unwrap();
    let first: usize = film.iter().map(|scene| step(world, scene)).sum();
    let before = ALLOCATIONS.load(SeqCst);
    let second: usize = film.iter().map(|scene| step(world, scene)).sum();
    assert_eq!(first, second);
    ALLOCATIONS.load(SeqCst) - before
}

#[test]
fn the_allocator_counts() {
    let _watch = Watch::start();
    let (before, held) = (ALLOCATIONS.load(SeqCst), HELD.load(SeqCst));
    let some = std::hint::black_box(vec![1u8; 1000]);
    assert_eq!((ALLOCATIONS.load(SeqCst) - before, HELD.load(SeqCst) - held), (1, 1000));
    drop(some);
    assert_eq!(HELD.load(SeqCst), held);
}

#[test]
fn frames_that_were_stepped_before_allocate_nothing() {
    let _watch = Watch::start();
    assert_eq!(rewind(&mut sequential(), &film(SceneName::Castles, 3000, 100)), 0, "castles");
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
        assert_eq!(rewind(&mut sequential(), &film(name, 2000, 12)), 0, "{name}");
        let config =
            WorldConfig::new().with_parallel_threshold(None).with_bounds([0.4, 0.5]).with_simd_max(SimdLevel::Portable);
        assert_eq!(rewind(&mut world(config), &film(name, 1000, 8)), 0, "{name}, two bounds");
    }
}

#[test]
fn one_frame_that_was_stepped_before_allocates_nothing() {
    let _watch = Watch::start();
    // To the letter: once before is enough, though the contacts of that step must stand while the next one runs.
    assert_eq!(rewind(&mut sequential(), &film(SceneName::Castles, 3000, 1)), 0);
}

#[test]
fn frames_of_several_sizes_that_were_stepped_before_allocate_nothing() {
    let _watch = Watch::start();
    let sizes = [10, 3000, 0, 500, 2000, 1, 3000];
    let names =
        [SceneName::Dragons, SceneName::Lattice64, SceneName::Dragons, SceneName::PowerLaw, SceneName::Diagonal];
    let mixed: Vec<Scene> = names.iter().flat_map(|&name| sizes.map(|count| Scene::new(name, count, 78))).collect();
    assert_eq!(rewind(&mut sequential(), &mixed), 0);
}

#[test]
fn chunks_that_were_stepped_before_allocate_nothing() {
    let _watch = Watch::start();
    let scene = Scene::new(SceneName::Dragons, 3000, 79);
    let part = |from: usize, to: usize| Bodies::new(&scene.centers[from..to], &scene.half_extents[from..to]);
    let chunks = [part(0, 1000), part(1000, 1000), part(1000, 2999), part(2999, 3000)];
    let mut world = sequential();
    // Twice: the first step of a world has no earlier one whose contacts must stand if it is refused.
    world.step(&chunks).unwrap();
    world.step(&chunks).unwrap();
    let before = ALLOCATIONS.load(SeqCst);
    world.step(&chunks).unwrap();
    assert_eq!(ALLOCATIONS.load(SeqCst) - before, 0);
}

/// As [`rewind`]. Contacts are compared with those of the step before, so the film is stepped twice before: from its end to its
/// beginning too.
fn rewind_tracked(world: &mut World, film: &[Scene]) -> usize {
    let first = rewind(world, film);
    let before = ALLOCATIONS.load(SeqCst);
    film.iter().for_each(|scene| assert!(step(world, scene) > 0));
    let second = ALLOCATIONS.load(SeqCst) - before;
    assert!(second <= first);
    second
}

#[test]
fn contacts_that_were_tracked_before_allocate_nothing() {
    let _watch = Watch::start();
    let config = WorldConfig::new().with_contact_tracking(true).with_margin(0.1).with_partner_lists(true);
    for name in [SceneName::Castles, SceneName::Crowd, SceneName::Brownian, SceneName::Churn, SceneName::PowerLaw] {
        let film = film(name, 9000, 5);
        assert_eq!(rewind_tracked(&mut world(config.clone().with_parallel_threshold(None)), &film), 0, "{name}");
        #[cfg(feature = "parallel")]
        for threads in [2, 8] {
            let pool = watched_pool(threads);
            let mut world = World::new(config.clone().with_parallel_threshold(0)).unwrap();
            assert_eq!(pool.install(|| rewind_tracked(&mut world, &film)), 0, "{name}, {threads} threads");
        }
    }
}

/// As [`rewind`], with filters of bodies, in all frames but one, and of statics.
fn rewind_filtered(world: &mut World, film: &[Scene]) -> usize {
    let filter = |row: u32| Filter::new(1 << (row % 5), (row % 31) | 1);
    let filters: Vec<Filter> = (0..film[0].centers.len() as u32).map(filter).collect();
    let statics = Statics::new(&film[0].statics).with_filters(&filters[..film[0].statics.len()]);
    world.set_statics(statics).unwrap();
    let mut all = || {
        let before = ALLOCATIONS.load(SeqCst);
        for (frame, scene) in film.iter().enumerate() {
            let bodies = Bodies::new(&scene.centers, &scene.half_extents);
            let bodies = if frame == 3 { bodies } else { bodies.with_filters(&filters) };
            world.step(bodies).unwrap();
        }
        ALLOCATIONS.load(SeqCst) - before
    };
    assert!(all() > 0);
    all()
}

#[test]
fn filters_that_were_stepped_before_allocate_nothing() {
    let _watch = Watch::start();
    for name in [SceneName::Castles, SceneName::PowerLaw, SceneName::WideAndTall, SceneName::BeamsStatic] {
        let film = film(name, 3000, 8);
        assert_eq!(rewind_filtered(&mut sequential(), &film), 0, "{name}");
        #[cfg(feature = "parallel")]
        for threads in [2, 8] {
            let parallel = WorldConfig::new().with_parallel_threshold(0);
            let pool = watched_pool(threads);
            let allocations = pool.install(|| rewind_filtered(&mut World::new(parallel).unwrap(), &film));
            assert_eq!(allocations, 0, "{name}, {threads} threads");
        }
    }
}

/// Steps bodies of which a few move at a time, other ones every six frames, and the others say that they sleep; so often. How
/// many allocations there were the last time.
fn rewind_asleep(world: &mut World, film: &[Scene], turns: usize) -> usize {
    world.set_statics(&film[0].statics).unwrap();
    let frames: Vec<(Vec<[f32; 2]>, Vec<bool>)> = {
        let mut held = film[0].centers.clone();
        let mut frame = |number: usize, scene: &Scene| {
            let moves = |row: usize| row % 16 == number / 6;
            (0..held.len()).filter(|&row| moves(row)).for_each(|row| held[row] = scene.centers[row]);
            (held.clone(), (0..held.len()).map(|row| !moves(row)).collect())
        };
        film.iter().enumerate().map(|(number, scene)| frame(number, scene)).collect()
    };
    let mut allocations = 0;
    for _ in 0..turns {
        let before = ALLOCATIONS.load(SeqCst);
        for (centers, asleep) in &frames {
            world.step(Bodies::new(centers, &film[0].half_extents).with_asleep(asleep)).unwrap();
        }
        allocations = ALLOCATIONS.load(SeqCst) - before;
        assert!(world.report().cached_count * 10 > film[0].centers.len() * 8);
    }
    allocations
}

#[test]
fn sleepers_that_were_stepped_before_allocate_nothing() {
    let _watch = Watch::start();
    for name in [SceneName::Crowd, SceneName::Castles, SceneName::Brownian] {
        let film = film(name, 3000, 24);
        assert_eq!(rewind_asleep(&mut sequential(), &film, 3), 0, "{name}");
        #[cfg(feature = "parallel")]
        for threads in [2, 8] {
            let parallel = WorldConfig::new().with_parallel_threshold(0);
            let pool = watched_pool(threads);
            let allocations = pool.install(|| rewind_asleep(&mut World::new(parallel).unwrap(), &film, 3));
            assert_eq!(allocations, 0, "{name}, {threads} threads");
        }
    }
}

#[test]
fn a_report_tells_what_is_held_of_sleepers() {
    let _watch = Watch::start();
    let film = film(SceneName::Sleepers, 20_000, 6);
    let asleep = vec![true; 20_000];
    let start = HELD.load(SeqCst);
    let mut world = sequential();
    for (frame, scene) in film.iter().enumerate() {
        world.step(Bodies::new(&scene.centers, &scene.half_extents).with_asleep(&asleep)).unwrap();
        let held = (HELD.load(SeqCst) - start) as usize;
        let report = world.report();
        let told = report.body_bytes + report.static_bytes + report.pair_bytes;
        let held_max = held + size_of::<World>();
        assert!(told <= held_max && told >= held / 10 * 9, "frame {frame}: {told} bytes told of, {held} held");
        assert!(frame == 0 || report.cached_count == 19_000);
    }
}

#[test]
fn discs_that_were_stepped_before_allocate_nothing() {
    let _watch = Watch::start();
    for name in [SceneName::Castles, SceneName::Dragons, SceneName::PowerLaw, SceneName::BeamsStatic] {
        let config = WorldConfig::new().with_parallel_threshold(None).with_body_shape(BodyShape::Circle);
        assert_eq!(rewind(&mut world(config), &film(name, 2000, 12)), 0, "{name}");
    }
}

#[test]
fn a_refused_step_does_not_make_good_ones_allocate() {
    let _watch = Watch::start();
    let film = film(SceneName::Castles, 3000, 3);
    let crowded = vec![[0.0f32, 0.0]; 1000];
    let mut world = World::new(WorldConfig::new().with_parallel_threshold(None).with_pair_limit(100_000)).unwrap();
    world.set_statics(&film[0].statics).unwrap();
    film.iter().chain(&film).for_each(|scene| _ = step(&mut world, scene));
    world.step(Bodies::uniform(&crowded, [0.5, 0.5])).unwrap_err();
    let before = ALLOCATIONS.load(SeqCst);
    film.iter().for_each(|scene| _ = step(&mut world, scene));
    assert_eq!(ALLOCATIONS.load(SeqCst) - before, 0);
}

#[test]
fn statics_that_are_switched_allocate_nothing() {
    let _watch = Watch::start();
    let scene = Scene::new(SceneName::Castles, 2000, 80);
    let mut world = sequential();
    world.set_statics(&scene.statics).unwrap();
    step(&mut world, &scene);
    step(&mut world, &scene);
    let before = ALLOCATIONS.load(SeqCst);
    for row in 0..scene.statics.len() as u32 {
        world.set_static_enabled(row, row % 3 == 0).unwrap();
    }
    step(&mut world, &scene);
    assert_eq!(ALLOCATIONS.load(SeqCst) - before, 0);
}

/// A pool whose workers are watched. When it goes, they have gone: what a worker takes on its way out, after the pool was
/// dropped, would be counted in whichever test comes next.
#[cfg(feature = "parallel")]
struct WatchedPool {
    pool: Option<rayon::ThreadPool>,
    working: std::sync::Arc<std::sync::atomic::AtomicUsize>,
}

#[cfg(feature = "parallel")]
impl std::ops::Deref for WatchedPool {
    type Target = rayon::ThreadPool;

    fn deref(&self) -> &rayon::ThreadPool {
        self.pool.as_ref().unwrap()
    }
}

#[cfg(feature = "parallel")]
impl Drop for WatchedPool {
    fn drop(&mut self) {
        self.pool = None;
        while self.working.load(SeqCst) > 0 {
            std::thread::yield_now();
        }
    }
}

/// Each worker has gone looking for work before this returns, and so has what it needs to.
#[cfg(feature = "parallel")]
fn watched_pool(threads: usize) -> WatchedPool {
    let working = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(threads));
    let left = working.clone();
    let builder = rayon::ThreadPoolBuilder::new().num_threads(threads).start_handler(|_| WATCHED.set(true));
    let pool = builder.exit_handler(move |_| {
        WATCHED.set(false);
        left.fetch_sub(1, SeqCst);
    });
    let pool = WatchedPool { pool: Some(pool.build().unwrap()), working };
    fn split(depth: u32) {
        if depth > 0 {
            rayon::join(|| split(depth - 1), || split(depth - 1));
        } else {
            std::thread::yield_now();
        }
    }
    pool.broadcast(|_| split(10));
    pool
}

#[cfg(feature = "parallel")]
#[test]
fn pools_of_workers_allocate_nothing_either() {
    let _watch = Watch::start();
    for threads in [1, 2, 3, 8] {
        let pool = watched_pool(threads);
        for (name, bodies, frames) in
            [(SceneName::Castles, 3000, 100), (SceneName::Castles, 20_000, 10), (SceneName::PowerLaw, 6000, 10)]
        {
            let film = film(name, bodies, frames);
            // Bounds make several classes where there is more than one size.
            let bounds = if name == SceneName::PowerLaw { vec![0.5, 5.0] } else { Vec::new() };
            let parallel = WorldConfig::new().with_parallel_threshold(0).with_bounds(bounds);
            let allocations = pool.install(|| rewind(&mut World::new(parallel).unwrap(), &film));
            assert_eq!(allocations, 0, "{name}, {bodies} bodies, {threads} threads");
        }
    }
}

#[cfg(feature = "parallel")]
#[test]
fn workers_that_open_pages_in_vain_allocate_nothing() {
    let _watch = Watch::start();
    // Neighbours in one cell that do not touch: every band opens a page and gives it back empty, and how many are open at
    // once is chance.
    let centers: Vec<[f32; 2]> = (0..60_000).map(|k| [(k % 250) as f32, (k / 250) as f32]).collect();
    let pool = watched_pool(8);
    let allocations = pool.install(|| {
        let mut world = World::default();
        let mut step = || assert_eq!(world.step(Bodies::uniform(&centers, [0.4, 0.4])).unwrap().body_pairs().len(), 0);
        (0..3).for_each(|_| step());
        let before = ALLOCATIONS.load(SeqCst);
        (0..100).for_each(|_| step());
        let allocations = ALLOCATIONS.load(SeqCst) - before;
        // Chance may be kind, so that there is a page of 2,048 pairs for each worker is asked for too.
        assert!(world.report().pair_bytes >= 8 * 2048 * 8, "{}", world.report());
        allocations
    });
    assert_eq!(allocations, 0);
}

#[test]
fn steady_motion_allocates_ever_more_rarely() {
    let _watch = Watch::start();
    let mut scene = Scene::new(SceneName::Brownian, 3000, 81);
    let mut world = sequential();
    let mut frames = Vec::new();
    let mut held = Vec::new();
    let start = HELD.load(SeqCst);
    for frame in 0..300 {
        scene.advance();
        let before = ALLOCATIONS.load(SeqCst);
        step(&mut world, &scene);
        if ALLOCATIONS.load(SeqCst) > before {
            frames.push(frame);
        }
        held.push(HELD.load(SeqCst) - start);
    }
    // High-water marks of 300 alike frames: about ln 300 of each thing that grows, fewer as growth leaves room.
    assert!(frames.len() <= 24, "{} frames allocated: {frames:?}", frames.len());
    assert!(frames.iter().filter(|frame| **frame >= 150).count() <= 6, "{frames:?}");
    assert!(held[299] <= held[20] * 3 / 2, "{} bytes grew to {}", held[20], held[299]);
}

#[test]
fn memory_is_given_back_when_asked_for() {
    let _watch = Watch::start();
    let held = |from: isize| HELD.load(SeqCst) - from;
    let (large, small) = (Scene::new(SceneName::Castles, 20_000, 82), Scene::new(SceneName::Castles, 50, 83));
    let start = HELD.load(SeqCst);
    let mut world = sequential();
    world.set_statics(&large.statics).unwrap();
    step(&mut world, &large);
    let bytes = |world: &World| {
        let report = world.report();
        [report.body_bytes, report.static_bytes, report.pair_bytes]
    };
    let (first, first_held) = (bytes(&world), held(start));
    world.set_statics(&small.statics).unwrap();
    let pairs = step(&mut world, &small);
    world.shrink_to_fit();
    let (last, last_held) = (bytes(&world), held(start));
    assert!(
        first_held > 20_000 * 16 && last_held < first_held / 10,
        "{first_held} and then {last_held} bytes are held"
    );
    for k in 0..3 {
        assert!(last[k] < first[k] / 4, "{first:?} and then {last:?} bytes are told of");
    }
    // What was found is not touched, and the next step is as good as ever.
    assert_eq!(world.contacts().body_pairs().len(), pairs);
    assert_eq!(step(&mut world, &small), pairs);
    assert_eq!(step(&mut world, &large), step(&mut sequential(), &large));
}

#[test]
fn a_report_tells_what_is_held() {
    let _watch = Watch::start();
    for name in [SceneName::Castles, SceneName::Touching, SceneName::PowerLaw, SceneName::Cities] {
        let scene = Scene::new(name, 20_000, 84);
        let config = WorldConfig::new().with_parallel_threshold(None);
        let config = if name == SceneName::Castles {
            config.with_contact_tracking(true).with_partner_lists(true)
        } else {
            config
        };
        let start = HELD.load(SeqCst);
        let mut world = world(config);
        world.set_statics(&scene.statics).unwrap();
        step(&mut world, &scene);
        step(&mut world, &scene);
        let held = (HELD.load(SeqCst) - start) as usize;
        let report = world.report();
        let told = report.body_bytes + report.static_bytes + report.pair_bytes;
        // The world itself is no allocation and may be told of.
        let held_max = held + size_of::<World>();
        assert!(told <= held_max && told >= held / 10 * 9, "{name}: {told} bytes told of, {held} held");
    }
}

/// Boxes of the frames of a film.
fn boxes(film: &[Scene]) -> Vec<Vec<[f32; 4]>> {
    let around = |([x, y], [w, h]): (&[f32; 2], &[f32; 2])| [x - w, y - h, x + w, y + h];
    film.iter().map(|scene| scene.centers.iter().zip(&scene.half_extents).map(around).collect()).collect()
}

#[test]
fn a_point_grid_allocates_nothing_for_what_was_filed_before_and_tells_what_it_holds() {
    let _watch = Watch::start();
    for (name, bodies) in [(SceneName::Dragons, 3000), (SceneName::PowerLaw, 20_000), (SceneName::TwoCities, 2000)] {
        let mut film = boxes(&film(name, bodies, 6));
        film[2].truncate(100);
        film[4].clear();
        let start = HELD.load(SeqCst);
        let (mut grid, mut pairs) = (PointGrid::new(), Vec::with_capacity(400_000));
        let with_pairs = HELD.load(SeqCst) - start;
        film.iter().for_each(|boxes| grid.rebuild(boxes, &mut pairs).unwrap());
        let before = ALLOCATIONS.load(SeqCst);
        film.iter().for_each(|boxes| grid.rebuild(boxes, &mut pairs).unwrap());
        assert_eq!(ALLOCATIONS.load(SeqCst) - before, 0, "{name}");
        assert!(pairs.capacity() == 400_000, "{name}: the pairs have room");
        let held = (HELD.load(SeqCst) - start - with_pairs) as usize;
        let told = grid.memory_bytes();
        assert!(told <= held + 1000 && told >= held / 10 * 9, "{name}: {told} bytes told of, {held} held");
    }
}

#[cfg(feature = "parallel")]
#[test]
fn pools_of_workers_that_hand_on_blocks_allocate_nothing_either() {
    let _watch = Watch::start();
    for threads in [1, 2, 8] {
        let pool = watched_pool(threads);
        // The second gets crowded bands, which are taken apart in one place.
        for (name, bodies, frames) in [(SceneName::Castles, 6000, 21), (SceneName::Brownian, 20_000, 3)] {
            let mut film = film(name, bodies, frames);
            if name == SceneName::Brownian {
                let [x, y, to_x, to_y] = film[0].world;
                let scale = [700.0 / (to_x - x), 700.0 / (to_y - y)];
                for scene in &mut film {
                    scene.centers.iter_mut().for_each(|at| *at = [at[0] * scale[0], at[1] * scale[1]]);
                    let sizes = (0..bodies).map(|row| [[24.0, 0.005], [0.005, 24.0]][row % 2]);
                    scene.half_extents = sizes.collect();
                }
            }
            let allocations = pool.install(|| {
                let mut world = world(WorldConfig::new().with_parallel_threshold(0));
                world.set_statics(&film[0].statics).unwrap();
                let mut all = || {
                    let before = ALLOCATIONS.load(SeqCst);
                    for scene in &film {
                        let pairs = std::sync::atomic::AtomicUsize::new(0);
                        let bodies = Bodies::new(&scene.centers, &scene.half_extents);
                        let contacts = world.step_streamed(bodies, |block| _ = pairs.fetch_add(block.len(), SeqCst));
                        let contacts = contacts.unwrap();
                        assert_eq!(pairs.into_inner(), contacts.body_pairs().len() + contacts.static_pairs().len());
                    }
                    ALLOCATIONS.load(SeqCst) - before
                };
                all();
                all();
                all()
            });
            assert_eq!(allocations, 0, "{name}, {threads} threads");
        }
    }
}

/// As [`rewind`], with pairs given one by one with their rows after each step.
fn rewind_exclusive(world: &mut World, film: &[Scene]) -> usize {
    world.set_statics(&film[0].statics).unwrap();
    let mut counts = vec![0u32; film.iter().map(|scene| scene.centers.len()).max().unwrap()];
    let mut all = || {
        let before = ALLOCATIONS.load(SeqCst);
        for scene in film {
            step(world, scene);
            let contacts = world.contacts();
            contacts.par_for_each_pair_mut(&mut counts, |_, a, b| (*a, *b) = (*a ^ 1, *b ^ 1)).unwrap();
            contacts.par_for_each_static_pair_mut(&mut counts[..], |_, count| *count ^= 2).unwrap();
        }
        ALLOCATIONS.load(SeqCst) - before
    };
    assert!(all() > 0);
    all()
}

#[test]
fn rows_of_pairs_that_were_given_before_allocate_nothing() {
    let _watch = Watch::start();
    for name in [SceneName::Castles, SceneName::PowerLaw, SceneName::WideAndTall, SceneName::Churn] {
        // An odd number of frames, so that each is stepped in both of a world's sets of pairs.
        let film = film(name, 6000, 7);
        assert_eq!(rewind_exclusive(&mut sequential(), &film), 0, "{name}");
        #[cfg(feature = "parallel")]
        for threads in [2, 8] {
            let parallel = WorldConfig::new().with_parallel_threshold(0);
            let pool = watched_pool(threads);
            let allocations = pool.install(|| rewind_exclusive(&mut World::new(parallel).unwrap(), &film));
            assert_eq!(allocations, 0, "{name}, {threads} threads");
        }
    }
}
