//! The scans with bodies that are circles: they report what they report of boxes, in the same
//! order, without the pairs whose shapes do not overlap by the scalar predicate.

use super::*;
use crate::geometry::{BodyCircle, overlaps};
use crate::simd::tests::filters::{filter_columns, reported, with_unique_rows};
use std::collections::HashMap;

fn circles_overlap(a: RawAabb, b: RawAabb) -> bool {
    BodyCircle::of_box(&a).overlaps(&BodyCircle::of_box(&b))
}

fn circle_overlaps_box(circle: RawAabb, aabb: RawAabb) -> bool {
    BodyCircle::of_box(&circle).overlaps_box(&aabb)
}

impl Random {
    /// A box whose circle touches others exactly or within a rounding, or whose squares overflow or
    /// underflow.
    fn circle_box(&mut self) -> RawAabb {
        let around = |x: f32, y: f32, rx: f32, ry: f32| [x - rx, y - ry, x + rx, y + ry];
        let mut whole = |end: usize| self.below(end) as f32;
        // Whole numbers, so that triangles of sides 3, 4, 5 touch exactly.
        let (x, y, radius) = (whole(13), whole(13), [0.0, 0.5, 1.0, 2.5, 4.0][whole(5) as usize]);
        let near = 1.0 + (whole(3) - 1.0) * f32::EPSILON;
        match self.below(28) {
            0..=8 => around(x, y, radius, radius),
            9..=11 => around(x * near, y, radius, radius * near),
            12..=14 => around(x, y, radius, self.unit() * 4.0),
            // Squares that are 0, denormal, or infinite.
            15..=17 => around(x, y, radius, radius).map(|v| v * [1e-24, 1e-22, 3e-20, 1e-39][self.below(4)]),
            18..=20 => around(x, y, radius, radius).map(|v| v * [1e17, 5e18, 3e19, 2e37][self.below(4)]),
            21..=23 => around(self.unit() * 12.0, self.unit() * 12.0, 0.7, 0.7),
            // Without a center, on one axis or on both.
            24 => [EVERYTHING, [x, -INF, x + radius, INF], [-INF, y, INF, y + radius]][self.below(3)],
            _ => self.record().aabb,
        }
    }

    fn circle_records(&mut self, count: usize) -> Vec<BodyRecord> {
        (0..count).map(|_| BodyRecord { aabb: self.circle_box(), row: self.next() as u32 }).collect()
    }

    fn circle_cells(&mut self, lens: impl IntoIterator<Item = usize>) -> Vec<Vec<BodyRecord>> {
        let contents = lens.into_iter().map(|len| self.circle_records(len)).collect();
        with_unique_rows(contents, self)
    }
}

fn boxes_by_row(records: &[BodyRecord]) -> HashMap<u32, RawAabb> {
    records.iter().map(|record| (record.row, record.aabb)).collect()
}

#[test]
fn circle_cells_report_the_pairs_of_boxes_that_overlap_as_circles() {
    let mut random = Random::new(41);
    let mut found = [0; 2];
    for round in 0..30 {
        let lens: Vec<usize> = (0..20).map(|_| if random.below(3) == 0 { 0 } else { random.below(30) }).collect();
        let contents = random.circle_cells(lens);
        let records = contents.concat();
        let (of_row, filters) = (boxes_by_row(&records), random.filters(records.len()));
        let words = filter_columns(&filters, u32::MAX);
        for width in [1, 4, 20] {
            let cells = Cells::new(width, &contents, PADDINGS[round % 3], &mut random);
            let plain = cells.view();
            for plain in [plain, plain.with_filters(&words)] {
                let circles = plain.with_circles(true);
                let mut truth = reported(|level, sink| level.scan_cells(&plain, &cells.keys, 0..usize::MAX, sink));
                found[0] += truth.len();
                truth.retain(|[a, b]| circles_overlap(of_row[a], of_row[b]));
                found[1] += check(&format!("round {round}, {width} wide"), &truth, |level, sink| {
                    level.scan_cells(&circles, &cells.keys, 0..usize::MAX, sink)
                });
            }
        }
    }
    assert!(found[1] > 20_000 && found[1] + 200 < found[0], "{found:?}");
}

