//! Boxes that are replaced where they are filed.

use crate::geometry::RawAabb;
use crate::tier::box_test::BoxTest;
use crate::tier::point_grid::PointGrid;
use crate::tier::point_grid::update::BandPlace;
use triphase_scenes::SplitMix64;

/// Lines either way round of many lengths, for which bands are rows of narrow columns, or boxes of
/// about one size.
fn boxes(lines: bool) -> Vec<RawAabb> {
    let mut random = SplitMix64::new(21);
    let mut next = |k: usize| {
        let [x, y] = random.point(0.0, 400.0);
        let long = if lines { 0.15 * 10f32.powf(random.range(0.0, 2.5)) } else { random.range(1.0, 2.0) };
        match (lines, k % 2) {
            (true, 0) => [x, y, x + long, y + 0.01],
            (true, _) => [x, y, x + 0.01, y + long],
            _ => [x, y, x + long, y + long],
        }
    };
    (0..20_000).map(&mut next).collect()
}

#[test]
fn a_box_is_replaced_only_if_searches_will_find_it() {
    for lines in [false, true] {
        let filed = boxes(lines);
        let mut grid = PointGrid::new();
        grid.rebuild(&filed, &mut Vec::new()).expect("valid boxes");
        let mut copy = grid.bands.clone();
        let is_row = |slot: usize| grid.bands.slots()[slot].band.row_count() == 1;
        assert_eq!((0..grid.bands.slots().len()).any(is_row), lines, "bands of one row are those of lines");
        let mut places: Vec<(u32, BandPlace)> = Vec::new();
        grid.bands.for_each_place(|row, place| places.push((row, place)));
        let (mut replaced, mut refused) = (0, 0);
        for (row, place) in places.into_iter().step_by(7) {
            let [x0, y0, x1, y1] = filed[row as usize];
            for longer in [0.1, 1.0, 10.0, 100.0] {
                for aabb in [[x0, y0, x1 + longer, y1], [x0, y0, x1, y1 + longer]] {
                    if !grid.bands.replace_box(place, &aabb) {
                        refused += 1;
                        continue;
                    }
                    replaced += 1;
                    copy.copy_box(&grid.bands, place);
                    let end = [aabb[2], aabb[3], aabb[2], aabb[3]];
                    for bands in [&grid.bands, &copy] {
                        let is_found = bands.box_query(end, BoxTest::Overlap).any(|found| found == row);
                        assert!(is_found, "lines: {lines}, row {row}, {aabb:?}");
                    }
                }
            }
            assert!(grid.bands.replace_box(place, &filed[row as usize]), "where it was");
        }
        assert!(replaced > 1000 && refused > 1000, "{replaced} {refused}");
    }
}
