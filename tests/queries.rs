//! Every question of a world against brute force: the same answers, in the same order, at every thread count and on every
//! instruction set, whatever the world went through before.

mod common;

use common::questions::{BatchResults, Known, Probe, answers, check_frame, check_methods};
use common::{Columns, Fleet, KINDS, Random, drawn, sequential};
use std::sync::Mutex;
use triphase::geometry::RawAabb;
use triphase::tier::DebugShape;
use triphase::{Aabb, Bodies, Hit, Statics, Tier, World, WorldConfig};
use triphase_scenes::{Scene, SceneName};

const SEED: u64 = 0x9e57;

fn columns(scene: &Scene) -> Columns {
    let columns = Columns::new(scene.centers.clone(), scene.half_extents.clone());
    Columns { displacements: scene.displacements.clone(), ids: Some(scene.ids.clone()), ..columns }
}

/// Finite boxes.
fn walls(boxes: &[RawAabb]) -> Vec<RawAabb> {
    boxes.iter().map(|aabb| aabb.map(|edge| edge.clamp(f32::MIN, f32::MAX))).collect()
}

fn known(columns: &Columns, statics: &[RawAabb]) -> Known {
    Known::default().with_bodies(&columns.boxes(), columns.ids.as_deref()).with_statics(statics, None)
}

/// Asks every world of a fleet everything, and brute force.
fn check(label: &str, fleet: &mut Fleet, known: &Known, random: &mut Random, count: usize) {
    for probe in Probe::some(known.boxes(), random, count) {
        let found = fleet.each(|world| answers(world.query(), &probe));
        known.check(&probe, &found).unwrap_or_else(|what| panic!("{label}: {what}"));
        check_methods(fleet.world(), &probe);
    }
}

fn step(fleet: &mut Fleet, columns: &Columns) {
    fleet.each(|world| world.step(columns.bodies()).map(|contacts| contacts.body_pairs().len())).expect("good bodies");
}

/// A world with all three tiers.
fn castles(count: usize) -> (Scene, World) {
    let scene = Scene::new(SceneName::Castles, count, SEED);
    let mut world = sequential();
    world.set_statics(&scene.statics).unwrap();
    world.step(columns(&scene).bodies()).unwrap();
    (scene, world)
}

#[test]
fn a_world_has_no_more_cells_than_its_bodies_pay_for() {
    let centers: Vec<[f32; 2]> = (0..10).map(|k| [(k * 379 % 1000) as f32, (k * 617 % 1000) as f32]).collect();
    let mut world = World::new(WorldConfig::new().with_parallel_threshold(None).with_cell_size(1.0)).unwrap();
    world.step(Bodies::uniform(&centers, [0.5, 0.5])).unwrap();
    let mut count = 0;
    world.visit_debug_shapes(|part| {
        if let DebugShape::Band { cells: [columns, rows], .. } = part {
            count += columns * rows;
        }
    });
    assert!((1..300).contains(&count), "{count} cells, where a million were asked for");
}

#[test]
fn many_threads_ask_one_world() {
    let (scene, world) = castles(2000);
    let probes = Probe::some(&columns(&scene).boxes(), &mut Random::new(SEED), 40);
    let expected: Vec<BatchResults> = probes.iter().map(|probe| answers(world.query(), probe)).collect();
    std::thread::scope(|scope| {
        for from in 0..4 {
            let (world, probes, expected) = (&world, &probes, &expected);
            scope.spawn(move || {
                // Each begins elsewhere, so that they ask different things at once.
                for k in (0..probes.len()).map(|k| (k + from * 10) % probes.len()) {
                    assert_eq!(answers(world.query(), &probes[k]), expected[k]);
                }
            });
        }
    });
}

