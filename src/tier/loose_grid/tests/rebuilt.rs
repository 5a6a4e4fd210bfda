//! The rebuilt grid against brute force.

use crate::geometry::{RawAabb, overlaps};
use crate::memory::body_record::BodyRecord;
use crate::memory::buffers::Buffers;
use crate::tier::box_test::BoxTest;
use crate::tier::loose_grid::cell::entry_count_max;
use crate::tier::loose_grid::rebuilt::grid::RebuiltGrid;
use crate::tier::loose_grid::tests::scenes::{around, crowd, infinite_scenes, scenes};
use triphase_scenes::SplitMix64;

fn all_scenes(seed: u64) -> Vec<(String, Vec<RawAabb>)> {
    let mut rng = SplitMix64::new(seed);
    let mut all = scenes(&mut rng);
    all.extend(infinite_scenes(&mut rng));
    all
}

/// Bodies with these boxes, in rows from 0 on.
pub(super) fn records(boxes: &[RawAabb]) -> Vec<BodyRecord> {
    (0..).zip(boxes).map(|(row, &aabb)| BodyRecord { aabb, row }).collect()
}

fn collected(grid: &RebuiltGrid, area: &RawAabb) -> Vec<u32> {
    let mut found = Vec::new();
    grid.collect(area, &mut found);
    found.into_iter().map(|body| body.row).collect()
}

fn check(name: &str, seed: u64, grid: &mut RebuiltGrid, boxes: &[RawAabb]) {
    println!("scene {name}, seed {seed}");
    grid.rebuild(&records(boxes));
    grid.assert_well_formed(boxes);
    let (low, high) = (f32::NEG_INFINITY, f32::INFINITY);
    let mut areas = vec![[low, low, high, high], [low, 0.0, 7.0, 3.0], [-2.0, -2.0, 9.0, 20.0], [1e7, 1e7, 1e8, high]];
    areas.extend(boxes.iter().step_by(37));
    for area in areas {
        let mut found = collected(grid, &area);
        found.sort_unstable();
        let expected = (0..boxes.len() as u32).filter(|&k| overlaps(&boxes[k as usize], &area));
        assert_eq!(found, expected.collect::<Vec<_>>(), "{area:?} in {name}, seed {seed}");
    }
}

#[test]
fn areas_agree_with_brute_force() {
    // One grid for all, to check that earlier scenes leave nothing behind.
    let mut grid = RebuiltGrid::default();
    assert_eq!(collected(&grid, &[0.0; 4]), []);
    for seed in 0..3 {
        for (name, boxes) in all_scenes(seed) {
            check(&name, seed, &mut grid, &boxes);
        }
    }
}

#[test]
fn order_does_not_depend_on_earlier_rebuilds() {
    let mut used = RebuiltGrid::default();
    for (name, boxes) in all_scenes(7) {
        let mut fresh = RebuiltGrid::default();
        fresh.rebuild(&records(&boxes));
        let area = [-5.0, -5.0, 600.0, 600.0];
        for _ in 0..2 {
            used.rebuild(&records(&boxes));
            assert!(used.bodies() == fresh.bodies(), "{name}: the order of bodies differs");
            assert!(collected(&used, &area) == collected(&fresh, &area), "{name}: the order of a search differs");
        }
    }
}

#[test]
fn rebuilds_of_the_same_boxes_allocate_nothing() {
    let mut grid = RebuiltGrid::default();
    let all = all_scenes(8);
    all.iter().for_each(|(_, boxes)| grid.rebuild(&records(boxes)));
    let bytes = grid.bytes();
    all.iter().for_each(|(_, boxes)| grid.rebuild(&records(boxes)));
    assert_eq!(grid.bytes(), bytes);
    // More boxes than a sample has.
    grid.rebuild(&records(&[[0.0; 4]; 2000]));
    grid.rebuild(&records(&[[0.0; 4]]));
    grid.shrink_to_fit();
    assert!(grid.bytes() < 1024, "{} bytes for one box", grid.bytes());
    assert_eq!(collected(&grid, &[0.0; 4]), [0]);
}

#[test]
fn memory_is_bounded_by_the_boxes() {
    for (name, boxes) in all_scenes(9) {
        let mut grid = RebuiltGrid::default();
        grid.rebuild(&records(&boxes));
        // Two records for each box, four bytes for each allowed entry, cells; twice for growth.
        let bound = 2 * ((2 * 20 + 32) * boxes.len() + 4 * entry_count_max(boxes.len())) + 32 * 1024;
        assert!(grid.bytes() <= bound, "{name}: {} bytes for {} boxes", grid.bytes(), boxes.len());
    }
}

