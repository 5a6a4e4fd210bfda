//! Every query of a world against brute force: the same results in the same order at every thread
//! count and SIMD level, whatever was stepped before.

use std::sync::Mutex;
use triphase::tier::DebugShape;
use triphase::{Aabb, Bodies, ChangedRows, Hit, Statics, Tier, World, WorldConfig};
use triphase_scenes::{Scene, SceneName, SplitMix64};
use triphase_tests::query_oracle::{
    Probe, QueryOracle, QueryResults, check_snapshot, check_world_methods, run_queries,
};
use triphase_tests::{Columns, LARGE_WORLD_KINDS, WorldSet, clamp_to_finite, large_world, scene_columns, sequential};

const SEED: u64 = 0x9e57;

/// Compares every query of every world with brute force.
fn check(label: &str, worlds: &mut WorldSet, oracle: &QueryOracle, random: &mut SplitMix64, count: usize) {
    for probe in Probe::random(oracle.boxes(), random, count) {
        let found = worlds.each(|world| run_queries(world.query(), &probe));
        oracle.check(&probe, &found).unwrap_or_else(|what| panic!("{label}: {what}"));
        check_world_methods(worlds.world(), &probe);
    }
}

fn step(worlds: &mut WorldSet, columns: &Columns) {
    worlds
        .each(|world| world.step(columns.bodies()).map(|contacts| contacts.body_pairs().len()))
        .expect("valid bodies");
}

/// A world with all three tiers.
fn castles(count: usize) -> (Scene, World) {
    let scene = Scene::new(SceneName::Castles, count, SEED);
    let mut world = sequential();
    world.set_statics(&scene.statics).unwrap();
    world.step(scene_columns(&scene).bodies()).unwrap();
    (scene, world)
}

#[test]
fn few_bodies_with_tiny_cells_get_few_cells() {
    let centers: Vec<[f32; 2]> = (0..10).map(|k| [(k * 379 % 1000) as f32, (k * 617 % 1000) as f32]).collect();
    let mut world = World::new(WorldConfig::new().with_parallel_threshold(None).with_cell_size(1.0)).unwrap();
    world.step(Bodies::uniform(&centers, [0.5, 0.5])).unwrap();
    let mut count = 0;
    world.visit_debug_shapes(|part| {
        if let DebugShape::Band { cells: [columns, rows], .. } = part {
            count += columns * rows;
        }
    });
    assert!((1..300).contains(&count), "{count} cells, where a million would cover the world");
}

#[cfg(feature = "parallel")]
#[test]
fn bands_name_the_thread_that_built_them() {
    let columns = scene_columns(&Scene::new(SceneName::Crowd, 40_000, SEED));
    let pools = [1, 3].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap());
    let mut world = World::default();
    let mut threads_in = |pool: &rayon::ThreadPool| {
        pool.install(|| world.step(columns.bodies()).map(|_| ())).unwrap();
        let mut seen = Vec::new();
        world.visit_debug_shapes(|part| {
            if let DebugShape::Band { thread, .. } = part {
                seen.push(thread);
            }
        });
        seen
    };
    assert!(threads_in(&pools[0]).iter().all(|&thread| thread == 0));
    // One thread may have built all bands of a step, if the others were late.
    let are_several = (0..1000).any(|_| {
        let threads = threads_in(&pools[1]);
        assert!(threads.len() > 3 && threads.iter().all(|&thread| thread < 3), "{threads:?}");
        threads.iter().any(|&thread| thread != threads[0])
    });
    assert!(are_several, "one thread built all bands of a thousand steps");
}

