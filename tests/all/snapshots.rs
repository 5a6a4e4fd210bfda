//! Snapshots: each is one step as a whole, bodies and statics, and never changes.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant};
use triphase::reference::body_aabb;
use triphase::{Aabb, Bodies, Hit, Snapshot, SnapshotReader, Statics, World, WorldConfig};
use triphase_scenes::{Scene, SceneName, SplitMix64};
use triphase_tests::{sequential, world};

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

/// What a snapshot finds in a box, ascending.
fn hits(frame: &Snapshot, of: [f32; 4]) -> Vec<Hit> {
    let mut hits: Vec<Hit> = frame.query_aabb(area(of)).collect();
    hits.sort_unstable();
    hits
}

/// Step number, rows, ids, hits, enabled statics.
type View = (u64, usize, Vec<Option<u64>>, Vec<Hit>, Vec<Option<bool>>);

/// Everything that a caller can read from a snapshot.
fn view(frame: &Snapshot) -> View {
    let ids = (0..frame.body_count() as u32 + 1).map(|row| frame.body_id(row)).collect();
    let enabled = (0..frame.statics().len() as u32 + 1).map(|row| frame.statics().is_enabled(row)).collect();
    (frame.step_number(), frame.body_count(), ids, hits(frame, EVERYWHERE), enabled)
}

/// The input of a step, which its snapshot must show.
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

    /// What brute force finds in a box, ascending.
    fn hits(&self, of: [f32; 4]) -> Vec<Hit> {
        let is_in_area = |b: &[f32; 4]| b[0] <= of[2] && of[0] <= b[2] && b[1] <= of[3] && of[1] <= b[3];
        let boxes = self.centers.iter().zip(&self.half_extents).map(|(&c, &h)| body_aabb(c, h, None));
        let bodies = boxes.enumerate().filter(|(_, b)| is_in_area(b));
        let bodies = bodies.map(|(row, _)| Hit::Body { row: row as u32, id: Some(self.ids[row]) });
        let statics = self.walls.iter().enumerate().filter(|&(row, b)| !self.open[row] && is_in_area(b));
        bodies.chain(statics.map(|(row, _)| Hit::Static { row: row as u32, id: Some(self.wall_ids[row]) })).collect()
    }

    /// Checks that a snapshot is of this step.
    fn check(&self, frame: &Snapshot, random: &mut SplitMix64) {
        let step = frame.step_number();
        assert_eq!((frame.body_count(), frame.statics().len()), (self.centers.len(), self.walls.len()), "step {step}");
        for _ in 0..3 {
            let [x, y] = if self.centers.is_empty() { [0.0; 2] } else { random.pick(&self.centers) };
            let [w, h] = random.point(0.0, 8.0);
            let of = [x - w, y - h, x + w, y + h];
            assert_eq!(hits(frame, of), self.hits(of), "step {step}, {of:?}");
        }
        let row = random.below(self.ids.len() + 1);
        assert_eq!(frame.body_id(row as u32), self.ids.get(row).copied(), "step {step}");
    }
}

/// A game that records the input of each step before the step runs.
struct Game {
    world: World,
    scene: Scene,
    given: Given,
    random: SplitMix64,
    record: Arc<RwLock<Vec<Given>>>,
}

impl Game {
    fn new(world: World) -> Self {
        let record = Arc::new(RwLock::new(vec![Given::default()]));
        Self {
            world,
            scene: Scene::new(SceneName::Castles, 1500, 5),
            given: Given::default(),
            random: SplitMix64::new(6),
            record,
        }
    }

    /// Steps with another number of bodies each time, toggled statics, and now and then a new
    /// static set.
    fn step(&mut self) {
        let Self { world, scene, given, random, record } = self;
        scene.advance();
        if random.below(5) == 0 {
            given.walls = scene.statics[..random.below(scene.statics.len() + 1)].to_vec();
            given.wall_ids = given.walls.iter().map(|_| random.next_u64()).collect();
            given.open = vec![false; given.walls.len()];
            world.set_statics(Statics::new(&given.walls).with_ids(&given.wall_ids)).unwrap();
        }
        for _ in 0..given.walls.len().min(9) {
            let row = random.below(given.walls.len());
            let was_open = std::mem::replace(&mut given.open[row], random.below(3) == 0);
            assert_eq!(world.set_static_enabled(row as u32, !given.open[row]), Ok(!was_open));
        }
        let count = random.below(scene.centers.len() + 1);
        given.centers = scene.centers[..count].to_vec();
        given.half_extents = scene.half_extents[..count].to_vec();
        given.ids = (0..count).map(|_| random.next_u64()).collect();
        if random.below(4) == 0 && count > 0 {
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
                let (mut random, mut last) = (SplitMix64::new(number as u64), 0);
                let mut held = VecDeque::new();
                while !over.load(SeqCst) {
                    // Readers are cloned and dropped all the time.
                    let frame = reader.clone().latest();
                    assert!(frame.step_number() >= last, "time goes on");
                    last = frame.step_number();
                    let given = record.read().unwrap()[last as usize].clone();
                    given.check(&frame, &mut random);
                    // Some snapshots are held for a while and checked again.
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
            // However threads are scheduled, each step is followed by a check.
            let begin = Instant::now();
            while checked.load(SeqCst) < step as usize {
                std::thread::yield_now();
                if begin.elapsed() > Duration::from_secs(60) {
                    over.store(true, SeqCst); // lets the other threads end
                    panic!("no reader checks any more");
                }
            }
        }
        over.store(true, SeqCst);
    });
    let frame = game.world.reader().latest();
    assert_eq!(frame.step_number(), steps);
    game.given.check(&frame, &mut game.random);
}

