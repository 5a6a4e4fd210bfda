//! Trees of many kinds of scenes: well-formed, small, and searched exactly.

use crate::config::SimdLevel;
use crate::error::{Column, Error, InvalidRow};
use crate::geometry::{Aabb, RawAabb};
use crate::input::filter::PairRules;
use crate::input::rows::ROWS_MAX;
use crate::input::statics::Statics;
use crate::memory::box_group::BoxGroup;
use crate::memory::page::{PagePool, PairBudget};
use crate::memory::pair_sink::PairSink;
use crate::reference::cross_pairs;
use crate::simd::DetectedSimd;
use crate::tier::box_test::BoxTest;
use crate::tier::static_tree::build::check_count;
use crate::tier::static_tree::split::{CHILD_COUNT, Split, SplitKind};
use crate::tier::static_tree::subtree::{LEAF_MAX, STATICS_PER_SIBLINGS};
use crate::tier::static_tree::tests::scenes::{INF, areas, at, beams, boxes, crossing, scenes, transposed, walls};
use crate::tier::static_tree::tree::StaticTree;
use triphase_scenes::SplitMix64;

/// Compares the iterator, the collected records and searches of groups with brute force.
pub(super) fn check(name: &str, tree: &StaticTree, areas: &[RawAabb]) {
    let mut wanted = vec![Vec::new(); areas.len()];
    for (area, row) in cross_pairs(areas, &tree.raw_boxes().copied().collect::<Vec<_>>()) {
        if tree.is_enabled(row) == Some(true) {
            wanted[area as usize].push(row);
        }
    }
    let mut found = Vec::new();
    for (area, wanted) in areas.iter().zip(&wanted) {
        let mut rows: Vec<u32> = tree.box_query(*area, BoxTest::Overlap).collect();
        rows.sort_unstable();
        assert_eq!(&rows, wanted, "{name}: query of {area:?}");
        found.clear();
        assert_eq!(tree.collect(area, &mut found, |_| Some(())), Some(()), "{name}");
        assert!(found.iter().all(|found| found.aabb == *tree.raw_box(found.row)), "{name}");
        rows = found.iter().map(|found| found.row).collect();
        rows.sort_unstable();
        assert_eq!(&rows, wanted, "{name}: records in {area:?}");
        if !rows.is_empty() {
            let end = |found: &mut Vec<_>| (found.len() < rows.len()).then_some(());
            assert_eq!(tree.collect(area, &mut Vec::new(), end), None, "{name}: ended by the check");
            assert!(!tree.has_entries_up_to(rows.len() - 1, area), "{name}: an entry for each");
        }
    }
    // Groups of one, of few, and of as many as possible.
    for (level, size) in
        [None, Some(SimdLevel::Portable)].into_iter().flat_map(|level| [(level, 1), (level, 5), (level, 64)])
    {
        for (areas, wanted) in areas.chunks(size).zip(wanted.chunks(size)) {
            let mut group = BoxGroup::new();
            for (row, area) in (0..).zip(areas) {
                group.extend(area.each_ref().map(std::slice::from_ref), &[row]);
            }
            let (pool, budget, mut pages) = (PagePool::default(), PairBudget::new(usize::MAX), Vec::new());
            let mut sink = PairSink::new(&pool, &budget, &mut pages);
            let rules = PairRules { filters_by_row: None, are_circles: false };
            let searched = tree.search_group(DetectedSimd::detect(level), &group, rules, &mut sink);
            assert_eq!(searched, Some(()));
            drop(sink);
            let mut found = vec![Vec::new(); areas.len()];
            pages.iter().flat_map(|page| page.pairs()).for_each(|&[at, row]| found[at as usize].push(row));
            found.iter_mut().for_each(|rows| rows.sort_unstable());
            assert_eq!(found, wanted, "{name}: a group of {size}");
        }
    }
}