#[test]
fn every_scene() {
    for (k, &name) in SceneName::ALL.iter().enumerate() {
        let mut fleet = Fleet::new(WorldConfig::new());
        let mut random = Random::new(SEED + k as u64);
        for count in [200, 1, 2500] {
            let mut scene = Scene::new(name, count, SEED);
            fleet.set_statics(&scene.statics).unwrap();
            for frame in 0..2 {
                let columns = columns(&scene);
                step(&mut fleet, &columns);
                let label = format!("{name} of {count}, frame {frame}");
                check(&label, &mut fleet, &known(&columns, &scene.statics), &mut random, 12);
                scene.advance();
            }
        }
    }
}

#[test]
fn large_worlds_of_every_kind() {
    for kind in 0..KINDS {
        let mut fleet = Fleet::new(WorldConfig::new());
        for seed in 0..3 {
            let columns = drawn(3000, kind, seed + 10);
            let statics = walls(&drawn(700, kind, seed + 20).boxes());
            fleet.set_statics(&statics).unwrap();
            step(&mut fleet, &columns);
            let label = format!("{columns:?}");
            check(&label, &mut fleet, &known(&columns, &statics), &mut Random::new(seed), 16);
        }
    }
}

#[test]
fn settings_change_no_answer() {
    let new = WorldConfig::new;
    let configs = [
        new().with_bound(0.0),
        new().with_bound(0.5),
        new().with_bound(1e9),
        new().with_bounds([0.1, 0.4, 0.45, 3.0]),
        new().with_cell_size(1e-5).with_bound(0.5),
        new().with_cell_size(1e5),
    ];
    for (k, config) in configs.into_iter().enumerate() {
        let mut fleet = Fleet::new(config);
        let mut random = Random::new(SEED + k as u64);
        for name in [SceneName::PowerLaw, SceneName::Cities, SceneName::TinyAndHuge, SceneName::Beams, SceneName::Ulp] {
            let scene = Scene::new(name, 600, SEED + k as u64);
            fleet.set_statics(&scene.statics).unwrap();
            let columns = columns(&scene);
            step(&mut fleet, &columns);
            check(&format!("{name}, setting {k}"), &mut fleet, &known(&columns, &scene.statics), &mut random, 9);
        }
    }
}

/// Bodies that are all oversized, or all but a few, nested, long, in one place; walls upon walls.
#[test]
fn awkward_layouts() {
    let mut random = Random::new(SEED);
    let any = |random: &mut Random| (random.point(0.0, 400.0), random.point(1.0, 90.0));
    let large: Vec<_> = (0..900).map(|_| any(&mut random)).collect();
    let nested: Vec<_> = (0..300).map(|k| ([0.0, 0.0], [1.0 + k as f32, 400.0 - k as f32])).collect();
    let cross = |k: usize| {
        if k.is_multiple_of(2) { ([0.0, k as f32], [500.0, 0.1]) } else { ([k as f32 - 200.0, 200.0], [0.1, 500.0]) }
    };
    let beams: Vec<_> = (0..400).map(cross).collect();
    let floor: Vec<_> = (0..1024).map(|k| ([(k % 32) as f32, (k / 32) as f32], [0.5, 0.5])).collect();
    let one_spot = vec![([3.0, -3.0], [0.5, 0.25]); 700];
    let mut around: Vec<_> = (0..1500).map(|_| (random.point(-50.0, 50.0), [0.4, 0.4])).collect();
    around[123] = ([0.0, 0.0], [1000.0, 1000.0]);
    around[1234] = ([1e7, 0.0], [1.0, 3e6]);
    let all = [large, nested, beams, floor, one_spot, around];
    let mut fleet = Fleet::new(WorldConfig::new());
    for (k, rows) in all.iter().enumerate() {
        let columns = Columns::of(rows);
        let statics = Columns::of(&all[(k + 2) % all.len()]).boxes();
        fleet.set_statics(&statics).unwrap();
        step(&mut fleet, &columns);
        check(&format!("layout {k}"), &mut fleet, &known(&columns, &statics), &mut random, 16);
    }
}

