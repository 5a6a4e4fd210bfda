//! A search that marks the loose cells it has seen.

use crate::geometry::{RawAabb, overlaps};
use crate::memory::bit_set::BitSet;
use crate::memory::record::BodyRecord;
use crate::tier::loose_grid::indices::LooseIndex;
use crate::tier::loose_grid::map::CellRange;
use crate::tier::loose_grid::rebuilt::grid::{GROUP_LEN, RebuiltGrid, next_group_part};
use std::ops::Range;

/// A search uses the groups of loose cells if the touched tight cells list more than this many
/// loose cells for each group. Tight cells list many if boxes are very long, and a search of a
/// large area overlaps most loose cells anyway.
pub(super) const LISTED_PER_GROUP_MAX: usize = 2;

impl RebuiltGrid {
    /// Appends each body whose box overlaps `area`, whose edges may be infinite.
    ///
    /// `seen` contains [`loose_cell_count`](Self::loose_cell_count) bits, which are clear before
    /// and after.
    pub(crate) fn collect(&self, area: &RawAabb, seen: &mut BitSet, found: &mut Vec<BodyRecord>) {
        if !self.filed.is_empty() {
            self.visit_cells(area, seen, |cell| self.scan(self.bodies_of(cell), area, found));
        }
    }

    /// Visits each loose cell whose bounds overlap `area`, once.
    #[inline(always)]
    fn visit_cells(&self, area: &RawAabb, seen: &mut BitSet, mut visit: impl FnMut(usize)) {
        let tight = &self.tight;
        let range = tight.map.touched(area);
        let ([x0, y0], [x1, y1]) = (range.min, range.max);
        if self.listed_count(range) > LISTED_PER_GROUP_MAX * self.cell_groups.len() {
            return self.visit_cells_by_group(area, visit);
        }
        let is_hit = |k: &&LooseIndex| overlaps(&self.cells[k.get()].bounds, area);
        if range.count() == 1 {
            // Each is listed once (LOOSE-3).
            return tight.row(y0, x0, x0).iter().filter(is_hit).for_each(|k| visit(k.get()));
        }
        for y in y0..=y1 {
            let hits = tight.row(y, x0, x1).iter().filter(is_hit);
            hits.filter(|k| seen.insert(k.0)).for_each(|k| visit(k.get()));
        }
        for y in y0..=y1 {
            tight.row(y, x0, x1).iter().for_each(|k| seen.remove(k.0));
        }
    }

    /// Returns the number of loose cells that some tight cells list.
    #[inline(always)]
    pub(super) fn listed_count(&self, range: CellRange) -> usize {
        let ([x0, y0], [x1, y1]) = (range.min, range.max);
        (y0..=y1).map(|y| self.tight.row(y, x0, x1).len()).sum()
    }

    /// Does the same as [`visit_cells`](Self::visit_cells) without the tight grid.
    fn visit_cells_by_group(&self, area: &RawAabb, mut visit: impl FnMut(usize)) {
        for group in 0..self.cell_groups.len() {
            if overlaps(&self.cell_groups[group], area) {
                let cells = self.cells_of_group(group);
                cells.filter(|&cell| overlaps(&self.cells[cell].bounds, area)).for_each(&mut visit);
            }
        }
    }

    /// Appends the bodies of `part` of a loose cell whose box overlaps `area`.
    #[inline(always)]
    fn scan(&self, mut part: Range<usize>, area: &RawAabb, found: &mut Vec<BodyRecord>) {
        let mut scan_run = |run: Range<usize>| {
            found.extend(self.filed[run].iter().filter(|filed| overlaps(&filed.aabb, area)));
        };
        if part.len() <= GROUP_LEN {
            return scan_run(part);
        }
        // The cell is crowded, so there are groups (REBUILT-2).
        while let Some(group_part) = next_group_part(&mut part) {
            if overlaps(&self.body_groups[group_part.start / GROUP_LEN], area) {
                scan_run(group_part);
            }
        }
    }
}