#[test]
fn debug_shapes_show_each_structure() {
    let (scene, mut world) = castles(2000);
    let mut columns = scene_columns(&scene);
    world.step_changed(columns.bodies(), ChangedRows::NONE).unwrap();
    let common = (0..2000).find(|&row| columns.half_extents_mut()[row][0] < 1.0).unwrap();
    columns.centers_mut()[common] = [-50.0, -50.0];
    world.step_changed(columns.bodies(), &[common as u32]).unwrap();
    assert_eq!(world.report().filed_steps_ago, 1);
    let (mut bands, mut cells, mut loose, mut tight, mut leaves) = (0, 0, 0, 0, 0);
    let (mut is_moved_shown, mut shapes) = (false, Vec::new());
    world.visit_debug_shapes(|shape| {
        shapes.push(shape);
        match shape {
            DebugShape::Band { aabb, population, .. } => {
                bands += population;
                is_moved_shown |= population == 1 && aabb[2] < 0.0;
            }
            DebugShape::Cell { population, .. } => cells += population,
            DebugShape::LooseCell { population, .. } => loose += population,
            DebugShape::TightCell { listed, .. } => tight += listed,
            DebugShape::Leaf { population, .. } => leaves += population,
            _ => {}
        }
    });
    let report = world.report();
    assert!(is_moved_shown && report.oversized_count > 0);
    // The row that moved is in both the bands of the first step and in one of its own.
    assert_eq!((bands, cells, loose), (report.common_count() + 1, bands, report.oversized_count));
    assert!(tight > 0 && leaves >= report.static_count, "{tight} listed, {leaves} statics in leaves");
    let mut of_snapshot = Vec::new();
    world.reader().latest().visit_debug_shapes(|shape| of_snapshot.push(shape));
    assert_eq!(of_snapshot, shapes);
}

#[test]
fn queries_from_many_threads_agree() {
    let (scene, world) = castles(2000);
    let probes = Probe::random(&scene.boxes(), &mut SplitMix64::new(SEED), 40);
    let expected: Vec<QueryResults> = probes.iter().map(|probe| run_queries(world.query(), probe)).collect();
    std::thread::scope(|scope| {
        for from in 0..4 {
            let (world, probes, expected) = (&world, &probes, &expected);
            scope.spawn(move || {
                // Each thread starts elsewhere, so that they run different queries at once.
                for k in (0..probes.len()).map(|k| (k + from * 10) % probes.len()) {
                    assert_eq!(run_queries(world.query(), &probes[k]), expected[k]);
                }
            });
        }
    });
}

#[test]
fn queries_of_every_scene_match_brute_force() {
    for (k, &name) in SceneName::ALL.iter().enumerate() {
        let mut worlds = WorldSet::new(WorldConfig::new());
        let mut random = SplitMix64::new(SEED + k as u64);
        for count in [200, 1, 1500] {
            let mut scene = Scene::new(name, count, SEED);
            worlds.set_statics(&scene.statics).unwrap();
            for frame in 0..2 {
                let columns = scene_columns(&scene);
                step(&mut worlds, &columns);
                let label = format!("{name} of {count}, frame {frame}");
                let oracle = QueryOracle::new(&columns, &scene.statics);
                check(&label, &mut worlds, &oracle, &mut random, 8);
                scene.advance();
            }
        }
    }
}

#[test]
fn queries_of_large_worlds_match_brute_force() {
    for kind in 0..LARGE_WORLD_KINDS {
        let mut worlds = WorldSet::new(WorldConfig::new());
        for seed in 0..2 {
            let columns = large_world(3000, kind, seed + 10);
            let statics = clamp_to_finite(&large_world(700, kind, seed + 20).boxes());
            worlds.set_statics(&statics).unwrap();
            step(&mut worlds, &columns);
            let oracle = QueryOracle::new(&columns, &statics);
            check(&format!("{columns:?}"), &mut worlds, &oracle, &mut SplitMix64::new(seed), 12);
        }
    }
}

#[test]
fn queries_are_independent_of_settings() {
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
        let mut worlds = WorldSet::new(config);
        let mut random = SplitMix64::new(SEED + k as u64);
        for name in [SceneName::PowerLaw, SceneName::Cities, SceneName::TinyAndHuge, SceneName::Beams, SceneName::Ulp] {
            let scene = Scene::new(name, 600, SEED + k as u64);
            worlds.set_statics(&scene.statics).unwrap();
            let columns = scene_columns(&scene);
            step(&mut worlds, &columns);
            let oracle = QueryOracle::new(&columns, &scene.statics);
            check(&format!("{name}, setting {k}"), &mut worlds, &oracle, &mut random, 9);
        }
    }
}