/// Most tests of cells, groups and boxes in a search for the overlaps of a box. These layouts take
/// 5 to 110; without warped cells, or without sorted ones, some take 260 and more.
const TESTS_MAX: usize = 128;

#[test]
fn hard_layouts_need_few_tests() {
    let rng = &mut SplitMix64::new(12);
    let mut cities = crowd(20_000, rng);
    cities.iter_mut().step_by(2).for_each(|b| *b = b.map(|v| v + 1e6));
    let mut crowded_cell = crowd(10_000, rng);
    crowded_cell.extend(crowd(10_000, rng).into_iter().map(|b| b.map(|v| v * 1e-3 + 40.0)));
    let towns: Vec<_> = (0..40).map(|_| [0; 2].map(|_| rng.range(0.0, 1e4))).collect();
    let towns = (0..20_000)
        .map(|k| around(towns[k % 40][0] + rng.range(0.0, 1.0), towns[k % 40][1] + rng.range(0.0, 1.0), 0.01, 0.01));
    let towns: Vec<_> = towns.collect();
    let beams: Vec<_> = (0..20_000).map(|k| around(rng.range(-2e3, 2e3), k as f32, 1e4, 0.4)).collect();
    let mut bundle = crowd(10_000, rng);
    bundle.extend((0..10_000).map(|k| around(40.0, 40.0 + k as f32 * 1e-4, 1.0, 2e-5)));
    let upright = |[x0, y0, x1, y1]: RawAabb| [y0, x0, y1, x1];
    let halves = (0..20_000).map(|k| {
        let half = if k % 2 == 0 { 1e-3 } else { 50.0 };
        around(rng.range(0.0, 14_000.0), rng.range(0.0, 14_000.0), half, half)
    });
    let layouts: [(&str, Vec<RawAabb>); 11] = [
        ("half tiny, half huge", halves.collect()),
        ("two cities", cities),
        ("a crowded cell", crowded_cell),
        ("forty towns", towns),
        ("beams upright", beams.iter().copied().map(upright).collect()),
        ("beams", beams),
        ("a bundle of beams upright", bundle.iter().copied().map(upright).collect()),
        ("a bundle of beams", bundle),
        ("a staircase of beams", (0..20_000).map(|k| around(k as f32, k as f32, 50.0, 0.4)).collect()),
        ("one upright", (0..20_000).map(|k| around(k as f32, k as f32, 0.4, 50.0)).collect()),
        ("a diagonal", (0..20_000).map(|k| around(k as f32, k as f32, 0.6, 0.6)).collect()),
    ];
    for (name, boxes) in layouts {
        let mut grid = RebuiltGrid::default();
        grid.rebuild(&records(&boxes));
        let searches = boxes.iter().step_by(20);
        let tests = searches.clone().map(|aabb| grid.test_count(aabb)).sum::<usize>() / searches.len();
        assert!(tests < TESTS_MAX, "{name}: {tests} tests in a search");
    }
}

#[test]
fn entries_of_boxes_that_span_the_world_are_bounded() {
    let rng = &mut SplitMix64::new(13);
    let mut boxes = crowd(20_000, rng);
    boxes.iter_mut().step_by(50).for_each(|b| *b = around(b[0], b[1], 170.0, 170.0));
    let mut grid = RebuiltGrid::default();
    grid.rebuild(&records(&boxes));
    let bound = entry_count_max(boxes.len());
    assert!(grid.entry_count() <= bound, "{} entries for {} boxes", grid.entry_count(), boxes.len());
}

#[test]
fn nan_does_not_panic() {
    let mut boxes = crowd(300, &mut SplitMix64::new(2));
    boxes.iter_mut().step_by(3).enumerate().for_each(|(k, b)| b[k % 4] = f32::NAN);
    let mut grid = RebuiltGrid::default();
    for boxes in [boxes, vec![[f32::NAN; 4]; 100]] {
        grid.rebuild(&records(&boxes));
        collected(&grid, &[f32::NAN, 0.0, 1.0, f32::NAN]);
        collected(&grid, &[5.0, 5.0, -5.0, -5.0]);
    }
}

#[test]
fn a_search_finds_the_same_step_by_step() {
    for (name, boxes) in all_scenes(91) {
        let mut grid = RebuiltGrid::default();
        grid.rebuild(&records(&boxes));
        for area in boxes.iter().step_by(boxes.len() / 20 + 1) {
            // By `next`, and by `fold`.
            let mut bodies = grid.box_query(*area, BoxTest::Overlap);
            let one_by_one: Vec<u32> = std::iter::from_fn(|| bodies.next().map(|body| body.row)).collect();
            assert_eq!(one_by_one, collected(&grid, area), "{name}");
        }
    }
}
