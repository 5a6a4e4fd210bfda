//! Sets of boxes that are hard for a tree, and areas to search them with.

use crate::geometry::RawAabb;
use crate::tier::static_tree::subtree::LEAF_MAX;
use crate::tier::static_tree::tree::StaticTree;
use triphase_scenes::SplitMix64;

pub(super) const INF: f32 = f32::INFINITY;

pub(super) fn boxes(count: usize, mut make: impl FnMut(f32) -> RawAabb) -> Vec<RawAabb> {
    (0..count).map(|k| make(k as f32)).collect()
}

pub(super) fn transposed(boxes: &[RawAabb]) -> Vec<RawAabb> {
    boxes.iter().map(|&[a, b, c, d]| [b, a, d, c]).collect()
}

pub(super) fn at(x: f32, y: f32, width: f32, height: f32) -> RawAabb {
    [x, y, x + width, y + height]
}

/// Walls 1 thick and 2 to 16 long, one on each 100 square units.
pub(super) fn walls(count: usize, seed: u64, origin: [f32; 2]) -> Vec<RawAabb> {
    let (mut random, side) = (SplitMix64::new(seed), (count as f64).sqrt() * 10.0);
    boxes(count, |_| {
        let (x, y) = (origin[0] + random.range(0.0, side), origin[1] + random.range(0.0, side));
        let long = 2.0 + random.below(15) as f32;
        if random.below(2) == 0 { at(x, y, long, 1.0) } else { at(x, y, 1.0, long) }
    })
}

pub(super) fn beams(count: usize) -> Vec<RawAabb> {
    let half = (count / 2) as f32;
    boxes(count, |k| at(-1e5, k - half, 2e5, 0.25))
}

pub(super) fn crossing(count: usize) -> Vec<RawAabb> {
    let wide = beams(count);
    [transposed(&wide), wide].concat()
}

pub(in crate::tier::static_tree) fn scenes() -> Vec<(&'static str, Vec<RawAabb>)> {
    let mut random = SplitMix64::new(7);
    let mut among_walls = walls(5000, 15, [-350.0, -350.0]);
    among_walls.extend(beams(400).iter().chain(&transposed(&beams(300))));
    let mut clusters = walls(3000, 1, [0.0, 0.0]);
    clusters.extend(walls(3000, 2, [1e7, 1e7]));
    let mut outliers = walls(5000, 3, [-500.0, -500.0]);
    outliers.extend([[1e30, 1e30, 2e30, 2e30], [-1e30, 0.0, -1e30, 1.0], [-1e30, -1e30, 1e30, -100.0]]);
    // Too far apart to count as long: only the budget limits them.
    let mut far_lattices = crossing(1000);
    far_lattices.extend(crossing(1000).iter().map(|b| b.map(|edge| edge + 1e9)));
    let mut scales = walls(3000, 4, [0.0, 0.0]);
    scales.extend(walls(300, 5, [1e7, 0.0]).iter().map(|b| b.map(|edge| edge * 1e4)));
    scales.extend(walls(100, 6, [0.0, 1e6]).iter().map(|b| b.map(|edge| edge * 1e20)));
    let ulps = boxes(2000, |_| {
        let (x, y) = (random.below(40) as u32, random.below(40) as u32);
        let edge = |steps: u32| f32::from_bits(0x3f80_0000 + steps);
        [edge(x), edge(y), edge(x + random.below(3) as u32), edge(y + random.below(3) as u32)]
    });
    let subnormal = boxes(2000, |_| {
        let mut edge = || f32::from_bits(random.below(60) as u32) * if random.below(2) == 0 { -1.0 } else { 1.0 };
        let (a, b, c, d) = (edge(), edge(), edge(), edge());
        [a.min(c), b.min(d), a.max(c), b.max(d)]
    });
    let huge = boxes(1000, |_| {
        let mut edge = || random.range(-1.0, 1.0) * f32::MAX;
        let (a, b, c, d) = (edge(), edge(), edge(), edge());
        [a.min(c), b.min(d), a.max(c), b.max(d)]
    });
    // Each of many splits leaves most boxes in one child.
    let towards_zero = boxes(6000, |k| {
        let scale = (-k % 120.0).exp2();
        at(random.range(0.5, 1.0) * scale, random.range(0.5, 1.0) * scale, scale * 0.1, 0.0)
    });
    let mut any_scale = |from: f32, to: f32| random.range(from, to).exp2() * [-1.0, 1.0][random.below(2)];
    let all_scales = boxes(6000, |_| {
        let (x, y, side) = (any_scale(-100.0, 100.0), any_scale(-100.0, 100.0), any_scale(-100.0, 100.0).abs());
        at(x, y, side, side)
    });
    let stacks = boxes(3000, |k| at((k / 20.0).floor() * 50.0, 0.0, 1.0, 1.0));
    let cells = boxes(64 * 64, |k| at(k % 64.0, (k / 64.0).floor(), 1.0, 1.0));
    vec![
        ("none", vec![]),
        ("one", vec![at(3.0, 4.0, 0.0, 0.0)]),
        ("a leaf", walls(LEAF_MAX, 8, [0.0, 0.0])),
        ("walls", walls(20_000, 9, [-700.0, -700.0])),
        ("dense walls", walls(4000, 10, [0.0, 0.0]).iter().map(|&[x, y, z, w]| at(x / 8.0, y, z - x, w - y)).collect()),
        ("wide beams", beams(100_000)),
        ("tall beams", transposed(&beams(100_000))),
        ("crossing beams", crossing(20_000)),
        ("beams among walls", among_walls),
        ("crossing beams far apart", far_lattices),
        ("large squares", boxes(4000, |_| at(random.range(0.0, 1e3), random.range(0.0, 1e3), 150.0, 150.0))),
        ("two clusters", clusters),
        ("far outliers", outliers),
        ("three scales", scales),
        ("ulps", ulps),
        ("subnormal", subnormal),
        ("huge", huge),
        ("towards zero", towards_zero),
        ("coincident", vec![at(5.0, 5.0, 2.0, 2.0); 3000]),
        ("coincident points", vec![at(-7.0, 5.0, 0.0, 0.0); 3000]),
        ("all scales", all_scales),
        ("stacks", stacks),
        ("concentric", boxes(3000, |k| [-k, -k, k, k])),
        ("points on a grid", boxes(4096, |k| at(k % 64.0, (k / 64.0).floor(), 0.0, 0.0))),
        ("cells that touch", cells),
        ("on a line", boxes(5000, |k| at(k, 0.0, 1.0, 0.0))),
        ("on a diagonal", boxes(5000, |k| at(k, -k, 2.0, 2.0))),
    ]
}

