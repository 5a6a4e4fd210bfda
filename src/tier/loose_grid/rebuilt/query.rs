//! Queries to a grid of one step.
//!
//! A small area, or a place, is looked for in the tight grid, a large one through the covers. Where boxes are so long that
//! tight cells list more than is behind the covers of a neighbourhood, covers serve for all.

use crate::geometry::{Impact, PreparedCast, RawAabb, distance_squared, overlaps};
use crate::query::{Part, Search};
use crate::tier::loose_grid::LooseIndex;
use crate::tier::loose_grid::map::{CellRange, GridMap};
use crate::tier::loose_grid::rebuilt::pairs::COVER_WORTH;
use crate::tier::loose_grid::rebuilt::{CHUNK_LEN, Filed, RebuiltGrid};
use crate::tier::loose_grid::walk::{DoubleGrid, Met, Near, Walk};
use std::iter::FusedIterator;
use std::ops::Range;
use std::slice;

impl RebuiltGrid {
    /// Visits what the grid is made of: every loose cell, and every tight cell that lists some.
    pub(crate) fn visit_debug_shapes(&self, mut visitor: impl FnMut(Part)) {
        for cell in 0..self.loose_cell_count() {
            visitor(Part::LooseCell { aabb: self.cells[cell].bounds, population: self.run(cell).len() });
        }
        if !self.filed.is_empty() {
            (&self).visit_tight_parts(visitor);
        }
    }

    /// So many loose cells are looked at in the tight grid at most where covers could be.
    #[inline(always)]
    fn listed_max(&self) -> usize {
        COVER_WORTH * self.covers.len() + CHUNK_LEN
    }

    /// Whether covers serve better than tight cells, for any place.
    pub(crate) fn lists_much(&self) -> bool {
        self.tight.listed.len() > self.listed_max() * self.tight.map.cell_count()
    }

    /// Looks into the loose cells of one cover after another, the one at `first` before the others.
    fn look_through_covers(&self, first: usize, walk: &mut impl Walk) {
        let others = (0..self.covers.len()).filter(|&chunk| chunk != first);
        for chunk in std::iter::once(first).chain(others) {
            if walk.reaches(&self.covers[chunk]) {
                for cell in self.covered(chunk) {
                    if walk.reaches(&self.cells[cell].bounds) {
                        walk.look_into(LooseIndex::new(cell));
                    }
                }
            }
        }
    }

    /// The loose cells below a cover.
    #[inline(always)]
    fn covered(&self, chunk: usize) -> Range<usize> {
        chunk * CHUNK_LEN..self.loose_cell_count().min((chunk + 1) * CHUNK_LEN)
    }
}

impl DoubleGrid for &RebuiltGrid {
    type Hit = u32;

    #[inline]
    fn tight(&self) -> &GridMap {
        &self.tight.map
    }

    #[inline]
    fn bounds(&self, cell: LooseIndex) -> &RawAabb {
        &self.cells[cell.at()].bounds
    }

    #[inline]
    fn listed(&self, x: u32, y: u32) -> impl Iterator<Item = LooseIndex> {
        self.tight.row(y, x, x).iter().copied()
    }

    fn everywhere(&self) -> &[LooseIndex] {
        &[]
    }

    #[inline]
    fn visit_filed(&self, cell: LooseIndex, reach: impl Fn(&RawAabb) -> bool, mut visit: impl FnMut(&RawAabb, u32)) {
        let mut rest = self.run(cell.at());
        if rest.len() <= CHUNK_LEN {
            return self.filed[rest].iter().for_each(|filed| visit(&filed.bounds, filed.entity));
        }
        while let Some(part) = next_part(&mut rest) {
            // R3
            if reach(&self.chunks[part.start / CHUNK_LEN]) {
                self.filed[part].iter().for_each(|filed| visit(&filed.bounds, filed.entity));
            }
        }
    }
}

impl Search for &RebuiltGrid {
    type Hit = u32;

    #[inline]
    fn search<T: Fn(&RawAabb) -> bool + Copy>(self, area: RawAabb, test: T) -> impl Iterator<Item = u32> {
        Found { grid: self, area, test, cells: Cells::new(self, &area), rest: 0..0, filed: [].iter() }
    }

    fn visit_near(self, point: [f32; 2], _: usize, within: f64, visit: &mut impl FnMut(u32, f64) -> f64) -> f64 {
        let mut near = Near::new(self, point, within, visit);
        if self.filed.is_empty() {
            return within;
        }
        if self.lists_much() {
            let distance = |chunk: &usize| distance_squared(&self.covers[*chunk], point);
            let nearest = (0..self.covers.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
            self.look_through_covers(nearest.unwrap_or(0), &mut near);
        } else {
            near.walk();
        }
        near.within
    }

    fn visit_met(self, cast: &PreparedCast, until: f64, visit: &mut impl FnMut(u32, Impact) -> f64) -> f64 {
        let mut met = Met::new(self, cast, until, visit);
        if self.filed.is_empty() {
            return until;
        }
        if self.lists_much() {
            self.look_through_covers(0, &mut met);
        } else {
            met.walk();
        }
        met.until
    }

    fn place(self, point: [f32; 2]) -> u64 {
        (&self).place_of(point)
    }
}

/// What is filed in loose cells that an area meets and satisfies a test, one by one.
#[derive(Clone, Debug)]
struct Found<'g, T> {
    grid: &'g RebuiltGrid,
    area: RawAabb,
    test: T,
    cells: Cells<'g>,
    /// What is left of a crowded cell.
    rest: Range<usize>,
    /// What is left of a chunk, or of a cell that is not crowded.
    filed: slice::Iter<'g, Filed>,
}

