//! A batch of queries finds what its queries find one by one, in the same order, at every thread
//! count and SIMD level; and queries by layer, singly and in batches, match brute force.

use std::panic::{AssertUnwindSafe, catch_unwind};
use triphase::geometry::RawAabb;
use triphase::query::{BatchResults, QueryBuilder};
use triphase::tier::point_grid::PointGrid;
use triphase::tier::static_tree::StaticTree;
use triphase::{Aabb, AabbCast, Bodies, CastHit, Circle, Filter, Hit, Neighbor, Ray, Statics, World, WorldConfig};
use triphase_scenes::{Scene, SceneName, SplitMix64};
use triphase_tests::query_oracle::{Probe, QueryOracle, run_queries};
use triphase_tests::{WorldSet, scene_columns};

const SEED: u64 = 0xba7c;

/// Around the sizes of the blocks that batches are cut into, and between.
const COUNTS: [usize; 6] = [0, 1, 255, 256, 257, 600];

/// Results that are reused from batch to batch, as a caller would.
struct Batches<H> {
    hits: BatchResults<H>,
    nearest: BatchResults<Neighbor<H>>,
    cast_hits: BatchResults<CastHit<H>>,
}

impl<H> Default for Batches<H> {
    fn default() -> Self {
        Self { hits: BatchResults::new(), nearest: BatchResults::new(), cast_hits: BatchResults::new() }
    }
}

#[test]
fn a_batch_whose_predicate_panics_has_no_results() {
    let mut world = World::default();
    world.step(Bodies::uniform(&[[0.0f32, 0.0], [9.0, 0.0]], [0.5, 0.5])).unwrap();
    let areas = [[0.0f32, 0.0], [9.0, 0.0]].map(|at| Aabb::new(at, at).unwrap());
    let mut results = BatchResults::new();
    world.query().par_query_aabb(&areas, &mut results);
    assert_eq!(results.iter().map(<[Hit]>::len).collect::<Vec<_>>(), [1, 1]);
    let panics = |_: Hit| -> bool { panic!("the predicate's") };
    let batch = || world.query().with_predicate(&panics).par_query_aabb(&areas, &mut results);
    assert!(catch_unwind(AssertUnwindSafe(batch)).is_err());
    assert_eq!(results.iter().count(), 0);
}

/// Compares each result of each batch with that of the single query. A macro, since a tier's source
/// has no type that can be named.
macro_rules! check_batches {
    ($query:expr, $probes:expr, $batches:expr) => {{
        let (query, probes, batches) = ($query, $probes, $batches);
        let areas: Vec<Aabb> = probes.iter().map(|probe| probe.area).collect();
        query.par_query_aabb(&areas, &mut batches.hits);
        assert_eq!((batches.hits.len(), batches.hits.is_empty()), (areas.len(), areas.is_empty()));
        let mut single = Vec::new();
        for (area, hits) in areas.iter().zip(batches.hits.iter()) {
            single.clear();
            query.query_aabb(*area).append_to(&mut single);
            assert!(single == hits, "{area:?}");
        }
        let circles: Vec<Circle> = probes.iter().map(|probe| probe.circle).collect();
        query.par_query_circle(&circles, &mut batches.hits);
        for (circle, hits) in circles.iter().zip(batches.hits.iter()) {
            assert!(query.query_circle(*circle).eq(hits.iter().copied()), "{circle:?}");
        }
        for k in [1, 5, 40] {
            query.par_k_nearest_within(&circles, k, &mut batches.nearest);
            let mut single = Vec::new();
            for (number, circle) in circles.iter().enumerate() {
                query.k_nearest_within(*circle, k, &mut single);
                assert_eq!(single, batches.nearest[number], "{k} nearest in {circle:?}");
            }
        }
        let rays: Vec<Ray> = probes.iter().map(|probe| probe.ray).collect();
        query.par_cast_ray(&rays, &mut batches.cast_hits);
        for (ray, hits) in rays.iter().zip(batches.cast_hits.iter()) {
            assert_eq!(query.cast_ray(*ray).as_slice(), hits, "{ray:?}");
        }
        let casts = probes.iter().map(|probe| AabbCast::new(probe.area, probe.ray.direction()).unwrap());
        let casts: Vec<AabbCast> = casts.collect();
        query.par_cast_aabb(&casts, &mut batches.cast_hits);
        for (cast, hits) in casts.iter().zip(batches.cast_hits.iter()) {
            assert_eq!(query.cast_aabb(*cast).as_slice(), hits, "{cast:?}");
        }
    }};
}

fn check_world_batches(query: QueryBuilder<'_>, probes: &[Probe], batches: &mut Batches<Hit>) {
    check_batches!(query, probes, batches);
}

fn probes(boxes: &[RawAabb], random: &mut SplitMix64, count: usize) -> Vec<Probe> {
    let mut probes = Probe::random(boxes, random, count);
    probes.truncate(count);
    probes
}

