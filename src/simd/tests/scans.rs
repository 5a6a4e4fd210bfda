//! The scans against their scalar twins.

use super::*;
use crate::geometry::overlaps;
use crate::memory::page::{PAGE_LEN, PAGE_SLACK};

/// The scalar twin of `scan_cells`: cell by cell instead of by runs.
fn cells_twin(cells: &Cells, records: &[BodyRecord]) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    let mut test = |i: usize, others: &mut dyn Iterator<Item = usize>| {
        for j in others {
            if overlaps(&records[i].aabb, &records[j].aabb) {
                pairs.push(ascending(records[i].row, records[j].row));
            }
        }
    };
    for y in 0..cells.height {
        let of_row = || (0..cells.width).flat_map(|x| cells.cell(x, y).map(move |i| (i, x)));
        for (i, x) in of_row() {
            let right = x + 1..=x + CellKey(cells.keys[i]).right();
            test(i, &mut (i + 1..cells.cell(x, y).end).chain(right.flat_map(|x| cells.cell(x, y))));
        }
        for (i, x) in of_row().filter(|&(i, _)| CellKey(cells.keys[i]).below() == 1) {
            let around = x.saturating_sub(cells.columns_reached)..=x + CellKey(cells.keys[i]).right();
            test(i, &mut around.flat_map(|x| cells.cell(x, y + 1)));
        }
    }
    pairs
}

/// The scalar twin of `scan_rects` with one search.
fn rect_twin(cells: &Cells, records: &[BodyRecord], rect: &CellRect, probe: &Probe, order: PairOrder) -> Vec<[u32; 2]> {
    let contents = rect.y.clone().flat_map(|y| rect.x.clone().flat_map(move |x| cells.cell(x, y)));
    let hits = contents.filter(|&at| overlaps(&records[at].aabb, &probe.aabb)).map(|at| records[at].row);
    match order {
        PairOrder::Ascending => hits.map(|row| ascending(row, probe.row)).collect(),
        PairOrder::ProbeFirst => hits.map(|row| [probe.row, row]).collect(),
        PairOrder::EntryFirst => hits.map(|row| [row, probe.row]).collect(),
    }
}

/// Cells with up to forty records: all remainders of a vector.
fn mixed_cells(random: &mut Random) -> Vec<Vec<BodyRecord>> {
    let counts: Vec<usize> = (0..20).map(|_| if random.below(3) == 0 { 0 } else { random.below(41) }).collect();
    counts.into_iter().map(|count| random.records(count)).collect()
}

/// One row of two cells: around the length of the longest run tested at once, and longer than a
/// page.
fn long_cells(random: &mut Random) -> Vec<Vec<Vec<BodyRecord>>> {
    let mut all = Vec::new();
    for count in [PAGE_LEN / 4, PAGE_LEN - PAGE_SLACK, PAGE_LEN, 5000] {
        for count in [count - 1, count, count + 1, count + 2] {
            // The second cell contains entries after the run of a body that does not reach right.
            all.push(vec![random.sparse_records(count), random.sparse_records(9)]);
        }
    }
    all
}

#[test]
fn cells_agree_with_the_twin() {
    let mut random = Random::new(1);
    let mut found = 0;
    for round in 0..40 {
        let contents = mixed_cells(&mut random);
        for width in [1, 4, 5, 20] {
            let padding = PADDINGS[round % 3];
            let cells = Cells::new(width, &contents, padding, &mut random);
            let truth = cells_twin(&cells, &contents.concat());
            let (view, keys) = (cells.view(), &cells.keys);
            found += check(&format!("round {round}, {width} wide, {padding:?}"), &truth, |level, sink| {
                level.scan_cells(&view, keys, 0..usize::MAX, sink)
            });
        }
    }
    assert!(found > 30_000, "{found}");
}

#[test]
fn fine_columns_agree_with_the_twin() {
    let mut random = Random::new(16);
    let mut found = 0;
    for round in 0..20 {
        let contents = mixed_cells(&mut random);
        for (width, reached) in [(1, 5), (4, 2), (5, 5), (10, 3), (20, 127)] {
            let cells = Cells::new(width, &contents, PADDINGS[round % 3], &mut random);
            let cells = cells.with_columns_reached(reached, &mut random);
            let truth = cells_twin(&cells, &contents.concat());
            found += check(&format!("round {round}, {width} wide, {reached} reached"), &truth, |level, sink| {
                level.scan_cells(&cells.view(), &cells.keys, 0..usize::MAX, sink)
            });
        }
    }
    assert!(found > 30_000, "{found}");
}

