//! The scans of sorted entries, and of a few entries, against their scalar twins.

use super::filters::filter_columns;
use super::*;
use crate::geometry::{BodyCircle, overlaps};
use crate::memory::bit_set::BitSet;
use crate::memory::list_columns::ListColumns;
use crate::simd::ProbeBatch;

/// Lengths around those of vectors, and of what fits into pages.
const COUNTS: [usize; 17] = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33, 40, 239, 511, 2033];

/// A few entries, sorted by their lower edges on an axis, with all that a scan may test.
pub(super) struct Sorted {
    pub(super) records: Vec<BodyRecord>,
    words: Vec<u32>,
    pub(super) filters: Vec<Filter>,
    filter_words: Vec<u32>,
}

impl Sorted {
    pub(super) fn new(mut records: Vec<BodyRecord>, axis: usize, random: &mut Random) -> Self {
        records.sort_by(|a, b| a.aabb[axis].total_cmp(&b.aabb[axis]));
        let (words, filters) = (columns(&records, PADDINGS[records.len() % 3]), random.filters(records.len()));
        let filter_words = filter_columns(&filters, u32::MAX);
        Self { records, words, filters, filter_words }
    }

    pub(super) fn columns(&self, filtered: bool, circles: bool) -> SoaColumns<'_> {
        let columns = SoaColumns::of(&self.words, self.records.len()).with_circles(circles);
        if filtered { columns.with_filters(&self.filter_words) } else { columns }
    }

    fn reach(&self, axis: usize) -> Vec<f32> {
        let highest =
            (0..self.records.len()).map(|end| self.records[..=end].iter().map(|record| record.aabb[axis + 2]));
        highest.map(|edges| edges.fold(-INF, f32::max)).collect()
    }

    pub(super) fn circle(&self, at: usize) -> BodyCircle {
        BodyCircle::of_box(&self.records[at].aabb)
    }
}

/// Dense boxes and sparse ones.
pub(super) fn both(random: &mut Random, count: usize) -> [Vec<BodyRecord>; 2] {
    [random.records(count), random.sparse_records(count)]
}

/// What scans test besides boxes: filters, circles.
pub(super) const TESTS: [[bool; 2]; 4] = [[false, false], [true, false], [false, true], [true, true]];

/// Compares scans of so many entries with the twin, and returns how many pairs each of [`TESTS`]
/// has.
fn check_sorted(counts: &[usize]) -> [usize; 4] {
    let mut random = Random::new(12);
    let mut found = [0; 4];
    for (count, axis) in counts.iter().flat_map(|&count| [(count, 0), (count, 1)]) {
        for records in both(&mut random, count) {
            let sorted = Sorted::new(records, axis, &mut random);
            for (case, [filtered, circles]) in TESTS.into_iter().enumerate() {
                let meet = |&(i, j): &(usize, usize)| {
                    overlaps(&sorted.records[i].aabb, &sorted.records[j].aabb)
                        && (!filtered || sorted.filters[i].interacts_with(sorted.filters[j]))
                        && (!circles || sorted.circle(i).overlaps(&sorted.circle(j)))
                };
                let places = (0..count).flat_map(|i| (i + 1..count).map(move |j| (i, j))).filter(meet);
                let truth: Vec<_> =
                    places.map(|(i, j)| ascending(sorted.records[i].row, sorted.records[j].row)).collect();
                let label = format!("{count} on axis {axis}, filters {filtered}, circles {circles}");
                // In two parts. An end after the last entry is that entry.
                let parts = [0..count / 3, count / 3..count + 9];
                found[case] += check(&label, &truth, |level, sink| {
                    let columns = sorted.columns(filtered, circles);
                    parts.clone().into_iter().try_for_each(|part| level.scan_sorted(&columns, part, axis, sink))
                });
            }
        }
    }
    found
}

#[test]
fn sorted_entries_agree_with_the_twin() {
    let found = check_sorted(&COUNTS);
    assert!(found[3] > 10_000 && found[1].max(found[2]) < found[0], "{found:?}");
}

/// Few enough for Miri.
#[test]
fn few_sorted_entries_agree_with_the_twin() {
    let found = check_sorted(&[1, 33]);
    assert!(found[0] > 10 && found[3] > 0, "{found:?}");
}

/// Cuts entries into lists of random lengths, which together are all of them.
fn random_lists(count: usize, random: &mut Random) -> Vec<Range<usize>> {
    let mut ends: Vec<usize> = (0..random.below(count / 6 + 2)).map(|_| random.below(count + 1)).collect();
    ends.extend([0, count]);
    ends.sort_unstable();
    ends.windows(2).map(|ends| ends[0]..ends[1]).collect()
}

