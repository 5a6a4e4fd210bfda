//! What the partition promises (R1 to R4), whatever the plan.

use crate::geometry::RawAabb;
use crate::input::rows::BoxSlice;
use crate::memory::record::BodyRecord;
use crate::simd::DetectedSimd;
use crate::tier::point_grid::partition::Partition;
use crate::tier::point_grid::plan::{Plan, VISITS_MAX, Wishes};
use crate::tier::point_grid::tests::scenes::{KINDS, Kind, scene};

/// Every record that was handed out, destination by destination.
fn handed_out(boxes: &[RawAabb], wishes: Wishes<'_>, parallel: bool) -> (usize, Vec<Vec<BodyRecord>>) {
    let (mut plan, mut partition, mut records) = (Plan::default(), Partition::default(), Vec::new());
    plan.rebuild(&BoxSlice(boxes), wishes);
    partition.run(&BoxSlice(boxes), &plan, false, DetectedSimd::default(), parallel, &mut records).expect("good boxes");
    let bands = plan.band_count();
    let own = (0..bands).map(|band| partition.own(band));
    let visitors = (0..bands).map(|band| partition.visitors(band));
    let all = own.chain(visitors).chain([partition.oversized()]);
    (bands, all.map(|range| records[range].to_vec()).collect())
}

fn check(label: &str, boxes: &[RawAabb], wishes: Wishes<'_>) {
    let (bands, all) = handed_out(boxes, wishes, false);
    let (mut filed, mut visits) = (vec![0; boxes.len()], vec![0; boxes.len()]);
    for (destination, records) in all.iter().enumerate() {
        assert!(records.is_sorted_by_key(|record| record.row), "{label}: in the order of rows");
        for record in records {
            let row = record.row as usize;
            assert!(record.aabb == boxes[row] || record.transposed().aabb == boxes[row], "{label}: row {row}");
            let counts = if (bands..2 * bands).contains(&destination) { &mut visits } else { &mut filed };
            counts[row] += 1;
        }
    }
    assert!(filed.iter().all(|&count| count == 1), "{label}: R1");
    assert!(visits.iter().all(|&count| count <= VISITS_MAX), "{label}: R4");
    // Oversized ones visit nobody.
    assert!(all[2 * bands].iter().all(|record| visits[record.row as usize] == 0), "{label}");
    assert!((bands, all) == handed_out(boxes, wishes, true), "{label}: R3");
}

#[test]
fn each_row_is_filed_once_and_visits_few() {
    for (k, kind) in KINDS.into_iter().enumerate() {
        for count in [0, 1, 255, 256, 257, 8191, 8192, 8193, 30_000] {
            let boxes = scene(kind, count, k as u64 + 300);
            for oversized in [false, true] {
                let label = format!("{kind:?} of {count}");
                check(&label, &boxes, Wishes { bounds: &[], oversized });
                check(&label, &boxes, Wishes { bounds: &[0.1, 0.4, 3.0], oversized });
            }
        }
    }
}

#[test]
fn bodies_that_reach_over_many_bands_are_oversized() {
    let boxes = scene(Kind::CrossedBeams, 150_000, 301);
    check("crossed beams", &boxes, Wishes { bounds: &[0.5, 1e6], oversized: true });
    let (bands, all) = handed_out(&boxes, Wishes { bounds: &[0.5, 1e6], oversized: true }, false);
    // Nothing is too large for the last class, so it was R4.
    assert!(bands > VISITS_MAX && all[2 * bands].len() > 100, "{} in {bands} bands", all[2 * bands].len());
}