/// As wide as all there is, and cells are tiny beside it: more pieces of its way than anyone could wait for, were they as
/// long as cells.
#[test]
fn large_boxes_that_move_far() {
    for count in [5, 20, 30, 38, 60, 1000] {
        let rows: Vec<_> = (0..count).map(|k| ([(k % 7) as f32 * 1.1, (k / 7) as f32 * 1.1], [0.5, 0.5])).collect();
        let columns = Columns::of(&rows);
        let known = known(&columns, &[]);
        let mut world = sequential();
        world.step(columns.bodies()).unwrap();
        for (half, by) in
            [(f32::MAX, [f32::MAX, f32::MIN]), (1e15, [1e15, 0.0]), (1e6, [3e6, -1.0]), (20.0, [9e9, 1.0])]
        {
            let probe = Probe::new([-half, -half, half, half], [-9.0, -9.0], half, by, f32::INFINITY);
            known.check(&probe, &answers(world.query(), &probe)).unwrap_or_else(|what| panic!("{count}: {what}"));
        }
    }
}

#[test]
fn worlds_with_little_in_them() {
    let mut fleet = Fleet::new(WorldConfig::new());
    let mut random = Random::new(SEED);
    check("before the first step", &mut fleet, &Known::default(), &mut random, 12);
    let statics = vec![[0.0, 0.0, 1.0, 1.0], [0.5, 0.5, 2.0, 0.5], [1.0, 1.0, 1.0, 1.0]];
    fleet.set_statics(&statics).unwrap();
    let only_statics = Known::default().with_statics(&statics, None);
    check("statics before the first step", &mut fleet, &only_statics, &mut random, 40);
    step(&mut fleet, &Columns::aabbs(Vec::new()));
    check("statics and a step of nobody", &mut fleet, &only_statics, &mut random, 12);
    for count in [1, 2, 3, 40] {
        let columns = Columns::of(&vec![([1.5, 0.5], [0.5, 0.5]); count]);
        step(&mut fleet, &columns);
        check(&format!("statics and {count}"), &mut fleet, &known(&columns, &statics), &mut random, 12);
    }
    fleet.set_statics(&[]).unwrap();
    let columns = Columns::of(&[([1.5, 0.5], [0.5, 0.5]); 40]);
    check("nothing but bodies", &mut fleet, &known(&columns, &[]), &mut random, 12);
    step(&mut fleet, &Columns::aabbs(Vec::new()));
    check("a step of nobody", &mut fleet, &Known::default(), &mut random, 12);
}

#[test]
fn statics_are_those_of_now_and_bodies_those_of_the_last_good_step() {
    let scene = Scene::new(SceneName::Castles, 900, SEED);
    let mut fleet = Fleet::new(WorldConfig::new());
    let mut random = Random::new(SEED);
    let (columns, ids) = (columns(&scene), (500..).take(scene.statics.len()).collect::<Vec<u64>>());
    let bodies = Known::default().with_bodies(&columns.boxes(), columns.ids.as_deref());
    let mut known = bodies.clone().with_statics(&scene.statics, Some(&ids));
    fleet.each(|world| world.set_statics(Statics::new(&scene.statics).with_ids(&ids))).unwrap();
    step(&mut fleet, &columns);
    check("with ids", &mut fleet, &known, &mut random, 12);

    for row in (0..scene.statics.len() as u32).step_by(3) {
        fleet.each(|world| world.set_static_enabled(row, false)).unwrap();
    }
    known = known.only(|hit| !matches!(hit, Hit::Static { row, .. } if row % 3 == 0));
    check("a third is disabled", &mut fleet, &known, &mut random, 12);

    let refused = fleet.each(|world| {
        world.step(Bodies::from_aabbs(&[[0.0f32, 0.0, 1.0, 1.0], [0.0, f32::NAN, 1.0, 1.0]])).is_err()
            && world.set_statics(&[[1.0f32, 0.0, 0.0, 0.0]]).is_err()
            && world.set_static_enabled(9999, true).is_err()
    });
    assert!(refused);
    check("a refused step", &mut fleet, &known, &mut random, 12);

    let others = Scene::new(SceneName::BeamsStatic, 300, SEED).statics;
    fleet.set_statics(&others).unwrap();
    check("replaced", &mut fleet, &bodies.clone().with_statics(&others, None), &mut random, 12);
    fleet.each(World::shrink_to_fit);
    check("shrunk", &mut fleet, &bodies.with_statics(&others, None), &mut random, 12);
}

