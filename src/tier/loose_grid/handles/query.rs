//! The searches of a [`LooseGrid`], and its parts for drawing.

use crate::geometry::{Cast, Entry, RawAabb, overlaps};
use crate::tier::DebugShape;
use crate::tier::box_test::BoxTest;
use crate::tier::loose_grid::handles::grid::{LooseGrid, LooseHandle};
use crate::tier::loose_grid::index::{EntityIndex, EntryIndex, LooseIndex};
use crate::tier::loose_grid::map::{CellRange, GridMap};
use crate::tier::loose_grid::walk::{DoubleGrid, Met, Near};
use std::slice;

impl LooseGrid {
    /// The boxes in loose cells that `area` touches and that pass `test`, each once.
    pub(crate) fn search(&self, area: RawAabb, test: BoxTest) -> HandleSearch<'_> {
        let range = self.tight.range(&area);
        HandleSearch {
            grid: self,
            area,
            test,
            range,
            at: range.min,
            listed: self.tight.first_listed(range.min[0], range.min[1]),
            everywhere: self.tight.everywhere().iter(),
            member: EntityIndex::NONE,
        }
    }

    /// Visits boxes within a squared distance of a point; see [`Near`].
    pub(crate) fn visit_nearest(
        &self,
        point: [f32; 2],
        within: f64,
        visit: &mut impl FnMut(LooseHandle, f64) -> f64,
    ) -> f64 {
        let mut near = Near::new(self, point, within, visit);
        if !self.is_empty() {
            near.walk();
        }
        near.within
    }

    /// Visits boxes that a cast hits up to a distance; see [`Met`].
    pub(crate) fn visit_cast(&self, cast: &Cast, until: f64, visit: &mut impl FnMut(LooseHandle, Entry) -> f64) -> f64 {
        let mut met = Met::new(self, cast, until, visit);
        if !self.is_empty() {
            met.walk();
        }
        met.until
    }

    /// The number of the tight cell that holds a point.
    pub(crate) fn place(&self, point: [f32; 2]) -> u64 {
        self.place_of(point)
    }

    /// Visits every loose cell with boxes in it and every tight cell that lists some, for drawing
    /// and debugging.
    ///
    /// Tight cells may list loose cells whose boxes have left since the last
    /// [`refit`](Self::refit).
    pub fn visit_debug_shapes(&self, mut visitor: impl FnMut(DebugShape)) {
        for cell in &self.cells {
            let population = self.members(cell.head).count();
            if population > 0 {
                visitor(DebugShape::LooseCell { aabb: cell.bounds, population });
            }
        }
        self.visit_tight_parts(visitor);
    }
}

impl DoubleGrid for &LooseGrid {
    type Hit = LooseHandle;

    #[inline]
    fn tight(&self) -> &GridMap {
        self.tight.map()
    }

    #[inline]
    fn bounds(&self, cell: LooseIndex) -> &RawAabb {
        &self.cells[cell.at()].bounds
    }

    #[inline]
    fn listed(&self, x: u32, y: u32) -> impl Iterator<Item = LooseIndex> {
        self.tight.listed(x, y)
    }

    #[inline]
    fn everywhere(&self) -> &[LooseIndex] {
        self.tight.everywhere()
    }

    #[inline]
    fn visit_filed(
        &self,
        cell: LooseIndex,
        _: impl Fn(&RawAabb) -> bool,
        mut visit: impl FnMut(&RawAabb, LooseHandle),
    ) {
        self.members(self.cells[cell.at()].head).for_each(|index| visit(&self.slot(index).bounds, self.handle(index)));
    }
}

/// The slots of boxes in the loose cells that an area touches and that pass a test, one by one.
#[derive(Clone, Debug)]
pub(crate) struct HandleSearch<'g> {
    grid: &'g LooseGrid,
    area: RawAabb,
    test: BoxTest,
    /// The tight cells that the area touches, the present one, and what is left of its list.
    range: CellRange,
    at: [u32; 2],
    listed: EntryIndex,
    /// What is left of the loose cells that no tight cell lists.
    everywhere: slice::Iter<'g, LooseIndex>,
    /// The next box of the present loose cell.
    member: EntityIndex,
}

impl HandleSearch<'_> {
    /// The next loose cell whose box overlaps the area.
    fn next_cell(&mut self) -> Option<LooseIndex> {
        let [x_max, y_max] = self.range.max;
        loop {
            let [x, y] = self.at;
            while let Some(cell) = self.grid.tight.next_listed(&mut self.listed) {
                let bounds = &self.grid.cells[cell.at()].bounds;
                if overlaps(&self.area, bounds) && self.grid.tight.meets_first(&self.range, bounds, x, y) {
                    return Some(cell);
                }
            }
            self.at = match [x, y] {
                [x, y] if x < x_max => [x + 1, y],
                [_, y] if y < y_max => [self.range.min[0], y + 1],
                _ => break,
            };
            self.listed = self.grid.tight.first_listed(self.at[0], self.at[1]);
        }
        self.everywhere.find(|cell| overlaps(&self.area, &self.grid.cells[cell.at()].bounds)).copied()
    }
}

impl Iterator for HandleSearch<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        loop {
            while let Some(index) = self.member.some() {
                let slot = self.grid.slot(index);
                self.member = slot.next;
                let is_candidate = overlaps(&slot.bounds, &self.area) | !self.test.needs_overlap();
                if is_candidate && self.test.accepts(|| slot.bounds) {
                    return Some(index.0);
                }
            }
            let cell = self.next_cell()?;
            self.member = self.grid.cells[cell.at()].head;
        }
    }
}
