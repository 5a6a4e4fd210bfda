//! Advice of reports: each kind on a world that is set badly in that way, none on any other.

use std::collections::VecDeque;
use triphase::{
    Advice, Bodies, ChangedRows, Error, Filter, InvalidRows, RestartCause, SingleThreadCause, World, WorldConfig,
};
use triphase_scenes::{Movers, Scene, SceneName, SplitMix64};
use triphase_tests::world;

/// Steps after which a habit is known.
const STEPS: usize = 16;

fn world_of(scene: &Scene, config: WorldConfig) -> World {
    let mut world = World::new(config).unwrap();
    world.set_statics(&scene.statics).unwrap();
    world
}

fn bodies(scene: &Scene) -> Bodies<'_> {
    let bodies = Bodies::new(&scene.centers, &scene.half_extents);
    scene.displacements.as_ref().map_or(bodies, |displacements| bodies.with_displacements(displacements))
}

/// Steps some frames of a scene, and returns the advice after the last.
fn advice_after(frames: usize, scene: &mut Scene, world: &mut World) -> Vec<Advice> {
    for _ in 0..frames {
        world.step(bodies(scene)).unwrap();
        scene.advance();
    }
    world.report().advice
}

/// Advice about a crowd with some settings.
fn crowd(config: WorldConfig) -> Vec<Advice> {
    let mut scene = Scene::new(SceneName::Crowd, 5_000, 7);
    let mut world = world_of(&scene, config);
    advice_after(2, &mut scene, &mut world)
}

#[test]
fn suitable_worlds_get_no_advice() {
    for &name in SceneName::ALL {
        let count = if name == SceneName::Coincident { 5_000 } else { 20_000 };
        for config in [WorldConfig::new(), WorldConfig::new().with_contact_tracking(true).with_margin(0.02)] {
            let mut scene = Scene::new(name, count, 7);
            let mut world = world_of(&scene, config);
            let advice = advice_after(STEPS + 2, &mut scene, &mut world);
            // The bodies of two scenes are smaller than the steps of their coordinates.
            if matches!(name, SceneName::TinyAndHuge | SceneName::Ulp) {
                assert!(matches!(advice[..], [Advice::CoarseCoordinates { .. }]), "{name}: {advice:?}");
            } else {
                assert_eq!(advice, [], "{name}");
            }
        }
    }
}

#[test]
fn suitable_calls_get_no_advice() {
    // Told which of few bodies move, marked as asleep where they do not, while doors open.
    for tells in [true, false] {
        let mut scene = Scene::new(SceneName::Castles, 20_000, 7);
        let mut movers = Movers::new(&scene, 100, false);
        let mut world = world_of(&scene, WorldConfig::new());
        let reader = world.reader();
        let mut drawn = VecDeque::new();
        for frame in 0..3 * STEPS {
            world.set_static_enabled(7, frame % 2 == 0).unwrap();
            movers.advance(&mut scene);
            let mut asleep = vec![true; scene.centers.len()];
            movers.rows.iter().for_each(|&row| asleep[row as usize] = false);
            if tells {
                world.step_changed(bodies(&scene), &movers.rows).unwrap();
            } else {
                world.step(bodies(&scene).with_asleep(&asleep)).unwrap();
            }
            drawn.push_front(reader.latest());
            drawn.truncate(3); // that of this step, and two earlier ones
            assert_eq!(world.report().advice, [], "tells {tells}, frame {frame}");
        }
    }
    // A level that is loaded again now and then, and a game that uses no threads on purpose, but is
    // small.
    let mut scene = Scene::new(SceneName::Castles, 20_000, 7);
    let mut world = world_of(&scene, WorldConfig::new().with_parallel_threshold(None));
    for _ in 0..8 {
        let statics = scene.statics.clone();
        world.set_statics(&statics).unwrap();
        assert_eq!(advice_after(4, &mut scene, &mut world), []);
    }
}

