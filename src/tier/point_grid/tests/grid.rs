//! [`PointGrid`] as its users see it.

use crate::error::{Column, Error};
use crate::geometry::{Aabb, RawAabb, overlaps};
use crate::pair::Pair;
use crate::reference;
use crate::tier::point_grid::PointGrid;
use triphase_scenes::{BoxLayout, SplitMix64};

fn sorted(pairs: &[Pair]) -> Vec<(u32, u32)> {
    let mut sorted: Vec<_> = pairs.iter().map(|pair| (pair.a, pair.b)).collect();
    sorted.sort_unstable();
    sorted
}

/// Every pair, by a sort along x and a sweep: for more boxes than brute force can handle.
fn swept(boxes: &[RawAabb]) -> Vec<(u32, u32)> {
    let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
    order.sort_by(|&a, &b| boxes[a as usize][0].total_cmp(&boxes[b as usize][0]));
    let mut pairs = Vec::new();
    for (k, &a) in order.iter().enumerate() {
        let first = &boxes[a as usize];
        // Not `total_cmp`: here 0 equals -0.
        let near = order[k + 1..].iter().take_while(|&&b| boxes[b as usize][0] <= first[2]);
        pairs.extend(near.filter(|&&b| overlaps(first, &boxes[b as usize])).map(|&b| (a.min(b), a.max(b))));
    }
    pairs.sort_unstable();
    pairs
}

fn area(raw: RawAabb) -> Aabb {
    Aabb::new([raw[0], raw[1]], [raw[2], raw[3]]).expect("a box")
}

/// Queries around some of the boxes, and of everything, against brute force.
fn check_queries(label: &str, grid: &PointGrid, boxes: &[RawAabb], rng: &mut SplitMix64) {
    let all = area([f32::MIN, f32::MIN, f32::MAX, f32::MAX]);
    assert_eq!(grid.query_aabb(all).count(), boxes.len(), "{label}: everything");
    for _ in 0..if boxes.is_empty() { 0 } else { 12 } {
        let [min_x, min_y, max_x, max_y] = boxes[rng.below(boxes.len())];
        let grow = rng.range(0.0, 2.0) * (max_x - min_x).min(1e9);
        let area_box = match rng.below(3) {
            0 => [max_x, max_y, max_x, max_y],
            1 => [min_x, min_y, max_x, max_y],
            _ => [min_x - grow, min_y, max_x + grow, max_y].map(|edge| edge.clamp(f32::MIN, f32::MAX)),
        };
        let mut found: Vec<u32> = grid.query_aabb(area(area_box)).collect();
        found.sort_unstable();
        let truth = (0..boxes.len() as u32).filter(|&row| overlaps(&boxes[row as usize], &area_box));
        assert!(found.iter().copied().eq(truth), "{label}: {area_box:?}");
    }
}

/// Files `boxes`, compares the pairs with `truth`, and checks queries.
fn check(label: &str, grid: &mut PointGrid, boxes: &[RawAabb], truth: &[(u32, u32)], pairs: &mut Vec<Pair>) {
    grid.rebuild(boxes, pairs).unwrap_or_else(|error| panic!("{label}: {error}"));
    assert_eq!((grid.len(), grid.is_empty()), (boxes.len(), boxes.is_empty()), "{label}");
    assert!(pairs.iter().all(|pair| pair.a < pair.b), "{label}: a < b");
    let found = sorted(pairs);
    if found != truth {
        let missing = truth.iter().find(|pair| found.binary_search(pair).is_err());
        let extra = found.iter().find(|pair| truth.binary_search(pair).is_err());
        let twice = found.windows(2).find(|pair| pair[0] == pair[1]);
        panic!("{label}: {} pairs, not {}: {missing:?} {extra:?} {twice:?}", found.len(), truth.len());
    }
    check_queries(label, grid, boxes, &mut SplitMix64::new(boxes.len() as u64));
}

