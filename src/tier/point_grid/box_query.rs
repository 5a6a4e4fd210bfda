//! Finds the bodies in an area.
//!
//! A body that overlaps an area is filed in the rectangle of cells that `CellLookup::rect` returns
//! (BAND-1, and `Reach` or BAND-2), in a band that the area may touch (DIRECTORY-1). Bodies are
//! filed once (BAND-1), so each is found once.
//!
//! - AREA-1: at most [`AHEAD`] blocks are tested at a time, and nothing after them is read before
//!   their hits are used.
//!
//! Cost: O(rows of cells that the area touches + bodies filed in the touched cells), since the
//! cells of a row are one run. There are at most as many rows as bodies (BAND-3), and few empty
//! cells. So the cost depends on the bodies in and near the area, not on its size.

use crate::geometry::RawAabb;
use crate::geometry::band_box::{BandAxes, BandBox};
use crate::memory::bits::set_bits;
use crate::memory::blocks::SOA_BLOCK_LEN;
use crate::simd::{CellRect, DetectedSimd, run_mask};
use crate::tier::box_test::BoxTest;
use crate::tier::point_grid::bands::{Bands, FiledCells};
use std::ops::Range;

/// Blocks that are tested before the first hit is returned.
const AHEAD: usize = 4;

/// An iterator over the rows of bodies in the cells that an area touches, in cell order.
#[derive(Clone)]
pub(crate) struct GridAreaQuery<'g> {
    grid: &'g Bands,
    area: RawAabb,
    test: BoxTest,
    /// The index of the next size class in the directory.
    class: usize,
    axes: BandAxes,
    /// The area in the axes of the class, and the bands of the class still to be searched.
    local: BandBox,
    slots: Range<usize>,
    /// The cells of the present band, and the touched ones still to be searched.
    cells: FiledCells<'g>,
    rect: CellRect,
    /// The entries of a row of cells still to be tested.
    run: Range<usize>,
    /// The first entry of a block, and which of its entries are still to be returned.
    at: usize,
    mask: u32,
    /// Further masks of this kind, and the range of unused ones (AREA-1).
    ahead: [(usize, u32); AHEAD],
    unused: Range<usize>,
}

impl Bands {
    /// Returns the rows of the bodies that pass `test` among those in the cells that `area`
    /// touches.
    pub(crate) fn box_query(&self, area: RawAabb, test: BoxTest) -> GridAreaQuery<'_> {
        GridAreaQuery {
            grid: self,
            area,
            test,
            class: 0,
            axes: BandAxes::default(),
            local: BandBox::from_edges(area),
            slots: 0..0,
            cells: FiledCells::none(),
            rect: CellRect { x: 0..0, y: 0..0 },
            run: 0..0,
            at: 0,
            mask: 0,
            ahead: [(0, 0); AHEAD],
            unused: 0..0,
        }
    }
}

impl GridAreaQuery<'_> {
    /// Tests some more entries. Returns whether there were any.
    ///
    /// Several blocks are tested before the first hit is returned: so the processor loads all of
    /// them at once, and no branch depends on a single one.
    fn test_more(&mut self) -> bool {
        let mut count = 0;
        while count == 0 {
            'ahead: while count < AHEAD {
                // After the last entry there may be no block.
                while self.run.is_empty() {
                    let Some(y) = self.rect.y.next() else { break 'ahead };
                    self.run = self.cells.run(y, &self.rect.x);
                }
                let block = self.run.start / SOA_BLOCK_LEN;
                self.ahead[count] = (block * SOA_BLOCK_LEN, self.mask_of(block));
                self.run.start = self.run.end.min((block + 1) * SOA_BLOCK_LEN);
                count += 1;
            }
            if count == 0 && !self.next_band() {
                return false;
            }
        }
        self.unused = 0..count;
        true
    }

    /// The entries of the run that are in a block and pass the test.
    #[inline(always)]
    fn mask_of(&self, block: usize) -> u32 {
        let in_run = run_mask(&self.run, block);
        if self.test.needs_overlap() {
            in_run & self.grid.level().overlap_mask(self.cells.blocks.block(block), self.local.edges())
        } else {
            in_run
        }
    }

    fn next_band(&mut self) -> bool {
        loop {
            let Some(slot) = self.slots.next() else {
                if !self.next_class() {
                    return false;
                }
                continue;
            };
            let slot = &self.grid.slots[slot];
            if slot.population() > 0 && slot.band.bounds().overlaps(&self.local) {
                self.rect = slot.band.lookup(self.grid.tables_of(slot)).rect(&self.local);
                self.cells = self.grid.cells(slot);
                return true;
            }
        }
    }

    fn next_class(&mut self) -> bool {
        let Some(class) = self.grid.directory.classes().get(self.class) else { return false };
        self.class += 1;
        (self.axes, self.local) = (class.axes, class.axes.box_to_band(self.area));
        self.slots = self.grid.directory.slots_overlapping(class, &self.local);
        true
    }
}