#[test]
fn bodies_in_too_many_bands_are_not_said_to_be_larger_than_the_bound() {
    const BEAMS_FROM: usize = 100_000;
    let mut random = SplitMix64::new(3);
    let mut body = |k: usize| {
        let half = if k < BEAMS_FROM { [0.5, 0.5] } else { [[160.0, 0.01], [0.01, 160.0]][k % 2] };
        (random.point(0.0, 360.0), half)
    };
    let (mut centers, mut half_extents): (Vec<_>, Vec<_>) = (0..120_000).map(&mut body).unzip();
    // So many beams would have too many pairs with each other.
    let filters: Vec<Filter> =
        (0..=centers.len()).map(|k| if k < BEAMS_FROM { Filter::ALL } else { Filter::NONE }).collect();
    let mut world = world(WorldConfig::new().with_bounds([0.5, 200.0]).with_parallel_threshold(None));
    let mut advice = |centers: &[[f32; 2]], half_extents: &[[f32; 2]]| {
        world.step(Bodies::new(centers, half_extents).with_filters(&filters[..centers.len()])).unwrap();
        let report = world.report();
        assert!(report.oversized_count * 20 > centers.len(), "{}", report.oversized_count);
        report.advice
    };
    let is_about_bounds = |advice: &Advice| matches!(advice, Advice::OversizedBodies { .. });
    assert!(!advice(&centers, &half_extents).iter().any(is_about_bounds));
    centers.push([0.0, 0.0]);
    half_extents.push([400.0, 0.1]);
    assert!(!advice(&centers, &half_extents).iter().any(is_about_bounds), "one is larger");
}

#[test]
fn oversized_bodies_are_advised_against() {
    let [Advice::OversizedBodies { oversized_count, body_count: 5_000, bound: 0.1, half_extent_max }] =
        crowd(WorldConfig::new().with_bound(0.1))[..]
    else {
        panic!("all bodies are oversized")
    };
    assert!(oversized_count == 5_000 && (0.49..0.51).contains(&half_extent_max), "{half_extent_max}");
    let advice = crowd(WorldConfig::new().with_bound(0.1))[0].to_string();
    assert_eq!(
        advice,
        "5000 of 5000 bodies (100 %) are larger than the largest bound, 0.1, so they are in the slower double grid. \
         Leave WorldConfig::with_bound out, or pass bounds up to 0.500, the largest half-extent."
    );
    assert_eq!(crowd(WorldConfig::new().with_bound(half_extent_max)), [], "what is advised helps");
}

#[test]
fn large_cells_are_advised_against() {
    for config in [WorldConfig::new(), WorldConfig::new().with_bound(40.0)] {
        let advice = crowd(config.clone().with_cell_size(1e6));
        let [Advice::LargeCellSize { cell_size: 1e6, body_count: 5_000, crowding }] = advice[..] else {
            panic!("{advice:?}")
        };
        assert!(crowding > 1_000.0, "everything is in one cell of each band: {crowding}");
        assert!(advice[0].to_string().contains("with_cell_size out, or pass about "), "{}", advice[0]);
        assert_eq!(crowd(config.with_cell_size(2.0)), []);
    }
}

#[test]
fn large_bound_is_advised_against() {
    // One large body in the grid makes cells as high as it is, and a hundredth as wide, for all.
    let mut centers: Vec<[f32; 2]> = (0..5_000).map(|k| [(k % 70) as f32 * 0.5, (k / 70) as f32 * 0.5]).collect();
    let mut half_extents = vec![[0.1f32, 0.1]; 5_000];
    (centers[0], half_extents[0]) = ([17.0, -100.0], [39.0, 39.0]);
    let advice = |config| {
        let mut world = World::new(config).unwrap();
        world.step(Bodies::new(&centers, &half_extents)).unwrap();
        world.report().advice
    };
    let large = advice(WorldConfig::new().with_bound(40.0));
    let [Advice::LargeBound { bound: 40.0, body_count: 5_000, crowding }] = large[..] else { panic!("{large:?}") };
    assert!(crowding > 30.0, "two to a cell would do: {crowding}");
    assert_eq!(
        large[0].to_string(),
        format!(
            "5000 bodies are in a grid whose cells have room for the bound 40, {crowding:.0} to a cell. Leave \
             WorldConfig::with_bound out, or pass a smaller bound too, by with_bounds."
        )
    );
    assert_eq!(advice(WorldConfig::new().with_bounds([0.1, 40.0])), []);
    assert_eq!(advice(WorldConfig::new()), []);
}

