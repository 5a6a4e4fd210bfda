//! A shifted origin: queries and steps give what they would had the world always had the new
//! origin, and what does not depend on the origin is kept.

use triphase::geometry::RawAabb;
use triphase::{
    Bodies, ChangedRows, Circle, Column, Error, Filter, Hit, InvalidRows, Point, Statics, World, WorldConfig,
};
use triphase_scenes::{Scene, SceneName, SplitMix64};
use triphase_tests::query_oracle::{Probe, QueryOracle, check_snapshot, run_queries};
use triphase_tests::{
    Columns, ExpectedPairs, FoundPairs, LARGE_WORLD_KINDS, WorldSet, hits, large_world, sequential, world,
};

const SEED: u64 = 0x0419;

fn shifted(boxes: &[RawAabb], [x, y]: [f32; 2]) -> Vec<RawAabb> {
    boxes.iter().map(|b| [b[0] - x, b[1] - y, b[2] - x, b[3] - y]).collect()
}

/// Finite boxes.
fn walls(boxes: &[RawAabb]) -> Vec<RawAabb> {
    boxes.iter().map(|aabb| aabb.map(|edge| edge.clamp(-1e38, 1e38))).collect()
}

/// One static in five is disabled.
fn is_disabled(row: usize) -> bool {
    row % 5 == 2
}

fn disable_some(world: &mut World) {
    (0..world.statics().len()).filter(|&row| is_disabled(row)).for_each(|row| {
        world.set_static_enabled(row as u32, false).unwrap();
    });
}

/// The bodies and enabled statics.
fn known(columns: &Columns, statics: &[RawAabb]) -> QueryOracle {
    let ids: Vec<u64> = (0..statics.len() as u64).map(|row| row << 40).collect();
    let all =
        QueryOracle::default().with_bodies(&columns.boxes(), columns.ids.as_deref()).with_statics(statics, Some(&ids));
    all.only(&|hit| !matches!(hit, Hit::Static { row, .. } if is_disabled(row as usize)))
}

fn set_statics(world: &mut World, statics: &[RawAabb]) {
    let ids: Vec<u64> = (0..statics.len() as u64).map(|row| row << 40).collect();
    world.set_statics(Statics::new(statics).with_ids(&ids)).unwrap();
    disable_some(world);
}

/// Steps, shifts the origin several times, compares with brute force and with a world stepped
/// there, and steps again.
fn check(label: &str, config: WorldConfig, columns: &Columns, statics: &[RawAabb], origins: &[[f32; 2]]) {
    let mut worlds = WorldSet::new(config.clone());
    let mut random = SplitMix64::new(SEED);
    let contacts = worlds.each(|world| {
        set_statics(world, statics);
        FoundPairs::new(world.step(columns.bodies()).unwrap())
    });
    let mut here = Columns { ids: columns.ids.clone(), ..Columns::aabbs(columns.boxes()) };
    let mut statics_here = statics.to_vec();
    for &by in origins {
        worlds.each(|world| world.shift_origin(by)).unwrap_or_else(|error| panic!("{label}: {error}"));
        here = Columns { ids: here.ids.clone(), ..Columns::aabbs(shifted(&here.boxes(), by)) };
        statics_here = shifted(&statics_here, by);
        let mut there = world(config.clone().with_parallel_threshold(None));
        set_statics(&mut there, &statics_here);
        // Infinite edges are valid where they come from rounding, but not as input.
        let is_valid = there.step(here.bodies()).is_ok();
        let known = known(&here, &statics_here);
        for probe in Probe::random(known.boxes(), &mut random, 7) {
            let found = worlds.each(|world| run_queries(world.query(), &probe));
            known.check(&probe, &found).unwrap_or_else(|what| panic!("{label}, {by:?}: {what}"));
            assert!(
                !is_valid || found == run_queries(there.query(), &probe),
                "{label}, {by:?}: the order is that of a step"
            );
        }
        worlds.each(|world| {
            assert_eq!((world.step_number(), world.contacts().body_count()), (1, columns.len()));
            assert_eq!(FoundPairs::new(world.contacts()), contacts, "{label}: contacts are kept");
            assert!(
                (0..statics_here.len()).all(|row| world.statics().is_enabled(row as u32) == Some(!is_disabled(row)))
            );
            let report = world.report();
            assert_eq!(report.common_count() + report.oversized_count, columns.len(), "{label}: {report}");
            let (frame, mut random) = (world.reader().latest(), SplitMix64::new(SEED));
            Probe::random(known.boxes(), &mut random, 4).iter().for_each(|probe| check_snapshot(&frame, world, probe));
        });
    }
    let boxes = here.boxes();
    if boxes.iter().flatten().all(|edge| edge.is_finite()) {
        let found = worlds.each(|world| FoundPairs::new(world.step(here.bodies()).unwrap()));
        let expected_pairs = ExpectedPairs::new(&boxes, &statics_here).enabled(|row| !is_disabled(row));
        expected_pairs.compare(&found).unwrap_or_else(|what| panic!("{label}: {what}"));
    }
}

