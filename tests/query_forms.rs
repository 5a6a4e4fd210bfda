//! What is asked with and what is answered into: shapes are refused when they are made, nothing is allocated, and small
//! worlds where nearly everything touches and ties are answered as by brute force.

mod common;

use common::counting::{ALLOCATIONS, Counting, Watch};
use common::questions::{Known, Probe, answers};
use common::{Columns, Fleet, Random, sequential, settings};
use proptest::collection::vec;
use proptest::prelude::*;
use std::sync::atomic::Ordering::SeqCst;
use triphase::geometry::RawAabb;
use triphase::query::BatchResults;
use triphase::{Aabb, AabbCast, Bodies, Circle, Hit, Point, Ray, WorldConfig};
use triphase_scenes::{Scene, SceneName};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Whole numbers, so that edges, corners, centres and distances coincide.
fn on_a_grid(count: usize) -> impl Strategy<Value = Vec<RawAabb>> {
    let row = (0..16i32, 0..16i32, 0..5i32, 0..5i32, 0..30u8).prop_map(|(x, y, w, h, large)| {
        let [w, h] = if large == 0 { [w * 4, h * 4] } else { [w, h] };
        [x, y, x + w, y + h].map(|v| v as f32)
    });
    vec(row, 0..=count)
}

fn probe() -> impl Strategy<Value = Probe> {
    let whole = || (-3..20i32).prop_map(|v| v as f32);
    let step = || (-4..=4i32).prop_map(|v| v as f32);
    let max = prop_oneof![Just(0.0f32), Just(0.5), Just(1.0), Just(3.0), Just(f32::MAX), Just(f32::INFINITY)];
    let radius = prop_oneof![(0..8i32).prop_map(|v| v as f32), Just(5f32.sqrt()), Just(f32::INFINITY)];
    ([whole(), whole()], [0..7i32, 0..7i32], [whole(), whole()], radius, [step(), step()], max).prop_map(
        |([x, y], [w, h], at, radius, direction, max)| {
            Probe::new([x, y, x + w as f32, y + h as f32], at, radius, direction, max)
        },
    )
}

proptest! {
    #![proptest_config(settings("tests/query_forms.seeds", 300))]

    #[test]
    fn small_worlds_on_a_grid(
        bodies in on_a_grid(80),
        statics in on_a_grid(80),
        disabled in vec(any::<prop::sample::Index>(), 0..6),
        bound in prop_oneof![3 => Just(None), 1 => Just(Some(0.5f32)), 1 => Just(Some(1.0))],
        probes in vec(probe(), 1..6),
    ) {
        let config = WorldConfig::new();
        let mut fleet = Fleet::new(bound.map_or(config.clone(), |bound| config.with_bound(bound)));
        fleet.set_statics(&statics).unwrap();
        let columns = Columns::aabbs(bodies);
        fleet.each(|world| world.step(columns.bodies()).is_ok());
        let mut known = Known::default().with_bodies(&columns.boxes(), None).with_statics(&statics, None);
        for at in disabled.iter().filter(|_| !statics.is_empty()) {
            let off = at.index(statics.len()) as u32;
            fleet.each(|world| world.set_static_enabled(off, false)).unwrap();
            known = known.only(|hit| hit != Hit::Static { row: off, id: None });
        }
        for probe in &probes {
            let found = fleet.each(|world| answers(world.query(), probe));
            known.check(probe, &found).map_err(TestCaseError::fail)?;
        }
    }
}

#[test]
fn bad_shapes_are_refused_when_made() {
    let told = |error: &dyn std::error::Error, words: [&str; 3]| {
        let message = error.to_string();
        assert!(words.iter().all(|word| message.contains(word)), "{message}, expected {words:?}");
    };
    for (bad, name) in [(f32::NAN, "NaN"), (f32::INFINITY, "inf"), (f32::NEG_INFINITY, "-inf")] {
        told(&Point::new([bad, 0.0]).unwrap_err(), ["point", "x", name]);
        told(&Point::new([0.0, bad]).unwrap_err(), ["point", "y", name]);
        told(&Circle::new([bad, 0.0], 1.0).unwrap_err(), ["circle", "center.x", name]);
        told(&Circle::new([0.0, bad], 1.0).unwrap_err(), ["circle", "center.y", name]);
        told(&Ray::new([bad, 0.0], [1.0, 0.0], 1.0).unwrap_err(), ["ray", "origin.x", name]);
        told(&Ray::new([0.0, bad], [1.0, 0.0], 1.0).unwrap_err(), ["ray", "origin.y", name]);
        told(&Ray::new([0.0, 0.0], [bad, 0.0], 1.0).unwrap_err(), ["ray", "direction.x", name]);
        told(&Ray::new([0.0, 0.0], [0.0, bad], 1.0).unwrap_err(), ["ray", "direction.y", name]);
        let aabb = Aabb::new([0.0, 0.0], [1.0, 1.0]).unwrap();
        told(&AabbCast::new(aabb, [bad, 0.0]).unwrap_err(), ["AABB cast", "displacement.x", name]);
        told(&AabbCast::new(aabb, [0.0, bad]).unwrap_err(), ["AABB cast", "displacement.y", name]);
        for edge in 0..4 {
            let mut edges = [0.0, 0.0, 1.0, 1.0];
            edges[edge] = bad;
            let [a, b, c, d] = edges;
            told(&Aabb::new([a, b], [c, d]).unwrap_err(), ["AABB", "must be", name]);
        }
    }
    for (bad, name) in [(f32::NAN, "NaN"), (f32::NEG_INFINITY, "-inf"), (-1.5, "-1.5"), (-f32::from_bits(1), "-0.0")] {
        told(&Circle::new([0.0, 0.0], bad).unwrap_err(), ["circle", "radius", name]);
        told(&Ray::new([0.0, 0.0], [1.0, 0.0], bad).unwrap_err(), ["ray", "max", name]);
    }
    told(&Aabb::new([1.0, 0.0], [0.25, 2.0]).unwrap_err(), ["AABB", "max.x is 0.25", "must be >= 1"]);
    told(&Aabb::new([0.0, 2.0], [0.25, 1.0]).unwrap_err(), ["AABB", "max.y is 1", "must be >= 2"]);
    // What is legal though it may look odd.
    assert!(Circle::new([0.0, 0.0], f32::INFINITY).is_ok() && Circle::new([0.0, 0.0], -0.0).is_ok());
    assert!(Ray::new([f32::MAX, f32::MIN], [0.0, -0.0], f32::INFINITY).is_ok());
    assert!(Aabb::new([f32::MIN, -0.0], [f32::MAX, 0.0]).is_ok());
}