#[test]
fn statics_that_are_set_in_each_frame_are_advised_against() {
    for (moving, remedy) in [(0, "Set them once"), (3, "World::replace_statics"), (700, "as bodies instead")] {
        let mut scene = Scene::new(SceneName::Castles, 5_000, 7);
        let mut world = world_of(&scene, WorldConfig::new());
        let mut advice = Vec::new();
        for frame in 0..STEPS {
            scene.statics[..moving].iter_mut().for_each(|aabb| aabb[2] += 0.25);
            world.set_statics(&scene.statics).unwrap();
            advice = advice_after(1, &mut scene, &mut world);
            assert_eq!(advice.is_empty(), frame < STEPS / 2 - 1, "frame {frame}: {advice:?}");
        }
        let expected = Advice::StaticsSetAgain { step_count: STEPS, static_count: 1_000, changed_count: moving };
        assert_eq!(advice, [expected]);
        assert!(advice[0].to_string().contains(remedy), "{}", advice[0]);
        // Once they are kept, there is nothing to advise.
        assert_eq!(advice_after(STEPS, &mut scene, &mut world), []);
    }
}

#[test]
fn bodies_far_from_the_origin_are_advised_to_be_near_it() {
    let advice_at = |at: f32, half: f32| {
        let centers: Vec<[f32; 2]> = (0..200).map(|k| [at + k as f32, -at]).collect();
        let mut world = World::default();
        world.step(Bodies::uniform(&centers, [half, half])).unwrap();
        world.report().advice
    };
    for (at, half) in [(0.0, 0.5), (1e6, 0.5), (1e7, 10.0), (1e6, 0.0), (3e38, 1e38)] {
        assert_eq!(advice_at(at, half), [], "{at} {half}");
    }
    // The last ones have lost their size.
    for (at, half, spacing) in [(3e6, 0.5, 0.25), (1e7, 0.25, 1.0), (1e30, 0.5, 7.5557864e22)] {
        let advice = advice_at(at, half);
        let [Advice::CoarseCoordinates { coordinate, spacing: found }] = advice[..] else { panic!("{at}: {advice:?}") };
        assert!((at..=at + 200.0).contains(&coordinate) && found == spacing, "{at}: {coordinate} {found}");
        assert!(advice[0].to_string().contains("World::shift_origin"), "{}", advice[0]);
    }
    // A single one far away is not worth it.
    let mut centers: Vec<[f32; 2]> = (0..200).map(|k| [k as f32, 0.0]).collect();
    centers[7] = [1e7, 0.0];
    let mut world = World::default();
    world.step(Bodies::uniform(&centers, [0.5, 0.5])).unwrap();
    assert_eq!(world.report().advice, []);
}

#[test]
fn rows_of_removed_statics_are_to_be_used_again() {
    let wall = [[0.0f32, 0.0, 1.0, 9.0]];
    let mut world = World::default();
    world.set_statics(&wall).unwrap();
    // A wall is built and burns, again and again.
    for frame in 0..256 {
        assert_eq!(world.report().advice, [], "frame {frame}");
        let rows = world.insert_statics(&wall).unwrap();
        world.remove_statics(&[rows.start, rows.start]).unwrap();
    }
    let report = world.report();
    assert_eq!((report.static_count, report.static_removed_count), (257, 256));
    assert_eq!(report.advice, [Advice::RemovedStatics { row_count: 257, removed_count: 256 }]);
    assert!(report.to_string().contains("; 256 of these rows have no static\n"), "{report}");
    assert!(report.advice[0].to_string().contains("World::replace_statics"), "{}", report.advice[0]);

    let rows: Vec<u32> = (1..200).collect();
    world.replace_statics(&rows, &[wall[0]; 199]).unwrap();
    assert_eq!((world.report().static_removed_count, world.report().advice), (57, vec![]));
    assert!(!World::default().report().to_string().contains("a body,"), "there is none");
}

