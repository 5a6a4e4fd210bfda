//! The guarantees of the partition (PARTITION-1 to PARTITION-4) under different plans.

use crate::geometry::RawAabb;
use crate::geometry::band_box::{BandAxes, BandBox};
use crate::input::rows::BoxSlice;
use crate::memory::body_record::BodyRecord;
#[cfg(all(feature = "parallel", not(target_family = "wasm")))]
use crate::parallel;
use crate::simd::DetectedSimd;
use crate::tier::point_grid::band::equal_cells::CellSize;
use crate::tier::point_grid::bands::Bands;
use crate::tier::point_grid::filing::Filing;
use crate::tier::point_grid::partition::FileOptions;
use crate::tier::point_grid::size_classes::ClassOptions;
use crate::tier::point_grid::size_classes::GHOSTS_MAX;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use triphase_scenes::{BoxLayout, SplitMix64};

const ANY: ClassOptions<'_> = ClassOptions { bounds: &[], has_oversized_tier: true, cell_size: CellSize::ForOwnPairs };

/// The records of every destination: the bodies of each band, the ghosts of each band, the
/// oversized bodies. Boxes are in the axes of the world.
#[derive(PartialEq)]
struct Filed {
    own: Vec<Vec<BodyRecord>>,
    ghosts: Vec<Vec<BodyRecord>>,
    oversized: Vec<BodyRecord>,
}

fn file(boxes: &[RawAabb], options: ClassOptions<'_>, parallel: bool) -> Filed {
    file_again(&mut Filing::default(), boxes, options, parallel)
}

fn file_again(filing: &mut Filing, boxes: &[RawAabb], options: ClassOptions<'_>, parallel: bool) -> Filed {
    let mut bands = Bands::default();
    filing.plan(&BoxSlice(boxes), options, DetectedSimd::default());
    let file_options = FileOptions { skip_invalid: true, level: DetectedSimd::default(), parallel };
    filing.file(&BoxSlice(boxes), file_options, &mut bands).expect("invalid rows are skipped");
    let records = |axes: BandAxes, pieces: &[Range<usize>], places: Range<usize>| -> Vec<BodyRecord> {
        let in_world = |aabb| axes.box_to_world(BandBox::from_edges(aabb));
        let pieces = pieces.iter().map(|piece| places.start + piece.start..places.start + piece.end);
        let records = pieces.flat_map(|places| bands.places.records(places));
        let records: Vec<_> =
            records.map(|&BodyRecord { aabb, row }| BodyRecord { aabb: in_world(aabb), row }).collect();
        assert_eq!(records.len(), places.len());
        records
    };
    let own = bands.slots.iter().enumerate().map(|(band, slot)| {
        let places = slot.places.start..slot.places.start + slot.filed_count();
        records(slot.axes, bands.pieces.owned(band), places)
    });
    let ghosts = bands.slots.iter().enumerate();
    let ghosts = ghosts.map(|(band, slot)| records(slot.axes, bands.pieces.ghosts(band), slot.ghosts.clone()));
    Filed { own: own.collect(), ghosts: ghosts.collect(), oversized: filing.oversized(&bands).to_vec() }
}

fn check(label: &str, boxes: &[RawAabb], options: ClassOptions<'_>) {
    let filed = file(boxes, options, false);
    let (mut owned, mut ghosts) = (vec![0; boxes.len()], vec![0; boxes.len()]);
    let count = |destination: &[BodyRecord], counts: &mut [usize]| {
        assert!(destination.is_sorted_by_key(|record| record.row), "{label}: in the order of rows");
        for record in destination {
            assert_eq!(record.aabb, boxes[record.row as usize], "{label}");
            counts[record.row as usize] += 1;
        }
    };
    filed.own.iter().chain([&filed.oversized]).for_each(|records| count(records, &mut owned));
    filed.ghosts.iter().for_each(|records| count(records, &mut ghosts));
    assert!(owned.iter().all(|&count| count == 1), "{label}: PARTITION-1");
    assert!(ghosts.iter().all(|&count| count <= GHOSTS_MAX), "{label}: PARTITION-4");
    assert!(filed.oversized.iter().all(|record| ghosts[record.row as usize] == 0), "{label}: ghosts of oversized");
    assert!(filed == file(boxes, options, true), "{label}: PARTITION-3");
}