#[test]
fn snapshots_on_other_threads_are_whole_steps() {
    readers_check_each_step(WorldConfig::new().with_parallel_threshold(None), 4, 120);
    readers_check_each_step(WorldConfig::new().with_parallel_threshold(0), 3, 60);
}

#[test]
fn readers_created_and_dropped_during_steps_are_consistent() {
    // The last reader may be dropped during a step, and the next one is created after another step.
    let mut game = Game::new(sequential());
    for _ in 0..40 {
        let (reader, record) = (game.world.reader(), Arc::clone(&game.record));
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let frame = reader.latest();
                drop(reader);
                record.read().unwrap()[frame.step_number() as usize].check(&frame, &mut SplitMix64::new(1));
            });
            game.step();
        });
        game.step();
    }
}

#[test]
fn snapshot_is_unchanged_by_later_steps() {
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
fn reader_outlives_its_world() {
    let mut game = Game::new(sequential());
    let reader = game.world.reader();
    (0..7).for_each(|_| game.step());
    let Game { world, given, .. } = game;
    drop(world);
    let other = reader.clone();
    let thread = std::thread::spawn(move || {
        given.check(&other.latest(), &mut SplitMix64::new(2));
        other.latest().step_number()
    });
    assert_eq!((thread.join().unwrap(), reader.latest().step_number()), (7, 7));
}

#[test]
fn snapshot_before_the_first_step_is_empty() {
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
fn refused_step_publishes_nothing() {
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
fn snapshot_has_the_statics_of_its_step() {
    let walls = [[0.0f32, 0.0, 1.0, 1.0], [5.0, 5.0, 6.0, 6.0]];
    let mut world = sequential();
    world.set_statics(&walls).unwrap();
    world.step(nobody()).unwrap();
    let found = |snapshot: Snapshot| hits(&snapshot, EVERYWHERE);
    let hit = |row| Hit::Static { row, id: None };
    // Even if the first reader is created after a static was disabled and the set replaced.
    world.set_static_enabled(0, false).unwrap();
    assert_eq!(found(world.reader().latest()), [hit(0), hit(1)]);
    world.set_statics(&walls[..1]).unwrap();
    assert_eq!(found(world.reader().latest()), [hit(0), hit(1)]);
    assert_eq!(world.query_aabb(area(EVERYWHERE)).collect::<Vec<_>>(), [hit(0)], "a world has the present statics");
    world.step(nobody()).unwrap();
    let reader = world.reader();
    assert_eq!(found(reader.latest()), [hit(0)]);
    // Each step publishes whether the static is enabled.
    for step in 0..12 {
        world.set_static_enabled(0, step % 3 == 0).unwrap();
        world.step(nobody()).unwrap();
        assert_eq!(found(reader.latest()).len(), usize::from(step % 3 == 0), "{step}");
    }
}

#[test]
fn wait_newer_returns_at_once_what_is_newer() {
    let mut world = World::default();
    let reader = world.reader();
    world.step(nobody()).unwrap();
    let begin = Instant::now();
    assert_eq!(reader.wait_newer(0, Duration::from_secs(60)).unwrap().step_number(), 1);
    assert!(begin.elapsed() < Duration::from_secs(30));
}

#[test]
fn wait_newer_gives_up_after_the_timeout() {
    let mut world = World::default();
    let reader = world.reader();
    world.step(nobody()).unwrap();
    let begin = Instant::now();
    assert!(reader.wait_newer(1, Duration::from_millis(50)).is_none());
    assert!(begin.elapsed() >= Duration::from_millis(50));
    // A shift of the origin publishes the same step again.
    let (begins, has_begun) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            begins.send(()).unwrap();
            reader.wait_newer(1, Duration::from_millis(300)).is_none()
        });
        has_begun.recv().unwrap();
        std::thread::sleep(Duration::from_millis(20));
        world.shift_origin([1.0, 0.0]).unwrap();
        assert!(waiting.join().unwrap());
    });
}

#[test]
fn wait_newer_wakes_for_each_step_and_when_the_world_is_dropped() {
    let mut world = World::default();
    let reader = world.reader();
    let (seen, next) = std::sync::mpsc::channel();
    let consumer = std::thread::spawn(move || {
        let mut last = 0;
        while let Some(snapshot) = reader.wait_newer(last, Duration::from_secs(60)) {
            assert!(snapshot.step_number() > last);
            last = snapshot.step_number();
            seen.send(last).unwrap();
        }
        last
    });
    for step in 1..=20 {
        world.step(nobody()).unwrap();
        assert_eq!(next.recv_timeout(Duration::from_secs(30)), Ok(step));
    }
    let begin = Instant::now();
    drop(world);
    assert_eq!(consumer.join().unwrap(), 20);
    assert!(begin.elapsed() < Duration::from_secs(30), "the wait ends with the world");
}