#[test]
fn readers_answer_as_the_world_did() {
    let (mut scene, mut world) = castles(700);
    let reader = world.reader();
    for _ in 0..3 {
        world.set_static_enabled(7, world.step_number().is_multiple_of(2)).unwrap();
        world.step(columns(&scene).bodies()).unwrap();
        let boxes = columns(&scene).boxes();
        let mut random = Random::new(world.step_number());
        Probe::some(&boxes, &mut random, 12).iter().for_each(|probe| check_frame(&reader.latest(), &world, probe));
        scene.advance();
    }
    // A frame keeps the statics of its step, and its bodies.
    let (frame, probes) = (reader.latest(), Probe::some(&scene.statics, &mut Random::new(1), 12));
    let before: Vec<BatchResults> = probes.iter().map(|probe| answers(world.query(), probe)).collect();
    world.set_statics(&[[0.0f32; 4]]).unwrap();
    world.step(Bodies::uniform(&[[0.0f32, 0.0]], [1.0, 1.0])).unwrap();
    for (probe, before) in probes.iter().zip(&before) {
        assert_eq!(&answers(frame.query(), probe), before);
        assert_ne!(&answers(world.query(), &probes[0]), before);
    }
}

/// Asks the same of all worlds of a fleet, narrowed, and brute force of those that are wanted.
macro_rules! narrowed {
    ($fleet:ident, $known:ident, $random:ident, $ask:ident => $narrow:expr, $wanted:expr) => {
        let wanted = $known.only($wanted);
        for probe in Probe::some($known.boxes(), &mut $random, 7) {
            let found = $fleet.each(|world| {
                let $ask = world.query();
                answers($narrow, &probe)
            });
            wanted.check(&probe, &found).unwrap_or_else(|what| panic!("{}: {what}", stringify!($narrow)));
        }
    };
}