impl Iterator for GridAreaQuery<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        loop {
            while self.mask != 0 {
                let at = self.at + self.mask.trailing_zeros() as usize;
                self.mask &= self.mask - 1;
                let blocks = &self.cells.blocks;
                if self.test.accepts(|| self.axes.box_to_world(BandBox::from_edges(blocks.aabb(at)))) {
                    return Some(blocks.row(at));
                }
            }
            match self.unused.next() {
                Some(k) => (self.at, self.mask) = self.ahead[k],
                None if !self.test_more() => return None,
                None => {}
            }
        }
    }

    fn fold<B, F: FnMut(B, u32) -> B>(mut self, init: B, mut f: F) -> B {
        let mut folded = init;
        if self.mask != 0 {
            // The rest of the present mask is returned first.
            self.unused.start -= 1;
            self.ahead[self.unused.start] = (self.at, self.mask);
        }
        loop {
            let (blocks, axes, test) = (self.cells.blocks, self.axes, self.test);
            for &(first, mask) in &self.ahead[self.unused.clone()] {
                let hits = set_bits(mask).map(|k| first + k);
                if test.accepts_all() {
                    for at in hits {
                        folded = f(folded, blocks.row(at));
                    }
                } else {
                    for at in hits {
                        if test.accepts(|| axes.box_to_world(BandBox::from_edges(blocks.aabb(at)))) {
                            folded = f(folded, blocks.row(at));
                        }
                    }
                }
            }
            if !self.test_more() {
                return folded;
            }
        }
    }
}

/// Calls `visit` with the place of each entry of a rectangle of cells that overlaps `area` but not
/// `before`. As in [`GridAreaQuery`], several blocks are tested before the first visit.
#[inline(always)]
pub(super) fn visit_overlapping(
    level: DetectedSimd,
    cells: &FiledCells<'_>,
    rect: &CellRect,
    area: &BandBox,
    before: Option<&BandBox>,
    mut visit: impl FnMut(usize),
) {
    let mut rows = rect.y.clone();
    let mut run = 0..0;
    let mut masks = [(0, 0); AHEAD];
    loop {
        let mut count = 0;
        'ahead: while count < AHEAD {
            while run.is_empty() {
                let Some(y) = rows.next() else { break 'ahead };
                run = cells.run(y, &rect.x);
            }
            let number = run.start / SOA_BLOCK_LEN;
            let block = cells.blocks.block(number);
            let mut mask = run_mask(&run, number) & level.overlap_mask(block, area.edges());
            if let Some(before) = before {
                mask &= !level.overlap_mask(block, before.edges());
            }
            masks[count] = (number * SOA_BLOCK_LEN, mask);
            run.start = run.end.min((number + 1) * SOA_BLOCK_LEN);
            count += 1;
        }
        for &(first, mask) in &masks[..count] {
            set_bits(mask).for_each(|k| visit(first + k));
        }
        if count < AHEAD {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::overlaps;
    use crate::tier::point_grid::PointGrid;

    const EVERYWHERE: RawAabb = [f32::NEG_INFINITY, f32::NEG_INFINITY, f32::INFINITY, f32::INFINITY];

    fn grid(boxes: &[RawAabb]) -> PointGrid {
        let mut grid = PointGrid::new();
        grid.rebuild(boxes, &mut Vec::new()).expect("valid boxes");
        grid
    }

    #[test]
    fn later_blocks_are_not_tested_before_they_are_needed() {
        let boxes: Vec<RawAabb> =
            (0..40_000).map(|k| [(k % 200) as f32, (k / 200) as f32]).map(|[x, y]| [x, y, x + 0.5, y + 0.5]).collect();
        let grid = grid(&boxes);
        let mut found = grid.bands.box_query(EVERYWHERE, BoxTest::Overlap);
        let (mut tested, mut returned) = (0, 0);
        // Entries of earlier bands, and those of the present band before the rest of its run.
        let tested_so_far = |found: &GridAreaQuery<'_>| {
            let before = grid.bands.slots[..found.slots.start].iter().map(|slot| slot.population()).sum::<usize>();
            before - found.cells.blocks.len() + found.run.start
        };
        while found.next().is_some() && returned < 5000 {
            returned += 1;
            tested = tested_so_far(&found);
            assert!(tested < returned + AHEAD * SOA_BLOCK_LEN, "{tested} entries were tested for {returned}");
        }
        assert!(returned == 5000 && tested >= returned);
    }

    #[test]
    fn no_block_after_the_last_body_is_read() {
        // As many bodies as fill their blocks, the last one in the last row but one, on the left.
        let at = |k: usize| if k == 159 { [0.0, 20.0] } else { [(k % 19) as f32, (k / 19) as f32] };
        let boxes: Vec<RawAabb> = (0..160).map(at).map(|[x, y]| [x, y, x + 0.5, y + 0.5]).collect();
        let grid = grid(&boxes);
        for (column, row) in (0..20).flat_map(|x| (0..21).map(move |y| (x as f32, y as f32))) {
            let area = [column + 0.1, row + 0.1, column + 0.2, row + 0.2];
            let expected = boxes.iter().filter(|aabb| overlaps(aabb, &area)).count();
            assert_eq!(grid.bands.box_query(area, BoxTest::Overlap).count(), expected);
            assert!(grid.bands.box_query(area, BoxTest::Untested).count() >= expected);
        }
    }

    #[test]
    fn a_sparse_world_has_few_cells_to_search() {
        let at = |k: usize| [(k * 379 % 1000) as f32, (k * 617 % 1000) as f32];
        let boxes: Vec<RawAabb> = (0..10).map(at).map(|[x, y]| [x, y, x + 0.5, y + 0.5]).collect();
        let grid = grid(&boxes);
        let mut found = grid.bands.box_query(EVERYWHERE, BoxTest::Overlap);
        assert!(found.next().is_some() && found.rect.y.end < 100, "{:?}", found.rect);
        assert_eq!(found.count(), 9);
    }
}
