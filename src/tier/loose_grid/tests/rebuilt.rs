use super::super::{ENTRIES_PER_ENTITY, RebuiltGrid};
use super::scenes::{SplitMix64, crowd, infinite_scenes, scenes};
use crate::geometry::{RawBox, overlaps};
use crate::reference;
use crate::storage::bitset::BitSet;

fn all_scenes(seed: u64) -> Vec<(&'static str, Vec<RawBox>)> {
    let mut rng = SplitMix64(seed);
    let mut all = scenes(&mut rng);
    all.extend(infinite_scenes(&mut rng));
    all
}

fn seen_for(grid: &RebuiltGrid) -> BitSet {
    let mut seen = BitSet::default();
    seen.grow_to(grid.loose_cell_count());
    seen
}

fn assert_clear(seen: &BitSet, grid: &RebuiltGrid) {
    assert!((0..grid.loose_cell_count()).all(|k| !seen.contains(k as u32)), "a pass left bits set");
}

/// Pairs as they come, block by block.
fn pairs_of(grid: &RebuiltGrid) -> Vec<(u32, u32)> {
    let (mut seen, mut pairs) = (seen_for(grid), Vec::new());
    for block in 0..grid.block_count() {
        grid.find_block_pairs(block, &mut seen, &mut |a, b| pairs.push((a, b)));
    }
    grid.find_block_pairs(grid.block_count(), &mut seen, &mut |_, _| panic!("there is no such block"));
    assert_clear(&seen, grid);
    pairs
}

fn collected(grid: &RebuiltGrid, area: &RawBox) -> Vec<u32> {
    let (mut seen, mut found) = (seen_for(grid), Vec::new());
    grid.collect(area, &mut seen, &mut found);
    assert_clear(&seen, grid);
    found
}

fn check(name: &str, seed: u64, grid: &mut RebuiltGrid, boxes: &[RawBox]) {
    println!("scene {name}, seed {seed}");
    grid.rebuild(boxes);
    grid.assert_well_formed(boxes);
    assert_eq!(grid.len(), boxes.len());
    let mut pairs = pairs_of(grid);
    pairs.sort_unstable();
    assert_eq!(pairs, reference::self_pairs(boxes), "pairs of {name}, seed {seed}");
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
fn pairs_and_searches_agree_with_brute_force() {
    // One grid for all, so that each scene comes after others.
    let mut grid = RebuiltGrid::default();
    assert_eq!((pairs_of(&grid), collected(&grid, &[0.0; 4])), (vec![], vec![]));
    for seed in 0..3 {
        for (name, boxes) in all_scenes(seed) {
            check(name, seed, &mut grid, &boxes);
        }
    }
}

#[test]
fn order_does_not_depend_on_what_was_there_before() {
    let mut used = RebuiltGrid::default();
    for (name, boxes) in all_scenes(7) {
        let mut fresh = RebuiltGrid::default();
        fresh.rebuild(&boxes);
        let area = [-5.0, -5.0, 600.0, 600.0];
        for _ in 0..2 {
            used.rebuild(&boxes);
            assert!(pairs_of(&used) == pairs_of(&fresh), "{name}: the order of pairs differs");
            assert!(collected(&used, &area) == collected(&fresh, &area), "{name}: the order of a search differs");
        }
    }
}

#[test]
fn the_same_again_takes_no_memory() {
    let mut grid = RebuiltGrid::default();
    let all = all_scenes(8);
    all.iter().for_each(|(_, boxes)| grid.rebuild(boxes));
    let bytes = grid.bytes();
    all.iter().for_each(|(_, boxes)| grid.rebuild(boxes));
    assert_eq!(grid.bytes(), bytes);
    grid.rebuild(&[[0.0; 4]]);
    grid.shrink_to_fit();
    assert!(grid.bytes() < 4096, "{} bytes for one box", grid.bytes());
    assert_eq!(collected(&grid, &[0.0; 4]), [0]);
}

#[test]
fn memory_is_bounded_by_the_boxes_whatever_their_shape() {
    for (name, boxes) in all_scenes(9) {
        let mut grid = RebuiltGrid::default();
        grid.rebuild(&boxes);
        // Two records, a list entry for each that is allowed, cells, twice for growth.
        let bound = 2 * (2 * 20 + 4 * ENTRIES_PER_ENTITY + 32) * boxes.len() + 32 * 1024;
        assert!(grid.bytes() <= bound, "{name}: {} bytes for {} boxes", grid.bytes(), boxes.len());
    }
}

#[test]
fn blocks_come_from_the_boxes() {
    let mut grid = RebuiltGrid::default();
    grid.rebuild(&crowd(5000, &mut SplitMix64(1)));
    assert_eq!(grid.block_count(), 5);
    let (mut seen, mut last) = (seen_for(&grid), Vec::new());
    // In any order, each gives the same.
    grid.find_block_pairs(4, &mut seen, &mut |a, b| last.push((a, b)));
    assert!(pairs_of(&grid).ends_with(&last) && !last.is_empty());
}

#[test]
fn no_nan_makes_it_panic() {
    let mut boxes = crowd(300, &mut SplitMix64(2));
    boxes.iter_mut().step_by(3).enumerate().for_each(|(k, b)| b[k % 4] = f32::NAN);
    let mut grid = RebuiltGrid::default();
    for boxes in [boxes, vec![[f32::NAN; 4]; 100]] {
        grid.rebuild(&boxes);
        pairs_of(&grid);
        collected(&grid, &[f32::NAN, 0.0, 1.0, f32::NAN]);
        collected(&grid, &[5.0, 5.0, -5.0, -5.0]);
    }
}
