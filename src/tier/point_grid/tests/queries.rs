//! Queries to a [`PointGrid`] against brute force.

use crate::geometry::{Aabb, AabbCast, Circle, Point, RawAabb, Ray, contains, overlaps};
use crate::reference;
use crate::tier::DebugShape;
use crate::tier::point_grid::PointGrid;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use triphase_scenes::{BoxLayout, SplitMix64};

fn grid_of(boxes: &[RawAabb]) -> PointGrid {
    let mut grid = PointGrid::new();
    grid.rebuild(boxes, &mut Vec::new()).expect("valid boxes");
    grid
}

fn aabb(raw: RawAabb) -> Aabb {
    Aabb::new([raw[0], raw[1]], [raw[2], raw[3]]).expect("a box")
}

fn sorted(hits: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut hits: Vec<u32> = hits.collect();
    hits.sort_unstable();
    hits
}

fn rows_where(boxes: &[RawAabb], test: impl Fn(&RawAabb) -> bool) -> Vec<u32> {
    (0..boxes.len() as u32).filter(|&row| test(&boxes[row as usize])).collect()
}

/// A point on, in, near or far from the boxes, and a length in proportion.
fn place(boxes: &[RawAabb], rng: &mut SplitMix64) -> ([f32; 2], f32) {
    let aabb = boxes[rng.below(boxes.len())];
    let other = boxes[rng.below(boxes.len())];
    let side = (aabb[2] - aabb[0]).clamp(f32::MIN_POSITIVE, 1e30);
    let at = match rng.below(5) {
        0 => [aabb[0], aabb[3]],
        1 => [aabb[0] + side * rng.range(-1.0, 2.0), aabb[1] + side * rng.range(-1.0, 2.0)],
        2 => [aabb[2], other[1]],
        3 => [aabb[0] * rng.range(-3.0, 3.0), other[1] * rng.range(-3.0, 3.0)],
        _ => [aabb[0] * 0.5 + aabb[2] * 0.5, aabb[1] * 0.5 + aabb[3] * 0.5],
    };
    let length = match rng.below(4) {
        0 => 0.0,
        1 => side * rng.range(0.0, 5.0),
        2 => side * rng.range(0.0, 100.0),
        _ => (other[0] - aabb[0]).abs(),
    };
    (at.map(|v| v.clamp(-1e38, 1e38)), length.clamp(0.0, 1e37))
}

fn check_areas(label: &str, grid: &PointGrid, boxes: &[RawAabb], [x, y]: [f32; 2], length: f32) {
    let query = grid.query();
    let area = [x - length, y - length * 0.5, x + length, y + length * 0.5];
    let expected = rows_where(boxes, |aabb| overlaps(aabb, &area));
    assert_eq!(sorted(query.query_aabb(aabb(area))), expected, "{label}: {area:?}");
    let mut buffer = vec![7];
    assert_eq!(query.query_aabb(aabb(area)).append_to(&mut buffer), expected.len(), "{label}");
    assert!(buffer[1..].iter().copied().eq(query.query_aabb(aabb(area))), "{label}: both forms in the same order");
    assert_eq!(query.query_aabb(aabb(area)).exists(), !expected.is_empty(), "{label}");
    let candidates = sorted(query.query_candidates(aabb(area)));
    assert!(
        candidates.windows(2).all(|two| two[0] < two[1]) && expected.iter().all(|row| candidates.contains(row)),
        "{label}: candidates"
    );
    let within = rows_where(boxes, |aabb| contains(&area, aabb));
    assert_eq!(sorted(query.query_contained_in(aabb(area))), within, "{label}: within {area:?}");
    let around = rows_where(boxes, |aabb| contains(aabb, &area));
    assert_eq!(sorted(query.query_containing(aabb(area))), around, "{label}: around {area:?}");
    let at = rows_where(boxes, |aabb| contains(aabb, &[x, y, x, y]));
    assert_eq!(sorted(query.query_point(Point::new([x, y]).expect("finite"))), at, "{label}: at {x} {y}");
}