fn with_ids(columns: Columns) -> Columns {
    let ids = (0..columns.len() as u64).map(|row| row << 20 | 3).collect();
    Columns { ids: Some(ids), ..columns }
}

#[test]
fn shifted_scenes_match_brute_force() {
    for &name in SceneName::ALL {
        for count in [1, 300] {
            let scene = Scene::new(name, count, SEED);
            let columns = Columns::new(scene.centers.clone(), scene.half_extents.clone());
            let columns = with_ids(Columns { displacements: scene.displacements.clone(), ..columns });
            let [x, y, ..] = scene.world.map(|edge| edge.clamp(-1e6, 1e6));
            let label = format!("{name} of {count}");
            check(
                &label,
                WorldConfig::new(),
                &columns,
                &walls(&scene.statics),
                &[[x * 0.5 + 0.37, y - 1e4], [-3.0, 1e3]],
            );
        }
    }
}

#[test]
fn shifted_worlds_match_brute_force_with_any_settings() {
    let scene = Scene::new(SceneName::PowerLaw, 3000, SEED);
    let castles = Scene::new(SceneName::Castles, 1000, SEED);
    let columns = with_ids(Columns::new(scene.centers.clone(), scene.half_extents.clone()));
    let new = WorldConfig::new;
    for config in [
        new(),
        new().with_bound(0.5),
        new().with_bounds([0.1, 0.4, 3.0]),
        new().with_cell_size(2.0),
        new().with_pair_limit(1 << 20),
    ] {
        let label = format!("{config:?}");
        check(&label, config, &columns, &castles.statics, &[[1000.0, -77.25], [-1e5, 3.0], [0.0, 0.0]]);
    }
}

#[test]
fn shifted_bands_of_either_direction_match_brute_force() {
    for name in [SceneName::Beams, SceneName::BeamsUpright, SceneName::WideAndTall, SceneName::Cities] {
        let scene = Scene::new(name, 6000, SEED);
        let columns = with_ids(Columns::new(scene.centers.clone(), scene.half_extents.clone()));
        check(&name.to_string(), WorldConfig::new(), &columns, &[], &[[-555.0, 1234.5]]);
    }
}

#[test]
fn shift_to_a_far_origin_matches_brute_force_or_is_refused() {
    let origins = [[1e7, -3e9], [f32::MAX, 1e-40], [-f32::MAX, f32::MIN], [1e30, -1e30]];
    for kind in 0..LARGE_WORLD_KINDS {
        let columns = with_ids(large_world(150, kind, 3 * kind as u64 + 1));
        let statics: Vec<RawAabb> = walls(&large_world(60, kind, 40 + kind as u64).boxes());
        let statics: Vec<RawAabb> = statics.iter().map(|b| b.map(|edge| edge * 0.25)).collect();
        for by in origins {
            // A shift of statics beyond f32 is refused.
            let mut world = sequential();
            world.set_statics(&statics).unwrap();
            let result = world.shift_origin(by);
            let beyond = shifted(&statics, by).iter().position(|b| b.iter().any(|edge| edge.is_infinite()));
            match (&result, beyond) {
                (Ok(()), None) => {
                    check(&format!("{columns:?} from {by:?}"), WorldConfig::new(), &columns, &statics, &[by])
                }
                (Err(Error::InvalidStatic(bad)), Some(row)) => assert_eq!(bad.row as usize, row),
                other => panic!("{other:?}"),
            }
        }
    }
}

/// Everything that a caller can read from a world.
fn view(world: &World) -> (FoundPairs, u64, Vec<Hit>, Vec<Option<triphase::Aabb>>) {
    let all = triphase::Aabb::new([f32::MIN, f32::MIN], [f32::MAX, f32::MAX]).unwrap();
    let boxes = (0..world.statics().len() as u32).map(|row| world.statics().aabb(row)).collect();
    (FoundPairs::new(world.contacts()), world.step_number(), world.query_aabb(all).collect(), boxes)
}