#[test]
fn box_queries_of_every_scene_are_exact() {
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
fn box_queries_on_a_small_grid_are_exact() {
    for seed in 0..40 {
        let mut random = SplitMix64::new(seed);
        let (count, side) = (1 + random.below(600), 4 << random.below(6));
        // Integer coordinates: edges, corners and cuts often coincide.
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
fn tree_size_with_long_or_coincident_boxes_is_bounded() {
    for (name, boxes) in [("wide", beams(100_000)), ("tall", transposed(&beams(100_000)))] {
        let tree = StaticTree::new(&boxes).unwrap();
        // Slabs cut between beams, so hardly any beam is in two leaves.
        assert!(tree.entry_count() < 110_000, "{name}: {} entries", tree.entry_count());
        let leaf = tree.box_query([0.0, 10.0, 0.0, 10.0], BoxTest::Overlap).count();
        assert_eq!(leaf, 1);
        assert!(tree.node_count() < 50_000, "{name}: {} nodes", tree.node_count());
    }
    let walls = StaticTree::new(&walls(50_000, 1, [0.0, 0.0])).unwrap();
    assert!(walls.entry_count() < 100_000, "{} entries", walls.entry_count());
    assert!(walls.node_count() < 25_000, "{} nodes", walls.node_count());
    let stacks = StaticTree::new(&vec![at(1.0, 1.0, 1.0, 1.0); 10_000]).unwrap();
    assert_eq!((stacks.entry_count(), stacks.node_count()), (10_000, 1), "a single point cannot be split");
    let bytes = walls.memory_bytes();
    assert!(
        bytes <= 50_000 * 16 + walls.entry_count() * 20 + walls.node_count() * 8 + 2 * 50_000 / 8 + 2048,
        "{bytes} bytes"
    );
    assert!(STATICS_PER_SIBLINGS as usize >= CHILD_COUNT, "at most one node for each static");
}

#[test]
fn leaves_beside_long_boxes_stay_short() {
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
    let nodes = tree.built.siblings.iter().flat_map(|siblings| siblings.0);
    nodes.filter(|node| node.children().is_none()).map(|leaf| leaf.entries().len()).max().unwrap_or(0)
}

#[test]
fn touched_children_of_a_box_on_a_cut() {
    let cell = [0.0, 0.0, 8.0, 8.0];
    let children = |kind, b: RawAabb| Split::new(kind, &cell).touched_children(&b);
    assert_eq!(children(SplitKind::Quad, [1.0, 1.0, 4.0, 4.0]), 0b0001);
    assert_eq!(children(SplitKind::Quad, [4.0, 4.0, 5.0, 4.0]), 0b0011);
    assert_eq!(children(SplitKind::Quad, [4.0, 4.0, 5.0, 5.0]), 0b1111);
    assert_eq!(children(SplitKind::Quad, [4.0f32.next_up(), -INF, 5.0, -1.0]), 0b0010);
    for (kind, flip) in [(SplitKind::SlabsX, false), (SplitKind::SlabsY, true)] {
        let of = |min: f32, max: f32| children(kind, if flip { [0.0, min, 0.0, max] } else { [min, 0.0, max, 0.0] });
        assert_eq!([of(0.0, 2.0), of(2.0, 4.0), of(4.0, 6.0), of(6.0, 8.0)], [0b0001, 0b0011, 0b0110, 0b1100]);
        assert_eq!([of(2.5, 4.0), of(4.5, 6.0), of(6.5, 99.0), of(-INF, INF)], [0b0010, 0b0100, 0b1000, 0b1111]);
    }
}

#[test]
fn leaves_beside_far_outliers_stay_short() {
    for (name, boxes) in scenes() {
        if !["two clusters", "far outliers", "three scales"].contains(&name) {
            continue;
        }
        let tree = StaticTree::new(&boxes).unwrap();
        assert!(longest_leaf(&tree) <= 2 * LEAF_MAX, "{name}: {} in a leaf", longest_leaf(&tree));
    }
}

#[test]
fn build_in_parallel_gives_the_same_tree() {
    let mut far = walls(40_000, 11, [0.0, 0.0]);
    far.extend(walls(40_000, 12, [1e7, 0.0]));
    far.extend(walls(200, 13, [1e20, 0.0]));
    for statics in [walls(60_000, 14, [0.0, 0.0]), beams(50_000), far] {
        let one = StaticTree::build(Statics::new(&statics), false).unwrap();
        let many = StaticTree::build(Statics::new(&statics), true).unwrap();
        assert_eq!(
            (&one.built.roots, &one.built.siblings, &one.built.entries),
            (&many.built.roots, &many.built.siblings, &many.built.entries)
        );
        one.assert_well_formed();
    }
}

#[test]
fn build_reports_the_invalid_row_or_column() {
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
            panic!("{bad:?} was accepted");
        };
        let value = bad[axis + if column == Column::Max { 2 } else { 0 }];
        assert_eq!((found.row, found.column, found.axis), (2, column, axis), "{bad:?}");
        assert_eq!(found.value.to_bits(), InvalidRow::new(2, column, axis, value).value.to_bits());
    }
    let short = StaticTree::new(Statics::new(&[good, good]).with_ids(&[1])).unwrap_err();
    assert_eq!(short, Error::StaticColumnLengthMismatch { column: Column::Id, expected: 2, found: 1 });
    assert_eq!(check_count(ROWS_MAX), Ok(()));
    let (rows, rows_max) = (ROWS_MAX + 1, ROWS_MAX);
    assert_eq!(check_count(rows), Err(Error::TooManyRows { rows, rows_max }));
}

#[test]
fn getters_return_the_input() {
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
    assert_eq!((none.node_count(), none.entry_count(), none.memory_bytes()), (0, 0, 0));
    assert_eq!(none.query_aabb(Aabb::new([0.0, 0.0], [1.0, 1.0]).unwrap()).next(), None);
}
