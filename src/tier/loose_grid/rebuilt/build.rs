//! Rebuilds the grid: files bodies, lists loose cells, sorts crowded cells.

use crate::geometry::{EMPTY_AABB, RawAabb, union};
use crate::memory::body_record::BodyRecord;
use crate::memory::radix::total_order_key;
use crate::tier::loose_grid::cell::{LooseCell, entry_count_max};
use crate::tier::loose_grid::indices::{EntityIndex, LooseIndex, narrow};
use crate::tier::loose_grid::map::CellMap;
use crate::tier::loose_grid::rebuilt::grid::{GROUP_LEN, RebuiltGrid, TightRuns};
use crate::tier::loose_grid::rebuilt::plan::{CELL_SAMPLE, PLAN_SAMPLE, Profile, loose_map, tight_map, warped_map};

/// Bodies are filed again in warped cells if one in this many is in a crowded cell.
const CROWDED_PART: usize = 8;

impl RebuiltGrid {
    /// Replaces all bodies, whose edges may be infinite and whose rows differ.
    ///
    /// Allocates only if no earlier rebuild needed as much memory.
    pub(crate) fn rebuild(&mut self, bodies: &[BodyRecord]) {
        let sample = &mut self.scratch.sample;
        let mut profiles = [0, 1].map(|axis| sample.profile(bodies.len(), PLAN_SAMPLE, axis, &|k| bodies[k].aabb));
        let mut loose = loose_map(bodies.len(), profiles);
        self.file_bodies(&loose, bodies);
        if self.crowded_count() * CROWDED_PART > bodies.len() {
            profiles = profiles.map(Profile::evened);
            loose = warped_map(bodies.len(), profiles);
            self.file_bodies(&loose, bodies);
        }
        self.list_cells(tight_map(&loose, profiles));
        self.sort_crowded_cells();
        self.scratch.cell_of.clear();
        self.scratch.starts.clear();
        self.scratch.sample.clear();
    }

    /// Returns the number of bodies in crowded cells.
    fn crowded_count(&self) -> usize {
        let lens = (0..self.loose_cell_count()).map(|cell| self.bodies_of(cell).len());
        lens.filter(|&len| len > GROUP_LEN).sum()
    }

    /// Sorts bodies by loose cell, by counting (REBUILT-1).
    fn file_bodies(&mut self, map: &CellMap, bodies: &[BodyRecord]) {
        let starts = &mut self.scratch.starts;
        clear_counts(starts, map.cell_count());
        self.scratch.cell_of.clear();
        self.scratch.cell_of.extend(bodies.iter().map(|body| {
            let cell = map.cell_of_center(&body.aabb);
            starts[cell + 2] += 1;
            narrow(cell)
        }));
        starts_from_counts(starts);
        self.filed.resize(bodies.len(), BodyRecord::default());
        for (&body, &cell) in bodies.iter().zip(&self.scratch.cell_of) {
            self.filed[next_position(starts, cell as usize)] = body;
        }
        self.cells.clear();
        for ends in starts.windows(2).take(map.cell_count()) {
            let run = &self.filed[ends[0] as usize..ends[1] as usize];
            if !run.is_empty() {
                self.cells.push(LooseCell { bounds: bounds_of(run), head: EntityIndex(ends[0]) });
            }
        }
        self.cell_groups.clear();
        let bounds_of_cells =
            |cells: &[LooseCell]| cells.iter().fold(EMPTY_AABB, |all, cell| union(&all, &cell.bounds));
        self.cell_groups.extend(self.cells.chunks(GROUP_LEN).map(bounds_of_cells));
        self.cells.push(LooseCell { head: EntityIndex::new(bodies.len()), ..LooseCell::EMPTY });
    }

    /// Lists loose cells in tight cells (LOOSE-3), as many as LOOSE-5 allows.
    fn list_cells(&mut self, map: CellMap) {
        let cells = &self.cells[..self.cells.len() - 1];
        let map = map.coarsened(cells, entry_count_max(self.filed.len()));
        let TightRuns { map: tight_map, starts, listed } = &mut self.tight;
        *tight_map = map;
        clear_counts(starts, map.cell_count());
        for cell in cells {
            map.touched(&cell.bounds).cells().for_each(|(x, y)| starts[map.number(x, y) + 2] += 1);
        }
        starts_from_counts(starts);
        listed.resize(starts[starts.len() - 1] as usize, LooseIndex::new(0));
        for (k, cell) in cells.iter().enumerate() {
            for (x, y) in map.touched(&cell.bounds).cells() {
                listed[next_position(starts, map.number(x, y))] = LooseIndex::new(k);
            }
        }
    }

    /// Sorts the bodies of crowded cells and groups all bodies if there are any (REBUILT-2).
    fn sort_crowded_cells(&mut self) {
        self.body_groups.clear();
        let mut is_any_crowded = false;
        for cell in 0..self.loose_cell_count() {
            let run = self.bodies_of(cell);
            if run.len() <= GROUP_LEN {
                continue;
            }
            is_any_crowded = true;
            let (sample, filed) = (&mut self.scratch.sample, &mut self.filed[run]);
            let [x, y] = [0, 1].map(|axis| sample.profile(filed.len(), CELL_SAMPLE, axis, &|k| filed[k].aabb));
            let by_y = y.separates_better_than(&x);
            filed.sort_unstable_by_key(|filed| (total_order_key(filed.aabb[usize::from(by_y)]), filed.row));
        }
        if is_any_crowded {
            self.body_groups.extend(self.filed.chunks(GROUP_LEN).map(bounds_of));
        }
    }
}

fn bounds_of(run: &[BodyRecord]) -> RawAabb {
    run.iter().fold(EMPTY_AABB, |all, filed| union(&all, &filed.aabb))
}

/// Clears the counts of `cell_count` cells. That of cell `k` is `counts[k + 2]`.
fn clear_counts(counts: &mut Vec<u32>, cell_count: usize) {
    counts.clear();
    counts.resize(cell_count + 2, 0);
}

/// Turns counts into the starts of runs: that of cell `k` is at `counts[k + 1]`.
///
/// Each placed element advances the start of its cell, so that in the end `counts[k]..counts[k +
/// 1]` is the run of cell `k`.
fn starts_from_counts(counts: &mut [u32]) {
    let mut total = 0;
    for count in counts {
        total += *count;
        *count = total;
    }
}

/// Returns the position of the next element of cell `k`, and advances it.
#[inline(always)]
fn next_position(starts: &mut [u32], k: usize) -> usize {
    let position = &mut starts[k + 1];
    *position += 1;
    *position as usize - 1
}
