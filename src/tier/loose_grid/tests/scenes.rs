//! Sets of boxes that are hard on a grid.

use crate::geometry::RawAabb;
use triphase_scenes::SplitMix64;

pub(super) fn around(x: f32, y: f32, half_x: f32, half_y: f32) -> RawAabb {
    [x - half_x, y - half_y, x + half_x, y + half_y]
}

/// A crowd of `n` boxes with half-extents from 0.35 to 0.5, about one pair for each box.
pub(super) fn crowd(n: usize, rng: &mut SplitMix64) -> Vec<RawAabb> {
    let side = (n as f64 * 0.73 / 0.5).sqrt();
    (0..n)
        .map(|_| {
            let (half_x, half_y) = (rng.range(0.35, 0.5), rng.range(0.35, 0.5));
            around(rng.range(0.0, side), rng.range(0.0, side), half_x, half_y)
        })
        .collect()
}

fn random(n: usize, rng: &mut SplitMix64, side: f64, half: [f64; 2]) -> Vec<RawAabb> {
    let [low, high] = half;
    (0..n)
        .map(|_| {
            let (x, y) = (rng.range(-side, side), rng.range(-side, side));
            around(x, y, rng.range(low, high), rng.range(low, high))
        })
        .collect()
}

fn boxes(n: usize, f: impl FnMut(usize) -> RawAabb) -> Vec<RawAabb> {
    (0..n).map(f).collect()
}

/// Sets of finite boxes.
pub(super) fn scenes(rng: &mut SplitMix64) -> Vec<(&'static str, Vec<RawAabb>)> {
    let mut all = vec![
        ("empty", Vec::new()),
        ("one", vec![[1.0, 2.0, 3.0, 4.0]]),
        ("two", vec![[1.0, 2.0, 3.0, 4.0], [3.0, 4.0, 5.0, 6.0]]),
        ("crowd", crowd(3000, rng)),
        ("dense", random(600, rng, 10.0, [1.0, 2.0])),
        ("coincident", boxes(400, |k| around((k % 3) as f32, 7.0, 0.1, 0.1))),
        ("points", random(500, rng, 100.0, [0.0, 0.0])),
        ("line_x", boxes(900, |k| around(k as f32 * 0.7, 5.0, 0.4, 0.4))),
        ("line_y", boxes(900, |k| around(5.0, k as f32 * 0.7, 0.4, 0.4))),
        ("diagonal", boxes(2000, |k| around(k as f32 * 0.7, k as f32 * 0.7, 0.4, 0.4))),
        ("lattice", boxes(900, |k| around((k % 30) as f32, (k / 30) as f32, 0.5, 0.5))),
        ("beams_x", boxes(1500, |k| around(500.0, k as f32, 700.0, 0.4))),
        ("beams_y", boxes(1500, |k| around(k as f32, 500.0, 0.4, 700.0))),
        ("thin_diagonal", boxes(1500, |k| around(k as f32, k as f32, 50.0, 0.1))),
        ("ulp", boxes(300, |k| ulp_box(rng, k))),
        (
            "tiny_and_huge",
            boxes(600, |k| {
                let half = if k % 2 == 0 { 1e-6 } else { 1e6 };
                around(rng.range(-3e7, 3e7), rng.range(-3e7, 3e7), half, half)
            }),
        ),
        (
            "power_law",
            boxes(1500, |_| {
                let half = 0.05 * 1000f32.powf(rng.range(0.0, 1.0));
                around(rng.range(0.0, 1500.0), rng.range(0.0, 1500.0), half, half)
            }),
        ),
    ];
    all.push(("two_cities", {
        let mut city = crowd(1000, rng);
        city.iter_mut().skip(500).for_each(|b| *b = b.map(|v| v + 1e7));
        city
    }));
    all.push(("far_outlier", {
        let mut boxes = crowd(500, rng);
        boxes[17] = around(1e30, -1e30, 1e25, 2e24);
        boxes[18] = [f32::MIN, f32::MIN, f32::MAX, f32::MAX];
        boxes[400] = around(-1e30, 3.0, 1.0, 1.0);
        boxes
    }));
    all.push(("sparse_crowded_cell", {
        let mut boxes = random(500, rng, 500.0, [1.0, 3.0]);
        boxes.extend(random(700, rng, 0.5, [0.001, 0.002]));
        boxes
    }));
    all.push(("beams_both_ways", {
        let mut boxes = boxes(300, |k| around(rng.range(-9.0, 9.0), k as f32, 400.0, 0.3));
        boxes.extend((0..300).map(|k| around(900.0 + k as f32, rng.range(-9.0, 9.0), 0.3, 400.0)));
        boxes
    }));
    all
}

/// A box with corners a few floats from a power of two, so that boxes often touch.
fn ulp_box(rng: &mut SplitMix64, k: usize) -> RawAabb {
    let base = 2f32.powi((k / 30 * 14) as i32) * [1.0, -1.0][k % 2];
    let up = |v: f32, steps: usize| (0..steps).fold(v, |v, _| v.next_up());
    let (x, y) = (up(base, rng.below(6)), up(base, rng.below(6)));
    [x, y, up(x, rng.below(4)), up(y, rng.below(4))]
}

/// Sets in which some edges are infinite, as steps may produce by rounding.
pub(super) fn infinite_scenes(rng: &mut SplitMix64) -> Vec<(&'static str, Vec<RawAabb>)> {
    let (low, high) = (f32::NEG_INFINITY, f32::INFINITY);
    let mut boxes = crowd(400, rng);
    boxes[3] = [low, low, high, high];
    boxes[50] = [3.0, low, 4.0, high];
    boxes[51] = [low, 5.0, high, 5.0];
    boxes[52] = [low, 5.0, 5.0, 7.0];
    boxes[53] = [high, high, high, high];
    boxes[54] = [low, low, low, low];
    boxes[55] = [f32::MAX, 0.0, high, 1.0];
    vec![("some_infinite", boxes), ("all_infinite", vec![[low, low, high, high]; 90])]
}
