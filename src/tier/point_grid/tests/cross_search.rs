//! Many boxes against the bands of a grid, compared with brute force.

use crate::geometry::RawAabb;
use crate::memory::record::BodyRecord;
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
        let records: Vec<BodyRecord> = others.iter().zip(0..).map(|(&aabb, row)| BodyRecord { aabb, row }).collect();
        let mut buffers = SearchBuffers::default();
        let mut found: Vec<(u32, u32)> = Vec::new();
        for boxes in records.chunks(SEARCH_BOXES_MAX) {
            for band in grid.bands.bands_overlapping(EVERYWHERE) {
                let search = grid.bands.search_band(band);
                let outcome = search.for_each_overlap(boxes, false, &mut buffers, |other, row| {
                    found.push((other, row));
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
    }
}

#[test]
fn a_search_ends_with_the_first_visit_that_returns_none() {
    let boxes = BoxLayout::Crowd.boxes(3000, 0x3ee7);
    let mut grid = PointGrid::new();
    grid.rebuild(&boxes, &mut Vec::new()).expect("valid boxes");
    let records: Vec<BodyRecord> = boxes.iter().zip(0..).map(|(&aabb, row)| BodyRecord { aabb, row }).collect();
    let search = grid.bands.search_band(0);
    let mut visits = 0;
    let outcome =
        search.for_each_overlap(&records[..SEARCH_BOXES_MAX], false, &mut SearchBuffers::default(), |_, _| {
            visits += 1;
            None
        });
    assert_eq!((outcome, visits), (None, 1));
}