#[test]
fn refused_shift_changes_nothing() {
    let statics = [[0.0f32, 0.0, 1.0, 1.0], [-3e38, 5.0, -2.9e38, 6.0], [2.0, 2.0, 3.0, 2.9e38]];
    let mut world = sequential();
    world.set_statics(&statics).unwrap();
    world.set_static_enabled(1, false).unwrap();
    world.step(Bodies::uniform(&[[0.5f32, 0.5], [0.9, 0.5]], [0.5, 0.5])).unwrap();
    let reader = world.reader();
    let before = view(&world);
    for (by, axis) in [([f32::NAN, 0.0], 0), ([0.0, f32::INFINITY], 1), ([f32::NEG_INFINITY, f32::NAN], 0)] {
        let error = world.shift_origin(by).unwrap_err();
        let Error::InvalidOrigin { axis: named, value } = error else { panic!("{error}") };
        assert!(named == axis && value.to_bits() == by[axis].to_bits());
        assert_eq!(view(&world), before);
    }
    for (by, row, column, axis) in [([1e38, 0.0], 1, Column::Min, 0), ([0.0, -1e38], 2, Column::Max, 1)] {
        let Err(Error::InvalidStatic(bad)) = world.shift_origin(by) else { panic!("{by:?}") };
        assert_eq!((bad.row, bad.column, bad.axis), (row, column, axis));
        assert!(bad.value.is_infinite());
        assert_eq!(view(&world), before);
        assert_eq!(reader.latest().statics().aabb(0), world.statics().aabb(0));
    }
    world.shift_origin([1.0, 0.0]).unwrap();
    assert_ne!(view(&world).3, before.3);
}

#[test]
fn shift_publishes_a_new_snapshot_and_keeps_old_ones() {
    let walls = [[0.0f32, 0.0, 4.0, 1.0], [8.0, 0.0, 9.0, 1.0]];
    let area = |x: f32| triphase::Aabb::new([x - 0.25, 0.0], [x + 0.25, 2.0]).unwrap();
    let mut world = sequential();
    let reader = world.reader();
    world.set_statics(&walls).unwrap();
    let bodies = Bodies::uniform(&[[2.0f32, 1.0], [100.0, 0.0]], [0.5, 0.5]).with_ids(&[7, 8]);
    world.step(bodies).unwrap();
    let held = reader.latest();
    // A disabled static, then another set: snapshots see them after the next step.
    for change in 0..3 {
        match change {
            1 => _ = world.set_static_enabled(0, false).unwrap(),
            2 => world.set_statics(&[[500.0f32, 0.0, 501.0, 1.0]]).unwrap(),
            _ => {}
        }
        world.shift_origin([1.0, 0.0]).unwrap();
        let by = (change + 1) as f32;
        let frame = reader.latest();
        assert_eq!(
            (frame.step_number(), frame.body_count(), frame.body_id(1), frame.statics().len()),
            (1, 2, Some(8), 2)
        );
        assert_eq!(frame.query_aabb(area(2.0 - by)).count(), 2, "the body, and the wall as it was in the step");
        assert_eq!(frame.query_aabb(area(3.75)).count(), 0);
        assert_eq!((held.query_aabb(area(2.0)).count(), held.query_aabb(area(3.75)).count()), (2, 1));
        assert_eq!(world.query_aabb(area(2.0 - by)).count(), 2 - change.min(1), "the world's are those of now");
        assert_eq!(world.query_aabb(area(500.0 - 1.0)).count(), usize::from(change == 2));
    }
    // The present set cannot be shifted so far.
    world.set_statics(&[[3e38f32, 0.0, 3e38, 0.0], [0.0; 4]]).unwrap();
    world.step(bodies).unwrap();
    let Err(Error::InvalidStatic(bad)) = world.shift_origin([-3e38, 0.0]) else { panic!() };
    assert_eq!((bad.row, bad.column), (0, Column::Min));
    assert_eq!(reader.latest().query_aabb(area(2.0)).count(), 1);
    world.set_statics(&[[1.0f32; 4]]).unwrap();
    world.shift_origin([-3e38, 0.0]).unwrap();
}

