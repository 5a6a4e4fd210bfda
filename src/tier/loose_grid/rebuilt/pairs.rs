//! Pairs of entities, block by block, and searches that mark loose cells they have seen.

use crate::geometry::{RawAabb, overlaps};
use crate::memory::bit_set::BitSet;
use crate::tier::loose_grid::indices::LooseIndex;
use crate::tier::loose_grid::rebuilt::grid::{BLOCK_LEN, FiledEntity, GROUP_LEN, RebuiltGrid, next_group_part};
use std::ops::Range;

/// A search uses the groups of loose cells if the touched tight cells list more than this many
/// loose cells for each group. Tight cells list many if boxes are very long, and a search of a
/// large area overlaps most loose cells anyway.
pub(super) const LISTED_PER_GROUP_MAX: usize = 2;

impl RebuiltGrid {
    /// Calls `emit` with each pair that a block finds, lower entity first.
    ///
    /// All blocks together find each pair of entities whose boxes overlap once (REBUILT-3). Returns
    /// `None` as soon as `emit` does. `seen` contains [`loose_cell_count`](Self::loose_cell_count)
    /// bits, which are clear before and after.
    pub(crate) fn find_block_pairs(
        &self,
        block: usize,
        seen: &mut BitSet,
        emit: &mut impl FnMut(u32, u32) -> Option<()>,
    ) -> Option<()> {
        let mut start = block.saturating_mul(BLOCK_LEN);
        let end = start.saturating_add(BLOCK_LEN).min(self.filed.len());
        let mut emit = |a: &FiledEntity, b: &FiledEntity| emit(a.entity.min(b.entity), a.entity.max(b.entity));
        // The block may begin and end within a cell.
        let mut cell = self.cells.partition_point(|cell| cell.head.get() <= start).saturating_sub(1);
        while start < end {
            let run = self.entities_of(cell);
            let part = start..run.end.min(end);
            start = part.end;
            self.find_pairs_in_cell(cell, part.clone(), &mut emit)?;
            self.visit_cells(&self.cells[cell].bounds, cell + 1, seen, |other| {
                let (bounds, others) = (&self.cells[other].bounds, self.entities_of(other));
                self.scan(part.clone(), bounds, |a| self.scan(others.clone(), &a.aabb, |b| emit(a, b)))
            })?;
            cell += 1;
        }
        Some(())
    }

    /// Appends each entity whose box overlaps `area`, whose edges may be infinite.
    ///
    /// `seen` is as in [`find_block_pairs`](Self::find_block_pairs).
    pub(crate) fn collect(&self, area: &RawAabb, seen: &mut BitSet, found: &mut Vec<u32>) {
        let mut push = |filed: &FiledEntity| {
            found.push(filed.entity);
            Some(())
        };
        if !self.filed.is_empty() {
            let _ = self.visit_cells(area, 0, seen, |cell| self.scan(self.entities_of(cell), area, &mut push));
        }
    }

    /// Finds the pairs within a cell whose first entity is in `part`.
    #[inline(always)]
    fn find_pairs_in_cell(
        &self,
        cell: usize,
        part: Range<usize>,
        emit: &mut impl FnMut(&FiledEntity, &FiledEntity) -> Option<()>,
    ) -> Option<()> {
        let run = self.entities_of(cell);
        if run.len() > GROUP_LEN {
            return if self.is_sorted_by_y(cell) {
                self.sweep_cell::<1>(part, run.end, emit)
            } else {
                self.sweep_cell::<0>(part, run.end, emit)
            };
        }
        for i in part {
            let (a, others) = (&self.filed[i], &self.filed[i + 1..run.end]);
            others.iter().filter(|b| overlaps(&a.aabb, &b.aabb)).try_for_each(|b| emit(a, b))?;
        }
        Some(())
    }

    /// Finds the pairs within a crowded cell, which ends at `run_end`: minima on `AXIS` ascend
    /// (REBUILT-2), so the first entity that begins after the end of `a` ends the search.
    fn sweep_cell<const AXIS: usize>(
        &self,
        part: Range<usize>,
        run_end: usize,
        emit: &mut impl FnMut(&FiledEntity, &FiledEntity) -> Option<()>,
    ) -> Option<()> {
        for i in part {
            let (a, others) = (&self.filed[i], &self.filed[i + 1..run_end]);
            let nearby = others.iter().take_while(|b| b.aabb[AXIS] <= a.aabb[AXIS + 2]);
            nearby.filter(|b| overlaps(&a.aabb, &b.aabb)).try_for_each(|b| emit(a, b))?;
        }
        Some(())
    }

    /// Visits each loose cell from `first` on whose bounds overlap `area`, once.
    #[inline(always)]
    fn visit_cells(
        &self,
        area: &RawAabb,
        first: usize,
        seen: &mut BitSet,
        mut visit: impl FnMut(usize) -> Option<()>,
    ) -> Option<()> {
        let tight = &self.tight;
        let range = tight.map.touched(area);
        let ([x0, y0], [x1, y1]) = (range.min, range.max);
        let listed_count = (y0..=y1).map(|y| tight.row(y, x0, x1).len()).sum::<usize>();
        if listed_count > LISTED_PER_GROUP_MAX * self.cell_groups.len() {
            return self.visit_cells_by_group(area, first, visit);
        }
        let first = LooseIndex::new(first);
        let is_hit = |k: &LooseIndex| (*k >= first) & overlaps(&self.cells[k.get()].bounds, area);
        if range.count() == 1 {
            // Each is listed once (LOOSE-3).
            return tight.row(y0, x0, x0).iter().filter(|k| is_hit(k)).try_for_each(|k| visit(k.get()));
        }
        let mut visit_row = |y: u32| {
            let hits = tight.row(y, x0, x1).iter().filter(|k| is_hit(k));
            hits.filter(|k| seen.insert(k.0)).try_for_each(|k| visit(k.get()))
        };
        let outcome = (y0..=y1).try_for_each(&mut visit_row);
        for y in y0..=y1 {
            tight.row(y, x0, x1).iter().for_each(|k| seen.remove(k.0));
        }
        outcome
    }

    /// Does the same as [`visit_cells`](Self::visit_cells) without the tight grid.
    fn visit_cells_by_group(
        &self,
        area: &RawAabb,
        first: usize,
        mut visit: impl FnMut(usize) -> Option<()>,
    ) -> Option<()> {
        for group in first / GROUP_LEN..self.cell_groups.len() {
            if overlaps(&self.cell_groups[group], area) {
                let cells = self.cells_of_group(group).filter(|&cell| cell >= first);
                cells.filter(|&cell| overlaps(&self.cells[cell].bounds, area)).try_for_each(&mut visit)?;
            }
        }
        Some(())
    }

    /// Visits the entities of `part` of a loose cell whose box overlaps `area`.
    #[inline(always)]
    fn scan(
        &self,
        mut part: Range<usize>,
        area: &RawAabb,
        mut visit: impl FnMut(&FiledEntity) -> Option<()>,
    ) -> Option<()> {
        let mut scan_run = |run: Range<usize>| {
            self.filed[run].iter().filter(|filed| overlaps(&filed.aabb, area)).try_for_each(&mut visit)
        };
        if part.len() <= GROUP_LEN {
            return scan_run(part);
        }
        // The cell is crowded, so there are groups (REBUILT-2).
        while let Some(group_part) = next_group_part(&mut part) {
            if overlaps(&self.entity_groups[group_part.start / GROUP_LEN], area) {
                scan_run(group_part)?;
            }
        }
        Some(())
    }
}
