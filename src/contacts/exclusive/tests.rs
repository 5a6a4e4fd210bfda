//! What a schedule does with sections that tell less than they could, or what is wrong.

use crate::broad_phase::pairs::FoundBlocks;
use crate::contacts::exclusive::schedule::{Schedule, Section, Touched};
use crate::world::World;
use crate::{Aabb, Bodies, WorldConfig};
use parking_lot::Mutex;

/// Bodies in several bands, some of them oversized, and walls.
fn world() -> World {
    let mut state = 3u64;
    let mut random = |end: f32| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f32 / (1u32 << 24) as f32 * end
    };
    let centers: Vec<[f32; 2]> = (0..12_000).map(|_| [random(110.0), random(110.0)]).collect();
    let half_extents: Vec<[f32; 2]> = (0..12_000).map(|row| [if row % 500 == 0 { 9.0 } else { 0.5 }; 2]).collect();
    let mut world = World::new(WorldConfig::new().with_bound(0.5).with_parallel_threshold(0)).expect("good settings");
    let walls = [[0.0f32, 20.0, 110.0, 21.0], [50.0, 0.0, 51.0, 110.0]];
    world.set_statics(&walls).expect("good walls");
    world.step(Bodies::new(&centers, &half_extents)).expect("good rows");
    world
}

/// All pairs in the order of a schedule made of these sections.
fn scheduled(world: &World, sections: &[Section], touched: Touched) -> Vec<[u32; 2]> {
    let blocks = blocks(world, touched);
    let mut schedule = Schedule::default();
    schedule.make(blocks, sections, touched, world.frames.front(), true);
    let pairs = Mutex::new(Vec::new());
    schedule.run(blocks, true, |run: &[[u32; 2]]| pairs.lock().extend_from_slice(run));
    pairs.into_inner()
}

fn blocks(world: &World, touched: Touched) -> FoundBlocks<'_> {
    match touched {
        Touched::Both => world.found.all_bodies(),
        Touched::First => world.found.all_statics(),
    }
}

fn sorted(mut pairs: Vec<[u32; 2]>) -> Vec<[u32; 2]> {
    pairs.sort_unstable();
    pairs
}

#[test]
fn every_pair_is_scheduled_whatever_sections_tell() {
    let world = world();
    let whole = &world.found.sections;
    assert!(whole.iter().filter(|section| section.own_pairs > 0).count() > 3, "several bands");
    for touched in [Touched::Both, Touched::First] {
        let all = sorted(blocks(&world, touched).flat_map(|block| block.pairs()).copied().collect());
        assert!(all.len() > 100, "{}", all.len());
        // `make` checks in debug builds that groups of a phase share no row.
        let check = |sections: &[Section]| assert!(sorted(scheduled(&world, sections, touched)) == all);
        check(whole);
        // G5: at the end, at the front, in between, all.
        check(&whole[..whole.len() / 2]);
        check(&whole[whole.len() / 2..]);
        check(&whole.iter().step_by(2).cloned().collect::<Vec<_>>());
        check(&[]);
        // None of them known to be own, as where bands were taken apart; or not all.
        for (above, below) in [(0, 1), (2, 3)] {
            let less = |section: &Section| Section { own_pairs: section.own_pairs * above / below, ..section.clone() };
            check(&whole.iter().map(less).collect::<Vec<_>>());
        }
    }
}

#[cfg(debug_assertions)]
#[test]
#[should_panic(expected = "of one phase")]
fn pairs_that_are_not_own_are_found_out() {
    let world = world();
    let all_own = |section: &Section| Section { own_pairs: usize::MAX, ..section.clone() };
    scheduled(&world, &world.found.sections.iter().map(all_own).collect::<Vec<_>>(), Touched::Both);
}

#[test]
fn schedules_are_kept_until_the_pairs_change() {
    let mut world = world();
    let bytes = |world: &World| world.found.schedules.bytes();
    assert_eq!(bytes(&world), 0, "no one has asked");
    let mut rows = vec![(); 12_000];
    world.contacts().par_for_each_pair_mut(&mut rows, |_, _, _| {}).expect("a column");
    let made = bytes(&world);
    assert!(made > 12_000 && world.report().pair_bytes > made);
    // The memory is handed on, not doubled.
    let corner = [[0.0f32, 0.0], [0.5, 0.0]];
    world.step(Bodies::uniform(&corner, [0.5, 0.5])).expect("good rows");
    assert_eq!((bytes(&world), world.next_found.schedules.bytes()), (made, 0));
    world.contacts().par_for_each_pair_mut(&mut rows, |_, _, _| {}).expect("a column");
    assert_eq!(bytes(&world), made);
    world.set_statics(&[Aabb::new([0.0, 0.0], [1.0, 1.0]).expect("a box")]).expect("good statics");
    world.shrink_to_fit();
    assert!(bytes(&world) <= made);
    world.step(Bodies::uniform(&corner, [0.5, 0.5])).expect("good rows");
    world.shrink_to_fit();
    assert_eq!(bytes(&world), 0);
}
