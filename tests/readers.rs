//! Readers: each frame they are given is one step as a whole, bodies and statics, and stays so; they cost a step no memory
//! but for what is held.

mod common;

use common::counting::{ALLOCATIONS, Counting, HELD, Watch};
use common::{Random, sequential, world};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, RwLock};
use triphase::reference::body_aabb;
use triphase::{Aabb, Bodies, Hit, Snapshot, SnapshotReader, Statics, World, WorldConfig};
use triphase_scenes::{Scene, SceneName};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const EVERYWHERE: [f32; 4] = [-1e30, -1e30, 1e30, 1e30];

const _: () = {
    const fn is_shared<T: Clone + Send + Sync + 'static>() {}
    is_shared::<SnapshotReader>();
    is_shared::<Snapshot>();
};

fn nobody() -> Bodies<'static> {
    Bodies::from_aabbs::<[f32; 4]>(&[])
}

fn area([min_x, min_y, max_x, max_y]: [f32; 4]) -> Aabb {
    Aabb::new([min_x, min_y], [max_x, max_y]).unwrap()
}

/// What a frame holds there, ascending.
fn hits(frame: &Snapshot, of: [f32; 4]) -> Vec<Hit> {
    let mut hits: Vec<Hit> = frame.query_aabb(area(of)).collect();
    hits.sort_unstable();
    hits
}

/// Step, rows, ids, hits, enabled statics.
type View = (u64, usize, Vec<Option<u64>>, Vec<Hit>, Vec<Option<bool>>);

/// All that a caller can read of a frame.
fn view(frame: &Snapshot) -> View {
    let ids = (0..frame.body_count() as u32 + 1).map(|row| frame.body_id(row)).collect();
    let enabled = (0..frame.statics().len() as u32 + 1).map(|row| frame.statics().is_enabled(row)).collect();
    (frame.step_number(), frame.body_count(), ids, hits(frame, EVERYWHERE), enabled)
}

/// What a step was given: the truth about its frame.
#[derive(Clone, Debug, Default)]
struct Given {
    centers: Vec<[f32; 2]>,
    half_extents: Vec<[f32; 2]>,
    ids: Vec<u64>,
    walls: Vec<[f32; 4]>,
    wall_ids: Vec<u64>,
    open: Vec<bool>,
}

impl Given {
    fn bodies(&self) -> Bodies<'_> {
        Bodies::new(&self.centers, &self.half_extents).with_ids(&self.ids)
    }

    /// By brute force, ascending.
    fn hits(&self, of: [f32; 4]) -> Vec<Hit> {
        let meets = |b: &[f32; 4]| b[0] <= of[2] && of[0] <= b[2] && b[1] <= of[3] && of[1] <= b[3];
        let boxes = self.centers.iter().zip(&self.half_extents).map(|(&c, &h)| body_aabb(c, h, None));
        let bodies = boxes.enumerate().filter(|(_, b)| meets(b));
        let bodies = bodies.map(|(row, _)| Hit::Body { row: row as u32, id: Some(self.ids[row]) });
        let static_row = self.walls.iter().enumerate().filter(|&(row, b)| !self.open[row] && meets(b));
        bodies.chain(static_row.map(|(row, _)| Hit::Static { row: row as u32, id: Some(self.wall_ids[row]) })).collect()
    }

    /// That a frame is this step's.
    fn check(&self, frame: &Snapshot, random: &mut Random) {
        let step = frame.step_number();
        assert_eq!((frame.body_count(), frame.statics().len()), (self.centers.len(), self.walls.len()), "step {step}");
        for _ in 0..3 {
            let [x, y] = if self.centers.is_empty() { [0.0; 2] } else { random.pick(&self.centers) };
            let [w, h] = random.point(0.0, 8.0);
            let of = [x - w, y - h, x + w, y + h];
            assert_eq!(hits(frame, of), self.hits(of), "step {step}, {of:?}");
        }
        let row = random.index(self.ids.len() + 1);
        assert_eq!(frame.body_id(row as u32), self.ids.get(row).copied(), "step {step}");
    }
}

/// A game whose every step is on record before anyone can see it.
struct Game {
    world: World,
    scene: Scene,
    given: Given,
    random: Random,
    record: Arc<RwLock<Vec<Given>>>,
}

impl Game {
    fn new(world: World) -> Self {
        let record = Arc::new(RwLock::new(vec![Given::default()]));
        Self {
            world,
            scene: Scene::new(SceneName::Castles, 1500, 5),
            given: Given::default(),
            random: Random::new(6),
            record,
        }
    }

