//! The origin of coordinates, moved: questions and steps answer as if everything had always been seen from there, and what does
//! not depend on the origin stays.

mod common;

use common::counting::{ALLOCATIONS, Counting, Watch};
use common::questions::{Known, Probe, answers, check_frame};
use common::{Columns, Fleet, Found, KINDS, Random, Truth, drawn, hits, sequential, world};
use std::sync::atomic::Ordering::SeqCst;
use triphase::geometry::RawAabb;
use triphase::{Bodies, Circle, Column, Error, Filter, Hit, InvalidRows, Point, Statics, World, WorldConfig};
use triphase_scenes::{Scene, SceneName};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const SEED: u64 = 0x0419;

fn shifted(boxes: &[RawAabb], [x, y]: [f32; 2]) -> Vec<RawAabb> {
    boxes.iter().map(|b| [b[0] - x, b[1] - y, b[2] - x, b[3] - y]).collect()
}

/// Finite boxes.
fn walls(boxes: &[RawAabb]) -> Vec<RawAabb> {
    boxes.iter().map(|aabb| aabb.map(|edge| edge.clamp(-1e38, 1e38))).collect()
}

/// A door in five is open.
fn is_open(row: usize) -> bool {
    row % 5 == 2
}

fn open_doors(world: &mut World) {
    (0..world.statics().len()).filter(|&row| is_open(row)).for_each(|row| {
        world.set_static_enabled(row as u32, false).unwrap();
    });
}

/// What can be found.
fn known(columns: &Columns, statics: &[RawAabb]) -> Known {
    let ids: Vec<u64> = (0..statics.len() as u64).map(|row| row << 40).collect();
    let all = Known::default().with_bodies(&columns.boxes(), columns.ids.as_deref()).with_statics(statics, Some(&ids));
    all.only(|hit| !matches!(hit, Hit::Static { row, .. } if is_open(row as usize)))
}

fn set_statics(world: &mut World, statics: &[RawAabb]) {
    let ids: Vec<u64> = (0..statics.len() as u64).map(|row| row << 40).collect();
    world.set_statics(Statics::new(statics).with_ids(&ids)).unwrap();
    open_doors(world);
}

/// Steps, moves the origin again and again, compares with brute force and with a world that has always been there, and steps.
fn check(label: &str, config: WorldConfig, columns: &Columns, statics: &[RawAabb], origins: &[[f32; 2]]) {
    let mut fleet = Fleet::new(config.clone());
    let mut random = Random::new(SEED);
    let contacts = fleet.each(|world| {
        set_statics(world, statics);
        Found::new(world.step(columns.bodies()).unwrap())
    });
    let mut here = Columns { ids: columns.ids.clone(), ..Columns::aabbs(columns.boxes()) };
    let mut static_row = statics.to_vec();
    for &by in origins {
        fleet.each(|world| world.shift_origin(by)).unwrap_or_else(|error| panic!("{label}: {error}"));
        here = Columns { ids: here.ids.clone(), ..Columns::aabbs(shifted(&here.boxes(), by)) };
        static_row = shifted(&static_row, by);
        let mut native = world(config.clone().with_parallel_threshold(None));
        set_statics(&mut native, &static_row);
        // Edges beyond f32 are fine where they come from rounding, and are refused where they are given.
        let given = native.step(here.bodies()).is_ok();
        let known = known(&here, &static_row);
        for probe in Probe::some(known.boxes(), &mut random, 7) {
            let found = fleet.each(|world| answers(world.query(), &probe));
            known.check(&probe, &found).unwrap_or_else(|what| panic!("{label}, {by:?}: {what}"));
            assert!(!given || found == answers(native.query(), &probe), "{label}, {by:?}: the order is that of a step");
        }
        fleet.each(|world| {
            assert_eq!((world.step_number(), world.contacts().body_count()), (1, columns.len()));
            assert_eq!(Found::new(world.contacts()), contacts, "{label}: contacts stand");
            assert!((0..static_row.len()).all(|row| world.statics().is_enabled(row as u32) == Some(!is_open(row))));
            let report = world.report();
            assert_eq!(report.common_count() + report.oversized_count, columns.len(), "{label}: {report}");
            let (frame, mut random) = (world.reader().latest(), Random::new(SEED));
            Probe::some(known.boxes(), &mut random, 4).iter().for_each(|probe| check_frame(&frame, world, probe));
        });
    }
    let boxes = here.boxes();
    if boxes.iter().flatten().all(|edge| edge.is_finite()) {
        let found = fleet.each(|world| Found::new(world.step(here.bodies()).unwrap()));
        let truth = Truth::new(&boxes, &static_row, |row| !is_open(row));
        truth.compare(&found).unwrap_or_else(|what| panic!("{label}: {what}"));
    }
}

