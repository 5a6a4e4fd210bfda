//! Rebuilding: file, sort what is crowded, list.

use crate::geometry::RawAabb;
use crate::tier::loose_grid::map::GridMap;
use crate::tier::loose_grid::rebuilt::plan::{CELL_SAMPLE, PLAN_SAMPLE, Profile, loose_map, tight_map, warped_map};
use crate::tier::loose_grid::rebuilt::{
    CHUNK_LEN, Filed, RebuiltGrid, TightRuns, clear_counts, end, next_place, runs_from_counts,
};
use crate::tier::loose_grid::{
    ENTRIES_PER_ENTITY, ENTRIES_SLACK, EntityIndex, LooseCell, LooseIndex, NOTHING, narrow, union,
};

/// From one in so many entities in crowded cells, it is worth filing them again.
const CROWDED_PART: usize = 8;

impl RebuiltGrid {
    /// Files entity `i` with `boxes[i]`, for all of them; what was filed before is forgotten. Edges may be infinite.
    /// Takes no memory when there was enough for a rebuild as large.
    pub(crate) fn rebuild(&mut self, boxes: &[RawAabb]) {
        let sample = &mut self.sample;
        let profiles = [0, 1].map(|axis| sample.profile(boxes.len(), PLAN_SAMPLE, axis, |k| boxes[k]));
        let loose = loose_map(boxes.len(), profiles);
        self.file(&loose, boxes);
        if self.crowded_count() * CROWDED_PART > boxes.len() {
            let evened = profiles.map(Profile::evened);
            let loose = warped_map(boxes.len(), evened);
            self.file(&loose, boxes);
            self.list(tight_map(&loose, evened));
        } else {
            self.list(tight_map(&loose, profiles));
        }
        self.sort_crowded();
    }

    /// How many entities are in crowded cells.
    fn crowded_count(&self) -> usize {
        let lens = self.cells.windows(2).map(|ends| ends[1].head.at() - ends[0].head.at());
        lens.filter(|&len| len > CHUNK_LEN).sum()
    }

    /// A counting sort by loose cell.
    fn file(&mut self, map: &GridMap, boxes: &[RawAabb]) {
        let starts = &mut self.starts;
        clear_counts(starts, map.cell_count());
        self.slots.clear();
        self.slots.extend(boxes.iter().map(|bounds| {
            let slot = map.cell_of_center(bounds);
            starts[slot + 2] += 1;
            narrow(slot)
        }));
        runs_from_counts(starts);
        self.filed.resize(boxes.len(), Filed { bounds: NOTHING, entity: 0 });
        for (entity, (bounds, &slot)) in boxes.iter().zip(&self.slots).enumerate() {
            self.filed[next_place(starts, slot as usize)] = Filed { bounds: *bounds, entity: narrow(entity) };
        }
        // R2
        self.cells.clear();
        for ends in starts.windows(2).take(map.cell_count()) {
            let run = &self.filed[ends[0] as usize..ends[1] as usize];
            if !run.is_empty() {
                let bounds = run.iter().fold(NOTHING, |all, filed| union(&all, &filed.bounds));
                self.cells.push(LooseCell { bounds, head: EntityIndex(ends[0]) });
            }
        }
        self.covers.clear();
        let cover = |cells: &[LooseCell]| cells.iter().fold(NOTHING, |all, cell| union(&all, &cell.bounds));
        self.covers.extend(self.cells.chunks(CHUNK_LEN).map(cover));
        self.cells.push(end(boxes.len()));
    }

    /// T3, and T5 by coarser cells.
    fn list(&mut self, map: GridMap) {
        let entries_max = ENTRIES_PER_ENTITY * self.filed.len() + ENTRIES_SLACK;
        let cells = &self.cells[..self.cells.len() - 1];
        let TightRuns { map: kept, starts, listed } = &mut self.tight;
        let map = map.coarsened(cells, entries_max);
        *kept = map;
        clear_counts(starts, map.cell_count());
        for cell in cells {
            map.range(&cell.bounds).cells().for_each(|(x, y)| starts[map.number(x, y) + 2] += 1);
        }
        runs_from_counts(starts);
        listed.resize(starts[starts.len() - 1] as usize, LooseIndex::NONE);
        for (k, cell) in cells.iter().enumerate() {
            let place = |(x, y)| listed[next_place(starts, map.number(x, y))] = LooseIndex::new(k);
            map.range(&cell.bounds).cells().for_each(place);
        }
    }

    /// R3.
    fn sort_crowded(&mut self) {
        self.chunks.clear();
        self.upright.grow_to(self.loose_cell_count());
        let mut any = false;
        for cell in 0..self.loose_cell_count() {
            let run = self.run(cell);
            if run.len() <= CHUNK_LEN {
                continue;
            }
            any = true;
            let (sample, filed) = (&mut self.sample, &mut self.filed[run]);
            let [x, y] = [0, 1].map(|axis| sample.profile(filed.len(), CELL_SAMPLE, axis, |k| filed[k].bounds));
            let upright = y.sweeps_better_than(&x);
            let axis = usize::from(upright);
            filed.sort_unstable_by_key(|filed| (order(filed.bounds[axis]), filed.entity));
            if upright {
                self.upright.insert(narrow(cell));
            } else {
                self.upright.remove(narrow(cell));
            }
        }
        if any {
            let cover = |chunk: &[Filed]| chunk.iter().fold(NOTHING, |all, filed| union(&all, &filed.bounds));
            self.chunks.extend(self.filed.chunks(CHUNK_LEN).map(cover));
        }
    }
}

/// A number in the order of `f32::total_cmp`.
fn order(v: f32) -> u32 {
    let bits = v.to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}