    /// Now and then another set of walls, doors all the time; another number of bodies in each step.
    fn step(&mut self) {
        let Self { world, scene, given, random, record } = self;
        scene.advance();
        if random.index(5) == 0 {
            given.walls = scene.statics[..random.index(scene.statics.len() + 1)].to_vec();
            given.wall_ids = given.walls.iter().map(|_| random.bits()).collect();
            given.open = vec![false; given.walls.len()];
            world.set_statics(Statics::new(&given.walls).with_ids(&given.wall_ids)).unwrap();
        }
        for _ in 0..given.walls.len().min(9) {
            let row = random.index(given.walls.len());
            let was_open = std::mem::replace(&mut given.open[row], random.index(3) == 0);
            assert_eq!(world.set_static_enabled(row as u32, !given.open[row]), Ok(!was_open));
        }
        let count = random.index(scene.centers.len() + 1);
        given.centers = scene.centers[..count].to_vec();
        given.half_extents = scene.half_extents[..count].to_vec();
        given.ids = (0..count).map(|_| random.bits()).collect();
        if random.index(4) == 0 && count > 0 {
            let mut bad = given.clone();
            bad.centers[count / 2][1] = f32::NAN;
            world.step(bad.bodies()).unwrap_err();
        }
        record.write().unwrap().push(given.clone());
        world.step(given.bodies()).unwrap();
    }
}

fn readers_check_each_step(config: WorldConfig, readers: usize, steps: u64) {
    let mut game = Game::new(world(config));
    let (over, checked) = (&AtomicBool::new(false), &AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for number in 0..readers {
            let (reader, record) = (game.world.reader(), Arc::clone(&game.record));
            scope.spawn(move || {
                let (mut random, mut last) = (Random::new(number as u64), 0);
                let mut held = VecDeque::new();
                while !over.load(SeqCst) {
                    // Handles come and go all the time.
                    let frame = reader.clone().latest();
                    assert!(frame.step_number() >= last, "time goes on");
                    last = frame.step_number();
                    let given = record.read().unwrap()[last as usize].clone();
                    given.check(&frame, &mut random);
                    // Some frames are held for a while, and are looked at again then.
                    held.push_back((frame, given));
                    if held.len() > number {
                        let (frame, given) = held.pop_front().unwrap();
                        given.check(&frame, &mut random);
                    }
                    checked.fetch_add(1, SeqCst);
                }
            });
        }
        for step in 1..=steps {
            game.step();
            assert_eq!(game.world.step_number(), step);
            // However the threads are scheduled, readers look at something.
            while checked.load(SeqCst) < step as usize {
                std::thread::yield_now();
            }
        }
        over.store(true, SeqCst);
    });
    let frame = game.world.reader().latest();
    assert_eq!(frame.step_number(), steps);
    game.given.check(&frame, &mut game.random);
}

#[test]
fn threads_that_read_find_whole_steps_while_steps_run() {
    readers_check_each_step(WorldConfig::new().with_parallel_threshold(None), 4, 120);
    readers_check_each_step(WorldConfig::new().with_parallel_threshold(0), 3, 60);
}

#[test]
fn handles_that_come_and_go_change_nothing() {
    // The last handle may go in the middle of a step, and the next is made after another.
    let mut game = Game::new(sequential());
    for _ in 0..40 {
        let (reader, record) = (game.world.reader(), Arc::clone(&game.record));
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let frame = reader.latest();
                drop(reader);
                record.read().unwrap()[frame.step_number() as usize].check(&frame, &mut Random::new(1));
            });
            game.step();
        });
        game.step();
    }
}

#[test]
fn a_frame_stays_as_it_is_while_later_steps_run() {
    let mut game = Game::new(sequential());
    (0..5).for_each(|_| game.step());
    let reader = game.world.reader();
    let frame = reader.latest();
    let before = view(&frame);
    assert!(before.0 == 5 && !before.3.is_empty() && before.4.len() > 1);
    for _ in 0..10 {
        game.step();
        game.world.shrink_to_fit();
        assert_eq!(view(&frame), before);
        assert_eq!(reader.latest().step_number(), game.world.step_number());
    }
    let clone = frame.clone();
    drop((frame, game));
    assert_eq!(view(&clone), before);
}

#[test]
fn a_reader_outlives_its_world() {
    let mut game = Game::new(sequential());
    let reader = game.world.reader();
    (0..7).for_each(|_| game.step());
    let Game { world, given, .. } = game;
    drop(world);
    let other = reader.clone();
    let thread = std::thread::spawn(move || {
        given.check(&other.latest(), &mut Random::new(2));
        other.latest().step_number()
    });
    assert_eq!((thread.join().unwrap(), reader.latest().step_number()), (7, 7));
}

