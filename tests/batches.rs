//! Many questions at once are answered as one by one, in the same order, at every thread count and on every instruction
//! set; and questions by layer, singly and in batches, against brute force.

mod common;

use common::questions::{Known, Probe, answers};
use common::{Columns, Fleet, Random};
use triphase::geometry::RawAabb;
use triphase::query::{BatchResults, QueryBuilder};
use triphase::tier::point_grid::PointGrid;
use triphase::tier::static_tree::StaticTree;
use triphase::{Aabb, CastHit, Circle, Filter, Hit, Neighbor, Ray, Searched, Statics, WorldConfig};
use triphase_scenes::{Scene, SceneName};

const SEED: u64 = 0xba7c;

/// Around the edges of the blocks that batches are cut into, and in between.
const COUNTS: [usize; 7] = [0, 1, 255, 256, 257, 3, 900];

/// BatchResults that are kept from batch to batch, as a caller would.
struct Kept<H> {
    hits: BatchResults<H>,
    near: BatchResults<Neighbor<H>>,
    met: BatchResults<CastHit<H>>,
}

impl<H> Kept<H> {
    fn new() -> Self {
        Self { hits: BatchResults::new(), near: BatchResults::new(), met: BatchResults::new() }
    }
}

/// Whether each answer of each batch is that of the single question.
macro_rules! check_batches {
    ($ask:expr, $probes:expr, $kept:expr) => {{
        let (ask, probes, kept) = ($ask, $probes, $kept);
        let areas: Vec<Aabb> = probes.iter().map(|probe| probe.area).collect();
        ask.par_query_aabb(&areas, &mut kept.hits);
        assert_eq!((kept.hits.len(), kept.hits.is_empty()), (areas.len(), areas.is_empty()));
        assert!(areas.iter().zip(kept.hits.iter()).all(|(area, answer)| {
            let mut single = Vec::new();
            ask.query_aabb(*area).append_to(&mut single);
            single == answer
        }));
        let circles: Vec<Circle> = probes.iter().map(|probe| probe.circle).collect();
        ask.par_query_circle(&circles, &mut kept.hits);
        assert!(
            circles
                .iter()
                .zip(kept.hits.iter())
                .all(|(circle, answer)| { ask.query_circle(*circle).eq(answer.iter().copied()) })
        );
        for k in [1, 5, 40] {
            ask.par_k_nearest_within(&circles, k, &mut kept.near);
            let mut single = Vec::new();
            for (number, circle) in circles.iter().enumerate() {
                ask.k_nearest_within(*circle, k, &mut single);
                assert_eq!(single, kept.near.of(number), "{k} nearest in {circle:?}");
            }
        }
        let rays: Vec<Ray> = probes.iter().map(|probe| probe.ray).collect();
        ask.par_cast_ray(&rays, &mut kept.met);
        for (ray, answer) in rays.iter().zip(kept.met.iter()) {
            assert_eq!(ask.cast_ray(*ray).as_slice(), answer, "{ray:?}");
        }
    }};
}

fn columns(scene: &Scene) -> Columns {
    let columns = Columns::new(scene.centers.clone(), scene.half_extents.clone());
    Columns { ids: Some(scene.ids.clone()), ..columns }
}

#[test]
fn a_batch_is_its_questions_one_by_one() {
    for name in [SceneName::Castles, SceneName::Cities, SceneName::PowerLaw, SceneName::Empty, SceneName::One] {
        let mut fleet = Fleet::new(WorldConfig::new());
        let scene = Scene::new(name, 1200, SEED);
        fleet.set_statics(&scene.statics).unwrap();
        let columns = columns(&scene);
        fleet.each(|world| world.step(columns.bodies()).map(|contacts| contacts.body_pairs().len())).unwrap();
        let mut random = Random::new(SEED);
        for count in COUNTS {
            let mut probes = Probe::some(&columns.boxes(), &mut random, count);
            probes.truncate(count);
            let all = fleet.each(|world| {
                let mut kept = Kept::<Hit>::new();
                check_batches!(world.query(), &probes, &mut kept);
                let areas: Vec<Aabb> = probes.iter().map(|probe| probe.area).collect();
                world.query().par_query_aabb(&areas, &mut kept.hits);
                kept.hits.iter().map(<[Hit]>::to_vec).collect::<Vec<_>>()
            });
            assert_eq!(all.len(), count);
        }
    }
}

