//! One grid's boxes against another's, against brute force.

use crate::geometry::RawAabb;
use crate::memory::record::BodyRecord;
use crate::reference;
use crate::tier::point_grid::PointGrid;
use crate::tier::point_grid::box_query::Filed;
use crate::tier::point_grid::cross::{MeetScratch, TOGETHER};
use crate::tier::point_grid::tests::scenes::{KINDS, scene};

const EVERYWHERE: RawAabb = [f32::NEG_INFINITY, f32::NEG_INFINITY, f32::INFINITY, f32::INFINITY];

#[test]
fn boxes_meet_those_that_they_overlap() {
    for kind in KINDS {
        let (filed, others) = (scene(kind, 3000, 0x3ee7), scene(kind, 700, 0x3ee8));
        let mut grid = PointGrid::new();
        grid.find_pairs(&filed, &mut Vec::new()).expect("good boxes");
        let records: Vec<BodyRecord> = others.iter().zip(0..).map(|(&aabb, row)| BodyRecord { aabb, row }).collect();
        let mut scratch = MeetScratch::default();
        let mut met: Vec<(u32, u32)> = Vec::new();
        for (together, slot) in
            records.chunks(TOGETHER).flat_map(|r| grid.index.slots_met(EVERYWHERE).map(move |s| (r, s)))
        {
            let visited = grid.index.met(slot).visit_all(together, false, &mut scratch, |other, row| {
                met.push((other, row));
                Some(())
            });
            assert!(visited.is_some());
        }
        // What no class of the grid took is filed beside it.
        let beside: Vec<u32> = grid.rest.search(EVERYWHERE, Filed).collect();
        let mut truth = reference::cross_pairs(&others, &filed);
        truth.retain(|(_, row)| !beside.contains(row));
        met.sort_unstable();
        assert_eq!(met, truth, "{kind:?}");
        // The first who has enough ends it.
        let slots = || grid.index.slots_met(EVERYWHERE).map(|slot| grid.index.met(slot));
        let mut visits = 0;
        let ended = slots().all(|met| {
            let first = &records[..TOGETHER.min(records.len())];
            met.visit_all(first, false, &mut scratch, |_, _| {
                visits += 1;
                None
            })
            .is_some()
        });
        assert!(ended == (visits == 0) && visits <= 1);
    }
}