/// Compares scans of lists with so many entries with the twin, and returns how many pairs each case
/// of `TESTS` has.
fn check_lists(counts: &[usize], probe_count: usize) -> [usize; 4] {
    let mut random = Random::new(23);
    let mut found = [0; 4];
    for (&count, exchanged) in counts.iter().flat_map(|count| [(count, false), (count, true)]) {
        let of = |random: &mut Random, count| {
            let [dense, sparse] = both(random, count);
            // Boxes of which many overlap at their corners, where circles do not.
            let near = |record: &BodyRecord| {
                let [x, y, ..] = record.aabb.map(|edge| edge / 30.0);
                BodyRecord { aabb: [x, y, x + 0.5, y + 0.5], row: record.row }
            };
            [sparse.iter().map(near).collect(), dense, sparse]
        };
        for (probes, entries) in of(&mut random, probe_count).into_iter().zip(of(&mut random, count)) {
            let probes = Sorted::new(probes, 0, &mut random);
            let (lists, filters) = (random_lists(count, &mut random), random.filters(64));
            let filter_of = |row: u32| filters[row as usize % 64];
            // Those of the last probes. A list after the last entry is empty.
            let first = probe_count / 3;
            let mut list = |_| lists[random.below(lists.len())].clone();
            let mut chosen: Vec<Range<usize>> = (first..probe_count).map(&mut list).collect();
            chosen[0] = count + 3..count + 9;
            let ranges: Vec<[u32; 2]> = chosen.iter().map(|list| [list.start as u32, list.end as u32]).collect();
            chosen[0] = count..count;
            let boxes: Vec<RawAabb> = probes.records.iter().map(|record| record.aabb).collect();
            let exchange =
                |[x, y, right, bottom]: RawAabb| if exchanged { [y, x, bottom, right] } else { [x, y, right, bottom] };
            for (case, [filtered, circles]) in TESTS.into_iter().enumerate() {
                let columns = [false, true].map(|are_apart| {
                    let mut columns = ListColumns::laid_out(count, are_apart);
                    for list in &lists {
                        list.clone().enumerate().for_each(|(at, entry)| columns.set(list, at, &entries[entry]));
                    }
                    if filtered {
                        columns.set_filters(lists.iter().cloned(), filter_of);
                    }
                    columns
                });
                // One side may have filters alone: then the others accept everything.
                for own_filters in [false, true] {
                    let own = |i: usize| if own_filters { probes.filters[i] } else { Filter::ALL };
                    let meet = |i: usize, j: usize| {
                        let aabb = exchange(boxes[i]);
                        overlaps(&aabb, &entries[j].aabb)
                            && (!filtered || own(i).interacts_with(filter_of(entries[j].row)))
                            && (!circles || BodyCircle::of_box(&aabb).overlaps_box(&entries[j].aabb))
                    };
                    let places = (0..chosen.len()).flat_map(|k| chosen[k].clone().map(move |j| (first + k, j)));
                    let hits = places.filter(|&(i, j)| meet(i, j));
                    let truth: Vec<_> = hits.map(|(i, j)| [probes.records[i].row, entries[j].row]).collect();
                    for columns in &columns {
                        let apart = columns.are_apart();
                        let label = format!("{count} entries, apart {apart}, exchanged {exchanged}, case {case}");
                        found[case] += check(&label, &truth, |level, sink| {
                            let probes = probes.columns(own_filters, circles);
                            level.scan_lists((&probes, first), (columns, &ranges), exchanged, sink)
                        });
                    }
                }
            }
        }
    }
    found
}

#[test]
fn lists_of_probes_agree_with_the_twin() {
    let found = check_lists(&COUNTS, 50);
    assert!(found[3] > 1000 && found[1].max(found[2]) < found[0], "{found:?}");
}

/// Few enough for Miri.
#[test]
fn short_lists_agree_with_the_twin() {
    let found = check_lists(&[0, 1, 5, 17], 7);
    assert!(found[0] > 10, "{found:?}");
}