#[test]
fn answers_are_used_again_and_tiers_take_batches_too() {
    let boxes: Vec<RawAabb> = columns(&Scene::new(SceneName::Crowd, 2000, SEED)).boxes();
    let mut grid = PointGrid::new();
    grid.rebuild(&boxes, &mut Vec::new()).unwrap();
    let tree = StaticTree::new(&boxes).unwrap();
    let (mut kept, mut random) = (Kept::<u32>::new(), Random::new(SEED));
    for count in COUNTS {
        let mut probes = Probe::some(&boxes, &mut random, count);
        probes.truncate(count);
        check_batches!(grid.query(), &probes, &mut kept);
        check_batches!(tree.query(), &probes, &mut kept);
        check_batches!(tree.query().with_predicate(|row| row % 3 == 0), &probes, &mut kept);
    }
    assert!(kept.hits.bytes() > 0);
}

#[test]
fn by_layer_it_is_what_both_accept() {
    for (name, seed) in [(SceneName::Castles, 1), (SceneName::Dragons, 2), (SceneName::PowerLaw, 3)] {
        let scene = Scene::new(name, 900, SEED);
        let mut random = Random::new(seed);
        let mut filters = |count: usize| -> Vec<Filter> {
            (0..count).map(|_| Filter::new(random.index(16) as u32, random.index(16) as u32)).collect()
        };
        let (of_bodies, of_statics) = (filters(scene.centers.len()), filters(scene.statics.len()));
        let columns = columns(&scene);
        let mut fleet = Fleet::new(WorldConfig::new());
        fleet.each(|world| {
            world.set_statics(Statics::new(&scene.statics).with_filters(&of_statics)).unwrap();
            world.step(columns.bodies().with_filters(&of_bodies)).unwrap().body_pairs().len()
        });
        let known =
            Known::default().with_bodies(&columns.boxes(), columns.ids.as_deref()).with_statics(&scene.statics, None);
        let filter_of = |hit: Hit| match hit {
            Hit::Body { row, .. } => of_bodies[row as usize],
            Hit::Static { row, .. } => of_statics[row as usize],
        };
        for filter in [Filter::ALL, Filter::NONE, Filter::new(1, 2), Filter::new(7, 8), Filter::new(8, 15)] {
            let seen = known.only(|hit| filter_of(hit).interacts_with(filter));
            // Two are left out beside.
            let without = [seen.hits().first(), seen.hits().last()].map(|hit| match hit {
                Some(Hit::Body { row, .. }) => *row,
                _ => u32::MAX,
            });
            let left = seen.only(|hit| !matches!(hit, Hit::Body { row, .. } if without.contains(&row)));
            for probe in Probe::some(known.boxes(), &mut random, 12) {
                let found = fleet.each(|world| answers(world.query().filtered(filter), &probe));
                seen.check(&probe, &found).unwrap_or_else(|what| panic!("{name:?}, {filter:?}: {what}"));
                let ask = |ask: QueryBuilder<Searched<'_>>| answers(ask, &probe);
                let found = fleet.each(|world| ask(world.query().filtered(filter).exclude_bodies(&without)));
                left.check(&probe, &found).unwrap_or_else(|what| panic!("{name:?}, {filter:?}, without: {what}"));
            }
            let probes = Probe::some(known.boxes(), &mut random, 40);
            fleet.each(|world| check_batches!(world.query().filtered(filter), &probes, &mut Kept::<Hit>::new()));
        }
        let layers = |mask: u32| known.only(|hit| filter_of(hit).layers & mask != 0 && filter_of(hit).mask != 0);
        for probe in Probe::some(known.boxes(), &mut random, 8) {
            let found = fleet.each(|world| answers(world.query().in_layers(5), &probe));
            layers(5).check(&probe, &found).unwrap_or_else(|what| panic!("{name:?}, layers: {what}"));
        }
    }
}
