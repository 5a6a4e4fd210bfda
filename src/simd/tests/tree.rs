//! The scan of a tree against its scalar twin.

use super::sorted::{Sorted, TESTS, both};
use super::*;
use crate::geometry::overlaps;
use crate::memory::blocks::{SOA_BLOCK_LEN, block_words, set_box};
use crate::simd::TreeView;

/// Lengths around those of leaves, nodes, roots and blocks of roots.
const COUNTS: [usize; 16] = [0, 1, 2, 7, 15, 16, 17, 100, 255, 256, 257, 2000, 4096, 4100, 65_536, 66_000];

/// The bounds of boxes, sixteen at a time, and the blocks that hold them.
fn bounds(boxes: &[RawAabb]) -> (Vec<RawAabb>, Vec<u32>) {
    let cover = |boxes: &[RawAabb]| {
        let edge = |k: usize, start: f32, fold: fn(f32, f32) -> f32| boxes.iter().map(|aabb| aabb[k]).fold(start, fold);
        [edge(0, INF, f32::min), edge(1, INF, f32::min), edge(2, -INF, f32::max), edge(3, -INF, f32::max)]
    };
    let bounds: Vec<RawAabb> = boxes.chunks(SOA_BLOCK_LEN).map(cover).collect();
    let mut words = vec![f32::NAN.to_bits(); block_words(bounds.len())];
    bounds.iter().enumerate().for_each(|(at, aabb)| set_box(&mut words, at, aabb));
    (bounds, words)
}

fn view<'a>(entries: SoaColumns<'a>, levels: [&'a [u32]; 3]) -> TreeView<'a> {
    let [leaves, nodes, roots] = levels.map(|words| words.as_chunks().0);
    TreeView { entries, leaves, nodes, roots }
}

#[test]
fn trees_agree_with_the_twin() {
    let mut random = Random::new(29);
    let mut found = [0; 4];
    for count in COUNTS {
        for (probes, entries) in both(&mut random, 9).into_iter().zip(both(&mut random, count)) {
            let (probes, entries) = (Sorted::new(probes, 0, &mut random), Sorted::new(entries, 0, &mut random));
            let boxes: Vec<RawAabb> = entries.records.iter().map(|record| record.aabb).collect();
            let (leaf_bounds, leaves) = bounds(&boxes);
            let (node_bounds, nodes) = bounds(&leaf_bounds);
            let (_, roots) = bounds(&node_bounds);
            for (case, [filtered, circles]) in TESTS.into_iter().enumerate() {
                // Bodies against circles if they are, and statics.
                for (probes_are_circles, order) in [(circles, PairOrder::Ascending), (false, PairOrder::EntryFirst)] {
                    let meet = |i: usize, j: usize| {
                        overlaps(&probes.records[i].aabb, &boxes[j])
                            && (!filtered || probes.filters[i].interacts_with(entries.filters[j]))
                            && match (circles, probes_are_circles) {
                                (true, true) => entries.circle(j).overlaps(&probes.circle(i)),
                                (true, false) => entries.circle(j).overlaps_box(&probes.records[i].aabb),
                                _ => true,
                            }
                    };
                    let places = (0..probes.records.len()).flat_map(|i| (0..count).map(move |j| (i, j)));
                    let hits = places.filter(|&(i, j)| meet(i, j)).map(|(i, j)| {
                        let (probe, entry) = (probes.records[i].row, entries.records[j].row);
                        if order == PairOrder::Ascending { ascending(probe, entry) } else { [entry, probe] }
                    });
                    let truth: Vec<_> = hits.collect();
                    found[case] +=
                        check(&format!("{count} in a tree, case {case}, {order:?}"), &truth, |level, sink| {
                            let entries = entries.columns(filtered, circles);
                            let tree = view(entries, [&leaves, &nodes, &roots]);
                            let probe = |k: usize| Probe {
                                filter: probes.filters[k],
                                ..probe_of(probes.records[k].aabb, probes.records[k].row)
                            };
                            let probes: Vec<Probe> = (0..probes.records.len()).map(probe).collect();
                            level.scan_tree(&tree, &probes, order, probes_are_circles, sink)
                        });
                }
            }
        }
    }
    assert!(found[3] > 900 && found[1].max(found[2]) < found[0], "{found:?}");
}

#[test]
fn pairs_of_trees_agree_with_the_twin() {
    let mut random = Random::new(31);
    let mut found = [0; 4];
    for count in COUNTS {
        let [dense, sparse] = both(&mut random, count);
        // Of many dense ones, nearly all overlap each other.
        for records in if count <= 300 { vec![dense, sparse] } else { vec![sparse] } {
            let entries = Sorted::new(records, 0, &mut random);
            let boxes: Vec<RawAabb> = entries.records.iter().map(|record| record.aabb).collect();
            let (leaf_bounds, leaves) = bounds(&boxes);
            let (node_bounds, nodes) = bounds(&leaf_bounds);
            let (_, roots) = bounds(&node_bounds);
            for (case, [filtered, circles]) in TESTS.into_iter().enumerate() {
                let meet = |i: usize, j: usize| {
                    overlaps(&boxes[i], &boxes[j])
                        && (!filtered || entries.filters[i].interacts_with(entries.filters[j]))
                        && (!circles || entries.circle(i).overlaps(&entries.circle(j)))
                };
                // In two parts. An end after the last entry is that entry.
                let parts =
                    if count <= 300 { [0..count / 3, count / 3..count + 9] } else { [90..180, count - 90..count + 9] };
                let probes = parts.iter().flat_map(|part| part.start..part.end.min(count));
                let places = probes.flat_map(|i| (i + 1..count).map(move |j| (i, j)));
                let hits = places.filter(|&(i, j)| meet(i, j));
                let truth: Vec<_> =
                    hits.map(|(i, j)| ascending(entries.records[i].row, entries.records[j].row)).collect();
                found[case] += check(&format!("{count} in a tree, case {case}"), &truth, |level, sink| {
                    let entries = entries.columns(filtered, circles);
                    let tree = view(entries, [&leaves, &nodes, &roots]);
                    parts.clone().into_iter().try_for_each(|part| level.scan_tree_pairs(&tree, part, sink))
                });
            }
        }
    }
    assert!(found[3] > 500 && found[1].max(found[2]) < found[0], "{found:?}");
}