#[test]
fn questions_allocate_nothing() {
    let _watch = Watch::start();
    for name in [SceneName::Castles, SceneName::PowerLaw, SceneName::Beams, SceneName::Cities] {
        let scene = Scene::new(name, 3000, 7);
        let mut world = sequential();
        let rows = scene.centers.iter().zip(&scene.half_extents);
        let boxes: Vec<RawAabb> = rows.map(|([x, y], [w, h])| [x - w, y - h, x + w, y + h]).collect();
        world.set_statics(if scene.statics.is_empty() { &boxes[..500] } else { &scene.statics[..] }).unwrap();
        world.step(Bodies::new(&scene.centers, &scene.half_extents).with_ids(&scene.ids)).unwrap();
        let reader = world.reader();
        let probes = Probe::some(&boxes, &mut Random::new(8), 40);
        // `k_nearest` holds up to twice as many while it looks.
        let (mut hits, mut near, mut met) =
            (Vec::with_capacity(10_000), Vec::with_capacity(10_000), Vec::with_capacity(20_000));
        let before = ALLOCATIONS.load(SeqCst);
        let mut found = 0;
        for &Probe { area, point, circle, ray, sweep } in &probes {
            let ask = world.query();
            hits.clear();
            found += ask.query_aabb(area).append_to(&mut hits);
            found += ask.query_contained_in(area).count() + ask.query_containing(point).count();
            found += ask.query_candidates(area).count() + ask.query_circle(circle).count();
            found += ask.with_predicate(|hit| matches!(hit, Hit::Body { .. })).query_aabb(area).count();
            found += ask.only_bodies().exclude_bodies(&[1, 2]).query_circle(circle).count();
            for k in [0, 1, 8, 33, 1000, usize::MAX] {
                ask.k_nearest(point, k, &mut near);
                found += near.len();
                ask.k_nearest_within(circle, k, &mut near);
            }
            ask.within(circle, &mut near);
            found += usize::from(ask.nearest(point).is_some()) + usize::from(ask.nearest_within(circle).is_some());
            ask.cast_ray_all(ray, &mut met);
            ask.cast_aabb_all(sweep, &mut met);
            found += met.len() + usize::from(ask.cast_ray(ray).is_some()) + usize::from(ask.cast_ray_any(ray));
            found += usize::from(ask.cast_aabb(sweep).is_some()) + usize::from(ask.cast_aabb_any(sweep));
            let frame = reader.latest();
            found += frame.query_aabb(area).count() + usize::from(frame.query().nearest(point).is_some());
        }
        assert_eq!(ALLOCATIONS.load(SeqCst) - before, 0, "{name}");
        assert!(found > 10_000, "{name}: {found}");
    }
}

#[test]
fn batches_of_other_sizes_leave_the_memory_of_larger_ones() {
    let _watch = Watch::start();
    let scene = Scene::new(SceneName::Castles, 3000, 7);
    let mut world = sequential();
    world.step(Bodies::new(&scene.centers, &scene.half_extents)).unwrap();
    let around = |center: &[f32; 2]| Aabb::from_half_extents(*center, [3.0, 3.0]).unwrap();
    let areas: Vec<Aabb> = scene.centers.iter().map(around).collect();
    let mut answers = BatchResults::new();
    world.query().par_query_aabb(&areas, &mut answers);
    let before = ALLOCATIONS.load(SeqCst);
    for count in [10, 0, 257, 3000, 1] {
        world.query().par_query_aabb(&areas[..count], &mut answers);
        assert_eq!(answers.len(), count);
        let same = |(area, answer): (&Aabb, &[Hit])| world.query_aabb(*area).eq(answer.iter().copied());
        assert!(areas.iter().zip(answers.iter()).all(same), "{count}");
    }
    assert_eq!(ALLOCATIONS.load(SeqCst) - before, 0);
}
