//! Every query on every scene against brute force with the predicates of `geometry`.

use crate::geometry::{
    Aabb, AabbCast, Circle, Point, PreparedCast, RawAabb, Ray, contains, distance_squared, overlaps,
};
use crate::query::{CastHit, Neighbor};
use crate::tier::DebugShape;
use crate::tier::box_test::BoxTest;
use crate::tier::static_tree::batches::ENTRY_BATCH;
use crate::tier::static_tree::subtree::DEPTH_MAX;
use crate::tier::static_tree::tests::scenes::{INF, areas, at, boxes, scenes, walls};
use crate::tier::static_tree::tree::StaticTree;
use triphase_scenes::SplitMix64;

fn enabled(tree: &StaticTree) -> impl Iterator<Item = (u32, &RawAabb)> {
    (0..).zip(tree.raw_boxes()).filter(|&(row, _)| tree.is_enabled(row) == Some(true))
}

fn sorted(rows: impl IntoIterator<Item = u32>) -> Vec<u32> {
    let mut rows: Vec<u32> = rows.into_iter().collect();
    rows.sort_unstable();
    rows
}

fn all_that(tree: &StaticTree, test: impl Fn(&RawAabb) -> bool) -> Vec<u32> {
    enabled(tree).filter(|(_, aabb)| test(aabb)).map(|(row, _)| row).collect()
}

/// A predicate of hits for some of the checks.
fn is_wanted(row: u32) -> bool {
    row % 5 != 2
}

fn check_area(name: &str, tree: &StaticTree, area: RawAabb) {
    let near = sorted(tree.box_query(area, BoxTest::Untested));
    assert!(near.windows(2).all(|pair| pair[0] < pair[1]), "{name}: {area:?}: a row is near twice");
    assert!(near.iter().all(|&row| tree.is_enabled(row) == Some(true)), "{name}: {area:?}: one is disabled");
    let wanted = all_that(tree, |aabb| overlaps(aabb, &area));
    assert!(wanted.iter().all(|row| near.binary_search(row).is_ok()), "{name}: {area:?}: one is not near");
    assert_eq!(sorted(tree.box_query(area, BoxTest::Overlap)), wanted, "{name}: {area:?}");
    // A few by `next`, the others by `for_each`.
    let mut drawn = tree.box_query(area, BoxTest::Overlap);
    let mut rows: Vec<u32> = drawn.by_ref().take(3).collect();
    drawn.for_each(|row| rows.push(row));
    assert_eq!(sorted(rows), wanted, "{name}: {area:?}, drawn");
    let Ok(area) = Aabb::new([area[0], area[1]], [area[2], area[3]]) else {
        return;
    };
    let (raw, query) = (area.to_array(), tree.query());
    let [x, y, ..] = raw;
    assert_eq!(
        sorted(query.query_contained_in(area)),
        all_that(tree, |aabb| contains(&raw, aabb)),
        "{name}: in {raw:?}"
    );
    assert_eq!(
        sorted(query.query_containing(area)),
        all_that(tree, |aabb| contains(aabb, &raw)),
        "{name}: around {raw:?}"
    );
    let point = Point::new([x, y]).unwrap();
    let around = all_that(tree, |aabb| contains(aabb, &[x, y, x, y]));
    assert_eq!(sorted(query.query_point(point)), around, "{name}: around {point:?}");
    let wanted: Vec<u32> = wanted.into_iter().filter(|&row| is_wanted(row)).collect();
    assert_eq!(sorted(query.with_predicate(&is_wanted).query_aabb(area)), wanted, "{name}: {raw:?}, of those wanted");
    assert_eq!(
        query.with_predicate(&is_wanted).query_aabb(area).exists(),
        !wanted.is_empty(),
        "{name}: any in {raw:?}"
    );
}

