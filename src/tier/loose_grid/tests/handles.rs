//! The grid with handles against brute force.

use crate::error::Error;
use crate::geometry::{Aabb, RawAabb, overlaps};
use crate::reference;
use crate::tier::loose_grid::tests::scenes::{around, crowd, scenes};
use crate::tier::loose_grid::{LooseGrid, LooseHandle};
use triphase_scenes::SplitMix64;

fn aabb(b: RawAabb) -> Aabb {
    Aabb::new([b[0], b[1]], [b[2], b[3]]).expect("a finite box")
}

fn grid(area: RawAabb, cell_size: f32) -> LooseGrid {
    LooseGrid::new(aabb(area), cell_size).expect("a valid size")
}

/// The boxes that a grid should contain.
type HandleModel = Vec<(LooseHandle, RawAabb)>;

fn assert_agrees(grid: &LooseGrid, model: &HandleModel, areas: &[RawAabb], what: &str) {
    grid.assert_well_formed();
    assert_eq!((grid.len(), grid.is_empty()), (model.len(), model.is_empty()), "{what}");
    assert!(model.iter().all(|(handle, b)| grid.aabb(*handle) == Some(aabb(*b))), "{what}");
    for area in areas {
        let mut found: Vec<_> = grid.query_aabb(aabb(*area)).collect();
        let mut expected: Vec<_> = model.iter().filter(|(_, b)| overlaps(b, area)).map(|(handle, _)| *handle).collect();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "{what}: {area:?}");
    }
    let mut pairs = Vec::new();
    grid.find_pairs(&mut pairs);
    let ordered = |a: LooseHandle, b: LooseHandle| if a < b { (a, b) } else { (b, a) };
    let mut pairs: Vec<_> = pairs.into_iter().map(|(a, b)| ordered(a, b)).collect();
    let boxes: Vec<_> = model.iter().map(|(_, b)| *b).collect();
    let expected = reference::self_pairs(&boxes).into_iter();
    let mut expected: Vec<_> = expected.map(|(i, j)| ordered(model[i as usize].0, model[j as usize].0)).collect();
    pairs.sort_unstable();
    expected.sort_unstable();
    assert_eq!(pairs, expected, "{what}: pairs");
}

#[test]
fn scenes_in_any_area_agree_with_brute_force() {
    for (name, boxes) in scenes(&mut SplitMix64::new(11)) {
        for (area, cell_size) in [([0.0, 0.0, 70.0, 70.0], 1.5), ([-3e7, -3e7, 3e7, 3e7], 0.1), ([5.0; 4], 1e30)] {
            let mut grid = grid(area, cell_size);
            let model: HandleModel = boxes.iter().map(|b| (grid.insert(aabb(*b)), *b)).collect();
            let areas: Vec<_> = boxes.iter().step_by(97).copied().chain([[-9.0, -9.0, 30.0, 4.0]]).collect();
            assert_agrees(&grid, &model, &areas, &name);
            grid.refit();
            assert_agrees(&grid, &model, &areas, &name);
        }
    }
}

fn random_box(rng: &mut SplitMix64) -> RawAabb {
    let (x, y) = (rng.range(-10.0, 110.0), rng.range(-10.0, 110.0));
    match rng.below(20) {
        0 => around(x, y, 200.0, 0.1),
        1 => around(x, y, 0.1, 200.0),
        2 => around(x, y, 0.0, 0.0),
        3 => around(x * 1e28, y * 1e28, 1e27, 1e27),
        4 => around(x, y, 15.0, 15.0),
        5 => around(x.round(), y.round(), 1.0, 1.0),
        _ => around(x, y, rng.range(0.1, 2.0), rng.range(0.1, 2.0)),
    }
}

#[test]
fn random_calls_agree_with_a_list() {
    for seed in 0..30 {
        let rng = &mut SplitMix64::new(seed);
        let mut grid = grid([0.0, 0.0, 100.0, 100.0], [0.5, 3.0, 40.0][rng.below(3)]);
        let (mut model, mut gone): (HandleModel, Vec<LooseHandle>) = Default::default();
        for step in 0..400 {
            match rng.below(100) {
                0..45 => {
                    let b = random_box(rng);
                    model.push((grid.insert(aabb(b)), b));
                }
                45..70 if !model.is_empty() => {
                    let (handle, b) = model.swap_remove(rng.below(model.len()));
                    assert_eq!(grid.remove(handle), Some(aabb(b)));
                    gone.push(handle);
                }
                70..94 if !model.is_empty() => {
                    let at = rng.below(model.len());
                    model[at].1 = if rng.below(2) == 0 { random_box(rng) } else { model[at].1.map(|v| v + 0.25) };
                    assert!(grid.set_aabb(model[at].0, aabb(model[at].1)));
                }
                94..97 => grid.refit(),
                97 => grid.shrink_to_fit(),
                98 if rng.below(8) == 0 => {
                    grid.clear();
                    gone.extend(model.drain(..).map(|(handle, _)| handle));
                }
                _ => {}
            }
            for &stale in gone.iter().rev().step_by(7).take(5) {
                assert_eq!((grid.aabb(stale), grid.remove(stale)), (None, None), "seed {seed}, step {step}");
                assert!(!grid.set_aabb(stale, aabb([0.0; 4])));
            }
            if step % 25 == 0 {
                let areas = [random_box(rng), random_box(rng), [-1e30, -1e30, 1e30, 1e30]];
                assert_agrees(&grid, &model, &areas, &format!("seed {seed}, step {step}"));
            }
        }
    }
}

