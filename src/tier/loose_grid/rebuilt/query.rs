//! Queries of the grid of one step.
//!
//! Small areas, points and rays are searched through the tight grid, large areas through the groups
//! of loose cells. If boxes are so long that tight cells list more loose cells than a search
//! through groups tests, points and rays are searched through groups too.

use crate::geometry::{Impact, PreparedCast, RawAabb, distance_squared, overlaps};
use crate::memory::body_record::BodyRecord;
use crate::tier::DebugShape;
use crate::tier::box_test::BoxTest;
use crate::tier::loose_grid::indices::LooseIndex;
use crate::tier::loose_grid::map::{CellMap, CellRange};
use crate::tier::loose_grid::rebuilt::grid::{GROUP_LEN, RebuiltGrid, next_group_part};
use crate::tier::loose_grid::walk::double_grid::{BoxVisitor, DoubleGrid};
use crate::tier::loose_grid::walk::nearest::NearestVisitor;
use crate::tier::loose_grid::walk::ray::CastVisitor;
use std::ops::Range;
use std::slice;

/// A search uses the groups of loose cells if the touched tight cells list more than about this
/// many loose cells for each group. Tight cells list many if boxes are very long, and a search of a
/// large area overlaps most loose cells anyway.
const LISTED_PER_GROUP_MAX: usize = 2;

impl RebuiltGrid {
    /// Appends the bodies whose boxes overlap `area`.
    pub(crate) fn collect(&self, area: &RawAabb, found: &mut Vec<BodyRecord>) {
        // This goes through `fold`, `extend` would not.
        self.box_query(*area, BoxTest::Overlap).for_each(|body| found.push(*body));
    }

    /// Returns the bodies that pass `test` among those in loose cells that overlap `area`, each
    /// once. Edges of the area may be infinite.
    #[inline]
    pub(crate) fn box_query(&self, area: RawAabb, test: BoxTest) -> LooseAreaQuery<'_> {
        LooseAreaQuery { grid: self, area, test, cells: CellCursor::new(self, &area), rest: 0..0, filed: [].iter() }
    }

    /// Visits the bodies whose squared distance from `point` is at most `within`, each once,
    /// roughly nearest first.
    ///
    /// `visit` takes a row and its squared distance, and returns the new `within`. Returns the
    /// last one.
    pub(crate) fn visit_nearest(&self, point: [f32; 2], within: f64, visit: &mut impl FnMut(u32, f64) -> f64) -> f64 {
        let mut visitor = NearestVisitor::new(point, within, visit);
        if self.prefers_groups() {
            let distance = |group: &usize| distance_squared(&self.cell_groups[*group], point);
            let nearest = (0..self.cell_groups.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
            self.visit_groups(nearest.unwrap_or(0), &mut visitor);
        } else if !self.filed.is_empty() {
            visitor.search(self);
        }
        visitor.within
    }

    /// Visits the bodies that `cast` hits at times of impact up to `t_max`, each once, roughly
    /// earliest first.
    ///
    /// `visit` takes a row and its impact, and returns the new `t_max`. Returns the last one.
    pub(crate) fn visit_cast(
        &self,
        cast: &PreparedCast,
        t_max: f64,
        visit: &mut impl FnMut(u32, Impact) -> f64,
    ) -> f64 {
        let mut visitor = CastVisitor::new(cast, t_max, visit);
        if self.prefers_groups() {
            self.visit_groups(0, &mut visitor);
        } else if !self.filed.is_empty() {
            visitor.search(self);
        }
        visitor.t_max
    }

    /// Visits every loose cell, and every tight cell that lists some.
    pub(crate) fn visit_debug_shapes(&self, mut visitor: impl FnMut(DebugShape)) {
        for cell in 0..self.loose_cell_count() {
            visitor(DebugShape::LooseCell { aabb: self.cells[cell].bounds, population: self.bodies_of(cell).len() });
        }
        if !self.filed.is_empty() {
            (&self).visit_tight_cells(visitor);
        }
    }

    /// Returns whether points and rays are searched faster through groups than through tight cells.
    pub(in crate::tier::loose_grid) fn prefers_groups(&self) -> bool {
        self.tight.listed.len() > self.listed_max() * self.tight.map.cell_count()
    }

    /// Returns the most loose cells that touched tight cells may list for a search through them.
    #[inline(always)]
    pub(super) fn listed_max(&self) -> usize {
        LISTED_PER_GROUP_MAX * self.cell_groups.len() + GROUP_LEN
    }

    /// Visits the bodies group by group, those of group `first` before the others.
    fn visit_groups(&self, first: usize, visitor: &mut impl BoxVisitor) {
        let others = (0..self.cell_groups.len()).filter(|&group| group != first);
        for group in std::iter::once(first).chain(others) {
            if visitor.reaches(&self.cell_groups[group]) {
                for cell in self.cells_of_group(group) {
                    if visitor.reaches(&self.cells[cell].bounds) {
                        (&self).visit_cell(LooseIndex::new(cell), visitor);
                    }
                }
            }
        }
    }
}

impl DoubleGrid for &RebuiltGrid {
    #[inline]
    fn tight_map(&self) -> &CellMap {
        &self.tight.map
    }

    #[inline]
    fn bounds(&self, cell: LooseIndex) -> &RawAabb {
        &self.cells[cell.get()].bounds
    }