#[test]
fn queries_of_adversarial_layouts_match_brute_force() {
    let mut random = SplitMix64::new(SEED);
    let any = |random: &mut SplitMix64| (random.point(0.0, 400.0), random.point(1.0, 90.0));
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
    let mut worlds = WorldSet::new(WorldConfig::new());
    for (k, rows) in all.iter().enumerate() {
        let columns = Columns::from_rows(rows);
        let statics = Columns::from_rows(&all[(k + 2) % all.len()]).boxes();
        worlds.set_statics(&statics).unwrap();
        step(&mut worlds, &columns);
        let oracle = QueryOracle::new(&columns, &statics);
        check(&format!("layout {k}"), &mut worlds, &oracle, &mut random, 16);
    }
}

#[test]
fn queries_of_strips_that_are_divided_across_match_brute_force() {
    // So many bodies at one height, and then at one x, that their strip is divided into bands.
    let mut random = SplitMix64::new(SEED + 9);
    let mut rows: Vec<([f32; 2], [f32; 2])> = (0..30_000)
        .map(|k| match k % 4 {
            0 | 1 => ([random.range(0.0, 12_000.0), 0.0], [0.5, 0.5]),
            2 => ([6000.0, random.range(-6000.0, 6000.0)], [0.5, 0.5]),
            _ => ([random.range(0.0, 12_000.0), random.range(-5.0, 5.0)], [3.0, 0.5]),
        })
        .collect();
    let mut worlds = WorldSet::new(WorldConfig::new());
    for label in ["flat", "upright"] {
        let columns = Columns::from_rows(&rows);
        step(&mut worlds, &columns);
        check(label, &mut worlds, &QueryOracle::new(&columns, &[]), &mut random, 12);
        rows.iter_mut().for_each(|(center, half)| (*center, *half) = ([center[1], center[0]], [half[1], half[0]]));
    }
}

#[test]
fn huge_casts_over_tiny_cells_terminate() {
    // The casts are so long, and cells so tiny beside them, that a walk from cell to cell would not
    // end.
    for count in [5, 20, 30, 38, 60, 1000] {
        let rows: Vec<_> = (0..count).map(|k| ([(k % 7) as f32 * 1.1, (k / 7) as f32 * 1.1], [0.5, 0.5])).collect();
        let columns = Columns::from_rows(&rows);
        let oracle = QueryOracle::new(&columns, &[]);
        let mut world = sequential();
        world.step(columns.bodies()).unwrap();
        for (half, by) in
            [(f32::MAX, [f32::MAX, f32::MIN]), (1e15, [1e15, 0.0]), (1e6, [3e6, -1.0]), (20.0, [9e9, 1.0])]
        {
            let probe = Probe::new([-half, -half, half, half], [-9.0, -9.0], half, by, f32::INFINITY);
            oracle.check(&probe, &run_queries(world.query(), &probe)).unwrap_or_else(|what| panic!("{count}: {what}"));
        }
    }
}

#[test]
fn queries_of_nearly_empty_worlds_match_brute_force() {
    let mut worlds = WorldSet::new(WorldConfig::new());
    let mut random = SplitMix64::new(SEED);
    let no_rows = Columns::aabbs(Vec::new());
    check("before the first step", &mut worlds, &QueryOracle::default(), &mut random, 12);
    let statics = vec![[0.0, 0.0, 1.0, 1.0], [0.5, 0.5, 2.0, 0.5], [1.0, 1.0, 1.0, 1.0]];
    worlds.set_statics(&statics).unwrap();
    let only_statics = QueryOracle::default().with_statics(&statics, None);
    check("statics before the first step", &mut worlds, &only_statics, &mut random, 40);
    step(&mut worlds, &no_rows);
    check("statics and a step of no rows", &mut worlds, &only_statics, &mut random, 12);
    for count in [1, 2, 3, 40] {
        let columns = Columns::from_rows(&vec![([1.5, 0.5], [0.5, 0.5]); count]);
        step(&mut worlds, &columns);
        let oracle = QueryOracle::new(&columns, &statics);
        check(&format!("statics and {count} rows"), &mut worlds, &oracle, &mut random, 12);
    }
    worlds.set_statics(&[]).unwrap();
    let columns = Columns::from_rows(&[([1.5, 0.5], [0.5, 0.5]); 40]);
    check("bodies alone", &mut worlds, &QueryOracle::new(&columns, &[]), &mut random, 12);
    step(&mut worlds, &no_rows);
    check("a step of no rows", &mut worlds, &QueryOracle::default(), &mut random, 12);
}