fn with_ids(columns: Columns) -> Columns {
    let ids = (0..columns.len() as u64).map(|row| row << 20 | 3).collect();
    Columns { ids: Some(ids), ..columns }
}

#[test]
fn every_scene() {
    for &name in SceneName::ALL {
        for count in [1, 700] {
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
fn many_bodies_and_all_settings() {
    let scene = Scene::new(SceneName::PowerLaw, 6000, SEED);
    let castles = Scene::new(SceneName::Castles, 2000, SEED);
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
fn bands_that_divide_x_and_bands_that_divide_y() {
    for name in [SceneName::Beams, SceneName::BeamsUpright, SceneName::WideAndTall, SceneName::Cities] {
        let scene = Scene::new(name, 6000, SEED);
        let columns = with_ids(Columns::new(scene.centers.clone(), scene.half_extents.clone()));
        check(&name.to_string(), WorldConfig::new(), &columns, &[], &[[-555.0, 1234.5]]);
    }
}

#[test]
fn far_origins_and_every_kind_of_coordinates() {
    let origins = [[1e7, -3e9], [f32::MAX, 1e-40], [-f32::MAX, f32::MIN], [1e30, -1e30]];
    for kind in 0..KINDS {
        let columns = with_ids(drawn(300, kind, 3 * kind as u64 + 1));
        let static_row: Vec<RawAabb> = walls(&drawn(60, kind, 40 + kind as u64).boxes());
        let static_row: Vec<RawAabb> = static_row.iter().map(|b| b.map(|edge| edge * 0.25)).collect();
        for by in origins {
            // What would be beyond f32 is refused, and then all stays.
            let mut world = sequential();
            world.set_statics(&static_row).unwrap();
            let result = world.shift_origin(by);
            let beyond = shifted(&static_row, by).iter().position(|b| b.iter().any(|edge| edge.is_infinite()));
            match (&result, beyond) {
                (Ok(()), None) => {
                    check(&format!("{columns:?} from {by:?}"), WorldConfig::new(), &columns, &static_row, &[by])
                }
                (Err(Error::InvalidStatic(bad)), Some(row)) => assert_eq!(bad.row as usize, row),
                other => panic!("{other:?}"),
            }
        }
    }
}

/// All that a caller can read of a world.
fn view(world: &World) -> (Found, u64, Vec<Hit>, Vec<Option<triphase::Aabb>>) {
    let all = triphase::Aabb::new([f32::MIN, f32::MIN], [f32::MAX, f32::MAX]).unwrap();
    let boxes = (0..world.statics().len() as u32).map(|row| world.statics().aabb(row)).collect();
    (Found::new(world.contacts()), world.step_number(), world.query_aabb(all).collect(), boxes)
}

#[test]
fn a_refused_shift_changes_nothing() {
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
        assert!(error.to_string().contains(&format!("{} is {}", ["x", "y"][axis], by[axis])), "{error}");
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
fn readers_are_shown_the_step_from_its_new_origin_and_snapshots_stay() {
    let walls = [[0.0f32, 0.0, 4.0, 1.0], [8.0, 0.0, 9.0, 1.0]];
    let area = |x: f32| triphase::Aabb::new([x - 0.25, 0.0], [x + 0.25, 2.0]).unwrap();
    let mut world = sequential();
    let reader = world.reader();
    world.set_statics(&walls).unwrap();
    let bodies = Bodies::uniform(&[[2.0f32, 1.0], [100.0, 0.0]], [0.5, 0.5]).with_ids(&[7, 8]);
    world.step(bodies).unwrap();
    let held = reader.latest();
    // A door, and then another set, that the next step will show.
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
    // The set that readers are still shown cannot be moved so far.
    world.set_statics(&[[0.0f32; 4]]).unwrap();
    world.step(bodies).unwrap();
    world.set_statics(&[[3e38f32, 0.0, 3e38, 0.0], [0.0; 4]]).unwrap();
    world.step(bodies).unwrap();
    world.set_statics(&[[1.0f32; 4]]).unwrap();
    let Err(Error::InvalidStatic(bad)) = world.shift_origin([-3e38, 0.0]) else { panic!() };
    assert_eq!((bad.row, bad.column), (0, Column::Min));
    assert_eq!(reader.latest().query_aabb(area(2.0)).count(), 1);
    world.step(bodies).unwrap();
    world.shift_origin([-3e38, 0.0]).unwrap();
}

#[test]
fn skipped_rows_ids_and_filters_stay() {
    let mut fleet = Fleet::new(WorldConfig::new().with_invalid_rows(InvalidRows::Skip));
    let mut random = Random::new(SEED);
    let mut centers: Vec<[f32; 2]> = (0..3000).map(|_| random.point(0.0, 70.0)).collect();
    let half_extents: Vec<[f32; 2]> = (0..3000).map(|k| if k % 100 == 7 { [9.0, 4.0] } else { [0.5, 0.5] }).collect();
    let filters: Vec<Filter> = (0..3000).map(|k| Filter::new(1 << (k % 3), u32::MAX)).collect();
    let ids: Vec<u64> = (0..3000).map(|k| k << 33).collect();
    for row in [0, 17, 1500, 2999] {
        centers[row] = [f32::NAN, 0.0];
    }
    let all = triphase::Aabb::new([-1e6, -1e6], [1e6, 1e6]).unwrap();
    fleet.each(|world| {
        world.step(Bodies::new(&centers, &half_extents).with_filters(&filters).with_ids(&ids)).unwrap();
        let _reader = random.index(2).eq(&0).then(|| world.reader());
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
fn a_world_without_steps_or_bodies_or_statics_can_be_shifted() {
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
fn steps_allocate_nothing_after_a_shift_that_would_not_have_before() {
    let _watch = Watch::start();
    let mut scene = Scene::new(SceneName::Castles, 3000, SEED);
    let film: Vec<Scene> = std::iter::repeat_with(|| (scene.advance(), scene.clone()).1).take(6).collect();
    let mut world = sequential();
    world.set_statics(&scene.statics).unwrap();
    let roll = |world: &mut World| {
        let before = ALLOCATIONS.load(SeqCst);
        for scene in &film {
            world.step(Bodies::new(&scene.centers, &scene.half_extents).with_ids(&scene.ids)).unwrap();
        }
        ALLOCATIONS.load(SeqCst) - before
    };
    (0..2).for_each(|_| _ = roll(&mut world));
    assert_eq!(roll(&mut world), 0);
    // There and back, exactly: the statics are on a grid.
    world.shift_origin([1024.0, 0.0]).unwrap();
    world.shift_origin([-1024.0, 0.0]).unwrap();
    roll(&mut world);
    assert_eq!(roll(&mut world), 0);
}

#[test]
fn contacts_that_are_tracked_go_on() {
    let mut random = Random::new(SEED);
    // On a grid that f32 knows from both origins, so that no rounding ends a contact.
    let mut point = |to: f32| random.point(0.0, to).map(|v| (v * 16.0).round() / 16.0);
    let centers: Vec<[f32; 2]> = (0..2000).map(|_| point(40.0)).collect();
    let walls: Vec<RawAabb> = (0..60).map(|_| point(40.0)).map(|[x, y]| [x, y, x + 2.0, y + 1.0]).collect();
    let ids: Vec<u64> = (0..2000).map(|row| row * 3 + 1).collect();
    let by = [4096.0, -128.5];
    let moved: Vec<[f32; 2]> = centers.iter().map(|[x, y]| [x - by[0], y - by[1]]).collect();
    for with_ids in [true, false] {
        let mut fleet = Fleet::new(WorldConfig::new().with_contact_tracking(true).with_partner_lists(true));
        fleet.each(|world| {
            let step = |world: &mut World, centers: &[[f32; 2]]| {
                let bodies = Bodies::uniform(centers, [0.5, 0.5]);
                world.step(if with_ids { bodies.with_ids(&ids) } else { bodies }).map(|_| ()).unwrap();
            };
            world.set_statics(&walls).unwrap();
            step(world, &centers);
            world.tracked_mut().for_each(|(pair, value)| *value = pair.a ^ pair.b);
            let before = Found::new(world.contacts());
            world.shift_origin(by).unwrap();
            assert_eq!(world.contacts().started().count(), before.body.len(), "those of the step stand");
            step(world, &moved);
            let contacts = world.contacts();
            assert_eq!((contacts.started().count(), contacts.ended().count()), (0, 0));
            assert_eq!((contacts.started_statics().count(), contacts.ended_statics().count()), (0, 0));
            assert!(!before.static_row.is_empty() && contacts.persisting_statics().count() == before.static_row.len());
            assert_eq!(contacts.persisting().count(), before.body.len());
            assert!(contacts.persisting().all(|tracked| tracked.value == tracked.pair.a ^ tracked.pair.b));
        });
    }
}

#[test]
fn a_shift_takes_no_filters_of_older_steps() {
    let mut fleet = Fleet::new(WorldConfig::new());
    let centers: Vec<[f32; 2]> = (0..300).map(|k| [k as f32 * 0.8, 0.0]).collect();
    let filters = [Filter::ALL, Filter::NONE].repeat(150);
    // The last frame but one has fewer rows, all with filters.
    for (rows, filtered) in [(40, true), (300, false), (40, true), (300, true)] {
        let bodies = Bodies::uniform(&centers[..rows], [0.5, 0.5]);
        let bodies = if filtered { bodies.with_filters(&filters[..rows]) } else { bodies };
        let pairs = fleet.each(|world| world.step(bodies).expect("a good step").body_pairs().len());
        assert_eq!(pairs, if filtered { 0 } else { rows - 1 });
        fleet.each(|world| world.shift_origin([0.0, 0.0])).expect("a good origin");
        fleet.each(|world| world.shift_origin([0.0, 0.0])).expect("a good origin");
        assert_eq!(hits(fleet.world(), [0.0, 0.0, 1000.0, 0.0]).len(), rows);
    }
}

#[test]
fn nearest_finds_boxes_that_a_shift_moved_to_infinity() {
    let point = Point::new([0.0, 0.0]).unwrap();
    let mut world = sequential();
    world.step(Bodies::uniform(&[[5.0f32, -3e38]], [0.5, 0.5])).unwrap();
    world.shift_origin([0.0, 3e38]).unwrap();
    let body = Hit::Body { row: 0, id: None };
    assert_eq!(world.query().nearest(point).map(|found| (found.hit, found.distance)), Some((body, f64::INFINITY)));
    let mut found = Vec::new();
    world.query().k_nearest(point, 3, &mut found);
    assert_eq!(found.len(), 1);
    let everywhere = Circle::new([0.0, 0.0], f32::INFINITY).unwrap();
    world.query().within(everywhere, &mut found);
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
fn statics_that_were_replaced_do_not_limit_a_shift_unless_a_reader_shows_them() {
    let by = [-2e38, 0.0];
    let far = [[3e38f32, 0.0, 3e38, 0.0]];
    let mut world = sequential();
    world.set_statics(&far).unwrap();
    world.step(Bodies::uniform(&[[0.5f32, 0.5]], [0.5, 0.5])).unwrap();
    world.set_statics(&[[0.0f32, 0.0, 1.0, 1.0]]).unwrap();

    let reader = world.reader();
    assert!(matches!(world.shift_origin(by), Err(Error::InvalidStatic(_))), "the reader shows the far static");
    let snapshot = reader.latest();
    drop(reader);
    world.shift_origin(by).unwrap();
    assert_eq!(world.statics().aabb(0).unwrap().to_array(), [2e38, 0.0, 2e38, 1.0]);
    assert_eq!(snapshot.statics().aabb(0).unwrap().to_array(), far[0], "a snapshot stays as it was");
    assert_eq!(world.reader().latest().statics().aabb(0), world.statics().aabb(0));
    assert_eq!(hits(&world, [1e38, 0.0, 3e38, 1.0]).len(), 2);
    world.step(Bodies::uniform(&[[2e38f32, 0.5]], [0.5, 0.5])).unwrap();
    assert_eq!(world.contacts().static_pairs().len(), 1);
}
