//! Queries of both grids against brute force.

use crate::geometry::{Aabb, AabbCast, Circle, Point, PreparedCast, RawAabb, Ray};
use crate::query::source::BATCH_LEN;
use crate::tier::DebugShape;
use crate::tier::box_test::BoxTest;
use crate::tier::loose_grid::rebuilt::grid::RebuiltGrid;
use crate::tier::loose_grid::tests::oracle::{Model, assert_queries, casts_over, points_over};
use crate::tier::loose_grid::tests::rebuilt::records;
use crate::tier::loose_grid::tests::scenes::{around, crowd, infinite_scenes, scenes};
use crate::tier::loose_grid::{LooseGrid, LooseHandle};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use triphase_scenes::SplitMix64;

fn aabb(b: RawAabb) -> Aabb {
    Aabb::new([b[0], b[1]], [b[2], b[3]]).expect("a finite box")
}

fn numbered(boxes: &[RawAabb]) -> Model<u32> {
    (0..).zip(boxes.iter().copied()).collect()
}

fn rebuilt(boxes: &[RawAabb]) -> RebuiltGrid {
    let mut grid = RebuiltGrid::default();
    grid.rebuild(&records(boxes));
    grid
}

fn filled(area: RawAabb, cell_size: f32, boxes: &[RawAabb]) -> (LooseGrid, Model<LooseHandle>) {
    let mut grid = LooseGrid::new(aabb(area), cell_size).expect("a valid size");
    let model = boxes.iter().map(|b| (grid.insert(aabb(*b)), *b)).collect();
    (grid, model)
}

#[test]
fn queries_of_a_rebuilt_grid_agree_with_brute_force() {
    for seed in 20..22 {
        let rng = &mut SplitMix64::new(seed);
        let mut all = scenes(rng);
        all.extend(infinite_scenes(rng));
        for (name, boxes) in all {
            let what = format!("{name}, seed {seed}");
            assert_queries(
                &rebuilt(&boxes),
                &numbered(&boxes),
                &points_over(&boxes, rng),
                &casts_over(&boxes, rng),
                &what,
            );
        }
    }
}

#[test]
fn queries_of_a_loose_grid_agree_with_brute_force() {
    let rng = &mut SplitMix64::new(31);
    for (name, boxes) in scenes(rng) {
        let (points, casts) = (points_over(&boxes, rng), casts_over(&boxes, rng));
        for (area, cell_size) in [([0.0, 0.0, 70.0, 70.0], 1.5), ([-3e7, -3e7, 3e7, 3e7], 0.1), ([5.0; 4], 1e30)] {
            let (mut grid, model) = filled(area, cell_size, &boxes);
            assert_queries(&grid, &model, &points, &casts, &format!("{name} in {area:?}"));
            grid.refit();
            assert_queries(&grid, &model, &points, &casts, &format!("{name} in {area:?}, after refit"));
        }
    }
}

#[test]
fn queries_agree_after_moves_and_removals() {
    for seed in 0..6 {
        let rng = &mut SplitMix64::new(40 + seed);
        let (mut grid, mut model) = filled([0.0, 0.0, 40.0, 40.0], 1.0, &crowd(800, rng));
        for step in 0..4 {
            for _ in 0..200 {
                let at = rng.below(model.len());
                let (x, y) = (rng.range(-20.0, 60.0), rng.range(-20.0, 60.0));
                let half = [0.0, 0.5, 3.0, 30.0][rng.below(4)];
                match rng.below(4) {
                    0 => {
                        let (handle, _) = model.swap_remove(at);
                        assert!(grid.remove(handle).is_some());
                    }
                    1 => model.push((grid.insert(aabb(around(x, y, half, 0.1))), around(x, y, half, 0.1))),
                    _ => {
                        model[at].1 = around(x, y, 0.1, half);
                        assert!(grid.set_aabb(model[at].0, aabb(model[at].1)));
                    }
                }
            }
            let boxes: Vec<_> = model.iter().map(|(_, b)| *b).collect();
            let (points, casts) = (points_over(&boxes, rng), casts_over(&boxes, rng));
            let what = format!("seed {seed}, step {step}");
            assert_queries(&grid, &model, &points, &casts, &what);
            if step == 2 {
                grid.refit();
                assert_queries(&grid, &model, &points, &casts, &format!("{what}, after refit"));
            }
        }
    }
}