#[test]
fn before_the_first_step_the_frame_is_empty() {
    let mut world = sequential();
    let early = world.reader();
    world.set_statics(&[[0.0f32, 0.0, 1.0, 1.0]]).unwrap();
    for reader in [early, world.reader(), World::default().reader()] {
        let frame = reader.latest();
        assert_eq!(
            (frame.step_number(), frame.body_count(), frame.body_count() == 0, frame.body_id(0)),
            (0, 0, true, None)
        );
        assert!(frame.statics().is_empty() && hits(&frame, EVERYWHERE).is_empty());
    }
    assert_eq!(world.step_number(), 0);
}

#[test]
fn a_refused_step_publishes_nothing() {
    let mut world = world(WorldConfig::new().with_parallel_threshold(None).with_pair_limit(10));
    let reader = world.reader();
    let crowd = vec![[0.0f32, 0.0]; 100_000];
    for step in 0..4 {
        let frame = reader.latest();
        let before = view(&frame);
        assert_eq!(before.0, step);
        let refused = [
            world.step(Bodies::uniform(&[[f32::NAN; 2]], [0.5; 2])).map(|_| ()),
            world.step(Bodies::uniform(&crowd, [0.5; 2])).map(|_| ()),
            world.step(Bodies::new(&crowd, &[[0.5f32; 2]])).map(|_| ()),
            world.set_statics(&[[1.0f32, 0.0, 0.0, 0.0]]),
            world.set_static_enabled(9, true).map(|_| ()),
        ];
        assert!(refused.iter().all(Result::is_err));
        assert_eq!((view(&reader.latest()), view(&frame)), (before.clone(), before));
        let centers: Vec<[f32; 2]> = (0..=step).map(|k| [k as f32, 0.0]).collect();
        world.step(Bodies::uniform(&centers, [0.3; 2]).with_ids(&vec![7; centers.len()])).unwrap();
    }
}

#[test]
fn a_frame_has_the_statics_of_its_step() {
    let walls = [[0.0f32, 0.0, 1.0, 1.0], [5.0, 5.0, 6.0, 6.0]];
    let mut world = sequential();
    world.set_statics(&walls).unwrap();
    world.step(nobody()).unwrap();
    let static_row = |frame: Snapshot| hits(&frame, EVERYWHERE);
    let hit = |row| Hit::Static { row, id: None };
    // Though the first handle is made after a door was opened and after the set was replaced.
    world.set_static_enabled(0, false).unwrap();
    assert_eq!(static_row(world.reader().latest()), [hit(0), hit(1)]);
    world.set_statics(&walls[..1]).unwrap();
    assert_eq!(static_row(world.reader().latest()), [hit(0), hit(1)]);
    assert_eq!(world.query_aabb(area(EVERYWHERE)).collect::<Vec<_>>(), [hit(0)], "the world's are of now");
    world.step(nobody()).unwrap();
    let reader = world.reader();
    assert_eq!(static_row(reader.latest()), [hit(0)]);
    // Switched off and on again, it is as it was; and each frame in turn is told.
    for step in 0..12 {
        world.set_static_enabled(0, step % 3 == 0).unwrap();
        world.step(nobody()).unwrap();
        assert_eq!(static_row(reader.latest()).len(), usize::from(step % 3 == 0), "{step}");
    }
}

/// Frames of a scene, kept so that they can be stepped again.
fn film(bodies: usize, frames: usize) -> Vec<Scene> {
    let mut scene = Scene::new(SceneName::Castles, bodies, 77);
    let next = |_| {
        scene.advance();
        scene.clone()
    };
    (0..frames).map(next).collect()
}

fn step(world: &mut World, scene: &Scene) {
    let (number, count) = (world.step_number(), scene.statics.len() as u64);
    world.set_static_enabled((number % count) as u32, number % 2 == 0).unwrap();
    world.step(Bodies::new(&scene.centers, &scene.half_extents).with_ids(&scene.ids)).unwrap();
}

#[test]
fn steps_allocate_nothing_with_up_to_two_frames_held() {
    let film = film(3000, 12);
    let _watch = Watch::start();
    let mut world = sequential();
    world.set_statics(&film[0].statics).unwrap();
    let reader = world.reader();
    let mut held = VecDeque::with_capacity(8);
    let mut roll = |world: &mut World, hold: usize| {
        for scene in &film {
            step(world, scene);
            held.push_back(reader.latest());
            while held.len() > hold {
                held.pop_front();
            }
        }
    };
    // Up to two in any order, once two were held; then more, once as many were.
    for _ in 0..2 {
        roll(&mut world, 2);
    }
    let before = ALLOCATIONS.load(SeqCst);
    for hold in [2, 1, 0, 1, 2, 0, 2] {
        roll(&mut world, hold);
        assert_eq!(ALLOCATIONS.load(SeqCst) - before, 0, "{hold} frames held");
    }
    (0..2).for_each(|_| roll(&mut world, 5));
    let before = ALLOCATIONS.load(SeqCst);
    roll(&mut world, 5);
    assert_eq!(ALLOCATIONS.load(SeqCst) - before, 0, "five frames held");
    // The same two all the while.
    (0..2).for_each(|_| roll(&mut world, 2));
    let before = ALLOCATIONS.load(SeqCst);
    film.iter().for_each(|scene| step(&mut world, scene));
    assert_eq!(ALLOCATIONS.load(SeqCst) - before, 0, "two frames held for long");
}