#[test]
fn queries_see_current_statics_and_bodies_of_the_last_successful_step() {
    let scene = Scene::new(SceneName::Castles, 900, SEED);
    let mut worlds = WorldSet::new(WorldConfig::new());
    let mut random = SplitMix64::new(SEED);
    let (columns, ids) = (scene_columns(&scene), (500..).take(scene.statics.len()).collect::<Vec<u64>>());
    let bodies = QueryOracle::default().with_bodies(&columns.boxes(), columns.ids.as_deref());
    let mut oracle = bodies.clone().with_statics(&scene.statics, Some(&ids));
    worlds.each(|world| world.set_statics(Statics::new(&scene.statics).with_ids(&ids))).unwrap();
    step(&mut worlds, &columns);
    check("with ids", &mut worlds, &oracle, &mut random, 12);

    for row in (0..scene.statics.len() as u32).step_by(3) {
        worlds.each(|world| world.set_static_enabled(row, false)).unwrap();
    }
    oracle = oracle.only(&|hit| !matches!(hit, Hit::Static { row, .. } if row % 3 == 0));
    check("a third is disabled", &mut worlds, &oracle, &mut random, 12);

    let refused = worlds.each(|world| {
        world.step(Bodies::from_aabbs(&[[0.0f32, 0.0, 1.0, 1.0], [0.0, f32::NAN, 1.0, 1.0]])).is_err()
            && world.set_statics(&[[1.0f32, 0.0, 0.0, 0.0]]).is_err()
            && world.set_static_enabled(9999, true).is_err()
    });
    assert!(refused);
    check("a refused step", &mut worlds, &oracle, &mut random, 12);

    let others = Scene::new(SceneName::BeamsStatic, 300, SEED).statics;
    worlds.set_statics(&others).unwrap();
    check("replaced", &mut worlds, &bodies.clone().with_statics(&others, None), &mut random, 12);
    worlds.each(World::shrink_to_fit);
    check("shrunk", &mut worlds, &bodies.with_statics(&others, None), &mut random, 12);
}

#[test]
fn snapshot_queries_match_the_world_of_its_step() {
    let (mut scene, mut world) = castles(700);
    let reader = world.reader();
    for _ in 0..3 {
        world.set_static_enabled(7, world.step_number().is_multiple_of(2)).unwrap();
        world.step(scene_columns(&scene).bodies()).unwrap();
        let mut random = SplitMix64::new(world.step_number());
        let probes = Probe::random(&scene.boxes(), &mut random, 12);
        probes.iter().for_each(|probe| check_snapshot(&reader.latest(), &world, probe));
        scene.advance();
    }
    // A snapshot keeps the bodies and the statics of its step.
    let (snapshot, probes) = (reader.latest(), Probe::random(&scene.statics, &mut SplitMix64::new(1), 12));
    let before: Vec<QueryResults> = probes.iter().map(|probe| run_queries(world.query(), probe)).collect();
    world.set_statics(&[[0.0f32; 4]]).unwrap();
    world.step(Bodies::uniform(&[[0.0f32, 0.0]], [1.0, 1.0])).unwrap();
    for (probe, before) in probes.iter().zip(&before) {
        assert_eq!(&run_queries(snapshot.query(), probe), before);
        assert_ne!(&run_queries(world.query(), probe), before);
    }
}

