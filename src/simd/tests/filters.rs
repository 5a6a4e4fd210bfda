//! The scans with filters: they report what they report without filters, in the same order, without
//! the pairs that the filters exclude.

use super::*;
use crate::geometry::overlaps;
use crate::memory::columns::{fill_filters, filter_words};
use std::collections::HashMap;

/// Fills the padding of filters; all bits set would accept everything.
const FILTER_PADDINGS: [u32; 2] = [u32::MAX, 0];

impl Random {
    /// A filter with few bits, so that about half of all pairs interact; sometimes none, all or the
    /// highest.
    fn filter(&mut self) -> Filter {
        const SPECIAL: [u32; 5] = [0, 1, 1 << 31, u32::MAX, 1 << 31 | 1];
        let mut bits = || match self.below(4) {
            0 => SPECIAL[self.below(5)],
            1 => 1 << self.below(32),
            _ => self.next() as u32 & self.next() as u32,
        };
        Filter::new(bits(), bits())
    }

    pub(crate) fn filters(&mut self, count: usize) -> Vec<Filter> {
        (0..count).map(|_| self.filter()).collect()
    }
}

pub(crate) fn filter_columns(filters: &[Filter], padding: u32) -> Vec<u32> {
    let mut words = vec![padding; filter_words(filters.len())];
    fill_filters(&mut words, filters.len(), filters.iter().copied());
    words
}

/// Gives each record its own row, so that a pair identifies its two records.
pub(super) fn with_unique_rows(mut contents: Vec<Vec<BodyRecord>>, random: &mut Random) -> Vec<Vec<BodyRecord>> {
    let odd = random.next() as u32 | 1;
    let mut row = 0u32;
    for record in contents.iter_mut().flatten() {
        // Multiples of an odd number are unique, even after overflow.
        (record.row, row) = (row.wrapping_mul(odd), row + 1);
    }
    contents
}

/// The pairs that a scan reports on the lowest level.
pub(crate) fn reported(scan: impl Fn(DetectedSimd, &mut PairSink<'_>) -> Option<()>) -> Vec<[u32; 2]> {
    run(usize::MAX, |sink| scan(levels()[0], sink)).pairs
}

#[test]
fn filtered_cells_report_the_unfiltered_pairs_that_interact() {
    let mut random = Random::new(21);
    let mut found = [0; 2];
    for round in 0..40 {
        let lens: Vec<usize> = (0..20).map(|_| if random.below(3) == 0 { 0 } else { random.below(41) }).collect();
        let contents = lens.iter().map(|&len| random.records(len)).collect();
        let contents = with_unique_rows(contents, &mut random);
        let records = contents.concat();
        let filters = random.filters(records.len());
        let words = filter_columns(&filters, FILTER_PADDINGS[round % 2]);
        let of_row: HashMap<u32, Filter> = records.iter().map(|r| r.row).zip(filters.iter().copied()).collect();
        for width in [1, 4, 20] {
            let cells = Cells::new(width, &contents, PADDINGS[round % 3], &mut random);
            let (plain, filtered) = (cells.view(), cells.view().with_filters(&words));
            let mut truth = reported(|level, sink| level.scan_cells(&plain, &cells.keys, 0..usize::MAX, sink));
            found[0] += truth.len();
            truth.retain(|[a, b]| of_row[a].interacts_with(of_row[b]));
            found[1] += check(&format!("round {round}, {width} wide"), &truth, |level, sink| {
                level.scan_cells(&filtered, &cells.keys, 0..usize::MAX, sink)
            });
        }
    }
    assert!(found[1] > 3000 && found[1] < found[0] * 3 / 4, "{found:?}");
}

#[test]
fn filters_of_crowded_neighbors_are_tested_in_each_lane() {
    let mut random = Random::new(22);
    // All overlap, so only filters decide. The populations are around those of a vector and of a
    // long run.
    for count in (1..40).chain([239, 240, 241, 700]) {
        let contents = vec![
            vec![BodyRecord { aabb: EVERYTHING, row: 0 }; count],
            vec![BodyRecord { aabb: EVERYTHING, row: 0 }; 5],
        ];
        let contents = with_unique_rows(contents, &mut random);
        let records = contents.concat();
        let cells = Cells::new(2, &contents, Padding::Everything, &mut random);
        let mut filters = random.filters(records.len());
        if count % 3 == 0 {
            // Each interacts with at most one other.
            let one_partner = |k: usize| Filter::new(1 << (k / 2 % 32), 1 << (k / 2 % 32));
            filters = (0..records.len()).map(one_partner).collect();
        }
        let words = filter_columns(&filters, FILTER_PADDINGS[count % 2]);
        let (plain, filtered) = (cells.view(), cells.view().with_filters(&words));
        let of_row: HashMap<u32, Filter> = records.iter().map(|r| r.row).zip(filters.iter().copied()).collect();
        let mut truth = reported(|level, sink| level.scan_cells(&plain, &cells.keys, 0..usize::MAX, sink));
        truth.retain(|[a, b]| of_row[a].interacts_with(of_row[b]));
        check(&format!("{count} in a cell"), &truth, |level, sink| {
            level.scan_cells(&filtered, &cells.keys, 0..usize::MAX, sink)
        });
    }
}

#[test]
fn filtered_rectangles_agree_with_a_plain_loop() {
    let mut random = Random::new(23);
    let mut found = 0;
    for count in 0..=60 {
        let contents = [random.records(count)];
        let filters = random.filters(count);
        let cells = Cells::new(1, &contents, PADDINGS[count % 3], &mut random);
        let words = filter_columns(&filters, FILTER_PADDINGS[count % 2]);
        let (view, rect) = (cells.view().with_filters(&words), CellRect { x: 0..1, y: 0..1 });
        for aabb in [EVERYTHING, random.record().aabb] {
            for filter in [Filter::ALL, Filter::NONE, random.filter(), Filter::new(1 << 31, u32::MAX)] {
                let probe = Probe { filter, ..probe_of(aabb, random.next() as u32) };
                let hits = contents[0].iter().zip(&filters);
                let hits = hits.filter(|&(entry, &other)| overlaps(&entry.aabb, &aabb) && filter.interacts_with(other));
                let rows: Vec<u32> = hits.map(|(entry, _)| entry.row).collect();
                for order in [PairOrder::Ascending, PairOrder::EntryFirst] {
                    let pair = |&row: &u32| {
                        if order == PairOrder::Ascending { ascending(row, probe.row) } else { [row, probe.row] }
                    };
                    let truth: Vec<_> = rows.iter().map(pair).collect();
                    found += check(&format!("{count} in a rectangle, {probe:?}, {order:?}"), &truth, |level, sink| {
                        level.scan_rects(&view, &[(rect.clone(), probe)], order, false, sink)
                    });
                }
            }
        }
    }
    assert!(found > 3000, "{found}");
}

#[test]
#[should_panic(expected = "the entries have filters")]
fn filters_are_not_read_from_entries_without_them() {
    let mut random = Random::new(25);
    let records = random.records(9);
    let (words, filters) = (columns(&records, Padding::Ones), filter_columns(&random.filters(9), 0));
    let entries = SoaColumns::of(&words, 9);
    run(1, |sink| {
        let (probes, reach) = (entries.with_filters(&filters), [f32::INFINITY; 9]);
        DetectedSimd::default().scan_beside(&probes, (&entries, &reach), (0, PairOrder::Ascending), sink)
    });
}