#[test]
fn parts_of_cells_agree_with_the_whole() {
    let mut random = Random::new(14);
    for contents in long_cells(&mut random).into_iter().chain((0..20).map(|_| mixed_cells(&mut random))) {
        let cells = Cells::new(2, &contents, PADDINGS[0], &mut Random::new(15));
        let (view, keys) = (cells.view(), &cells.keys);
        let sorted = |mut pairs: Vec<[u32; 2]>| {
            pairs.sort_unstable();
            pairs
        };
        let truth = sorted(cells_twin(&cells, &contents.concat()));
        // An end after the last entry is that entry.
        let ends = [0, keys.len() / 3, keys.len() / 3 + 1, keys.len() * 2 / 3, keys.len() + 9];
        for &level in levels() {
            let of = |probes: Range<usize>| {
                run(usize::MAX, |sink| level.scan_cells(&view, keys, probes.clone(), sink)).pairs
            };
            let parts = ends.windows(2).flat_map(|ends| of(ends[0]..ends[1]));
            assert_eq!(sorted(parts.collect()), truth, "{level:?}, {} entries", keys.len());
            assert!(of(keys.len()..keys.len() + 1).is_empty());
        }
    }
}

#[test]
fn long_runs_of_cells_agree_with_the_twin() {
    let mut random = Random::new(2);
    let mut worlds = long_cells(&mut random);
    // Pages full of hits.
    worlds.push(vec![vec![BodyRecord { aabb: [1.0; 4], row: 5 }; 2100], random.records(3)]);
    for (k, contents) in worlds.iter().enumerate() {
        let cells = Cells::new(2, contents, PADDINGS[k % 3], &mut random);
        let truth = cells_twin(&cells, &contents.concat());
        let label = format!("{} in a cell", contents[0].len());
        check(&label, &truth, |level, sink| level.scan_cells(&cells.view(), &cells.keys, 0..usize::MAX, sink));
    }
}

#[test]
fn every_run_length_agrees_with_the_twin() {
    let mut random = Random::new(3);
    for count in 0..=40 {
        for padding in PADDINGS {
            let contents = [random.records(count)];
            let cells = Cells::new(1, &contents, padding, &mut random);
            let truth = cells_twin(&cells, &contents[0]);
            check(&format!("{count} in a cell"), &truth, |level, sink| {
                level.scan_cells(&cells.view(), &cells.keys, 0..usize::MAX, sink)
            });
            // All of them overlap, so that one entry too many would show.
            for order in [PairOrder::Ascending, PairOrder::EntryFirst] {
                let (rect, probe) = (CellRect { x: 0..1, y: 0..1 }, probe_of(EVERYTHING, 1 << 31));
                let truth = rect_twin(&cells, &contents[0], &rect, &probe, order);
                assert_eq!(truth.len(), count);
                check(&format!("{count} in a rectangle, {order:?}"), &truth, |level, sink| {
                    level.scan_rects(&cells.view(), &[(rect.clone(), probe)], order, false, sink)
                });
            }
        }
    }
}

#[test]
fn rows_below_of_any_length_agree_with_the_twin() {
    let mut random = Random::new(18);
    for (count, padding) in (0..=40).flat_map(|count| PADDINGS.map(|padding| (count, padding))) {
        // All overlap, so that one candidate too many or too few would show.
        let mut contents = [random.records(2), random.records(count)];
        contents.iter_mut().flatten().for_each(|record| record.aabb = EVERYTHING);
        let mut cells = Cells::new(1, &contents, padding, &mut random);
        cells.keys[..2].fill(CellKey::new(1, 0, 1).0);
        let truth = cells_twin(&cells, &contents.concat());
        assert!(truth.len() > 2 * count);
        check(&format!("{count} in the row below"), &truth, |level, sink| {
            level.scan_cells(&cells.view(), &cells.keys, 0..usize::MAX, sink)
        });
    }
}