#[test]
fn naming_many_changed_rows_is_advised_against() {
    let mut scene = Scene::new(SceneName::Crowd, 5_000, 7);
    let mut world = World::default();
    let all: Vec<u32> = (0..5_000).collect();
    for _ in 0..STEPS {
        world.step_changed(bodies(&scene), &all).unwrap();
        scene.advance();
    }
    let advice = world.report().advice;
    // The first step has nothing to compare with.
    let expected = Advice::ManyChangedRows { step_count: STEPS - 1, changed_count: 5_000, body_count: 5_000 };
    assert_eq!(advice, [expected]);
    assert!(advice[0].to_string().ends_with("Call World::step instead, or name only rows whose columns changed."));
    assert_eq!(advice_after(1, &mut scene, &mut world), [], "a world that calls `step` follows the advice");
}

#[test]
fn steps_that_start_again_are_advised_against() {
    let cause = |spoil: &mut dyn FnMut(&mut World, &mut Scene, usize) -> Result<(), Error>, config: WorldConfig| {
        let mut scene = Scene::new(SceneName::Castles, 5_000, 7);
        let mut world = world_of(&scene, config);
        world.step_changed(bodies(&scene), ChangedRows::NONE).unwrap();
        for frame in 0..STEPS {
            spoil(&mut world, &mut scene, frame).unwrap();
            if !matches!(world.report().advice[..], [] | [Advice::RestartedSteps { .. }]) {
                panic!("{}", world.report());
            }
        }
        let advice = world.report().advice;
        let [Advice::RestartedSteps { step_count, cause }] = advice[..] else { panic!("{advice:?}") };
        assert!(step_count >= STEPS / 4 && advice[0].to_string().contains("three times as long"), "{advice:?}");
        cause
    };
    let step_between = &mut |world: &mut World, scene: &mut Scene, _| {
        world.step(bodies(scene))?;
        world.step_changed(bodies(scene), ChangedRows::NONE).map(drop)
    };
    assert_eq!(cause(step_between, WorldConfig::new()), RestartCause::FullStep);
    let shift = &mut |world: &mut World, scene: &mut Scene, frame: usize| {
        let by = if frame.is_multiple_of(2) { 8.0 } else { -8.0 };
        world.shift_origin([by, 0.0])?;
        scene.centers.iter_mut().for_each(|center| center[0] -= by);
        world.step_changed(bodies(scene), ChangedRows::NONE).map(drop)
    };
    assert_eq!(cause(shift, WorldConfig::new()), RestartCause::ShiftedOrigin);
    let set_statics = &mut |world: &mut World, scene: &mut Scene, frame: usize| {
        if frame.is_multiple_of(3) {
            world.set_statics(&scene.statics)?;
        }
        world.step_changed(bodies(scene), ChangedRows::NONE).map(drop)
    };
    assert_eq!(cause(set_statics, WorldConfig::new()), RestartCause::Statics);
    let skip = &mut |world: &mut World, scene: &mut Scene, _| {
        scene.centers[3][0] = f32::NAN;
        world.step_changed(bodies(scene), &[3]).map(drop)
    };
    let skipping = WorldConfig::new().with_invalid_rows(InvalidRows::Skip);
    assert_eq!(cause(skip, skipping), RestartCause::SkippedRow);
    let columns = &mut |world: &mut World, scene: &mut Scene, frame: usize| {
        let bodies = bodies(scene);
        let bodies = if frame.is_multiple_of(2) { bodies.with_ids(&scene.ids) } else { bodies };
        world.step_changed(bodies, ChangedRows::NONE).map(drop)
    };
    assert_eq!(cause(columns, WorldConfig::new()), RestartCause::Columns);
}

#[test]
fn marking_moving_bodies_as_asleep_is_advised_against() {
    let mut scene = Scene::new(SceneName::Crowd, 5_000, 7);
    let mut world = World::default();
    let asleep = vec![true; 5_000];
    let mut advice = Vec::new();
    for _ in 0..STEPS {
        world.step(bodies(&scene).with_asleep(&asleep)).unwrap();
        scene.advance();
        advice = world.report().advice;
    }
    let [Advice::MovingSleepers { marked_count: 5_000, moved_count }] = advice[..] else { panic!("{advice:?}") };
    assert!(moved_count > 4_500, "{moved_count}");
    assert!(advice[0].to_string().starts_with(&format!("{moved_count} of 5000 bodies that Bodies::with_asleep marks")));
    assert_eq!(advice_after(1, &mut scene, &mut world), [], "without marks");
}

