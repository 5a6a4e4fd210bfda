//! Searches of a [`LooseGrid`], and its parts for debug drawing.

use crate::geometry::{Impact, PreparedCast, RawAabb, overlaps};
use crate::tier::DebugShape;
use crate::tier::box_test::BoxTest;
use crate::tier::loose_grid::handles::grid::LooseGrid;
use crate::tier::loose_grid::handles::slots::{LooseHandle, Slot};
use crate::tier::loose_grid::indices::{EntityIndex, EntryIndex, LooseIndex};
use crate::tier::loose_grid::map::{CellMap, CellRange};
use crate::tier::loose_grid::walk::double_grid::{BoxVisitor, DoubleGrid};
use crate::tier::loose_grid::walk::nearest::NearestVisitor;
use crate::tier::loose_grid::walk::ray::CastVisitor;
use std::iter::FusedIterator;
use std::slice;

impl LooseGrid {
    /// Returns the slots of the boxes that pass `test` among those in loose cells that overlap
    /// `area`, each once.
    pub(crate) fn box_query(&self, area: RawAabb, test: BoxTest) -> HandleAreaQuery<'_> {
        let range = self.tight.map().touched(&area);
        HandleAreaQuery {
            grid: self,
            area,
            test,
            range,
            at: range.min,
            listed: self.tight.first_listed(range.min[0], range.min[1]),
            unlisted: self.tight.unlisted().iter(),
            member: EntityIndex::NONE,
        }
    }

    /// Returns the handle of a box that a search found.
    pub(crate) fn handle_of(&self, slot: u32) -> LooseHandle {
        self.slots.handle(EntityIndex(slot))
    }

    /// Visits the boxes whose squared distance from `point` is at most `within`, each once, roughly
    /// nearest first.
    ///
    /// `visit` takes a slot and its squared distance, and returns the new `within`. Returns the
    /// last one.
    pub(crate) fn visit_nearest(&self, point: [f32; 2], within: f64, visit: &mut impl FnMut(u32, f64) -> f64) -> f64 {
        let mut visitor = NearestVisitor::new(point, within, visit);
        if !self.is_empty() {
            visitor.search(self);
        }
        visitor.within
    }

    /// Visits the boxes that `cast` hits at times of impact up to `t_max`, each once, roughly
    /// earliest first.
    ///
    /// `visit` takes a slot and its impact, and returns the new `t_max`. Returns the last one.
    pub(crate) fn visit_cast(
        &self,
        cast: &PreparedCast,
        t_max: f64,
        visit: &mut impl FnMut(u32, Impact) -> f64,
    ) -> f64 {
        let mut visitor = CastVisitor::new(cast, t_max, visit);
        if !self.is_empty() {
            visitor.search(self);
        }
        visitor.t_max
    }

    /// Returns a number that sorts points so that successive searches access nearby memory.
    pub(crate) fn sort_key(&self, point: [f32; 2]) -> u64 {
        let map = self.tight.map();
        let [x, y] = map.cell_of_point(point);
        map.number(x, y) as u64
    }

    /// Returns the loose cells listed in the tight cells that `area` touches, each once. Some may
    /// not overlap it.
    pub(super) fn cells_in(&self, area: RawAabb) -> impl Iterator<Item = LooseIndex> + Clone {
        let map = self.tight.map();
        let range = map.touched(&area);
        range.cells().flat_map(move |(x, y)| {
            let listed = self.tight.listed(x, y);
            listed.filter(move |cell| map.is_nearest(range.min, &self.cells[cell.get()].bounds, x, y))
        })
    }

    /// Returns the entities of a list (SLOT-2).
    pub(super) fn members(&self, head: EntityIndex) -> impl Iterator<Item = EntityIndex> + Clone {
        std::iter::successors(head.some(), |&index| self.slots[index].next.some())
    }

    /// Visits every loose cell with boxes in it, and every tight cell that lists some, for debug
    /// drawing.
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
        self.visit_tight_cells(visitor);
    }
}

impl DoubleGrid for &LooseGrid {
    #[inline]
    fn tight_map(&self) -> &CellMap {
        self.tight.map()
    }

    #[inline]
    fn bounds(&self, cell: LooseIndex) -> &RawAabb {
        &self.cells[cell.get()].bounds
    }

    #[inline]
    fn listed(&self, x: u32, y: u32) -> impl Iterator<Item = LooseIndex> {
        self.tight.listed(x, y)
    }

    #[inline]
    fn unlisted(&self) -> &[LooseIndex] {
        self.tight.unlisted()
    }

    #[inline]
    fn visit_cell(&self, cell: LooseIndex, visitor: &mut impl BoxVisitor) {
        for index in self.members(self.cells[cell.get()].head) {
            visitor.visit(&self.slots[index].bounds, index.0);
        }
    }
}

/// An iterator over the slots of the boxes that pass a test, among those in loose cells that
/// overlap an area.
#[derive(Clone, Debug)]
pub(crate) struct HandleAreaQuery<'g> {
    grid: &'g LooseGrid,
    area: RawAabb,
    test: BoxTest,
    /// The tight cells that the area touches, the present one, and the rest of its list. A loose
    /// cell is reported in the one nearest to the lower corner of the range.
    range: CellRange,
    at: [u32; 2],
    listed: EntryIndex,
    /// The remaining unlisted loose cells.
    unlisted: slice::Iter<'g, LooseIndex>,
    /// The next box of the present loose cell.
    member: EntityIndex,
}

impl HandleAreaQuery<'_> {
    /// Returns the next loose cell that overlaps the area.
    fn next_cell(&mut self) -> Option<LooseIndex> {
        let LooseGrid { tight, cells, .. } = self.grid;
        let [x_max, y_max] = self.range.max;
        loop {
            let [x, y] = self.at;
            while let Some(cell) = tight.next_listed(&mut self.listed) {
                let bounds = &cells[cell.get()].bounds;
                if overlaps(bounds, &self.area) && tight.map().is_nearest(self.range.min, bounds, x, y) {
                    return Some(cell);
                }
            }
            self.at = if x < x_max {
                [x + 1, y]
            } else if y < y_max {
                [self.range.min[0], y + 1]
            } else {
                break;
            };
            self.listed = tight.first_listed(self.at[0], self.at[1]);
        }
        self.unlisted.find(|cell| overlaps(&cells[cell.get()].bounds, &self.area)).copied()
    }
}

impl Iterator for HandleAreaQuery<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        loop {
            while let Some(index) = self.member.some() {
                let Slot { bounds, next, .. } = self.grid.slots[index];
                self.member = next;
                let is_candidate = overlaps(&bounds, &self.area) | !self.test.needs_overlap();
                if is_candidate && self.test.accepts(|| bounds) {
                    return Some(index.0);
                }
            }
            let cell = self.next_cell()?;
            self.member = self.grid.cells[cell.get()].head;
        }
    }
}

impl FusedIterator for HandleAreaQuery<'_> {}