#[test]
fn rows_at_replaced_statics_count_as_changed_after_a_shift_that_these_do_not_survive() {
    let mut world = sequential();
    let bodies = Bodies::uniform(&[[0.5f32, 0.5], [1.0, 0.5]], [0.5, 0.5]);
    world.set_statics(&[[0.0, 0.0, f32::MAX, 1.0]]).unwrap();
    world.step_changed(bodies, ChangedRows::NONE).unwrap();
    world.set_statics(&[[0.0f32, 0.0, 1.0, 1.0]]).unwrap();
    world.shift_origin([-1e32, 0.0]).unwrap();
    let contacts = world.step_changed(bodies, ChangedRows::NONE).unwrap();
    assert_eq!((contacts.body_pairs().len(), contacts.changed_pairs().len()), (1, 1));
    assert_eq!(contacts.changed_static_pairs().len(), contacts.static_pairs().len());
}

#[test]
fn shift_keeps_skipped_rows_ids_and_filters() {
    let mut worlds = WorldSet::new(WorldConfig::new().with_invalid_rows(InvalidRows::Skip));
    let mut random = SplitMix64::new(SEED);
    let mut centers: Vec<[f32; 2]> = (0..3000).map(|_| random.point(0.0, 70.0)).collect();
    let half_extents: Vec<[f32; 2]> = (0..3000).map(|k| if k % 100 == 7 { [9.0, 4.0] } else { [0.5, 0.5] }).collect();
    let filters: Vec<Filter> = (0..3000).map(|k| Filter::new(1 << (k % 3), u32::MAX)).collect();
    let ids: Vec<u64> = (0..3000).map(|k| k << 33).collect();
    for row in [0, 17, 1500, 2999] {
        centers[row] = [f32::NAN, 0.0];
    }
    let all = triphase::Aabb::new([-1e6, -1e6], [1e6, 1e6]).unwrap();
    worlds.each(|world| {
        world.step(Bodies::new(&centers, &half_extents).with_filters(&filters).with_ids(&ids)).unwrap();
        let _reader = random.below(2).eq(&0).then(|| world.reader());
        let hits = |world: &World| {
            let mut hits: Vec<Hit> = world.query().in_layers(1 << 1).query_aabb(all).collect();
            hits.sort_unstable();
            hits
        };
        let before = hits(world);
        assert_eq!(before.len(), (1..3000).step_by(3).filter(|row| ![0, 17, 1500, 2999].contains(row)).count());
        world.shift_origin([30.0, 12.5]).unwrap();
        world.shift_origin([-1000.0, 0.0]).unwrap();
        assert_eq!(hits(world), before);
        assert_eq!(world.skipped_rows().iter().map(|bad| bad.row).collect::<Vec<_>>(), [0, 17, 1500, 2999]);
        assert_eq!(world.contacts().body_id(5), Some(5 << 33));
        let mut order = Vec::new();
        world.spatial_order(&mut order);
        order.sort_unstable();
        assert!(order.into_iter().eq(0..3000));
    });
}

#[test]
fn empty_world_can_be_shifted() {
    let mut world = sequential();
    world.shift_origin([5.0, 5.0]).unwrap();
    world.set_statics(&[[0.0f32, 0.0, 1.0, 1.0]]).unwrap();
    world.shift_origin(triphase::glam::Vec2::new(5.0, -0.0)).unwrap();
    assert_eq!(world.statics().aabb(0).unwrap().to_array(), [-5.0, 0.0, -4.0, 1.0]);
    assert_eq!((world.step_number(), world.reader().latest().statics().len()), (0, 0));
    world.set_statics(Statics::default()).unwrap();
    world.step(Bodies::from_aabbs::<RawAabb>(&[])).unwrap();
    world.shift_origin([5.0, 5.0]).unwrap();
    assert_eq!((world.step_number(), world.contacts().body_count()), (1, 0));
}

