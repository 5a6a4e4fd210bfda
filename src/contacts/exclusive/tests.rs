//! Schedules from tasks with missing or wrong knowledge of their own pairs.

use crate::broad_phase::pairs::PageChain;
use crate::contacts::by_row::PairSides;
use crate::contacts::exclusive::schedule::Schedule;
use crate::memory::buffers::Buffers;
use crate::world::World;
use crate::{Aabb, Bodies, WorldConfig};
use parking_lot::Mutex;
use std::ops::Range;

const BODY_COUNT: usize = 12_000;

/// The pages of a task, and its own pairs.
type TaskPart = (Range<usize>, usize);

/// Bodies in several bands, `oversized` of them too large for any band, and statics.
fn world(oversized: usize) -> World {
    let mut state = 3u64;
    let mut random = |end: f32| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f32 / (1u32 << 24) as f32 * end
    };
    let centers: Vec<[f32; 2]> = (0..BODY_COUNT).map(|_| [random(110.0), random(110.0)]).collect();
    let half = |row: usize| if row.is_multiple_of(BODY_COUNT / oversized) { 9.0 } else { 0.5 };
    let half_extents: Vec<[f32; 2]> = (0..BODY_COUNT).map(|row| [half(row); 2]).collect();
    let config = WorldConfig::new().with_bound(0.5).with_parallel_threshold(0);
    let mut world = World::new(config).expect("valid settings");
    let walls = [[0.0f32, 20.0, 110.0, 21.0], [50.0, 0.0, 51.0, 110.0]];
    world.set_statics(&walls).expect("valid statics");
    world.step(Bodies::new(&centers, &half_extents)).expect("valid rows");
    world
}

fn pages(world: &World, sides: PairSides) -> PageChain<'_> {
    match sides {
        PairSides::Both => world.contacts().store.found.body_pages(),
        PairSides::First => world.contacts().store.found.static_pages(),
    }
}

fn tasks(world: &World, sides: PairSides) -> Vec<TaskPart> {
    let tasks = world.contacts().store.found.tasks().iter();
    match sides {
        PairSides::Both => tasks.map(|task| (task.body_pages.clone(), task.own_pairs)).collect(),
        PairSides::First => tasks.map(|task| (task.static_pages.clone(), usize::MAX)).collect(),
    }
}

fn schedule(world: &World, tasks: &[TaskPart], sides: PairSides) -> Schedule {
    let mut schedule = Schedule::default();
    // Debug builds check it.
    schedule.rebuild(pages(world, sides), tasks.iter().cloned(), sides, world.contacts().frame, true);
    schedule
}

/// All pairs of a schedule, sorted.
fn scheduled(world: &World, tasks: &[TaskPart], sides: PairSides) -> Vec<[u32; 2]> {
    let pairs = Mutex::new(Vec::new());
    let schedule = schedule(world, tasks, sides);
    schedule.run(pages(world, sides), true, |run: &[[u32; 2]]| pairs.lock().extend_from_slice(run));
    let mut pairs = pairs.into_inner();
    pairs.sort_unstable();
    pairs
}

#[test]
fn every_pair_is_scheduled_for_any_own_pairs() {
    // With many pairs across bands, which get colors, and with few.
    for world in [world(24), world(3)] {
        for sides in [PairSides::Both, PairSides::First] {
            let mut all: Vec<[u32; 2]> = pages(&world, sides).flatten().copied().collect();
            all.sort_unstable();
            assert!(all.len() > 100, "{}", all.len());
            let whole = tasks(&world, sides);
            let check = |tasks: &[TaskPart]| assert!(scheduled(&world, tasks, sides) == all);
            check(&whole);
            // Pages without a task at the end, at the front, in between, everywhere.
            check(&whole[..whole.len() / 2]);
            check(&whole[whole.len() / 2..]);
            check(&whole.iter().step_by(2).cloned().collect::<Vec<_>>());
            check(&[]);
            // Tasks that know none, or not all, of their own pairs.
            for (numerator, denominator) in [(0, 1), (2, 3)] {
                let fewer = |(pages, own): &TaskPart| (pages.clone(), own / denominator * numerator);
                check(&whole.iter().map(fewer).collect::<Vec<_>>());
            }
        }
    }
}

#[test]
fn cross_pairs_get_colors_if_they_are_many_and_in_long_runs() {
    let sides = PairSides::Both;
    let parallel_phases = |world: &World, tasks: &[TaskPart]| schedule(world, tasks, sides).parallel_phase_count();
    let (many, few) = (world(24), world(3));
    assert!(parallel_phases(&many, &tasks(&many, sides)) > 1);
    assert_eq!(parallel_phases(&few, &tasks(&few, sides)), 1);
    // Own pairs and pairs across bands, mixed up.
    let mixed = |world: &World| tasks(world, sides).into_iter().map(|(pages, _)| (pages, 0)).collect::<Vec<_>>();
    assert!(parallel_phases(&few, &mixed(&few)) > 0, "most pairs are a task's own");
}

#[cfg(debug_assertions)]
#[test]
#[should_panic(expected = "of one phase share row")]
fn debug_builds_detect_cross_pairs_declared_as_own() {
    let world = world(24);
    let all_own = |(pages, _): TaskPart| (pages, usize::MAX);
    let tasks: Vec<TaskPart> = tasks(&world, PairSides::Both).into_iter().map(all_own).collect();
    schedule(&world, &tasks, PairSides::Both);
}

#[test]
fn schedules_are_kept_until_pairs_change() {
    let mut world = world(24);
    let bytes = |world: &World| world.contacts().store.schedules.bytes();
    assert_eq!(bytes(&world), 0, "made only when used");
    let mut rows = vec![(); BODY_COUNT];
    world.contacts().par_for_each_pair_mut(&mut rows, |_, _, _| {}).expect("a column");
    let made = bytes(&world);
    assert!(made > BODY_COUNT && world.report().pair_bytes > made);
    // Reused for the next step.
    let corner = [[0.0f32, 0.0], [0.5, 0.0]];
    world.step(Bodies::uniform(&corner, [0.5, 0.5])).expect("valid rows");
    world.contacts().par_for_each_pair_mut(&mut rows, |_, _, _| {}).expect("a column");
    assert_eq!(bytes(&world), made);
    let floor = Aabb::new([0.0, 0.0], [1.0, 1.0]).expect("a box");
    world.set_statics(&[floor]).expect("valid statics");
    world.shrink_to_fit();
    let shrunk = bytes(&world);
    assert!(shrunk < made / 10, "{shrunk} of {made}");
    world.step(Bodies::uniform(&corner, [0.5, 0.5])).expect("valid rows");
    world.shrink_to_fit();
    assert_eq!(bytes(&world), 0);
}