/// Areas at the edges of boxes and at cuts, one of everything, and empty ones.
pub(super) fn areas(boxes: &[RawAabb], tree: &StaticTree, seed: u64) -> Vec<RawAabb> {
    let mut random = SplitMix64::new(seed);
    let mut areas = vec![
        [-INF, -INF, INF, INF],
        [-INF, 0.0, INF, 0.0],
        [0.5, -INF, 0.5, INF],
        [f32::MAX, f32::MAX, INF, INF],
        [-INF, -INF, f32::MIN, f32::MIN],
        [INF, INF, INF, INF],
        at(0.0, 0.0, 0.0, 0.0),
    ];
    for cell in tree.built.roots.iter().map(|root| root.cell) {
        let middle: [f32; 2] = std::array::from_fn(|k| cell[k] * 0.5 + cell[k + 2] * 0.5);
        let [x, y] = middle;
        areas.extend([[x, y, x, y], [x, y, cell[2], cell[3]], [cell[0], cell[1], x, y], [x, -INF, x, INF]]);
        areas.push([x.next_up(), y.next_up(), INF, INF]);
    }
    let samples = if boxes.is_empty() { 0 } else { 12 };
    for _ in 0..samples {
        let [a, b, c, d] = boxes[random.below(boxes.len())];
        let other = boxes[random.below(boxes.len())];
        areas.extend([[a, b, c, d], [c, d, c, d], [a, b, a, b], [c.next_up(), b, c.next_up(), d]]);
        areas.push([a, d.next_up(), c, INF]);
        areas.push([a - 20.0, b - 20.0, c + 20.0, d + 20.0]);
        areas.push([a.min(other[0]), b.min(other[1]), c.max(other[2]), d.max(other[3])]);
        areas.push([c.min(other[0]), d.min(other[1]), c.max(other[0]), d.max(other[1])]);
    }
    areas
}
