//! Every scene through every way to ask, against brute force.

mod ask;

use crate::error::{Column, Error, InvalidRow};
use crate::geometry::{Aabb, RawAabb};
use crate::input::statics::Statics;
use crate::memory::bit_set::BitSet;
use crate::reference::cross_pairs;
use crate::tier::static_tree::StaticTree;
use crate::tier::static_tree::build::check_count;
use crate::tier::static_tree::node::{CHILD_COUNT, ROW_COUNT_MAX};
use crate::tier::static_tree::split::{Kind, Split};
use crate::tier::static_tree::subtree::{LEAF_MAX, STATICS_A_GROUP};

const INF: f32 = f32::INFINITY;

/// SplitMix64: the sequence is the seed's alone.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn float(&mut self, low: f32, high: f32) -> f32 {
        low + (self.next() >> 40) as f32 / (1u32 << 24) as f32 * (high - low)
    }
}

fn boxes(count: usize, mut make: impl FnMut(f32) -> RawAabb) -> Vec<RawAabb> {
    (0..count).map(|k| make(k as f32)).collect()
}

fn transposed(boxes: &[RawAabb]) -> Vec<RawAabb> {
    boxes.iter().map(|&[a, b, c, d]| [b, a, d, c]).collect()
}

fn at(x: f32, y: f32, width: f32, height: f32) -> RawAabb {
    [x, y, x + width, y + height]
}

/// Walls 1 thick and 2 to 16 long, one for each 100 square units.
fn walls(count: usize, seed: u64, origin: [f32; 2]) -> Vec<RawAabb> {
    let (mut random, side) = (Random(seed), (count as f32).sqrt() * 10.0);
    boxes(count, |_| {
        let (x, y) = (origin[0] + random.float(0.0, side), origin[1] + random.float(0.0, side));
        let long = 2.0 + random.below(15) as f32;
        if random.below(2) == 0 { at(x, y, long, 1.0) } else { at(x, y, 1.0, long) }
    })
}

fn beams(count: usize) -> Vec<RawAabb> {
    let half = (count / 2) as f32;
    boxes(count, |k| at(-1e5, k - half, 2e5, 0.25))
}

fn crossing(count: usize) -> Vec<RawAabb> {
    let wide = beams(count);
    [transposed(&wide), wide].concat()
}

fn scenes() -> Vec<(&'static str, Vec<RawAabb>)> {
    let mut random = Random(7);
    let mut among_walls = walls(5000, 15, [-350.0, -350.0]);
    among_walls.extend(beams(400).iter().chain(&transposed(&beams(300))));
    let mut clusters = walls(3000, 1, [0.0, 0.0]);
    clusters.extend(walls(3000, 2, [1e7, 1e7]));
    let mut outliers = walls(5000, 3, [-500.0, -500.0]);
    outliers.extend([[1e30, 1e30, 2e30, 2e30], [-1e30, 0.0, -1e30, 1.0], [-1e30, -1e30, 1e30, -100.0]]);
    // Too far apart to be told long: only the budget holds them.
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
        let mut edge = || random.float(-1.0, 1.0) * f32::MAX;
        let (a, b, c, d) = (edge(), edge(), edge(), edge());
        [a.min(c), b.min(d), a.max(c), b.max(d)]
    });
    // Halving after halving leaves most of them in one child.
    let towards_zero = boxes(6000, |k| {
        let scale = (-k % 120.0).exp2();
        at(random.float(0.5, 1.0) * scale, random.float(0.5, 1.0) * scale, scale * 0.1, 0.0)
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
        ("large squares", boxes(4000, |_| at(random.float(0.0, 1e3), random.float(0.0, 1e3), 150.0, 150.0))),
        ("two clusters", clusters),
        ("far outliers", outliers),
        ("three scales", scales),
        ("ulps", ulps),
        ("subnormal", subnormal),
        ("huge", huge),
        ("towards zero", towards_zero),
        ("coincident", vec![at(5.0, 5.0, 2.0, 2.0); 3000]),
        ("coincident points", vec![at(-7.0, 5.0, 0.0, 0.0); 3000]),
        ("stacks", stacks),
        ("concentric", boxes(3000, |k| [-k, -k, k, k])),
        ("points on a grid", boxes(4096, |k| at(k % 64.0, (k / 64.0).floor(), 0.0, 0.0))),
        ("cells that touch", cells),
        ("on a line", boxes(5000, |k| at(k, 0.0, 1.0, 0.0))),
        ("on a diagonal", boxes(5000, |k| at(k, -k, 2.0, 2.0))),
    ]
}