#[test]
fn queries_agree_with_unlisted_cells() {
    let rng = &mut SplitMix64::new(51);
    let boxes: Vec<_> = (0..1024)
        .map(|k| {
            let half = if k % 3 == 0 { [5.0, 5.0] } else { [0.2, 30.0] };
            around((k % 32) as f32 + 0.5, (k / 32) as f32 + 0.5, half[0], half[1])
        })
        .collect();
    let (points, casts) = (points_over(&boxes, rng), casts_over(&boxes, rng));
    let (mut grid, model) = filled([0.0, 0.0, 32.0, 32.0], 1.0, &boxes);
    assert!(!grid.tight.unlisted().is_empty());
    assert_queries(&grid, &model, &points, &casts, "everywhere");
    grid.refit();
    assert!(grid.tight.unlisted().is_empty());
    assert_queries(&grid, &model, &points, &casts, "nowhere");
}

#[test]
fn queries_agree_when_groups_are_preferred() {
    let rng = &mut SplitMix64::new(52);
    let mut boxes: Vec<_> = (0..1500)
        .map(|_| around(rng.range(0.0, 1e3), rng.range(0.0, 1e3), rng.range(100.0, 400.0), rng.range(100.0, 400.0)))
        .collect();
    let grid = rebuilt(&boxes);
    assert!(grid.prefers_groups());
    let (points, casts) = (points_over(&boxes, rng), casts_over(&boxes, rng));
    assert_queries(&grid, &numbered(&boxes), &points, &casts, "huge ones");
    boxes.extend((0..100).map(|_| around(rng.range(400.0, 401.0), 500.0, 1e-3, 1e-3)));
    let grid = rebuilt(&boxes);
    assert_queries(&grid, &numbered(&boxes), &points, &casts, "huge ones and a crowd");
}

/// Small integer coordinates: boxes often touch and distances are often equal.
#[test]
fn small_integers_agree_with_brute_force() {
    for seed in 0..400 {
        let rng = &mut SplitMix64::new(1000 + seed);
        let mut at = |end: usize| rng.below(end) as f32;
        let side = 4 + seed as usize % 12;
        let boxes: Vec<_> = (0..at(60) as usize + 1)
            .map(|_| {
                let (x, y) = (at(side), at(side));
                [x, y, x + at(3), y + at(3)]
            })
            .collect();
        let points: Vec<_> = (0..12).map(|_| [at(side + 4) - 2.0, at(side + 4) - 2.0]).collect();
        let mut casts: Vec<PreparedCast> = Vec::new();
        for _ in 0..12 {
            let (origin, direction) = ([at(side + 4) - 2.0, at(side + 4) - 2.0], [at(7) - 3.0, at(7) - 3.0]);
            casts.push(Ray::new(origin, direction, [1.0, 3.0, f32::INFINITY][at(3) as usize]).expect("a ray").into());
            let start = [origin[0], origin[1], origin[0] + at(3), origin[1] + at(3)];
            casts.push(AabbCast::new(aabb(start), direction.map(|v| v * 3.0)).expect("a cast").into());
        }
        assert_queries(&rebuilt(&boxes), &numbered(&boxes), &points, &casts, &format!("rebuilt, seed {seed}"));
        let cell_size = [0.5, 1.0, 2.0, 5.0][at(4) as usize];
        let (grid, model) = filled([1.0, 1.0, 9.0, 7.0], cell_size, &boxes);
        assert_queries(&grid, &model, &points, &casts, &format!("loose, seed {seed}"));
    }
}

#[test]
fn area_query_is_lazy() {
    let (grid, _) = filled([0.0, 0.0, 70.0, 70.0], 1.5, &crowd(3000, &mut SplitMix64::new(61)));
    for hits in [0, 1, 5, 100] {
        let tested = AtomicUsize::new(0);
        let count = |_| {
            tested.fetch_add(1, Relaxed);
            true
        };
        let found = grid.query().with_predicate(&count).query_aabb(aabb([0.0, 0.0, 70.0, 70.0])).take(hits).count();
        let tested = tested.load(Relaxed);
        // A batch of hits ahead, and nothing before the first is taken.
        let is_lazy = tested < hits + BATCH_LEN && (hits > 0 || tested == 0);
        assert!(found == hits && tested >= hits && is_lazy, "{tested} for {hits}");
    }
}