#[test]
fn changed_statics_are_shifted() {
    let mut world = sequential();
    let walls: Vec<RawAabb> = (0..200).map(|k| [k as f32 * 2.0, 0.0, k as f32 * 2.0 + 1.0, 1.0]).collect();
    world.set_statics(&walls).unwrap();
    let reader = world.reader();
    world.step(Bodies::uniform(&[[0.5f32, 0.5], [9.5, 5.5]], [0.5, 0.5])).unwrap();
    world.remove_statics(&[0, 7]).unwrap();
    world.replace_statics(&[3], &[[9.0f32, 5.0, 10.0, 6.0]]).unwrap();
    world.insert_statics(&[[0.0f32, 0.0, 0.25, 0.25]]).unwrap();
    world.shift_origin([4.0, 5.0]).unwrap();
    let pairs = world.step(Bodies::uniform(&[[-3.5f32, -4.5], [5.5, 0.5]], [0.5, 0.5])).unwrap().static_pairs();
    let mut pairs: Vec<(u32, u32)> = pairs.map(|pair| (pair.body, pair.static_row)).collect();
    pairs.sort_unstable();
    assert_eq!(pairs, [(0, 200), (1, 3)]);
    assert_eq!((world.statics().aabb(7), world.statics().is_enabled(7)), (None, None));
    assert_eq!(reader.latest().statics().aabb(3).unwrap().to_array(), [5.0, 0.0, 6.0, 1.0]);
}

#[test]
fn tracked_contacts_survive_a_shift() {
    let mut random = SplitMix64::new(SEED);
    // On a grid that is exact from both origins, so that no rounding ends a contact.
    let mut point = |to: f32| random.point(0.0, to).map(|v| (v * 16.0).round() / 16.0);
    let centers: Vec<[f32; 2]> = (0..2000).map(|_| point(40.0)).collect();
    let walls: Vec<RawAabb> = (0..60).map(|_| point(40.0)).map(|[x, y]| [x, y, x + 2.0, y + 1.0]).collect();
    let ids: Vec<u64> = (0..2000).map(|row| row * 3 + 1).collect();
    let by = [4096.0, -128.5];
    let moved: Vec<[f32; 2]> = centers.iter().map(|[x, y]| [x - by[0], y - by[1]]).collect();
    for with_ids in [true, false] {
        let mut worlds = WorldSet::new(WorldConfig::new().with_contact_tracking(true).with_partner_lists(true));
        worlds.each(|world| {
            let step = |world: &mut World, centers: &[[f32; 2]]| {
                let bodies = Bodies::uniform(centers, [0.5, 0.5]);
                world.step(if with_ids { bodies.with_ids(&ids) } else { bodies }).map(|_| ()).unwrap();
            };
            world.set_statics(&walls).unwrap();
            step(world, &centers);
            world.events_mut().unwrap().tracked().for_each(|(pair, value)| *value = pair.a ^ pair.b);
            let before = FoundPairs::new(world.contacts());
            world.shift_origin(by).unwrap();
            assert_eq!(
                world.contacts().events().unwrap().started().count(),
                before.bodies.len(),
                "the events are those of the step"
            );
            step(world, &moved);
            let contacts = world.contacts();
            let events = contacts.events().unwrap();
            assert_eq!((events.started().count(), events.ended().count()), (0, 0));
            assert_eq!((events.started_static().count(), events.ended_static().count()), (0, 0));
            assert!(!before.statics.is_empty() && events.persisting_static().count() == before.statics.len());
            assert_eq!(events.persisting().count(), before.bodies.len());
            assert!(events.persisting().all(|tracked| tracked.value == tracked.pair.a ^ tracked.pair.b));
        });
    }
}

#[test]
fn ended_contacts_keep_the_ids_of_statics_that_a_shift_does_not_survive() {
    for ids in [Some([9u64]), None] {
        let mut world = World::new(WorldConfig::new().with_contact_tracking(true)).unwrap();
        let far = [[0.0f32, 0.0, 1.0, 1.0], [3e38, 0.0, 3e38, 0.0]];
        world.set_statics(Statics::new(&far).with_ids(&[5, 6])).unwrap();
        world.step(Bodies::uniform(&[[0.5f32, 0.5]], [0.5, 0.5])).unwrap();
        world.step(Bodies::uniform(&[[50.0f32, 0.5]], [0.5, 0.5])).unwrap();
        let ended = |world: &World| -> Vec<u64> {
            world.contacts().events().unwrap().ended_static().map(|ended| ended.static_id).collect()
        };
        assert_eq!(ended(&world), [5]);
        let near = Statics::new(&far[..1]);
        world.set_statics(ids.as_ref().map_or(near, |ids| near.with_ids(ids))).unwrap();
        assert_eq!(ended(&world), [5]);
        world.shift_origin([-2e38, 0.0]).unwrap();
        assert_eq!(ended(&world), [5]);
    }
}

