//! Many boxes against the bands of a grid, compared with brute force.

use crate::geometry::RawAabb;
use crate::reference;
use crate::tier::box_test::BoxTest;
use crate::tier::point_grid::PointGrid;
use crate::tier::point_grid::cross_search::{SEARCH_BOXES_MAX, SearchBuffers};
use triphase_scenes::BoxLayout;

const EVERYWHERE: RawAabb = [f32::NEG_INFINITY, f32::NEG_INFINITY, f32::INFINITY, f32::INFINITY];

#[test]
fn a_search_of_all_bands_finds_each_overlap_once() {
    for kind in BoxLayout::ALL {
        let (filed, others) = (kind.boxes(3000, 0x3ee7), kind.boxes(700, 0x3ee8));
        let mut grid = PointGrid::new();
        grid.rebuild(&filed, &mut Vec::new()).expect("valid boxes");
        let (mut buffers, mut buffers_of_two) = (SearchBuffers::default(), SearchBuffers::default());
        let (mut found, mut found_by_two) = (Vec::new(), [Vec::new(), Vec::new()]);
        for (first, boxes) in (0..).step_by(SEARCH_BOXES_MAX).zip(others.chunks(SEARCH_BOXES_MAX)) {
            for band in grid.bands.bands_overlapping(EVERYWHERE) {
                let search = grid.bands.search_band(band);
                let one = boxes.iter().map(|&aabb| [aabb]);
                let outcome = search.for_each_overlap(one, false, &mut buffers, |other, at, bits| {
                    let row = search.row(at);
                    assert_eq!((bits, search.aabb(at)), (1, filed[row as usize]));
                    found.push((first + other, row));
                    Some(())
                });
                assert!(outcome.is_some());
                // Each box with the next one, or with none.
                let next = |k: usize| boxes.get(k + 1).copied().filter(|_| k & 3 > 0).unwrap_or([f32::NAN; 4]);
                let two = boxes.iter().enumerate().map(|(k, &aabb)| [next(k), aabb]);
                let outcome = search.for_each_overlap(two, false, &mut buffers_of_two, |other, at, bits| {
                    for (found, number) in found_by_two.iter_mut().zip([first + other + 1, first + other]) {
                        if bits & if number > first + other { 1 } else { 2 } != 0 {
                            found.push((number, search.row(at)));
                        }
                    }
                    Some(())
                });
                assert!(outcome.is_some());
            }
        }
        // Boxes larger than every class are not in these bands.
        let larger: Vec<u32> = grid.larger.box_query(EVERYWHERE, BoxTest::Untested).collect();
        let mut truth = reference::cross_pairs(&others, &filed);
        truth.retain(|(_, row)| !larger.contains(row));
        found.sort_unstable();
        assert_eq!(found, truth, "{kind:?}");
        let [mut by_first, mut by_second] = found_by_two;
        by_second.sort_unstable();
        assert_eq!(by_second, truth, "{kind:?}: the second box of each group");
        by_first.sort_unstable();
        // The position of the box before a box in its search, if it is not the first.
        let before = |number: u32| (number as usize % SEARCH_BOXES_MAX).checked_sub(1);
        truth.retain(|&(number, _)| before(number).is_some_and(|k| k & 3 > 0));
        assert_eq!(by_first, truth, "{kind:?}: the first box of each group");
    }
}

#[test]
fn a_search_ends_with_the_first_visit_that_returns_none() {
    let boxes = BoxLayout::Crowd.boxes(3000, 0x3ee7);
    let mut grid = PointGrid::new();
    grid.rebuild(&boxes, &mut Vec::new()).expect("valid boxes");
    let areas = boxes[..SEARCH_BOXES_MAX].iter().map(|&aabb| [aabb]);
    let search = grid.bands.search_band(0);
    let mut visits = 0;
    let outcome = search.for_each_overlap(areas, false, &mut SearchBuffers::default(), |_, _, _| {
        visits += 1;
        None
    });
    assert_eq!((outcome, visits), (None, 1));
}