#[test]
fn queries_from_far_away_end_soon() {
    let (grid, model) = filled([0.0, 0.0, 1000.0, 1000.0], 1.0, &crowd(3000, &mut SplitMix64::new(62)));
    // A search cell by cell would take years.
    for at in [1e9, -1e20, f32::MAX, f32::MIN] {
        let found = grid.query().nearest(Point::new([at, at]).expect("a point")).expect("something");
        assert!(found.distance > 1e8 && model.iter().any(|(handle, _)| *handle == found.target));
        for direction in [[-1.0, -1.0], [1.0, 1.0], [1e-45, 1.0], [-3e38, 3e38], [0.0, 0.0]] {
            let ray = Ray::new([at, at], direction, f32::INFINITY).expect("a ray");
            grid.query().cast_ray_any(ray);
        }
    }
    let none = LooseGrid::new(aabb([0.0, 0.0, 1.0, 1.0]), 1.0).expect("a grid");
    let none = none.query();
    let circle = Circle::new([0.0, 0.0], f32::INFINITY).expect("a circle");
    assert!(none.nearest_within(circle).is_none() && none.query_circle(circle).first().is_none());
}

#[test]
fn an_empty_grid_finds_nothing() {
    for grid in [RebuiltGrid::default(), rebuilt(&[]), rebuilt(&crowd(50, &mut SplitMix64::new(1)))] {
        let mut grid = grid;
        grid.rebuild(&[]);
        let ray = Ray::new([0.0, 0.0], [1.0, 1.0], f32::INFINITY).expect("a ray");
        grid.visit_nearest([0.0, 0.0], f64::INFINITY, &mut |row, _| panic!("{row}"));
        grid.visit_cast(&ray.into(), f64::INFINITY, &mut |row, _| panic!("{row}"));
        assert_eq!(grid.box_query([0.0, 0.0, 9.0, 9.0], BoxTest::Untested).count(), 0);
        grid.visit_debug_shapes(|shape| panic!("{shape:?}"));
    }
    let untouched = RebuiltGrid::default();
    assert_eq!(untouched.box_query([0.0; 4], BoxTest::Untested).count(), 0);
    untouched.visit_debug_shapes(|shape| panic!("{shape:?}"));
}

#[test]
fn debug_shapes_count_all_boxes() {
    fn count(shape: &DebugShape, bodies: &mut usize, listed_in: &mut Vec<RawAabb>) {
        match *shape {
            DebugShape::LooseCell { aabb, population } => {
                assert!(aabb[0] <= aabb[2] && aabb[1] <= aabb[3] && population > 0);
                *bodies += population;
            }
            DebugShape::TightCell { aabb, listed } => {
                assert!(aabb[0] <= aabb[2] && aabb[1] <= aabb[3] && listed > 0, "{aabb:?}");
                listed_in.push(aabb);
            }
            other => panic!("{other:?}"),
        }
    }
    for (name, boxes) in scenes(&mut SplitMix64::new(71)) {
        let (grid, _) = filled([0.0, 0.0, 70.0, 70.0], 1.5, &boxes);
        let (mut bodies, mut tight) = (0, Vec::new());
        grid.visit_debug_shapes(|shape| count(&shape, &mut bodies, &mut tight));
        assert_eq!(bodies, boxes.len(), "{name}");
        if name == "crowd" {
            let whole = |b: &&RawAabb| b.iter().all(|edge| edge.is_finite());
            let rim = tight.iter().filter(|b| !whole(b)).count();
            assert!(rim > 40 && rim < tight.len(), "{rim} of {} tight cells are at the rim", tight.len());
            assert!(tight.iter().filter(whole).all(|b| (b[2] - b[0] - 3.0).abs() < 0.1), "tight cells are two wide");
        }
        let (mut bodies, mut tight) = (0, Vec::new());
        rebuilt(&boxes).visit_debug_shapes(|shape| count(&shape, &mut bodies, &mut tight));
        assert_eq!(bodies, boxes.len(), "{name}");
    }
}