fn check_nearest(label: &str, grid: &PointGrid, boxes: &[RawAabb], point: [f32; 2], length: f32) {
    let query = grid.query();
    let truth = reference::distances_squared(boxes, point);
    let to = Point::new(point).expect("finite");
    let circle = Circle::new(point, length).expect("a circle");
    let squared = f64::from(length) * f64::from(length);
    let within = truth.iter().take_while(|(distance, _)| *distance <= squared).count();
    let mut rows: Vec<u32> = truth[..within].iter().map(|&(_, row)| row).collect();
    rows.sort_unstable();
    assert_eq!(sorted(query.query_circle(circle)), rows, "{label}: {circle:?}");
    let mut found = Vec::new();
    for k in [0, 1, 2, 8, 31, 33, 100, boxes.len(), boxes.len() + 5, usize::MAX] {
        for (limit, circle) in [(truth.len(), Circle::from(to)), (within, circle)] {
            query.k_nearest_within(circle, k, &mut found);
            let expected = truth[..limit.min(k)].iter().map(|&(squared, row)| (squared.sqrt(), row));
            let found = found.iter().map(|found| (found.distance, found.target));
            assert!(
                found.clone().eq(expected.clone()),
                "{label}: {k} nearest in {circle:?}\n{:?}\n{:?}",
                found.collect::<Vec<_>>(),
                expected.collect::<Vec<_>>()
            );
        }
    }
    let nearest = query.nearest(to).map(|found| (found.distance, found.target));
    assert_eq!(nearest, truth.first().map(|&(squared, row)| (squared.sqrt(), row)), "{label}");
    let odd = truth.iter().find(|(_, row)| row % 2 == 1).map(|&(_, row)| row);
    assert_eq!(query.with_predicate(&|row| row % 2 == 1).nearest(to).map(|found| found.target), odd, "{label}");
}

fn check_casts(label: &str, grid: &PointGrid, boxes: &[RawAabb], [x, y]: [f32; 2], direction: [f32; 2], max: f32) {
    let query = grid.query();
    let ray = Ray::new([x, y], direction, max).expect("a ray");
    let truth = reference::cast_all(boxes, [x, y, x, y], direction, f64::from(max));
    let mut found = Vec::new();
    query.cast_ray_all(ray, &mut found);
    let normal = |normal: Option<[f32; 2]>| normal.unwrap_or_default();
    let plain = found.iter().map(|hit| (hit.time_of_impact, hit.target, normal(hit.normal)));
    assert!(plain.clone().eq(truth.iter().copied()), "{label}: {ray:?}\n{:?}\n{truth:?}", plain.collect::<Vec<_>>());
    assert_eq!(query.cast_ray(ray), found.first().copied(), "{label}: {ray:?}");
    assert_eq!(query.cast_ray_any(ray), !truth.is_empty(), "{label}: {ray:?}");
    let start = [x, y, x + direction[0].abs() * 0.25, y + direction[1].abs()];
    let cast = AabbCast::new(aabb(start), direction).expect("a cast");
    let truth = reference::cast_all(boxes, start, direction, 1.0);
    query.cast_aabb_all(cast, &mut found);
    let plain = found.iter().map(|hit| (hit.time_of_impact, hit.target, normal(hit.normal)));
    assert!(plain.clone().eq(truth.iter().copied()), "{label}: {cast:?}\n{:?}\n{truth:?}", plain.collect::<Vec<_>>());
    assert_eq!(query.cast_aabb(cast), found.first().copied(), "{label}: {cast:?}");
    assert_eq!(query.cast_aabb_any(cast), !truth.is_empty(), "{label}: {cast:?}");
}

#[test]
fn all_queries_agree_with_brute_force_in_every_kind_of_world() {
    for kind in BoxLayout::ALL {
        for (count, seed) in [(1, 1), (2, 2), (30, 3), (700, 4), (9000, 5)] {
            let boxes = kind.boxes(count, seed);
            let grid = grid_of(&boxes);
            let mut rng = SplitMix64::new(seed);
            let label = format!("{kind:?} of {count}");
            for _ in 0..if count > 1000 { 12 } else { 40 } {
                let (at, length) = place(&boxes, &mut rng);
                check_areas(&label, &grid, &boxes, at, length);
                check_nearest(&label, &grid, &boxes, at, length);
                let (to, stretch) = place(&boxes, &mut rng);
                let direction = match rng.below(5) {
                    0 => [0.0, 0.0],
                    1 => [length, 0.0],
                    2 => [0.0, -length],
                    3 => [rng.range(-1.0, 1.0) * stretch, rng.range(-1.0, 1.0) * stretch],
                    _ => [to[0] - at[0], to[1] - at[1]],
                };
                let max = [0.0, 0.5, 1.0, 20.0, f32::INFINITY][rng.below(5)];
                check_casts(&label, &grid, &boxes, at, direction.map(|v| v.clamp(-1e38, 1e38)), max);
            }
        }
    }
}