#[test]
fn neighbors_of_any_run_lengths_agree_with_the_twin() {
    let mut random = Random::new(8);
    // All overlap, so that one candidate too many or too few would show.
    let mut all = |count: usize| -> Vec<BodyRecord> {
        (0..count).map(|_| BodyRecord { aabb: EVERYTHING, row: random.next() as u32 }).collect()
    };
    for (first, second) in (0..4).flat_map(|first| (0..14).map(move |second| (first, second))) {
        let contents = [all(first), all(second), all(3)];
        for reach in 0..8 {
            let mut cells = Cells::new(3, &contents, Padding::Everything, &mut Random::new(9));
            let mut reaches = (0..).map(|k| reach >> (k % 3) & 1);
            cells
                .keys
                .iter_mut()
                .for_each(|key| *key = CellKey::new(CellKey(*key).cell() as u32, reaches.next().unwrap_or(0), 0).0);
            let truth = cells_twin(&cells, &contents.concat());
            check(&format!("{first} and {second}, {reach:b}"), &truth, |level, sink| {
                level.scan_cells(&cells.view(), &cells.keys, 0..usize::MAX, sink)
            });
        }
    }
}

#[test]
fn pages_of_crowded_cells_agree_with_the_twin() {
    for population in [2, 3, 5, 8] {
        let mut random = Random::new(population as u64);
        let mut cell =
            |_| (0..population).map(|_| BodyRecord { aabb: EVERYTHING, row: random.next() as u32 }).collect();
        let contents: Vec<Vec<BodyRecord>> = (0..2000).map(&mut cell).collect();
        let cells = Cells::new(2000, &contents, Padding::Ones, &mut Random::new(11));
        let truth = cells_twin(&cells, &contents.concat());
        let found = check(&format!("{population} a cell"), &truth, |level, sink| {
            level.scan_cells(&cells.view(), &cells.keys, 0..usize::MAX, sink)
        });
        assert!(found > 2 * PAGE_LEN, "{found} pairs fill several pages");
    }
}

#[test]
fn rectangles_agree_with_the_twin() {
    let mut random = Random::new(4);
    let mut found = 0;
    for round in 0..12 {
        let contents = mixed_cells(&mut random);
        let records = contents.concat();
        let cells = Cells::new(5, &contents, PADDINGS[round % 3], &mut random);
        for _ in 0..150 {
            let mut range = |end: usize| {
                let (a, b) = (random.below(end + 3), random.below(end + 3));
                a.min(b)..a.max(b)
            };
            let rect = CellRect { x: range(5), y: range(4) };
            let (x, y, probe) = (random.unit() * 500.0, random.unit() * 500.0, random.record());
            // Every other one is large.
            let aabb = if round % 2 == 0 { [x, y, x + 500.0, y + 500.0] } else { probe.aabb };
            let probe = probe_of(aabb, probe.row);
            for order in [PairOrder::Ascending, PairOrder::EntryFirst] {
                let truth = rect_twin(&cells, &records, &rect, &probe, order);
                found += check(&format!("{rect:?}, {probe:?}, {order:?}"), &truth, |level, sink| {
                    level.scan_rects(&cells.view(), &[(rect.clone(), probe)], order, false, sink)
                });
            }
        }
    }
    assert!(found > 5000, "{found}");
    for (k, contents) in long_cells(&mut random).iter().enumerate() {
        let (records, cells) = (contents.concat(), Cells::new(2, contents, PADDINGS[k % 3], &mut random));
        for aabb in [EVERYTHING, [20.0, 20.0, 70.0, 60.0], [200.0, 0.0, 300.0, 9.0]] {
            for (order, columns) in [(PairOrder::Ascending, 0..1), (PairOrder::EntryFirst, 0..2)] {
                let (rect, probe) = (CellRect { x: columns, y: 0..1 }, probe_of(aabb, 77));
                let truth = rect_twin(&cells, &records, &rect, &probe, order);
                check(&format!("{} in a cell, {order:?}", contents[0].len()), &truth, |level, sink| {
                    level.scan_rects(&cells.view(), &[(rect.clone(), probe)], order, false, sink)
                });
            }
        }
    }
}