    #[inline]
    fn listed(&self, x: u32, y: u32) -> impl Iterator<Item = LooseIndex> {
        self.tight.row(y, x, x).iter().copied()
    }

    fn unlisted(&self) -> &[LooseIndex] {
        &[]
    }

    #[inline]
    fn visit_cell(&self, cell: LooseIndex, visitor: &mut impl BoxVisitor) {
        let mut rest = self.bodies_of(cell.get());
        if rest.len() <= GROUP_LEN {
            return self.filed[rest].iter().for_each(|filed| visitor.visit(&filed.aabb, filed.row));
        }
        while let Some(part) = next_group_part(&mut rest) {
            if visitor.reaches(&self.body_groups[part.start / GROUP_LEN]) {
                self.filed[part].iter().for_each(|filed| visitor.visit(&filed.aabb, filed.row));
            }
        }
    }
}

/// An iterator over the bodies that pass a test, among those in loose cells that
/// overlap an area.
#[derive(Clone, Debug)]
pub(crate) struct LooseAreaQuery<'g> {
    grid: &'g RebuiltGrid,
    area: RawAabb,
    test: BoxTest,
    cells: CellCursor<'g>,
    /// The rest of a crowded cell.
    rest: Range<usize>,
    /// The rest of a group, or of a cell that is not crowded.
    filed: slice::Iter<'g, BodyRecord>,
}

impl LooseAreaQuery<'_> {
    #[inline(always)]
    fn accepts(&self, aabb: &RawAabb) -> bool {
        (overlaps(aabb, &self.area) | !self.test.needs_overlap()) && self.test.accepts(|| *aabb)
    }

    /// Advances to the next bodies that may overlap. Returns `false` if there are none.
    #[inline(always)]
    fn next_run(&mut self) -> bool {
        loop {
            while let Some(part) = next_group_part(&mut self.rest) {
                if overlaps(&self.grid.body_groups[part.start / GROUP_LEN], &self.area) {
                    self.filed = self.grid.filed[part].iter();
                    return true;
                }
            }
            let Some(cell) = self.cells.next(self.grid, &self.area) else { return false };
            let run = self.grid.bodies_of(cell);
            if run.len() <= GROUP_LEN {
                self.filed = self.grid.filed[run].iter();
                return true;
            }
            self.rest = run;
        }
    }
}

impl<'g> Iterator for LooseAreaQuery<'g> {
    type Item = &'g BodyRecord;

    #[inline]
    fn next(&mut self) -> Option<&'g BodyRecord> {
        loop {
            while let Some(filed) = self.filed.next() {
                if self.accepts(&filed.aabb) {
                    return Some(filed);
                }
            }
            if !self.next_run() {
                return None;
            }
        }
    }

    #[inline]
    fn fold<B, F: FnMut(B, &'g BodyRecord) -> B>(mut self, init: B, mut f: F) -> B {
        let mut all = init;
        loop {
            let filed = std::mem::take(&mut self.filed);
            all = filed.filter(|filed| self.accepts(&filed.aabb)).fold(all, &mut f);
            if !self.next_run() {
                return all;
            }
        }
    }
}

/// A cursor over the loose cells that overlap an area.
#[derive(Clone, Debug)]
enum CellCursor<'g> {
    /// Through tight cells. A loose cell is reported in the tight cell nearest to the lower corner
    /// of `range`. `listed` is the rest of the list of tight cell `at`.
    Tight { range: CellRange, at: [u32; 2], listed: slice::Iter<'g, LooseIndex> },
    /// Through groups: the remaining groups, and the rest of the last one.
    Groups { groups: Range<usize>, cells: Range<usize> },
}

impl<'g> CellCursor<'g> {
    #[inline(always)]
    fn new(grid: &'g RebuiltGrid, area: &RawAabb) -> Self {
        if grid.filed.is_empty() {
            return Self::Groups { groups: 0..0, cells: 0..0 };
        }
        let tight = &grid.tight;
        let range = tight.map.touched(area);
        let ([x0, y0], [x1, y1]) = (range.min, range.max);
        let (mut listed_count, listed_max) = (0, grid.listed_max());
        for y in y0..=y1 {
            listed_count += tight.row(y, x0, x1).len();
            if listed_count > listed_max {
                return Self::Groups { groups: 0..grid.cell_groups.len(), cells: 0..0 };
            }
        }
        Self::Tight { range, at: range.min, listed: tight.row(y0, x0, x0).iter() }
    }

    #[inline(always)]
    fn next(&mut self, grid: &'g RebuiltGrid, area: &RawAabb) -> Option<usize> {
        match self {
            Self::Tight { range, at, listed } => loop {
                let [x, y] = *at;
                for k in listed.by_ref() {
                    let bounds = &grid.cells[k.get()].bounds;
                    if overlaps(bounds, area) && grid.tight.map.is_nearest(range.min, bounds, x, y) {
                        return Some(k.get());
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
            Self::Groups { groups, cells } => loop {
                if let Some(cell) = cells.find(|&cell| overlaps(&grid.cells[cell].bounds, area)) {
                    return Some(cell);
                }
                let group = groups.find(|&group| overlaps(&grid.cell_groups[group], area))?;
                *cells = grid.cells_of_group(group);
            },
        }
    }
}