#[test]
fn shift_ignores_filters_of_older_steps() {
    let mut worlds = WorldSet::new(WorldConfig::new());
    let centers: Vec<[f32; 2]> = (0..300).map(|k| [k as f32 * 0.8, 0.0]).collect();
    let filters = [Filter::ALL, Filter::NONE].repeat(150);
    // The step before the last one has fewer rows, all with filters.
    for (rows, filtered) in [(40, true), (300, false), (40, true), (300, true)] {
        let bodies = Bodies::uniform(&centers[..rows], [0.5, 0.5]);
        let bodies = if filtered { bodies.with_filters(&filters[..rows]) } else { bodies };
        let pairs = worlds.each(|world| world.step(bodies).expect("a valid step").body_pairs().len());
        assert_eq!(pairs, if filtered { 0 } else { rows - 1 });
        worlds.each(|world| world.shift_origin([0.0, 0.0])).expect("a valid origin");
        worlds.each(|world| world.shift_origin([0.0, 0.0])).expect("a valid origin");
        assert_eq!(hits(worlds.world(), [0.0, 0.0, 1000.0, 0.0]).len(), rows);
    }
}

#[test]
fn boxes_shifted_to_infinity_are_found_by_distance() {
    let point = Point::new([0.0, 0.0]).unwrap();
    let mut world = sequential();
    world.step(Bodies::uniform(&[[5.0f32, -3e38]], [0.5, 0.5])).unwrap();
    world.shift_origin([0.0, 3e38]).unwrap();
    let body = Hit::Body { row: 0, id: None };
    assert_eq!(world.query().nearest(point).map(|found| (found.target, found.distance)), Some((body, f64::INFINITY)));
    let mut found = Vec::new();
    world.query().k_nearest(point, 3, &mut found);
    assert_eq!(found.len(), 1);
    let everywhere = Circle::new([0.0, 0.0], f32::INFINITY).unwrap();
    world.query().query_circle_sorted(everywhere, &mut found);
    assert_eq!((found.len(), world.query().query_circle(everywhere).count()), (1, 1));

    // On all four sides of a crowd of several bands, and of a few bodies.
    for crowd in [9, 4000] {
        let centers: Vec<[f32; 2]> = (0..crowd)
            .map(|row: usize| match row {
                0..8 => [[5.0, -3e38], [-3e38, 5.0], [3e38, -3e38], [3.0, 3e38]][row % 4],
                _ => [(row % 64) as f32, (row / 64) as f32],
            })
            .collect();
        for half_extents in [vec![[0.5f32, 0.5]; crowd], (0..crowd).map(|row| [0.5, [0.5, 40.0][row % 2]]).collect()] {
            let columns = with_ids(Columns::new(centers.clone(), half_extents));
            for origins in [[[3e38, 3e38], [0.0, 0.0]], [[-3e38, -3e38], [1e38, 0.0]], [[0.0, 3e38], [2e38, -3e38]]] {
                check(&format!("{crowd} around {origins:?}"), WorldConfig::new(), &columns, &[], &origins);
            }
        }
    }
}

#[test]
fn statics_that_were_replaced_do_not_limit_a_shift() {
    let by = [-2e38, 0.0];
    let far = [[3e38f32, 0.0, 3e38, 0.0]];
    let mut world = sequential();
    world.set_statics(&far).unwrap();
    world.step(Bodies::uniform(&[[0.5f32, 0.5]], [0.5, 0.5])).unwrap();
    world.set_statics(&[[0.0f32, 0.0, 1.0, 1.0]]).unwrap();

    let reader = world.reader();
    let snapshot = reader.latest();
    assert_eq!(snapshot.statics().aabb(0).unwrap().to_array(), far[0]);
    world.shift_origin(by).unwrap();
    assert_eq!(world.statics().aabb(0).unwrap().to_array(), [2e38, 0.0, 2e38, 1.0]);
    assert_eq!(snapshot.statics().aabb(0).unwrap().to_array(), far[0], "a snapshot stays as it was");
    assert_eq!(reader.latest().statics().aabb(0), world.statics().aabb(0), "the set of the step does not survive");
    assert_eq!(hits(&world, [1e38, 0.0, 3e38, 1.0]).len(), 2);
    world.step(Bodies::uniform(&[[2e38f32, 0.5]], [0.5, 0.5])).unwrap();
    assert_eq!(world.contacts().static_pairs().len(), 1);
}