#[test]
fn questions_can_be_narrowed() {
    for name in [SceneName::Castles, SceneName::PowerLaw] {
        let scene = Scene::new(name, 600, SEED);
        let statics =
            if scene.statics.is_empty() { columns(&scene).boxes()[..100].to_vec() } else { scene.statics.clone() };
        let columns = columns(&scene);
        let (known, mut random) = (known(&columns, &statics), Random::new(SEED));
        let mut fleet = Fleet::new(WorldConfig::new().with_bound(0.4));
        fleet.set_statics(&statics).unwrap();
        step(&mut fleet, &columns);

        let is_body = |hit: Hit| matches!(hit, Hit::Body { .. });
        let row = |hit: Hit| match hit {
            Hit::Body { row, .. } | Hit::Static { row, .. } => row,
        };
        let few: Vec<u32> = (0..30).map(|k| k * 3).collect();
        let is_few = |hit: Hit| few.contains(&row(hit));
        let (few, is_few) = (&few[..], &is_few);
        let odd = |hit: Hit| row(hit) % 2 == 1;
        let odd_third = |hit: Hit| odd(hit) && row(hit).is_multiple_of(3);
        narrowed!(fleet, known, random, ask => ask.only_bodies(), is_body);
        narrowed!(fleet, known, random, ask => ask.only_statics(), |hit| !is_body(hit));
        narrowed!(fleet, known, random, ask => ask.only_bodies().only_statics(), |_| false);
        narrowed!(fleet, known, random, ask => ask.only_tiers(&[]), |_| false);
        let tiers = [Tier::Static, Tier::Oversized, Tier::Common, Tier::Static];
        narrowed!(fleet, known, random, ask => ask.only_tiers(&tiers), |_| true);
        narrowed!(fleet, known, random, ask => ask.exclude_bodies(few), |hit| !is_body(hit) || !is_few(hit));
        narrowed!(fleet, known, random, ask => ask.exclude_statics(few), |hit| is_body(hit) || !is_few(hit));
        narrowed!(
            fleet,
            known,
            random,
            ask => ask.exclude_statics(&[3]).exclude_bodies(few).exclude_statics(few),
            |hit| !is_few(hit)
        );
        narrowed!(fleet, known, random, ask => ask.with_predicate(&odd), odd);
        narrowed!(
            fleet,
            known,
            random,
            ask => ask.with_predicate(&odd_third).only_bodies().exclude_bodies(&[1, 3, 5]),
            |hit| is_body(hit) && odd_third(hit) && row(hit) > 5
        );
        narrowed!(fleet, known, random, ask => ask.with_predicate(&|_| false), |_| false);
        // The last of each kind counts.
        narrowed!(fleet, known, random, ask => ask.with_predicate(&|_| false).with_predicate(&odd), odd);

        // Common and oversized ones are all bodies, and none is both.
        let everything = Aabb::new([f32::MIN, f32::MIN], [f32::MAX, f32::MAX]).unwrap();
        let of = |tier: Tier| {
            move |world: &mut World| world.query().only_tiers(&[tier]).query_aabb(everything).collect::<Vec<_>>()
        };
        let (common, oversized) = (fleet.each(of(Tier::Common)), fleet.each(of(Tier::Oversized)));
        assert!(!common.is_empty() && !oversized.is_empty(), "{name} has two tiers of bodies");
        let mut both = [&common[..], &oversized].concat();
        assert_eq!(both, fleet.each(|world| world.query().only_bodies().query_aabb(everything).collect::<Vec<_>>()));
        both.sort_unstable();
        assert_eq!(both, known.only(is_body).hits());
        narrowed!(fleet, known, random, ask => ask.only_tiers(&[Tier::Common]), |hit| common.contains(&hit));
        narrowed!(fleet, known, random, ask => ask.only_bodies().only_tiers(&[Tier::Oversized, Tier::Static]), |hit| {
            oversized.contains(&hit)
        });
        narrowed!(fleet, known, random, ask => ask.only_tiers(&[Tier::Oversized, Tier::Static]), |hit| {
            !common.contains(&hit)
        });
    }
}

#[test]
fn predicates_are_asked_about_hits_alone_and_once() {
    let (scene, world) = castles(2000);
    let known = known(&columns(&scene), &scene.statics);
    for probe in Probe::some(known.boxes(), &mut Random::new(SEED), 40) {
        let (truth, asked) = (known.answers(&probe), Mutex::new(Vec::new()));
        let note = |hit| {
            asked.lock().unwrap().push(hit);
            true
        };
        let ask = world.query().with_predicate(&note);
        let check = |name: &str, is_once: bool| {
            let mut asked = std::mem::take(&mut *asked.lock().unwrap());
            asked.sort_unstable();
            assert!(!is_once || asked.windows(2).all(|two| two[0] != two[1]), "{name}: asked again");
            asked.dedup();
            let mut hits = truth.hits(name);
            hits.sort_unstable();
            assert!(asked == hits, "{name}: asked about {} of {} hits", asked.len(), hits.len());
        };
        ask.query_aabb(probe.area).for_each(drop);
        check("query_aabb", true);
        ask.query_contained_in(probe.area).for_each(drop);
        check("query_contained_in", true);
        ask.query_point(probe.point).for_each(drop);
        check("query_point", true);
        ask.query_containing(probe.area).for_each(drop);
        check("query_containing", true);
        ask.query_circle(probe.circle).for_each(drop);
        check("query_circle", true);
        ask.query_circle_sorted(probe.circle, &mut Vec::new());
        check("query_circle_sorted", true);
        ask.cast_ray_all(probe.ray, &mut Vec::new());
        check("cast_ray_all", false);
        ask.cast_aabb_all(probe.sweep, &mut Vec::new());
        check("cast_aabb_all", false);
    }
}