#[test]
fn every_kind_of_world_agrees_with_brute_force() {
    // One grid for all: earlier contents must not matter, whether larger or smaller.
    let (mut grid, mut pairs) = (PointGrid::new(), vec![Pair { a: 7, b: 8 }]);
    for (k, kind) in BoxLayout::ALL.into_iter().enumerate() {
        for count in [2500, 3, 600, 0, 41, 1, 5000, 2, 7] {
            let label = format!("{kind:?} of {count}");
            let boxes = kind.boxes(count, (k * 10_000 + count) as u64);
            let truth = reference::self_pairs(&boxes);
            check(&label, &mut grid, &boxes, &truth, &mut pairs);
            let mut fresh = Vec::new();
            PointGrid::new().rebuild(&boxes, &mut fresh).unwrap();
            assert_eq!(pairs, fresh, "{label}: the same order as in a new grid");
        }
    }
}

#[test]
fn worlds_of_many_bands_agree_with_a_sweep() {
    let (mut grid, mut pairs) = (PointGrid::default(), Vec::new());
    let mut left_over = 0;
    for kind in [
        BoxLayout::Crowd,
        BoxLayout::Dragons,
        BoxLayout::CrossedBeams,
        BoxLayout::FarOutliers,
        BoxLayout::Universal,
        BoxLayout::LineX,
    ] {
        let boxes = kind.boxes(60_000, 5);
        check(&format!("{kind:?}"), &mut grid, &boxes, &swept(&boxes), &mut pairs);
        let filled = grid.bands.slots.iter().filter(|slot| slot.population() > 0).count();
        assert!(filled >= 6, "{kind:?}: {filled} bands");
        let rest: usize = grid.larger.slots.iter().map(|slot| slot.population()).sum();
        left_over += rest;
        assert!(rest <= boxes.len() / 50, "{kind:?}: {rest} boxes are in no class");
    }
    assert!(left_over > 100, "some are in no class: {left_over}");
}

#[test]
fn bodies_of_several_classes_match_brute_force() {
    let (mut grid, mut pairs) = (PointGrid::new(), Vec::new());
    let mut boxes = BoxLayout::Crowd.boxes(20_000, 6);
    // One in twenty is twenty times as wide and as high.
    for [min_x, min_y, max_x, max_y] in boxes.iter_mut().step_by(20) {
        (*max_x, *max_y) = (*min_x + 20.0 * (*max_x - *min_x), *min_y + 20.0 * (*max_y - *min_y));
    }
    check("two sizes", &mut grid, &boxes, &swept(&boxes), &mut pairs);
    assert!(grid.bands.classes().len() > 1);
}

#[test]
fn sizes_of_six_decades_match_brute_force() {
    let boxes = BoxLayout::SixDecades.boxes(20_000, 6);
    check("six decades", &mut PointGrid::new(), &boxes, &swept(&boxes), &mut Vec::new());
}

#[test]
fn a_giant_missing_from_the_sample_is_found() {
    // One giant among many boxes, in few samples, at several rows.
    let (mut grid, mut pairs) = (PointGrid::new(), Vec::new());
    for giant in [0, 1, 333, 9_999] {
        let mut boxes = BoxLayout::Crowd.boxes(10_000, 8);
        boxes[giant] = [-50.0, 30.0, 200.0, 90.0];
        check("a giant", &mut grid, &boxes, &swept(&boxes), &mut pairs);
    }
}

