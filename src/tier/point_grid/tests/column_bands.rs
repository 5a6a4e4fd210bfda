//! Many probes against bands in columns, compared with brute force.

use crate::geometry::{NO_BOX, RawAabb};
use crate::input::filter::Filter;
use crate::memory::body_record::BodyRecord;
use crate::memory::page::{PagePool, PairBudget};
use crate::memory::pair_sink::PairSink;
use crate::reference;
use crate::simd::{DetectedSimd, Probe};
use crate::tier::fixed_boxes::FixedBoxes;
use crate::tier::point_grid::column_bands::ColumnBands;
use triphase_scenes::{BoxLayout, SplitMix64};

/// The pairs of all probes, ascending.
fn found(bands: &ColumnBands, probes: &[RawAabb]) -> Vec<(u32, u32)> {
    let (pool, budget, mut pages) = (PagePool::default(), PairBudget::new(usize::MAX), Vec::new());
    let mut sink = PairSink::new(&pool, &budget, &mut pages);
    let probe = |(row, &aabb)| Probe { aabb, row, filter: Filter::ALL };
    let probes: Vec<Probe> = (0..).zip(probes).map(probe).collect();
    for probes in probes.chunks(100) {
        bands.scan(probes, false, &mut sink).expect("no limit");
    }
    drop(sink);
    let mut pairs: Vec<_> = pages.iter().flat_map(|page| page.pairs()).map(|&[probe, row]| (probe, row)).collect();
    pairs.sort_unstable();
    pairs
}

#[test]
fn a_scan_finds_each_overlap_once_and_no_hidden_box() {
    let mut large = 0;
    for kind in BoxLayout::ALL {
        let (boxes, probes) = (kind.boxes(3000, 0x57a7), kind.boxes(700, 0x57a8));
        let record = |(row, &aabb)| BodyRecord { aabb, row };
        let records: Vec<BodyRecord> = (0..).zip(&boxes).map(record).collect();
        let (mut bands, oversized) = ColumnBands::build(&records, DetectedSimd::default()).expect("no crowded cell");
        assert!(oversized.is_sorted_by_key(|record| record.row));
        let is_filed = |row: u32| oversized.binary_search_by_key(&row, |record| record.row).is_err();
        let mut truth = reference::cross_pairs(&probes, &boxes);
        truth.retain(|&(_, row)| is_filed(row));
        assert_eq!(found(&bands, &probes), truth, "{kind:?}");

        let mut random = SplitMix64::new(9);
        let hidden: Vec<bool> = boxes.iter().map(|_| random.below(3) == 0).collect();
        let set = |bands: &mut ColumnBands, aabb_of: &dyn Fn(usize) -> RawAabb| {
            let rows = (0..boxes.len()).filter(|&row| hidden[row]);
            rows.for_each(|row| bands.set_box(row as u32, &boxes[row], &aabb_of(row)));
        };
        set(&mut bands, &|_| NO_BOX);
        let shown: Vec<_> = truth.iter().copied().filter(|&(_, row)| !hidden[row as usize]).collect();
        assert_eq!(found(&bands, &probes), shown, "{kind:?}");
        set(&mut bands, &|row| boxes[row]);
        assert_eq!(found(&bands, &probes), truth, "{kind:?}");
        large += oversized.len();
    }
    assert!(large > 10, "some are too large for any class: {large}");
}

#[test]
fn wide_and_tall_boxes_are_found_in_classes_of_their_own() {
    let mut random = SplitMix64::new(3);
    let mut boxes = |count: usize, sides: [[f32; 2]; 2]| -> Vec<RawAabb> {
        let mut around = |[width, height]: [f32; 2]| {
            let [x, y] = random.point(0.0, 300.0);
            [x, y, x + width, y + height]
        };
        (0..count).map(|k| around(sides[k % 2])).collect()
    };
    let (walls, probes) = (boxes(100_000, [[16.0, 0.2], [0.2, 16.0]]), boxes(200, [[0.5, 0.5], [3.0, 1.0]]));
    let records: Vec<BodyRecord> = (0..).zip(&walls).map(|(row, &aabb)| BodyRecord { aabb, row }).collect();
    let (bands, oversized) = ColumnBands::build(&records, DetectedSimd::default()).expect("no crowded cell");
    assert!(oversized.is_empty());
    assert_eq!(found(&bands, &probes), reference::cross_pairs(&probes, &walls));
    let ns = probes.iter().map(|aabb| bands.probe_ns(aabb)).sum::<f64>() / probes.len() as f64;
    assert!(ns < 200.0, "{ns}: in one class it is more than 400");
}

#[test]
fn crowded_cells_are_left_out() {
    let mut random = SplitMix64::new(5);
    let mut around = |side: f32| {
        let [x, y] = random.point(0.0, 300.0);
        [x, y, x + side, y + side]
    };
    // Every fifth box is in a pile.
    let boxes: Vec<RawAabb> =
        (0..40_000).map(|row| if row % 5 == 3 { [3.0, 4.0, 3.5, 4.5] } else { around(0.5) }).collect();
    let records: Vec<BodyRecord> = (0..).zip(&boxes).map(|(row, &aabb)| BodyRecord { aabb, row }).collect();
    let (bands, left_out) = ColumnBands::build(&records, DetectedSimd::default()).expect("the rest is not crowded");
    let is_left_out = |row: u32| left_out.binary_search_by_key(&row, |record| record.row).is_ok();
    assert!((8000..8200).contains(&left_out.len()), "{}", left_out.len());
    assert!((3..40_000).step_by(5).all(is_left_out));
    assert!(left_out.iter().all(|record| records[record.row as usize] == *record));
    let probes: Vec<RawAabb> = (0..700).map(|_| around(3.0)).chain([[3.0, 4.0, 4.0, 5.0]]).collect();
    let mut truth = reference::cross_pairs(&probes, &boxes);
    truth.retain(|&(_, row)| !is_left_out(row));
    assert_eq!(found(&bands, &probes), truth);
}

#[test]
fn crowds_of_too_many_are_refused() {
    let pile_of = |count: u32| -> Vec<BodyRecord> {
        (0..count).map(|row| BodyRecord { aabb: [3.0, 4.0, 5.0, 6.0], row }).collect()
    };
    assert!(ColumnBands::build(&pile_of(1000), DetectedSimd::default()).is_some());
    assert!(ColumnBands::build(&pile_of(1100), DetectedSimd::default()).is_none());
    assert!(ColumnBands::build(&[], DetectedSimd::default()).is_some());
}