/// What was filed before decides how much room there is, and threads into how many parts rows are
/// divided: neither changes the result.
#[test]
fn earlier_filings_and_threads_do_not_change_the_result() {
    let crowd = BoxLayout::Crowd.boxes(30_000, 5);
    let mut few_invalid = crowd.clone();
    few_invalid.iter_mut().step_by(1000).for_each(|aabb| aabb[1] = f32::NAN);
    let mut reversed = crowd.clone();
    reversed.reverse();
    // The bodies of the last quarter begin where the others do, so some rooms are too small.
    let gathered: Vec<RawAabb> = (0..crowd.len()).map(|k| crowd[if k < 22_000 { k } else { k % 3000 }]).collect();
    let wide = crowd.iter().map(|&[x, y, _, _]| [x, y, x + 40.0, y + 1.0]).collect();
    let inputs = [
        crowd.clone(),
        gathered,
        crowd[..9000].to_vec(),
        BoxLayout::CrossedBeams.boxes(20_000, 6),
        reversed,
        few_invalid,
        Vec::new(),
        wide,
        crowd,
    ];
    let check = |label: &str, parallel: bool| {
        let mut filing = Filing::default();
        // With a bound, wide boxes and most beams are oversized, in all parts of the rows.
        for options in [ANY, ClassOptions { bounds: &[0.6], ..ANY }] {
            for (k, boxes) in inputs.iter().enumerate() {
                let expected = file(boxes, options, false);
                assert!(options.bounds.is_empty() || k != 7 || expected.oversized.len() == boxes.len());
                // The second time, there is room for all.
                for time in 0..2 {
                    let is_same = file_again(&mut filing, boxes, options, parallel) == expected;
                    assert!(is_same, "{label}: {:?}, input {k}, time {time}", options.bounds);
                }
            }
        }
    };
    check("no threads", false);
    #[cfg(all(feature = "parallel", not(target_family = "wasm")))]
    for threads in [1, 2, 3, 8] {
        parallel::with_threads(threads, || check(&format!("{threads} threads"), true));
    }
}

/// Checks PARTITION-2 for some pairs of rows whose boxes overlap.
fn check_pairs(filed: &Filed, mut pairs: impl Iterator<Item = [u32; 2]>) {
    let owners: HashMap<u32, usize> =
        (0..).zip(&filed.own).flat_map(|(band, own)| own.iter().map(move |record| (record.row, band))).collect();
    let ghosts: HashSet<(usize, u32)> =
        (0..).zip(&filed.ghosts).flat_map(|(band, of)| of.iter().map(move |record| (band, record.row))).collect();
    let is_found_once = |[a, b]: [u32; 2]| match (owners.get(&a), owners.get(&b)) {
        (Some(&of_a), Some(&of_b)) => of_a == of_b || ghosts.contains(&(of_a, b)) != ghosts.contains(&(of_b, a)),
        // Oversized bodies search all bands.
        _ => true,
    };
    assert_eq!(pairs.find(|&pair| !is_found_once(pair)), None, "PARTITION-2");
}

#[test]
fn each_row_is_filed_once_and_has_few_ghosts() {
    for (k, kind) in BoxLayout::ALL.into_iter().enumerate() {
        for count in [0, 1, 255, 256, 257, 8191, 8192, 8193, 30_000] {
            let boxes = kind.boxes(count, k as u64 + 300);
            for has_oversized_tier in [false, true] {
                let label = format!("{kind:?} of {count}");
                check(&label, &boxes, ClassOptions { bounds: &[], has_oversized_tier, ..ANY });
                check(&label, &boxes, ClassOptions { bounds: &[0.1, 0.4, 3.0], has_oversized_tier, ..ANY });
            }
        }
    }
}

#[test]
fn bodies_across_many_bands_are_oversized() {
    let boxes = BoxLayout::CrossedBeams.boxes(150_000, 301);
    let options = ClassOptions { bounds: &[0.5, 1e6], ..ANY };
    check("crossed beams", &boxes, options);
    let filed = file(&boxes, options, false);
    // Nothing is too large for the last class, so all are oversized by PARTITION-4.
    let (bands, oversized) = (filed.own.len(), filed.oversized.len());
    assert!(bands > GHOSTS_MAX && oversized > 100, "{oversized} in {bands} bands");
}

#[test]
fn bodies_in_thin_corridors_reach_into_few_bands() {
    // Half of them in a corridor along x, half in one along y. Strips of equal population would be
    // a fraction of a body high in the first one.
    let mut random = SplitMix64::new(9);
    let boxes: Vec<RawAabb> = (0..60_000)
        .map(|k| {
            let (along, beside) = (random.range(0.0, 30_000.0), random.range(15_000.0, 15_002.0));
            let [x, y] = if k % 2 == 0 { [along, beside] } else { [beside, along] };
            [x, y, x + 1.0, y + 1.0]
        })
        .collect();
    let options = ANY;
    check("corridors", &boxes, options);
    let filed = file(&boxes, options, false);
    let largest = filed.own.iter().map(Vec::len).max();
    assert!(largest < Some(boxes.len() / 4), "{largest:?} bodies in one band");
    let ghosts: usize = filed.ghosts.iter().map(Vec::len).sum();
    assert!(ghosts < boxes.len() / 20, "{ghosts} ghosts");
}

#[test]
fn bodies_at_one_coordinate_are_divided_across() {
    // Half of them on a line along x, half along y, each overlapping the next; rarely a larger one.
    let boxes: Vec<RawAabb> = (0..60_000)
        .map(|k| {
            let (along, half) = (2.0 * k as f32 - 60_000.0, if k % 1000 == 0 { 9.0 } else { 2.5 });
            let [x, y] = if k % 2 == 0 { [along, 0.0] } else { [0.0, along] };
            [x - half, y - half, x + half, y + half]
        })
        .collect();
    for bounds in [&[][..], &[2.5, 9.0]] {
        let options = ClassOptions { bounds, ..ANY };
        check("cross", &boxes, options);
        let filed = file(&boxes, options, false);
        check_pairs(&filed, (2..boxes.len() as u32).map(|row| [row - 2, row]));
        let largest = filed.own.iter().map(Vec::len).max();
        assert!(largest < Some(boxes.len() / 5), "{largest:?} bodies in one band");
    }
}
