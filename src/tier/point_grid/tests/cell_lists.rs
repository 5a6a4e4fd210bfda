//! Lists of boxes by cell, compared with brute force.

use crate::geometry::{NO_BOX, RawAabb, overlaps};
use crate::memory::body_record::BodyRecord;
use crate::memory::columns::{SoaColumns, SoaColumnsMut, column_words};
use crate::reference;
use crate::tier::fixed_boxes::FixedBoxes;
use crate::tier::point_grid::cell_lists::CellLists;
use triphase_scenes::{BoxLayout, SplitMix64};

fn records(boxes: &[RawAabb]) -> Vec<BodyRecord> {
    (0..).zip(boxes).map(|(row, &aabb)| BodyRecord { aabb, row }).collect()
}

fn words(boxes: &[RawAabb]) -> Vec<u32> {
    let mut words = vec![0; column_words(boxes.len())];
    SoaColumnsMut::of(&mut words, boxes.len()).fill(records(boxes).into_iter());
    words
}

/// The pairs of bodies, with x and y exchanged, and the boxes of their lists that overlap them.
fn found(lists: &CellLists, side: f32, bodies: &[RawAabb]) -> Vec<(u32, u32)> {
    let exchanged: Vec<RawAabb> = bodies.iter().map(|&[x, y, right, bottom]| [y, x, bottom, right]).collect();
    let [words, exchanged] = [bodies, &exchanged].map(words);
    let columns = SoaColumns::of(&words, bodies.len());
    assert!(CellLists::suit(side, &columns));
    let (mut ranges, mut same) = (vec![[0; 2]; bodies.len() - 1], vec![[0; 2]; bodies.len() - 1]);
    lists.find(&columns, 1, false, &mut ranges);
    lists.find(&SoaColumns::of(&exchanged, bodies.len()), 1, true, &mut same);
    assert_eq!(ranges, same);
    let boxes = lists.boxes();
    let mut pairs = Vec::new();
    for (&[start, end], body) in ranges.iter().zip(1..) {
        let list = start as usize..end as usize;
        let rows = boxes.rows(&list);
        assert!(rows.is_sorted_by(|a, b| a < b), "LISTS-2");
        let hits = (0..list.len()).filter(|&at| overlaps(&boxes.aabb(&list, at), &bodies[body]));
        pairs.extend(hits.map(|at| (body as u32, rows[at])));
    }
    pairs
}

#[test]
fn lists_are_made_at_any_scale() {
    let boxes = BoxLayout::ALL[0].boxes(3000, 0x57a7);
    let made = |scale: f32| {
        let scaled: Vec<RawAabb> = boxes.iter().map(|aabb| aabb.map(|edge| edge * scale)).collect();
        CellLists::build(&records(&scaled), 0.5 * scale).map(|(lists, large)| (lists.all_rows(), large.len()))
    };
    assert!(made(1.0).is_some());
    for exponent in [-100, -80, 80] {
        assert_eq!(made(2f32.powi(exponent)), made(1.0), "2^{exponent}");
    }
}

#[test]
fn the_list_of_a_body_has_all_boxes_that_it_overlaps() {
    let (mut large_count, mut refused) = (0, 0);
    for kind in BoxLayout::ALL {
        for side in [0.5, 3.0, 30.0] {
            let (boxes, probes) = (kind.boxes(3000, 0x57a7), kind.boxes(700, 0x57a8));
            // As large as may be, to the last bit.
            let shrink = |[x, y, right, bottom]: RawAabb| {
                let end = |from: f32, to: f32| if to - side <= from { to } else { from + side };
                let [right, bottom] = [end(x, right), end(y, bottom)].map(|edge| edge);
                [x, y, right, bottom]
            };
            let fits = |aabb: &RawAabb| aabb[2] - side <= aabb[0] && aabb[3] - side <= aabb[1];
            let bodies: Vec<RawAabb> = probes.into_iter().map(shrink).filter(fits).collect();
            let Some((mut lists, large)) = CellLists::build(&records(&boxes), side) else {
                refused += 1;
                continue;
            };
            assert!(large.is_sorted_by_key(|record| record.row));
            let is_listed = |row: u32| large.binary_search_by_key(&row, |record| record.row).is_err();
            let mut truth = reference::cross_pairs(&bodies, &boxes);
            truth.retain(|&(body, row)| body > 0 && is_listed(row));
            assert_eq!(found(&lists, side, &bodies), truth, "{kind:?}, bodies of {side}");

            let mut random = SplitMix64::new(9);
            let hidden: Vec<bool> = boxes.iter().map(|_| random.below(3) == 0).collect();
            let set = |lists: &mut CellLists, aabb_of: &dyn Fn(usize) -> RawAabb| {
                let rows = (0..boxes.len()).filter(|&row| hidden[row]);
                rows.for_each(|row| lists.set_box(row as u32, &boxes[row], &aabb_of(row)));
            };
            set(&mut lists, &|_| NO_BOX);
            let shown: Vec<_> = truth.iter().copied().filter(|&(_, row)| !hidden[row as usize]).collect();
            assert_eq!(found(&lists, side, &bodies), shown, "{kind:?}, bodies of {side}");
            set(&mut lists, &|row| boxes[row]);
            assert_eq!(found(&lists, side, &bodies), truth, "{kind:?}, bodies of {side}");
            large_count += large.len();
        }
    }
    assert!(large_count > 10 && refused > 0, "{large_count} large boxes, {refused} layouts refused");
}

#[test]
fn bodies_that_are_too_large_are_refused() {
    let is_for = |body: RawAabb| {
        let words = words(&[[0.0; 4], body]);
        CellLists::suit(2.0, &SoaColumns::of(&words, 2))
    };
    assert!(is_for([5.0, 5.0, 7.0, 7.0]));
    assert!(!is_for([5.0, 5.0, 7.001, 7.0]) && !is_for([5.0, 5.0, 7.0, 7.001]));
}

#[test]
fn cells_grow_until_nearly_all_boxes_are_listed() {
    let mut random = SplitMix64::new(7);
    let mut walls = |length: f32| -> Vec<RawAabb> {
        let mut wall = |_| {
            let [x, y] = random.point(0.0, 2000.0);
            [x, y, x + length, y + 1.0]
        };
        (0..3000).map(&mut wall).collect()
    };
    for length in [1.0, 100.0] {
        let (lists, large) = CellLists::build(&records(&walls(length)), 1.0).expect("they suit");
        assert!(large.is_empty() && lists.boxes().len() <= 10 * 3000, "{length}: {} entries", lists.boxes().len());
    }
    assert!(CellLists::build(&records(&walls(1e6)), 1.0).is_none());
}

#[test]
fn boxes_that_crowd_all_cells_are_refused() {
    let pile: Vec<RawAabb> = vec![[3.0, 4.0, 5.0, 6.0]; 300];
    assert!(CellLists::build(&records(&pile), 1.0).is_none());
    assert!(CellLists::build(&[], 1.0).is_none());
}