#[test]
fn readers_that_went_leave_steps_that_allocate_nothing() {
    let film = film(2000, 6);
    let _watch = Watch::start();
    let mut world = sequential();
    world.set_statics(&film[0].statics).unwrap();
    film.iter().for_each(|scene| step(&mut world, scene));
    let reader = world.reader();
    film.iter().for_each(|scene| step(&mut world, scene));
    drop(reader);
    let before = ALLOCATIONS.load(SeqCst);
    film.iter().for_each(|scene| step(&mut world, scene));
    assert_eq!(ALLOCATIONS.load(SeqCst) - before, 0);
}

#[test]
fn the_memory_of_frames_is_used_again() {
    let film = film(5000, 10);
    let _watch = Watch::start();
    let start = HELD.load(SeqCst);
    let held = || HELD.load(SeqCst) - start;
    let mut world = sequential();
    world.set_statics(&film[0].statics).unwrap();
    (0..2).for_each(|_| film.iter().for_each(|scene| step(&mut world, scene)));
    let without = held();

    let reader = world.reader();
    let mut frames = VecDeque::with_capacity(32);
    let mut after_first = 0;
    for number in 0..120 {
        step(&mut world, &film[number % film.len()]);
        frames.push_back(reader.latest());
        if frames.len() > 2 {
            frames.pop_front();
        }
        if number == 19 {
            after_first = held();
        }
        assert!(number < 20 || held() <= after_first, "frame {number}: {} bytes, {after_first} before", held());
    }
    let report = world.report();
    let told = report.body_bytes + report.static_bytes + report.pair_bytes;
    assert!(told as isize <= held() + size_of::<World>() as isize && told as isize >= held() / 10 * 9, "{told}");

    // Each frame held costs its size, which is less than half of what a world of two takes; and when many go at once,
    // the next step gives back all but a few.
    let two = held();
    for number in 0..10 {
        step(&mut world, &film[number % film.len()]);
        frames.push_back(reader.latest());
    }
    let twelve = held();
    assert!(twelve - two > 8 * 5000 * 20 && twelve - two <= 10 * without / 2, "{without}, {two}, {twelve}");
    frames.clear();
    step(&mut world, &film[0]);
    assert!(held() <= two + (twelve - two) / 8, "{two}, {twelve}, {}", held());

    // Without readers a world is as it was.
    drop(reader);
    step(&mut world, &film[0]);
    world.shrink_to_fit();
    (0..2).for_each(|_| film.iter().for_each(|scene| step(&mut world, scene)));
    assert!(held() <= without + without / 20, "{without} bytes, and {} now", held());
    drop((world, frames));
    assert!(held() < 1000, "all is given back");
}

#[test]
fn statics_that_were_replaced_go_with_the_last_frame_that_has_them() {
    let walls: Vec<[f32; 4]> = (0..50_000).map(|k| [k as f32, 0.0, k as f32 + 0.5, 1.0]).collect();
    let _watch = Watch::start();
    let start = HELD.load(SeqCst);
    let held = || HELD.load(SeqCst) - start;
    let mut world = sequential();
    let small = |world: &mut World| {
        world.set_statics(&walls[..10]).unwrap();
        world.step(nobody()).unwrap();
    };
    small(&mut world);
    world.set_statics(&walls).unwrap();
    (0..3).for_each(|_| _ = world.step(nobody()).unwrap());
    let reader = world.reader();
    let frame = reader.latest();
    let large = held();
    assert!(large > 50_000 * 16);
    small(&mut world);
    assert!(held() > 50_000 * 16, "a frame has them");
    assert_eq!(frame.statics().len(), 50_000);
    drop(frame);
    small(&mut world);
    world.shrink_to_fit();
    assert!(held() < large / 10, "{large} bytes, and then {}", held());
    // And without readers, with the first step after.
    drop(reader);
    world.set_statics(&walls).unwrap();
    (0..3).for_each(|_| _ = world.step(nobody()).unwrap());
    let large = world.report().static_bytes;
    small(&mut world);
    assert!(world.report().static_bytes < large / 20);
}