fn check_nearest(name: &str, tree: &StaticTree, at: [f32; 2], radius: f32) {
    let point = Point::new(at).unwrap();
    let mut wanted: Vec<(f64, u32)> = enabled(tree).map(|(row, aabb)| (distance_squared(aabb, at), row)).collect();
    let mut visited = Vec::new();
    tree.visit_nearest(at, f64::INFINITY, &mut |row, distance| {
        visited.push((distance, row));
        f64::INFINITY
    });
    wanted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    visited.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    assert!(visited == wanted, "{name}: all as seen from {at:?}, each once");

    let found = |(distance, hit): &(f64, u32)| Neighbor { target: *hit, distance: distance.sqrt() };
    let (mut nearest, count) = (vec![Neighbor { target: 9, distance: 9.0 }], wanted.len());
    for k in [0, 1, 2, 8, 32, 33, 100, count.max(1) - 1, count, count + 5] {
        tree.query().k_nearest(point, k, &mut nearest);
        let wanted: Vec<_> = wanted.iter().take(k).map(found).collect();
        assert!(nearest == wanted, "{name}: {k} nearest to {at:?}");
    }
    assert_eq!(tree.query().nearest(point), wanted.first().map(found), "{name}: nearest to {at:?}");
    let circle = Circle::new(at, radius).unwrap();
    let inside: Vec<_> =
        wanted.iter().filter(|(distance, _)| *distance <= f64::from(radius) * f64::from(radius)).collect();
    tree.query().query_circle_sorted(circle, &mut nearest);
    assert!(nearest.iter().copied().eq(inside.iter().map(|&at| found(at))), "{name}: within {radius} of {at:?}");
    tree.query().k_nearest_within(circle, 3, &mut nearest);
    assert!(nearest.iter().copied().eq(inside.iter().take(3).map(|&at| found(at))), "{name}: 3 of {circle:?}");
    assert_eq!(
        tree.query().nearest_within(circle),
        inside.first().map(|&at| found(at)),
        "{name}: nearest in {circle:?}"
    );
    let rows = sorted(inside.iter().map(|at| at.1));
    assert_eq!(sorted(tree.query().query_circle(circle)), rows, "{name}: {circle:?}");
    let best = wanted.iter().find(|at| is_wanted(at.1)).map(found);
    assert_eq!(
        tree.query().with_predicate(&is_wanted).nearest(point),
        best,
        "{name}: nearest to {at:?}, of those wanted"
    );
}

fn check_ray(name: &str, tree: &StaticTree, ray: Ray) {
    let wanted = expected_hits(tree, ray.into());
    let (query, mut found) = (tree.query(), Vec::new());
    query.cast_ray_all(ray, &mut found);
    assert!(found == wanted, "{name}: {ray:?} hit {found:?}, expected {wanted:?}");
    assert_eq!(query.cast_ray(ray), wanted.first().copied(), "{name}: {ray:?}");
    assert_eq!(query.cast_ray_any(ray), !wanted.is_empty(), "{name}: {ray:?}");
    let first = wanted.iter().find(|hit| is_wanted(hit.target)).copied();
    assert_eq!(query.with_predicate(&is_wanted).cast_ray(ray), first, "{name}: {ray:?}, of those wanted");
}

fn check_aabb_cast(name: &str, tree: &StaticTree, cast: AabbCast) {
    let wanted = expected_hits(tree, cast.into());
    let (query, mut found) = (tree.query(), Vec::new());
    query.cast_aabb_all(cast, &mut found);
    assert!(found == wanted, "{name}: {cast:?} hit {found:?}, expected {wanted:?}");
    assert_eq!(query.cast_aabb(cast), wanted.first().copied(), "{name}: {cast:?}");
    assert_eq!(query.cast_aabb_any(cast), !wanted.is_empty(), "{name}: {cast:?}");
}

fn expected_hits(tree: &StaticTree, cast: PreparedCast) -> Vec<CastHit<u32>> {
    let entries = enabled(tree).filter_map(|(target, aabb)| {
        let impact = cast.impact(aabb, cast.max_time)?;
        let normal = cast.normal(&impact);
        Some(CastHit { target, time_of_impact: impact.time, normal })
    });
    let mut hits: Vec<_> = entries.collect();
    hits.sort_by(|a, b| a.time_of_impact.total_cmp(&b.time_of_impact).then(a.target.cmp(&b.target)));
    hits
}

/// Finite corners of the areas, and points next to them.
fn points(areas: &[RawAabb], random: &mut SplitMix64, count: usize) -> Vec<[f32; 2]> {
    let mut points = vec![[0.0, 0.0], [f32::MAX, f32::MAX], [f32::MIN, 1.0], [f32::MIN_POSITIVE, -0.0]];
    while points.len() < count {
        let [area, other] = [0; 2].map(|_| areas[random.below(areas.len())]);
        let (edge, step) = (2 * random.below(2), random.below(4));
        let point = match step {
            0 => [area[edge], area[edge + 1]],
            1 => [area[edge].next_up(), area[edge + 1].next_down()],
            2 => [area[0] * 0.5 + area[2] * 0.5, area[1] * 0.5 + area[3] * 0.5],
            _ => [area[edge], other[edge + 1]],
        };
        if point.iter().all(|v| v.is_finite()) {
            points.push(point);
        }
    }
    points
}