#[test]
fn world_batches_match_single_queries() {
    for name in [SceneName::Castles, SceneName::PowerLaw, SceneName::Empty] {
        let mut worlds = WorldSet::new(WorldConfig::new());
        let scene = Scene::new(name, 1200, SEED);
        worlds.set_statics(&scene.statics).unwrap();
        let columns = scene_columns(&scene);
        worlds.each(|world| world.step(columns.bodies()).map(|contacts| contacts.body_pairs().len())).unwrap();
        let mut random = SplitMix64::new(SEED);
        for count in COUNTS {
            let probes = probes(&columns.boxes(), &mut random, count);
            let areas: Vec<Aabb> = probes.iter().map(|probe| probe.area).collect();
            let all = worlds.each(|world| {
                let mut batches = Batches::default();
                check_world_batches(world.query(), &probes, &mut batches);
                world.query().par_query_aabb(&areas, &mut batches.hits);
                batches.hits.iter().map(<[Hit]>::to_vec).collect::<Vec<_>>()
            });
            assert_eq!(all.len(), count);
        }
    }
}

#[test]
fn tier_batches_match_single_queries() {
    let boxes = Scene::new(SceneName::Crowd, 2000, SEED).boxes();
    let mut grid = PointGrid::new();
    grid.rebuild(&boxes, &mut Vec::new()).unwrap();
    let tree = StaticTree::new(&boxes).unwrap();
    let (mut batches, mut random) = (Batches::default(), SplitMix64::new(SEED));
    for count in COUNTS {
        let probes = probes(&boxes, &mut random, count);
        check_batches!(grid.query(), &probes, &mut batches);
        check_batches!(tree.query(), &probes, &mut batches);
        check_batches!(tree.query().with_predicate(&|row| row % 3 == 0), &probes, &mut batches);
    }
    assert!(batches.hits.memory_bytes() > 0);
}

#[test]
fn queries_with_filter_find_what_accepts_it() {
    for (name, seed) in [(SceneName::Castles, 1), (SceneName::PowerLaw, 2)] {
        let scene = Scene::new(name, 900, SEED);
        let mut random = SplitMix64::new(seed);
        let mut filters = |count: usize| -> Vec<Filter> {
            (0..count).map(|_| Filter::new(random.below(16) as u32, random.below(16) as u32)).collect()
        };
        let (body_filters, static_filters) = (filters(scene.centers.len()), filters(scene.statics.len()));
        let columns = scene_columns(&scene);
        let mut worlds = WorldSet::new(WorldConfig::new());
        worlds.each(|world| {
            world.set_statics(Statics::new(&scene.statics).with_filters(&static_filters)).unwrap();
            world.step(columns.bodies().with_filters(&body_filters)).unwrap().body_pairs().len()
        });
        let oracle = QueryOracle::new(&columns, &scene.statics);
        let filter_of = |hit: Hit| match hit {
            Hit::Body { row, .. } => body_filters[row as usize],
            Hit::Static { row, .. } => static_filters[row as usize],
        };
        for filter in [Filter::ALL, Filter::NONE, Filter::new(1, 2), Filter::new(7, 8), Filter::new(8, 15)] {
            let accepted = oracle.only(&|hit| filter_of(hit).interacts_with(filter));
            // Two are excluded as well.
            let excluded = [accepted.hits().first(), accepted.hits().last()].map(|hit| match hit {
                Some(Hit::Body { row, .. }) => *row,
                _ => u32::MAX,
            });
            let rest = accepted.only(&|hit| !matches!(hit, Hit::Body { row, .. } if excluded.contains(&row)));
            for probe in Probe::random(oracle.boxes(), &mut random, 8) {
                let found = worlds.each(|world| run_queries(world.query().with_filter(filter), &probe));
                accepted.check(&probe, &found).unwrap_or_else(|what| panic!("{name:?}, {filter:?}: {what}"));
                let found = worlds
                    .each(|world| run_queries(world.query().with_filter(filter).exclude_bodies(&excluded), &probe));
                rest.check(&probe, &found).unwrap_or_else(|what| panic!("{name:?}, {filter:?}, excluded: {what}"));
            }
            let probes = Probe::random(oracle.boxes(), &mut random, 40);
            worlds
                .each(|world| check_world_batches(world.query().with_filter(filter), &probes, &mut Batches::default()));
        }
        let in_layers = oracle.only(&|hit| filter_of(hit).layers & 5 != 0 && filter_of(hit).mask != 0);
        for probe in Probe::random(oracle.boxes(), &mut random, 8) {
            let found = worlds.each(|world| run_queries(world.query().in_layers(5), &probe));
            in_layers.check(&probe, &found).unwrap_or_else(|what| panic!("{name:?}, layers: {what}"));
        }
    }
}