/// Restricted queries of all worlds, compared with brute force over the hits that remain.
struct RestrictionCheck {
    worlds: WorldSet,
    oracle: QueryOracle,
    random: SplitMix64,
}

impl RestrictionCheck {
    fn check(
        &mut self,
        label: &str,
        run: &(dyn Fn(&World, &Probe) -> QueryResults + Sync),
        is_kept: &dyn Fn(Hit) -> bool,
    ) {
        let kept = self.oracle.only(is_kept);
        for probe in Probe::random(self.oracle.boxes(), &mut self.random, 7) {
            let found = self.worlds.each(|world| run(world, &probe));
            kept.check(&probe, &found).unwrap_or_else(|what| panic!("{label}: {what}"));
        }
    }

    /// What each world finds everywhere in one tier.
    fn hits_in(&mut self, tier: Tier) -> Vec<Hit> {
        let everywhere = Aabb::new([f32::MIN, f32::MIN], [f32::MAX, f32::MAX]).unwrap();
        self.worlds.each(|world| world.query().only_tiers(&[tier]).query_aabb(everywhere).collect())
    }
}

fn is_body(hit: Hit) -> bool {
    matches!(hit, Hit::Body { .. })
}

fn row(hit: Hit) -> u32 {
    match hit {
        Hit::Body { row, .. } | Hit::Static { row, .. } => row,
    }
}

/// Worlds of a scene with bodies of two tiers, and statics.
fn restriction_check(name: SceneName) -> RestrictionCheck {
    let scene = Scene::new(name, 600, SEED);
    let statics = if scene.statics.is_empty() { scene.boxes()[..100].to_vec() } else { scene.statics.clone() };
    let columns = scene_columns(&scene);
    let mut worlds = WorldSet::new(WorldConfig::new().with_bound(0.4));
    worlds.set_statics(&statics).unwrap();
    step(&mut worlds, &columns);
    RestrictionCheck { worlds, oracle: QueryOracle::new(&columns, &statics), random: SplitMix64::new(SEED) }
}

#[test]
fn restricted_queries_find_what_remains() {
    const FEW: [u32; 30] = {
        let mut few = [0; 30];
        let mut k = 0;
        while k < 30 {
            few[k] = k as u32 * 3;
            k += 1;
        }
        few
    };
    let is_few = |hit: Hit| FEW.contains(&row(hit));
    for name in [SceneName::Castles, SceneName::PowerLaw] {
        let mut case = restriction_check(name);
        case.check("bodies", &|world, probe| run_queries(world.query().only_bodies(), probe), &is_body);
        case.check("statics", &|world, probe| run_queries(world.query().only_statics(), probe), &|hit| !is_body(hit));
        let run = |world: &World, probe: &Probe| run_queries(world.query().only_bodies().only_statics(), probe);
        case.check("bodies and statics", &run, &|_| false);
        case.check("no tier", &|world, probe| run_queries(world.query().only_tiers(&[]), probe), &|_| false);
        let tiers = [Tier::Static, Tier::Oversized, Tier::Common, Tier::Static];
        case.check("all tiers", &|world, probe| run_queries(world.query().only_tiers(&tiers), probe), &|_| true);
        let run = |world: &World, probe: &Probe| run_queries(world.query().exclude_bodies(&FEW), probe);
        case.check("without bodies", &run, &|hit| !is_body(hit) || !is_few(hit));
        let run = |world: &World, probe: &Probe| run_queries(world.query().exclude_statics(&FEW), probe);
        case.check("without statics", &run, &|hit| is_body(hit) || !is_few(hit));
        // The last list of each kind counts.
        let run = |world: &World, probe: &Probe| {
            run_queries(world.query().exclude_statics(&[3]).exclude_bodies(&FEW).exclude_statics(&FEW), probe)
        };
        case.check("without both", &run, &|hit| !is_few(hit));

        // Common and oversized bodies are all bodies, and none is both.
        let (common, oversized) = (case.hits_in(Tier::Common), case.hits_in(Tier::Oversized));
        assert!(!common.is_empty() && !oversized.is_empty(), "{name} has two tiers of bodies");
        let mut both = [&common[..], &oversized].concat();
        let everywhere = Aabb::new([f32::MIN, f32::MIN], [f32::MAX, f32::MAX]).unwrap();
        assert_eq!(
            both,
            case.worlds.each(|world| world.query().only_bodies().query_aabb(everywhere).collect::<Vec<_>>())
        );
        both.sort_unstable();
        assert_eq!(both, case.oracle.only(&is_body).hits());
        let run = |world: &World, probe: &Probe| run_queries(world.query().only_tiers(&[Tier::Common]), probe);
        case.check("common", &run, &|hit| common.contains(&hit));
        let not_common = [Tier::Oversized, Tier::Static];
        let run =
            |world: &World, probe: &Probe| run_queries(world.query().only_bodies().only_tiers(&not_common), probe);
        case.check("oversized bodies", &run, &|hit| oversized.contains(&hit));
        let run = |world: &World, probe: &Probe| run_queries(world.query().only_tiers(&not_common), probe);
        case.check("oversized and static", &run, &|hit| !common.contains(&hit));
    }
}

