//! The pass over all pairs, and searches of areas that remember.

use crate::geometry::{RawAabb, overlaps};
use crate::memory::bit_set::BitSet;
use crate::tier::loose_grid::rebuilt::{BLOCK_LEN, CHUNK_LEN, Filed, RebuiltGrid};
use crate::tier::loose_grid::{LooseIndex, narrow};
use std::cell::Cell;
use std::ops::Range;

/// A search that the tight grid would lead to more than this many loose cells for each cover goes through the covers:
/// of very long boxes a tight cell lists too many, and a search of a large area meets most loose cells anyway.
pub(super) const COVER_WORTH: usize = 2;

impl RebuiltGrid {
    /// Gives every pair of entities that block `block` has to find, the lower one first. Over all blocks each pair of
    /// entities whose boxes overlap is given once. `seen` has [`loose_cell_count`](Self::loose_cell_count) bits, clear
    /// on entry and on exit. Ends soon after `emit` says `None`.
    pub(crate) fn find_block_pairs(
        &self,
        block: usize,
        seen: &mut BitSet,
        emit: &mut impl FnMut(u32, u32) -> Option<()>,
    ) {
        let mut at = block.saturating_mul(BLOCK_LEN);
        let end = at.saturating_add(BLOCK_LEN).min(self.filed.len());
        if at >= end {
            return;
        }
        let stopped = Cell::new(false);
        let mut emit = |a: &Filed, b: &Filed| {
            if emit(a.entity.min(b.entity), a.entity.max(b.entity)).is_none() {
                stopped.set(true);
            }
        };
        let mut cell = self.cells.partition_point(|cell| cell.head.at() <= at) - 1;
        while at < end && !stopped.get() {
            // R4: of a cell that reaches into the next block, the part in this one.
            let run = self.run(cell);
            let part = at..run.end.min(end);
            at = part.end;
            if run.len() <= CHUNK_LEN {
                self.find_own(part.clone(), run.end, &stopped, &mut emit);
            } else if self.upright.contains(narrow(cell)) {
                self.sweep_own::<1>(part.clone(), run.end, &stopped, &mut emit);
            } else {
                self.sweep_own::<0>(part.clone(), run.end, &stopped, &mut emit);
            }
            self.visit_met(&self.cells[cell].bounds, cell + 1, seen, |other| {
                let (bounds, others) = (self.cells[other].bounds, self.run(other));
                self.scan(part.clone(), &bounds, |a| {
                    if !stopped.get() {
                        self.scan(others.clone(), &a.bounds, |b| emit(a, b));
                    }
                });
            });
            cell += 1;
        }
    }

    /// Appends each entity whose box overlaps `area`, whose edges may be infinite. `seen` is as in
    /// [`find_block_pairs`](Self::find_block_pairs).
    pub(crate) fn collect(&self, area: &RawAabb, seen: &mut BitSet, found: &mut Vec<u32>) {
        if !self.filed.is_empty() {
            self.visit_met(area, 0, seen, |cell| self.scan(self.run(cell), area, |filed| found.push(filed.entity)));
        }
    }

    /// Visits each loose cell from `first` on whose box overlaps `area`, once.
    #[inline(always)]
    fn visit_met(&self, area: &RawAabb, first: usize, seen: &mut BitSet, mut visit: impl FnMut(usize)) {
        let tight = &self.tight;
        let range = tight.map.range(area);
        let ([x0, y0], [x1, y1]) = (range.min, range.max);
        let listed = (y0..=y1).map(|y| tight.row(y, x0, x1).len()).sum::<usize>();
        if listed > COVER_WORTH * self.covers.len() {
            return self.visit_covered(area, first, visit);
        }
        let first = LooseIndex::new(first);
        let met = |k: &LooseIndex| (*k >= first) & overlaps(&self.cells[k.at()].bounds, area);
        if range.count() == 1 {
            // T3: listed once.
            return tight.row(y0, x0, x0).iter().filter(|k| met(k)).for_each(|k| visit(k.at()));
        }
        for y in y0..=y1 {
            for k in tight.row(y, x0, x1).iter().filter(|k| met(k)) {
                if seen.insert(k.0) {
                    visit(k.at());
                }
            }
        }
        for y in y0..=y1 {
            tight.row(y, x0, x1).iter().for_each(|k| seen.remove(k.0));
        }
    }

    /// As [`visit_met`](Self::visit_met), without the tight grid.
    fn visit_covered(&self, area: &RawAabb, first: usize, mut visit: impl FnMut(usize)) {
        for chunk in first / CHUNK_LEN..self.covers.len() {
            if overlaps(&self.covers[chunk], area) {
                let (start, end) = (chunk * CHUNK_LEN, (chunk + 1) * CHUNK_LEN);
                let cells = start.max(first)..end.min(self.loose_cell_count());
                cells.filter(|&cell| overlaps(&self.cells[cell].bounds, area)).for_each(&mut visit);
            }
        }
    }

    /// Visits the entities of `part` of a loose cell whose box overlaps `area`.
    #[inline(always)]
    fn scan(&self, part: Range<usize>, area: &RawAabb, mut visit: impl FnMut(&Filed)) {
        let mut scan_run = |run: &[Filed]| run.iter().filter(|f| overlaps(&f.bounds, area)).for_each(&mut visit);
        if part.len() <= CHUNK_LEN {
            return scan_run(&self.filed[part]);
        }
        // R3: it is crowded, so there are chunks.
        for chunk in part.start / CHUNK_LEN..part.end.div_ceil(CHUNK_LEN) {
            if overlaps(&self.chunks[chunk], area) {
                let (first, end) = (chunk * CHUNK_LEN, (chunk + 1) * CHUNK_LEN);
                scan_run(&self.filed[first.max(part.start)..end.min(part.end)]);
            }
        }
    }

    /// The pairs within a cell that ends at `run_end`, of which the first is in `part`.
    #[inline(always)]
    fn find_own(
        &self,
        part: Range<usize>,
        run_end: usize,
        stopped: &Cell<bool>,
        emit: &mut impl FnMut(&Filed, &Filed),
    ) {
        for i in part.take_while(|_| !stopped.get()) {
            let (a, rest) = (&self.filed[i], &self.filed[i + 1..run_end]);
            rest.iter().filter(|b| overlaps(&a.bounds, &b.bounds)).for_each(|b| emit(a, b));
        }
    }

    /// As [`find_own`](Self::find_own), for a crowded cell: what starts behind the end of `a` ends the search (R3).
    fn sweep_own<const AXIS: usize>(
        &self,
        part: Range<usize>,
        run_end: usize,
        stopped: &Cell<bool>,
        emit: &mut impl FnMut(&Filed, &Filed),
    ) {
        for i in part.take_while(|_| !stopped.get()) {
            let (a, rest) = (&self.filed[i], &self.filed[i + 1..run_end]);
            let near = rest.iter().take_while(|b| b.bounds[AXIS] <= a.bounds[AXIS + 2]);
            near.filter(|b| overlaps(&a.bounds, &b.bounds)).for_each(|b| emit(a, b));
        }
    }
}