#[test]
fn entries_beside_probes_agree_with_the_twin() {
    let mut random = Random::new(5);
    let mut found = [0; 4];
    for (count, axis) in COUNTS.into_iter().flat_map(|count| [(count, 0), (count, 1)]) {
        // Of the probes, only their columns matter, not their order.
        let probe_count = count % 21;
        for (probes, entries) in both(&mut random, probe_count).into_iter().zip(both(&mut random, count)) {
            let (probes, entries) = (Sorted::new(probes, 0, &mut random), Sorted::new(entries, axis, &mut random));
            let reach = entries.reach(axis);
            for (case, [filtered, circles]) in TESTS.into_iter().enumerate() {
                // Circles against boxes, as bodies and statics, and against circles.
                for (entries_are_circles, order) in [(false, PairOrder::ProbeFirst), (circles, PairOrder::Ascending)] {
                    let meet = |i: usize, j: usize| {
                        overlaps(&probes.records[i].aabb, &entries.records[j].aabb)
                            && (!filtered || probes.filters[i].interacts_with(entries.filters[j]))
                            && match (circles, entries_are_circles) {
                                (true, true) => probes.circle(i).overlaps(&entries.circle(j)),
                                (true, false) => probes.circle(i).overlaps_box(&entries.records[j].aabb),
                                _ => true,
                            }
                    };
                    let places = (0..probe_count).flat_map(|i| (0..count).map(move |j| (i, j)));
                    let hits = places.filter(|&(i, j)| meet(i, j)).map(|(i, j)| {
                        let (probe, entry) = (probes.records[i].row, entries.records[j].row);
                        if order == PairOrder::Ascending { ascending(probe, entry) } else { [probe, entry] }
                    });
                    let truth: Vec<_> = hits.collect();
                    let label = format!("{probe_count} beside {count} on axis {axis}, case {case}, {order:?}");
                    found[case] += check(&label, &truth, |level, sink| {
                        let entries = (&entries.columns(filtered, entries_are_circles), &reach[..]);
                        level.scan_beside(&probes.columns(filtered, circles), entries, (axis, order), sink)
                    });
                }
            }
        }
    }
    assert!(found[3] > 1000 && found[1].max(found[2]) < found[0], "{found:?}");
}

#[test]
#[should_panic(expected = "there is a reach for each entry")]
fn reach_of_too_few_entries_panics() {
    let sorted = Sorted::new(Random::new(10).records(9), 0, &mut Random::new(11));
    let columns = sorted.columns(false, false);
    run(1, |sink| {
        DetectedSimd::default().scan_beside(&columns, (&columns, &[INF; 8]), (0, PairOrder::Ascending), sink)
    });
}

#[test]
fn entries_above_a_corner_agree_with_the_twin() {
    let mut random = Random::new(13);
    let mut found = [0; 4];
    for round in 0..1000 {
        let (count, probe_count) = (random.below(65), random.below(33));
        let [dense, sparse] = both(&mut random, count);
        let entries = Sorted::new(if round % 2 == 0 { dense } else { sparse }, 0, &mut random);
        let (probes, filters) = (random.records(probe_count), random.filters(probe_count));
        let boxes: Vec<RawAabb> = probes.iter().map(|probe| probe.aabb).collect();
        let rows: Vec<u32> = (0..probe_count as u32).map(|k| k * 7).collect();
        let mut hidden = BitSet::default();
        hidden.grow_to(300);
        rows.iter().filter(|_| random.below(5) == 0).for_each(|&row| _ = hidden.insert(row));
        let chosen = random.next() as u32 & ((1u64 << probe_count) - 1) as u32;
        // Edges of boxes, so that some begin exactly there.
        let mut above = || if random.below(2) == 0 { f32::MIN } else { random.edges()[0] };
        let above = [above(), above()];
        for (case, [filtered, circles]) in TESTS.into_iter().enumerate() {
            let meet = |i: usize, j: usize| {
                let (probe, entry) = (&boxes[i], &entries.records[j].aabb);
                chosen >> i & 1 == 1
                    && !hidden.contains(rows[i])
                    && overlaps(probe, entry)
                    && (0..2).all(|axis| probe[axis] > above[axis] || entry[axis] > above[axis])
                    && (!filtered || filters[i].interacts_with(entries.filters[j]))
                    && (!circles || entries.circle(j).overlaps_box(probe))
            };
            let places = (0..probe_count).flat_map(|i| (0..count).map(move |j| (i, j)));
            let hits = places.filter(|&(i, j)| meet(i, j));
            let truth: Vec<_> = hits.map(|(i, j)| [entries.records[j].row, rows[i]]).collect();
            let filters = if filtered { &filters[..] } else { &[] };
            let batch = ProbeBatch { boxes: &boxes, rows: &rows, filters, chosen, hidden: &hidden };
            found[case] += check(&format!("round {round}, case {case}"), &truth, |level, sink| {
                level.scan_above(&entries.columns(filtered, circles), &batch, above, sink)
            });
        }
    }
    assert!(found[3] > 300 && found[1].max(found[2]) < found[0], "{found:?}");
}

#[test]
#[should_panic(expected = "their pairs fit into a page")]
fn too_many_entries_above_a_corner_panic() {
    let entries = Sorted::new(Random::new(10).records(241), 0, &mut Random::new(11));
    let hidden = BitSet::default();
    let probes = ProbeBatch { boxes: &[], rows: &[], filters: &[], chosen: 0, hidden: &hidden };
    run(1, |sink| DetectedSimd::default().scan_above(&entries.columns(false, false), &probes, [0.0; 2], sink));
}