#[test]
fn an_invalid_row_is_reported_and_the_grid_stays_unchanged() {
    let good = BoxLayout::Crowd.boxes(9000, 9);
    let mut grid = PointGrid::new();
    let mut pairs = Vec::new();
    grid.rebuild(&good, &mut pairs).unwrap();
    let (kept, bytes) = (pairs.clone(), grid.memory_bytes());
    let everything = area([-1e9, -1e9, 1e9, 1e9]);
    let order: Vec<u32> = grid.query_aabb(everything).collect();
    let bad_boxes = [
        ([f32::NAN, 0.0, 1.0, 1.0], Column::Min, 0),
        ([0.0, f32::NEG_INFINITY, 1.0, 1.0], Column::Min, 1),
        ([0.0, 0.0, f32::INFINITY, 1.0], Column::Max, 0),
        ([0.0, 0.0, 1.0, -1.0], Column::Max, 1),
        ([2.0, f32::INFINITY, 1.0, 1.0], Column::Min, 1),
    ];
    for (bad, column, axis) in bad_boxes {
        for row in [0, 1, 255, 256, 8191, 8192, 8999] {
            // All other boxes moved, so that any change of the grid would show.
            let mut boxes: Vec<RawAabb> = good.iter().map(|aabb| aabb.map(|edge| edge * 0.5)).collect();
            boxes[row] = bad;
            boxes[8999] = bad;
            let Err(Error::InvalidBody(found)) = grid.rebuild(&boxes, &mut pairs) else {
                panic!("{bad:?} was accepted")
            };
            assert_eq!((found.row as usize, found.column, found.axis), (row, column, axis));
            assert!(pairs == kept && grid.len() == 9000 && grid.memory_bytes() >= bytes);
            assert!(grid.query_aabb(everything).eq(order.iter().copied()));
        }
    }
    check_queries("after invalid rows", &grid, &good, &mut SplitMix64::new(1));
    grid.rebuild(&good, &mut pairs).unwrap();
    assert_eq!(pairs, kept);
}

#[test]
fn boxes_come_in_any_castable_type() {
    let (mut grid, mut pairs) = (PointGrid::new(), Vec::new());
    let typed = [area([0.0, 0.0, 1.0, 1.0]), area([1.0, 1.0, 2.0, 2.0])];
    grid.rebuild(&typed, &mut pairs).unwrap();
    assert_eq!(pairs, [Pair { a: 0, b: 1 }]);
    // -0 touches 0.
    grid.rebuild(&[[-1.0f32, -1.0, -0.0, -0.0], [0.0, 0.0, 1.0, 1.0]], &mut pairs).unwrap();
    assert_eq!(pairs, [Pair { a: 0, b: 1 }]);
    let none: [RawAabb; 0] = [];
    grid.rebuild(&none, &mut pairs).unwrap();
    assert!(pairs.is_empty() && grid.is_empty() && grid.query_aabb(area([-1.0, -1.0, 1.0, 1.0])).next().is_none());
}

#[test]
fn memory_is_released_and_queries_still_work() {
    let large = BoxLayout::CrossedBeams.boxes(30_000, 10);
    let small = BoxLayout::Dragons.boxes(100, 11);
    let (mut grid, mut pairs) = (PointGrid::new(), Vec::new());
    assert!(grid.query_aabb(area([0.0, 0.0, 1.0, 1.0])).next().is_none() && grid.memory_bytes() == 0);
    grid.rebuild(&large, &mut pairs).unwrap();
    let bytes = grid.memory_bytes();
    assert!(bytes > 30_000 * 20);
    let spare_places = |grid: &PointGrid| {
        let own: usize = grid.bands.slots().iter().map(|slot| slot.places.len()).sum();
        grid.bands.places_end() - own
    };
    assert!(spare_places(&grid) > 0);
    grid.shrink_to_fit();
    assert!(grid.memory_bytes() < bytes && grid.len() == large.len());
    assert_eq!(spare_places(&grid), 0);
    check_queries("shrunk", &grid, &large, &mut SplitMix64::new(2));
    grid.rebuild(&small, &mut pairs).unwrap();
    grid.shrink_to_fit();
    assert!(grid.memory_bytes() < bytes / 20, "{} of {bytes} bytes are still held", grid.memory_bytes());
    check("small again", &mut grid, &small, &reference::self_pairs(&small), &mut pairs);
    check("large again", &mut grid, &large, &swept(&large), &mut pairs);
    assert_eq!(format!("{grid:?}"), "PointGrid { len: 30000, .. }");
}