#[test]
fn circles_are_tested_in_each_lane() {
    let mut random = Random::new(42);
    for count in (0..40).chain([239, 240, 241, 700]) {
        let contents = random.circle_cells([count, 5]);
        let of_row = boxes_by_row(&contents.concat());
        let cells = Cells::new(2, &contents, PADDINGS[count % 3], &mut random);
        let (plain, circles) = (cells.view(), cells.view().with_circles(true));
        let mut truth = reported(|level, sink| level.scan_cells(&plain, &cells.keys, 0..usize::MAX, sink));
        truth.retain(|[a, b]| circles_overlap(of_row[a], of_row[b]));
        check(&format!("{count} in a cell"), &truth, |level, sink| {
            level.scan_cells(&circles, &cells.keys, 0..usize::MAX, sink)
        });
    }
}

#[test]
fn rectangles_of_circles_agree_with_a_plain_loop() {
    let mut random = Random::new(43);
    let mut found = [0; 2];
    for count in 0..=60 {
        let contents = [random.circle_records(count)];
        let cells = Cells::new(1, &contents, PADDINGS[count % 3], &mut random);
        let rect = CellRect { x: 0..1, y: 0..1 };
        let mut probes = random.circle_records(6);
        probes.push(BodyRecord { aabb: EVERYTHING, row: 3 });
        for probe in probes {
            let view = cells.view().with_circles(true);
            let overlapping = || contents[0].iter().filter(|entry| overlaps(&entry.aabb, &probe.aabb));
            found[0] += 2 * overlapping().count();
            // A body, then a static.
            let bodies = overlapping().filter(|entry| circles_overlap(entry.aabb, probe.aabb));
            let bodies: Vec<_> = bodies.map(|entry| ascending(entry.row, probe.row)).collect();
            let static_row = overlapping().filter(|entry| circle_overlaps_box(entry.aabb, probe.aabb));
            let static_row: Vec<_> = static_row.map(|entry| [entry.row, probe.row]).collect();
            for (order, are_circles, truth) in
                [(PairOrder::Ascending, true, bodies), (PairOrder::EntryFirst, false, static_row)]
            {
                found[1] += check(&format!("{count} in a rectangle, {probe:?}, {order:?}"), &truth, |level, sink| {
                    level.scan_rects(
                        &view,
                        &[(rect.clone(), probe_of(probe.aabb, probe.row))],
                        order,
                        are_circles,
                        sink,
                    )
                });
            }
        }
    }
    assert!(found[1] > 5000 && found[1] + 200 < found[0], "{found:?}");
}

/// Checks that the random boxes contain the cases that these tests need.
#[test]
fn random_circles_touch_exactly_and_overflow() {
    let mut random = Random::new(45);
    let circles: Vec<BodyCircle> = (0..400).map(|_| BodyCircle::of_box(&random.circle_box())).collect();
    let mut seen = [0; 4];
    for (k, a) in circles.iter().enumerate() {
        for b in &circles[..k] {
            let (x, y, reach) = (a.x - b.x, a.y - b.y, a.radius + b.radius);
            let (distance, reach) = (x * x + y * y, reach * reach);
            seen[0] += usize::from(distance == reach && distance.is_normal() && x != 0.0 && y != 0.0);
            seen[1] += usize::from(distance == 0.0 && (x, y) != (0.0, 0.0));
            seen[2] += usize::from(distance == f32::INFINITY && reach == f32::INFINITY);
            seen[3] += usize::from(distance.is_nan());
        }
    }
    assert!(seen.iter().all(|&count| count > 5), "{seen:?}");
}