/// Loose cells that an area may meet, one by one.
#[derive(Clone, Debug)]
enum Cells<'g> {
    None,
    /// Listed in tight cells, each reported in the one nearest to the lower corner of the range: from the one at `at` on,
    /// of which `listed` is left.
    Listed {
        range: CellRange,
        at: [u32; 2],
        listed: slice::Iter<'g, LooseIndex>,
    },
    /// Below covers: the next of these, and what is left of the last.
    Covered {
        chunks: Range<usize>,
        cells: Range<usize>,
    },
}

impl<'g> Cells<'g> {
    #[inline(always)]
    fn new(grid: &'g RebuiltGrid, area: &RawAabb) -> Self {
        if grid.filed.is_empty() {
            return Self::None;
        }
        let tight = &grid.tight;
        let range = tight.map.range(area);
        let ([x0, y0], [x1, y1]) = (range.min, range.max);
        let (mut listed, listed_max) = (0, grid.listed_max());
        for y in y0..=y1 {
            listed += tight.row(y, x0, x1).len();
            if listed > listed_max {
                return Self::Covered { chunks: 0..grid.covers.len(), cells: 0..0 };
            }
        }
        Self::Listed { range, at: range.min, listed: tight.row(y0, x0, x0).iter() }
    }

    /// The next whose box overlaps the area.
    #[inline(always)]
    fn next_met(&mut self, grid: &'g RebuiltGrid, area: &RawAabb) -> Option<usize> {
        match self {
            Self::None => None,
            Self::Listed { range, at, listed } => loop {
                let [x, y] = *at;
                for k in listed.by_ref() {
                    let bounds = &grid.cells[k.at()].bounds;
                    if overlaps(bounds, area) && grid.tight.map.is_nearest(range.min, bounds, x, y) {
                        return Some(k.at());
                    }
                }
                *at = if x < range.max[0] {
                    [x + 1, y]
                } else if y < range.max[1] {
                    [range.min[0], y + 1]
                } else {
                    return None;
                };
                *listed = grid.tight.row(at[1], at[0], at[0]).iter();
            },
            Self::Covered { chunks, cells } => loop {
                if let Some(cell) = cells.find(|&cell| overlaps(&grid.cells[cell].bounds, area)) {
                    return Some(cell);
                }
                let chunk = chunks.find(|&chunk| overlaps(&grid.covers[chunk], area))?;
                *cells = grid.covered(chunk);
            },
        }
    }
}

impl<'g, T> Found<'g, T> {
    /// Goes on to the next entities that may be met; whether there are any.
    #[inline(always)]
    fn next_run(&mut self) -> bool {
        loop {
            while let Some(part) = next_part(&mut self.rest) {
                // R3
                if overlaps(&self.grid.chunks[part.start / CHUNK_LEN], &self.area) {
                    self.filed = self.grid.filed[part].iter();
                    return true;
                }
            }
            let Some(cell) = self.cells.next_met(self.grid, &self.area) else { return false };
            let run = self.grid.run(cell);
            if run.len() <= CHUNK_LEN {
                self.filed = self.grid.filed[run].iter();
                return true;
            }
            self.rest = run;
        }
    }
}

impl<T: Fn(&RawAabb) -> bool> Iterator for Found<'_, T> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        loop {
            for filed in self.filed.by_ref() {
                if (self.test)(&filed.bounds) {
                    return Some(filed.entity);
                }
            }
            if !self.next_run() {
                return None;
            }
        }
    }

    #[inline]
    fn fold<B, F: FnMut(B, u32) -> B>(mut self, init: B, mut f: F) -> B {
        let mut all = init;
        loop {
            let test = &self.test;
            all = self.filed.by_ref().filter(|filed| test(&filed.bounds)).fold(all, |all, filed| f(all, filed.entity));
            if !self.next_run() {
                return all;
            }
        }
    }
}

impl<T: Fn(&RawAabb) -> bool> FusedIterator for Found<'_, T> {}

/// The next part of a run that lies below one chunk (R3), which is taken off.
#[inline(always)]
fn next_part(rest: &mut Range<usize>) -> Option<Range<usize>> {
    if rest.start >= rest.end {
        return None;
    }
    let end = rest.end.min((rest.start / CHUNK_LEN + 1) * CHUNK_LEN);
    let part = rest.start..end;
    rest.start = end;
    Some(part)
}