/// Areas that meet the scene's own edges, its cuts, all of it, nothing of it.
fn areas(boxes: &[RawAabb], tree: &StaticTree, seed: u64) -> Vec<RawAabb> {
    let mut random = Random(seed);
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

/// Both ways to ask, against brute force, with some rows switched off.
fn check(name: &str, tree: &StaticTree, areas: &[RawAabb]) {
    let mut wanted = vec![Vec::new(); areas.len()];
    for (area, row) in cross_pairs(areas, tree.raw_boxes()) {
        if tree.is_enabled(row) == Some(true) {
            wanted[area as usize].push(row);
        }
    }
    let (mut seen, mut found) = (BitSet::default(), Vec::new());
    seen.grow_to(tree.len());
    for (area, wanted) in areas.iter().zip(&wanted) {
        let mut rows: Vec<u32> = tree.query_raw(*area).collect();
        rows.sort_unstable();
        assert_eq!(&rows, wanted, "{name}: query of {area:?}");
        found.clear();
        found.push(77);
        tree.collect(area, &mut seen, &mut found);
        assert_eq!(found.remove(0), 77, "{name}: what was found before stays");
        found.sort_unstable();
        assert_eq!(&found, wanted, "{name}: collect of {area:?}");
        assert!((0..tree.len() as u32).all(|row| !seen.contains(row)), "{name}: the set is clear again");
    }
}

#[test]
fn every_scene_is_answered_exactly() {
    for (seed, (name, boxes)) in scenes().into_iter().enumerate() {
        let mut tree = StaticTree::new(&boxes).unwrap();
        tree.assert_well_formed();
        let areas = areas(&boxes, &tree, seed as u64);
        check(name, &tree, &areas);
        for row in (0..boxes.len() as u32).step_by(3) {
            assert_eq!(tree.set_enabled(row, false), Ok(true));
        }
        check(name, &tree, &areas[..areas.len().min(30)]);
    }
}

#[test]
fn random_areas_are_answered_exactly() {
    for seed in 0..40 {
        let mut random = Random(seed);
        let (count, side) = (1 + random.below(600), 4 << random.below(6));
        // Whole numbers: edges, corners and cuts coincide all the time.
        let mut any = |longest: usize| {
            let mut size = || random.below(longest + 1) as f32;
            let (width, height) = (size(), size());
            at(random.below(side) as f32, random.below(side) as f32, width, height)
        };
        let statics = boxes(count, |_| any(6));
        let tree = StaticTree::new(&statics).unwrap();
        tree.assert_well_formed();
        check(&format!("seed {seed}"), &tree, &boxes(60, |_| any(12)));
    }
}

#[test]
fn long_boxes_do_not_fill_the_memory() {
    for (name, boxes) in [("wide", beams(100_000)), ("tall", transposed(&beams(100_000)))] {
        let tree = StaticTree::new(&boxes).unwrap();
        // A list of beams is cut between beams: hardly any is in two leaves.
        assert!(tree.entry_count() < 110_000, "{name}: {} entries", tree.entry_count());
        let leaf = tree.query_raw([0.0, 10.0, 0.0, 10.0]).count();
        assert_eq!(leaf, 1);
        assert!(tree.node_count() < 50_000, "{name}: {} nodes", tree.node_count());
    }
    let walls = StaticTree::new(&walls(50_000, 1, [0.0, 0.0])).unwrap();
    assert!(walls.entry_count() < 100_000, "{} entries", walls.entry_count());
    assert!(walls.node_count() < 25_000, "{} nodes", walls.node_count());
    let stacks = StaticTree::new(&vec![at(1.0, 1.0, 1.0, 1.0); 10_000]).unwrap();
    assert_eq!((stacks.entry_count(), stacks.node_count()), (10_000, 1), "one point cannot be cut");
    let bytes = walls.bytes();
    assert!(
        bytes <= 50_000 * 16 + walls.entry_count() * 20 + walls.node_count() * 8 + 50_000 / 8 + 512,
        "{bytes} bytes"
    );
    assert!(STATICS_A_GROUP as usize >= CHILD_COUNT, "one node a static at most");
}

#[test]
fn long_boxes_do_not_coarsen_the_rest() {
    let tree = StaticTree::new(&crossing(20_000)).unwrap();
    assert!(tree.entry_count() < 42_000, "{} entries", tree.entry_count());
    assert!(longest_leaf(&tree) <= 2 * LEAF_MAX, "{} in a leaf", longest_leaf(&tree));
    let mut boxes = walls(50_000, 16, [-1100.0, -1100.0]);
    boxes.extend(crossing(1000));
    let tree = StaticTree::new(&boxes).unwrap();
    assert!(tree.entry_count() < 90_000, "{} entries", tree.entry_count());
    assert!(longest_leaf(&tree) <= 2 * LEAF_MAX, "{} in a leaf", longest_leaf(&tree));
}

fn longest_leaf(tree: &StaticTree) -> usize {
    let nodes = tree.built.groups.iter().flat_map(|group| group.0);
    nodes.filter(|node| node.children().is_none()).map(|leaf| leaf.entries().len()).max().unwrap_or(0)
}

#[test]
fn a_box_that_ends_on_a_cut_stays_below_it() {
    let cell = [0.0, 0.0, 8.0, 8.0];
    let reach = |kind, b: RawAabb| Split::new(kind, &cell).reach(&b);
    assert_eq!(reach(Kind::Quad, [1.0, 1.0, 4.0, 4.0]), 0b0001);
    assert_eq!(reach(Kind::Quad, [4.0, 4.0, 5.0, 4.0]), 0b0011);
    assert_eq!(reach(Kind::Quad, [4.0, 4.0, 5.0, 5.0]), 0b1111);
    assert_eq!(reach(Kind::Quad, [4.0f32.next_up(), -INF, 5.0, -1.0]), 0b0010);
    for (kind, flip) in [(Kind::SlabsX, false), (Kind::SlabsY, true)] {
        let of = |min: f32, max: f32| reach(kind, if flip { [0.0, min, 0.0, max] } else { [min, 0.0, max, 0.0] });
        assert_eq!([of(0.0, 2.0), of(2.0, 4.0), of(4.0, 6.0), of(6.0, 8.0)], [0b0001, 0b0011, 0b0110, 0b1100]);
        assert_eq!([of(2.5, 4.0), of(4.5, 6.0), of(6.5, 99.0), of(-INF, INF)], [0b0010, 0b0100, 0b1000, 0b1111]);
    }
}

#[test]
fn what_is_far_away_does_not_coarsen_the_rest() {
    for (name, boxes) in scenes() {
        if !["two clusters", "far outliers", "three scales"].contains(&name) {
            continue;
        }
        let tree = StaticTree::new(&boxes).unwrap();
        assert!(longest_leaf(&tree) <= 2 * LEAF_MAX, "{name}: {} in a leaf", longest_leaf(&tree));
    }
}

#[test]
fn the_tree_does_not_depend_on_threads() {
    let mut far = walls(40_000, 11, [0.0, 0.0]);
    far.extend(walls(40_000, 12, [1e7, 0.0]));
    far.extend(walls(200, 13, [1e20, 0.0]));
    for statics in [walls(60_000, 14, [0.0, 0.0]), beams(50_000), far] {
        let one = StaticTree::build(Statics::new(&statics), false).unwrap();
        let many = StaticTree::build(Statics::new(&statics), true).unwrap();
        assert_eq!(
            (&one.built.roots, &one.built.groups, &one.built.entries),
            (&many.built.roots, &many.built.groups, &many.built.entries)
        );
        one.assert_well_formed();
    }
}

#[test]
fn bad_input_is_named() {
    let good: RawAabb = [0.0, 0.0, 1.0, 1.0];
    let cases = [
        ([f32::NAN, 0.0, 1.0, 1.0], Column::Min, 0),
        ([0.0, -INF, 1.0, 1.0], Column::Min, 1),
        ([0.0, 0.0, INF, 1.0], Column::Max, 0),
        ([0.0, 0.0, 1.0, f32::NAN], Column::Max, 1),
        ([0.0, 0.0, 1.0, -1.0], Column::Max, 1),
        ([2.0, 0.0, 1.0, 1.0], Column::Max, 0),
        ([2.0, INF, 1.0, 1.0], Column::Min, 1),
    ];
    for (bad, column, axis) in cases {
        let Err(Error::InvalidStatic(found)) = StaticTree::new(&[good, good, bad, good, bad]) else {
            panic!("{bad:?} was taken");
        };
        let value = bad[axis + if column == Column::Max { 2 } else { 0 }];
        assert_eq!((found.row, found.column, found.axis), (2, column, axis), "{bad:?}");
        assert_eq!(found.value.to_bits(), InvalidRow::new(2, column, axis, value).value.to_bits());
    }
    let short = StaticTree::new(Statics::new(&[good, good]).with_ids(&[1])).unwrap_err();
    assert_eq!(short, Error::ColumnLengthMismatch { chunk: None, column: Column::Id, expected: 2, found: 1 });
    assert_eq!(check_count(ROW_COUNT_MAX), Ok(()));
    let (rows, rows_max) = (ROW_COUNT_MAX + 1, ROW_COUNT_MAX);
    assert_eq!(check_count(rows), Err(Error::TooManyRows { rows, rows_max }));
}

#[test]
fn rows_are_told_about_as_they_were_given() {
    let statics = [[-0.0f32, 0.0, 1.0, 1.0], [2.0, 2.0, 3.0, 9.0]];
    let mut tree = StaticTree::new(Statics::new(&statics).with_ids(&[70, 71])).unwrap();
    assert_eq!((tree.len(), tree.is_empty(), tree.id(1), tree.id(2)), (2, false, Some(71), None));
    assert_eq!(tree.aabb(0).unwrap().min()[0].to_bits(), (-0.0f32).to_bits());
    assert_eq!(tree.bounds(), Aabb::new([0.0, 0.0], [3.0, 9.0]).ok());
    assert_eq!((tree.aabb(2), tree.is_enabled(2)), (None, None));
    assert_eq!(tree.set_enabled(1, false), Ok(true));
    assert_eq!(tree.set_enabled(1, false), Ok(false));
    assert_eq!(tree.is_enabled(1), Some(false));
    assert_eq!(tree.set_enabled(1, true), Ok(false));
    assert_eq!(tree.query_aabb(tree.aabb(1).unwrap()).collect::<Vec<_>>(), [1]);
    assert_eq!(tree.set_enabled(2, true), Err(Error::StaticOutOfRange { row: 2, count: 2 }));

    let none = StaticTree::default();
    assert_eq!((none.len(), none.is_empty(), none.bounds(), none.id(0)), (0, true, None, None));
    assert_eq!((none.node_count(), none.entry_count(), none.bytes()), (0, 0, 0));
    assert_eq!(none.query_aabb(Aabb::new([0.0, 0.0], [1.0, 1.0]).unwrap()).next(), None);
}