#[test]
fn predicates_and_restrictions_combine() {
    type Predicate<'a> = &'a (dyn Fn(Hit) -> bool + Sync);
    let odd: Predicate<'_> = &|hit| row(hit) % 2 == 1;
    let third: Predicate<'_> = &|hit| row(hit).is_multiple_of(3);
    for name in [SceneName::Castles, SceneName::PowerLaw] {
        let mut case = restriction_check(name);
        let run = |world: &World, probe: &Probe| run_queries(world.query().with_predicate(odd), probe);
        case.check("odd", &run, &odd);
        let none: Predicate<'_> = &|_| false;
        let run = |world: &World, probe: &Probe| run_queries(world.query().with_predicate(none), probe);
        case.check("none", &run, &none);
        let run = |world: &World, probe: &Probe| {
            let both = |hit| odd(hit) && third(hit);
            run_queries(world.query().with_predicate(&both).only_bodies().exclude_bodies(&[1, 3, 5]), probe)
        };
        case.check("combined", &run, &|hit| is_body(hit) && odd(hit) && third(hit) && row(hit) > 5);
    }
}

#[test]
fn predicates_are_called_once_and_for_hits_alone() {
    let (scene, world) = castles(2000);
    let oracle = QueryOracle::new(&scene_columns(&scene), &scene.statics);
    for probe in Probe::random(oracle.boxes(), &mut SplitMix64::new(SEED), 40) {
        let expected = run_queries(world.query(), &probe);
        oracle.check(&probe, &expected).unwrap();
        let calls = Mutex::new(Vec::new());
        let count = |hit| {
            calls.lock().unwrap().push(hit);
            true
        };
        let query = world.query().with_predicate(&count);
        let check = |name: &str, once: bool| {
            let mut calls = std::mem::take(&mut *calls.lock().unwrap());
            calls.sort_unstable();
            assert!(!once || calls.windows(2).all(|two| two[0] != two[1]), "{name}: called twice for one hit");
            calls.dedup();
            let mut hits = expected.hits(name);
            hits.sort_unstable();
            assert!(calls == hits, "{name}: called for {} of {} hits", calls.len(), hits.len());
        };
        query.query_aabb(probe.area).for_each(drop);
        check("query_aabb", true);
        query.query_contained_in(probe.area).for_each(drop);
        check("query_contained_in", true);
        query.query_point(probe.point).for_each(drop);
        check("query_point", true);
        query.query_circle(probe.circle).for_each(drop);
        check("query_circle", true);
        query.query_circle_sorted(probe.circle, &mut Vec::new());
        check("query_circle_sorted", true);
        query.cast_ray_all(probe.ray, &mut Vec::new());
        check("cast_ray_all", false);
        query.cast_aabb_all(probe.cast, &mut Vec::new());
        check("cast_aabb_all", false);
    }
}