#[test]
fn near_pair_limit_is_advised_against() {
    let scene = Scene::new(SceneName::Crowd, 500, 7);
    let pairs = World::default().step(bodies(&scene)).unwrap().body_pairs().len();
    for (pair_limit, is_near) in [(pairs, true), (pairs + pairs / 10, true), (pairs + pairs / 5, false)] {
        let mut world = World::new(WorldConfig::new().with_pair_limit(pair_limit)).unwrap();
        world.step(bodies(&scene)).unwrap();
        let advice = world.report().advice;
        let expected = is_near.then_some(Advice::NearPairLimit { pair_count: pairs, pair_limit });
        assert_eq!(advice, expected.into_iter().collect::<Vec<_>>());
    }
}

#[test]
fn large_margin_is_advised_against() {
    // Each body meets its neighbors once, and then stays just too far away to overlap them.
    let mut world = World::new(WorldConfig::new().with_contact_tracking(true).with_margin(5.0)).unwrap();
    for side in [0.6f32, 0.1] {
        let centers: Vec<[f32; 2]> = (0..5_000).map(|k| [k as f32, 0.0]).collect();
        world.step(Bodies::uniform(&centers, [side, side])).unwrap();
    }
    let advice = world.report().advice;
    assert_eq!(advice, [Advice::LargeMargin { margin: 5.0, contact_count: 4_999, pair_count: 0 }]);
    assert!(advice[0].to_string().contains("Make WorldConfig::with_margin smaller than 5"), "{}", advice[0]);
}

#[test]
fn kept_snapshots_are_advised_against() {
    let mut scene = Scene::new(SceneName::Crowd, 5_000, 7);
    let mut world = World::default();
    let reader = world.reader();
    let mut kept = Vec::new();
    for count in 0..6 {
        let advice = advice_after(1, &mut scene, &mut world);
        kept.push(reader.latest());
        match advice[..] {
            [] => assert!(count <= 2, "{count}"),
            [Advice::KeptSnapshots { step_count, bytes }] => {
                assert!(step_count == count && step_count > 2, "{step_count}, {count}");
                assert!(bytes / step_count > 5_000 * 20 && bytes / step_count < 5_000 * 80, "{bytes}");
            }
            _ => panic!("{advice:?}"),
        }
    }
    kept.clear();
    assert_eq!(advice_after(1, &mut scene, &mut world), []);
}

#[test]
fn steps_on_one_thread_are_advised_against() {
    let available = std::thread::available_parallelism().map_or(1, usize::from);
    let cause = |config: WorldConfig, count| {
        let mut scene = Scene::new(SceneName::Crowd, count, 7);
        let mut world = world_of(&scene, config);
        let advice = advice_after(1, &mut scene, &mut world);
        match advice[..] {
            [] => None,
            [Advice::SingleThread { body_count, available_count, cause }] => {
                assert_eq!((body_count, available_count), (count, available));
                assert!(advice[0].to_string().starts_with(&format!("A step of {count} bodies ran on one of ")));
                Some(cause)
            }
            _ => panic!("{advice:?}"),
        }
    };
    if available == 1 {
        return assert_eq!(cause(WorldConfig::new().with_parallel_threshold(None), 40_000), None);
    }
    assert_eq!(cause(WorldConfig::new().with_parallel_threshold(None), 20_000), None, "a short step");
    #[cfg(not(feature = "parallel"))]
    assert_eq!(cause(WorldConfig::new(), 40_000), Some(SingleThreadCause::Feature));
    #[cfg(feature = "parallel")]
    {
        let [one, two, _] = triphase_tests::pools() else { panic!("three pools") };
        let none = WorldConfig::new().with_parallel_threshold(None);
        assert_eq!(cause(none, 40_000), Some(SingleThreadCause::Threshold(None)));
        let high = WorldConfig::new().with_parallel_threshold(50_000);
        assert_eq!(cause(high, 40_000), Some(SingleThreadCause::Threshold(Some(50_000))));
        assert_eq!(one.install(|| cause(WorldConfig::new(), 40_000)), Some(SingleThreadCause::Pool));
        assert_eq!(two.install(|| cause(WorldConfig::new(), 40_000)), None);
    }
}