/// Rays from point to point, along the axes, and without motion.
fn rays(points: &[[f32; 2]]) -> Vec<Ray> {
    let mut rays = Vec::new();
    for (k, pair) in points.windows(2).enumerate() {
        let ([x, y], [to_x, to_y]) = (pair[0], pair[1]);
        let (by_x, by_y) = (to_x - x, to_y - y);
        let directions = [[by_x, by_y], [by_x, 0.0], [-0.0, by_y], [1.0, -1.0], [0.0, 0.0], [-1e-20, 1e-20]];
        for (n, direction) in directions.into_iter().enumerate() {
            let max = [1.0, f32::INFINITY, 0.5, 0.0, f32::MAX][(k + n) % 5];
            rays.extend(Ray::new([x, y], direction, max).ok());
        }
    }
    rays
}

fn aabb_casts(points: &[[f32; 2]], areas: &[RawAabb]) -> Vec<AabbCast> {
    let starts = areas.iter().filter_map(|&[a, b, c, d]| Aabb::new([a, b], [c, d]).ok());
    let all = starts.zip(points.iter().cycle()).enumerate().filter_map(|(k, (start, &to))| {
        let by = [to[0] - start.min()[0], to[1] - start.min()[1]];
        AabbCast::new(start, [by, [by[0], 0.0], [0.0, -by[1]], [0.0, 0.0]][k % 4]).ok()
    });
    all.collect()
}

pub(super) fn check_all(name: &str, tree: &StaticTree, areas: &[RawAabb], random: &mut SplitMix64, count: usize) {
    areas.iter().for_each(|area| check_area(name, tree, *area));
    let points = points(areas, random, count);
    for (k, &at) in points.iter().enumerate() {
        let [x, y] = points[(k + 1) % points.len()];
        check_nearest(name, tree, at, [0.0, (x - at[0]).abs().min(f32::MAX), (y - at[1]).hypot(x - at[0]), 1.0][k % 4]);
        tree.sort_key(at);
    }
    rays(&points).into_iter().for_each(|ray| check_ray(name, tree, ray));
    aabb_casts(&points, areas).into_iter().for_each(|cast| check_aabb_cast(name, tree, cast));
}

#[test]
fn queries_of_every_scene_are_exact() {
    for (seed, (name, boxes)) in scenes().into_iter().enumerate() {
        let mut tree = StaticTree::new(&boxes).unwrap();
        let (areas, mut random) = (areas(&boxes, &tree, 90 + seed as u64), SplitMix64::new(seed as u64));
        let count = if boxes.len() > 10_000 { 8 } else { 16 };
        check_all(name, &tree, &areas, &mut random, count);
        for row in (0..boxes.len() as u32).step_by(3) {
            tree.set_enabled(row, false).unwrap();
        }
        check_all(name, &tree, &areas[..areas.len().min(20)], &mut random, 8);
    }
}

#[test]
fn queries_on_a_small_grid_are_exact() {
    for seed in 0..64 {
        let mut random = SplitMix64::new(seed);
        let (count, side) = (1 + random.below(499), 4 << random.below(5));
        // Integer coordinates: edges, corners, cuts, origins and distances often coincide.
        let mut any = |longest: usize| {
            let (width, height) = (random.below(longest + 1) as f32, random.below(longest + 1) as f32);
            at(random.below(side) as f32, random.below(side) as f32, width, height)
        };
        let statics = boxes(count, |_| any(6));
        let mut tree = StaticTree::new(&statics).unwrap();
        let areas = boxes(12, |_| any(12));
        for row in 0..count as u32 {
            tree.set_enabled(row, random.below(4) != 0).unwrap();
        }
        check_all(&format!("seed {seed}"), &tree, &areas, &mut random, 24);
    }
}

#[test]
fn first_hit_tests_few_entries() {
    let all = [-INF, -INF, INF, INF];
    let stack = StaticTree::new(&vec![at(5.0, 5.0, 2.0, 2.0); 3000]).unwrap();
    let mut hits = stack.box_query(all, BoxTest::Overlap);
    assert!(hits.next().is_some());
    assert_eq!(hits.left.len(), 3000 - ENTRY_BATCH);
}

