//! Queries allocate nothing but what a caller's buffer grows by.

use triphase::query::BatchResults;
use triphase::{Aabb, Bodies, Hit};
use triphase_scenes::{Scene, SceneName, SplitMix64};
use triphase_tests::allocation_counter::Watch;
use triphase_tests::query_oracle::Probe;
use triphase_tests::sequential;

#[test]
fn queries_allocate_nothing() {
    let watch = Watch::start();
    for name in [SceneName::Castles, SceneName::PowerLaw, SceneName::Beams, SceneName::Cities] {
        let scene = Scene::new(name, 3000, 7);
        let mut world = sequential();
        let boxes = scene.boxes();
        world.set_statics(if scene.statics.is_empty() { &boxes[..500] } else { &scene.statics[..] }).unwrap();
        world.step(Bodies::new(&scene.centers, &scene.half_extents).with_ids(&scene.ids)).unwrap();
        let reader = world.reader();
        let probes = Probe::random(&boxes, &mut SplitMix64::new(8), 40);
        // `k_nearest` holds up to twice as many neighbours while it searches.
        let (mut hits, mut near, mut cast_hits) =
            (Vec::with_capacity(10_000), Vec::with_capacity(10_000), Vec::with_capacity(20_000));
        let mut found = 0;
        let allocations = watch.allocations(|| {
            for &Probe { area, point, circle, ray, cast } in &probes {
                let query = world.query();
                hits.clear();
                found += query.query_aabb(area).append_to(&mut hits);
                found += query.query_contained_in(area).count() + query.query_point(point).count();
                found += query.query_candidates(area).count() + query.query_circle(circle).count();
                found += query.with_predicate(&|hit| matches!(hit, Hit::Body { .. })).query_aabb(area).count();
                found += query.only_bodies().exclude_bodies(&[1, 2]).query_circle(circle).count();
                for k in [0, 1, 8, 33, 1000, usize::MAX] {
                    query.k_nearest(point, k, &mut near);
                    found += near.len();
                    query.k_nearest_within(circle, k, &mut near);
                }
                query.query_circle_sorted(circle, &mut near);
                found +=
                    usize::from(query.nearest(point).is_some()) + usize::from(query.nearest_within(circle).is_some());
                query.cast_ray_all(ray, &mut cast_hits);
                query.cast_aabb_all(cast, &mut cast_hits);
                found += cast_hits.len();
                found += usize::from(query.cast_ray(ray).is_some()) + usize::from(query.cast_ray_any(ray));
                found += usize::from(query.cast_aabb(cast).is_some()) + usize::from(query.cast_aabb_any(cast));
                let snapshot = reader.latest();
                found += snapshot.query_aabb(area).count() + usize::from(snapshot.query().nearest(point).is_some());
            }
        });
        assert_eq!(allocations, 0, "{name}");
        assert!(found > 10_000, "{name}: {found}");
    }
}

#[test]
fn repeated_batches_of_any_size_allocate_nothing() {
    let watch = Watch::start();
    let scene = Scene::new(SceneName::Castles, 3000, 7);
    let mut world = sequential();
    world.step(Bodies::new(&scene.centers, &scene.half_extents)).unwrap();
    let around = |center: &[f32; 2]| Aabb::from_half_extents(*center, [3.0, 3.0]).unwrap();
    let areas: Vec<Aabb> = scene.centers.iter().map(around).collect();
    let mut results = BatchResults::new();
    let mut run_batches = || {
        for count in [10, 0, 257, 3000, 1] {
            world.query().par_query_aabb(&areas[..count], &mut results);
            assert_eq!(results.len(), count);
            let same = |(area, hits): (&Aabb, &[Hit])| world.query_aabb(*area).eq(hits.iter().copied());
            assert!(areas.iter().zip(results.iter()).all(same), "{count}");
        }
    };
    run_batches();
    let allocations = watch.allocations(run_batches);
    assert_eq!(allocations, 0);
}