#[test]
fn not_a_number_overlaps_nothing() {
    let mut random = Random::new(6);
    for edge in 0..4 {
        let mut contents = [random.records(30)];
        contents[0].iter_mut().for_each(|record| record.aabb[edge] = f32::NAN);
        let cells = Cells::new(1, &contents, Padding::Everything, &mut random);
        check("entries", &[], |level, sink| level.scan_cells(&cells.view(), &cells.keys, 0..usize::MAX, sink));
        let rect = CellRect { x: 0..1, y: 0..1 };
        check("a probe that is one", &[], |level, sink| {
            level.scan_rects(
                &cells.view(),
                &[(rect.clone(), probe_of(EVERYTHING, 3))],
                PairOrder::Ascending,
                false,
                sink,
            )
        });
    }
}

#[test]
fn a_scan_stops_at_the_pair_limit_and_takes_no_more_pages() {
    let mut random = Random::new(7);
    // More than a million pairs from each scan, from short and from long runs.
    for per_cell in [700, 2040, 5000] {
        let contents = vec![vec![BodyRecord { aabb: [1.0; 4], row: 5 }; per_cell]; 2];
        let cells = Cells::new(2, &contents, Padding::Everything, &mut random);
        let (view, rect) = (cells.view(), CellRect { x: 0..2, y: 0..1 });
        let probe = probe_of(EVERYTHING, 6);
        for &level in levels() {
            for limit in [0, 1, 100, PAGE_LEN - 1, PAGE_LEN, 9 * PAGE_LEN] {
                let outcomes = [
                    run(limit, |sink| level.scan_cells(&view, &cells.keys, 0..usize::MAX, sink)),
                    run(limit, |sink| {
                        level.scan_rects(&view, &vec![(rect.clone(), probe); 100], PairOrder::EntryFirst, false, sink)
                    }),
                    run(limit, |sink| {
                        let reach = vec![1.0; 2 * per_cell];
                        level.scan_beside(view.columns(), (view.columns(), &reach), (0, PairOrder::ProbeFirst), sink)
                    }),
                    run(limit, |sink| level.scan_sorted(view.columns(), 0..view.columns().len(), 0, sink)),
                ];
                for (scan, outcome) in outcomes.iter().enumerate() {
                    let label = format!("scan {scan} of {per_cell}, {level:?}, {limit}: {:?}", outcome.blocks);
                    assert!(!outcome.finished && outcome.pairs.len() > limit, "{label}");
                    // At most the page in which the limit was exceeded is too many (PAGE-2).
                    assert!(outcome.pairs.len() <= limit + PAGE_LEN, "{label}");
                    assert!(outcome.pages <= 2 * limit / PAGE_LEN + 1, "{label}: {} pages", outcome.pages);
                }
            }
        }
    }
}

#[test]
fn pages_are_closed_only_when_mostly_full() {
    let mut random = Random::new(8);
    // The bodies of a row reach below into a cell of many bodies and overlap one each: slots are
    // reserved by candidates.
    let below = PAGE_LEN - PAGE_SLACK;
    let body = |x: usize, y: f32| BodyRecord { aabb: [x as f32, y, x as f32 + 0.5, y + 0.5], row: x as u32 };
    let contents = [(0..1000).map(|x| body(x, 0.0)).collect(), (0..below).map(|x| body(x, 0.5)).collect()];
    let mut cells = Cells::new(1, &contents, Padding::Ones, &mut random);
    cells.keys[..1000].fill(CellKey::new(1, 0, 1).0);
    for &level in levels() {
        let outcome = run(usize::MAX, |sink| level.scan_cells(&cells.view(), &cells.keys, 0..usize::MAX, sink));
        assert_eq!(outcome.pairs.len(), 1000);
        assert_eq!(outcome.pages, 1, "{level:?}");
    }
}

#[test]
fn keys_are_those_of_the_cells() {
    // The other tests rely on this.
    let mut random = Random::new(9);
    let contents = mixed_cells(&mut random);
    let cells = Cells::new(5, &contents, Padding::Ones, &mut random);
    for at in 0..cells.keys.len() {
        let (x, y) = cells.place(at);
        assert_eq!(CellKey(cells.keys[at]).cell(), y * 7 + x + 1);
        assert_eq!(cells.view().run(y, &(x..x + 1)), cells.cell(x, y));
    }
}