#[test]
fn nearest_visits_few_statics() {
    let tree = StaticTree::new(&walls(20_000, 9, [-700.0, -700.0])).unwrap();
    let (mut random, mut visited, times) = (SplitMix64::new(3), 0, 500);
    for _ in 0..times {
        let (at, mut best) = ([random.range(-700.0, 700.0), random.range(-700.0, 700.0)], f64::INFINITY);
        let end = tree.visit_nearest(at, best, &mut |_, distance| {
            visited += 1;
            best = best.min(distance);
            best
        });
        assert_eq!(end, best);
    }
    assert!(visited < 8 * times, "{visited} visited");
    let mut visited = 0;
    tree.visit_nearest([0.0, 0.0], f64::INFINITY, &mut |_, _| {
        visited += 1;
        -1.0
    });
    tree.visit_cast(&Ray::new([0.0, 0.0], [1.0, 0.5], INF).unwrap().into(), f64::INFINITY, &mut |_, _| {
        visited += 1;
        -1.0
    });
    assert_eq!(visited, 2, "a negative limit ends the search");
}

#[test]
fn cast_visits_few_statics() {
    let tree = StaticTree::new(&walls(20_000, 9, [-700.0, -700.0])).unwrap();
    let (mut random, mut visited, times) = (SplitMix64::new(4), 0, 500);
    for _ in 0..times {
        let origin = [random.range(-700.0, 700.0), random.range(-700.0, 700.0)];
        let ray = Ray::new(origin, [random.range(-1.0, 1.0), random.range(-1.0, 1.0)], INF).unwrap();
        let mut t_max = f64::INFINITY;
        tree.visit_cast(&ray.into(), t_max, &mut |_, entry| {
            visited += 1;
            t_max = t_max.min(entry.time);
            t_max
        });
    }
    assert!(visited < 4 * times, "{visited} visited");
}

#[test]
fn the_nearest_root_is_visited_first() {
    let compact = |k: usize| [10.0, k as f32, 10.5, k as f32 + 0.5];
    let wide = |k: usize| [1000.0, k as f32, 21_000.0, k as f32 + 0.5];
    let count = 1000;
    let boxes: Vec<RawAabb> = (0..count).map(compact).chain((0..count).map(wide)).collect();
    let tree = StaticTree::new(&boxes).unwrap();
    assert!(tree.parts().iter().map(|part| part.data.roots.len()).sum::<usize>() > 1, "wide statics have a root");
    for (x, direction, near_is_wide) in [(0.0, 1.0, false), (30_000.0, -1.0, true)] {
        let mut visited = 0;
        // The row must be near; nothing farther is wanted then.
        let mut visit = |row: u32, limit: f64| {
            visited += 1;
            assert_eq!(row as usize >= count, near_is_wide, "row {row} is far from {x}");
            limit
        };
        let ray = Ray::new([x, 500.25], [direction, 0.0], INF).unwrap();
        tree.visit_cast(&ray.into(), f64::INFINITY, &mut |row, entry| visit(row, entry.time));
        tree.visit_nearest([x, 500.25], f64::INFINITY, &mut visit);
        assert!(visited >= 2, "both queries find something");
    }
}

#[test]
fn debug_shapes_are_nodes_and_leaves() {
    for (name, boxes) in scenes() {
        let tree = StaticTree::new(&boxes).unwrap();
        let (mut shapes, mut listed, mut above) = (0, 0, Vec::new());
        tree.visit_debug_shapes(|shape| {
            shapes += 1;
            let (cell, level) = match shape {
                DebugShape::Node { aabb, depth } => (aabb, depth),
                DebugShape::Leaf { aabb, depth, population } => {
                    listed += population;
                    (aabb, depth)
                }
                other => panic!("{name}: {other:?}"),
            };
            assert!(level <= DEPTH_MAX && level <= above.len(), "{name}: below nothing");
            above.truncate(level);
            assert!(above.last().is_none_or(|outer| contains(outer, &cell)), "{name}: {cell:?} is not inside");
            above.push(cell);
        });
        assert_eq!((shapes, listed), (tree.node_count(), tree.entry_count()), "{name}");
    }
}

#[test]
fn sort_keys_follow_the_leaves() {
    let tree = StaticTree::new(&boxes(4096, |k| at(k % 64.0, (k / 64.0).floor(), 0.0, 0.0))).unwrap();
    let mut keys = Vec::new();
    tree.visit_debug_shapes(|shape| {
        if let DebugShape::Leaf { aabb: [a, b, c, d], .. } = shape {
            keys.push(tree.sort_key([a * 0.5 + c * 0.5, b * 0.5 + d * 0.5]));
        }
    });
    assert!(keys.len() > 100 && keys.is_sorted(), "{keys:?}");
    let none = StaticTree::default();
    for point in [[0.0, 0.0], [f32::MAX, f32::MIN], [f32::MIN, f32::MAX], [-0.0, 1e-45]] {
        none.sort_key(point);
    }
}