#[test]
fn nearest_queries_end_where_boxes_round_to_a_line() {
    for (far, count) in [1e6, 1e12, 1e18, 1e20, 1e30].into_iter().flat_map(|far| [2, 5, 9, 700].map(|n| (far, n))) {
        for are_exchanged in [false, true] {
            let at = |x: f32| if are_exchanged { [far, x] } else { [x, far] };
            let boxes: Vec<RawAabb> =
                (0..count).map(|k| at(4.0 * k as f32)).map(|[x, y]| [x - 0.5, y - 0.5, x + 0.5, y + 0.5]).collect();
            let grid = grid_of(&boxes);
            let label = format!("{count} at {far}, exchanged {are_exchanged}");
            for (x, length) in [(0.0, 3.0), (1.75, 1e3), (9.0, far)] {
                check_nearest(&label, &grid, &boxes, at(x), length);
                let none = grid.query().with_predicate(&|_| false).nearest(Point::new(at(x)).expect("finite"));
                assert_eq!(none, None, "{label}");
            }
        }
    }
}

#[test]
fn the_first_hit_needs_few_tests() {
    let boxes = BoxLayout::Crowd.boxes(20_000, 1);
    let grid = grid_of(&boxes);
    let tested = AtomicUsize::new(0);
    let count = |_| {
        tested.fetch_add(1, Relaxed);
        true
    };
    let everywhere = aabb([f32::MIN, f32::MIN, f32::MAX, f32::MAX]);
    let query = grid.query().with_predicate(&count);
    assert!(query.query_aabb(everywhere).exists());
    assert_eq!(tested.load(Relaxed), 1);
    assert_eq!(query.query_aabb(everywhere).take(100).count(), 100);
    assert!(tested.load(Relaxed) < 1 + 2 * 100);
    // The nearest of 20,000 bodies is found among those of a few cells.
    let mut visited = 0;
    grid.bands.visit_nearest([boxes[77][0], boxes[77][1]], 1, f64::INFINITY, &mut |_, squared| {
        visited += 1;
        squared
    });
    assert!(visited < 30, "{visited}");
}

#[test]
fn queries_of_an_empty_grid_find_nothing() {
    for grid in [PointGrid::new(), grid_of(&[])] {
        let point = Point::new([0.0, 0.0]).expect("finite");
        assert!(grid.query().nearest(point).is_none());
        assert!(!grid.query().query_point(point).exists());
        assert!(!grid.query().cast_ray_any(Ray::new([0.0, 0.0], [1.0, 1.0], f32::INFINITY).expect("a ray")));
        assert_eq!(grid.bands.cell_sort_key([3.0, 4.0]), 0);
    }
}

#[test]
fn debug_shapes_count_all_boxes() {
    for kind in BoxLayout::ALL {
        let grid = grid_of(&kind.boxes(3000, 9));
        let (mut in_bands, mut in_cells) = (0, 0);
        grid.visit_debug_shapes(|shape| match shape {
            DebugShape::Band { population, .. } => in_bands += population,
            DebugShape::Cell { aabb, population } => {
                assert!(aabb[0] <= aabb[2] && aabb[1] <= aabb[3], "{kind:?}: {aabb:?}");
                in_cells += population;
            }
            DebugShape::Ghost { .. } => {}
            other => panic!("{other:?}"),
        });
        assert_eq!((in_bands, in_cells), (3000, 3000), "{kind:?}");
    }
}

/// The box of a band, its number of ghosts, and those visited after it.
type BandGhosts = (RawAabb, usize, Vec<(RawAabb, u32)>);

fn ghosts_by_band(grid: &PointGrid) -> Vec<BandGhosts> {
    let mut bands = Vec::new();
    grid.visit_debug_shapes(|shape| match shape {
        DebugShape::Band { aabb, ghosts, .. } => bands.push((aabb, ghosts, Vec::new())),
        DebugShape::Ghost { aabb, row } => bands.last_mut().expect("a band comes first").2.push((aabb, row)),
        _ => {}
    });
    bands
}

#[test]
fn ghosts_are_copies_of_bodies_of_other_bands() {
    let mut ghost_count = 0;
    for kind in BoxLayout::ALL {
        let boxes = kind.boxes(6000, 9);
        let mut grid = grid_of(&boxes);
        for (band, expected, ghosts) in ghosts_by_band(&grid) {
            assert_eq!(ghosts.len(), expected, "{kind:?}: band {band:?}");
            for (aabb, row) in ghosts {
                assert_eq!(aabb, boxes[row as usize], "{kind:?}: row {row}");
            }
            ghost_count += expected;
        }
        grid.shrink_to_fit();
        let visited: usize = ghosts_by_band(&grid).iter().map(|(.., ghosts)| ghosts.len()).sum();
        assert_eq!(visited, 0, "{kind:?}: their memory was released");
    }
    assert!(ghost_count > 0);
}
