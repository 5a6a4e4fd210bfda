//! Query shapes: invalid ones are refused when they are created, and small worlds in which most
//! boxes touch and most distances are equal match brute force.

use proptest::collection::vec;
use proptest::prelude::*;
use triphase::geometry::RawAabb;
use triphase::{Aabb, AabbCast, Circle, Hit, InvalidShape, Point, Ray, WorldConfig};
use triphase_tests::query_oracle::{Probe, QueryOracle, run_queries};
use triphase_tests::{Columns, WorldSet, settings};

/// Boxes of whole numbers, so that edges, corners, centres and distances coincide.
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
    #![proptest_config(settings("query_shapes", 300))]

    #[test]
    fn queries_with_ties_match_brute_force(
        bodies in on_a_grid(80),
        statics in on_a_grid(80),
        disabled in vec(any::<prop::sample::Index>(), 0..6),
        bound in prop_oneof![3 => Just(None), 1 => Just(Some(0.5f32)), 1 => Just(Some(1.0))],
        probes in vec(probe(), 1..6),
    ) {
        let config = WorldConfig::new();
        let mut worlds = WorldSet::new(bound.map_or(config.clone(), |bound| config.with_bound(bound)));
        worlds.set_statics(&statics).unwrap();
        let columns = Columns::aabbs(bodies);
        worlds.each(|world| world.step(columns.bodies()).is_ok());
        let mut oracle = QueryOracle::new(&columns, &statics);
        for at in disabled.iter().filter(|_| !statics.is_empty()) {
            let off = at.index(statics.len()) as u32;
            worlds.each(|world| world.set_static_enabled(off, false)).unwrap();
            oracle = oracle.only(&|hit| hit != Hit::Static { row: off, id: None });
        }
        for probe in &probes {
            let found = worlds.each(|world| run_queries(world.query(), probe));
            oracle.check(probe, &found).map_err(TestCaseError::fail)?;
        }
    }
}

#[test]
fn invalid_shapes_are_refused_when_created() {
    fn check<T>(result: Result<T, InvalidShape>, shape: &str, part: &str, value: f32) {
        let Err(error) = result else { panic!("{shape} with {part} of {value} was accepted") };
        assert_eq!((error.shape, error.part, error.value.to_bits()), (shape, part, value.to_bits()));
    }
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let aabb = Aabb::new([0.0, 0.0], [1.0, 1.0]).unwrap();
        for (axis, letter) in [(0, 'x'), (1, 'y')] {
            let mut point = [0.0, 0.0];
            point[axis] = bad;
            check(Point::new(point), "point", &letter.to_string(), bad);
            check(Circle::new(point, 1.0), "circle", &format!("center.{letter}"), bad);
            check(Ray::new(point, [1.0, 0.0], 1.0), "ray", &format!("origin.{letter}"), bad);
            check(Ray::new([0.0, 0.0], point, 1.0), "ray", &format!("direction.{letter}"), bad);
            check(AabbCast::new(aabb, point), "AABB cast", &format!("displacement.{letter}"), bad);
        }
        for (edge, part) in ["min.x", "min.y", "max.x", "max.y"].into_iter().enumerate() {
            let mut edges = [0.0, 0.0, 1.0, 1.0];
            edges[edge] = bad;
            let [a, b, c, d] = edges;
            check(Aabb::new([a, b], [c, d]), "AABB", part, bad);
        }
    }
    for bad in [f32::NAN, f32::NEG_INFINITY, -1.5, -f32::from_bits(1)] {
        check(Circle::new([0.0, 0.0], bad), "circle", "radius", bad);
        check(Ray::new([0.0, 0.0], [1.0, 0.0], bad), "ray", "max_time_of_impact", bad);
    }
    check(Aabb::new([1.0, 0.0], [0.25, 2.0]), "AABB", "max.x", 0.25);
    check(Aabb::new([0.0, 2.0], [0.25, 1.0]), "AABB", "max.y", 1.0);
}

#[test]
fn unusual_valid_shapes_are_accepted() {
    assert!(Circle::new([0.0, 0.0], f32::INFINITY).is_ok() && Circle::new([0.0, 0.0], -0.0).is_ok());
    assert!(Ray::new([f32::MAX, f32::MIN], [0.0, -0.0], f32::INFINITY).is_ok());
    assert!(Aabb::new([f32::MIN, -0.0], [f32::MAX, 0.0]).is_ok());
}