#[test]
fn stale_and_foreign_handles_do_nothing() {
    let b = aabb([0.0, 0.0, 1.0, 1.0]);
    let mut one = grid([0.0, 0.0, 9.0, 9.0], 1.0);
    let mut other = one.clone();
    let old = one.insert(b);
    one.remove(old);
    let new = one.insert(b);
    assert!(new != old && one.aabb(old).is_none() && one.aabb(new) == Some(b));
    assert!(other.aabb(new).is_none() && !other.set_aabb(new, b) && other.remove(new).is_none());
    one.clear();
    one.shrink_to_fit();
    let newest = one.insert(b);
    assert!(newest != new && one.aabb(new).is_none() && one.len() == 1);
    // The slot of `old`, with the same generation, is free in `other`.
    let foreign = other.insert(b);
    other.remove(foreign);
    assert!(other.aabb(newest).is_none());
}

#[test]
fn new_rejects_an_invalid_cell_size() {
    for bad in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let refused = LooseGrid::new(aabb([0.0, 0.0, 1.0, 1.0]), bad);
        assert!(matches!(refused, Err(Error::InvalidConfig { setting: "cell_size", .. })));
    }
    assert!(LooseGrid::new(aabb([f32::MIN, f32::MIN, f32::MAX, f32::MAX]), 1e-45).is_ok());
    assert!(LooseGrid::new(aabb([3.0; 4]), f32::MAX).is_ok());
}

#[test]
fn memory_is_bounded_by_the_boxes_for_any_cell_size() {
    let mut grid = grid([0.0, 0.0, 1e9, 1e9], 1e-3);
    let empty = grid.memory_bytes();
    assert!(empty < 64 * 1024, "{empty} bytes for no boxes");
    let handles: Vec<_> = (0..20_000)
        .map(|k| {
            // Long and thin, in both directions.
            let (long, thin) = (4e8, 1.0);
            let at = k as f32 * 4e4;
            grid.insert(aabb(if k % 2 == 0 { around(5e8, at, long, thin) } else { around(at, 5e8, thin, long) }))
        })
        .collect();
    let bytes = grid.memory_bytes();
    assert!(bytes < 20_000 * 2 * (28 + 40 + 8 * 8 + 8), "{bytes} bytes");
    grid.assert_well_formed();
    assert!(!grid.tight.unlisted().is_empty(), "tight cells still have the size for small boxes");
    grid.refit();
    grid.assert_well_formed();
    assert!(grid.tight.unlisted().is_empty());
    for handle in handles {
        grid.remove(handle);
    }
    grid.shrink_to_fit();
    assert!(grid.memory_bytes() <= empty, "{} bytes after all were removed", grid.memory_bytes());
}

#[test]
fn entries_of_boxes_larger_than_cells_are_bounded() {
    let mut grid = grid([0.0, 0.0, 32.0, 32.0], 1.0);
    let boxes = (0..1024).map(|k| around((k % 32) as f32 + 0.5, (k / 32) as f32 + 0.5, 5.0, 5.0));
    let model: HandleModel = boxes.map(|b| (grid.insert(aabb(b)), b)).collect();
    assert!(!grid.tight.unlisted().is_empty());
    assert_agrees(&grid, &model, &[[3.0, 3.0, 4.0, 9.0]], "as inserted");
    grid.refit();
    assert!(grid.tight.unlisted().is_empty());
    assert_agrees(&grid, &model, &[[3.0, 3.0, 4.0, 9.0]], "after refit");
}

#[test]
fn refit_shrinks_cells_that_moving_boxes_grew() {
    let mut grid = grid([0.0, 0.0, 100.0, 100.0], 5.0);
    let boxes = crowd(500, &mut SplitMix64::new(3));
    let model: HandleModel = boxes.iter().map(|b| (grid.insert(aabb(*b)), *b)).collect();
    let covered = |grid: &LooseGrid| {
        let filled = grid.cells.iter().filter(|cell| cell.bounds[0] <= cell.bounds[2]);
        filled.map(|cell| (cell.bounds[2] - cell.bounds[0]) * (cell.bounds[3] - cell.bounds[1])).sum::<f32>()
    };
    let before = covered(&grid);
    for (k, (handle, b)) in model.iter().enumerate() {
        assert!(grid.set_aabb(*handle, aabb(around(k as f32 / 5.0, 50.0, 90.0, 90.0))));
        assert!(grid.set_aabb(*handle, aabb(*b)));
    }
    assert!(covered(&grid) > 100.0 * before);
    grid.refit();
    assert!(covered(&grid) <= before);
    assert_agrees(&grid, &model, &[[0.0, 0.0, 9.0, 9.0]], "after refit");
}
